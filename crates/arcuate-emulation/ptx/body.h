// Reads the body of a kernel: declarations, then instructions.
#pragma once

#include "cursor.h"
#include "program.h"

namespace arcuate_emulation::ptx {

// An array declaration.
struct Declaration {
    std::string name;
    std::uint32_t alignment, bytes;
    bool dynamic; // true if the launch determines the size
};

// Reads the declaration after `.shared` or `.local`, up to the semicolon.
Declaration parse_array(Cursor& cursor, bool may_be_dynamic);

// The constants of a module: names of the arrays and their offsets, and the bytes.
struct Constants {
    std::vector<std::pair<std::string, std::uint32_t>> arrays;
    std::vector<unsigned char> bytes;
};

// Reads a body from after its opening brace up to the closing brace. `program` already has its parameters.
void parse_body(Cursor& cursor, const std::string& text, const std::vector<Declaration>& shared, const Constants& constants,
                Program& program);

} // namespace arcuate_emulation::ptx

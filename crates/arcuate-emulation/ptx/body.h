// The body of a kernel: declarations, then instructions.
#pragma once

#include "cursor.h"
#include "program.h"

namespace arcuate_emulation::ptx {

// An array as the text declares it.
struct Declaration {
    std::string name;
    std::uint32_t alignment, bytes;
    bool dynamic; // as large as the launch says
};

// What follows `.shared` or `.local`, without the semicolon.
Declaration parse_array(Cursor& cursor, bool may_be_dynamic);

// The constants of a module: the name of each array, and its place among them.
struct Constants {
    std::vector<std::pair<std::string, std::uint32_t>> arrays;
    std::vector<unsigned char> bytes;
};

// Reads from after the opening brace to the closing one. The program has its parameters.
void parse_body(Cursor& cursor, const std::string& text, const std::vector<Declaration>& shared, const Constants& constants,
                Program& program);

} // namespace arcuate_emulation::ptx

// Parses the subset of PTX that Arcuate writes at run time.
#pragma once

#include "program.h"

namespace arcuate_emulation::ptx {

struct Parsed {
    std::vector<std::unique_ptr<Program>> programs; // one for each `.entry`
    std::string complaint; // error message of the assembler with the line, or empty
};

Parsed parse(const std::string& text);

// Returns the names of the `.entry` functions without parsing their bodies.
std::vector<std::string> entries_of(const std::string& text);

} // namespace arcuate_emulation::ptx

// Makes programs of PTX text: the subset that Arcuate writes at run time.
#pragma once

#include "program.h"

namespace arcuate_emulation::ptx {

struct Parsed {
    std::vector<std::unique_ptr<Program>> programs; // one for each `.entry`
    std::string complaint; // what the assembler would say, with the line; empty where all is well
};

Parsed parse(const std::string& text);

// The names of the text's `.entry`s, without a look at the rest.
std::vector<std::string> entries_of(const std::string& text);

} // namespace arcuate_emulation::ptx

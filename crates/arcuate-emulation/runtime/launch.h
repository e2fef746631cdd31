// Runs launches: blocks spread over worker threads.
#pragma once

#include "block.h"

#include <set>
#include <string>

namespace arcuate_emulation {

// The kernel of that name, or null.
const Kernel* find_kernel(const std::string& name);

// The files of all kernels, each of which is a family.
std::set<std::string> families();

// Runs all blocks; answers the first thing that went wrong, or nothing. One launch at a time.
std::string run(const Launch& launch);

} // namespace arcuate_emulation

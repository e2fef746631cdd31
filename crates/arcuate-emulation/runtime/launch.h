// Runs launches: blocks spread over worker threads.
#pragma once

#include "block.h"

#include <string>
#include <vector>

namespace arcuate_emulation {

// The kernel of that name, or null.
const Kernel* find_kernel(const std::string& name);

// All kernels that are here.
std::vector<const Kernel*> kernels();

// Runs all blocks; answers the first thing that went wrong, or nothing. One launch at a time.
std::string run(const Launch& launch);

} // namespace arcuate_emulation

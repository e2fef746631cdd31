// Runs launches: distributes the blocks over worker threads.
#pragma once

#include "block.h"

#include <string>
#include <vector>

namespace arcuate_emulation {

// Returns the kernel with this name, or null.
const Kernel* find_kernel(const std::string& name);

// Returns all kernels of the library.
std::vector<const Kernel*> kernels();

// Runs all blocks of a launch. Returns the first error message, or an empty string. Only one launch runs at a
// time.
std::string run(const Launch& launch);

} // namespace arcuate_emulation

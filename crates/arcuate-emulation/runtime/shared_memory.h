// Finds the static shared arrays of each kernel.
#pragma once

#include "registry.h"

namespace arcuate_emulation {

// Returns the number of bytes of the kernel's own `__shared__` arrays. Arrays of the device functions that it
// calls are not counted.
std::size_t static_shared_bytes(const Kernel* kernel);

// Fills the arrays of the kernel and of the device functions of its file with garbage, for the calling worker
// thread.
void fill_static_shared(const Kernel* kernel);

} // namespace arcuate_emulation

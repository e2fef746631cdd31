// Where the static shared arrays of each kernel lie.
#pragma once

#include "registry.h"

namespace arcuate_emulation {

// Bytes of the arrays that the kernel itself declares `__shared__`; those of device functions it calls are not counted.
std::size_t static_shared_bytes(const Kernel* kernel);

// Fills them, and those of the device functions of the kernel's file, with garbage, for the calling worker thread.
void fill_static_shared(const Kernel* kernel);

} // namespace arcuate_emulation

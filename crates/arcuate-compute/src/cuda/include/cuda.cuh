// Definitions that let kernels compile both for a GPU (NVRTC) and, in tests, as C++ for the CPU (arcuate-emulation).
#pragma once

// Declares the block's dynamic shared memory as an array `name` of `type`, aligned to 16 bytes. Several declarations in
// one kernel refer to the same memory, as on the GPU.
#ifdef ARCUATE_EMULATION
#define DYNAMIC_SHARED(type, name) type* const name = static_cast<type*>(arcuate_emulation::dynamic_shared())
#else
#define DYNAMIC_SHARED(type, name)                                                                                     \
    extern __shared__ __align__(16) unsigned char arcuate_dynamic_shared[];                                            \
    type* const name = reinterpret_cast<type*>(arcuate_dynamic_shared)
#endif

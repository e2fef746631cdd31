// Keywords of CUDA C++ as macros.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__
// A worker thread runs one block at a time, so a thread-local variable belongs to the block. The scheduler
// fills it with garbage before each block.
#define __shared__ static thread_local

#define threadIdx (arcuate_emulation::current().index)
#define blockIdx (arcuate_emulation::current().block_index())
#define blockDim (arcuate_emulation::current().block_size())
#define gridDim (arcuate_emulation::current().grid_size())
#define warpSize 32

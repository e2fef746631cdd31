// The words that CUDA C++ adds to C++.
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
// A block runs on one worker thread, one block at a time: what belongs to the worker belongs to the block. The scheduler
// fills it with garbage between blocks.
#define __shared__ static thread_local

#define threadIdx (arcuate_emulation::current().index)
#define blockIdx (arcuate_emulation::current().block_index())
#define blockDim (arcuate_emulation::current().block_size())
#define gridDim (arcuate_emulation::current().grid_size())
#define warpSize 32

// Prefix sums over the threads of a block.
#pragma once
#include "warp.cuh"

// Returns the sum of `value` over all threads of the block that precede this one. `total` becomes the sum over all
// THREADS threads of the block. All threads must call this function.
template <unsigned THREADS> __device__ __forceinline__ unsigned sum_before(unsigned value, unsigned* total)
{
    constexpr unsigned WARPS = THREADS / 32;
    __shared__ unsigned warps[WARPS];
    const unsigned lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
    unsigned inclusive = value;
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned other = __shfl_up_sync(ALL, inclusive, distance);
        if (lane >= distance) inclusive += other;
    }
    if (lane == 31) warps[warp] = inclusive;
    __syncthreads();
    unsigned before = inclusive - value, all = 0;
#pragma unroll
    for (unsigned other = 0; other < WARPS; ++other) {
        if (other < warp) before += warps[other];
        all += warps[other];
    }
    // All threads wait here, because the next call of this function writes to the shared array `warps` again.
    __syncthreads();
    *total = all;
    return before;
}

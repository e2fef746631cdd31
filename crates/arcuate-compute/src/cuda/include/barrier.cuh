// Barriers of some warps of a block, and of warps that run different code.
#pragma once

// Waits until `threads` threads of the block, a multiple of 32, have come to barrier `number`, 1 to 15, and sees what
// they wrote before they came. The barrier can be used again at once.
//
// __syncthreads is for all threads of a block at one place of the code. Here warps are counted, wherever in the code they
// are: the lanes of a warp that have not ended come together, at one place, and all warps give the same `threads`. (PTX
// ISA, "bar, barrier": `barrier.sync.aligned a, b` waits for all threads of its warp that have not exited, marks the
// warp's arrival at barrier a, and waits for b threads; all threads of a warp execute the same instruction. Barrier 0 is
// that of __syncthreads.)
#ifdef ARCUATE_EMULATION
#define barrier_sync(number, threads) ::arcuate_emulation::named_barrier(number, threads, ARCUATE_PLACE)
#else
__device__ __forceinline__ void barrier_sync(unsigned number, unsigned threads)
{
    asm volatile("barrier.sync.aligned %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
#endif

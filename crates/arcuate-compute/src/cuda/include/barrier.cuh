// Barriers for some of the warps of a block, and for warps that run different code.
#pragma once

// Waits until `threads` threads of the block, a multiple of 32, have arrived at barrier `number`, 1 to 15. All of
// these threads then see the values that they wrote before the barrier. The barrier can be reused at once.
//
// __syncthreads needs all threads of a block at one place of the code. This barrier counts warps, and the warps may be
// at different places of the code. The lanes of a warp that have not exited must arrive together, and all warps must
// pass the same `threads`. (PTX ISA, "bar, barrier": `barrier.sync.aligned a, b` waits for all threads of its warp that
// have not exited, marks the warp's arrival at barrier a, and waits for b threads. All threads of a warp execute the
// same instruction. Barrier 0 belongs to __syncthreads.)
#ifdef ARCUATE_EMULATION
#define barrier_sync(number, threads) ::arcuate_emulation::named_barrier(number, threads, ARCUATE_PLACE)
#else
__device__ __forceinline__ void barrier_sync(unsigned number, unsigned threads)
{
    asm volatile("barrier.sync.aligned %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
#endif

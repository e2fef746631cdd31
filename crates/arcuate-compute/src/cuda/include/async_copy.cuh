// Asynchronous copies from global to shared memory, and prefetches into the cache.
#pragma once

// Starts to copy 16 bytes from the address `global` to the address `shared`; both are aligned to 16 bytes. This thread
// can read the copy after `async_copy_wait`. The other threads of the block can read it after the next barrier. (Before
// compute capability 8.0 the copy is synchronous.)
__device__ __forceinline__ void async_copy_16(void* shared, const void* global)
{
#if defined(ARCUATE_EMULATION)
    arcuate_emulation::async_copy(shared, global, 16);
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(shared))),
                 "l"(global)
                 : "memory");
#else
    *static_cast<uint4*>(shared) = *static_cast<const uint4*>(global);
#endif
}

// Starts to copy 4 bytes from the address `global` to the address `shared`; both are aligned to 4 bytes. As with
// `async_copy_16`, this thread can read the copy after `async_copy_wait`.
__device__ __forceinline__ void async_copy_4(void* shared, const void* global)
{
#if defined(ARCUATE_EMULATION)
    arcuate_emulation::async_copy(shared, global, 4);
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(shared))),
                 "l"(global)
                 : "memory");
#else
    *static_cast<unsigned*>(shared) = *static_cast<const unsigned*>(global);
#endif
}

// Forms a group of all copies that this thread has started since the previous group.
__device__ __forceinline__ void async_copy_commit()
{
#if defined(ARCUATE_EMULATION)
    arcuate_emulation::async_copy_commit();
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all groups of copies of this thread are complete, except for the `PENDING` newest groups.
template <int PENDING>
__device__ __forceinline__ void async_copy_wait()
{
#if defined(ARCUATE_EMULATION)
    arcuate_emulation::async_copy_wait(PENDING);
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// Prefetches the 128 bytes around the address `global` into the L2 cache.
__device__ __forceinline__ void prefetch_l2(const void* global)
{
#if defined(ARCUATE_EMULATION)
    static_cast<void>(global);
#else
    asm volatile("prefetch.global.L2 [%0];" ::"l"(global));
#endif
}

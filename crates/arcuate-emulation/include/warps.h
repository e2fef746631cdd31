// CUDA's barriers, shuffles, votes, matches and reductions.
#pragma once

#include "threads.h"

namespace arcuate_emulation {

// Returns the value of the source lane, or the lane's own value if the source is outside its segment of
// `width` lanes.
template <class T>
T shuffle(unsigned mask, T value, unsigned source, bool inside)
{
    Gathered given(Exchange::shuffle, mask, value);
    return inside ? given.from<T>(source) : value;
}

template <class T, class Combine>
T reduce(unsigned mask, T value, Combine combine)
{
    Gathered given(Exchange::reduce, mask, value);
    bool first = true;
    T sum{};
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if (given.lanes() >> lane & 1) {
            sum = first ? given.from<T>(lane) : combine(sum, given.from<T>(lane));
            first = false;
        }
    }
    return sum;
}

} // namespace arcuate_emulation

// Barriers are macros, so that each one knows its place in the code.
#define ARCUATE_BARRIER(kind, predicate)                                                                               \
    ::arcuate_emulation::barrier(::arcuate_emulation::Barrier::kind, predicate, ARCUATE_PLACE)
#define __syncthreads() static_cast<void>(ARCUATE_BARRIER(plain, 0))
#define __syncthreads_count(predicate) ARCUATE_BARRIER(count, predicate)
#define __syncthreads_and(predicate) ARCUATE_BARRIER(all, predicate)
#define __syncthreads_or(predicate) ARCUATE_BARRIER(any, predicate)
inline void __syncwarp(unsigned mask = 0xffffffffu)
{
    arcuate_emulation::Gathered(arcuate_emulation::Exchange::synchronise, mask, '\0');
}
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __nanosleep(unsigned) { arcuate_emulation::give_way(); }
[[noreturn]] inline void __trap() { arcuate_emulation::trap("the kernel trapped"); }

// Here lanes run one after another, so only the calling lane is reported as active. A GPU may report the
// same.
inline unsigned __activemask() { return 1u << arcuate_emulation::current().lane(); }

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32)
{
    const unsigned lane = arcuate_emulation::current().lane(), inner = static_cast<unsigned>(width) - 1;
    return arcuate_emulation::shuffle(mask, value, (lane & ~inner) | (static_cast<unsigned>(source) & inner), true);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const unsigned lane = arcuate_emulation::current().lane(), inner = static_cast<unsigned>(width) - 1;
    return arcuate_emulation::shuffle(mask, value, lane - delta, delta <= (lane & inner));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const unsigned lane = arcuate_emulation::current().lane(), inner = static_cast<unsigned>(width) - 1;
    return arcuate_emulation::shuffle(mask, value, lane + delta, delta <= inner - (lane & inner));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32)
{
    const unsigned lane = arcuate_emulation::current().lane(), inner = static_cast<unsigned>(width) - 1;
    const unsigned source = lane ^ static_cast<unsigned>(bits);
    return arcuate_emulation::shuffle(mask, value, source, source <= (lane | inner));
}

inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    using namespace arcuate_emulation;
    Gathered given(Exchange::vote, mask, predicate);
    unsigned votes = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if ((given.lanes() >> lane & 1) != 0 && given.from<int>(lane) != 0) votes |= 1u << lane;
    }
    return votes;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate == 0) == 0; }

template <class T>
unsigned __match_any_sync(unsigned mask, T value)
{
    using namespace arcuate_emulation;
    Gathered given(Exchange::match, mask, value);
    unsigned equal = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if ((given.lanes() >> lane & 1) != 0 && given.from<T>(lane) == value) equal |= 1u << lane;
    }
    return equal;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all)
{
    using namespace arcuate_emulation;
    Gathered given(Exchange::match, mask, value);
    *all = 1;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if ((given.lanes() >> lane & 1) != 0 && !(given.from<T>(lane) == value)) *all = 0;
    }
    return *all != 0 ? given.lanes() : 0;
}

template <class T>
T __reduce_add_sync(unsigned mask, T value)
{
    return arcuate_emulation::reduce(mask, value, [](T a, T b) { return static_cast<T>(a + b); });
}
template <class T>
T __reduce_min_sync(unsigned mask, T value)
{
    return arcuate_emulation::reduce(mask, value, [](T a, T b) { return b < a ? b : a; });
}
template <class T>
T __reduce_max_sync(unsigned mask, T value)
{
    return arcuate_emulation::reduce(mask, value, [](T a, T b) { return a < b ? b : a; });
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value)
{
    return arcuate_emulation::reduce(mask, value, [](unsigned a, unsigned b) { return a & b; });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value)
{
    return arcuate_emulation::reduce(mask, value, [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value)
{
    return arcuate_emulation::reduce(mask, value, [](unsigned a, unsigned b) { return a ^ b; });
}

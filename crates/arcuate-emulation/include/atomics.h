// Atomic operations on global and shared memory. Like CUDA's they are relaxed.
#pragma once

#include "threads.h"

#include <cstring>

namespace arcuate_emulation {

template <class T>
struct Same {
    using Type = T;
};

// `update` gives the new value for the old one; answers the old one.
template <class T, class Update>
T change(T* place, Update update)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 2, "a GPU has no atomics of this size");
    pause();
    T old;
    __atomic_load(place, &old, __ATOMIC_RELAXED);
    for (;;) {
        T now = update(old);
        if (__atomic_compare_exchange(place, &old, &now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
    }
}

} // namespace arcuate_emulation

// The second operand converts to the type of the place, as with CUDA's overloads.
#define ARCUATE_ATOMIC(name, expression)                                                                               \
    template <class T>                                                                                                 \
    T name(T* place, typename arcuate_emulation::Same<T>::Type value)                                                  \
    {                                                                                                                  \
        return arcuate_emulation::change(place, [value](T old) -> T { return expression; });                           \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    T name##_block(T* place, typename arcuate_emulation::Same<T>::Type value)                                          \
    {                                                                                                                  \
        return name(place, value);                                                                                     \
    }

// Integer sums wrap around on the GPU; here they go through unsigned arithmetic, which may.
namespace arcuate_emulation {
template <class T>
T wrapping_sum(T a, T b)
{
    return a + b;
}
template <>
inline int wrapping_sum(int a, int b)
{
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
} // namespace arcuate_emulation

ARCUATE_ATOMIC(atomicAdd, arcuate_emulation::wrapping_sum(old, value))
ARCUATE_ATOMIC(atomicSub, arcuate_emulation::wrapping_sum(old, static_cast<T>(T{} - value)))
ARCUATE_ATOMIC(atomicMax, old < value ? value : old)
ARCUATE_ATOMIC(atomicMin, value < old ? value : old)
ARCUATE_ATOMIC(atomicAnd, old & value)
ARCUATE_ATOMIC(atomicOr, old | value)
ARCUATE_ATOMIC(atomicXor, old ^ value)
ARCUATE_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
ARCUATE_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
ARCUATE_ATOMIC(atomicExch, ((void)old, value))
#undef ARCUATE_ATOMIC

template <class T>
T atomicCAS(T* place, typename arcuate_emulation::Same<T>::Type compare, typename arcuate_emulation::Same<T>::Type value)
{
    return arcuate_emulation::change(place, [=](T old) -> T { return old == compare ? value : old; });
}

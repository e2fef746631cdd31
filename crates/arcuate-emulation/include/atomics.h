// Atomic operations on global and shared memory. They are relaxed, like CUDA's.
#pragma once

#include "threads.h"

#include <type_traits>

namespace arcuate_emulation {

// True if T is one of `Types`, the types that CUDA's overloads of a function accept at compute capability
// 7.5.
template <class T, class... Types>
constexpr bool one_of = (std::is_same_v<T, Types> || ...);

template <class T>
constexpr bool word = one_of<T, int, unsigned, unsigned long long>;

// Result and operand type of an overload: the type of the memory, if such an overload exists. The second
// operand is converted to it, as in CUDA.
template <bool EXISTS, class T>
using Overload = std::enable_if_t<EXISTS, T>;

// Replaces a value by `update(value)` atomically. Returns the old value.
template <class T, class Update>
T change(T* place, Update update)
{
    pause();
    T old;
    __atomic_load(place, &old, __ATOMIC_RELAXED);
    for (;;) {
        T now = update(old);
        if (__atomic_compare_exchange(place, &old, &now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
    }
}

// Integer sums wrap around on the GPU. Here they use unsigned arithmetic, which wraps around without
// undefined behaviour.
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

#define ARCUATE_ATOMIC(name, exists, expression)                                                                       \
    template <class T>                                                                                                 \
    arcuate_emulation::Overload<(exists), T> name(T* place, arcuate_emulation::Overload<(exists), T> value)            \
    {                                                                                                                  \
        return arcuate_emulation::change(place, [value](T old) -> T { return expression; });                           \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    arcuate_emulation::Overload<(exists), T> name##_block(T* place, arcuate_emulation::Overload<(exists), T> value)    \
    {                                                                                                                  \
        return name(place, value);                                                                                     \
    }

ARCUATE_ATOMIC(atomicAdd, (arcuate_emulation::one_of<T, int, unsigned, unsigned long long, float, double>),
               arcuate_emulation::wrapping_sum(old, value))
ARCUATE_ATOMIC(atomicSub, (arcuate_emulation::one_of<T, int, unsigned>),
               arcuate_emulation::wrapping_sum(old, static_cast<T>(T{} - value)))
ARCUATE_ATOMIC(atomicMax, (arcuate_emulation::word<T> || std::is_same_v<T, long long>), old < value ? value : old)
ARCUATE_ATOMIC(atomicMin, (arcuate_emulation::word<T> || std::is_same_v<T, long long>), value < old ? value : old)
ARCUATE_ATOMIC(atomicAnd, arcuate_emulation::word<T>, old & value)
ARCUATE_ATOMIC(atomicOr, arcuate_emulation::word<T>, old | value)
ARCUATE_ATOMIC(atomicXor, arcuate_emulation::word<T>, old ^ value)
ARCUATE_ATOMIC(atomicInc, (std::is_same_v<T, unsigned>), old >= value ? 0 : old + 1)
ARCUATE_ATOMIC(atomicDec, (std::is_same_v<T, unsigned>), old == 0 || old > value ? value : old - 1)
ARCUATE_ATOMIC(atomicExch, (arcuate_emulation::word<T> || std::is_same_v<T, float>), ((void)old, value))
#undef ARCUATE_ATOMIC

// atomicCAS also accepts 16-bit types, unlike the other functions.
template <class T>
arcuate_emulation::Overload<arcuate_emulation::word<T> || std::is_same_v<T, unsigned short>, T> atomicCAS(
    T* place, std::common_type_t<T> compare, std::common_type_t<T> value)
{
    return arcuate_emulation::change(place, [=](T old) -> T { return old == compare ? value : old; });
}

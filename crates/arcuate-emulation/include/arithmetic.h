// CUDA's arithmetic: bit operations, conversions, exactly rounded operations, and functions that C++ lacks.
//
// Kernels are compiled without contraction, here and for the GPU. A product and a sum are therefore rounded
// separately unless the code calls fma. Functions such as sinf or expf are those of the C library and differ
// from a GPU's in the last bits.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <math.h>
#include <time.h>
#include <type_traits>

namespace arcuate_emulation {

template <class To, class From>
To same_bits(From value)
{
    static_assert(sizeof(To) == sizeof(From), "the types differ in size");
    To result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}

template <class A, class B>
using CommonNumber =
    std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, std::common_type_t<A, B>>;

// Converts a whole number to an integer as the GPU does. Numbers beyond the range become the nearest limit.
// NaN becomes 0, or in 64-bit integers the value with only the top bit set.
template <class Integer, class Real>
Integer to_integer(Real whole)
{
    using Limits = std::numeric_limits<Integer>;
    if (whole != whole) return sizeof(Integer) == 8 ? static_cast<Integer>(1ull << 63) : Integer(0);
    if (whole >= std::ldexp(Real(1), Limits::digits)) return Limits::max();
    if (whole < static_cast<Real>(Limits::min())) return Limits::min();
    return static_cast<Integer>(whole);
}

// Computes sin(πx) and cos(πx) with exact reduction of the argument.
template <class Real>
void sine_cosine_of_pi(Real x, Real* sine, Real* cosine)
{
    const double reduced = std::remainder(static_cast<double>(x), 2.0), quarter = std::nearbyint(2.0 * reduced);
    const double rest = (reduced - 0.5 * quarter) * 3.14159265358979323846;
    const double s = std::sin(rest), c = std::cos(rest);
    switch (static_cast<int>(quarter) & 3) {
    case 0: *sine = static_cast<Real>(s), *cosine = static_cast<Real>(c); break;
    case 1: *sine = static_cast<Real>(c), *cosine = static_cast<Real>(-s); break;
    case 2: *sine = static_cast<Real>(-s), *cosine = static_cast<Real>(-c); break;
    default: *sine = static_cast<Real>(-c), *cosine = static_cast<Real>(s);
    }
}

} // namespace arcuate_emulation

// If one operand is NaN, min and max return the other one, as on the GPU.
template <class A, class B>
arcuate_emulation::CommonNumber<A, B> min(A a, B b)
{
    using T = arcuate_emulation::CommonNumber<A, B>;
    if constexpr (std::is_floating_point_v<T>) return std::fmin(static_cast<T>(a), static_cast<T>(b));
    else return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
arcuate_emulation::CommonNumber<A, B> max(A a, B b)
{
    using T = arcuate_emulation::CommonNumber<A, B>;
    if constexpr (std::is_floating_point_v<T>) return std::fmax(static_cast<T>(a), static_cast<T>(b));
    else return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
inline unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }

// ---- bits

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x)
{
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1u) << (31 - bit);
    return reversed;
}
inline unsigned long long __brevll(unsigned long long x)
{
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 | __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    const unsigned long long bytes = static_cast<unsigned long long>(high) << 32 | low;
    unsigned result = 0;
    for (unsigned at = 0; at < 4; ++at) {
        result |= static_cast<unsigned>(bytes >> (8 * (selector >> (4 * at) & 7u)) & 0xffu) << (8 * at);
    }
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31u) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31u));
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(1ull * a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return static_cast<long long>(static_cast<__int128>(a) * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

inline float __int_as_float(int x) { return arcuate_emulation::same_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return arcuate_emulation::same_bits<float>(x); }
inline int __float_as_int(float x) { return arcuate_emulation::same_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return arcuate_emulation::same_bits<unsigned>(x); }
inline double __longlong_as_double(long long x) { return arcuate_emulation::same_bits<double>(x); }
inline long long __double_as_longlong(double x) { return arcuate_emulation::same_bits<long long>(x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low)
{
    return __longlong_as_double(static_cast<long long>(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                                                       static_cast<unsigned>(low)));
}

// ---- conversions

#define ARCUATE_TO_INTEGER(real, Real, integer, Integer)                                                               \
    inline Integer __##real##2##integer##_rn(Real x) { return arcuate_emulation::to_integer<Integer>(std::nearbyint(x)); } \
    inline Integer __##real##2##integer##_rz(Real x) { return arcuate_emulation::to_integer<Integer>(std::trunc(x)); } \
    inline Integer __##real##2##integer##_rd(Real x) { return arcuate_emulation::to_integer<Integer>(std::floor(x)); } \
    inline Integer __##real##2##integer##_ru(Real x) { return arcuate_emulation::to_integer<Integer>(std::ceil(x)); }
#define ARCUATE_CONVERT(integer, Integer)                                                                              \
    ARCUATE_TO_INTEGER(float, float, integer, Integer)                                                                 \
    ARCUATE_TO_INTEGER(double, double, integer, Integer)                                                               \
    inline float __##integer##2float_rn(Integer x) { return static_cast<float>(x); }                                   \
    inline double __##integer##2double_rn(Integer x) { return static_cast<double>(x); }
ARCUATE_CONVERT(int, int)
ARCUATE_CONVERT(uint, unsigned)
ARCUATE_CONVERT(ll, long long)
ARCUATE_CONVERT(ull, unsigned long long)
#undef ARCUATE_CONVERT
#undef ARCUATE_TO_INTEGER
inline float __double2float_rn(double x) { return static_cast<float>(x); }

// ---- exactly rounded operations

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

// ---- functions

inline float rsqrtf(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return static_cast<float>(1.0 / std::cbrt(static_cast<double>(x))); }
inline void sincospif(float x, float* s, float* c) { arcuate_emulation::sine_cosine_of_pi(x, s, c); }
inline void sincospi(double x, double* s, double* c) { arcuate_emulation::sine_cosine_of_pi(x, s, c); }
#define ARCUATE_OF_PI(name, Real, answer)                                                                              \
    inline Real name(Real x)                                                                                           \
    {                                                                                                                  \
        Real sine, cosine;                                                                                             \
        arcuate_emulation::sine_cosine_of_pi(x, &sine, &cosine);                                                       \
        return answer;                                                                                                 \
    }
ARCUATE_OF_PI(sinpif, float, sine)
ARCUATE_OF_PI(cospif, float, cosine)
ARCUATE_OF_PI(sinpi, double, sine)
ARCUATE_OF_PI(cospi, double, cosine)
#undef ARCUATE_OF_PI
inline float norm3df(float x, float y, float z) { return std::hypot(x, y, z); }
inline double norm3d(double x, double y, double z) { return std::hypot(x, y, z); }
inline float normcdff(float x) { return 0.5f * std::erfc(-x * 0.70710678118654752440f); }
inline double normcdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

// Replacements of the GPU's fast approximations. Here they are as accurate as the C library.
inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return ::exp10f(x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline void __sincosf(float x, float* sine, float* cosine) { ::sincosf(x, sine, cosine); }

// ---- memory and time

template <class T>
T __ldg(const T* place)
{
    return *place;
}
template <class T>
T __ldcs(const T* place)
{
    return *place;
}
template <class T>
T __ldcg(const T* place)
{
    return *place;
}
template <class T>
void __stcs(T* place, T value)
{
    *place = value;
}
inline long long clock64()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

// Floating-point operations. Each one rounds to nearest once and keeps subnormal numbers.

#include "lanes.h"

#include "arithmetic.h"

#include <cmath>

namespace arcuate_emulation::ptx {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// The GPU has only one 32-bit NaN. Its 64-bit NaNs equal those of the processor unless several NaNs meet.
float settled(float x) { return x == x ? x : same_bits<float>(0x7fffffffu); }
double settled(double x) { return x; }

template <class T> T sum(T a, T b) { return settled(a + b); }
template <class T> T difference(T a, T b) { return settled(a - b); }
template <class T> T product(T a, T b) { return settled(a * b); }
template <class T> T quotient(T a, T b) { return settled(a / b); }
template <class T> T root(T a) { return settled(std::sqrt(a)); }
template <class T> T reciprocal(T a) { return settled(T(1) / a); }
template <class T> T negative(T a) { return settled(-a); }
template <class T> T magnitude(T a) { return settled(std::fabs(a)); }
float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T> T multiply_add(T a, T b, T c) { return settled(fused(a, b, c)); }
float power_of_two(float a) { return settled(std::exp2(a)); }

// Returns the smaller number. If one argument is NaN, returns the other; -0 is smaller than 0. Only zeros can
// be equal with different bits.
template <class T>
T least(T a, T b)
{
    const T both = same_bits<T>(static_cast<Bits<T>>(same_bits<Bits<T>>(a) | same_bits<Bits<T>>(b)));
    const T number = a < b ? a : b < a ? b : both;
    return a != a ? settled(b) : b != b ? a : number;
}
template <class T>
T greatest(T a, T b)
{
    const T both = same_bits<T>(static_cast<Bits<T>>(same_bits<Bits<T>>(a) & same_bits<Bits<T>>(b)));
    const T number = a > b ? a : b > a ? b : both;
    return a != a ? settled(b) : b != b ? a : number;
}

// With NaN, ordered comparisons are false and unordered comparisons are true.
template <class T> bool equal(T a, T b) { return a == b; }
template <class T> bool different(T a, T b) { return (a < b) | (a > b); }
template <class T> bool less(T a, T b) { return a < b; }
template <class T> bool at_most(T a, T b) { return a <= b; }
template <class T> bool greater(T a, T b) { return a > b; }
template <class T> bool at_least(T a, T b) { return a >= b; }
template <class T> bool equal_or_nan(T a, T b) { return !((a < b) | (a > b)); }
template <class T> bool different_or_nan(T a, T b) { return a != b; }
template <class T> bool less_or_nan(T a, T b) { return !(a >= b); }
template <class T> bool at_most_or_nan(T a, T b) { return !(a > b); }
template <class T> bool greater_or_nan(T a, T b) { return !(a <= b); }
template <class T> bool at_least_or_nan(T a, T b) { return !(a < b); }
template <class T> bool are_numbers(T a, T b) { return (a == a) & (b == b); }
template <class T> bool is_nan(T a, T b) { return (a != a) | (b != b); }

template <class T>
void add_forms_of(Forms& forms, const std::string& type)
{
    // Without `.rn` the assembler may fuse a product and a sum, so only the forms with `.rn` are accepted.
    forms["add.rn" + type] = OnLanes<sum<T>>::form();
    forms["sub.rn" + type] = OnLanes<difference<T>>::form();
    forms["mul.rn" + type] = OnLanes<product<T>>::form();
    forms["div.rn" + type] = OnLanes<quotient<T>>::form();
    forms["sqrt.rn" + type] = OnLanes<root<T>>::form();
    forms["rcp.rn" + type] = OnLanes<reciprocal<T>>::form();
    forms["fma.rn" + type] = OnLanes<multiply_add<T>>::form();
    forms["neg" + type] = OnLanes<negative<T>>::form();
    forms["abs" + type] = OnLanes<magnitude<T>>::form();
    forms["min" + type] = OnLanes<least<T>>::form();
    forms["max" + type] = OnLanes<greatest<T>>::form();
    forms["setp.eq" + type] = OnLanes<equal<T>>::form();
    forms["setp.ne" + type] = OnLanes<different<T>>::form();
    forms["setp.lt" + type] = OnLanes<less<T>>::form();
    forms["setp.le" + type] = OnLanes<at_most<T>>::form();
    forms["setp.gt" + type] = OnLanes<greater<T>>::form();
    forms["setp.ge" + type] = OnLanes<at_least<T>>::form();
    forms["setp.equ" + type] = OnLanes<equal_or_nan<T>>::form();
    forms["setp.neu" + type] = OnLanes<different_or_nan<T>>::form();
    forms["setp.ltu" + type] = OnLanes<less_or_nan<T>>::form();
    forms["setp.leu" + type] = OnLanes<at_most_or_nan<T>>::form();
    forms["setp.gtu" + type] = OnLanes<greater_or_nan<T>>::form();
    forms["setp.geu" + type] = OnLanes<at_least_or_nan<T>>::form();
    forms["setp.num" + type] = OnLanes<are_numbers<T>>::form();
    forms["setp.nan" + type] = OnLanes<is_nan<T>>::form();
}

} // namespace

void add_real_forms(Forms& forms)
{
    add_forms_of<float>(forms, ".f32");
    add_forms_of<double>(forms, ".f64");
    forms["ex2.approx.f32"] = OnLanes<power_of_two>::form();
}

} // namespace arcuate_emulation::ptx

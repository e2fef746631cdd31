// Conversions between types of numbers. Conversions to a narrower integer keep the low bits. Conversions of
// real numbers to integers are limited to the range of the integer.

#include "lanes.h"

#include "arithmetic.h"

#include <cmath>
#include <type_traits>

namespace arcuate_emulation::ptx {
namespace {

// Type of a narrow integer in a register, which has 32 bits of which only the low ones count.
template <class T>
using Held = std::conditional_t<sizeof(T) >= 4, T, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;

template <class To, class From>
Held<To> integer_of_integer(Held<From> value)
{
    return static_cast<Held<To>>(static_cast<To>(static_cast<From>(value)));
}

template <class To, class From>
To nearest(Held<From> value)
{
    return static_cast<To>(static_cast<From>(value));
}

// Rounds towards zero: takes the nearest number, or its neighbour if the nearest one is farther from zero.
// The comparison is exact, because it uses integers or numbers with more digits.
template <class To, class From>
To towards_zero(Held<From> held)
{
    const From value = static_cast<From>(held);
    const To found = static_cast<To>(value);
    bool too_far;
    if constexpr (std::is_integral_v<From>) {
        const auto back = static_cast<__int128>(found);
        too_far = value >= 0 ? back > value : back < value;
    } else {
        too_far = std::fabs(static_cast<From>(found)) > std::fabs(value);
    }
    return too_far ? std::nextafter(found, To(0)) : found;
}

// Rounds to a whole number. All 32-bit NaNs become one NaN, as in arithmetic.
template <float (*ROUND)(float)>
float whole(float x)
{
    return x == x ? ROUND(x) : same_bits<float>(0x7fffffffu);
}
template <double (*ROUND)(double)>
double whole(double x)
{
    return ROUND(x);
}

template <class T> T to_nearest_whole(T x) { return std::nearbyint(x); }
template <class T> T to_zero(T x) { return std::trunc(x); }
template <class T> T downwards(T x) { return std::floor(x); }
template <class T> T upwards(T x) { return std::ceil(x); }

// NaN becomes 0, or the integer with only the highest bit set if the real number or the integer has 64 bits.
template <class To, class From, From (*ROUND)(From)>
Held<To> integer_of_real(From value)
{
    const To nearest = to_integer<To>(ROUND(value));
    const bool top_bit = sizeof(From) == 8 && value != value;
    return static_cast<Held<To>>(top_bit ? static_cast<To>(std::uint64_t(1) << (8 * sizeof(To) - 1)) : nearest);
}

struct Integers {
    template <class To, class From>
    static void add(Forms& forms, const std::string& to, const std::string& from)
    {
        forms["cvt" + to + from] = OnLanes<integer_of_integer<To, From>>::form();
    }
};

struct IntegersOfReals {
    template <class To, class From>
    static void add(Forms& forms, const std::string& to, const std::string& from)
    {
        forms["cvt.rni" + to + from] = OnLanes<integer_of_real<To, From, to_nearest_whole<From>>>::form();
        forms["cvt.rzi" + to + from] = OnLanes<integer_of_real<To, From, to_zero<From>>>::form();
        forms["cvt.rmi" + to + from] = OnLanes<integer_of_real<To, From, downwards<From>>>::form();
        forms["cvt.rpi" + to + from] = OnLanes<integer_of_real<To, From, upwards<From>>>::form();
    }
};

struct RealsOfIntegers {
    template <class To, class From>
    static void add(Forms& forms, const std::string& to, const std::string& from)
    {
        forms["cvt.rn" + to + from] = OnLanes<nearest<To, From>>::form();
        forms["cvt.rz" + to + from] = OnLanes<towards_zero<To, From>>::form();
    }
};

// Calls `Pairs::add` for each integer type, as the first or the second type of a conversion.
template <class Pairs, class Other, bool INTEGER_FIRST>
void with_integers(Forms& forms, const std::string& other)
{
    const auto add = [&](auto integer, const std::string& name) {
        using Integer = decltype(integer);
        if constexpr (INTEGER_FIRST) Pairs::template add<Integer, Other>(forms, name, other);
        else Pairs::template add<Other, Integer>(forms, other, name);
    };
    add(std::uint8_t(), ".u8");
    add(std::int8_t(), ".s8");
    add(std::uint16_t(), ".u16");
    add(std::int16_t(), ".s16");
    add(std::uint32_t(), ".u32");
    add(std::int32_t(), ".s32");
    add(std::uint64_t(), ".u64");
    add(std::int64_t(), ".s64");
}

template <class T>
void add_whole_numbers(Forms& forms, const std::string& type)
{
    forms["cvt.rni" + type + type] = OnLanes<whole<to_nearest_whole<T>>>::form();
    forms["cvt.rzi" + type + type] = OnLanes<whole<to_zero<T>>>::form();
    forms["cvt.rmi" + type + type] = OnLanes<whole<downwards<T>>>::form();
    forms["cvt.rpi" + type + type] = OnLanes<whole<upwards<T>>>::form();
}

} // namespace

void add_conversion_forms(Forms& forms)
{
    with_integers<Integers, std::uint8_t, true>(forms, ".u8");
    with_integers<Integers, std::int8_t, true>(forms, ".s8");
    with_integers<Integers, std::uint16_t, true>(forms, ".u16");
    with_integers<Integers, std::int16_t, true>(forms, ".s16");
    with_integers<Integers, std::uint32_t, true>(forms, ".u32");
    with_integers<Integers, std::int32_t, true>(forms, ".s32");
    with_integers<Integers, std::uint64_t, true>(forms, ".u64");
    with_integers<Integers, std::int64_t, true>(forms, ".s64");
    with_integers<IntegersOfReals, float, true>(forms, ".f32");
    with_integers<IntegersOfReals, double, true>(forms, ".f64");
    with_integers<RealsOfIntegers, float, false>(forms, ".f32");
    with_integers<RealsOfIntegers, double, false>(forms, ".f64");
    add_whole_numbers<float>(forms, ".f32");
    add_whole_numbers<double>(forms, ".f64");
    forms["cvt.f64.f32"] = OnLanes<nearest<double, float>>::form();
    forms["cvt.rn.f32.f64"] = OnLanes<nearest<float, double>>::form();
    forms["cvt.rz.f32.f64"] = OnLanes<towards_zero<float, double>>::form();
}

} // namespace arcuate_emulation::ptx

// Integers, bits, predicates, selections and copies. Arithmetic wraps around.

#include "lanes.h"

#include <type_traits>

namespace arcuate_emulation::ptx {
namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Twice = std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, s64, u64>,
                                 std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>;
template <class T>
constexpr unsigned width = 8 * sizeof(T);

template <class T> T sum(T a, T b) { return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b)); }
template <class T> T difference(T a, T b) { return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b)); }
template <class T> T product(T a, T b) { return static_cast<T>(Unsigned<T>(a) * Unsigned<T>(b)); }
template <class T> T high_product(T a, T b) { return static_cast<T>(static_cast<Twice<T>>(a) * b >> width<T>); }
template <class T> Twice<T> wide_product(T a, T b) { return static_cast<Twice<T>>(a) * b; }
template <class T> T multiply_add(T a, T b, T c) { return sum(product(a, b), c); }
template <class T> Twice<T> wide_multiply_add(T a, T b, Twice<T> c) { return sum(wide_product(a, b), c); }
template <class T> T negative(T a) { return static_cast<T>(Unsigned<T>(0) - Unsigned<T>(a)); }
template <class T> T magnitude(T a) { return a < 0 ? negative(a) : a; }
template <class T> T least(T a, T b) { return b < a ? b : a; }
template <class T> T greatest(T a, T b) { return a < b ? b : a; }

// PTX does not define the result of a division by zero. Here all bits are set, as on the GPU.
template <class T>
T quotient(T a, T b)
{
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return negative(a);
    return a / b;
}
template <class T>
T remainder(T a, T b)
{
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return a % b;
}

template <class T> T both(T a, T b) { return a & b; }
template <class T> T either(T a, T b) { return a | b; }
template <class T> T one_of_two(T a, T b) { return a ^ b; }
template <class T> T opposite(T a) { return ~a; }

// Shifts by the width or more give 0, or copies of the sign bit.
template <class T> T shifted_left(T a, u32 by) { return by < width<T> ? a << (by & (width<T> - 1)) : 0; }
template <class T>
T shifted_right(T a, u32 by)
{
    if constexpr (std::is_signed_v<T>) return a >> (by < width<T> ? by : width<T> - 1);
    else return by < width<T> ? a >> (by & (width<T> - 1)) : 0;
}

u32 set_bits(u32 a) { return static_cast<u32>(__builtin_popcount(a)); }
u32 leading_zeros(u32 a) { return a == 0 ? 32 : static_cast<u32>(__builtin_clz(a)); }

template <class T> bool equal(T a, T b) { return a == b; }
template <class T> bool different(T a, T b) { return a != b; }
template <class T> bool less(T a, T b) { return a < b; }
template <class T> bool at_most(T a, T b) { return a <= b; }
template <class T> bool greater(T a, T b) { return a > b; }
template <class T> bool at_least(T a, T b) { return a >= b; }

template <class T> T chosen(T a, T b, bool first) { return first ? a : b; }
template <class T> T same(T a) { return a; }

// A predicate has one bit for each lane.
template <Mask (*FUNCTION)(Mask, Mask)>
void of_predicates(const Instruction& instruction, Warp& warp, Mask lanes)
{
    std::uint32_t& out = *warp.words(2 * instruction.result);
    out = (out & ~lanes) | (FUNCTION(*warp.words(instruction.a), *warp.words(instruction.b)) & lanes);
}
Mask opposite_of(Mask a, Mask) { return ~a; }
Mask same_as(Mask a, Mask) { return a; }

template <Mask (*FUNCTION)(Mask, Mask)>
Form predicate_form(unsigned char operands)
{
    Form form;
    form.operation = of_predicates<FUNCTION>;
    form.result = form.operands[0] = form.operands[1] = Type::pred;
    form.operand_count = operands;
    return form;
}

template <class T>
void add_arithmetic(Forms& forms, const std::string& type)
{
    forms["add" + type] = OnLanes<sum<T>>::form();
    forms["sub" + type] = OnLanes<difference<T>>::form();
    forms["mul.lo" + type] = OnLanes<product<T>>::form();
    forms["mul.hi" + type] = OnLanes<high_product<T>>::form();
    forms["mad.lo" + type] = OnLanes<multiply_add<T>>::form();
    forms["div" + type] = OnLanes<quotient<T>>::form();
    forms["rem" + type] = OnLanes<remainder<T>>::form();
    forms["min" + type] = OnLanes<least<T>>::form();
    forms["max" + type] = OnLanes<greatest<T>>::form();
    forms["shr" + type] = OnLanes<shifted_right<T>>::form();
    forms["setp.eq" + type] = OnLanes<equal<T>>::form();
    forms["setp.ne" + type] = OnLanes<different<T>>::form();
    if constexpr (sizeof(T) == 4) {
        forms["mul.wide" + type] = OnLanes<wide_product<T>>::form();
        forms["mad.wide" + type] = OnLanes<wide_multiply_add<T>>::form();
    }
    if constexpr (std::is_signed_v<T>) {
        forms["neg" + type] = OnLanes<negative<T>>::form();
        forms["abs" + type] = OnLanes<magnitude<T>>::form();
    } else {
        forms["setp.lo" + type] = OnLanes<less<T>>::form();
        forms["setp.ls" + type] = OnLanes<at_most<T>>::form();
        forms["setp.hi" + type] = OnLanes<greater<T>>::form();
        forms["setp.hs" + type] = OnLanes<at_least<T>>::form();
    }
    forms["setp.lt" + type] = OnLanes<less<T>>::form();
    forms["setp.le" + type] = OnLanes<at_most<T>>::form();
    forms["setp.gt" + type] = OnLanes<greater<T>>::form();
    forms["setp.ge" + type] = OnLanes<at_least<T>>::form();
}

template <class T>
void add_bits(Forms& forms, const std::string& type)
{
    forms["and" + type] = OnLanes<both<T>>::form();
    forms["or" + type] = OnLanes<either<T>>::form();
    forms["xor" + type] = OnLanes<one_of_two<T>>::form();
    forms["not" + type] = OnLanes<opposite<T>>::form();
    forms["shl" + type] = OnLanes<shifted_left<T>>::form();
    forms["shr" + type] = OnLanes<shifted_right<T>>::form();
    forms["setp.eq" + type] = OnLanes<equal<T>>::form();
    forms["setp.ne" + type] = OnLanes<different<T>>::form();
}

// Copies and selections do not depend on the type, so one function for each width serves all types.
template <class T>
void add_copies(Forms& forms, const std::string& name, Type type)
{
    Form move = OnLanes<same<T>>::form(), choice = OnLanes<chosen<T>>::form();
    move.shape = Shape::move;
    move.result = move.operands[0] = type;
    choice.result = choice.operands[0] = choice.operands[1] = type;
    forms["mov" + name] = move;
    forms["selp" + name] = choice;
}

} // namespace

void add_integer_forms(Forms& forms)
{
    add_arithmetic<u32>(forms, ".u32");
    add_arithmetic<s32>(forms, ".s32");
    add_arithmetic<u64>(forms, ".u64");
    add_arithmetic<s64>(forms, ".s64");
    add_bits<u32>(forms, ".b32");
    add_bits<u64>(forms, ".b64");
    add_copies<u32>(forms, ".b32", Type::b32);
    add_copies<u32>(forms, ".u32", Type::u32);
    add_copies<u32>(forms, ".s32", Type::s32);
    add_copies<u32>(forms, ".f32", Type::f32);
    add_copies<u64>(forms, ".b64", Type::b64);
    add_copies<u64>(forms, ".u64", Type::u64);
    add_copies<u64>(forms, ".s64", Type::s64);
    add_copies<u64>(forms, ".f64", Type::f64);
    forms["popc.b32"] = OnLanes<set_bits>::form();
    forms["clz.b32"] = OnLanes<leading_zeros>::form();
    forms["and.pred"] = predicate_form<both<Mask>>(2);
    forms["or.pred"] = predicate_form<either<Mask>>(2);
    forms["xor.pred"] = predicate_form<one_of_two<Mask>>(2);
    forms["not.pred"] = predicate_form<opposite_of>(1);
    forms["mov.pred"] = predicate_form<same_as>(1);
}

} // namespace arcuate_emulation::ptx

// The instructions that there are: how their operands are written, and what they do.
#pragma once

#include "program.h"

#include <string>
#include <unordered_map>

namespace arcuate_emulation::ptx {

enum class Space : unsigned char { global, constant, shared, local };

enum class Shape : unsigned char {
    plain, // d, a, b, c
    move, // d, a: also a special register, or the address of an array
    parameter, // d, [parameter + offset]
    load, // d or {d, ...}, [a + offset]
    store, // [a + offset], b or {b, ...}
    atomic, // d, [a + offset], b, c
    reduction, // [a + offset], b, c
    branch, // label
    barrier, // 0
    shuffle, // d or d|p, a, b, c, mask
    vote, // d, a, mask
    warp_barrier, // mask
    nothing,
};

struct Form {
    Shape shape = Shape::plain;
    Kind kind = Kind::plain;
    Operation operation = nullptr;
    Type result = Type::none;
    Type operands[3] = {}; // of memory: the element's type where it stands
    unsigned char operand_count = 0;
    unsigned char count = 1; // of a vector's elements
    Space space = Space::global;
};

using Forms = std::unordered_map<std::string, Form>;

// The form of an instruction as the text has it, "add.rn.f32"; null where there is none.
const Form* find_form(const std::string& name);

// What each file of operations has.
void add_real_forms(Forms& forms);
void add_integer_forms(Forms& forms);
void add_conversion_forms(Forms& forms);
void add_memory_forms(Forms& forms);
void add_exchange_forms(Forms& forms);

} // namespace arcuate_emulation::ptx

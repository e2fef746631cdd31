// Table of the supported instructions: the syntax of their operands, and their operations.
#pragma once

#include "program.h"

#include <string>
#include <unordered_map>

namespace arcuate_emulation::ptx {

enum class Space : unsigned char { global, constant, shared, local };

enum class Shape : unsigned char {
    plain, // d, a, b, c
    move, // d, a; a may also be a special register or the address of an array
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
    Type operands[3] = {}; // in memory instructions, the element type at the position of the elements
    unsigned char operand_count = 0;
    unsigned char count = 1; // number of elements of a vector
    Space space = Space::global;
};

using Forms = std::unordered_map<std::string, Form>;

// Returns the form of an instruction as written in PTX, such as "add.rn.f32", or null if it is not supported.
const Form* find_form(const std::string& name);

// Add the instructions of each file of operations.
void add_real_forms(Forms& forms);
void add_integer_forms(Forms& forms);
void add_conversion_forms(Forms& forms);
void add_memory_forms(Forms& forms);
void add_exchange_forms(Forms& forms);

} // namespace arcuate_emulation::ptx

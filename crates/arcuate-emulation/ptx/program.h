// A kernel that was written at run time, as the parser leaves it and the interpreter runs it.
//
// Registers are kept in rows of 32 words, a word for each lane of a warp: one row for 32 bits, two for 64 bits, and the
// first word of a row, a bit for each lane, for a predicate. Special registers have rows that are filled before the
// kernel begins. Numbers in the text have rows, too, which all warps share.
#pragma once

#include "registry.h"
#include "threads.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace arcuate_emulation::ptx {

// Which lanes of a warp, a bit for each.
using Mask = std::uint32_t;
constexpr Mask all_lanes = ~Mask(0);

enum class Type : unsigned char { none, pred, u8, s8, u16, s16, b32, u32, s32, f32, b64, u64, s64, f64 };

// A row, times two; plus one where it is a row of numbers in the text. Row 0 of registers is always written and has all
// bits: what an instruction does not read is there.
using Operand = std::uint32_t;

struct Instruction;
struct Warp;

// What an instruction does for those lanes.
using Operation = void (*)(const Instruction& instruction, Warp& warp, Mask lanes);

enum class Kind : unsigned char {
    plain, // cannot fail
    memory, // can
    atomic, // can, and hardware gives no order
    branch,
    uniform_branch,
    end,
    barrier,
    exchange, // between lanes, which must all have come
};

struct Instruction {
    Operation operation;
    Kind kind;
    std::uint32_t guard; // the predicate's row
    Mask unless; // all lanes where the guard is negated
    std::uint32_t result; // a row
    Operand a, b, c;
    std::uint32_t more; // where further operands begin: the registers of a vector, the mask of an exchange
    std::int64_t offset; // from an address, or where a branch goes
};

// An array of local memory.
struct Array {
    std::uint32_t address;
    std::uint32_t bytes;
};

// In the place of the file that a kernel is in.
constexpr const char* written_at_run_time = "written at run time";

// Where the first array is. No program may know it, so that it is not 0.
constexpr std::uint32_t shared_start = 1024, local_start = 256, constant_start = 512;

enum class Special : unsigned char { thread_x, thread_y, thread_z, threads_x, threads_y, threads_z, block_x, block_y, block_z,
                                     blocks_x, blocks_y, blocks_z, lane };

struct SpecialRow {
    Special what;
    std::uint32_t row;
};

struct Place {
    unsigned line;
    std::string text;
};

struct Program {
    std::string name;
    std::vector<Parameter> parameters;
    std::vector<std::string> parameter_names;
    Kernel kernel = {}; // as the driver knows kernels
    unsigned most_threads = 1024;
    std::vector<unsigned char> constants; // those of the module
    std::uint32_t shared_bytes = 0; // without the dynamic ones
    std::uint32_t local_bytes = 0; // of a thread, gaps between its arrays included
    std::vector<Array> local_arrays;
    std::vector<Instruction> code; // the last one ends the kernel
    std::vector<Place> places; // of the instructions
    std::vector<Operand> more;
    std::vector<std::uint32_t> numbers; // the rows of those in the text
    std::vector<std::string> registers; // the names, by row
    std::vector<SpecialRow> specials;
};

constexpr unsigned bytes_of(Type type)
{
    switch (type) {
    case Type::none: case Type::pred: return 0;
    case Type::u8: case Type::s8: return 1;
    case Type::u16: case Type::s16: return 2;
    case Type::b32: case Type::u32: case Type::s32: case Type::f32: return 4;
    default: return 8;
    }
}

} // namespace arcuate_emulation::ptx

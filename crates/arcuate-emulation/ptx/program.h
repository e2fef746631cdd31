// A kernel written at run time, as the parser produces it and the interpreter runs it.
//
// Registers are rows of 32 words, one word for each lane of a warp. 32-bit registers have one row and 64-bit
// registers two. A predicate is the first word of a row, with one bit for each lane. Special registers have
// rows that are filled before the kernel starts. Numbers in the text also have rows, which all warps share.
#pragma once

#include "registry.h"
#include "threads.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace arcuate_emulation::ptx {

// A set of lanes of a warp, one bit for each lane.
using Mask = std::uint32_t;
constexpr Mask all_lanes = ~Mask(0);

enum class Type : unsigned char { none, pred, u8, s8, u16, s16, b32, u32, s32, f32, b64, u64, s64, f64 };

// Twice the index of a row, plus one if it is a row of a number in the text. Row 0 of the registers serves
// operands that an instruction does not have. It counts as written, and all its bits are set.
using Operand = std::uint32_t;

struct Instruction;
struct Warp;

// Executes an instruction for the given lanes.
using Operation = void (*)(const Instruction& instruction, Warp& warp, Mask lanes);

enum class Kind : unsigned char {
    plain, // cannot fail
    memory, // can fail
    atomic, // can fail; the hardware defines no order of lanes
    branch,
    uniform_branch,
    end,
    barrier,
    exchange, // exchange between lanes, for which all lanes must have arrived
};

struct Instruction {
    Operation operation;
    Kind kind;
    std::uint32_t guard; // row of the predicate
    Mask unless; // all lanes if the guard is negated
    std::uint32_t result; // row of the result
    Operand a, b, c;
    std::uint32_t more; // index of further operands: registers of a vector, mask of an exchange
    std::int64_t offset; // offset from an address, or target of a branch
};

// An array in local memory.
struct Array {
    std::uint32_t address;
    std::uint32_t bytes;
};

// Shown instead of a kernel's file.
constexpr const char* written_at_run_time = "written at run time";

// Address of the first array in each space. It is not 0, so that null pointers are invalid.
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
    Kernel kernel = {}; // kernel as the driver knows it
    unsigned most_threads = 1024;
    std::vector<unsigned char> constants; // constants of the module
    std::uint32_t shared_bytes = 0; // without dynamic shared memory
    std::uint32_t local_bytes = 0; // for each thread, including gaps between its arrays
    std::vector<Array> local_arrays;
    std::vector<Instruction> code; // The last instruction ends the kernel.
    std::vector<Place> places; // places of the instructions in the text
    std::vector<Operand> more;
    std::vector<std::uint32_t> numbers; // rows of the numbers in the text
    std::vector<std::string> registers; // names of the registers by row
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

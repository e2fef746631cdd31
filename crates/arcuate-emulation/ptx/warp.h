// What operations see of the warp that they work for, and of its block.
#pragma once

#include "allocations.h"
#include "program.h"
#include "random.h"

namespace arcuate_emulation::ptx {

// What the warps of a block share.
struct BlockState {
    const Program* program = nullptr;
    const Memory* memory = nullptr;
    std::vector<Span> spans; // of each instruction, the allocation that it used last
    std::vector<unsigned char> parameters;
    std::vector<unsigned char> shared;
    Order order;
    std::string failure; // what went wrong, without the place
    unsigned failing_lane = 0;

    void fail(unsigned lane, const std::string& why)
    {
        failure = why;
        failing_lane = lane;
    }

    // The lowest of the lanes reads the register, which it has not written.
    void fail_unwritten(Mask lanes, Operand operand)
    {
        fail(static_cast<unsigned>(__builtin_ctz(lanes)), "reads " + program->registers[operand >> 1] + ", which was never written");
    }
};

// In the place of an instruction.
constexpr std::uint32_t nobody = ~std::uint32_t(0);

// Lanes that are at one instruction.
struct Group {
    std::uint32_t at;
    Mask lanes;
};

struct Warp {
    BlockState* block = nullptr;
    std::uint32_t* rows[2] = {}; // of registers and of numbers in the text
    Mask* written = nullptr; // by row of registers, the lanes that have written it
    unsigned char* local = nullptr; // the arrays of each lane, one lane's after another's
    unsigned first_thread = 0;

    Mask live = 0; // lanes that have not ended
    Mask at_barrier = 0;
    std::vector<Group> ready; // that can go on
    std::vector<Group> parked; // that wait for others to come to an exchange
    std::uint32_t gives_way = nobody; // lanes there have had their turn, and the next one is that of lanes behind

    std::uint32_t* words(Operand operand) const { return rows[operand & 1] + std::size_t(operand >> 1) * warp_lanes; }
    // Which lanes have written it.
    Mask has_written(Operand operand) const { return written[(operand >> 1) & ((operand & 1) - 1)]; }
};

} // namespace arcuate_emulation::ptx

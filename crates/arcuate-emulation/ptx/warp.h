// State of a warp and of its block, for the operations.
#pragma once

#include "allocations.h"
#include "program.h"
#include "random.h"

namespace arcuate_emulation::ptx {

// State that the warps of a block share.
struct BlockState {
    const Program* program = nullptr;
    const Memory* memory = nullptr;
    std::vector<Span> spans; // for each instruction, the allocation that it used last
    std::vector<unsigned char> parameters;
    std::vector<unsigned char> shared;
    Order order;
    std::string failure; // error message without the place
    unsigned failing_lane = 0;

    void fail(unsigned lane, const std::string& why)
    {
        failure = why;
        failing_lane = lane;
    }

    // Reports that the lowest of the lanes reads a register that it has not written.
    void fail_unwritten(Mask lanes, Operand operand)
    {
        fail(static_cast<unsigned>(__builtin_ctz(lanes)), "reads " + program->registers[operand >> 1] + ", which was never written");
    }
};

// Value for "no instruction".
constexpr std::uint32_t nobody = ~std::uint32_t(0);

// Lanes that are at the same instruction.
struct Group {
    std::uint32_t at;
    Mask lanes;
};

struct Warp {
    BlockState* block = nullptr;
    std::uint32_t* rows[2] = {}; // rows of registers, and rows of numbers in the text
    Mask* written = nullptr; // for each row of registers, the lanes that have written it
    unsigned char* local = nullptr; // local arrays of all lanes, lane after lane
    unsigned first_thread = 0;

    Mask live = 0; // lanes that have not ended
    Mask at_barrier = 0;
    std::vector<Group> ready; // groups that can continue
    std::vector<Group> parked; // groups that wait at an exchange for other lanes
    std::uint32_t gives_way = nobody; // instruction whose lanes gave way, so that a group at a higher instruction runs next

    std::uint32_t* words(Operand operand) const { return rows[operand & 1] + std::size_t(operand >> 1) * warp_lanes; }
    // Returns the lanes that have written the operand.
    Mask has_written(Operand operand) const { return written[(operand >> 1) & ((operand & 1) - 1)]; }
};

} // namespace arcuate_emulation::ptx

// Runs kernels that were written at run time, a block at a time, from their text.
//
// All lanes of a warp that are at one instruction do it side by side. Of lanes at several places those at the lowest one
// go on, so that they meet again where branches do. A warp runs until its lanes have ended or wait, or its turn is over.
#pragma once

#include "block.h"
#include "warp.h"

namespace arcuate_emulation::ptx {

class Interpreter {
public:
    // Runs block `index` of the launch to its end; answers what went wrong, or nothing.
    std::string run(const Launch& launch, const Index& index);

private:
    void prepare(const Launch& launch, const Index& index);
    void prepare_warp(unsigned number);
    void fill_special(const SpecialRow& special, const Warp& warp) const;
    void shuffle_turns();

    void run_warp(Warp& warp);
    // The lanes that go on now, up to where others are; no lanes where none can.
    Group choose(Warp& warp, std::uint32_t& limit);
    bool run_group(Warp& warp, Group& group, std::uint32_t limit);
    // What is no plain operation; false where the group does not go on.
    bool control(Warp& warp, Group& group, Mask lanes);
    bool jump(Warp& warp, Group& group, Mask lanes);
    void wait_at_barrier(Warp& warp, Group& group, Mask lanes);
    void exchange(Warp& warp, Group& group, Mask lanes);
    // Those of the lanes for whom all others have come.
    Mask complete(Warp& warp, const Instruction& instruction, Mask lanes);
    bool exchange_parked(Warp& warp);
    bool give_way(Warp& warp, const Group& group);
    bool open_barrier();

    bool failed() const { return !block_.failure.empty(); }
    void fail(const Warp& warp, std::uint32_t at);
    void fail_unwritten(Warp& warp, const Instruction& instruction, Mask active, Mask lanes);
    void fail_deadlock(const Warp& warp);
    std::string line_of(std::uint32_t at) const;

    const Launch* launch_ = nullptr;
    const Program* program_ = nullptr;
    Index index_ = {};
    unsigned threads_ = 0;
    BlockState block_;
    std::uint64_t memory_number_ = 0; // of the launch for which the block's spans are
    std::vector<Warp> warps_;
    std::vector<unsigned> turns_; // the warps in their order
    std::vector<std::uint32_t> registers_, numbers_;
    std::vector<Mask> written_;
    std::vector<unsigned char> local_;
    std::uint32_t barrier_ = 0; // the instruction at which lanes wait, if any do
    std::uint64_t branches_left_ = 0; // until the turn of the warp is over
    std::string failure_;
};

} // namespace arcuate_emulation::ptx

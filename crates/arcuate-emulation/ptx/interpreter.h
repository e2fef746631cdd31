// Interprets kernels that were written as PTX at run time, one block at a time.
//
// Lanes of a warp at the same instruction execute it together. If lanes are at different instructions, the
// lanes at the lowest one continue, so that branches join again. A warp runs until its lanes have ended or
// wait, or its turn is over.
#pragma once

#include "block.h"
#include "warp.h"

namespace arcuate_emulation::ptx {

class Interpreter {
public:
    // Runs block `index` of the launch to its end. Returns an error message, or an empty string.
    std::string run(const Launch& launch, const Index& index);

private:
    void prepare(const Launch& launch, const Index& index);
    void prepare_warp(unsigned number);
    void fill_special(const SpecialRow& special, const Warp& warp) const;
    void shuffle_turns();

    void run_warp(Warp& warp);
    // Chooses the lanes that run next, and sets `limit` to the instruction at which other lanes are. Returns
    // no lanes if none can run.
    Group choose(Warp& warp, std::uint32_t& limit);
    bool run_group(Warp& warp, Group& group, std::uint32_t limit);
    // Executes an instruction that is not a plain operation. Returns false if the group does not continue.
    bool control(Warp& warp, Group& group, Mask lanes);
    bool jump(Warp& warp, Group& group, Mask lanes);
    void wait_at_barrier(Warp& warp, Group& group, Mask lanes);
    void exchange(Warp& warp, Group& group, Mask lanes);
    // Returns those of the lanes whose exchange all other lanes have reached.
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
    std::uint64_t memory_number_ = 0; // number of the memory for which the spans of the block are valid
    std::vector<Warp> warps_;
    std::vector<unsigned> turns_; // warps in the order of their turns
    std::vector<std::uint32_t> registers_, numbers_;
    std::vector<Mask> written_;
    std::vector<unsigned char> local_;
    std::uint32_t barrier_ = 0; // instruction of the barrier at which lanes wait
    std::uint64_t branches_left_ = 0; // backward branches until the turn of the warp is over
    std::string failure_;
};

} // namespace arcuate_emulation::ptx

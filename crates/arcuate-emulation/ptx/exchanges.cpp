// Exchanges between the lanes of a warp. The interpreter calls them when all participating lanes have
// arrived.

#include "lanes.h"

namespace arcuate_emulation::ptx {
namespace {

enum class Direction { up, down, across, indexed };

// Shuffles as the PTX manual defines `shfl`. The low bits of `bounds` are the last lane of a segment, and
// bits 8 to 12 the mask of segments.
template <Direction DIRECTION>
void shuffle(const Instruction& instruction, Warp& warp, Mask lanes)
{
    const Row<std::uint32_t> values = row<std::uint32_t>(warp, instruction.a), by = row<std::uint32_t>(warp, instruction.b),
                             bounds = row<std::uint32_t>(warp, instruction.c);
    std::uint32_t given[warp_lanes];
    for (unsigned lane = 0; lane < warp_lanes; ++lane) given[lane] = values.get(lane);
    const Row<std::uint32_t> results = row<std::uint32_t>(warp, 2 * instruction.result);
    Mask inside_lanes = 0;
    each_lane(lanes, [&](unsigned lane) {
        const int segment = static_cast<int>(bounds.get(lane) >> 8 & 31), clamp = static_cast<int>(bounds.get(lane) & 31);
        const int own = static_cast<int>(lane), step = static_cast<int>(by.get(lane) & 31);
        const int first = own & segment, last = first | (clamp & ~segment);
        int source = own;
        bool inside = false;
        switch (DIRECTION) {
        case Direction::up: source = own - step, inside = source >= last; break;
        case Direction::down: source = own + step, inside = source <= last; break;
        case Direction::across: source = own ^ step, inside = source <= last; break;
        case Direction::indexed: source = first | (step & ~segment), inside = source <= last; break;
        }
        if (!inside) source = own;
        inside_lanes |= Mask(inside) << lane;
        std::uint32_t value;
        if (has(lanes, static_cast<unsigned>(source))) value = given[source];
        else std::memset(&value, garbage, sizeof value); // The source lane does not take part.
        results.set(lane, value);
    });
    // Write the optional predicate that is true if the source lane was inside the segment.
    const Operand asked = warp.block->program->more[instruction.more + 1];
    if (asked == 0) return;
    std::uint32_t& out = *warp.words(asked);
    out = (out & ~lanes) | inside_lanes;
    warp.written[asked >> 1] |= lanes;
}

Mask votes_for(const Instruction& instruction, const Warp& warp, Mask lanes) { return *warp.words(instruction.a) & lanes; }

// Lanes with different masks vote separately.
template <class Give>
void vote(const Instruction& instruction, Warp& warp, Mask lanes, Give give)
{
    const Row<Mask> masks = row<Mask>(warp, warp.block->program->more[instruction.more]);
    each_lane(lanes, [&](unsigned lane) { give(lane, lanes & masks.get(lane)); });
}

void vote_any(const Instruction& instruction, Warp& warp, Mask lanes)
{
    std::uint32_t& out = *warp.words(2 * instruction.result);
    const Mask votes = votes_for(instruction, warp, lanes);
    vote(instruction, warp, lanes, [&](unsigned lane, Mask voters) {
        out = (out & ~(1u << lane)) | Mask((votes & voters) != 0) << lane;
    });
}

void vote_all(const Instruction& instruction, Warp& warp, Mask lanes)
{
    std::uint32_t& out = *warp.words(2 * instruction.result);
    const Mask votes = votes_for(instruction, warp, lanes);
    vote(instruction, warp, lanes, [&](unsigned lane, Mask voters) {
        out = (out & ~(1u << lane)) | Mask((votes & voters) == voters) << lane;
    });
}

void ballot(const Instruction& instruction, Warp& warp, Mask lanes)
{
    const Row<std::uint32_t> results = row<std::uint32_t>(warp, 2 * instruction.result);
    const Mask votes = votes_for(instruction, warp, lanes);
    vote(instruction, warp, lanes, [&](unsigned lane, Mask voters) { results.set(lane, votes & voters); });
}

void meet(const Instruction&, Warp&, Mask) {}

Form exchange_form(Shape shape, Operation operation, Type result, Type operand, unsigned char operands)
{
    Form form;
    form.shape = shape;
    form.kind = Kind::exchange;
    form.operation = operation;
    form.result = result;
    form.operands[0] = operand;
    form.operands[1] = form.operands[2] = Type::u32;
    form.operand_count = operands;
    return form;
}

} // namespace

void add_exchange_forms(Forms& forms)
{
    forms["shfl.sync.up.b32"] = exchange_form(Shape::shuffle, shuffle<Direction::up>, Type::b32, Type::b32, 3);
    forms["shfl.sync.down.b32"] = exchange_form(Shape::shuffle, shuffle<Direction::down>, Type::b32, Type::b32, 3);
    forms["shfl.sync.bfly.b32"] = exchange_form(Shape::shuffle, shuffle<Direction::across>, Type::b32, Type::b32, 3);
    forms["shfl.sync.idx.b32"] = exchange_form(Shape::shuffle, shuffle<Direction::indexed>, Type::b32, Type::b32, 3);
    forms["vote.sync.any.pred"] = exchange_form(Shape::vote, vote_any, Type::pred, Type::pred, 1);
    forms["vote.sync.all.pred"] = exchange_form(Shape::vote, vote_all, Type::pred, Type::pred, 1);
    forms["vote.sync.ballot.b32"] = exchange_form(Shape::vote, ballot, Type::b32, Type::pred, 1);
    forms["bar.warp.sync"] = exchange_form(Shape::warp_barrier, meet, Type::none, Type::none, 0);
}

} // namespace arcuate_emulation::ptx

#include "interpreter.h"

#include "lanes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace arcuate_emulation::ptx {
namespace {

// Number of backward branches of a warp's turn. Each warp gets turns repeatedly, so that one warp can wait
// for another's writes.
constexpr std::uint64_t longest_turn = 4096, shortest_seeded_turn = 16;

std::string text(const Index& index)
{
    return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) + ")";
}

std::string threads_of(unsigned first, Mask lanes)
{
    std::string out;
    for (unsigned from = 0; from < warp_lanes;) {
        unsigned to = from;
        while (to < warp_lanes && has(lanes, to)) ++to;
        if (to > from) {
            out += (out.empty() ? "" : ", ") + std::to_string(first + from);
            if (to > from + 1) out += "-" + std::to_string(first + to - 1);
        }
        from = to + 1;
    }
    return out;
}

Index place_in(unsigned linear, const Index& shape)
{
    return {linear % shape.x, linear / shape.x % shape.y, linear / (shape.x * shape.y)};
}

// Adds a group of lanes to `groups`, or merges it with the group at the same instruction.
void add_group(std::vector<Group>& groups, const Group& group)
{
    for (Group& other : groups) {
        if (other.at == group.at) {
            other.lanes |= group.lanes;
            return;
        }
    }
    groups.push_back(group);
}

} // namespace

std::string Interpreter::run(const Launch& launch, const Index& index)
{
    prepare(launch, index);
    do {
        shuffle_turns();
        for (bool going = true; going;) {
            going = false;
            for (const unsigned turn : turns_) {
                Warp& warp = warps_[turn];
                if (warp.ready.empty() && warp.parked.empty()) continue;
                run_warp(warp);
                if (failed()) return failure_;
                going |= !warp.ready.empty();
            }
        }
    } while (open_barrier());
    return "";
}

// ---- before the block begins

void Interpreter::prepare(const Launch& launch, const Index& index)
{
    launch_ = &launch;
    program_ = launch.written;
    index_ = index;
    threads_ = launch.block.x * launch.block.y * launch.block.z;
    std::uint64_t purpose = index.x;
    for (const unsigned part : {index.y, index.z}) purpose = purpose * 0x100000001b3u + part;
    block_.program = program_;
    block_.memory = launch.memory;
    block_.order = Order(launch.order, purpose);
    block_.failure.clear();
    failure_.clear();
    if (memory_number_ != launch.memory->number()) block_.spans.assign(program_->code.size(), Span());
    memory_number_ = launch.memory->number();
    block_.parameters.clear();
    for (std::size_t at = 0; at < program_->parameters.size(); ++at) {
        const Parameter& parameter = program_->parameters[at];
        block_.parameters.resize(parameter.offset + parameter.bytes);
        std::memcpy(block_.parameters.data() + parameter.offset, launch.arguments[at], parameter.bytes);
    }
    block_.shared.assign(program_->shared_bytes + launch.dynamic_bytes, garbage);

    const unsigned count = (threads_ + warp_lanes - 1) / warp_lanes;
    const std::size_t rows = program_->registers.size();
    if (warps_.size() < count) warps_.resize(count);
    if (registers_.size() < rows * warp_lanes * count) registers_.resize(rows * warp_lanes * count);
    written_.assign(rows * count, 0);
    local_.assign(std::size_t(program_->local_bytes) * warp_lanes * count, garbage);
    for (unsigned number = 0; number < count; ++number) prepare_warp(number);
    turns_.resize(count);
    for (unsigned number = 0; number < count; ++number) turns_[number] = number;
}

void Interpreter::prepare_warp(unsigned number)
{
    const std::size_t rows = program_->registers.size();
    Warp& warp = warps_[number];
    warp.block = &block_;
    warp.rows[0] = registers_.data() + rows * warp_lanes * number;
    warp.rows[1] = const_cast<std::uint32_t*>(program_->numbers.data()); // No instruction writes to these rows.
    warp.written = written_.data() + rows * number;
    warp.local = local_.data() + std::size_t(program_->local_bytes) * warp_lanes * number;
    warp.first_thread = number * warp_lanes;
    const unsigned lanes = std::min(warp_lanes, threads_ - warp.first_thread);
    warp.live = lanes == warp_lanes ? all_lanes : (Mask(1) << lanes) - 1;
    warp.at_barrier = 0;
    warp.ready.assign(1, {0, warp.live});
    warp.parked.clear();
    warp.gives_way = nobody;
    // The results of lanes that do not take part are discarded. Uninitialised registers could contain
    // subnormal numbers, which are slow, so all registers start at 0.
    std::fill_n(warp.rows[0], rows * warp_lanes, 0u);
    warp.rows[0][0] = all_lanes;
    warp.written[0] = all_lanes;
    for (const SpecialRow& special : program_->specials) fill_special(special, warp);
}

void Interpreter::fill_special(const SpecialRow& special, const Warp& warp) const
{
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        const Index thread = place_in(warp.first_thread + lane, launch_->block);
        const auto value = [&] {
            switch (special.what) {
            case Special::thread_x: return thread.x;
            case Special::thread_y: return thread.y;
            case Special::thread_z: return thread.z;
            case Special::threads_x: return launch_->block.x;
            case Special::threads_y: return launch_->block.y;
            case Special::threads_z: return launch_->block.z;
            case Special::block_x: return index_.x;
            case Special::block_y: return index_.y;
            case Special::block_z: return index_.z;
            case Special::blocks_x: return launch_->grid.x;
            case Special::blocks_y: return launch_->grid.y;
            case Special::blocks_z: return launch_->grid.z;
            default: return lane;
            }
        };
        warp.words(2 * special.row)[lane] = value();
    }
    warp.written[special.row] = all_lanes;
}

void Interpreter::shuffle_turns()
{
    for (std::size_t left = turns_.size(); left > 1; --left) {
        if (!block_.order.natural()) std::swap(turns_[left - 1], turns_[block_.order.below(left)]);
    }
}

// ---- a warp's turn

void Interpreter::run_warp(Warp& warp)
{
    branches_left_ = block_.order.natural() ? longest_turn : shortest_seeded_turn + block_.order.below(longest_turn);
    for (;;) {
        std::uint32_t limit;
        Group group = choose(warp, limit);
        if (group.lanes == 0) {
            if (warp.parked.empty()) return;
            if (!exchange_parked(warp)) {
                if (!failed()) fail_deadlock(warp);
                return;
            }
            continue;
        }
        const bool goes_on = run_group(warp, group, limit);
        if (failed()) return;
        if (group.lanes != 0) add_group(warp.ready, group);
        if (!goes_on && branches_left_ == 0) return;
    }
}

Group Interpreter::choose(Warp& warp, std::uint32_t& limit)
{
    limit = nobody;
    if (warp.ready.empty()) return {0, 0};
    // Chooses the lowest group after the one that gave way, or the lowest of all if there is none.
    const std::uint32_t from = std::exchange(warp.gives_way, nobody) + 1;
    const auto sooner = [=](const Group& a, const Group& b) { return a.at - from < b.at - from; };
    const auto chosen = std::min_element(warp.ready.begin(), warp.ready.end(), sooner);
    const Group group = *chosen;
    warp.ready.erase(chosen);
    // The group runs up to the next higher group, and lower groups wait.
    for (const Group& other : warp.ready) {
        if (other.at > group.at) limit = std::min(limit, other.at);
    }
    return group;
}

bool Interpreter::run_group(Warp& warp, Group& group, std::uint32_t limit)
{
    const Instruction* const code = program_->code.data();
    std::uint32_t* const registers = warp.rows[0];
    Mask* const written = warp.written;
    Mask active = group.lanes;
    std::uint32_t at = group.at;
    do {
        const Instruction& instruction = code[at];
        const Mask lanes = active & (registers[std::size_t(instruction.guard) * warp_lanes] ^ instruction.unless);
        const Mask known = warp.has_written(instruction.a) & warp.has_written(instruction.b) & warp.has_written(instruction.c);
        if (((active & ~written[instruction.guard]) | (lanes & ~known)) != 0) {
            group.at = at;
            fail_unwritten(warp, instruction, active, lanes);
            return false;
        }
        if (instruction.kind == Kind::plain) {
            if (lanes != 0) {
                instruction.operation(instruction, warp, lanes);
                written[instruction.result] |= lanes;
            }
            ++at;
        } else {
            group = {at, active};
            if (!control(warp, group, lanes)) return false;
            at = group.at;
            active = group.lanes;
        }
    } while (at < limit);
    group = {at, active};
    return true;
}

bool Interpreter::control(Warp& warp, Group& group, Mask lanes)
{
    const Instruction& instruction = program_->code[group.at];
    switch (instruction.kind) {
    case Kind::memory: case Kind::atomic:
        instruction.operation(instruction, warp, lanes);
        if (failed()) {
            fail(warp, group.at);
            return false;
        }
        warp.written[instruction.result] |= lanes;
        ++group.at;
        if (instruction.kind == Kind::atomic && block_.order.below(4) == 1) return give_way(warp, group);
        return true;
    case Kind::uniform_branch:
        if (lanes != 0 && lanes != group.lanes) {
            block_.fail(static_cast<unsigned>(__builtin_ctz(lanes)), "goes another way than other threads of its warp");
            fail(warp, group.at);
            return false;
        }
        return jump(warp, group, lanes);
    case Kind::branch: return jump(warp, group, lanes);
    case Kind::end:
        warp.live &= ~lanes;
        group.lanes &= ~lanes;
        ++group.at;
        return group.lanes != 0;
    case Kind::barrier: wait_at_barrier(warp, group, lanes); break;
    default: exchange(warp, group, lanes);
    }
    return !failed() && group.lanes != 0;
}

bool Interpreter::jump(Warp& warp, Group& group, Mask lanes)
{
    const auto target = static_cast<std::uint32_t>(program_->code[group.at].offset);
    const bool backward = target <= group.at;
    const Group others = {group.at + 1, group.lanes & ~lanes};
    if (lanes == 0) {
        group = others;
        return true;
    }
    group = {target, lanes};
    if (others.lanes != 0) add_group(warp.ready, others);
    if (backward && --branches_left_ == 0) return give_way(warp, group);
    // If some lanes did not branch, the next group must be chosen again.
    return others.lanes == 0;
}

// Ends the turn of the warp, so that other warps run. At its next turn a group at a higher instruction runs
// first, because lanes in a loop may wait for that group.
bool Interpreter::give_way(Warp& warp, const Group& group)
{
    branches_left_ = 0;
    warp.gives_way = group.at;
    return false;
}

// ---- threads that wait

void Interpreter::wait_at_barrier(Warp& warp, Group& group, Mask lanes)
{
    if (lanes != 0) {
        const bool others = std::any_of(turns_.begin(), turns_.end(), [&](unsigned one) { return warps_[one].at_barrier != 0; });
        if (others && barrier_ != group.at) {
            block_.fail(static_cast<unsigned>(__builtin_ctz(lanes)),
                        "comes to this barrier while other threads wait at that of " + line_of(barrier_));
            fail(warp, group.at);
            return;
        }
        barrier_ = group.at;
        warp.at_barrier |= lanes;
    }
    group = {group.at + 1, group.lanes & ~lanes};
}

bool Interpreter::open_barrier()
{
    bool waiting = false;
    for (const unsigned number : turns_) {
        Warp& warp = warps_[number];
        if (warp.at_barrier != 0) warp.ready.assign(1, {barrier_ + 1, warp.at_barrier});
        waiting |= warp.at_barrier != 0;
        warp.at_barrier = 0;
    }
    return waiting;
}

void Interpreter::exchange(Warp& warp, Group& group, Mask lanes)
{
    const std::uint32_t at = group.at;
    group = {at + 1, group.lanes & ~lanes};
    if (lanes == 0) return;
    const Instruction& instruction = program_->code[at];
    Mask present = lanes;
    for (auto other = warp.parked.begin(); other != warp.parked.end(); ++other) {
        if (other->at != at) continue;
        present |= other->lanes;
        warp.parked.erase(other);
        break;
    }
    const Mask ready = complete(warp, instruction, present);
    if (failed()) return fail(warp, at);
    if (ready != 0) {
        instruction.operation(instruction, warp, ready);
        warp.written[instruction.result] |= ready;
        group.lanes |= ready;
    }
    if (present != ready) warp.parked.push_back({at, present & ~ready});
}

Mask Interpreter::complete(Warp& warp, const Instruction& instruction, Mask lanes)
{
    const Operand operand = program_->more[instruction.more];
    const Mask unwritten = lanes & ~warp.has_written(operand);
    if (unwritten != 0) {
        block_.fail_unwritten(unwritten, operand);
        return 0;
    }
    const Row<Mask> masks = row<Mask>(warp, operand);
    Mask ready = 0;
    for (Mask left = lanes; left != 0;) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const Mask mask = masks.get(lane);
        Mask alike = 0;
        each_lane(left, [&](unsigned other) { alike |= Mask(masks.get(other) == mask) << other; });
        if ((alike & ~mask) != 0) {
            block_.fail(static_cast<unsigned>(__builtin_ctz(alike & ~mask)), "is not in the mask that it gives");
            return 0;
        }
        const Mask others = mask & lanes & ~alike;
        if (others != 0) {
            block_.fail(lane, "gives another mask than thread " + std::to_string(warp.first_thread + __builtin_ctz(others)) + ", which is in it");
            return 0;
        }
        if ((mask & warp.live & ~alike) == 0) ready |= alike;
        left &= ~alike;
    }
    return ready;
}

// Completes exchanges whose missing lanes have ended in the meantime. Returns false if all groups continue to
// wait.
bool Interpreter::exchange_parked(Warp& warp)
{
    for (const Group& waiting : std::vector<Group>(warp.parked)) {
        Group group = {waiting.at, waiting.lanes};
        exchange(warp, group, waiting.lanes);
        if (failed()) return false;
        if (group.lanes != 0) {
            add_group(warp.ready, group);
            return true;
        }
    }
    return false;
}

// ---- error messages

std::string Interpreter::line_of(std::uint32_t at) const
{
    const Place& place = program_->places[at];
    return "line " + std::to_string(place.line) + ", `" + place.text + "`";
}

void Interpreter::fail(const Warp& warp, std::uint32_t at)
{
    failure_ = "kernel " + program_->name + ", block " + text(index_) + ", thread " +
               text(place_in(warp.first_thread + block_.failing_lane, launch_->block)) + ", " + line_of(at) + ": " + block_.failure;
}

void Interpreter::fail_unwritten(Warp& warp, const Instruction& instruction, Mask active, Mask lanes)
{
    const Mask of_guard = active & ~warp.written[instruction.guard];
    if (of_guard != 0) block_.fail_unwritten(of_guard, 2 * instruction.guard);
    for (const Operand operand : {instruction.a, instruction.b, instruction.c}) {
        const Mask missing = lanes & ~warp.has_written(operand);
        if (missing != 0 && !failed()) block_.fail_unwritten(missing, operand);
    }
    fail(warp, static_cast<std::uint32_t>(&instruction - program_->code.data()));
}

void Interpreter::fail_deadlock(const Warp& warp)
{
    block_.failure = "deadlock in kernel " + program_->name + ", block " + text(index_) + " of " + std::to_string(threads_) + " threads:";
    for (const Group& group : warp.parked) {
        block_.failure += " at " + line_of(group.at) + " threads " + threads_of(warp.first_thread, group.lanes) + ";";
    }
    if (warp.at_barrier != 0) {
        block_.failure += " at " + line_of(barrier_) + " threads " + threads_of(warp.first_thread, warp.at_barrier) + ";";
    }
    failure_ = block_.failure + " they wait for one another";
}

} // namespace arcuate_emulation::ptx

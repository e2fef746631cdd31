#include "block.h"

#include "shared_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace arcuate_emulation {

__thread Thread* running = nullptr;

namespace {

const char* name_of(Barrier kind)
{
    switch (kind) {
    case Barrier::plain: return "__syncthreads";
    case Barrier::count: return "__syncthreads_count";
    case Barrier::all: return "__syncthreads_and";
    default: return "__syncthreads_or";
    }
}

const char* name_of(Exchange kind)
{
    switch (kind) {
    case Exchange::synchronise: return "__syncwarp";
    case Exchange::shuffle: return "a shuffle";
    case Exchange::vote: return "a vote";
    case Exchange::match: return "a match";
    case Exchange::reduce: return "a reduction";
    default: return "a matrix product";
    }
}

std::string text(const Place& place)
{
    return std::string(place.function) + ", line " + std::to_string(place.line);
}

std::string name_of_named(unsigned number, unsigned threads)
{
    return "barrier_sync(" + std::to_string(number) + ", " + std::to_string(threads) + ")";
}

std::string text(const Index& index)
{
    return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) + ")";
}

// Formats numbers such as "0-31, 40", with consecutive numbers as ranges.
std::string ranges(const std::vector<unsigned>& numbers)
{
    std::string out;
    for (std::size_t from = 0; from < numbers.size();) {
        std::size_t to = from;
        while (to + 1 < numbers.size() && numbers[to + 1] == numbers[to] + 1) ++to;
        if (!out.empty()) out += ", ";
        out += std::to_string(numbers[from]);
        if (to > from) out += "-" + std::to_string(numbers[to]);
        from = to + 1;
    }
    return out;
}

std::uint64_t purpose_of(const Launch& launch, const Index& index)
{
    std::uint64_t purpose = 14695981039346656037u; // FNV-1a
    for (const char* letter = launch.kernel->name; *letter != 0; ++letter) {
        purpose = (purpose ^ static_cast<unsigned char>(*letter)) * 1099511628211u;
    }
    for (const unsigned part : {index.x, index.y, index.z}) purpose = (purpose ^ part) * 1099511628211u;
    return purpose;
}

} // namespace

Block::Block() { adopt_thread(home_); }

std::string Block::run(const Launch& launch, const Index& index)
{
    prepare(launch, index);
    fill_static_shared(launch.kernel);
    while (live_ > 0 && failure_.empty()) {
        if (ready_count_ == 0) {
            failure_ = deadlock();
            break;
        }
        running_ = threads_; // No thread runs yet: the first switch starts from `home_`.
        reschedule(false);
    }
    running = nullptr;
    if (live_ > 0) stacks_.abandon();
    if (failure_.empty() && !dynamic_guard_is_whole()) {
        failure_ = place() + " wrote behind its " + std::to_string(launch.dynamic_bytes) + " bytes of dynamic shared memory";
    }
    return failure_;
}

void Block::prepare(const Launch& launch, const Index& index)
{
    launch_ = &launch;
    shape_[0] = index;
    shape_[1] = launch.block;
    shape_[2] = launch.grid;
    order_ = Order(launch.order, purpose_of(launch, index));
    threads_ = launch.block.x * launch.block.y * launch.block.z;
    live_ = threads_;
    failure_.clear();
    at_barrier_ = predicates_ = 0;
    pauses_ = 0;
    free_gatherings_.clear();
    for (const auto& gathering : gatherings_) free_gatherings_.push_back(gathering.get());
    if (fibers_.size() < threads_) fibers_.resize(threads_);
    ready_.resize(threads_);
    first_ready_ = ready_count_ = 0;
    warps_.resize((threads_ + warp_lanes - 1) / warp_lanes);
    for (Named& named : named_) {
        named.threads = named.present = 0;
        named.lanes.assign(warps_.size(), 0);
        named.places.resize(warps_.size());
    }
    for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
        const unsigned lanes = std::min(warp_lanes, threads_ - static_cast<unsigned>(warp) * warp_lanes);
        warps_[warp].live = lanes == warp_lanes ? ~0u : (1u << lanes) - 1;
        warps_[warp].open.clear();
    }
    for (unsigned thread = 0; thread < threads_; ++thread) {
        Fiber& fiber = fibers_[thread];
        fiber.thread = {{thread % launch.block.x, thread / launch.block.x % launch.block.y,
                         thread / (launch.block.x * launch.block.y)},
                        thread, this, shape_};
        fiber.groups = 0;
        fiber.copies.clear();
        stacks_.prepare(thread, fiber.context, entry);
        make_ready(thread);
    }
    lay_out_dynamic_shared(launch.dynamic_bytes);
}

void Block::entry()
{
    Block& block = *running->block;
    arrive(block.fibers_[running->linear].context);
    block.launch_->kernel->call(block.launch_->arguments);
    block.end_thread();
    std::abort(); // An ended thread is never chosen again.
}

void Block::make_ready(unsigned thread)
{
    fibers_[thread].state = State::ready;
    unsigned at = first_ready_ + ready_count_++;
    if (at >= threads_) at -= threads_;
    ready_[at] = thread;
}

void Block::reschedule(bool ends)
{
    Context& from = running_ == threads_ ? home_ : fibers_[running_].context;
    if (ready_count_ == 0) {
        switch_context(from, home_, ends);
        return;
    }
    unsigned chosen = first_ready_ + static_cast<unsigned>(order_.below(ready_count_));
    if (chosen >= threads_) chosen -= threads_;
    std::swap(ready_[chosen], ready_[first_ready_]);
    const unsigned next = ready_[first_ready_];
    if (++first_ready_ == threads_) first_ready_ = 0;
    --ready_count_;
    if (next == running_) return;
    running_ = next;
    running = &fibers_[next].thread;
    switch_context(from, fibers_[next].context, ends);
}

void Block::end_thread()
{
    Fiber& fiber = fibers_[running_];
    fiber.state = State::ended;
    --live_;
    Warp& warp = warps_[running_ / warp_lanes];
    warp.live &= ~(1u << running_ % warp_lanes);
    // Threads that wait for the ended thread may continue.
    if (live_ > 0 && at_barrier_ == live_) open_barrier();
    for (Named& named : named_) {
        if (named.threads > 0) settle(named, running_ / warp_lanes);
    }
    const std::vector<Gathering*> open = warp.open;
    for (Gathering* gathering : open) complete(warp, gathering);
    reschedule(true);
}

int Block::wait(Barrier kind, int predicate, const Place& place)
{
    if (at_barrier_ > 0 && kind != barrier_kind_) {
        fail(std::string("comes to ") + name_of(kind) + " while other threads wait at " + name_of(barrier_kind_));
    }
    if (at_barrier_ > 0 && !(place == barrier_place_)) {
        fail(std::string("comes to ") + name_of(kind) + " at another place than other threads, which wait: " + text(place) +
             "; " + text(barrier_place_) + " (barrier.cuh has barriers for warps of different code)");
    }
    barrier_kind_ = kind;
    barrier_place_ = place;
    ++at_barrier_;
    predicates_ += predicate != 0;
    if (at_barrier_ == live_) {
        open_barrier();
        return barrier_answer_;
    }
    fibers_[running_].state = State::barrier;
    reschedule(false);
    return barrier_answer_;
}

void Block::open_barrier()
{
    switch (barrier_kind_) {
    case Barrier::plain: barrier_answer_ = 0; break;
    case Barrier::count: barrier_answer_ = static_cast<int>(predicates_); break;
    case Barrier::all: barrier_answer_ = predicates_ == at_barrier_; break;
    case Barrier::any: barrier_answer_ = predicates_ > 0; break;
    }
    at_barrier_ = predicates_ = 0;
    for (unsigned thread = 0; thread < threads_; ++thread) {
        if (fibers_[thread].state == State::barrier) make_ready(thread);
    }
}

void Block::wait_named(unsigned number, unsigned threads, const Place& place)
{
    const unsigned warp = running_ / warp_lanes, lane = 1u << running_ % warp_lanes;
    const std::string call = name_of_named(number, threads);
    if (number == 0 || number >= named_barriers) fail("calls " + call + ": numbers are 1 to 15");
    if (threads == 0 || threads % warp_lanes != 0 || threads > warps_.size() * warp_lanes) {
        fail("calls " + call + ": warps come as a whole, " + std::to_string(warps_.size()) + " of them at most");
    }
    Named& named = named_[number];
    if (named.threads > 0 && named.threads != threads) {
        fail("comes to " + call + " while other threads wait at " + name_of_named(number, named.threads));
    }
    if (named.lanes[warp] != 0 && !(place == named.places[warp])) {
        fail("comes to " + call + " at another place than other lanes of its warp, which wait: " + text(place) + "; " +
             text(named.places[warp]));
    }
    named.threads = threads;
    named.lanes[warp] |= lane;
    named.places[warp] = place;
    fibers_[running_].state = State::named_barrier;
    settle(named, warp);
    reschedule(false);
}

void Block::settle(Named& named, std::size_t warp)
{
    const auto is_whole = [&](std::size_t at) { return named.lanes[at] != 0 && named.lanes[at] == warps_[at].live; };
    if (!is_whole(warp)) return;
    named.present += warp_lanes;
    if (named.present < named.threads) return;
    // Lanes of incomplete warps keep waiting, for the next use of the barrier.
    bool all = true;
    for (std::size_t at = 0; at < warps_.size(); ++at) {
        if (is_whole(at)) {
            for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                if (named.lanes[at] >> lane & 1) make_ready(static_cast<unsigned>(at) * warp_lanes + lane);
            }
            named.lanes[at] = 0;
        }
        all = all && named.lanes[at] == 0;
    }
    named.present = 0;
    if (all) named.threads = 0;
}

Gathering* Block::come(Exchange kind, unsigned mask)
{
    const unsigned thread = running_, lane = thread % warp_lanes;
    Warp& warp = warps_[thread / warp_lanes];
    if ((mask >> lane & 1) == 0) {
        char hexadecimal[16];
        std::snprintf(hexadecimal, sizeof hexadecimal, "0x%08x", mask);
        fail(std::string("calls ") + name_of(kind) + " with mask " + hexadecimal + ", which lacks its own lane " +
             std::to_string(lane));
    }
    Gathering* gathering = nullptr;
    for (Gathering* open : warp.open) {
        if (open->kind == kind && open->mask == mask) gathering = open;
    }
    if (gathering == nullptr) {
        if (free_gatherings_.empty()) {
            gatherings_.push_back(std::make_unique<Gathering>());
            free_gatherings_.push_back(gatherings_.back().get());
        }
        gathering = free_gatherings_.back();
        free_gatherings_.pop_back();
        gathering->kind = kind;
        gathering->mask = mask;
        gathering->present = gathering->readers = 0;
        warp.open.push_back(gathering);
    }
    gathering->present |= 1u << lane;
    ++gathering->readers;
    return gathering;
}

void Block::wait_for_others(Gathering* gathering)
{
    if (complete(warps_[running_ / warp_lanes], gathering)) return;
    fibers_[running_].state = State::exchange;
    reschedule(false);
}

bool Block::complete(Warp& warp, Gathering* gathering)
{
    if ((gathering->mask & warp.live) != gathering->present) return false;
    *std::find(warp.open.begin(), warp.open.end(), gathering) = warp.open.back();
    warp.open.pop_back();
    const unsigned first = static_cast<unsigned>(&warp - warps_.data()) * warp_lanes;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if ((gathering->present >> lane & 1) != 0 && fibers_[first + lane].state == State::exchange) {
            make_ready(first + lane);
        }
    }
    return true;
}

void Block::leave(Gathering* gathering)
{
    if (--gathering->readers == 0) free_gatherings_.push_back(gathering);
}

void Block::pause()
{
    const bool now = order_.natural() ? ++pauses_ % 256 == 0 : order_.below(16) == 1;
    if (now) give_way();
}

void Block::give_way()
{
    if (ready_count_ == 0) return;
    make_ready(running_);
    reschedule(false);
}

void Block::fail(const std::string& why)
{
    failure_ = place() + ", thread " + text(fibers_[running_].thread.index) + " " + why;
    switch_context(fibers_[running_].context, home_, true);
    std::abort(); // A failed block never continues.
}

// Starts an asynchronous copy. The copy is done between its start and the wait for it, at a time that the
// order determines.
void Block::copy_later(void* shared, const void* global, unsigned bytes)
{
    if ((reinterpret_cast<std::uintptr_t>(shared) | reinterpret_cast<std::uintptr_t>(global)) % bytes != 0) {
        fail("starts a " + std::to_string(bytes) + "-byte copy whose ends are not aligned to " + std::to_string(bytes) + " bytes");
    }
    if (order_.natural() || order_.below(4) == 1) {
        std::memcpy(shared, global, bytes);
    } else {
        Fiber& fiber = fibers_[running_];
        fiber.copies.push_back({shared, global, bytes, fiber.groups});
    }
}

void Block::close_copies() { ++fibers_[running_].groups; }

void Block::finish_copies(unsigned pending)
{
    Fiber& fiber = fibers_[running_];
    auto late = fiber.copies.begin();
    // Copies of a group that was never committed are not waited for.
    for (; late != fiber.copies.end() && late->group + pending < fiber.groups; ++late) {
        std::memcpy(late->shared, late->global, late->bytes);
    }
    fiber.copies.erase(fiber.copies.begin(), late);
}

std::string Block::place() const
{
    return std::string("kernel ") + launch_->kernel->name + ", block " + text(shape_[0]);
}

std::string Block::deadlock() const
{
    std::vector<unsigned> waiting;
    unsigned ended = 0;
    for (unsigned thread = 0; thread < threads_; ++thread) {
        if (fibers_[thread].state == State::barrier) waiting.push_back(thread);
        ended += fibers_[thread].state == State::ended;
    }
    std::string out = "deadlock in " + place() + " of " + std::to_string(threads_) + " threads:";
    if (!waiting.empty()) out += std::string(" at ") + name_of(barrier_kind_) + " threads " + ranges(waiting) + ";";
    for (unsigned number = 1; number < named_barriers; ++number) {
        const Named& named = named_[number];
        if (named.threads == 0) continue;
        waiting.clear();
        for (unsigned thread = 0; thread < threads_; ++thread) {
            if (named.lanes[thread / warp_lanes] >> thread % warp_lanes & 1) waiting.push_back(thread);
        }
        out += " at " + name_of_named(number, named.threads) + " threads " + ranges(waiting) + ";";
    }
    for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
        for (const Gathering* gathering : warps_[warp].open) {
            waiting.clear();
            for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                if (gathering->present >> lane & 1) waiting.push_back(static_cast<unsigned>(warp) * warp_lanes + lane);
            }
            char mask[16];
            std::snprintf(mask, sizeof mask, "0x%08x", gathering->mask);
            out += std::string(" at ") + name_of(gathering->kind) + " with mask " + mask + " threads " + ranges(waiting) + ";";
        }
    }
    return out + " " + std::to_string(ended) + " threads have ended";
}

void Block::lay_out_dynamic_shared(unsigned bytes)
{
    constexpr std::size_t alignment = 128, guard = 256;
#ifdef ARCUATE_ADDRESS_SANITIZER
    // The allocation has exactly `bytes` bytes, so that the sanitizer detects access beyond its end.
    dynamic_store_ = std::vector<unsigned char>();
    std::free(dynamic_);
    dynamic_ = std::malloc(bytes); // aligned to 16
    std::memset(dynamic_, garbage, bytes);
    (void)alignment;
    (void)guard;
#else
    const std::size_t whole = bytes + guard + alignment;
    if (dynamic_store_.size() < whole) dynamic_store_.resize(whole);
    const auto start = reinterpret_cast<std::uintptr_t>(dynamic_store_.data());
    unsigned char* aligned = dynamic_store_.data() + (alignment - start % alignment) % alignment;
    std::memset(aligned, garbage, bytes + guard);
    dynamic_ = aligned;
    dynamic_guard_ = guard;
#endif
}

bool Block::dynamic_guard_is_whole() const
{
    const unsigned char* end = static_cast<const unsigned char*>(dynamic_) + launch_->dynamic_bytes;
    return std::all_of(end, end + dynamic_guard_, [](unsigned char byte) { return byte == garbage; });
}

// ---- functions that kernels call

int barrier(Barrier kind, int predicate, const Place& place) { return running->block->wait(kind, predicate, place); }
void named_barrier(unsigned number, unsigned threads, const Place& place)
{
    running->block->wait_named(number, threads, place);
}

Gathering* come(Exchange kind, unsigned mask) { return running->block->come(kind, mask); }
void wait_for_others(Gathering* gathering) { running->block->wait_for_others(gathering); }
void leave(Gathering* gathering) { running->block->leave(gathering); }
void pause() { running->block->pause(); }
void give_way() { running->block->give_way(); }
void trap(const char* why) { running->block->fail(why); }
void* dynamic_shared() { return running->block->dynamic_shared(); }
void async_copy(void* shared, const void* global, unsigned bytes) { running->block->copy_later(shared, global, bytes); }
void async_copy_commit() { running->block->close_copies(); }
void async_copy_wait(unsigned pending) { running->block->finish_copies(pending); }

} // namespace arcuate_emulation

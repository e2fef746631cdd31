// Runs one block at a time: a fiber per thread, barriers, exchanges between lanes, and the order in which threads run.
#pragma once

#include "fiber.h"
#include "random.h"
#include "registry.h"
#include "threads.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace arcuate_emulation {

namespace ptx {
struct Program;
class Memory;
} // namespace ptx

// A launch as asked for, after all checks.
struct Launch {
    const Kernel* kernel;
    Index grid, block;
    unsigned dynamic_bytes;
    void* const* arguments;
    std::uint64_t order; // 0: threads and blocks run in their natural order
    const ptx::Program* written = nullptr; // of a kernel that was written at run time: what it does
    const ptx::Memory* memory = nullptr; // what such a kernel may use
};

class Block {
public:
    Block();

    // Runs block `index` of the launch to its end; answers what went wrong, or nothing.
    std::string run(const Launch& launch, const Index& index);

    // What threads call, on their own fibers.
    int wait(Barrier kind, int predicate, const Place& place);
    void wait_named(unsigned number, unsigned threads, const Place& place);
    Gathering* come(Exchange kind, unsigned mask);
    void wait_for_others(Gathering* gathering);
    void leave(Gathering* gathering);
    void pause();
    void give_way();
    [[noreturn]] void fail(const std::string& why);
    void copy_later(void* shared, const void* global, unsigned bytes);
    void close_copies();
    void finish_copies(unsigned pending);
    void* dynamic_shared() { return dynamic_; }

private:
    enum class State : unsigned char { ready, barrier, named_barrier, exchange, ended };

    struct Copy {
        void* shared;
        const void* global;
        unsigned bytes;
        unsigned group;
    };

    struct Fiber {
        Thread thread;
        Context context;
        State state;
        unsigned groups; // of asynchronous copies that were closed
        std::vector<Copy> copies;
    };

    struct Warp {
        unsigned live;
        std::vector<Gathering*> open;
    };

    // A barrier with a number, at which warps are counted: a warp has come when all its lanes have that have not ended.
    struct Named {
        unsigned threads; // that it waits for; 0 while nobody waits
        unsigned present; // 32 for each warp that has come
        std::vector<unsigned> lanes; // of each warp, those that wait
        std::vector<Place> places; // where those stand
    };
    static constexpr unsigned named_barriers = 16; // the first is __syncthreads, which is kept for itself

    static void entry();
    void prepare(const Launch& launch, const Index& index);
    void make_ready(unsigned thread);
    // Goes on with another thread; with none ready, back to `run`. Returns when the calling thread is chosen again.
    void reschedule(bool ends);
    void end_thread();
    void open_barrier();
    // Counts a warp, of which a lane has come or has ended, if that was the last one missing, and opens the barrier if
    // that was the last warp missing.
    void settle(Named& named, std::size_t warp);
    bool complete(Warp& warp, Gathering* gathering);
    std::string deadlock() const;
    std::string place() const;

    const Launch* launch_ = nullptr;
    Index shape_[3] = {};
    Order order_;
    Stacks stacks_;
    std::vector<Fiber> fibers_;
    std::vector<Warp> warps_;
    std::vector<unsigned> ready_; // a ring
    unsigned first_ready_ = 0, ready_count_ = 0;
    unsigned threads_ = 0, live_ = 0, running_ = 0;
    Context home_;
    std::string failure_;

    Barrier barrier_kind_ = Barrier::plain;
    Place barrier_place_ = {};
    unsigned at_barrier_ = 0, predicates_ = 0;
    int barrier_answer_ = 0;
    Named named_[named_barriers] = {};

    std::vector<std::unique_ptr<Gathering>> gatherings_;
    std::vector<Gathering*> free_gatherings_;

    std::vector<unsigned char> dynamic_store_;
    void* dynamic_ = nullptr;
    unsigned dynamic_guard_ = 0;
    unsigned pauses_ = 0;

    void lay_out_dynamic_shared(unsigned bytes);
    bool dynamic_guard_is_whole() const;
};

} // namespace arcuate_emulation

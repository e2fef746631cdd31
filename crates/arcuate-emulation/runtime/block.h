// Runs one block at a time: a fiber for each thread, barriers, exchanges between lanes, and the order of
// threads.
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

// A launch that has passed all checks.
struct Launch {
    const Kernel* kernel;
    Index grid, block;
    unsigned dynamic_bytes;
    void* const* arguments;
    std::uint64_t order; // seed of the order; 0 for the natural order of threads and blocks
    const ptx::Program* written = nullptr; // program of a kernel that was written at run time, or null
    const ptx::Memory* memory = nullptr; // memory that an interpreted kernel may use
};

class Block {
public:
    Block();

    // Runs block `index` of the launch to its end. Returns an error message, or an empty string.
    std::string run(const Launch& launch, const Index& index);

    // Functions that threads call on their own fibers.
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
        unsigned groups; // number of committed groups of asynchronous copies
        std::vector<Copy> copies;
    };

    struct Warp {
        unsigned live;
        std::vector<Gathering*> open;
    };

    // A numbered barrier, at which warps are counted. A warp has arrived when all its lanes that have not
    // ended have arrived.
    struct Named {
        unsigned threads; // number of threads for which the barrier waits; 0 if nobody waits
        unsigned present; // 32 for each warp that has arrived
        std::vector<unsigned> lanes; // for each warp, the lanes that wait
        std::vector<Place> places; // for each warp, the place where its lanes wait
    };
    static constexpr unsigned named_barriers = 16; // Barrier 0 is __syncthreads, which is handled separately.

    static void entry();
    void prepare(const Launch& launch, const Index& index);
    void make_ready(unsigned thread);
    // Switches to another ready thread, or to `run` if no thread is ready. Returns when the calling thread is
    // chosen again.
    void reschedule(bool ends);
    void end_thread();
    void open_barrier();
    // Called after a lane of a warp has arrived or ended. Counts the warp if no lane is missing, and opens
    // the barrier if no warp is missing.
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
    std::vector<unsigned> ready_; // ring buffer
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

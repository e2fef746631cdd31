// What a kernel sees of the emulation: who it is, barriers, exchanges between the lanes of a warp, shared memory.
#pragma once

#include <cstddef>
#include <cstring>

namespace arcuate_emulation {

struct Index {
    unsigned x, y, z;
};

constexpr unsigned warp_lanes = 32;
// The most bytes a lane gives to an exchange: its fragments of two matrices as f32.
constexpr unsigned exchange_bytes = 48;
// Fills memory that nobody has written: a large negative number as integer, 0xA5A5A5A5, and -3e-16 as f32.
constexpr unsigned char garbage = 0xA5;

class Block;

// One CUDA thread.
struct Thread {
    Index index;
    unsigned linear;
    Block* block;
    const Index* shape; // of the launch: block index, block size, grid size

    unsigned lane() const { return linear % warp_lanes; }
    const Index& block_index() const { return shape[0]; }
    const Index& block_size() const { return shape[1]; }
    const Index& grid_size() const { return shape[2]; }
};

// `__thread` rather than `thread_local`: read without asking whether it must be initialised first.
extern __thread Thread* running;

inline const Thread& current() { return *running; }

enum class Barrier : unsigned char { plain, count, all, any };

// A place in the code of a kernel: a line of a function, which instances of a template each have for themselves.
struct Place {
    const char* function;
    unsigned line;

    bool operator==(const Place& other) const { return function == other.function && line == other.line; }
};
#define ARCUATE_PLACE                                                                                                  \
    ::arcuate_emulation::Place { __PRETTY_FUNCTION__, __LINE__ }

// Waits for every thread of the block that has not ended; answers the reduction of `predicate` over them. All of them
// come to it at one place.
int barrier(Barrier kind, int predicate, const Place& place);

// See barrier.cuh. The lanes of a warp come to it at one place; warps may come at places of their own.
void named_barrier(unsigned number, unsigned threads, const Place& place);

enum class Exchange : unsigned char { synchronise, shuffle, vote, match, reduce, multiply };

// One exchange of a warp, from the first lane's coming to the last lane's leaving.
struct Gathering {
    Exchange kind;
    unsigned mask;
    unsigned present; // the lanes that have come
    unsigned readers; // how many have not left
    alignas(16) unsigned char given[warp_lanes][exchange_bytes];
};

// Comes to an exchange, after which the thread writes what it gives to its place in it; then waits for the other lanes;
// then, having read what they gave, leaves.
Gathering* come(Exchange kind, unsigned mask);
void wait_for_others(Gathering* gathering);
void leave(Gathering* gathering);

// What the lanes of a warp gave to one exchange. All lanes named by `mask` that have not ended must come to the same
// kind of exchange with the same mask; the constructor returns when they have.
class Gathered {
public:
    template <class T>
    Gathered(Exchange kind, unsigned mask, const T& own) : gathering_(come(kind, mask))
    {
        static_assert(sizeof(T) <= exchange_bytes, "lanes exchange at most 48 bytes");
        std::memcpy(gathering_->given[current().lane()], &own, sizeof own);
        wait_for_others(gathering_);
    }
    ~Gathered() { leave(gathering_); }
    Gathered(const Gathered&) = delete;
    Gathered& operator=(const Gathered&) = delete;

    // The lanes that took part.
    unsigned lanes() const { return gathering_->present; }

    // What `lane` gave; garbage where it took no part.
    template <class T>
    T from(unsigned lane) const
    {
        T value;
        if (lane < warp_lanes && (gathering_->present >> lane & 1) != 0) {
            std::memcpy(&value, gathering_->given[lane], sizeof value);
        } else {
            std::memset(&value, garbage, sizeof value);
        }
        return value;
    }

    // Where that of a lane lies which took part.
    const void* at(unsigned lane) const { return gathering_->given[lane]; }

private:
    Gathering* gathering_;
};

// Lets other threads of the block run now and then; called by atomics, so that threads that wait for one another meet
// and their order varies.
void pause();
// Lets other threads of the block run now.
void give_way();

// Ends the launch with an error that says `why`.
[[noreturn]] void trap(const char* why);

void* dynamic_shared();

// f32 to the bits of the nearest f16 (ties to even) and back.
unsigned f16_bits(float value);
float f16_value(unsigned bits);

// See mma.cuh.
void mma_f16_16x8x16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]);

// See async_copy.cuh.
void async_copy(void* shared, const void* global, unsigned bytes);
void async_copy_commit();
void async_copy_wait(unsigned pending);

} // namespace arcuate_emulation

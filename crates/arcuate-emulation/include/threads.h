// The interface of the emulation for kernels: thread indices, barriers, exchanges between the lanes of a
// warp, and shared memory.
#pragma once

#include <cstddef>
#include <cstring>

namespace arcuate_emulation {

struct Index {
    unsigned x, y, z;
};

constexpr unsigned warp_lanes = 32;
// Maximum number of bytes of a lane in an exchange: its fragments of two matrices as f32.
constexpr unsigned exchange_bytes = 48;
// Byte that fills unwritten memory. A word is then 0xA5A5A5A5: a large negative integer, or -3e-16 as f32.
constexpr unsigned char garbage = 0xA5;

class Block;

// A CUDA thread.
struct Thread {
    Index index;
    unsigned linear;
    Block* block;
    const Index* shape; // shape of the launch: block index, block size, grid size

    unsigned lane() const { return linear % warp_lanes; }
    const Index& block_index() const { return shape[0]; }
    const Index& block_size() const { return shape[1]; }
    const Index& grid_size() const { return shape[2]; }
};

// `__thread` is read without a check for initialisation, unlike `thread_local`.
extern __thread Thread* running;

inline const Thread& current() { return *running; }

enum class Barrier : unsigned char { plain, count, all, any };

// A place in the code of a kernel: a function and a line. Instances of a template have separate places.
struct Place {
    const char* function;
    unsigned line;

    bool operator==(const Place& other) const { return function == other.function && line == other.line; }
};
#define ARCUATE_PLACE                                                                                                  \
    ::arcuate_emulation::Place { __PRETTY_FUNCTION__, __LINE__ }

// Waits for all threads of the block that have not ended. Returns the reduction of `predicate` over these
// threads. All threads must wait at the same place.
int barrier(Barrier kind, int predicate, const Place& place);

// Emulates the barriers of barrier.cuh. All lanes of a warp must wait at the same place; different warps may
// wait at different places.
void named_barrier(unsigned number, unsigned threads, const Place& place);

enum class Exchange : unsigned char { synchronise, shuffle, vote, match, reduce, multiply };

// An exchange of a warp. It exists from the arrival of the first lane until the last lane leaves.
struct Gathering {
    Exchange kind;
    unsigned mask;
    unsigned present; // lanes that have arrived
    unsigned readers; // number of lanes that have not left
    alignas(16) unsigned char given[warp_lanes][exchange_bytes];
};

// The three steps of an exchange. `come` enters an exchange, after which the thread writes its own value.
// `wait_for_others` waits until all lanes have arrived. `leave` ends the exchange after the thread has read
// the values.
Gathering* come(Exchange kind, unsigned mask);
void wait_for_others(Gathering* gathering);
void leave(Gathering* gathering);

// Values of the lanes of a warp in an exchange. All lanes in `mask` that have not ended must enter the same
// kind of exchange with the same mask. The constructor returns when they have.
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

    // Returns the lanes that took part.
    unsigned lanes() const { return gathering_->present; }

    // Returns the value of `lane`, or garbage if the lane did not take part.
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

    // Returns the place of the value of a lane that took part.
    const void* at(unsigned lane) const { return gathering_->given[lane]; }

private:
    Gathering* gathering_;
};

// Sometimes lets other threads of the block run. Atomic operations call it, so that threads that wait for one
// another make progress and the order of threads varies.
void pause();
// Lets other threads of the block run.
void give_way();

// Ends the launch with the error message `why`.
[[noreturn]] void trap(const char* why);

void* dynamic_shared();

// Convert between f32 and the bits of f16. f16_bits rounds to the nearest f16, ties to even.
unsigned f16_bits(float value);
float f16_value(unsigned bits);

// Emulates the function of mma.cuh.
void mma_f16_16x8x16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]);

// Emulate the functions of async_copy.cuh.
void async_copy(void* shared, const void* global, unsigned bytes);
void async_copy_commit();
void async_copy_wait(unsigned pending);

} // namespace arcuate_emulation

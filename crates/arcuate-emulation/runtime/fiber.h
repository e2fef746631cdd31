// Coroutines: a stack each, and the switch between them.
#pragma once

#include <cstddef>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define ARCUATE_ADDRESS_SANITIZER 1
#endif

namespace arcuate_emulation {

// A place where execution can go on: a fiber's, or that of the thread that started the fibers.
struct Context {
    void* stack_pointer = nullptr;
#ifdef ARCUATE_ADDRESS_SANITIZER
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* fake_stack = nullptr;
#endif
};

// Stacks that are kept from launch to launch; each ends in a page that must not be touched, so that an overflow stops
// the program rather than damaging a neighbour.
class Stacks {
public:
    Stacks() = default;
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    // Makes `context` a fresh fiber on stack `number` that calls `entry`, which must not return.
    void prepare(std::size_t number, Context& context, void (*entry)());

    // Says that fibers were left in the middle of their work and will not go on.
    void abandon();

private:
    std::vector<char*> stacks_;
};

// Notes the bounds of the calling thread's own stack, to which fibers will return.
void adopt_thread(Context& context);

// Goes from `from`, where the next switch to it goes on, to `to`. `ends` says that `from` is never returned to.
void switch_context(Context& from, Context& to, bool ends);

// The first thing a fiber does; `from` is the context that started it.
void arrive(Context& self);

} // namespace arcuate_emulation

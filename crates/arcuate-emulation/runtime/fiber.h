// Coroutines with a stack each, and the switch between them.
#pragma once

#include <cstddef>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define ARCUATE_ADDRESS_SANITIZER 1
#endif

namespace arcuate_emulation {

// A place where execution can continue: in a fiber, or in the thread that started the fibers.
struct Context {
    void* stack_pointer = nullptr;
#ifdef ARCUATE_ADDRESS_SANITIZER
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* fake_stack = nullptr;
#endif
};

// Stacks that are reused by later launches. Each has an inaccessible page at its low end, so that an overflow
// stops the program and does not damage another stack.
class Stacks {
public:
    Stacks() = default;
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    // Makes `context` a new fiber on stack `number` that calls `entry`, which must not return.
    void prepare(std::size_t number, Context& context, void (*entry)());

    // Records that the fibers were left before their end and will not continue.
    void abandon();

private:
    std::vector<char*> stacks_;
};

// Stores the bounds of the calling thread's own stack, to which fibers return.
void adopt_thread(Context& context);

// Switches from `from` to `to`. The next switch to `from` continues here. `ends` is true if there is no such
// switch.
void switch_context(Context& from, Context& to, bool ends);

// First call of each fiber. `from` is the context that started it.
void arrive(Context& self);

} // namespace arcuate_emulation

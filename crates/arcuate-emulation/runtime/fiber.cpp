#include "fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef ARCUATE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// Switches stacks. It saves the registers that calls preserve on the old stack, stores its pointer in *save,
// and restores the registers from the new stack. A new stack has the entry function at the place of a saved
// register (see `prepare`).
extern "C" void arcuate_emulation_switch(void** save, void* load);
extern "C" void arcuate_emulation_start();

#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.hidden arcuate_emulation_switch
.globl arcuate_emulation_switch
.type arcuate_emulation_switch, @function
arcuate_emulation_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size arcuate_emulation_switch, .-arcuate_emulation_switch
.p2align 4
.hidden arcuate_emulation_start
.globl arcuate_emulation_start
.type arcuate_emulation_start, @function
arcuate_emulation_start:
    xorl %ebp, %ebp
    callq *%rbx
    ud2
.size arcuate_emulation_start, .-arcuate_emulation_start
)");
namespace {
constexpr std::size_t frame_words = 7; // six registers and the return address; the stack is then aligned at the first call
constexpr std::size_t entry_word = 4, return_word = 6;
} // namespace
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.hidden arcuate_emulation_switch
.globl arcuate_emulation_switch
.type arcuate_emulation_switch, %function
arcuate_emulation_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size arcuate_emulation_switch, .-arcuate_emulation_switch
.p2align 4
.hidden arcuate_emulation_start
.globl arcuate_emulation_start
.type arcuate_emulation_start, %function
arcuate_emulation_start:
    mov x29, xzr
    mov x30, xzr
    blr x19
    brk #1
.size arcuate_emulation_start, .-arcuate_emulation_start
)");
namespace {
constexpr std::size_t frame_words = 20;
constexpr std::size_t entry_word = 0, return_word = 11;
} // namespace
#else
#error "the emulation knows how to switch stacks on x86-64 and aarch64"
#endif

namespace arcuate_emulation {
namespace {

// Instrumented code has larger stack frames.
#ifdef ARCUATE_ADDRESS_SANITIZER
constexpr std::size_t stack_bytes = 512 << 10, unreturned_bytes = 4 << 10;
#else
constexpr std::size_t stack_bytes = 128 << 10;
#endif

std::size_t page_bytes()
{
    static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

} // namespace

Stacks::~Stacks()
{
    for (char* stack : stacks_) munmap(stack, page_bytes() + stack_bytes);
}

void Stacks::prepare(std::size_t number, Context& context, void (*entry)())
{
    while (stacks_.size() <= number) {
        void* mapped = mmap(nullptr, page_bytes() + stack_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED || mprotect(mapped, page_bytes(), PROT_NONE) != 0) {
            std::fputs("arcuate-emulation: no memory for the stacks of a block's threads\n", stderr);
            std::abort();
        }
        stacks_.push_back(static_cast<char*>(mapped));
    }
    char* bottom = stacks_[number] + page_bytes();
    // Stacks start at different places of a page. Otherwise their tops would compete for the same cache
    // lines.
    char* top = bottom + stack_bytes - number % 48 * 64;
    void** frame = reinterpret_cast<void**>(top) - frame_words;
    for (std::size_t word = 0; word < frame_words; ++word) frame[word] = nullptr;
    frame[entry_word] = reinterpret_cast<void*>(entry);
    frame[return_word] = reinterpret_cast<void*>(arcuate_emulation_start);
    context.stack_pointer = frame;
#ifdef ARCUATE_ADDRESS_SANITIZER
    // Functions that never returned have left sanitizer marks at the top of the stack.
    __asan_unpoison_memory_region(top - unreturned_bytes, unreturned_bytes);
    context.bottom = bottom;
    context.bytes = stack_bytes;
    context.fake_stack = nullptr;
#endif
}

void Stacks::abandon()
{
#ifdef ARCUATE_ADDRESS_SANITIZER
    for (char* stack : stacks_) __asan_unpoison_memory_region(stack + page_bytes(), stack_bytes);
#endif
}

void adopt_thread(Context& context)
{
#ifdef ARCUATE_ADDRESS_SANITIZER
    pthread_attr_t attributes;
    void* bottom = nullptr;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &bottom, &context.bytes);
    pthread_attr_destroy(&attributes);
    context.bottom = bottom;
#else
    (void)context;
#endif
}

void switch_context(Context& from, Context& to, bool ends)
{
#ifdef ARCUATE_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(ends ? nullptr : &from.fake_stack, to.bottom, to.bytes);
#endif
    (void)ends;
    arcuate_emulation_switch(&from.stack_pointer, to.stack_pointer);
    arrive(from);
}

void arrive(Context& self)
{
#ifdef ARCUATE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(self.fake_stack, nullptr, nullptr);
#endif
    (void)self;
}

} // namespace arcuate_emulation

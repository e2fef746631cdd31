// Controls of the emulated driver for tests, beyond the driver API: faults, execution order, and queries.
// src/lib.rs makes these functions available in Rust.

#include "driver.h"

#include <cstring>
#include <dlfcn.h>

using namespace arcuate_emulation;

namespace {

std::unique_lock<std::recursive_mutex> locked() { return std::unique_lock(driver().mutex); }

// Copies `what` to `text`, truncated to `bytes` including the final zero. Returns the full length of `what`.
std::uint64_t give(const std::string& what, char* text, std::uint64_t bytes)
{
    if (bytes > 0) {
        const std::size_t length = std::min<std::size_t>(what.size(), bytes - 1);
        std::memcpy(text, what.data(), length);
        text[length] = 0;
    }
    return what.size();
}

} // namespace

ARCUATE_EXPORT void arcuate_emulation_fail_allocation_after(std::uint64_t successes)
{
    const auto lock = locked();
    driver().faults.allocations_until_failure = static_cast<std::int64_t>(successes);
}

ARCUATE_EXPORT void arcuate_emulation_limit_memory(std::uint64_t bytes)
{
    const auto lock = locked();
    driver().faults.memory_limit = bytes;
}

ARCUATE_EXPORT void arcuate_emulation_fail_launch(const char* name, std::uint64_t nth)
{
    const auto lock = locked();
    driver().faults.failing_kernel = name;
    driver().faults.launches_until_failure = nth;
}

ARCUATE_EXPORT void arcuate_emulation_fail_call(std::uint64_t nth, int code)
{
    const auto lock = locked();
    driver().faults.calls_until_answer = nth;
    driver().faults.answer = code;
}

ARCUATE_EXPORT void arcuate_emulation_clear_faults()
{
    const auto lock = locked();
    driver().faults = Faults();
    driver().report.clear();
    for (const auto& device : driver().devices) device->broken = success;
}

ARCUATE_EXPORT void arcuate_emulation_set_order(std::uint64_t seed)
{
    const auto lock = locked();
    driver().order_seed = seed;
    driver().order = Order(seed);
}

ARCUATE_EXPORT void arcuate_emulation_live_allocations(std::uint64_t* count, std::uint64_t* bytes)
{
    const auto lock = locked();
    *count = *bytes = 0;
    for (const auto& [start, allocation] : driver().allocations) {
        if (allocation.device == nullptr || allocation.being_freed) continue;
        ++*count;
        *bytes += allocation.bytes;
    }
}

// Copies the last report to `text`. Returns its full length.
ARCUATE_EXPORT std::uint64_t arcuate_emulation_last_report(char* text, std::uint64_t bytes)
{
    const auto lock = locked();
    return give(driver().report, text, bytes);
}

// Copies the list of all kernels to `text`, one line for each: the name, a space, and the file. Returns the
// full length.
ARCUATE_EXPORT std::uint64_t arcuate_emulation_kernels(char* text, std::uint64_t bytes)
{
    std::string lines;
    for (const NamedKernel& kernel : named_kernels()) lines += kernel.name + " " + kernel.file + "\n";
    return give(lines, text, bytes);
}

// Finds the function with this name, in the newest version that the emulated driver has.
ARCUATE_EXPORT Result cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int* status)
{
    if (name == nullptr || function == nullptr) return invalid_value;
    *function = nullptr;
    Dl_info own;
    if (dladdr(reinterpret_cast<const void*>(&cuGetProcAddress_v2), &own) != 0) {
        if (void* library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD)) {
            for (const char* ending : {"_v2", ""}) {
                *function = dlsym(library, (std::string(name) + ending).c_str());
                if (*function != nullptr) break;
            }
            dlclose(library);
        }
    }
    if (status != nullptr) *status = *function == nullptr ? 1 : 0; // 1: no such symbol
    return *function == nullptr ? not_found : success;
}

ARCUATE_EXPORT Result cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

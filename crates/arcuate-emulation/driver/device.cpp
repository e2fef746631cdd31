// Initialisation, devices and primary contexts.

#include "driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace arcuate_emulation {
namespace {

// Returns the comma-separated integers of an environment variable, or `otherwise` if the variable is empty or
// not set.
std::vector<std::uint64_t> numbers_from(const char* variable, std::uint64_t otherwise)
{
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == 0) return {otherwise};
    std::vector<std::uint64_t> numbers;
    for (const char* rest = text;; ++rest) {
        char* end = nullptr;
        numbers.push_back(std::strtoull(rest, &end, 10));
        if (end == rest || (*end != 0 && *end != ',')) {
            std::fprintf(stderr, "arcuate-emulation: %s=%s is no whole number\n", variable, text);
            std::exit(1);
        }
        rest = end;
        if (*rest == 0) return numbers;
    }
}

std::string text_from(const char* variable)
{
    const char* text = std::getenv(variable);
    return text == nullptr ? "" : text;
}

// Returns the kernel name in an environment variable, or an empty string. Ends the program if no such kernel
// exists.
std::string kernel_from(const char* variable)
{
    const std::string name = text_from(variable);
    if (name.empty() || is_kernel(name)) return name;
    std::fprintf(stderr, "arcuate-emulation: %s=%s is no kernel; there are", variable, name.c_str());
    for (const NamedKernel& one : named_kernels()) std::fprintf(stderr, " %s", one.name.c_str());
    std::fprintf(stderr, "\n");
    std::exit(1);
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) { return numbers_from(variable, otherwise).front(); }

Device* device_at(int ordinal)
{
    const auto& devices = driver().devices;
    return ordinal >= 0 && static_cast<std::size_t>(ordinal) < devices.size() ? devices[static_cast<std::size_t>(ordinal)].get()
                                                                             : nullptr;
}

// Destroys a primary context and everything that it owns.
void destroy_context(Device& device)
{
    Driver& all = driver();
    device.broken = success;
    device.peers.clear();
    drain_device(device);
    const auto remove_of = [&](auto& handles) {
        std::vector<std::decay_t<decltype(handles.all().begin()->first)>> gone;
        for (const auto& [handle, object] : handles.all()) {
            if (object->device == &device) gone.push_back(handle);
        }
        for (auto* handle : gone) handles.remove(handle);
    };
    remove_of(all.streams);
    remove_of(all.events);
    remove_of(all.modules);
    forget_memory_of(device);
}

} // namespace

Driver::Driver()
{
    version = static_cast<int>(number_from("ARCUATE_EMULATION_DRIVER", 12040));
    const auto capabilities = numbers_from("ARCUATE_EMULATION_CAPABILITY", 90);
    memory = number_from("ARCUATE_EMULATION_MEMORY", std::size_t(1) << 30);
    order_seed = number_from("ARCUATE_EMULATION_ORDER", 1);
    order = Order(order_seed);
    broken_kernel = kernel_from("ARCUATE_EMULATION_BREAK");
    idle_kernel = kernel_from("ARCUATE_EMULATION_IDLE");
    log_of_launches = text_from("ARCUATE_EMULATION_LAUNCHES");
    may_fall_back = text_from("ARCUATE_NO_FALLBACK") == "0";
    const std::uint64_t count = number_from("ARCUATE_EMULATION_DEVICES", 2);
    for (std::uint64_t ordinal = 0; ordinal < count; ++ordinal) {
        devices.push_back(std::make_unique<Device>());
        devices.back()->ordinal = static_cast<int>(ordinal);
        devices.back()->capability = static_cast<int>(capabilities[std::min<std::size_t>(ordinal, capabilities.size() - 1)]);
        devices.back()->null_stream.device = devices.back().get();
    }
}

Driver& driver()
{
    // The object is never destroyed, because threads may still hold buffers when the program ends.
    static Driver* const only = new Driver;
    return *only;
}

std::vector<Device*>& context_stack()
{
    static thread_local std::vector<Device*> stack;
    return stack;
}

Entry::Entry() : lock(driver().mutex)
{
    const auto& stack = context_stack();
    if (!driver().initialized) result = not_initialized;
    else if (stack.empty() || stack.back() == nullptr || stack.back()->references == 0) result = invalid_context;
    else {
        device = stack.back();
        Faults& faults = driver().faults;
        const bool asked = faults.calls_until_answer > 0 && --faults.calls_until_answer == 0;
        result = asked ? faults.answer : device->broken;
    }
}

void report(const std::string& what)
{
    driver().report = what;
    std::fprintf(stderr, "arcuate-emulation: %s\n", what.c_str());
}

} // namespace arcuate_emulation

using namespace arcuate_emulation;

ARCUATE_EXPORT Result cuInit(unsigned flags)
{
    const std::lock_guard lock(driver().mutex);
    if (flags != 0) return invalid_value;
    if (driver().devices.empty()) return no_device;
    driver().initialized = true;
    return success;
}

ARCUATE_EXPORT Result cuDriverGetVersion(int* version)
{
    if (version == nullptr) return invalid_value;
    *version = driver().version;
    return success;
}

ARCUATE_EXPORT Result cuDeviceGetCount(int* count)
{
    if (!driver().initialized) return not_initialized;
    if (count == nullptr) return invalid_value;
    *count = static_cast<int>(driver().devices.size());
    return success;
}

ARCUATE_EXPORT Result cuDeviceGet(int* device, int ordinal)
{
    if (!driver().initialized) return not_initialized;
    if (device == nullptr) return invalid_value;
    if (device_at(ordinal) == nullptr) return invalid_device;
    *device = ordinal;
    return success;
}

ARCUATE_EXPORT Result cuDeviceGetName(char* name, int bytes, int device)
{
    if (device_at(device) == nullptr) return invalid_device;
    if (name == nullptr || bytes <= 0) return invalid_value;
    std::snprintf(name, static_cast<std::size_t>(bytes), "Emulated GPU %d", device);
    return success;
}

ARCUATE_EXPORT Result cuDeviceGetUuid_v2(unsigned char* uuid, int device)
{
    if (device_at(device) == nullptr) return invalid_device;
    if (uuid == nullptr) return invalid_value;
    std::memcpy(uuid, "arcuate emulated", 16);
    uuid[15] = static_cast<unsigned char>(device);
    return success;
}

ARCUATE_EXPORT Result cuDeviceGetUuid(unsigned char* uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }

ARCUATE_EXPORT Result cuDeviceGetPCIBusId(char* text, int bytes, int device)
{
    if (device_at(device) == nullptr) return invalid_device;
    if (text == nullptr || bytes < 13) return invalid_value;
    std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02X:00.0", device + 1);
    return success;
}

ARCUATE_EXPORT Result cuDeviceTotalMem_v2(std::size_t* bytes, int device)
{
    if (device_at(device) == nullptr) return invalid_device;
    if (bytes == nullptr) return invalid_value;
    *bytes = driver().memory_of_device();
    return success;
}

// Attributes have the values of compute capability 9.0 if a kernel can observe them. The number of
// multiprocessors is small, so that grids for the device stay small.
ARCUATE_EXPORT Result cuDeviceGetAttribute(int* value, int attribute, int device)
{
    if (device_at(device) == nullptr) return invalid_device;
    if (value == nullptr || attribute < 1) return invalid_value;
    switch (attribute) {
    case 1: case 2: case 3: *value = 1024; break;                   // threads of a block, in x, in y
    case 4: *value = 64; break;                                     // threads of a block in z
    case 5: *value = 2147483647; break;                             // blocks of a grid in x
    case 6: case 7: *value = 65535; break;                          // blocks of a grid in y, in z
    case 8: *value = 48 << 10; break;                               // shared memory of a block
    case 9: *value = 64 << 10; break;                               // constant memory
    case 10: *value = 32; break;                                    // warp size
    case 12: case 82: *value = 65536; break;                        // registers of a block, registers of a multiprocessor
    case 13: *value = 1000000; break;                               // clock in kHz
    case 16: *value = 4; break;                                     // multiprocessors
    case 19: case 31: case 40: case 41: case 78: case 90: case 99: *value = 1; break; // maps host memory, concurrent
        // kernels, one copy engine, unified addresses, priorities, preemption, host registration
    case 33: *value = device + 1; break;                            // PCI bus
    case 36: *value = 1000000; break;                               // memory clock in kHz
    case 37: *value = 256; break;                                   // bus width in bits
    case 38: *value = 4 << 20; break;                               // L2 cache
    case 39: *value = 2048; break;                                  // threads of a multiprocessor
    case 75: *value = device_at(device)->capability / 10; break;
    case 76: *value = device_at(device)->capability % 10; break;
    case 81: *value = 228 << 10; break;                             // shared memory of a multiprocessor
    case 97: *value = 227 << 10; break;                             // shared memory of a block on request
    case 106: *value = 32; break;                                   // blocks of a multiprocessor
    case 111: *value = 1 << 10; break;                              // shared memory of each block that is reserved for the system
    case 115: *value = 1; break;                                    // memory pools: allocation in stream order
    default: *value = 0;                                            // Other features are not emulated.
    }
    return success;
}

ARCUATE_EXPORT Result cuDeviceCanAccessPeer(int* can, int device, int peer)
{
    if (device_at(device) == nullptr || device_at(peer) == nullptr) return invalid_device;
    if (can == nullptr) return invalid_value;
    *can = device != peer;
    return success;
}

ARCUATE_EXPORT Result cuDevicePrimaryCtxRetain(Device** context, int device)
{
    const std::lock_guard lock(driver().mutex);
    if (!driver().initialized) return not_initialized;
    if (context == nullptr) return invalid_value;
    Device* found = device_at(device);
    if (found == nullptr) return invalid_device;
    ++found->references;
    *context = found;
    return success;
}

ARCUATE_EXPORT Result cuDevicePrimaryCtxRelease_v2(int device)
{
    const std::lock_guard lock(driver().mutex);
    Device* found = device_at(device);
    if (found == nullptr) return invalid_device;
    if (found->references == 0) return invalid_context;
    if (--found->references == 0) destroy_context(*found);
    return success;
}

ARCUATE_EXPORT Result cuDevicePrimaryCtxReset_v2(int device)
{
    const std::lock_guard lock(driver().mutex);
    Device* found = device_at(device);
    if (found == nullptr) return invalid_device;
    destroy_context(*found);
    return success;
}

ARCUATE_EXPORT Result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active)
{
    const std::lock_guard lock(driver().mutex);
    const Device* found = device_at(device);
    if (found == nullptr) return invalid_device;
    if (flags == nullptr || active == nullptr) return invalid_value;
    *flags = 0;
    *active = found->references > 0;
    return success;
}

ARCUATE_EXPORT Result cuCtxSetCurrent(Device* context)
{
    auto& stack = context_stack();
    if (!stack.empty()) stack.pop_back();
    if (context != nullptr) stack.push_back(context);
    return driver().initialized ? success : not_initialized;
}

ARCUATE_EXPORT Result cuCtxGetCurrent(Device** context)
{
    if (context == nullptr) return invalid_value;
    *context = context_stack().empty() ? nullptr : context_stack().back();
    return driver().initialized ? success : not_initialized;
}

ARCUATE_EXPORT Result cuCtxPushCurrent_v2(Device* context)
{
    if (context == nullptr) return invalid_context;
    context_stack().push_back(context);
    return success;
}

ARCUATE_EXPORT Result cuCtxPopCurrent_v2(Device** context)
{
    auto& stack = context_stack();
    if (stack.empty()) return invalid_context;
    if (context != nullptr) *context = stack.back();
    stack.pop_back();
    return success;
}

ARCUATE_EXPORT Result cuCtxGetDevice(int* device)
{
    if (context_stack().empty()) return invalid_context;
    if (device == nullptr) return invalid_value;
    *device = context_stack().back()->ordinal;
    return success;
}

ARCUATE_EXPORT Result cuCtxSynchronize()
{
    ARCUATE_ENTER;
    drain_device(*entry.device);
    return entry.device->broken;
}

ARCUATE_EXPORT Result cuCtxGetStreamPriorityRange(int* least, int* greatest)
{
    ARCUATE_ENTER;
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -1;
    return success;
}

ARCUATE_EXPORT Result cuCtxEnablePeerAccess(Device* peer, unsigned flags)
{
    ARCUATE_ENTER;
    if (flags != 0) return invalid_value;
    if (peer == nullptr || peer == entry.device) return invalid_device;
    return entry.device->peers.insert(peer).second ? success : peer_access_already_enabled;
}

ARCUATE_EXPORT Result cuCtxDisablePeerAccess(Device* peer)
{
    ARCUATE_ENTER;
    return entry.device->peers.erase(peer) > 0 ? success : peer_access_not_enabled;
}

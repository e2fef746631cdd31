// Device memory, page-locked host memory, copies and fills. All of it is host memory here. Each allocation is
// between two guards, and copies cannot exceed an allocation.

#include "driver.h"

#include "arithmetic.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace arcuate_emulation {
namespace {

constexpr std::size_t alignment = 256;
#ifdef ARCUATE_ADDRESS_SANITIZER
constexpr std::size_t guard = 0; // The sanitizer has its own guards, which also detect reads.
#else
constexpr std::size_t guard = 256;
#endif
constexpr unsigned char guard_byte = 0x5c;

Allocation* find_base(Address start)
{
    const auto found = driver().allocations.find(start);
    return found == driver().allocations.end() || found->second.being_freed ? nullptr : &found->second;
}

Address make_allocation(std::size_t bytes, Device* device)
{
    Allocation made;
    made.bytes = bytes;
    made.device = device;
    void* raw = nullptr;
    if (posix_memalign(&raw, alignment, bytes + 2 * guard) != 0) return 0;
    made.raw = static_cast<unsigned char*>(raw);
    unsigned char* start = made.raw + guard;
    std::memset(made.raw, guard_byte, guard);
    std::memset(start, garbage, bytes);
    std::memset(start + bytes, guard_byte, guard);
    const auto address = reinterpret_cast<Address>(start);
    driver().allocations[address] = made;
    if (device != nullptr) device->used += bytes;
    return address;
}

void drop_allocation(Address start)
{
    const auto found = driver().allocations.find(start);
    if (found == driver().allocations.end()) return;
    if (found->second.device != nullptr) found->second.device->used -= found->second.bytes;
    std::free(found->second.raw);
    driver().allocations.erase(found);
}

Result allocate(Address* address, std::size_t bytes, Device* device)
{
    if (address == nullptr || bytes == 0) return invalid_value;
    Driver& all = driver();
    if (all.faults.allocations_until_failure >= 0 && all.faults.allocations_until_failure-- == 0) return out_of_memory;
    if (bytes > all.memory_of_device() || device->used > all.memory_of_device() - bytes) return out_of_memory;
    *address = make_allocation(bytes, device);
    return *address == 0 ? out_of_memory : success;
}

// Returns true if the guards of an allocation are unchanged.
bool guards_are_whole(Address start, const Allocation& allocation)
{
    if (allocation.raw == nullptr) return true;
    const auto whole = [](const unsigned char* from) {
        return std::all_of(from, from + guard, [](unsigned char byte) { return byte == guard_byte; });
    };
    return whole(allocation.raw) && whole(reinterpret_cast<const unsigned char*>(start) + allocation.bytes);
}

bool is_page_locked(const void* start, std::size_t bytes)
{
    const Allocation* found = find_range(reinterpret_cast<Address>(start), bytes);
    return found != nullptr && found->device == nullptr;
}

enum class Side { device, host, any };

struct End {
    Address address;
    Side side;
};

bool valid(const End& end, std::size_t bytes)
{
    const Allocation* found = find_range(end.address, bytes);
    switch (end.side) {
    case Side::device: return found != nullptr;
    case Side::host: return end.address != 0 && (found == nullptr || found->device == nullptr);
    default: return end.address != 0;
    }
}

bool is_host(const End& end, std::size_t bytes)
{
    if (end.side == Side::device) return false;
    const Allocation* found = find_range(end.address, bytes);
    return found == nullptr || found->device == nullptr;
}

// Copies bytes in a stream. If `waits` is true, the call returns when the copy is done.
Result copy(const End& to, const End& from, std::size_t bytes, Stream* stream, bool waits)
{
    if (stream == nullptr) return invalid_handle;
    if (bytes == 0) return success;
    if (!valid(to, bytes) || !valid(from, bytes)) return invalid_value;
    auto* target = reinterpret_cast<unsigned char*>(to.address);
    const auto* source = reinterpret_cast<const unsigned char*>(from.address);
    // Ordinary host memory is read and written before the call returns. Page-locked memory is read and
    // written when the stream reaches the copy.
    std::shared_ptr<std::vector<unsigned char>> staged;
    if (is_host(from, bytes) && !is_page_locked(source, bytes)) {
        staged = std::make_shared<std::vector<unsigned char>>(source, source + bytes);
    }
    if (is_host(to, bytes) && !is_page_locked(target, bytes)) waits = true;
    std::shared_ptr<Work> work;
    const Result result = enqueue(
        *stream,
        [=]() -> Result {
            std::memmove(target, staged ? staged->data() : source, bytes);
            return success;
        },
        &work);
    if (result != success) return result;
    if (waits) drain(*stream, work.get());
    return waits ? stream->device->broken : success;
}

template <class T>
Result fill(Address start, T value, std::size_t count, Stream* stream, bool waits)
{
    if (stream == nullptr) return invalid_handle;
    if (count == 0) return success;
    if (start % sizeof(T) != 0 || find_range(start, count * sizeof(T)) == nullptr) return invalid_value;
    std::shared_ptr<Work> work;
    const Result result = enqueue(
        *stream,
        [=]() -> Result {
            std::fill_n(reinterpret_cast<T*>(start), count, value);
            return success;
        },
        &work);
    if (result != success) return result;
    if (waits) drain(*stream, work.get());
    return waits ? stream->device->broken : success;
}

} // namespace

const Allocation* find_range(Address start, std::size_t bytes, bool for_earlier_work)
{
    auto after = driver().allocations.upper_bound(start);
    if (after == driver().allocations.begin()) return nullptr;
    const auto& [base, allocation] = *--after;
    const std::size_t offset = start - base;
    const bool inside = offset <= allocation.bytes && bytes <= allocation.bytes - offset;
    return inside && (for_earlier_work || !allocation.being_freed) ? &allocation : nullptr;
}

std::string damaged_guard()
{
    for (auto& [start, allocation] : driver().allocations) {
        if (guards_are_whole(start, allocation)) continue;
        // The guards are restored, so that each damage is reported once.
        std::memset(allocation.raw, guard_byte, guard);
        std::memset(reinterpret_cast<unsigned char*>(start) + allocation.bytes, guard_byte, guard);
        return "wrote next to an allocation of " + std::to_string(allocation.bytes) + " bytes of " +
               (allocation.device != nullptr ? "device " + std::to_string(allocation.device->ordinal) : "host memory");
    }
    return "";
}

void forget_memory_of(Device& device)
{
    std::vector<Address> gone;
    for (const auto& [start, allocation] : driver().allocations) {
        if (allocation.device == &device) gone.push_back(start);
    }
    for (const Address start : gone) drop_allocation(start);
}

} // namespace arcuate_emulation

using namespace arcuate_emulation;

ARCUATE_EXPORT Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total)
{
    ARCUATE_ENTER;
    if (free == nullptr || total == nullptr) return invalid_value;
    *total = driver().memory_of_device();
    *free = *total - std::min(*total, entry.device->used);
    return success;
}

ARCUATE_EXPORT Result cuMemAlloc_v2(Address* address, std::size_t bytes)
{
    ARCUATE_ENTER;
    return allocate(address, bytes, entry.device);
}

ARCUATE_EXPORT Result cuMemAllocAsync(Address* address, std::size_t bytes, void* handle)
{
    ARCUATE_ENTER;
    const Stream* stream = stream_of(handle, entry.device);
    if (stream == nullptr) return invalid_handle;
    return allocate(address, bytes, stream->device);
}

ARCUATE_EXPORT Result cuMemFree_v2(Address address)
{
    ARCUATE_ENTER;
    if (address == 0) return success;
    Allocation* found = find_base(address);
    if (found == nullptr || found->device == nullptr) return invalid_value;
    // Queued work may still use the allocation, so it is done first.
    for (const auto& device : driver().devices) drain_device(*device);
    drop_allocation(address);
    return success;
}

ARCUATE_EXPORT Result cuMemFreeAsync(Address address, void* handle)
{
    ARCUATE_ENTER;
    Stream* stream = stream_of(handle, entry.device);
    if (stream == nullptr) return invalid_handle;
    if (address == 0) return success;
    Allocation* found = find_base(address);
    if (found == nullptr || found->device == nullptr) return invalid_value;
    found->being_freed = true;
    return enqueue(*stream, [address]() -> Result {
        drop_allocation(address);
        return success;
    });
}

ARCUATE_EXPORT Result cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags)
{
    ARCUATE_ENTER;
    if (address == nullptr || bytes == 0 || flags > 7) return invalid_value;
    *address = reinterpret_cast<void*>(make_allocation(bytes, nullptr));
    return *address == nullptr ? out_of_memory : success;
}

ARCUATE_EXPORT Result cuMemAllocHost_v2(void** address, std::size_t bytes) { return cuMemHostAlloc(address, bytes, 0); }

ARCUATE_EXPORT Result cuMemFreeHost(void* address)
{
    ARCUATE_ENTER;
    const Allocation* found = find_base(reinterpret_cast<Address>(address));
    if (found == nullptr || found->device != nullptr || found->raw == nullptr) return invalid_value;
    for (const auto& device : driver().devices) drain_device(*device);
    drop_allocation(reinterpret_cast<Address>(address));
    return success;
}

ARCUATE_EXPORT Result cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned)
{
    ARCUATE_ENTER;
    if (address == nullptr || bytes == 0) return invalid_value;
    if (find_range(reinterpret_cast<Address>(address), 1) != nullptr) return host_memory_already_registered;
    Allocation registered;
    registered.bytes = bytes;
    driver().allocations[reinterpret_cast<Address>(address)] = registered;
    return success;
}

ARCUATE_EXPORT Result cuMemHostUnregister(void* address)
{
    ARCUATE_ENTER;
    const Allocation* found = find_base(reinterpret_cast<Address>(address));
    if (found == nullptr || found->device != nullptr || found->raw != nullptr) return host_memory_not_registered;
    for (const auto& device : driver().devices) drain_device(*device);
    driver().allocations.erase(reinterpret_cast<Address>(address));
    return success;
}

ARCUATE_EXPORT Result cuMemHostGetDevicePointer_v2(Address* address, void* host, unsigned)
{
    ARCUATE_ENTER;
    if (address == nullptr || !is_page_locked(host, 1)) return invalid_value;
    *address = reinterpret_cast<Address>(host);
    return success;
}

ARCUATE_EXPORT Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, void* stream)
{
    ARCUATE_ENTER;
    return copy({to, Side::device}, {reinterpret_cast<Address>(from), Side::host}, bytes, stream_of(stream, entry.device), false);
}

ARCUATE_EXPORT Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes)
{
    ARCUATE_ENTER;
    return copy({to, Side::device}, {reinterpret_cast<Address>(from), Side::host}, bytes, &entry.device->null_stream, true);
}

ARCUATE_EXPORT Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void* stream)
{
    ARCUATE_ENTER;
    return copy({reinterpret_cast<Address>(to), Side::host}, {from, Side::device}, bytes, stream_of(stream, entry.device), false);
}

ARCUATE_EXPORT Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes)
{
    ARCUATE_ENTER;
    return copy({reinterpret_cast<Address>(to), Side::host}, {from, Side::device}, bytes, &entry.device->null_stream, true);
}

ARCUATE_EXPORT Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, void* stream)
{
    ARCUATE_ENTER;
    return copy({to, Side::device}, {from, Side::device}, bytes, stream_of(stream, entry.device), false);
}

// A copy within one device does not wait for its end, as on the GPU.
ARCUATE_EXPORT Result cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes)
{
    ARCUATE_ENTER;
    return copy({to, Side::device}, {from, Side::device}, bytes, &entry.device->null_stream, false);
}

ARCUATE_EXPORT Result cuMemcpyAsync(Address to, Address from, std::size_t bytes, void* stream)
{
    ARCUATE_ENTER;
    return copy({to, Side::any}, {from, Side::any}, bytes, stream_of(stream, entry.device), false);
}

ARCUATE_EXPORT Result cuMemcpy(Address to, Address from, std::size_t bytes)
{
    ARCUATE_ENTER;
    return copy({to, Side::any}, {from, Side::any}, bytes, &entry.device->null_stream, true);
}

ARCUATE_EXPORT Result cuMemcpyPeerAsync(Address to, Device* to_context, Address from, Device* from_context, std::size_t bytes,
                                        void* stream)
{
    ARCUATE_ENTER;
    if (to_context == nullptr || from_context == nullptr) return invalid_context;
    if (bytes == 0) return success;
    const Allocation *target = find_range(to, bytes), *source = find_range(from, bytes);
    if (target == nullptr || source == nullptr || target->device != to_context || source->device != from_context) {
        return invalid_value;
    }
    return copy({to, Side::device}, {from, Side::device}, bytes, stream_of(stream, entry.device), false);
}

ARCUATE_EXPORT Result cuMemcpyPeer(Address to, Device* to_context, Address from, Device* from_context, std::size_t bytes)
{
    return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, nullptr);
}

#define ARCUATE_FILL(name, Type)                                                                                       \
    ARCUATE_EXPORT Result cuMemset##name##Async(Address start, Type value, std::size_t count, void* stream)            \
    {                                                                                                                  \
        ARCUATE_ENTER;                                                                                                 \
        return fill<Type>(start, value, count, stream_of(stream, entry.device), false);                                \
    }                                                                                                                  \
    ARCUATE_EXPORT Result cuMemset##name##_v2(Address start, Type value, std::size_t count)                            \
    {                                                                                                                  \
        ARCUATE_ENTER;                                                                                                 \
        return fill<Type>(start, value, count, &entry.device->null_stream, true);                                      \
    }
ARCUATE_FILL(D8, unsigned char)
ARCUATE_FILL(D16, unsigned short)
ARCUATE_FILL(D32, unsigned)

// The memory that a kernel may use: memory of its device, of devices that are enabled as peers, and
// page-locked host memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace arcuate_emulation::ptx {

struct Allocated {
    std::uint64_t start, bytes;
};

// Range of addresses at which accesses of one width may begin.
struct Span {
    std::uint64_t start = 0, places = 0;

    bool has(std::uint64_t address) const { return address - start < places; }
};

class Memory {
public:
    // `allocations` are sorted by address. `number` identifies this memory, so that remembered spans of
    // another memory are discarded.
    Memory(std::uint64_t number, std::vector<Allocated> allocations) : number_(number), allocations_(std::move(allocations)) {}

    std::uint64_t number() const { return number_; }

    // Returns the addresses at which accesses of `bytes` bytes may begin in the allocation with `address`.
    // The span is empty if `address` is not one of them.
    Span span(std::uint64_t address, std::uint64_t bytes) const;

private:
    std::uint64_t number_;
    std::vector<Allocated> allocations_;
};

} // namespace arcuate_emulation::ptx

// The memory that a kernel may use: its device's, that of devices to which this one has access, page-locked host memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace arcuate_emulation::ptx {

struct Allocated {
    std::uint64_t start, bytes;
};

// Where accesses of one width may begin.
struct Span {
    std::uint64_t start = 0, places = 0;

    bool has(std::uint64_t address) const { return address - start < places; }
};

class Memory {
public:
    // In the order of addresses. The number is this memory's own: what is remembered of another one holds no more.
    Memory(std::uint64_t number, std::vector<Allocated> allocations) : number_(number), allocations_(std::move(allocations)) {}

    std::uint64_t number() const { return number_; }

    // Where in the allocation with `address` accesses to so many bytes may begin; nowhere if not at `address`.
    Span span(std::uint64_t address, std::uint64_t bytes) const;

private:
    std::uint64_t number_;
    std::vector<Allocated> allocations_;
};

} // namespace arcuate_emulation::ptx

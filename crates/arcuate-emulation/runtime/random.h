// A small random number generator for execution orders that depend on a seed.
#pragma once

#include <cstdint>

namespace arcuate_emulation {

class Order {
public:
    // Seed 0 is the natural order, in which the first one comes first.
    explicit Order(std::uint64_t seed = 0, std::uint64_t purpose = 0)
        : natural_(seed == 0), state_(mixed(seed) ^ mixed(~purpose))
    {
    }

    bool natural() const { return natural_; }

    // Returns a number below `count`, which is 0 in the natural order.
    std::uint64_t below(std::uint64_t count)
    {
        if (natural_ || count <= 1) return 0;
        // SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
        state_ += 0x9e3779b97f4a7c15u;
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(mixed(state_)) * count >> 64);
    }

private:
    static std::uint64_t mixed(std::uint64_t z)
    {
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }

    bool natural_;
    std::uint64_t state_;
};

} // namespace arcuate_emulation

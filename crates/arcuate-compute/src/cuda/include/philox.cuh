// Random numbers as a function of (seed, purpose, item, draw). The values are bit-identical to arcuate_compute::Random,
// which documents the generator and its source. This file performs the same operations in the same order as stream.rs;
// change both together.
#pragma once

#include "elementary.cuh"

struct Random {
    unsigned key[2];
    unsigned counter[4];
    // The random 32-bit words of the last generated block of four words that have not been used yet. The next word to
    // use is block[0]. After each use the others move down by one index, so that all indices are constants and the
    // words stay in registers.
    unsigned block[4];
    unsigned left;

    __device__ __forceinline__ Random(unsigned long long seed, unsigned purpose, unsigned long long item)
    {
        key[0] = static_cast<unsigned>(seed);
        key[1] = static_cast<unsigned>(seed >> 32);
        counter[0] = 0;
        counter[1] = static_cast<unsigned>(item);
        counter[2] = static_cast<unsigned>(item >> 32);
        counter[3] = purpose;
        block[0] = block[1] = block[2] = block[3] = 0;
        left = 0;
    }

    // Returns the stream of random words of the same seed, purpose and item that starts at draw number `draw`.
    __device__ __forceinline__ Random at(unsigned long long draw) const
    {
        Random stream = *this;
        // The block number has more than 32 bits. Its high bits are stored in the same counter word as the purpose.
        stream.counter[0] = static_cast<unsigned>(draw >> 2);
        stream.counter[3] = (counter[3] & 255) | static_cast<unsigned>(draw >> 34) << 8;
        stream.left = 0;
        const unsigned passed = static_cast<unsigned>(draw) & 3;
        if (passed > 0) {
            stream.begin_block();
            for (unsigned n = 0; n < passed; ++n) stream.next_word();
        }
        return stream;
    }

    // Draws 32 random bits.
    __device__ __forceinline__ unsigned bits()
    {
        if (left == 0) begin_block();
        return next_word();
    }

    // Draws a uniform number in [0, 1) with 53 random bits.
    __device__ __forceinline__ double uniform()
    {
        const unsigned long long high = static_cast<unsigned long long>(bits()) << 32;
        const unsigned long long all = (high | bits()) >> 11;
        return static_cast<double>(all) * (1.0 / 9007199254740992.0);
    }

    // Draws an integer from 0 to bound - 1. `bound` must be above 0 and below 2^63.
    __device__ __forceinline__ unsigned long long below(unsigned long long bound)
    {
        const unsigned long long drawn =
            static_cast<unsigned long long>(uniform() * static_cast<double>(bound));
        return drawn < bound ? drawn : bound - 1;
    }

    // Draws from the normal distribution with mean 0 and standard deviation 1.
    __device__ __forceinline__ double normal()
    {
        const double radius = sqrt(2.0 * exponential());
        double sin_of, cos_of;
        elementary_sin_cos_turns(uniform(), &sin_of, &cos_of);
        return radius * cos_of;
    }

    // Draws from the exponential distribution with mean 1.
    __device__ __forceinline__ double exponential() { return 0.0 - elementary_ln(1.0 - uniform()); }

    // Draws from the gamma distribution with scale 1 and a positive, finite shape.
    __device__ __forceinline__ double gamma(double shape)
    {
        const bool small = shape < 1.0;
        const double larger = gamma_from_1(small ? shape + 1.0 : shape);
        return small ? larger * elementary_exp(-exponential() / shape) : larger;
    }

    // Draws a unit vector, uniform on the sphere.
    __device__ __forceinline__ void on_sphere(double& x, double& y, double& z)
    {
        z = 2.0 * uniform() - 1.0;
        const double radius = sqrt(1.0 - z * z);
        double sin_of, cos_of;
        elementary_sin_cos_turns(uniform(), &sin_of, &cos_of);
        x = radius * cos_of;
        y = radius * sin_of;
    }

private:
    __device__ __forceinline__ double gamma_from_1(double shape)
    {
        const double d = shape - 1.0 / 3.0;
        const double c = 1.0 / sqrt(9.0 * d);
        for (;;) {
            const double x = normal();
            const double root = 1.0 + c * x;
            if (root <= 0.0) continue;
            const double v = root * root * root;
            const double u = 1.0 - uniform();
            const double square = x * x;
            if (u < 1.0 - 0.0331 * square * square
                || elementary_ln(u) < 0.5 * square + d * (1.0 - v + elementary_ln(v))) {
                return d * v;
            }
        }
    }

    // Returns the next random word of the current block, which must have at least one unused word.
    __device__ __forceinline__ unsigned next_word()
    {
        const unsigned word = block[0];
        block[0] = block[1];
        block[1] = block[2];
        block[2] = block[3];
        --left;
        return word;
    }

    // Computes the next block of four random words with Philox4x32-10 and increments the counter.
    __device__ __forceinline__ void begin_block()
    {
        unsigned c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
        unsigned k0 = key[0], k1 = key[1];
#pragma unroll
        for (int round = 0; round < 10; ++round) {
            const unsigned long long product0 = 0xd2511f53ull * c0;
            const unsigned long long product1 = 0xcd9e8d57ull * c2;
            c0 = static_cast<unsigned>(product1 >> 32) ^ c1 ^ k0;
            c1 = static_cast<unsigned>(product1);
            c2 = static_cast<unsigned>(product0 >> 32) ^ c3 ^ k1;
            c3 = static_cast<unsigned>(product0);
            k0 += 0x9e3779b9u;
            k1 += 0xbb67ae85u;
        }
        block[0] = c0;
        block[1] = c1;
        block[2] = c2;
        block[3] = c3;
        if (++counter[0] == 0) counter[3] += 256;
        left = 4;
    }
};

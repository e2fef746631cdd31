// Half precision (IEEE 754 binary16) in integer arithmetic, and the matrix product of the tensor cores.

#include "arithmetic.h"
#include "threads.h"

#include <cstdint>
#include <cstring>

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace arcuate_emulation {

unsigned f16_bits(float value)
{
    const unsigned bits = same_bits<unsigned>(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7fffu; // NaN, as written by cvt.rn.f16.f32
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u; // For 65520 and above the nearest f16 is infinity.
    if (magnitude < 0x38800000u) {
        // Values below 2^-14 are multiples of 2^-24. The addition of 0.5 leaves exactly these bits and rounds
        // the value.
        const float shifted = same_bits<float>(magnitude) + 0.5f;
        return sign | (same_bits<unsigned>(shifted) - 0x3f000000u);
    }
    const unsigned odd = magnitude >> 13 & 1u;
    return sign | ((magnitude + 0xfffu + odd - 0x38000000u) >> 13);
}

float f16_value(unsigned bits)
{
    const unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1fu, fraction = bits & 0x3ffu;
    if (exponent == 0x1f) return same_bits<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
        const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -magnitude : magnitude;
    }
    return same_bits<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

namespace {

// Four sums computed with vector instructions. Each one rounds like a scalar sum.
using Four = float __attribute__((vector_size(16)));

// Converts the two f16 of each word to f32, the lower one first.
template <int words>
void values_of(const unsigned* packed, float* values)
{
#ifdef __F16C__
    std::uint64_t four;
    for (int at = 0; at < words; at += 2) {
        std::memcpy(&four, packed + at, sizeof four);
        const __m128i bits = _mm_cvtsi64_si128(static_cast<long long>(four));
        _mm_storeu_ps(values + 2 * at, _mm_cvtph_ps(bits));
    }
#else
    for (int at = 0; at < words; ++at) {
        values[2 * at] = f16_value(packed[at] & 0xffffu);
        values[2 * at + 1] = f16_value(packed[at] >> 16);
    }
#endif
}

} // namespace

void mma_f16_16x8x16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    // Lane 4 g + t holds rows g and g + 8 of A and column g of B. Their indices of the sum are `2 t`, `2 t +
    // 1`, `2 t + 8` and `2 t + 9`.
    float own[12];
    values_of<4>(a, own);
    values_of<2>(b, own + 8);
    struct Fragments {
        float a[4][2], b[2][2];
    };
    static_assert(sizeof(Fragments) == sizeof own && sizeof own <= exchange_bytes, "a lane gives all it has");
    const Gathered given(Exchange::multiply, ~0u, own);
    if (given.lanes() != ~0u) trap("multiplies matrices in a warp of which lanes are missing");
    const unsigned row = current().lane() / 4, column = current().lane() % 4 * 2;
    const auto of = [&](unsigned lane) -> const Fragments& { return *static_cast<const Fragments*>(given.at(lane)); };
    Four sums = {d[0], d[1], d[2], d[3]};
    for (unsigned t = 0; t < 4; ++t) {
        const Fragments &rows = of(4 * row + t), &left = of(4 * column + t), &right = of(4 * (column + 1) + t);
        // This pair of lanes holds 4 of the 16 terms. Products are exact in f32 and are added one by one.
        for (int half = 0; half < 2; ++half) {
            for (int at = 0; at < 2; ++at) {
                const float upper = rows.a[2 * half][at], lower = rows.a[2 * half + 1][at];
                const float first = left.b[half][at], second = right.b[half][at];
                sums += Four{upper, upper, lower, lower} * Four{first, second, first, second};
            }
        }
    }
    for (int at = 0; at < 4; ++at) d[at] = sums[at];
}

} // namespace arcuate_emulation

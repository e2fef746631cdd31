// Tensor-core products of f16 matrices with f32 sums, and conversions to and from f16.
#pragma once

// Rounds `low` and `high` to f16 (nearest, ties to even; infinite if too large) and packs both into 32 bits, with `low`
// in the low 16 bits.
__device__ __forceinline__ unsigned pack_f16(float low, float high)
{
#if defined(ARCUATE_EMULATION)
    return arcuate_emulation::f16_bits(low) | arcuate_emulation::f16_bits(high) << 16;
#elif __CUDA_ARCH__ >= 800
    unsigned packed;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
    return packed;
#else
    unsigned short low_bits, high_bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(low_bits) : "f"(low));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(high_bits) : "f"(high));
    return static_cast<unsigned>(low_bits) | static_cast<unsigned>(high_bits) << 16;
#endif
}

// Returns the two f16 numbers of `packed` as exact f32 numbers; x is the one in the low 16 bits.
__device__ __forceinline__ float2 unpack_f16(unsigned packed)
{
#if defined(ARCUATE_EMULATION)
    return make_float2(arcuate_emulation::f16_value(packed & 0xffffu), arcuate_emulation::f16_value(packed >> 16));
#else
    float low, high;
    asm("cvt.f32.f16 %0, %1;" : "=f"(low) : "h"(static_cast<unsigned short>(packed & 0xffffu)));
    asm("cvt.f32.f16 %0, %1;" : "=f"(high) : "h"(static_cast<unsigned short>(packed >> 16)));
    return make_float2(low, high);
#endif
}

// Splits each of two numbers into a high and a low f16 part. Both parts of a number have 22 bits together if they are
// well within the range of f16.
__device__ __forceinline__ void split_f16(float a, float b, unsigned* high, unsigned* low)
{
    *high = pack_f16(a, b);
    const float2 rounded = unpack_f16(*high);
    *low = pack_f16(a - rounded.x, b - rounded.y);
}

// Computes D += A B with all 32 lanes of a warp: A is 16 x 16 and B is 16 x 8 in f16, D is 16 x 8 in f32.
//
// Each register of `a` and `b` holds two f16 numbers, the first one in the low 16 bits. With g = l / 4 and t = l % 4,
// lane l holds these elements (PTX ISA 8.4, "Matrix Fragments for mma.m16n8k16 with floating point type"):
//
//     a[0] = A[g][2t, 2t+1]      a[1] = A[g+8][2t, 2t+1]    a[2] = A[g][2t+8, 2t+9]    a[3] = A[g+8][2t+8, 2t+9]
//     b[0] = B[2t, 2t+1][g]      b[1] = B[2t+8, 2t+9][g]
//     d[0] = D[g][2t]            d[1] = D[g][2t+1]          d[2] = D[g+8][2t]          d[3] = D[g+8][2t+1]
//
// Products are exact. The hardware determines the order and the rounding of the sum of 16 products, so results of
// different GPUs are not bit-identical. They agree to a few units in the last place of the largest term. GPUs before
// compute capability 7.5 have no such instruction and stop with an error (trap).
__device__ __forceinline__ void mma_f16_16x8x16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
#if defined(ARCUATE_EMULATION)
    arcuate_emulation::mma_f16_16x8x16(d, a, b);
#elif __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif __CUDA_ARCH__ >= 750
    // GPUs of compute capability 7.5 have only an instruction for half of the sum. The first instruction uses the first
    // half of the registers of `a` and `b`, and the second instruction uses the second half.
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[2]), "r"(a[3]), "r"(b[1]));
#else
    __trap();
#endif
}

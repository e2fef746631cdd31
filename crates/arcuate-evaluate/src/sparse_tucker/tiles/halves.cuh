// Products of matrices on tensor cores with the precision of f32: of their elements as high and low halves of f16.
#pragma once
#include "mma.cuh"

// A cell as an A fragment wants it: two neighbours along a row become one word of both high halves and one of both low
// halves.
__device__ __forceinline__ uint2 split(float a, float b) {
  const unsigned high = pack_f16(a, b);
  const float2 rounded = unpack_f16(high);
  return make_uint2(high, pack_f16(a - rounded.x, b - rounded.y));
}

// A cell's sum as its high half and, above it, its low half, in units of 2^15 of the sum's.
__device__ __forceinline__ void split_cell(int* cell) {
  const float value = (float)*cell * (1.f / 32768.f);
  const float high = unpack_f16(pack_f16(value, 0.f)).x;
  *cell = (int)pack_f16(high, value - high);
}

// sums += A · B over `steps` steps of 16, with A and B in two halves: the product of the low halves is below what f32
// keeps. `load(m, step, high, low)` gets fragments of A; those of B lie in memory as the lanes want them, `pitch` apart
// from step to step.
template <unsigned M, unsigned N, class Load>
__device__ __forceinline__ void multiply(float (&sums)[M][N][4], unsigned steps, const uint4* fragments, unsigned pitch, Load load) {
  // Fragments of B are loaded one step ahead.
  uint4 next[N];
#pragma unroll
  for (unsigned n = 0; n < N; ++n) next[n] = fragments[n * 32];
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    uint4 now[N];
    fragments += pitch;
#pragma unroll
    for (unsigned n = 0; n < N; ++n) {
      now[n] = next[n];
      if (step + 1 < steps) next[n] = fragments[n * 32];
    }
#pragma unroll
    for (unsigned m = 0; m < M; ++m) {
      unsigned high[4], low[4];
      load(m, step, high, low);
#pragma unroll
      for (unsigned n = 0; n < N; ++n) {
        const unsigned b_high[2] = {now[n].x, now[n].y}, b_low[2] = {now[n].z, now[n].w};
        // Tensor cores cut off what they add up, which is no matter in three additions and would be in two hundred.
        float part[4] = {0.f, 0.f, 0.f, 0.f};
        mma_f16_16x8x16(part, low, b_high);
        mma_f16_16x8x16(part, high, b_low);
        mma_f16_16x8x16(part, high, b_high);
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) sums[m][n][i] += part[i];
      }
    }
  }
}

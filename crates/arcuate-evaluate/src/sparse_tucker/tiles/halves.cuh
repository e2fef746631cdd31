// Matrix products on tensor cores with the precision of f32. Each matrix element is split into a high and a
// low f16 part.
#pragma once
#include "mma.cuh"

// Splits two neighbours of a row for an A fragment. The result is one word with both high parts and one word with both
// low parts.
__device__ __forceinline__ uint2 split(float a, float b) {
  const unsigned high = pack_f16(a, b);
  const float2 rounded = unpack_f16(high);
  return make_uint2(high, pack_f16(a - rounded.x, b - rounded.y));
}

// Replaces the integer sum of a cell by two f16 parts of sum / 2^15. The high part is in the low 16 bits. The
// low part is in the high 16 bits.
__device__ __forceinline__ void split_cell(int* cell) {
  const float value = (float)*cell * (1.f / 32768.f);
  const float high = unpack_f16(pack_f16(value, 0.f)).x;
  *cell = (int)pack_f16(high, value - high);
}

// Computes sums += A · B over `steps` steps of 16 inner indices, with A and B split into two f16 parts. The
// product of the low parts is omitted because it is below the precision of f32. `load(m, step, high, low)`
// loads fragments of A. Fragments of B are in memory in the order of the lanes. The distance between two
// steps is `pitch`.
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
        // Tensor cores truncate their sums. The error of three additions is negligible, but the error of two
        // hundred would not be. Therefore each step has its own sum.
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

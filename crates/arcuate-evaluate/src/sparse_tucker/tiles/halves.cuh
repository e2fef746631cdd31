// Matrix products on the tensor cores of a GPU, with the precision of f32. Each matrix element is split into
// a high and a low f16 number, whose sum is the element.
#pragma once
#include "mma.cuh"

// Splits two neighbouring elements of a row of the matrix A. The result has one word with the high f16 parts
// of both elements and one word with the low f16 parts of both.
__device__ __forceinline__ uint2 split(float a, float b) {
  const unsigned high = pack_f16(a, b);
  const float2 rounded = unpack_f16(high);
  return make_uint2(high, pack_f16(a - rounded.x, b - rounded.y));
}

// Replaces the integer `sum` of a (voxel, atom) cell by two f16 numbers whose sum is `sum` / 2^15. The high
// part is in the low 16 bits of the word. The low part is in the high 16 bits.
__device__ __forceinline__ void split_cell(int* cell) {
  const float value = (float)*cell * (1.f / 32768.f);
  const float high = unpack_f16(pack_f16(value, 0.f)).x;
  *cell = (int)pack_f16(high, value - high);
}

// Computes sums += A · B over `steps` steps of 16 inner indices, with each element of A and B split into two
// f16 parts. The product of both low parts is omitted because it is below the precision of f32. `load(m,
// step, high, low)` loads fragments of A (the elements that one thread holds). Fragments of B are in memory
// in the order of the threads of a warp. The distance between two steps is `pitch`.
template <unsigned M, unsigned N, class Load>
__device__ __forceinline__ void multiply(float (&sums)[M][N][4], unsigned steps, const uint4* fragments, unsigned pitch, Load load) {
  // The fragments of the matrix B for the next step are loaded during this step.
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
        // Tensor cores truncate the sums that they compute. The error of three truncated additions is
        // negligible, but the error of two hundred would not be. Each step of the product therefore has its
        // own sum.
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

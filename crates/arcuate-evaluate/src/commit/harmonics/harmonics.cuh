// Segments in harmonics: what the kernels for any degree and those compiled for one have in common.
#pragma once

#include "fixed_point.cuh"
#include "precision.cuh"
#include "warp.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

// No element, no row.
#define NONE 0xffffffffu

// A straight piece of a streamline in a voxel, or an axis: from one end to the other, and to what it belongs.
struct __align__(16) Segment {
  float x, y, z;
  u32 element;
};

__device__ __forceinline__ Segment load_segment(const Segment* from) {
  const float4 f = *reinterpret_cast<const float4*>(from);
  return Segment{f.x, f.y, f.z, __float_as_uint(f.w)};
}

// Segments `begin` to `end` of voxel `voxel`, which are unit `place` of those that are worked on together.
struct __align__(16) Unit {
  u32 begin, end, place, voxel;
};

// Which units a launch does, and where what belongs to them begins among that of the GPU.
struct Work {
  u32 first_unit, units, first_segment, first_place, first_voxel;
  // Rows of the amplitudes of a voxel, and shells of the acquisition.
  u32 rows, shells;
};

// How many numbers an element of rank `rank` takes: three take the room of four, so that they are read together.
__device__ __forceinline__ constexpr u32 padded(u32 rank) { return rank == 3 ? 4 : rank; }

// out[row] = Σ_k mix[row][k] sums[harmonic[row]][k], by `threads` threads that have reached the same point.
template <class T, u32 K>
__device__ __forceinline__ void write_parts(
    u32 thread, u32 threads, u32 rows, const u32* __restrict__ harmonic, const T* __restrict__ mix, const T* sums, T* out) {
  // Several rows on their way at once: what is read of them comes from far.
#pragma unroll 4
  for (u32 row = thread; row < rows; row += threads) {
    const T* of_harmonic = sums + harmonic[row] * K;
    T sum = T(0);
#pragma unroll
    for (u32 k = 0; k < K; ++k) sum = multiply_add(mix[row * K + k], of_harmonic[k], sum);
    out[row] = sum;
  }
}

// projections[harmonic][k] = Σ_shells mix[row][k] amplitudes[row], by a warp.
template <class T, u32 K>
__device__ __forceinline__ void project(
    u32 lane, u32 harmonics, u32 shells, const u32* __restrict__ row_of, const T* __restrict__ mix,
    const T* __restrict__ amplitudes, T* projections) {
  constexpr u32 ROOM = padded(K);
  for (u32 n = lane; n < harmonics; n += 32) {
    T sums[ROOM];
#pragma unroll
    for (u32 k = 0; k < ROOM; ++k) sums[k] = T(0);
    for (u32 shell = 0; shell < shells; ++shell) {
      const u32 row = row_of[shell * harmonics + n];
      if (row == NONE) continue;
      const T amplitude = amplitudes[row];
#pragma unroll
      for (u32 k = 0; k < K; ++k) sums[k] = multiply_add(mix[row * K + k], amplitude, sums[k]);
    }
#pragma unroll
    for (u32 k = 0; k < ROOM; ++k) projections[n * ROOM + k] = sums[k];
  }
}

// raw[element · padded + k] += products[k] of the segment of each lane of a warp. The pieces of one streamline lie
// side by side: its first lane adds them up.
template <class T, u32 K>
__device__ __forceinline__ void add_products(u32 lane, u32 element, T (&products)[K], double scale, u64* raw) {
  const u32 previous = __shfl_up_sync(ALL, element, 1);
  const u32 heads = __ballot_sync(ALL, lane == 0 || previous != element);
  sum_runs(lane, heads, products);
  if (element != NONE && (heads >> lane & 1u)) {
    u64* to = raw + (u64)element * padded(K);
#pragma unroll
    for (u32 k = 0; k < K; ++k) add_fixed(to + k, (double)products[k], scale);
  }
}

// GPU code for segments in spherical harmonics. It is shared by the kernels for any maximum degree and the
// kernels that are compiled for one degree.
#pragma once

#include "fixed_point.cuh"
#include "precision.cuh"
#include "warp.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

// Marks a missing element or row.
#define NONE 0xffffffffu

// A straight piece of a streamline in a voxel, or an axis of a compartment in a voxel. It has the vector from
// one end of the piece to the other, and the number of the streamline or axis (`element`).
struct __align__(16) Segment {
  float x, y, z;
  u32 element;
};

__device__ __forceinline__ Segment load_segment(const Segment* from) {
  const float4 f = *reinterpret_cast<const float4*>(from);
  return Segment{f.x, f.y, f.z, __float_as_uint(f.w)};
}

// A unit of work of a kernel: the segments with indices `begin` to `end` − 1, all of voxel `voxel`. `place`
// is the index of this work unit among those that are processed together.
struct __align__(16) Unit {
  u32 begin, end, place, voxel;
};

// The work units of one kernel launch. The fields `first_…` are the indices of the launch's first work unit,
// segment, place and voxel among those of the GPU.
struct Work {
  u32 first_unit, units, first_segment, first_place, first_voxel;
  // Number of harmonic amplitudes (rows) of a voxel, and number of shells of the acquisition.
  u32 rows, shells;
};

// Returns how many values are stored for each element (streamline or axis) with `rank` basis functions. Three
// values are padded to four, so that one load instruction reads them.
__device__ __forceinline__ constexpr u32 padded(u32 rank) { return rank == 3 ? 4 : rank; }

// Computes out[row] = Σ_k mix[row][k] sums[harmonic[row]][k], where k are the basis functions, with `threads`
// threads. All of these threads must have reached this call.
template <class T, u32 K>
__device__ __forceinline__ void write_parts(
    u32 thread, u32 threads, u32 rows, const u32* __restrict__ harmonic, const T* __restrict__ mix, const T* sums, T* out) {
  // Loads several table rows at once, to hide the latency of global memory.
#pragma unroll 4
  for (u32 row = thread; row < rows; row += threads) {
    const T* of_harmonic = sums + harmonic[row] * K;
    T sum = T(0);
#pragma unroll
    for (u32 k = 0; k < K; ++k) sum = multiply_add(mix[row * K + k], of_harmonic[k], sum);
    out[row] = sum;
  }
}

// Computes projections[harmonic][k] = Σ_shells mix[row][k] amplitudes[row] for the basis functions k, using
// one warp (32 threads). A row is one harmonic of one shell.
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

// Computes raw[element · padded + k] += products[k] for the segments of a warp, one segment per lane
// (thread). The segments of one streamline are in neighbouring lanes. The first of these lanes adds the sum
// of their products to `raw`, which saves atomic operations.
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

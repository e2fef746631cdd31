// Amplitude of the fibre orientation distributions (FODs) at a position in a direction, computed by one lane.
// This is the GPU implementation of fod/image.rs and fod/harmonics.rs. These files perform the same
// operations in the same order, so change them together.
#pragma once

#include "streamlines.cuh"
#include "warp.cuh"

// Each row holds the 45 spherical harmonic coefficients of an FOD, padded with zeros to 12 vectors of four
// floats.
#define HARMONICS 45u
#define FOURS 12u
// Shared memory of a warp holds the coefficients of the 3×3×3 voxels around the current voxel. The distances
// in memory between neighbouring voxels along each axis are in vectors of four floats. With these distances,
// the eight corners of an interpolation cell are in different memory banks. Lanes whose points are in
// different cells therefore cause no bank conflicts.
#define EDGE 3u
#define AROUND 27u
#define STRIDE_X 13u
#define STRIDE_Y 42u
#define STRIDE_Z 132u
#define VECTORS (2u * (STRIDE_X + STRIDE_Y + STRIDE_Z) + FOURS)
// Number of orders m of the spherical harmonics. The orders are stored as m = 1, 2, …, 8 and then 0.
#define ORDERS 9u

// Shared memory of a warp: the coefficients of the voxels around its streamline, and the weights of the
// candidates.
struct Around {
  float4 rows[VECTORS];
  float weights[32];
};

// Number of steps of the recurrence over degrees for the spherical harmonics of order N + 1. Order 0 is the
// last one.
__device__ constexpr u32 steps_of(u32 n) { return n + 1 == ORDERS ? 4 : 3 - n / 2; }

// Evaluates the spherical harmonics in a direction, for order N + 1 and all following orders, in the sequence
// in which a row stores them. AT values and STEP recurrence steps are already done. The function is a
// recursive template, so all loop bounds are constants and the values stay in registers.
template <u32 N, u32 AT, u32 STEP>
__device__ __forceinline__ void harmonics_from(const Harmonics& harmonics, Vector d, float cosine, float sine, float (&values)[HARMONICS])
{
  constexpr bool IS_ZONAL = N + 1 == ORDERS;
  constexpr u32 STEPS = steps_of(N);
  const float square = d.z * d.z;
  const float first = harmonics.firsts[N];
  float before = 0.0f, q = N % 2 == 0 && !IS_ZONAL ? first * d.z : first;
  const float turned_cosine = cosine * d.x - sine * d.y, turned_sine = cosine * d.y + sine * d.x;
#pragma unroll
  for (u32 level = 0; level <= STEPS; ++level) {
    if (level > 0) {
      const float* of = harmonics.recurrences + 3 * (STEP + level - 1);
      const float next = (of[0] * square - of[1]) * q - of[2] * before;
      before = q;
      q = next;
    }
    if (IS_ZONAL) {
      values[AT + level] = q;
    } else {
      values[AT + 2 * level] = q * turned_cosine;
      values[AT + 2 * level + 1] = q * turned_sine;
    }
  }
  if constexpr (!IS_ZONAL) {
    harmonics_from<N + 1, AT + 2 * (STEPS + 1), STEP + STEPS>(harmonics, d, turned_cosine, turned_sine, values);
  }
}

// Trilinear interpolation cell of a position: the voxel with the lowest coordinates, and the weights of the eight
// corners.
struct Between {
  Vector low;
  float weights[8];
};

__device__ __forceinline__ Between between_voxels(Vector place)
{
  Between all;
  all.low = {floorf(place.x), floorf(place.y), floorf(place.z)};
  const Vector part = {place.x - all.low.x, place.y - all.low.y, place.z - all.low.z};
#pragma unroll
  for (u32 corner = 0; corner < 8; ++corner) {
    const float x = corner & 1 ? part.x : 1.0f - part.x, y = corner & 2 ? part.y : 1.0f - part.y;
    const float z = corner & 4 ? part.z : 1.0f - part.z;
    all.weights[corner] = x * y * z;
  }
  return all;
}

// Returns the interpolated amplitude. `rows(corner, four)` returns four coefficients of the voxel at a corner
// of the interpolation cell.
template <class Rows>
__device__ __forceinline__ float amplitude_of(const Harmonics& harmonics, const Between& between, Vector direction, Rows rows)
{
  float values[HARMONICS];
  harmonics_from<0, 0, 0>(harmonics, direction, 1.0f, 0.0f, values);
  float sums[8] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (u32 four = 0; four < FOURS; ++four) {
    float own[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (u32 corner = 0; corner < 8; ++corner) {
      const float4 row = rows(corner, four);
      const float weight = between.weights[corner];
      own[0] += weight * row.x;
      own[1] += weight * row.y;
      own[2] += weight * row.z;
      own[3] += weight * row.w;
    }
#pragma unroll
    for (u32 n = 0; n < 4; ++n) {
      // Skip the zeros that pad a row.
      if (4 * four + n < HARMONICS) sums[(4 * four + n) % 8] += own[n] * values[4 * four + n];
    }
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// The image of FODs through which streamlines are tracked.
struct Field {
  const u32* __restrict__ places;
  // Coefficients of each voxel with an FOD: a row of twelve vectors of four floats. A row of zeros at the end
  // represents all voxels without an FOD.
  const float4* __restrict__ rows;
  const Harmonics& harmonics;
};

template <class RunParameters>
__device__ __forceinline__ u32 row_of(const RunParameters& run_parameters, const Field& field, Vector voxel)
{
  const u32 place = place_of(run_parameters, field, voxel);
  return place == NOWHERE ? run_parameters.voxels : place;
}

// Returns the offset of a voxel's row of coefficients in shared memory.
__device__ __forceinline__ constexpr u32 near_at(u32 x, u32 y, u32 z) { return STRIDE_X * x + STRIDE_Y * y + STRIDE_Z * z; }

// Copies the coefficients of the voxels around `middle` to shared memory, with all lanes of the warp. Returns
// true if the voxel `middle` has an FOD.
template <class RunParameters>
__device__ __forceinline__ bool bring(const RunParameters& run_parameters, const Field& field, u32 lane, Vector middle, Around& around)
{
  u32 row = run_parameters.voxels;
  const u32 x = lane % EDGE, y = lane / EDGE % EDGE, z = lane / (EDGE * EDGE), own = near_at(x, y, z);
  if (lane < AROUND) {
    row = row_of(run_parameters, field,
                 {middle.x + static_cast<float>(x) - 1.0f, middle.y + static_cast<float>(y) - 1.0f,
                  middle.z + static_cast<float>(z) - 1.0f});
  }
  // Wait until no lane reads the coefficients of the previous neighbourhood any more.
  __syncwarp();
#pragma unroll
  for (u32 begin = 0; begin < AROUND * FOURS; begin += 32) {
    const u32 n = begin + lane, which = n / FOURS;
    const u32 from = __shfl_sync(ALL, row, which % 32), to = __shfl_sync(ALL, own, which % 32);
    if (which < AROUND) around.rows[to + n % FOURS] = field.rows[static_cast<u64>(from) * FOURS + n % FOURS];
  }
  __syncwarp();
  return __shfl_sync(ALL, row, AROUND / 2) != run_parameters.voxels;
}

// Returns the amplitude of the FODs at a position in a direction. `middle` is the voxel whose neighbourhood
// is in shared memory.
template <class RunParameters>
__device__ __forceinline__ float amplitude(const RunParameters& run_parameters, const Field& field, const Around& around, Vector middle, Vector place,
                                           Vector direction)
{
  const Between between = between_voxels(place);
  const Vector from = {between.low.x - middle.x + 1.0f, between.low.y - middle.y + 1.0f, between.low.z - middle.z + 1.0f};
  auto is_there = [](float c) { return c == 0.0f || c == 1.0f; };
  if (is_there(from.x) && is_there(from.y) && is_there(from.z)) {
    const float4* rows = around.rows + near_at(static_cast<u32>(from.x), static_cast<u32>(from.y), static_cast<u32>(from.z));
    return amplitude_of(field.harmonics, between, direction,
                        [&](u32 corner, u32 four) { return rows[near_at(corner & 1, corner >> 1 & 1, corner >> 2) + four]; });
  }
  // If steps are longer than half a voxel, the interpolation cell may not be in shared memory. The
  // coefficients of its corners are then read from global memory.
  u32 numbers[8];
#pragma unroll
  for (u32 corner = 0; corner < 8; ++corner) {
    numbers[corner] = row_of(run_parameters, field,
                             {between.low.x + static_cast<float>(corner & 1), between.low.y + static_cast<float>(corner >> 1 & 1),
                              between.low.z + static_cast<float>(corner >> 2)});
  }
  return amplitude_of(field.harmonics, between, direction,
                      [&](u32 corner, u32 four) { return field.rows[static_cast<u64>(numbers[corner]) * FOURS + four]; });
}

// Distributions in a direction at a place, by one lane, as fod/image.rs and fod/harmonics.rs, operation by operation: change both or
// none.
#pragma once

#include "streamlines.cuh"
#include "warp.cuh"

// Numbers of a row: 45 harmonics, and zeros up to whole vectors.
#define HARMONICS 45u
#define FOURS 12u
// Voxels around that a warp has in shared memory, and how many vectors lie from one to the next along each axis there: of eight that a
// place lies between, each begins in other banks than the others, so that lanes in different cells do not wait for each other.
#define EDGE 3u
#define AROUND 27u
#define STRIDE_X 13u
#define STRIDE_Y 42u
#define STRIDE_Z 132u
#define VECTORS (2u * (STRIDE_X + STRIDE_Y + STRIDE_Z) + FOURS)
// The orders m = 1, 2, … and then 0.
#define ORDERS 9u

// What a warp knows of where its streamline is.
struct Around {
  float4 rows[VECTORS];
  float weights[32];
};

// Steps over degrees of an order, which is the one after N.
__device__ constexpr u32 steps_of(u32 n) { return n + 1 == ORDERS ? 4 : 3 - n / 2; }

// The harmonics in a direction, in the order of the rows, from order N + 1 on: AT of them and STEP steps are behind. What is known of
// loops in templates leaves all values in registers.
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

// Where a place lies between the eight voxels around: the lowest of them, and their weights.
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

// The amplitude, where `rows` has four numbers of the row of a corner.
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
      // Zeros behind change no sum.
      if (4 * four + n < HARMONICS) sums[(4 * four + n) % 8] += own[n] * values[4 * four + n];
    }
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// What streamlines are followed through.
struct Field {
  const u32* __restrict__ places;
  // Twelve a voxel, and behind them a row of zeros.
  const float4* __restrict__ rows;
  const Harmonics& harmonics;
};

template <class Course>
__device__ __forceinline__ u32 row_of(const Course& course, const Field& field, Vector voxel)
{
  const u32 place = place_of(course, field, voxel);
  return place == NOWHERE ? course.voxels : place;
}

// Where the row of a voxel begins in shared memory.
__device__ __forceinline__ constexpr u32 near_at(u32 x, u32 y, u32 z) { return STRIDE_X * x + STRIDE_Y * y + STRIDE_Z * z; }

// Brings the voxels around one to shared memory, by a whole warp; whether that one has a distribution.
template <class Course>
__device__ __forceinline__ bool bring(const Course& course, const Field& field, u32 lane, Vector middle, Around& around)
{
  u32 row = course.voxels;
  const u32 x = lane % EDGE, y = lane / EDGE % EDGE, z = lane / (EDGE * EDGE), own = near_at(x, y, z);
  if (lane < AROUND) {
    row = row_of(course, field,
                 {middle.x + static_cast<float>(x) - 1.0f, middle.y + static_cast<float>(y) - 1.0f,
                  middle.z + static_cast<float>(z) - 1.0f});
  }
  // Others may still read what is there.
  __syncwarp();
#pragma unroll
  for (u32 begin = 0; begin < AROUND * FOURS; begin += 32) {
    const u32 n = begin + lane, which = n / FOURS;
    const u32 from = __shfl_sync(ALL, row, which % 32), to = __shfl_sync(ALL, own, which % 32);
    if (which < AROUND) around.rows[to + n % FOURS] = field.rows[static_cast<u64>(from) * FOURS + n % FOURS];
  }
  __syncwarp();
  return __shfl_sync(ALL, row, AROUND / 2) != course.voxels;
}

// The amplitude at a place in a direction; `middle` is the voxel whose neighbours are in shared memory.
template <class Course>
__device__ __forceinline__ float amplitude(const Course& course, const Field& field, const Around& around, Vector middle, Vector place,
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
  // Steps of more than half a voxel lead there.
  u32 numbers[8];
#pragma unroll
  for (u32 corner = 0; corner < 8; ++corner) {
    numbers[corner] = row_of(course, field,
                             {between.low.x + static_cast<float>(corner & 1), between.low.y + static_cast<float>(corner >> 1 & 1),
                              between.low.z + static_cast<float>(corner >> 2)});
  }
  return amplitude_of(field.harmonics, between, direction,
                      [&](u32 corner, u32 four) { return field.rows[static_cast<u64>(numbers[corner]) * FOURS + four]; });
}

// Draws one of 32 candidate directions, one for each lane of a warp. This is the GPU implementation of
// fod/candidates.rs. Both files perform the same operations in the same order, so change them together.
#pragma once

#include "elementary_single.cuh"
#include "warp.cuh"

#define CANDIDATES 32u
#define TABLES 64u
#define PLACES 4u

// Three orthonormal axes. The third axis is a given direction.
struct Frame {
  Vector first, second, third;
};

__device__ __forceinline__ Frame frame_about(Vector d, float turns)
{
  const float sign = d.z >= 0.0f ? 1.0f : -1.0f;
  const float a = -1.0f / (sign + d.z);
  const float b = d.x * d.y * a;
  const Vector first = {1.0f + sign * d.x * d.x * a, sign * b, -sign * d.x};
  const Vector second = {b, sign + d.y * d.y * a, -d.y};
  float sine, cosine;
  single_sin_cos_turns(turns, &sine, &cosine);
  return {{cosine * first.x + sine * second.x, cosine * first.y + sine * second.y, cosine * first.z + sine * second.z},
          {cosine * second.x - sine * first.x, cosine * second.y - sine * first.y, cosine * second.z - sine * first.z},
          d};
}

__device__ __forceinline__ Vector turned(const Frame& f, Vector v)
{
  return {f.first.x * v.x + f.second.x * v.y + f.third.x * v.z, f.first.y * v.x + f.second.y * v.y + f.third.y * v.z,
          f.first.z * v.x + f.second.z * v.y + f.third.z * v.z};
}

__device__ __forceinline__ Vector unit_of(Vector v)
{
  const float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
  return {v.x / length, v.y / length, v.z / length};
}

__device__ __forceinline__ Vector of_lane(Vector v, u32 lane)
{
  return {__shfl_sync(ALL, v.x, lane), __shfl_sync(ALL, v.y, lane), __shfl_sync(ALL, v.z, lane)};
}

// Draws one lane of the warp, with a probability in proportion to the weight of the lane's candidate.
// `number` is uniform in [0, 1). Returns NOWHERE if fewer than `least` lanes have a positive weight.
// `weights` is shared memory of the warp. Every lane sums all weights in the same order as the CPU, so the
// cumulative sums are bit-identical.
__device__ __forceinline__ u32 choose(u32 lane, float weight, float number, u32 least, float* weights)
{
  const u32 open = __ballot_sync(ALL, weight > 0.0f);
  if (static_cast<u32>(__popc(open)) < least) return NOWHERE;
  weights[lane] = weight;
  __syncwarp();
  float sum = 0.0f, up_to = 0.0f;
#pragma unroll
  for (u32 n = 0; n < CANDIDATES; ++n) {
    sum += weights[n];
    if (n == lane) up_to = sum;
  }
  // Wait until all lanes have read `weights`, because the next call overwrites it.
  __syncwarp();
  const float wanted = number * sum;
  const u32 beyond = __ballot_sync(ALL, weight > 0.0f && wanted < up_to);
  return beyond ? __ffs(static_cast<int>(beyond)) - 1 : 31 - __clz(static_cast<int>(open));
}

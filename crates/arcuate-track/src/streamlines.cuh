// Definitions shared by the GPU kernels of all kinds of streamline tracking: reasons to stop, outcomes, start
// positions and random numbers. This is the GPU implementation of direction_field.rs and
// walk/starting_points.rs. These files perform the same operations in the same order, so change them
// together.
#pragma once

#include "philox.cuh"
#include "ways.cuh"

// Number of the purpose for which random numbers are drawn, as in arcuate_compute::Purpose.
#define PROPAGATION 6u

#define LEFT_MASK 0u
#define FRACTION 1u
#define ANGLE 2u
#define STOP 3u
#define EXIT 4u
#define LOOP 5u
#define AVOID 6u
#define MAX_STEPS 7u
#define ENDINGS 8u
#define GOING 8u

#define ACCEPTED 0u
#define SEED_OUTSIDE 1u
#define AVOIDED 2u
#define WAYPOINTS 3u
#define TOO_SHORT 4u
#define TOO_LONG 5u
#define FATES 6u

#define AT_CENTRE 0u
#define IN_VOXEL 1u
#define IN_BALL 2u

// As in ways.cuh.
#define NOWHERE 0xffffffffu

#define BLOCK_OF_SIGN 64u
#define BLOCK_OF_HALF 65u
#define BLOCK_OF_STEPS 128u
#define ATTEMPTS 63u

__device__ __forceinline__ float unit(u32 bits) { return static_cast<float>(bits >> 8) * (1.0f / 16777216.0f); }

// Returns the four random numbers of one block. `number` is the number of the streamline.
template <class RunParameters, class Block>
__device__ __forceinline__ uint4 draws(const RunParameters& run_parameters, u64 number, Block block)
{
  return random_block(run_parameters.seed, PROPAGATION, number, block);
}

template <class RunParameters>
__device__ __forceinline__ u32 seed_of(const RunParameters& run_parameters, u64 number)
{
  if (run_parameters.each > 0) return static_cast<u32>(number / run_parameters.each);
  const u32 bits = draws(run_parameters, number, 0).x;
  return static_cast<u32>((static_cast<u64>(bits) * run_parameters.centres) >> 32);
}

// Returns the start position of a streamline. It is in the space of the seeds if that space differs from the
// space of the tracked image.
template <class RunParameters>
__device__ __forceinline__ Vector drawn_of(const RunParameters& run_parameters, const float* __restrict__ centres, u64 number)
{
  const u32 seed = seed_of(run_parameters, number);
  const float* c = centres + 3 * static_cast<u64>(seed);
  const Vector centre = {c[0], c[1], c[2]};
  Vector offset = {0.0f, 0.0f, 0.0f};
  if (run_parameters.jitter == AT_CENTRE) {
    // There is no random displacement: the streamline starts at the centre of its seed.
  } else if (run_parameters.jitter == IN_BALL) {
    for (u32 attempt = 1; attempt <= ATTEMPTS; ++attempt) {
      const uint4 u = draws(run_parameters, number, attempt);
      const Vector o = {2.0f * unit(u.x) - 1.0f, 2.0f * unit(u.y) - 1.0f, 2.0f * unit(u.z) - 1.0f};
      if (dot(o, o) <= 1.0f) {
        offset = o;
        break;
      }
    }
  } else {
    const uint4 u = draws(run_parameters, number, 1);
    offset = {unit(u.x) - 0.5f, unit(u.y) - 0.5f, unit(u.z) - 0.5f};
  }
  return moved(run_parameters.spread, centre, offset);
}

// Returns the index of the data of a voxel, or NOWHERE if it has none. `v` has whole numbers as coordinates.
template <class RunParameters, class Field>
__device__ __forceinline__ u32 place_of(const RunParameters& run_parameters, const Field& field, Vector v)
{
  return inside(v, run_parameters.shape) ? field.places[index(v, run_parameters.shape)] : NOWHERE;
}

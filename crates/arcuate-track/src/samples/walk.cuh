// One streamline through samples, from its number alone: walk/streamline.rs and samples/field.rs say what is computed and are
// the same, operation by operation: change both or none.
#pragma once

#include "streamlines.cuh"

// What is asked of a run.
#define FRACTION_STOPS 1u
#define LOOP_CHECK 2u
#define NEAREST 4u
#define MODIFIED_EULER 8u
#define ANY_WAYPOINT 16u
#define IN_ORDER 32u
#define ONE_WAY 64u
#define JUDGED_AS_A_WHOLE 128u
#define HAS_WAYPOINTS 256u
#define SPARES_FIRST_STEP 512u
#define STOPS_AT_MOST 1024u

#define INITIAL_NUMBER 0u
#define INITIAL_RANDOM 1u
#define INITIAL_IN_PROPORTION 2u
#define INITIAL_OF_ALL 3u

#define CELL 5.0f
#define CELLS 128u

// A cell of the loop check, and the direction there.
struct Cell {
  float at[3], direction[3];
};

// Four fibres of one voxel and sample.
struct Sector {
  uint4 halves[2];
};

// What streamlines are followed through.
struct Field {
  const u32* __restrict__ places;
  const Sector* __restrict__ sectors;
  const float* __restrict__ centres;
  const Lattice* __restrict__ spaces;
  // Of voxels of the lattices: regions as bits, or the number of their set where there are more than one word of them.
  const u32* __restrict__ bits;
  // Sets of regions: those that mean the same, then those of each lattice.
  const u32* __restrict__ sets;
  // Vectors of three numbers and one more, so that each is one read.
  const float4* __restrict__ warps;
};

struct Fibre {
  Vector direction;
  // As it is stored.
  u32 fraction;
};

// Whether a half is neither avoided at its point number k, if that is the seed, nor stops there.
__device__ __forceinline__ bool is_spared(const Course& course, u32 k) { return k <= 1 && (course.flags & SPARES_FIRST_STEP); }

// The corners of a cell of a warp, kept by a lane while its streamline stays between them: they lie 32 apart. `cell` is
// the number of the first among all warps'.
struct Corners {
  float4* values;
  u32 cell;
};

__device__ __forceinline__ Vector in_space(const Lattice& space, const float4* __restrict__ warps, Corners& corners, Vector p)
{
  const Vector s = affine(space.affine, p);
  if (space.warp_shape[0] == 0) return s;
  const WarpCell at = warp_cell(space, p);
  const u32 cell = space.warp_at + at.below + at.rows[0];
  if (cell != corners.cell) {
    corners.cell = cell;
    const float4* values = warps + space.warp_at;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
      corners.values[2 * row * 32] = values[at.below + at.rows[row]];
      corners.values[(2 * row + 1) * 32] = values[at.above + at.rows[row]];
    }
  }
  return displaced(s, at, [&](int row, int side) { return corners.values[(2 * row + side) * 32]; });
}

__device__ __forceinline__ Vector begin_of(const Course& course, const Field& field, Corners& corners, u64 number)
{
  const Vector drawn = drawn_of(course, field.centres, number);
  if (course.seed_space == NOWHERE) return drawn;
  return in_space(field.spaces[course.seed_space], field.warps, corners, drawn);
}

// What a lattice has of a voxel, in as many bytes as that needs.
__device__ __forceinline__ u32 packed_at(const u32* __restrict__ bits, const Lattice& space, u32 voxel)
{
  const u32* of_space = bits + space.bits_at;
  switch (space.bits_bytes) {
  case 0: return 0;
  case 1: return reinterpret_cast<const unsigned char*>(of_space)[voxel];
  case 2: return reinterpret_cast<const u16*>(of_space)[voxel];
  default: return of_space[voxel];
  }
}

__device__ __forceinline__ Fibre fibre_of(u32 low, u32 high)
{
  const float scale = 1.0f / 32767.0f;
  return {{static_cast<float>(static_cast<short>(low & 0xffffu)) * scale,
           static_cast<float>(static_cast<short>(low >> 16)) * scale,
           static_cast<float>(static_cast<short>(high & 0xffffu)) * scale},
          high >> 16};
}

__device__ __forceinline__ float fraction_of(u32 stored) { return static_cast<float>(stored) * (1.0f / 65535.0f); }

// Fibre n of a voxel's sample.
__device__ __forceinline__ Fibre fibre_at(const Sector* __restrict__ sectors, u32 n)
{
  const uint2 words = reinterpret_cast<const uint2*>(sectors)[n];
  return fibre_of(words.x, words.y);
}

__device__ __forceinline__ u32 initial_fibre(const Course& course, const Sector* __restrict__ sectors, u32 bits)
{
  if (course.initial == INITIAL_NUMBER) return course.initial_fibre;
  if (course.initial == INITIAL_OF_ALL) return static_cast<u32>((static_cast<u64>(bits) * course.fibres) >> 32);
  // Each counts one, or its fraction.
  const bool evenly = course.initial == INITIAL_RANDOM;
  u64 sum = 0;
  for (u32 n = 0; n < course.fibres; ++n) {
    const u32 fraction = fibre_at(sectors, n).fraction;
    if (fraction_of(fraction) > course.min_fraction) sum += evenly ? 1 : fraction;
  }
  u64 rest = (static_cast<u64>(bits) * sum) >> 32;
  for (u32 n = 0; n < course.fibres; ++n) {
    const u32 fraction = fibre_at(sectors, n).fraction;
    if (fraction_of(fraction) > course.min_fraction) {
      const u64 own = evenly ? 1 : fraction;
      if (rest < own) return n;
      rest -= own;
    }
  }
  return 0;
}

// An orientation at a point; whether there is one. `initial`: whether the first fibre is drawn, by `bits`.
__device__ __forceinline__ bool sample(const Course& course, const Field& field, Vector p, uint4 u, Vector before,
                                       bool initial, u32 bits, Fibre& fibre)
{
  Vector v;
  if (course.flags & NEAREST) {
    v = nearest(p);
  } else {
    v = {floorf(p.x), floorf(p.y), floorf(p.z)};
    if (unit(u.x) < p.x - v.x) v.x += 1.0f;
    if (unit(u.y) < p.y - v.y) v.y += 1.0f;
    if (unit(u.z) < p.z - v.z) v.z += 1.0f;
  }
  const u32 place = place_of(course, field, v);
  if (place == NOWHERE) return false;
  const u32 number = static_cast<u32>(floorf(unit(u.w) * static_cast<float>(course.samples - 1) + 0.5f));
  const u32 sectors_each = (course.fibres + 3) / 4;
  const Sector* sectors = field.sectors + (static_cast<u64>(place) * course.samples + number) * sectors_each;
  if (initial) {
    fibre = fibre_at(sectors, initial_fibre(course, sectors, bits));
    return true;
  }
  float largest = -1.0f;
  for (u32 n = 0; n < sectors_each; ++n) {
    const uint4 low = sectors[n].halves[0], high = sectors[n].halves[1];
    const Fibre four[4] = {fibre_of(low.x, low.y), fibre_of(low.z, low.w), fibre_of(high.x, high.y),
                           fibre_of(high.z, high.w)};
    if (n == 0) fibre = four[0];
    // Those beyond the last have the fraction 0, which is above no limit.
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      if (fraction_of(four[m].fraction) > course.min_fraction) {
        const float cosine = fabsf(dot(four[m].direction, before));
        if (cosine > largest) {
          largest = cosine;
          fibre = four[m];
        }
      }
    }
  }
  return true;
}

// Whether a streamline may pass here in this direction; `last` is the cell it was in, `seen` how many there are, `next` where
// the next one goes.
__device__ __forceinline__ bool pass(Cell* cells, u32& seen, u32& next, u32& last, Vector p, Vector direction)
{
  const Vector cell = {nearest(p.x / CELL), nearest(p.y / CELL), nearest(p.z / CELL)};
  auto is_here = [&](const Cell& other) {
    return other.at[0] == cell.x && other.at[1] == cell.y && other.at[2] == cell.z;
  };
  auto store = [&](Cell& into) {
    into.direction[0] = direction.x;
    into.direction[1] = direction.y;
    into.direction[2] = direction.z;
  };
  if (last >= seen || !is_here(cells[last])) {
    u32 found = 0;
    while (found < seen && !is_here(cells[found])) ++found;
    if (found == seen) {
      last = next;
      Cell& fresh = cells[next];
      fresh.at[0] = cell.x;
      fresh.at[1] = cell.y;
      fresh.at[2] = cell.z;
      store(fresh);
      if (seen < CELLS) ++seen;
      next = (next + 1) % CELLS;
      return true;
    }
    last = found;
  }
  Cell& here = cells[last];
  const bool passes = dot(direction, {here.direction[0], here.direction[1], here.direction[2]}) >= 0.0f;
  store(here);
  return passes;
}

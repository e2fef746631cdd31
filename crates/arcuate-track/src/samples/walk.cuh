// Tracking of one streamline through orientation samples. The streamline depends only on its number. This is
// the GPU implementation of walk/streamline.rs and samples/field.rs, which describe the method. These files
// perform the same operations in the same order, so change them together.
#pragma once

#include "streamlines.cuh"

// Flags with the options of a run.
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

// A cell of space for detecting loops, and the last direction of the streamline in this cell.
struct Cell {
  float at[3], direction[3];
};

// Four fibres of one sample of a voxel, which are read together.
struct Sector {
  uint4 halves[2];
};

// The samples and regions through which streamlines are tracked.
struct Field {
  const u32* __restrict__ places;
  const Sector* __restrict__ sectors;
  const float* __restrict__ centres;
  const GridParameters* __restrict__ spaces;
  // Set of regions of each voxel of each grid: as bits, or as the number of the set if regions need more than
  // one word.
  const u32* __restrict__ bits;
  // Sets of regions: first the sets by effect on streamlines (avoid, stop and so on), then the sets of each
  // grid.
  const u32* __restrict__ sets;
  // Displacement vectors of all displacement fields. Each vector has an unused fourth number, so that one
  // load reads it.
  const float4* __restrict__ warps;
};

struct Fibre {
  Vector direction;
  // Volume fraction of the fibre, stored as an integer from 0 to 65535.
  u32 fraction;
};

// Returns true if regions are ignored at point k of a half. Depending on the options, regions to avoid are
// ignored at the seed (k = 0), and regions to stop in at the first step (k = 1).
__device__ __forceinline__ bool is_spared(const RunParameters& run_parameters, u32 k) { return k <= 1 && (run_parameters.flags & SPARES_FIRST_STEP); }

// Corners of a cell of a displacement field, which a lane reads from its cache while its streamline stays in
// this cell. Corners of the same lane are 32 vectors apart. `cell` is the index of the first corner among the
// vectors of all displacement fields.
struct Corners {
  float4* values;
  u32 cell;
};

__device__ __forceinline__ Vector in_space(const GridParameters& space, const float4* __restrict__ warps, Corners& corners, Vector p)
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

__device__ __forceinline__ Vector begin_of(const RunParameters& run_parameters, const Field& field, Corners& corners, u64 number)
{
  const Vector drawn = drawn_of(run_parameters, field.centres, number);
  if (run_parameters.seed_space == NOWHERE) return drawn;
  return in_space(field.spaces[run_parameters.seed_space], field.warps, corners, drawn);
}

// Returns the set of regions of a voxel in a grid, which is stored in 0, 1, 2 or 4 bytes.
__device__ __forceinline__ u32 packed_at(const u32* __restrict__ bits, const GridParameters& space, u32 voxel)
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

// Returns fibre n of an orientation sample of a voxel.
__device__ __forceinline__ Fibre fibre_at(const Sector* __restrict__ sectors, u32 n)
{
  const uint2 words = reinterpret_cast<const uint2*>(sectors)[n];
  return fibre_of(words.x, words.y);
}

__device__ __forceinline__ u32 initial_fibre(const RunParameters& run_parameters, const Sector* __restrict__ sectors, u32 bits)
{
  if (run_parameters.initial == INITIAL_NUMBER) return run_parameters.initial_fibre;
  if (run_parameters.initial == INITIAL_OF_ALL) return static_cast<u32>((static_cast<u64>(bits) * run_parameters.fibres) >> 32);
  // The weight of a fibre is 1 or its volume fraction.
  const bool evenly = run_parameters.initial == INITIAL_RANDOM;
  u64 sum = 0;
  for (u32 n = 0; n < run_parameters.fibres; ++n) {
    const u32 fraction = fibre_at(sectors, n).fraction;
    if (fraction_of(fraction) > run_parameters.min_fraction) sum += evenly ? 1 : fraction;
  }
  u64 rest = (static_cast<u64>(bits) * sum) >> 32;
  for (u32 n = 0; n < run_parameters.fibres; ++n) {
    const u32 fraction = fibre_at(sectors, n).fraction;
    if (fraction_of(fraction) > run_parameters.min_fraction) {
      const u64 own = evenly ? 1 : fraction;
      if (rest < own) return n;
      rest -= own;
    }
  }
  return 0;
}

// Draws a fibre orientation at a position. Returns true if there is one. If `initial` is true, the random
// `bits` select the fibre. If not, the fibre closest to the direction `before` is used.
__device__ __forceinline__ bool sample(const RunParameters& run_parameters, const Field& field, Vector p, uint4 u, Vector before,
                                       bool initial, u32 bits, Fibre& fibre)
{
  Vector v;
  if (run_parameters.flags & NEAREST) {
    v = nearest(p);
  } else {
    v = {floorf(p.x), floorf(p.y), floorf(p.z)};
    if (unit(u.x) < p.x - v.x) v.x += 1.0f;
    if (unit(u.y) < p.y - v.y) v.y += 1.0f;
    if (unit(u.z) < p.z - v.z) v.z += 1.0f;
  }
  const u32 place = place_of(run_parameters, field, v);
  if (place == NOWHERE) return false;
  const u32 number = static_cast<u32>(floorf(unit(u.w) * static_cast<float>(run_parameters.samples - 1) + 0.5f));
  const u32 sectors_each = (run_parameters.fibres + 3) / 4;
  const Sector* sectors = field.sectors + (static_cast<u64>(place) * run_parameters.samples + number) * sectors_each;
  if (initial) {
    fibre = fibre_at(sectors, initial_fibre(run_parameters, sectors, bits));
    return true;
  }
  float largest = -1.0f;
  for (u32 n = 0; n < sectors_each; ++n) {
    const uint4 low = sectors[n].halves[0], high = sectors[n].halves[1];
    const Fibre four[4] = {fibre_of(low.x, low.y), fibre_of(low.z, low.w), fibre_of(high.x, high.y),
                           fibre_of(high.z, high.w)};
    if (n == 0) fibre = four[0];
    // Unused fibres of a sample's last group of four have volume fraction 0, which exceeds no threshold.
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      if (fraction_of(four[m].fraction) > run_parameters.min_fraction) {
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

// Detects loops: returns true if a streamline may pass this position in this direction. `last` is the index
// of its previous cell, `seen` is the number of stored cells, and `next` is the index at which the next new
// cell is stored.
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

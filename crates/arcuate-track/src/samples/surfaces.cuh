// Regions that are surfaces. This is the GPU implementation of constraints/surfaces.rs. Each triangle stores the
// regions to which it belongs and the volumes that it bounds.
#pragma once

#include "triangles.cuh"
#include "walk.cuh"

#define MET 0
#define BOUNDS 1

// Grid of cells into which the triangles of the surfaces are sorted. `space` is the index of the voxel grid
// whose mapping leads to these cells.
struct SurfaceCells {
  int least[3];
  int shape[3];
  unsigned edge;
  int near;
  unsigned division;
  unsigned space;
  // Regions at which a streamline stops when it meets them for the second time, as a bit mask. It is used if
  // all regions fit into one word.
  unsigned second;
  // Offset of the table with the sets of regions. Triangles and cells have the numbers of their sets.
  unsigned sets_at;
};

// Number of points that each lane reaches before the warp searches for the triangles on its path.
#define TOGETHER 4
// Marks a segment that meets triangles with different sets of regions. The search for these sets is then
// repeated.
#define SEVERAL 0xffffffffu

// Points of the streamlines of a warp's lanes. Each lane has POINTS of them.
template <int POINTS>
struct FixedOfLanes {
  int fixed[3][POINTS][32];

  __device__ __forceinline__ void put(u32 n, u32 lane, const Fixed& point)
  {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) fixed[axis][n][lane] = point.at[axis];
  }

  __device__ __forceinline__ Fixed at(u32 n, u32 lane) const { return {{fixed[0][n][lane], fixed[1][n][lane], fixed[2][n][lane]}}; }
};

// Points that the streamlines of a warp's lanes have reached since the last search for triangles, before
// their regions are known. They are fixed-point positions in the space of the surfaces. Index 0 holds the
// last point before these.
struct WayOfWarp : FixedOfLanes<TOGETHER + 1> {
  float place[3][TOGETHER][32];
  // Set of regions that the step to each point meets: as bits, or as the number of the set.
  u32 met[TOGETHER][32];

  __device__ __forceinline__ void put_place(u32 n, u32 lane, Vector p)
  {
    place[0][n][lane] = p.x;
    place[1][n][lane] = p.y;
    place[2][n][lane] = p.z;
  }

  __device__ __forceinline__ Vector place_of(u32 n, u32 lane) const { return {place[0][n][lane], place[1][n][lane], place[2][n][lane]}; }
};

// This type replaces `Surfaces` if no region is a surface.
struct NoSurfaces {
  static constexpr bool ANY = false;
};

// The surfaces of a run, as one lane (thread) uses them.
struct Surfaces {
  static constexpr bool ANY = true;

  const SurfaceCells& cells;
  const u32* __restrict__ first;
  const ListedTriangle* __restrict__ list;
  const Triangle* __restrict__ triangles;
  // Sets of regions that contain the centre of each cell; null if no region is the inside of a surface.
  const u32* __restrict__ inside;
  // Exact start positions of the streamlines of each seed, or null.
  const Fixed* __restrict__ seeds;
  // The points that the lanes reached since the last search for triangles, and the index of the current
  // point.
  WayOfWarp* way;
  u32 turn;

  // Returns true if regions are surfaces. Returns false if surfaces only define matrix columns.
  __device__ __forceinline__ bool are_there() const { return cells.shape[0] > 0; }

  __device__ __forceinline__ Fixed fixed(const Field& field, Corners& corners, Vector p) const
  {
    return fixed_of(in_space(field.spaces[cells.space], field.warps, corners, p));
  }

  __device__ __forceinline__ int middle(int axis, int coordinate) const
  {
    const i64 at = cells.least[axis] + ((2 * along(cells, axis, coordinate) + 1) << (cells.edge - 1));
    return static_cast<int>(min(at, static_cast<i64>(0x7fffffff)));
  }

  __device__ __forceinline__ Fixed here() const { return way->at(turn + 1, threadIdx.x % 32); }

  // Returns the regions that the step to the current point meets.
  __device__ __forceinline__ u32 met() const { return way->met[turn][threadIdx.x % 32]; }

  // Calls `add` with each set of regions that the step to the current point meets.
  template <class Add>
  __device__ __forceinline__ void each_met(Add add) const
  {
    const u32 known = met();
    if (known != SEVERAL) {
      if (known) add(known);
      return;
    }
    const Fixed from = way->at(turn, threadIdx.x % 32), to = here();
    each_near(cells, first, list, triangles, from, to, [&](const Triangle& t) {
      if (t.tags[MET] && has_contact(t, from, to)) add(t.tags[MET]);
    });
  }

  // Calls `turn` with sets of regions whose inside a crossed triangle bounds. The point is inside the regions
  // that occur in an odd number of these sets.
  template <class Turn>
  __device__ __forceinline__ void inside_of(const Fixed& point, Turn turn) const
  {
    const u32 own = inside ? cell_of(cells, point) : NOWHERE;
    if (own == NOWHERE) return;
    if (inside[own]) turn(inside[own]);
    Fixed from;
    int cell[3];
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      from.at[n] = middle(n, point.at[n]);
      cell[n] = static_cast<int>(along(cells, n, point.at[n]));
    }
    each_in(cells, first, list, triangles, cell, from, point, [&](const Triangle& t) {
      if (t.tags[BOUNDS] && passes_through(t, from, point)) turn(t.tags[BOUNDS]);
    });
  }

  // Calls `add` with the set of regions of each triangle that contains the current point.
  template <class Add>
  __device__ __forceinline__ void touched(Add add) const
  {
    const Fixed point = here();
    const u32 own = cell_of(cells, point);
    if (own == NOWHERE) return;
    for (u32 n = first[own]; n < first[own + 1]; ++n) {
      const Triangle& t = triangles[list[n].number];
      if (t.tags[MET] && has(t, point)) add(t.tags[MET]);
    }
  }

  // Returns the fixed-point position, in the space of the surfaces, of point k of a half.
  __device__ __forceinline__ Fixed place(const RunParameters& run_parameters, const Field& field, Corners& corners, Vector p, u32 k, u64 number) const
  {
    return k == 0 && seeds ? seeds[seed_of(run_parameters, number)] : fixed(field, corners, p);
  }
};

// Regions that surfaces are, as constraints/surfaces.rs has them. Of a triangle it is known which regions it belongs to, and whose
// inside it bounds.
#pragma once

#include "triangles.cuh"
#include "walk.cuh"

#define MET 0
#define BOUNDS 1

// Where the cells of the surfaces lie; the lattice that leads to them is one of the spaces.
struct SurfaceCells {
  int least[3];
  int shape[3];
  unsigned edge;
  int near;
  unsigned division;
  unsigned space;
  // Regions that end a streamline where it meets them again, as bits where these are one word.
  unsigned second;
  // Where the sets of regions begin that triangles and cells have numbers of.
  unsigned sets_at;
};

// Points that a lane comes to before the triangles on the way there are looked for.
#define TOGETHER 4
// More than one set of regions: then they are looked for once more.
#define SEVERAL 0xffffffffu

// Points of the lanes of a warp, some each.
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

// The points that the lanes of a warp came to in one turn, before it is known what is there: in the space of surfaces, behind the last
// ones of the turn before.
struct WayOfWarp : FixedOfLanes<TOGETHER + 1> {
  float place[3][TOGETHER][32];
  // Regions that the way there meets: as bits, or the number of their set.
  u32 met[TOGETHER][32];

  __device__ __forceinline__ void put_place(u32 n, u32 lane, Vector p)
  {
    place[0][n][lane] = p.x;
    place[1][n][lane] = p.y;
    place[2][n][lane] = p.z;
  }

  __device__ __forceinline__ Vector place_of(u32 n, u32 lane) const { return {place[0][n][lane], place[1][n][lane], place[2][n][lane]}; }
};

// Streamlines that no surface is in the way of.
struct NoSurfaces {
  static constexpr bool ANY = false;
};

// The surfaces of a run, as a lane sees them.
struct Surfaces {
  static constexpr bool ANY = true;

  const SurfaceCells& cells;
  const u32* __restrict__ first;
  const ListedTriangle* __restrict__ list;
  const Triangle* __restrict__ triangles;
  // Of cells: regions inside of which their middle lies; null where no region is a volume.
  const u32* __restrict__ inside;
  // Where the streamlines of seeds begin exactly, or null.
  const Fixed* __restrict__ seeds;
  // The points of this turn, and which of them is looked at.
  WayOfWarp* way;
  u32 turn;

  // Whether regions are surfaces, and not elements alone.
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

  // What the way to the point meets.
  __device__ __forceinline__ u32 met() const { return way->met[turn][threadIdx.x % 32]; }

  // Tells the sets of regions that the way to the point meets.
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

  // Tells the regions inside of which a point lies: those that are told an odd number of times.
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

  // Tells the regions that the point lies on.
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

  // Where the point number k of a half is.
  __device__ __forceinline__ Fixed place(const Course& course, const Field& field, Corners& corners, Vector p, u32 k, u64 number) const
  {
    return k == 0 && seeds ? seeds[seed_of(course, number)] : fixed(field, corners, p);
  }
};

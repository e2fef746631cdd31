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
  // The point before.
  Fixed before;

  __device__ __forceinline__ Fixed fixed(const Field& field, Corners& corners, Vector p) const
  {
    return fixed_of(in_space(field.spaces[cells.space], field.warps, corners, p));
  }

  __device__ __forceinline__ int middle(int axis, int coordinate) const
  {
    const i64 at = cells.least[axis] + ((2 * along(cells, axis, coordinate) + 1) << (cells.edge - 1));
    return static_cast<int>(min(at, static_cast<i64>(0x7fffffff)));
  }

  // Tells the regions that the segment from the point before meets.
  template <class Add>
  __device__ __forceinline__ void meet(const Fixed& to, Add add) const
  {
    each_near(cells, first, list, triangles, before, to, [&](const Triangle& t) {
      if (t.tags[MET] && has_contact(t, before, to)) add(t.tags[MET]);
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
      if (!t.tags[BOUNDS]) return;
      const u32 how = together(t, from, point);
      if (how == NEAR_AND_SMALL ? is_crossed<true>(t, from, point) : how == NEAR && is_crossed_far(t, from, point)) {
        turn(t.tags[BOUNDS]);
      }
    });
  }

  // Tells the regions that the point before lies on.
  template <class Add>
  __device__ __forceinline__ void touched(Add add) const
  {
    const u32 own = cell_of(cells, before);
    if (own == NOWHERE) return;
    for (u32 n = first[own]; n < first[own + 1]; ++n) {
      const Triangle& t = triangles[list[n].number];
      if (!t.tags[MET]) continue;
      const u32 how = together(t, before, before);
      if (how == NEAR_AND_SMALL ? holds<true>(t, before) : how == NEAR && holds_far(t, before)) add(t.tags[MET]);
    }
  }

  // Where the point number k of a half is.
  __device__ __forceinline__ Fixed place(const Course& course, const Field& field, Corners& corners, Vector p, u32 k, u64 number) const
  {
    return k == 0 && seeds ? seeds[seed_of(course, number)] : fixed(field, corners, p);
  }
};

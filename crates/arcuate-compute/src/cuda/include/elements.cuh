// Elements that streamlines can meet: voxels or surface vertices that are columns of a connectivity matrix. This is the
// GPU implementation of arcuate_connect's passed/elements.rs. Both files perform the same operations in the same order,
// so change them together.
#pragma once

#include "triangles.cuh"
#include "ways.cuh"

// Flag in the rank of a point after the seed. A rank with this flag is larger than all ranks without it. So a point
// after the seed counts only if the part of the streamline before the seed does not meet the element.
#define BEHIND 0x80000000u

// A voxel grid of elements, or of sets of elements, and the mapping from RAS mm to the grid.
struct ElementGrid {
  float affine[12];
  float warp_affine[12];
  int shape[3];
  int warp_shape[3];
  unsigned warp_at;
  // `voxels_at` is the offset of the grid's voxels among the voxels of all grids. `lists_at` is the offset of the
  // grid's sets among the sets of all grids; it is NOWHERE if each voxel holds one element.
  unsigned voxels_at;
  unsigned lists_at;
  unsigned unused;
};

// Grid of cells that list triangles, and the mapping from RAS mm to the grid.
struct ElementCells {
  float affine[12];
  float warp_affine[12];
  int warp_shape[3];
  unsigned warp_at;
  int least[3];
  int shape[3];
  unsigned edge;
  int near;
  unsigned division;
};

// Parameters that are the same for all streamlines.
struct Meeting {
  // Number of streamlines of each seed, and the first matrix row that is counted in this launch.
  unsigned long long each, first_row;
  unsigned rows, columns;
  unsigned lattices;
  // Flag: 0 if no elements are vertices of triangles.
  unsigned triangles;
  // Flag: 1 if rows and columns are the same elements. A streamline then ignores its seed's own element, and triangles
  // that contain this element.
  unsigned is_square;
  unsigned unused;
};

struct Elements {
  const ElementGrid* __restrict__ lattices;
  const u32* __restrict__ voxels;
  // `lists` holds the start of each set in `listed`, and the end of the last set. `listed` holds the elements of all
  // sets.
  const u32* __restrict__ lists;
  const u32* __restrict__ listed;
  const float4* __restrict__ warps;
  const ElementCells& cells;
  const u32* __restrict__ first;
  const ListedTriangle* __restrict__ list;
  const Triangle* __restrict__ triangles;
};

// Calls `show` with each element that contains a point in RAS mm, or with NOWHERE if a voxel has no element.
template <class Show>
__device__ __forceinline__ void each_element_at(const Meeting& run, const Elements& all, Vector p, Show show)
{
  for (u32 n = 0; n < run.lattices; ++n) {
    const ElementGrid& lattice = all.lattices[n];
    const Vector v = nearest(led_to(lattice, all.warps, p));
    if (!inside(v, lattice.shape)) continue;
    const u32 there = all.voxels[static_cast<u64>(lattice.voxels_at) + index(v, lattice.shape)];
    if (lattice.lists_at == NOWHERE) {
      show(there);
    } else {
      const u32* __restrict__ lists = all.lists + lattice.lists_at + there;
      for (u32 k = lists[0]; k < lists[1]; ++k) show(all.listed[k]);
    }
  }
}

// Returns true if the triangle has a corner with the element `own`. Streamlines that start at this element ignore the
// triangle.
__device__ __forceinline__ bool is_own(const Triangle& t, u32 own)
{
  return own != NOWHERE && (t.tags[0] == own || t.tags[1] == own || t.tags[2] == own);
}

// Returns the index, among all matrix rows, of the row in which a streamline counts.
__device__ __forceinline__ u64 row_of(const Meeting& run, const u32* __restrict__ rows_of_seeds, u64 number)
{
  const u64 seed = number / run.each;
  return rows_of_seeds ? rows_of_seeds[seed] : seed;
}

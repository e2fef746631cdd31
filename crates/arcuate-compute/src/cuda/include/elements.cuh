// Finds the elements that a streamline passes. Elements are voxels or surface vertices that belong to the columns of a
// connectivity matrix. This is the GPU implementation of passed/elements.rs in arcuate_connect. Both files perform the
// same operations in the same order, so change them together.
#pragma once

#include "triangles.cuh"
#include "ways.cuh"

// Each point of a streamline has a rank, and an element that the streamline passes several times is counted at the
// point with the lowest rank. The rank of a point after the seed has this flag. With this flag, the rank is larger than
// the ranks of all points before the seed. So a point after the seed counts only if the streamline does not pass the
// element before the seed.
#define BEHIND 0x80000000u

// A voxel grid in which each voxel holds one matrix element or a set of matrix elements. It includes the mapping from
// RAS mm to the voxels of the grid.
struct ElementGrid {
  float affine[12];
  float warp_affine[12];
  int shape[3];
  int warp_shape[3];
  unsigned warp_at;
  // `voxels_at` is the offset of this grid's voxels in an array with the voxels of all grids. `lists_at` is the offset
  // of this grid's sets of elements in an array with the sets of all grids. If each voxel holds only one element,
  // `lists_at` is NOWHERE.
  unsigned voxels_at;
  unsigned lists_at;
  unsigned unused;
};

// A grid of cells, each of which lists the surface triangles that may be in it or near it, and the mapping from RAS mm
// to the grid.
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

// Parameters of the search for elements that are the same for all streamlines.
struct Meeting {
  // Number of streamlines of each seed, and the first of the matrix rows to which this launch of the kernel adds.
  unsigned long long each, first_row;
  unsigned rows, columns;
  unsigned lattices;
  // Flag: 0 if no elements are vertices of triangles.
  unsigned triangles;
  // Flag: 1 if the rows and the columns of the matrix are the same elements. A streamline then ignores the element in
  // which its seed is, and triangles that have this element as a corner.
  unsigned is_square;
  unsigned unused;
};

struct Elements {
  const ElementGrid* __restrict__ lattices;
  const u32* __restrict__ voxels;
  // `listed` holds the elements of all sets, one set after another. `lists` holds the index in `listed` at which each
  // set starts, and after these the end of the last set.
  const u32* __restrict__ lists;
  const u32* __restrict__ listed;
  const float4* __restrict__ warps;
  const ElementCells& cells;
  const u32* __restrict__ first;
  const ListedTriangle* __restrict__ list;
  const Triangle* __restrict__ triangles;
};

// Calls `show` with each element whose voxel contains the point p, in RAS mm. If a grid has no sets of elements and the
// voxel that contains p has no element, `show` is called with NOWHERE.
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

// Returns true if a corner of the triangle is the matrix element `own`. Streamlines that start at this element ignore
// the triangle.
__device__ __forceinline__ bool is_own(const Triangle& t, u32 own)
{
  return own != NOWHERE && (t.tags[0] == own || t.tags[1] == own || t.tags[2] == own);
}

// Returns the index of the matrix row in which a streamline is counted; all rows of the matrix are numbered from 0.
__device__ __forceinline__ u64 row_of(const Meeting& run, const u32* __restrict__ rows_of_seeds, u64 number)
{
  const u64 seed = number / run.each;
  return rows_of_seeds ? rows_of_seeds[seed] : seed;
}

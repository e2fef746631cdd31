// What streamlines can meet and what counts of it, as arcuate_connect's met/elements.rs has it, operation by operation: change both
// or none.
#pragma once

#include "triangles.cuh"
#include "ways.cuh"

// Of a rank, beside the steps: the half behind the seed counts where the one before it does not meet an element.
#define BEHIND 0x80000000u

// A lattice of elements, or of sets of them, and the way there from mm.
struct ElementLattice {
  float affine[12];
  float warp_affine[12];
  int shape[3];
  int warp_shape[3];
  unsigned warp_at;
  // Where its voxels begin among those of all lattices, and the lists of its sets among all; NOWHERE where a voxel has an element.
  unsigned voxels_at;
  unsigned lists_at;
  unsigned unused;
};

// Cells of triangles, and the way there from mm, which has no shape.
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

// What all streamlines have in common.
struct Meeting {
  // Streamlines of a seed, and the first row that is counted here.
  unsigned long long each, first_row;
  unsigned rows, columns;
  unsigned lattices;
  // 0 where there are no triangles.
  unsigned triangles;
  // Whether rows are columns: then a seed meets neither its own element nor others at a triangle that has it.
  unsigned is_square;
  unsigned unused;
};

struct Elements {
  const ElementLattice* __restrict__ lattices;
  const u32* __restrict__ voxels;
  // Where the list of each set begins, and of one more; elements of the lists.
  const u32* __restrict__ lists;
  const u32* __restrict__ listed;
  const float4* __restrict__ warps;
  const ElementCells& cells;
  const u32* __restrict__ first;
  const ListedTriangle* __restrict__ list;
  const Triangle* __restrict__ triangles;
};

// Shows the elements that a point in RAS mm lies in; NOWHERE where it lies in none.
template <class Show>
__device__ __forceinline__ void each_element_at(const Meeting& run, const Elements& all, Vector p, Show show)
{
  for (u32 n = 0; n < run.lattices; ++n) {
    const ElementLattice& lattice = all.lattices[n];
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

// Whether a triangle is none for streamlines from an element.
__device__ __forceinline__ bool is_own(const Triangle& t, u32 own)
{
  return own != NOWHERE && (t.tags[0] == own || t.tags[1] == own || t.tags[2] == own);
}

// The row among all in which the streamlines of a seed count.
__device__ __forceinline__ u64 row_of(const Meeting& run, const u32* __restrict__ rows_of_seeds, u64 number)
{
  const u64 seed = number / run.each;
  return rows_of_seeds ? rows_of_seeds[seed] : seed;
}

// What streamlines meet on their way, counted in the rows of their seeds: one streamline a warp, one point a lane. met/elements.rs
// says what is met, and is the same, operation by operation: change both or none.
#include "cuda.cuh"
#include "triangles.cuh"
#include "warp.cuh"
#include "ways.cuh"

// As in ways.cuh.
#define NOWHERE 0xffffffffu

#define THREADS 128
#define WARPS (THREADS / 32)
// Elements that a warp has room for while it looks at a streamline, powers of two.
#define LEAST_ROOM 64u
#define ROOM 1024u
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

// Where a streamline lies among points that were put side by side, as arcuate_compute::StreamlineSpan.
struct StreamlineSpan {
  u64 begin, number;
  u32 points, seed;
};

// What one streamline has met, in as many passes as it takes: each has the elements whose hashes begin with the number `part` of
// `bits` bits.
struct Table {
  u32* elements;
  u32* ranks;
  u32 own, room, part, bits;
  bool is_full;

  __device__ __forceinline__ void meet(u32 element, u32 rank)
  {
    if (element == NOWHERE || element == own) return;
    const u32 hash = element * 0x9e3779b1u;
    if (bits > 0 && hash >> (32 - bits) != part) return;
    // Other bits than those that parts go by.
    u32 at = (hash >> 6) & (room - 1);
    for (u32 probe = 0; probe < room; ++probe) {
      const u32 known = atomicCAS(&elements[at], NOWHERE, element);
      if (known == NOWHERE || known == element) {
        atomicMin(&ranks[at], rank);
        return;
      }
      at = (at + 1) & (room - 1);
    }
    is_full = true;
  }
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
  const u32* __restrict__ list;
  const Triangle* __restrict__ triangles;
};

__device__ __forceinline__ Vector point_at(const float* __restrict__ points, u32 n)
{
  return {points[3 * static_cast<u64>(n)], points[3 * static_cast<u64>(n) + 1], points[3 * static_cast<u64>(n) + 2]};
}

__device__ __forceinline__ void meet_at(const Meeting& run, const Elements& all, Table& table, Vector p, u32 rank)
{
  for (u32 n = 0; n < run.lattices; ++n) {
    const ElementLattice& lattice = all.lattices[n];
    const Vector v = nearest(led_to(lattice, all.warps, p));
    if (!inside(v, lattice.shape)) continue;
    const u32 there = all.voxels[static_cast<u64>(lattice.voxels_at) + index(v, lattice.shape)];
    if (lattice.lists_at == NOWHERE) {
      table.meet(there, rank);
    } else {
      const u32* __restrict__ lists = all.lists + lattice.lists_at + there;
      for (u32 k = lists[0]; k < lists[1]; ++k) table.meet(all.listed[k], rank);
    }
  }
}

__device__ __forceinline__ void meet_between(const Elements& all, Table& table, Vector from, Vector to, u32 rank)
{
  const Fixed begin = fixed_of(led_to(all.cells, all.warps, from)), end = fixed_of(led_to(all.cells, all.warps, to));
  each_near(all.cells, all.first, all.list, all.triangles, begin, end, [&](const Triangle& t) {
    if (table.own != NOWHERE && (t.tags[0] == table.own || t.tags[1] == table.own || t.tags[2] == table.own)) return;
    if (!has_contact(t, begin, end)) return;
#pragma unroll
    for (int corner = 0; corner < 3; ++corner) table.meet(t.tags[corner], rank);
  });
}

// `rows_of_seeds` is null where each seed is a row; `steps` where lengths are not summed. Rows lie one after the other.
extern "C" __global__ void __launch_bounds__(THREADS)
  met_rows(const Meeting run, u64 streamlines, const StreamlineSpan* __restrict__ spans, const float* __restrict__ positions,
           const ElementLattice* __restrict__ lattices, const u32* __restrict__ voxels, const u32* __restrict__ lists,
           const u32* __restrict__ listed, const float4* __restrict__ warps, const ElementCells cells,
           const u32* __restrict__ first, const u32* __restrict__ list, const Triangle* __restrict__ triangles,
           const u32* __restrict__ rows_of_seeds, u32* counts, u64* steps)
{
  __shared__ u32 elements[WARPS][ROOM];
  __shared__ u32 ranks[WARPS][ROOM];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Elements all = {lattices, voxels, lists, listed, warps, cells, first, list, triangles};
  for (u64 n = static_cast<u64>(blockIdx.x) * WARPS + warp; n < streamlines; n += static_cast<u64>(gridDim.x) * WARPS) {
    const StreamlineSpan span = spans[n];
    const u64 seed = span.number / run.each;
    const u64 row = rows_of_seeds ? rows_of_seeds[seed] : seed;
    if (row < run.first_row || row - run.first_row >= run.rows) continue;
    const float* __restrict__ points = positions + 3 * span.begin;
    const u64 at = (row - run.first_row) * run.columns;
    Table table = {elements[warp], ranks[warp], run.is_square ? static_cast<u32>(row) : NOWHERE, LEAST_ROOM, 0, 0, false};
    while (table.room < ROOM && table.room < 2 * span.points) table.room *= 2;
    for (;;) {
      for (u32 k = lane; k < table.room; k += 32) {
        table.elements[k] = NOWHERE;
        table.ranks[k] = NOWHERE;
      }
      table.is_full = false;
      __syncwarp();
      for (u32 point = lane; point < span.points; point += 32) {
        const Vector here = point_at(points, point);
        if (point == span.seed) {
          if (!run.is_square) meet_at(run, all, table, here, 0);
          continue;
        }
        const bool is_behind = point > span.seed;
        const u32 rank = is_behind ? (point - span.seed) | BEHIND : span.seed - point;
        meet_at(run, all, table, here, rank);
        if (run.triangles > 0) meet_between(all, table, point_at(points, is_behind ? point - 1 : point + 1), here, rank);
      }
      __syncwarp();
      if (__any_sync(ALL, table.is_full)) {
        if (table.room < ROOM) {
          table.room = ROOM;
        } else {
          // Both halves of this part, one after the other.
          table.part *= 2;
          ++table.bits;
        }
        continue;
      }
      for (u32 k = lane; k < table.room; k += 32) {
        const u32 element = table.elements[k];
        if (element == NOWHERE) continue;
        atomicAdd(&counts[at + element], 1u);
        if (steps) atomicAdd(&steps[at + element], static_cast<u64>(table.ranks[k] & ~BEHIND));
      }
      __syncwarp();
      ++table.part;
      if (table.part == 1u << table.bits) break;
    }
  }
}

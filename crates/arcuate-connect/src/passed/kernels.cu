// Counts the elements (matrix columns) that streamlines pass, in the matrix rows that belong to their seeds.
// Each warp (32 threads) processes one streamline. Each thread of the warp processes one point of the
// streamline at a time. This is the GPU implementation of `passed/elements.rs`. Both perform the same
// operations in the same order, so change both together.
#include "cuda.cuh"
#include "elements.cuh"
#include "warp.cuh"

#define THREADS 128
#define WARPS (THREADS / 32)
// Minimum and maximum number of entries in the hash table that a warp (32 threads) uses for one streamline.
// Both are powers of two.
#define LEAST_ROOM 64u
#define ROOM 1024u

// Range of one streamline's points in the array of the points of all streamlines, as in
// `arcuate_compute::StreamlineSpan`.
struct StreamlineSpan {
  u64 begin, number;
  u32 points, seed;
};

// Hash table of the elements that one streamline has passed. If the table is too small for all these
// elements, the streamline is processed several times. Each time, the table stores only the elements whose
// hash begins with the lowest `bits` bits of `part`. `ranks` is null if path lengths are not summed.
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
    // The index in the table uses lower bits of the hash than the comparison with `part` does.
    u32 at = (hash >> 6) & (room - 1);
    for (u32 probe = 0; probe < room; ++probe) {
      const u32 known = atomicCAS(&elements[at], NOWHERE, element);
      if (known == NOWHERE || known == element) {
        if (ranks) atomicMin(&ranks[at], rank);
        return;
      }
      at = (at + 1) & (room - 1);
    }
    is_full = true;
  }
};

__device__ __forceinline__ Vector point_at(const float* __restrict__ points, u32 n)
{
  return {points[3 * static_cast<u64>(n)], points[3 * static_cast<u64>(n) + 1], points[3 * static_cast<u64>(n) + 2]};
}

// Segment of a streamline, from a point to the next point in the direction away from the seed.
struct Segment {
  Fixed begin, end;
  u32 rank;
};

__device__ __forceinline__ Fixed of_lane(const Fixed& point, u32 lane)
{
  Fixed other;
#pragma unroll
  for (int n = 0; n < 3; ++n) other.at[n] = __shfl_sync(ALL, point.at[n], lane);
  return other;
}

// Adds the elements of all triangles that the segments of a warp's threads intersect. Each thread has at most
// one segment. All 32 threads of the warp must call this function, including threads without a segment.
__device__ __forceinline__ void meet_between(const Elements& all, Table& table, u32 lane, bool has_segment, const Segment& own,
                                             Search<1>& search)
{
  auto segment = [&](u32, Fixed& from, Fixed& to) {
    from = own.begin;
    to = own.end;
    return true;
  };
  look_together(all.cells, all.first, all.list, lane, has_segment ? 1 : 0, search, segment, [&](u32 number, u32, u32 whose) {
    const Fixed begin = of_lane(own.begin, whose), end = of_lane(own.end, whose);
    const u32 rank = __shfl_sync(ALL, own.rank, whose);
    if (number == NOWHERE) return;
    const Triangle& t = all.triangles[number];
    if (is_own(t, table.own) || !has_contact(t, begin, end)) return;
#pragma unroll
    for (int corner = 0; corner < 3; ++corner) table.meet(t.tags[corner], rank);
  });
}

// Adds streamlines to the matrix rows of their seeds. The rows are consecutive in memory. `rows_of_seeds` is
// null if each seed has its own row. `steps` is null if path lengths are not summed. For each warp, dynamic
// shared memory holds the elements that its streamline has passed. If path lengths are summed, it also holds
// a rank for each element: the number of steps from the seed.
template <bool with_triangles>
__device__ __forceinline__ void count_rows(const Meeting& run, u64 streamlines, const StreamlineSpan* __restrict__ spans,
                                           const float* __restrict__ positions, const Elements& all,
                                           const u32* __restrict__ rows_of_seeds, u32* counts, u64* steps)
{
  DYNAMIC_SHARED(u32, tables);
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u32* elements = tables + warp * ROOM;
  u32* ranks = steps ? tables + (WARPS + warp) * ROOM : nullptr;
  __shared__ Search<1> searches[with_triangles ? WARPS : 1];
  for (u64 n = static_cast<u64>(blockIdx.x) * WARPS + warp; n < streamlines; n += static_cast<u64>(gridDim.x) * WARPS) {
    const StreamlineSpan span = spans[n];
    const u64 row = row_of(run, rows_of_seeds, span.number);
    if (row < run.first_row || row - run.first_row >= run.rows) continue;
    const float* __restrict__ points = positions + 3 * span.begin;
    const u64 at = (row - run.first_row) * run.columns;
    Table table = {elements, ranks, run.is_square ? static_cast<u32>(row) : NOWHERE, LEAST_ROOM, 0, 0, false};
    // The hash table gets at least one entry per point of the streamline, but at most `ROOM` entries. A voxel
    // usually contains several points, so the table is large enough for most streamlines.
    while (table.room < ROOM && table.room < span.points) table.room *= 2;
    for (;;) {
      for (u32 k = lane; k < table.room; k += 32) {
        table.elements[k] = NOWHERE;
        if (ranks) table.ranks[k] = NOWHERE;
      }
      table.is_full = false;
      __syncwarp();
      for (u32 first = 0; first < span.points; first += 32) {
        const u32 point = first + lane;
        const bool is_there = point < span.points, is_seed = point == span.seed, is_behind = point > span.seed;
        const Vector here = point_at(points, is_there ? point : span.seed);
        const u32 rank = is_seed ? 0 : is_behind ? (point - span.seed) | BEHIND : span.seed - point;
        if (is_there && !(is_seed && run.is_square)) {
          each_element_at(run, all, here, [&](u32 element) { table.meet(element, rank); });
        }
        if (with_triangles) {
          const bool has_segment = is_there && !is_seed;
          const u32 before = has_segment ? (is_behind ? point - 1 : point + 1) : span.seed;
          const Vector there = point_at(points, before);
          const Segment own = {fixed_of(led_to(all.cells, all.warps, there)), fixed_of(led_to(all.cells, all.warps, here)), rank};
          meet_between(all, table, lane, has_segment, own, searches[warp]);
        }
      }
      __syncwarp();
      if (__any_sync(ALL, table.is_full)) {
        if (table.room < ROOM) {
          table.room = ROOM;
        } else {
          // The table is full. Divides the current range of hash values into two halves, which are processed
          // one after the other.
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

#define PARAMETERS                                                                                                             \
  const Meeting run, u64 streamlines, const StreamlineSpan *__restrict__ spans, const float *__restrict__ positions,           \
    const ElementGrid *__restrict__ lattices, const u32 *__restrict__ voxels, const u32 *__restrict__ lists,                \
    const u32 *__restrict__ listed, const float4 *__restrict__ warps, const ElementCells cells, const u32 *__restrict__ first, \
    const ListedTriangle *__restrict__ list, const Triangle *__restrict__ triangles, const u32 *__restrict__ rows_of_seeds, u32 *counts,  \
    u64 *steps
#define ARGUMENTS                                                                                                              \
  run, streamlines, spans, positions, {lattices, voxels, lists, listed, warps, cells, first, list, triangles}, rows_of_seeds,  \
    counts, steps

// Kernel for elements without triangles. It needs half the registers of the kernel for triangles, so that
// twice as many warps run at the same time on a multiprocessor.
extern "C" __global__ void __launch_bounds__(THREADS, 7) met_rows_0(PARAMETERS) { count_rows<false>(ARGUMENTS); }

// Kernel for elements with voxels and triangles.
extern "C" __global__ void __launch_bounds__(THREADS) met_rows_1(PARAMETERS) { count_rows<true>(ARGUMENTS); }

// Counts the nonzero entries of each matrix row. Each block of threads processes one row.
extern "C" __global__ void __launch_bounds__(THREADS) met_row_sizes(u32 columns, const u32* __restrict__ counts, u32* sizes)
{
  __shared__ u32 of_warps[WARPS];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32* __restrict__ row = counts + static_cast<u64>(blockIdx.x) * columns;
  u32 met = 0;
  for (u32 column = threadIdx.x; column < columns; column += THREADS) met += row[column] != 0;
  for (u32 apart = 16; apart > 0; apart /= 2) met += __shfl_xor_sync(ALL, met, apart);
  if (lane == 0) of_warps[warp] = met;
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 all = 0;
    for (u32 n = 0; n < WARPS; ++n) all += of_warps[n];
    sizes[blockIdx.x] = all;
  }
}

// Writes the nonzero entries of matrix rows, in ascending order of columns. Each block of threads processes
// one row, and the first block processes the row `first`. `begins` has, for each row, the index of its first
// entry. `steps` and `entry_steps` are null if path lengths are not summed.
extern "C" __global__ void __launch_bounds__(THREADS)
  met_row_entries(u32 first, u32 columns, const u32* __restrict__ counts, const u64* __restrict__ steps,
                  const u64* __restrict__ begins, u32* entry_columns, u32* entry_counts, u64* entry_steps)
{
  // Number of nonzero entries that each warp (32 threads) has found in the current columns. The array stores
  // two such sets. Threads read one set while they write the other set for the next columns.
  __shared__ u32 of_warps[2][WARPS];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 row = first + blockIdx.x;
  const u64 begin = static_cast<u64>(row) * columns;
  u64 at = begins[blockIdx.x];
  u32 turn = 0;
  for (u32 from = 0; from < columns; from += THREADS, turn ^= 1) {
    const u32 column = from + threadIdx.x;
    const u32 count = column < columns ? counts[begin + column] : 0;
    const u32 met = __ballot_sync(ALL, count != 0);
    if (lane == 0) of_warps[turn][warp] = __popc(met);
    __syncthreads();
    u32 before = 0, all = 0;
    for (u32 n = 0; n < WARPS; ++n) {
      before += n < warp ? of_warps[turn][n] : 0;
      all += of_warps[turn][n];
    }
    if (count != 0) {
      const u64 entry = at + before + __popc(met & ((1u << lane) - 1));
      entry_columns[entry] = column;
      entry_counts[entry] = count;
      if (steps) entry_steps[entry] = steps[begin + column];
    }
    at += all;
  }
}

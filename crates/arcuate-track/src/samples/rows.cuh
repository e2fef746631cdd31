// Counts the elements of connectivity matrix rows during tracking. The numbers equal those that
// arcuate_connect computes from finished streamlines.
#pragma once

#include "elements.cuh"
#include "surfaces.cuh"

// This type replaces `Rows` for streamlines that are not counted in a matrix.
struct NoRows {
  static constexpr bool ANY = false;
};

// The matrix rows that are counted in a run, as one lane (thread) uses them.
struct Rows {
  static constexpr bool ANY = true;

  const Meeting& run;
  const Elements all;
  const u32* __restrict__ rows_of_seeds;
  u32* counts;
  u64* steps;
  // Lists of all lanes, with `room` entries for each lane. They contain the matrix columns that its
  // streamline met. If steps are summed, a second list contains the rank of each column (number of steps from
  // the seed, and half).
  u32 *lists, *ranks;
  u32 room;
  // A streamline that met more than `room` columns is not counted here. The following are the list of such
  // streamline numbers, the number of entries in this list, and the capacity of the list.
  u64 *left, *left_count;
  u64 most_left;
  // Start of the list of this lane.
  u64 begin;

  // Adds a matrix column to the list of a lane. If the list is full, the column is not stored; the caller
  // counts all columns.
  __device__ __forceinline__ void add(u32 at, u32 element, u32 rank) const
  {
    if (at >= room) return;
    lists[begin + at] = element;
    if (ranks) ranks[begin + at] = rank;
  }

  template <class Walker>
  __device__ __forceinline__ void meet_at(Walker& w, Vector p, u32 k) const
  {
    if (k == 0 && run.is_square) return;
    const u32 rank = w.half == 0 ? k : k | BEHIND;
    each_element_at(run, all, p, [&](u32 element) {
      if (element == NOWHERE || element == w.last_met) return;
      add(w.met++, element, rank);
      w.last_met = element;
    });
  }

  // Returns the matrix row of a streamline, counted from the first row of this run; NOWHERE if the row is not
  // counted here.
  __device__ __forceinline__ u32 row(u64 number) const
  {
    const u64 row = row_of(run, rows_of_seeds, number);
    return row >= run.first_row && row - run.first_row < run.rows ? static_cast<u32>(row - run.first_row) : NOWHERE;
  }

  // Returns the matrix column in which the streamlines of a row are not counted, or NOWHERE.
  __device__ __forceinline__ u32 own(u32 row) const { return run.is_square ? static_cast<u32>(run.first_row) + row : NOWHERE; }

  // Finds the triangles between the points that the lanes of a warp have recorded, with all lanes together.
  // `met` is the number of columns that the streamline of each lane met.
  template <class Walker>
  __device__ __forceinline__ void meet_between(const RunParameters& run_parameters, u32 lane, u32 kept, u32 k, Walker& w, WayOfWarp& way,
                                               FixedOfLanes<2>& lasts, Search<TOGETHER>& search, u32* met) const
  {
    met[lane] = w.met;
    way.put(0, lane, lasts.at(1, lane));
    for (u32 n = 0; n < kept; ++n) {
      way.put(n + 1, lane, fixed_of(led_to(all.cells, all.warps, affine(run_parameters.to_mm, way.place_of(n, lane)))));
    }
    lasts.put(1, lane, way.at(kept, lane));
    __syncwarp();
    auto segment = [&](u32 n, Fixed& from, Fixed& to) {
      from = way.at(n, lane);
      to = way.at(n + 1, lane);
      return k + n > 0 && w.row != NOWHERE;
    };
    look_together(all.cells, all.first, all.list, lane, kept, search, segment, [&](u32 number, u32 n, u32 whose) {
      // Get the matrix row and the rank from the lane whose streamline segment is tested.
      const u32 row = __shfl_sync(ALL, w.row, whose), first = __shfl_sync(ALL, k, whose), half = __shfl_sync(ALL, w.half, whose);
      if (number == NOWHERE) return;
      const Triangle& t = all.triangles[number];
      if (is_own(t, own(row)) || !has_contact(t, way.at(n, whose), way.at(n + 1, whose))) return;
      const u32 rank = half == 0 ? first + n : (first + n) | BEHIND;
#pragma unroll
      for (int corner = 0; corner < 3; ++corner) {
        if (t.tags[corner] == NOWHERE) continue;
        const u32 at = atomicAdd(&met[whose], 1u);
        if (at >= room) continue;
        // The lists of the lanes are stored one after the other.
        const u64 place = begin - static_cast<u64>(lane) * room + static_cast<u64>(whose) * room + at;
        lists[place] = t.tags[corner];
        if (ranks) ranks[place] = rank;
      }
    });
    __syncwarp();
    w.met = met[lane];
    __syncwarp();
  }
};

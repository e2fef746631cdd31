// Counts rows of a connectivity matrix during tracking. The counts are those that arcuate_connect computes from
// finished streamlines.
#pragma once

#include "elements.cuh"
#include "surfaces.cuh"

// Replaces `Rows` for streamlines that are not counted in a matrix.
struct NoRows {
  static constexpr bool ANY = false;
};

// The matrix rows of a run, as used by a lane.
struct Rows {
  static constexpr bool ANY = true;

  const Meeting& run;
  const Elements all;
  const u32* __restrict__ rows_of_seeds;
  u32* counts;
  u64* steps;
  // Lists of all lanes: columns met by their streamlines and, if steps are summed, the ranks of these columns. Each
  // lane has `room` entries.
  u32 *lists, *ranks;
  u32 room;
  // Numbers of the streamlines that met more than `room` columns and are not counted here, the number of these
  // streamlines, and the capacity of the list.
  u64 *left, *left_count;
  u64 most_left;
  // Start of the list of this lane.
  u64 begin;

  // Adds a column to the list of a lane. Columns beyond the end of the list are only counted.
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

  // Returns the row of a streamline among the rows counted here, or NOWHERE.
  __device__ __forceinline__ u32 row(u64 number) const
  {
    const u64 row = row_of(run, rows_of_seeds, number);
    return row >= run.first_row && row - run.first_row < run.rows ? static_cast<u32>(row - run.first_row) : NOWHERE;
  }

  // Returns the column that streamlines of a row do not count, or NOWHERE.
  __device__ __forceinline__ u32 own(u32 row) const { return run.is_square ? static_cast<u32>(run.first_row) + row : NOWHERE; }

  // Finds the triangles on the path to the points that lanes have kept, with all lanes of a warp together. `met` counts
  // the columns of each lane.
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
      // Get the row and the rank from the lane whose segment is tested.
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
        // The lists of the lanes follow each other in memory.
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

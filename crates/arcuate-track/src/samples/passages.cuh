// Regions that a streamline has met so far. This is the GPU implementation of constraints/passage.rs; change
// both together. `Narrow` stores sets of regions as the bits of one word. `Wide` uses as many words as
// needed, in the part of global memory that belongs to its lane.
#pragma once

#include "surfaces.cuh"
#include "walk.cuh"

template <class OfRun>
struct Narrow {
  typedef OfRun SurfacesOfRun;

  u32 ways, ways_before, targets, outside_seen, entered, targets_of_first;
  bool broken;
  OfRun surfaces;

  __device__ __forceinline__ Narrow(const RunParameters&, u32*, const OfRun& surfaces) : surfaces(surfaces) {}

  // Adds the regions of a triangle that the step to a point meets. The point may belong to the streamline of
  // another lane.
  static __device__ __forceinline__ void note(u32* met, u32 regions) { atomicOr(met, regions); }

  __device__ __forceinline__ void forget_ways() { ways = 0; }

  __device__ __forceinline__ void begin_half()
  {
    ways_before = ways;
    outside_seen = entered = 0;
    targets = 0;
    broken = false;
  }

  __device__ __forceinline__ void end_first_half() { targets_of_first = targets; }

  __device__ __forceinline__ bool has_no_way() const { return ways == 0; }

  __device__ __forceinline__ bool has_all_ways(const RunParameters& run_parameters, const Field&) const { return ways == run_parameters.ways; }

  // Processes point k of a half of a streamline. Returns AVOID, EXIT or STOP if the half ends there. If not,
  // returns GOING. `counted` becomes the voxel whose visit is counted.
  __device__ __forceinline__ u32 arrive(const RunParameters& run_parameters, const Field& field, Corners& corners, Vector p, u32 k,
                                        u32& counted)
  {
    u32 bits = 0;
    counted = NOWHERE;
    for (u32 n = 0; n < run_parameters.spaces; ++n) {
      const GridParameters& space = field.spaces[n];
      const Vector v = nearest(in_space(space, field.warps, corners, p));
      if (inside(v, space.shape)) {
        const u32 voxel = index(v, space.shape);
        bits |= packed_at(field.bits, space, voxel);
        if (n == run_parameters.map) counted = voxel;
      }
    }
    if constexpr (OfRun::ANY) {
      bits |= surfaces.met();
      surfaces.inside_of(surfaces.here(), [&](u32 crossed) { bits ^= crossed; });
    }
    if ((bits & run_parameters.avoid) && !(k == 0 && is_spared(run_parameters, k))) {
      ways = ways_before;
      return AVOID;
    }
    if (k == 0) {
      outside_seen = ~bits & run_parameters.exit;
      if constexpr (OfRun::ANY) {
        if (surfaces.cells.second) surfaces.touched([&](u32 met) { entered |= met & surfaces.cells.second; });
      }
      return GOING;
    }
    const u32 hit = bits & run_parameters.ways;
    ways |= hit;
    if (hit) {
      const u32 earlier = (1u << (31 - __clz(static_cast<int>(hit)))) - 1;
      broken = broken || (run_parameters.ways & earlier & ~ways) != 0;
    }
    if constexpr (OfRun::ANY) {
      if (entered & ((~bits & run_parameters.exit) | (bits & surfaces.cells.second))) return EXIT;
      entered |= bits & surfaces.cells.second;
    } else {
      if (entered & ~bits) return EXIT;
    }
    entered |= bits & run_parameters.exit & outside_seen;
    outside_seen |= ~bits & run_parameters.exit;
    targets |= bits & run_parameters.targets;
    return (bits & run_parameters.stop) && !is_spared(run_parameters, k) ? STOP : GOING;
  }

  // Counts the targets that the kept halves of a streamline pass. The counters belong to the seed of the
  // streamline.
  __device__ __forceinline__ void count_targets(const RunParameters& run_parameters, const Field& field, u32* hits, u64 number, bool first,
                                                bool second) const
  {
    const u32 passed = (first ? targets_of_first : 0) | (second ? targets : 0);
    if (!passed) return;
    const u64 row = static_cast<u64>(seed_of(run_parameters, number)) * __popc(run_parameters.targets);
    for (u32 left = passed; left; left &= left - 1) {
      const u32 bit = left & (0u - left);
      atomicAdd(&hits[row + __popc(run_parameters.targets & (bit - 1))], 1u);
    }
  }
};

// Sets of regions that each lane stores.
#define HERE 0u
#define WAYS 1u
#define WAYS_BEFORE 2u
#define TARGETS 3u
#define OUTSIDE_SEEN 4u
#define ENTERED 5u
#define TARGETS_OF_FIRST 6u
#define LANE_SETS 7u

// Sets with the regions of each kind. They come before all other sets.
#define KIND_AVOID 0u
#define KIND_STOP 1u
#define KIND_EXIT 2u
#define KIND_WAYS 3u
#define KIND_TARGETS 4u
#define KIND_SECOND 5u
#define KINDS 6u

template <class OfRun>
struct Wide {
  typedef OfRun SurfacesOfRun;

  // The sets of regions of this lane, as words. The words with the same index of all lanes are next to each
  // other in memory.
  u32* own;
  u64 lanes;
  u32 words;
  // True if the previous point of the streamline was in no region.
  bool was_nowhere;
  bool broken;
  OfRun surfaces;

  __device__ __forceinline__ Wide(const RunParameters& run_parameters, u32* passages, const OfRun& surfaces)
      : own(passages + (static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x)),
        lanes(static_cast<u64>(gridDim.x) * blockDim.x),
        words(run_parameters.words),
        surfaces(surfaces)
  {
  }

  // Adds the set of regions of a triangle, given by the number of the set. `Narrow::note` gets the set
  // itself.
  static __device__ __forceinline__ void note(u32* met, u32 set)
  {
    const u32 known = atomicCAS(met, 0u, set);
    if (known != 0 && known != set) atomicExch(met, SEVERAL);
  }

  // Adds the regions of a set to the regions of the current point. If TURNED is true, regions that are
  // already present are removed instead.
  template <bool TURNED>
  __device__ __forceinline__ void take(const Field& field, u32 number, bool& nowhere) const
  {
    const u32* set = field.sets + surfaces.cells.sets_at + static_cast<u64>(number) * words;
    for (u32 word = 0; word < words; ++word) {
      const u32 here = nowhere ? 0 : at(HERE, word);
      at(HERE, word) = TURNED ? here ^ set[word] : here | set[word];
    }
    nowhere = false;
  }

  __device__ __forceinline__ u32& at(u32 set, u32 word) const { return own[(set * words + word) * lanes]; }

  __device__ __forceinline__ u32 kind(const Field& field, u32 which, u32 word) const { return field.sets[which * words + word]; }

  __device__ __forceinline__ void forget_ways()
  {
    for (u32 n = 0; n < words; ++n) at(WAYS, n) = 0;
  }

  __device__ __forceinline__ void begin_half()
  {
    for (u32 n = 0; n < words; ++n) {
      at(WAYS_BEFORE, n) = at(WAYS, n);
      at(OUTSIDE_SEEN, n) = at(ENTERED, n) = at(TARGETS, n) = 0;
    }
    broken = false;
  }

  __device__ __forceinline__ void end_first_half()
  {
    for (u32 n = 0; n < words; ++n) at(TARGETS_OF_FIRST, n) = at(TARGETS, n);
  }

  __device__ __forceinline__ bool has_no_way() const
  {
    for (u32 n = 0; n < words; ++n) {
      if (at(WAYS, n)) return false;
    }
    return true;
  }

  __device__ __forceinline__ bool has_all_ways(const RunParameters&, const Field& field) const
  {
    for (u32 n = 0; n < words; ++n) {
      if (at(WAYS, n) != kind(field, KIND_WAYS, n)) return false;
    }
    return true;
  }

  __device__ __forceinline__ void pass_waypoints(const Field& field)
  {
    u32 last = NOWHERE, below = 0;
    for (u32 n = 0; n < words; ++n) {
      const u32 hit = at(HERE, n) & kind(field, KIND_WAYS, n);
      if (hit) {
        at(WAYS, n) |= hit;
        last = n;
        below = (1u << (31 - __clz(static_cast<int>(hit)))) - 1;
      }
    }
    if (last == NOWHERE) return;
    for (u32 n = 0; n <= last; ++n) {
      const u32 missing = kind(field, KIND_WAYS, n) & ~at(WAYS, n);
      broken = broken || (n < last ? missing : missing & below) != 0;
    }
  }

  __device__ __forceinline__ u32 arrive(const RunParameters& run_parameters, const Field& field, Corners& corners, Vector p, u32 k,
                                        u32& counted)
  {
    bool nowhere = true;
    counted = NOWHERE;
    for (u32 n = 0; n < run_parameters.spaces; ++n) {
      const GridParameters& space = field.spaces[n];
      const Vector v = nearest(in_space(space, field.warps, corners, p));
      if (inside(v, space.shape)) {
        const u32 voxel = index(v, space.shape);
        if (n == run_parameters.map) counted = voxel;
        const u32 number = packed_at(field.bits, space, voxel);
        if (number) {
          const u32* set = field.sets + space.sets_at + static_cast<u64>(number) * words;
          for (u32 word = 0; word < words; ++word) at(HERE, word) = nowhere ? set[word] : at(HERE, word) | set[word];
          nowhere = false;
        }
      }
    }
    if constexpr (OfRun::ANY) {
      surfaces.each_met([&](u32 met) { take<false>(field, met, nowhere); });
      surfaces.inside_of(surfaces.here(), [&](u32 crossed) { take<true>(field, crossed, nowhere); });
    }
    // If both this point and the previous point of the streamline are in no region, nothing changes. This is
    // the case for most points.
    if (k > 0 && nowhere && was_nowhere) return GOING;
    was_nowhere = nowhere;
    bool avoids = false;
    for (u32 n = 0; n < words; ++n) {
      if (nowhere) at(HERE, n) = 0;
      avoids = avoids || (at(HERE, n) & kind(field, KIND_AVOID, n)) != 0;
    }
    if (avoids && !(k == 0 && is_spared(run_parameters, k))) {
      for (u32 n = 0; n < words; ++n) at(WAYS, n) = at(WAYS_BEFORE, n);
      return AVOID;
    }
    if (k == 0) {
      for (u32 n = 0; n < words; ++n) at(OUTSIDE_SEEN, n) = ~at(HERE, n) & kind(field, KIND_EXIT, n);
      if constexpr (OfRun::ANY) {
        surfaces.touched([&](u32 met) {
          const u32* set = field.sets + surfaces.cells.sets_at + static_cast<u64>(met) * words;
          for (u32 n = 0; n < words; ++n) at(ENTERED, n) |= set[n] & kind(field, KIND_SECOND, n);
        });
      }
      return GOING;
    }
    pass_waypoints(field);
    for (u32 n = 0; n < words; ++n) {
      if constexpr (OfRun::ANY) {
        const u32 here = at(HERE, n);
        if (at(ENTERED, n) & ((~here & kind(field, KIND_EXIT, n)) | (here & kind(field, KIND_SECOND, n)))) return EXIT;
      } else {
        if (at(ENTERED, n) & ~at(HERE, n)) return EXIT;
      }
    }
    bool stops = false;
    for (u32 n = 0; n < words; ++n) {
      const u32 here = at(HERE, n), exit = kind(field, KIND_EXIT, n);
      if constexpr (OfRun::ANY) at(ENTERED, n) |= here & kind(field, KIND_SECOND, n);
      at(ENTERED, n) |= here & exit & at(OUTSIDE_SEEN, n);
      at(OUTSIDE_SEEN, n) |= ~here & exit;
      at(TARGETS, n) |= here & kind(field, KIND_TARGETS, n);
      stops = stops || (here & kind(field, KIND_STOP, n)) != 0;
    }
    return stops && !is_spared(run_parameters, k) ? STOP : GOING;
  }

  __device__ __forceinline__ void count_targets(const RunParameters& run_parameters, const Field& field, u32* hits, u64 number, bool first,
                                                bool second) const
  {
    u32 targets = 0;
    for (u32 n = 0; n < words; ++n) targets += __popc(kind(field, KIND_TARGETS, n));
    const u64 row = static_cast<u64>(seed_of(run_parameters, number)) * targets;
    u32 before = 0;
    for (u32 n = 0; n < words; ++n) {
      const u32 own_targets = kind(field, KIND_TARGETS, n);
      for (u32 left = (first ? at(TARGETS_OF_FIRST, n) : 0) | (second ? at(TARGETS, n) : 0); left; left &= left - 1) {
        const u32 bit = left & (0u - left);
        atomicAdd(&hits[row + before + __popc(own_targets & (bit - 1))], 1u);
      }
      before += __popc(own_targets);
    }
  }
};

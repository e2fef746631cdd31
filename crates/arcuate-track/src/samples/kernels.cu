// Streamlines through samples, one a lane. Lanes take numbers from a queue, so that none waits for the longest of its warp;
// every few steps those that have finished are counted by their whole warp and begin anew. Blocks do not wait for each other.
#include "cuda.cuh"
#include "warp.cuh"

// What all streamlines of a run have in common, made by samples/mod.rs.
struct Course {
  unsigned long long seed;
  // Unit vectors to steps in voxels; what is drawn to voxels; voxels to RAS mm.
  float step[9];
  float spread[9];
  float to_mm[12];
  float min_cosine;
  float min_fraction;
  int shape[3];
  unsigned samples;
  unsigned fibres;
  unsigned centres;
  unsigned each;
  unsigned jitter;
  unsigned initial;
  unsigned initial_fibre;
  unsigned flags;
  // Of a half, and limits of steps.
  unsigned points;
  unsigned half_steps;
  unsigned least_steps;
  unsigned most_steps;
  // Kinds of regions, as bits where these are one word.
  unsigned avoid;
  unsigned stop;
  unsigned exit;
  unsigned ways;
  unsigned targets;
  unsigned spaces;
  unsigned map;
  unsigned seed_space;
  // Of a set of regions.
  unsigned words;
};

// A lattice with regions: voxels of the orientations to its own, and the displacement, if there is one.
struct Lattice {
  float affine[12];
  float warp_affine[12];
  int shape[3];
  int warp_shape[3];
  unsigned bits_at;
  unsigned warp_at;
  unsigned bits_bytes;
  unsigned sets_at;
};

#define THREADS 128

#include "passages.cuh"
#include "surfaces.cuh"
#include "walk.cuh"

#define WARPS (THREADS / 32)
// Steps between two looks at who has finished.
#define STEPS 8
// Voxels that a warp has room for while it counts a streamline, a power of two.
#define ROOM 512u

// What became of a streamline: fate, and endings of both halves from bit 8 and 16 on (their number and 1, 0 where it was not
// followed); points of both halves; steps taken.
struct Followed {
  u32 what, first, second, steps;
};

// Where a streamline lies among points that were put side by side, as arcuate_compute::StreamlineSpan.
struct StreamlineSpan {
  u64 begin, number;
  u32 points, seed;
};

// Where streamlines are put side by side as they are accepted: points of RAS mm and spans, how many there are of both, and
// how many at most, so that those under way find room.
struct Pool {
  float* points;
  StreamlineSpan* spans;
  u64* used;
  u64 most_points, most_spans;
};

// Where the counters of a run lie among each other.
#define SEEDS 0
#define STREAMLINES 1
#define KEPT_STEPS 2
#define TAKEN_STEPS 3
#define FIRST_FATE 4
#define FIRST_ENDING (FIRST_FATE + FATES)
#define COUNTERS (FIRST_ENDING + ENDINGS)

// A streamline on its way, as in walk/streamline.rs.
template <class Passage>
struct Walker {
  u64 number;
  Vector place, direction, first;
  u32 item, half, k, sign, last_visit;
  u32 visits, visits_of_first, steps;
  u32 points_of_first, ending_of_first, verdict_of_first;
  u32 seen, next, last;
  Passage passage;
  Corners corners;

  __device__ __forceinline__ Walker(const Course& course, u32* passages, const typename Passage::SurfacesOfRun& surfaces,
                                    float4* corners)
      : passage(course, passages, surfaces), corners{corners, NOWHERE}
  {
  }
};

#define ACCEPT 0u
#define WAIT 1u
#define REJECT 2u

// What a streamline came to.
struct Result {
  u32 fate, points[2], endings;
};

template <class Passage>
__device__ __forceinline__ void begin_half(Walker<Passage>& w, Vector begin, Vector direction)
{
  w.place = begin;
  w.direction = direction;
  w.first = {0.0f, 0.0f, 0.0f};
  w.k = 0;
  w.passage.begin_half();
  w.last_visit = NOWHERE;
  w.seen = w.next = w.last = 0;
}

template <class Passage>
__device__ __forceinline__ u32 verdict(const Course& course, const Field& field, const Walker<Passage>& w, u32 ending, u32 points)
{
  if (ending == AVOID || points == 0 || points - 1 < course.half_steps) return REJECT;
  if (!(course.flags & HAS_WAYPOINTS) || (course.flags & JUDGED_AS_A_WHOLE)) return ACCEPT;
  if (w.passage.has_no_way()) return REJECT;
  if (course.flags & ANY_WAYPOINT) return ACCEPT;
  const bool in_order = !(course.flags & IN_ORDER) || !w.passage.broken;
  if (w.passage.has_all_ways(course, field)) return in_order ? ACCEPT : REJECT;
  return in_order && !(course.flags & ONE_WAY) ? WAIT : REJECT;
}

// Where the places of a streamline go.
struct Trail {
  // Of this lane: voxels to count and steps to them.
  u32* voxels;
  u32* steps;
  Cell* cells;
  // Points in RAS mm: of this streamline, or null, and how many of each half are wanted; or room of this lane for as many as
  // the halves may have, one after the other, four numbers a point.
  float* points;
  u32 wanted_of_first, wanted_of_second;
};

template <bool POOLED, class Passage>
__device__ __forceinline__ void write_point(const Course& course, const Trail& trail, const Walker<Passage>& w)
{
  u32 at;
  if (POOLED) {
    at = w.half * course.points + w.k;
  } else {
    const u32 first = trail.wanted_of_first, own = w.half == 0 ? first : trail.wanted_of_second;
    // The seed is the end of the first half already, where that is kept.
    if (w.k >= own || (w.half == 1 && first > 0 && w.k == 0)) return;
    at = w.half == 0 ? first - 1 - w.k : (first > 0 ? first - 1 : 0) + w.k;
  }
  const Vector p = affine(course.to_mm, w.place);
  if (POOLED) {
    // Lanes write far from each other: one piece of 16 bytes each.
    reinterpret_cast<float4*>(trail.points)[at] = make_float4(p.x, p.y, p.z, 0.0f);
    return;
  }
  float* to = trail.points + 3 * static_cast<u64>(at);
  to[0] = p.x;
  to[1] = p.y;
  to[2] = p.z;
}

// Puts a streamline that is accepted beside the others, by a whole warp: from the far end of the first half to that of the
// second, where both are kept.
__device__ __forceinline__ void put(const Course& course, u32 lane, const Pool& pool, const float* room, u64 number, u32 first,
                                    u32 second)
{
  const u32 own = first + (first > 0 && second > 0 ? second - 1 : second);
  u64 begin = 0;
  if (lane == 0) {
    begin = atomicAdd(&pool.used[0], static_cast<u64>(own));
    const u64 at = atomicAdd(&pool.used[1], 1ull);
    pool.spans[at] = {begin, number, own, first > 0 ? first - 1 : 0};
  }
  begin = __shfl_sync(ALL, begin, 0);
  const float* other = room + 4 * static_cast<u64>(course.points);
  float* to = pool.points + 3 * begin;
  for (u32 n = lane; n < 3 * own; n += 32) {
    const u32 point = n / 3, axis = n % 3;
    const u32 later = first > 0 ? point + 1 - first : point;
    to[n] = point < first ? room[4 * (first - 1 - point) + axis] : other[4 * later + axis];
  }
}

// What happens at a point: the ending, or GOING. `points` is then how many the half has.
template <bool POOLED, class Passage>
__device__ __forceinline__ u32 at_point(const Course& course, const Field& field, Walker<Passage>& w, const Trail& trail,
                                        u32& points)
{
  const Vector p = w.place;
  points = w.k;
  if (w.k == course.points) return MAX_STEPS;
  if ((course.flags & LOOP_CHECK) && !pass(trail.cells, w.seen, w.next, w.last, p, w.direction)) return LOOP;
  u32 voxel;
  const u32 met = w.passage.arrive(course, field, w.corners, p, w.k, w.number, voxel);
  if (met == AVOID) {
    points = 0;
    return AVOID;
  }
  if (met == EXIT) return EXIT;
  if (trail.points) write_point<POOLED>(course, trail, w);
  if (trail.voxels && voxel != NOWHERE && voxel != w.last_visit) {
    trail.voxels[w.visits] = voxel;
    if (trail.steps) trail.steps[w.visits] = w.k;
    ++w.visits;
    w.last_visit = voxel;
  }
  points = w.k + 1;
  const u32 block = BLOCK_OF_STEPS + ((2 * w.k + w.half) << 2);
  const bool has_direction = w.k > 0 || !is_zero(w.direction);
  const bool initial = w.k == 0;
  u32 drawn = 0;
  if (initial && course.initial != INITIAL_NUMBER) {
    drawn = draws(course, w.number, course.initial == INITIAL_OF_ALL ? BLOCK_OF_SIGN : BLOCK_OF_HALF + w.half).y;
  }
  if (met == STOP) return STOP;
  Fibre fibre = {{0.0f, 0.0f, 0.0f}, 0};
  if (!sample(course, field, p, draws(course, w.number, block), w.direction, initial, drawn, fibre)) return FRACTION;
  if (course.flags & FRACTION_STOPS) {
    if (fraction_of(fibre.fraction) <= unit(draws(course, w.number, block | 1).x)) return FRACTION;
  }
  Vector d = fibre.direction;
  if (is_zero(d)) return LEFT_MASK;
  const float cosine = dot(d, w.direction);
  if (has_direction && fabsf(cosine) <= course.min_cosine) return ANGLE;
  if (place_of(course, field, nearest(p)) == NOWHERE) return LEFT_MASK;
  const bool turned = has_direction ? cosine < 0.0f : (w.sign & 1) != 0;
  if (turned) d = minus(d);
  if (course.flags & MODIFIED_EULER) {
    Fibre trial = {{0.0f, 0.0f, 0.0f}, 0};
    if (sample(course, field, moved(course.step, p, d), draws(course, w.number, block | 2),
               has_direction ? w.direction : d, false, 0, trial)) {
      Vector other = trial.direction;
      if (dot(other, d) <= 0.0f) other = minus(other);
      const Vector sum = {d.x + other.x, d.y + other.y, d.z + other.z};
      const float length = sqrtf(dot(sum, sum));
      d = {sum.x / length, sum.y / length, sum.z / length};
    }
  }
  w.place = moved(course.step, p, d);
  w.direction = d;
  ++w.steps;
  if (w.k == 0) w.first = d;
  ++w.k;
  return GOING;
}

// The end of the second half: what the streamline came to.
template <class Passage>
__device__ __forceinline__ Result result_of(const Course& course, const Field& field, const Walker<Passage>& w, u32 ending,
                                            u32 points)
{
  Result result;
  result.endings = (w.ending_of_first + 1) << 8 | (ending + 1) << 16;
  bool second = verdict(course, field, w, ending, points) == ACCEPT;
  bool first = w.verdict_of_first == ACCEPT || (w.verdict_of_first == WAIT && second);
  const bool one_avoids = w.ending_of_first == AVOID, other_avoids = ending == AVOID;
  const bool whole = course.flags & JUDGED_AS_A_WHOLE;
  if (whole) {
    const bool passes = !(course.flags & HAS_WAYPOINTS)
                        || (course.flags & ANY_WAYPOINT ? !w.passage.has_no_way() : w.passage.has_all_ways(course, field));
    first = first && passes && !other_avoids;
    second = second && passes && !one_avoids;
  }
  result.points[0] = first ? w.points_of_first : 0;
  result.points[1] = second ? points : 0;
  if (!first && !second) {
    const u32 longest = w.points_of_first > points ? w.points_of_first : points;
    const bool avoided = whole ? one_avoids || other_avoids : one_avoids && other_avoids;
    const bool is_short = (longest > 0 ? longest - 1 : 0) < course.half_steps;
    result.fate = avoided ? AVOIDED : is_short ? TOO_SHORT : WAYPOINTS;
    return result;
  }
  const u32 steps = (first ? w.points_of_first - 1 : 0) + (second ? points - 1 : 0);
  result.fate = steps < course.least_steps ? TOO_SHORT : steps > course.most_steps ? TOO_LONG : ACCEPTED;
  if (result.fate != ACCEPTED) result.points[0] = result.points[1] = 0;
  return result;
}

// Counts the voxels of one streamline, each once, by a whole warp: `voxels` are the `count` it passes in their order. Entries
// that there is no room for are left for another round.
__device__ __forceinline__ void count_voxels(u32 lane, u32* table, u32* voxels, const u32* steps, u32 count, u32* counts,
                                             u64* sums)
{
  u32 room = 64;
  while (room < ROOM && room < 2 * count) room *= 2;
  for (;;) {
    for (u32 n = lane; n < room; n += 32) table[n] = NOWHERE;
    __syncwarp();
    bool left = false;
    for (u32 begin = 0; begin < count; begin += 32) {
      const u32 n = begin + lane;
      const u32 voxel = n < count ? voxels[n] : NOWHERE;
      // The first of those that are the same, whose steps count.
      const u32 same = __match_any_sync(ALL, voxel);
      const bool leads = voxel != NOWHERE && static_cast<u32>(__ffs(static_cast<int>(same))) == lane + 1;
      bool placed = !leads;
      if (leads) {
        u32 at = (voxel * 0x9e3779b1u) >> 8 & (room - 1);
        for (u32 probe = 0; probe < room; ++probe) {
          const u32 known = atomicCAS(&table[at], NOWHERE, voxel);
          if (known == NOWHERE) {
            atomicAdd(&counts[voxel], 1u);
            if (sums) atomicAdd(&sums[voxel], static_cast<u64>(steps[n]));
          }
          if (known == NOWHERE || known == voxel) {
            placed = true;
            break;
          }
          at = (at + 1) & (room - 1);
        }
      }
      // Whether the one that leads found a place; the others of the same voxel follow it.
      const u32 without = __ballot_sync(ALL, !placed);
      const bool stays = voxel != NOWHERE && (without & same) != 0;
      left = left || stays;
      if (2 * count > room && n < count && !stays) voxels[n] = NOWHERE;
      __syncwarp();
    }
    if (!__any_sync(ALL, left)) return;
    __syncwarp();
  }
}

// What both kernels are given.
struct Launch {
  u64 begin, count;
  const u64* __restrict__ numbers;
  u64 *queue, *counters;
  u32* counts;
  u64* sums;
  u32 *hits, *lists, *list_steps;
  float* cells;
  // Of regions in more than one word.
  u32* passages;
};

__device__ __forceinline__ bool is_full(const Pool& pool)
{
  return atomicAdd(&pool.used[0], 0ull) > pool.most_points || atomicAdd(&pool.used[1], 0ull) > pool.most_spans;
}

// `points` are those of the streamlines that are `wanted`, or room of the lanes where streamlines go to a pool.
template <bool POOLED, class Passage>
__device__ __forceinline__ void follow(const Course& course, const Field& field, const Launch& all,
                                       const typename Passage::SurfacesOfRun& surfaces, Followed* records,
                                       const u64* __restrict__ firsts, const uint2* __restrict__ wanted, float* points,
                                       const Pool& pool)
{
  __shared__ u64 of_block[COUNTERS];
  __shared__ u32 tables[WARPS][ROOM];
  __shared__ float4 corners[8][THREADS];
  // Where streamlines began, for their second halves.
  __shared__ float starts[3][THREADS];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (u32 n = threadIdx.x; n < COUNTERS; n += THREADS) of_block[n] = 0;
  __syncthreads();

  const u64 slot = static_cast<u64>(blockIdx.x) * THREADS + threadIdx.x;
  const u64 capacity = 2 * static_cast<u64>(course.points);
  Trail trail;
  trail.voxels = all.lists ? all.lists + slot * capacity : nullptr;
  trail.steps = all.list_steps ? all.list_steps + slot * capacity : nullptr;
  trail.cells = all.cells ? reinterpret_cast<Cell*>(all.cells) + slot * CELLS : nullptr;
  trail.points = POOLED ? points + 4 * slot * capacity : nullptr;
  trail.wanted_of_first = trail.wanted_of_second = 0;

  Walker<Passage> w(course, all.passages, surfaces, &corners[0][threadIdx.x]);
  bool going = false, through = false;
  for (;;) {
    // Those without a streamline take the next.
    const u32 idle = __ballot_sync(ALL, !going && !through);
    if (idle) {
      u64 next = 0;
      const u32 leader = __ffs(static_cast<int>(idle)) - 1;
      // None begins that might find no room.
      if (lane == leader) next = POOLED && is_full(pool) ? all.count : atomicAdd(all.queue, static_cast<u64>(__popc(idle)));
      next = __shfl_sync(ALL, next, leader);
      if (idle >> lane & 1) {
        const u64 item = next + __popc(idle & ((1u << lane) - 1));
        if (item >= all.count) {
          through = true;
        } else {
          w.item = static_cast<u32>(item);
          w.number = all.numbers ? all.numbers[item] : all.begin + item;
          w.half = w.steps = w.visits = 0;
          w.passage.forget_ways();
          w.sign = draws(course, w.number, BLOCK_OF_SIGN).x;
          const Vector start = begin_of(course, field, w.corners, w.number);
          starts[0][threadIdx.x] = start.x;
          starts[1][threadIdx.x] = start.y;
          starts[2][threadIdx.x] = start.z;
          begin_half(w, start, {0.0f, 0.0f, 0.0f});
          going = true;
          if (!POOLED && points) {
            trail.points = points + 3 * firsts[item];
            const uint2 of_halves = wanted[item];
            trail.wanted_of_first = of_halves.x;
            trail.wanted_of_second = of_halves.y;
          }
        }
      }
    }
    if (__all_sync(ALL, through)) break;

    bool finished = false;
    Result result = {FATES, {0, 0}, 0};
    if (going && w.k == 0 && w.half == 0 && place_of(course, field, nearest(w.place)) == NOWHERE) {
      result = {SEED_OUTSIDE, {0, 0}, 0};
      w.visits_of_first = 0;
      finished = true;
    }
    for (u32 turn = 0; turn < STEPS && going && !finished; ++turn) {
      u32 made;
      const u32 ending = at_point<POOLED>(course, field, w, trail, made);
      if (ending == GOING) continue;
      if (w.half == 0) {
        w.points_of_first = made;
        w.ending_of_first = ending;
        w.verdict_of_first = verdict(course, field, w, ending, made);
        w.passage.end_first_half();
        // Those of a half that is rejected make room.
        if (w.verdict_of_first == REJECT) w.visits = 0;
        w.visits_of_first = w.visits;
        w.half = 1;
        w.sign = ~w.sign;
        const bool forgets = (course.flags & ONE_WAY) || w.verdict_of_first == REJECT;
        if (forgets && !(course.flags & JUDGED_AS_A_WHOLE)) w.passage.forget_ways();
        const Vector back = {0.0f - w.first.x, 0.0f - w.first.y, 0.0f - w.first.z};
        begin_half(w, {starts[0][threadIdx.x], starts[1][threadIdx.x], starts[2][threadIdx.x]}, back);
      } else {
        result = result_of(course, field, w, ending, made);
        finished = true;
      }
    }

    bool counted = false;
    u32 visits = 0;
    if (finished) {
      going = false;
      if (records) records[w.item] = {result.fate | result.endings, result.points[0], result.points[1], w.steps};
      atomicAdd(&of_block[SEEDS], 1ull);
      atomicAdd(&of_block[FIRST_FATE + result.fate], 1ull);
      if (result.endings) {
        atomicAdd(&of_block[FIRST_ENDING + (result.endings >> 8 & 0xff) - 1], 1ull);
        atomicAdd(&of_block[FIRST_ENDING + (result.endings >> 16 & 0xff) - 1], 1ull);
        atomicAdd(&of_block[TAKEN_STEPS], static_cast<u64>(w.steps));
      }
      if (result.fate == ACCEPTED) {
        const u32 one = result.points[0] ? result.points[0] - 1 : 0, other = result.points[1] ? result.points[1] - 1 : 0;
        atomicAdd(&of_block[STREAMLINES], 1ull);
        atomicAdd(&of_block[KEPT_STEPS], static_cast<u64>(one + other));
        if (all.hits) {
          w.passage.count_targets(course, field, all.hits, w.number, result.points[0] > 0, result.points[1] > 0);
        }
        counted = all.lists != nullptr;
        visits = result.points[1] ? w.visits : w.visits_of_first;
      }
    }
    // A second half that is rejected leaves no visits; a first one has left none.
    u32 to_count = __ballot_sync(ALL, counted);
    while (to_count) {
      const u32 from = __ffs(static_cast<int>(to_count)) - 1;
      to_count &= to_count - 1;
      const u64 list = (slot - lane + from) * capacity;
      const u32 entries = __shfl_sync(ALL, visits, from);
      u32* steps = all.list_steps ? all.list_steps + list : nullptr;
      count_voxels(lane, tables[warp], all.lists + list, steps, entries, all.counts, all.sums);
    }
    if (POOLED) {
      u32 to_put = __ballot_sync(ALL, finished && result.fate == ACCEPTED);
      __syncwarp();
      while (to_put) {
        const u32 from = __ffs(static_cast<int>(to_put)) - 1;
        to_put &= to_put - 1;
        const float* room = points + 4 * (slot - lane + from) * capacity;
        put(course, lane, pool, room, __shfl_sync(ALL, w.number, from), __shfl_sync(ALL, result.points[0], from),
            __shfl_sync(ALL, result.points[1], from));
      }
      __syncwarp();
    }
  }

  __syncthreads();
  for (u32 n = threadIdx.x; n < COUNTERS; n += THREADS) {
    if (of_block[n]) atomicAdd(&all.counters[n], of_block[n]);
  }
}

// What kernels with surfaces are given of these, and what they make of it.
#define WITH_SURFACES                                                                                                     \
  , const SurfaceCells cells, const u32 *__restrict__ first_of_cells, const ListedTriangle *__restrict__ list_of_cells,           \
      const uint4 *__restrict__ triangles, const u32 *__restrict__ inside_of_cells, const int *__restrict__ exact_seeds
#define GIVEN_SURFACES                                                                                                    \
  Surfaces                                                                                                                \
  {                                                                                                                       \
    cells, first_of_cells, list_of_cells, reinterpret_cast<const Triangle*>(triangles), inside_of_cells,                  \
        reinterpret_cast<const Fixed*>(exact_seeds), {0, 0, 0}                                                            \
  }
#define WITHOUT_SURFACES
#define NONE_GIVEN                                                                                                        \
  NoSurfaces {}

// Kernels of both kinds of passages: of regions in one word of bits, and in more; each without surfaces and with them.
#define FOLLOW(NAME, PASSAGE, SURFACES, GIVEN)                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS) samples_follow_##NAME(                                           \
      const Course course, u64 begin, u64 count, const u64* __restrict__ numbers, const u32* __restrict__ places,        \
      const uint4* __restrict__ sectors, const float* __restrict__ centres, const Lattice* __restrict__ spaces,          \
      const u32* __restrict__ bits, const u32* __restrict__ sets, const float4* __restrict__ warps, u64* queue,          \
      u64* counters, u32* counts, u64* sums, u32* hits, u32* lists, u32* list_steps, float* cells_of_loops,              \
      u32* passages, Followed* records, const u64* __restrict__ firsts, const uint2* __restrict__ wanted,                \
      float* points SURFACES)                                                                                            \
  {                                                                                                                      \
    const Field field = {places, reinterpret_cast<const Sector*>(sectors), centres, spaces, bits, sets, warps};          \
    const Launch all = {begin, count,      numbers,        queue,   counters, counts, sums, hits,                        \
                        lists, list_steps, cells_of_loops, passages};                                                    \
    follow<false, PASSAGE>(course, field, all, GIVEN, records, firsts, wanted, points, Pool());                          \
  }

// The same, and accepted streamlines are put side by side in the order in which they end.
#define GATHER(NAME, PASSAGE, SURFACES, GIVEN)                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS) samples_gather_##NAME(                                           \
      const Course course, u64 begin, u64 count, const u32* __restrict__ places, const uint4* __restrict__ sectors,      \
      const float* __restrict__ centres, const Lattice* __restrict__ spaces, const u32* __restrict__ bits,               \
      const u32* __restrict__ sets, const float4* __restrict__ warps, u64* queue, u64* counters, u32* counts,            \
      u64* sums, u32* hits, u32* lists, u32* list_steps, float* cells_of_loops, u32* passages, float* rooms,             \
      float* points, StreamlineSpan* spans, u64* used, u64 most_points, u64 most_spans SURFACES)                         \
  {                                                                                                                      \
    const Field field = {places, reinterpret_cast<const Sector*>(sectors), centres, spaces, bits, sets, warps};          \
    const Launch all = {begin, count,      nullptr,        queue,   counters, counts, sums, hits,                        \
                        lists, list_steps, cells_of_loops, passages};                                                    \
    const Pool pool = {points, spans, used, most_points, most_spans};                                                    \
    follow<true, PASSAGE>(course, field, all, GIVEN, nullptr, nullptr, nullptr, rooms, pool);                            \
  }

FOLLOW(narrow, Narrow<NoSurfaces>, WITHOUT_SURFACES, NONE_GIVEN)
FOLLOW(wide, Wide<NoSurfaces>, WITHOUT_SURFACES, NONE_GIVEN)
FOLLOW(narrow_surfaces, Narrow<Surfaces>, WITH_SURFACES, (GIVEN_SURFACES))
FOLLOW(wide_surfaces, Wide<Surfaces>, WITH_SURFACES, (GIVEN_SURFACES))
GATHER(narrow, Narrow<NoSurfaces>, WITHOUT_SURFACES, NONE_GIVEN)
GATHER(wide, Wide<NoSurfaces>, WITHOUT_SURFACES, NONE_GIVEN)
GATHER(narrow_surfaces, Narrow<Surfaces>, WITH_SURFACES, (GIVEN_SURFACES))
GATHER(wide_surfaces, Wide<Surfaces>, WITH_SURFACES, (GIVEN_SURFACES))

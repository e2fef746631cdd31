// Tracks streamlines through samples of fibre orientations, one streamline per lane of a warp. Lanes take
// streamline numbers from a queue, so no lane waits for the longest streamline of its warp. Every few steps,
// all lanes of the warp together count the finished streamlines, and the lanes of these start new ones.
// Blocks never wait for each other.
//
// If regions are surfaces, the warps of a block synchronise each time before they search for triangles. The
// loop has more instructions than the instruction cache holds. If the warps were at different places of the
// loop, they would wait half of their time for instructions.
#include "cuda.cuh"
#include "warp.cuh"

// Parameters shared by all streamlines of a run. samples/mod.rs sets them.
struct RunParameters {
  unsigned long long seed;
  // Three matrices. They convert unit vectors to steps in voxels, random offsets from a seed to voxels, and
  // voxel coordinates to RAS mm.
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
  // Maximum number of points and minimum number of steps of a half of a streamline, and minimum and maximum
  // number of steps of a streamline.
  unsigned points;
  unsigned half_steps;
  unsigned least_steps;
  unsigned max_steps;
  // Regions with each effect on streamlines (avoid, stop, stop when leaving, waypoint, target) as bit masks.
  // They are used if all regions fit into one word.
  unsigned avoid;
  unsigned stop;
  unsigned exit;
  unsigned ways;
  unsigned targets;
  unsigned spaces;
  unsigned map;
  unsigned seed_space;
  // Number of 32-bit words in a set of regions.
  unsigned words;
};

// A voxel grid with regions on it: the mapping from voxels of the orientation image to voxels of this grid.
// If there is a displacement field, its shape and its place in memory follow.
struct GridParameters {
  float affine[12];
  float warp_affine[12];
  int shape[3];
  int warp_shape[3];
  unsigned bits_at;
  unsigned warp_at;
  unsigned bits_bytes;
  unsigned sets_at;
};

// Maximum number of threads of a block if no region is a surface, and if regions are surfaces. In the latter
// case, one block runs on each multiprocessor.
#define THREADS 128
#define THREADS_AT_SURFACES 512

#include "passages.cuh"
#include "rows.cuh"
#include "surfaces.cuh"
#include "walk.cuh"
#include "walker.cuh"

// Number of steps that lanes take between two checks for finished streamlines.
#define STEPS 8
// Number of entries of the hash table in which a warp (32 threads) collects the voxels of one streamline, to
// count each voxel once. The number is a power of two.
#define ROOM 512u

#include "counting.cuh"

// Outcome of a streamline. The lowest bits of `what` state whether the streamline is accepted or why it is
// rejected. Bits 8 to 15 state why the first half stopped, and the bits above them why the second half
// stopped. A reason is stored as its number plus 1; 0 means that the half was not tracked. `first` and
// `second` are the numbers of points of the halves, and `steps` is the number of steps taken.
struct KernelOutcome {
  u32 what, first, second, steps;
};

// Position of a streamline in the pool of points, in the layout of arcuate_compute::StreamlineSpan.
struct StreamlineSpan {
  u64 begin, number;
  u32 points, seed;
};

// Output memory (pool) of accepted streamlines: points in RAS mm, and one span for each streamline. `used`
// contains the number of points and the number of spans. No streamline starts after one of these numbers
// exceeds its limit (`max_points` or `most_spans`). The streamlines in progress thus always fit.
struct Pool {
  float* points;
  StreamlineSpan* spans;
  u64* used;
  u64 max_points, most_spans;
};

// Indices of the counters of a run.
#define SEEDS 0
#define STREAMLINES 1
#define KEPT_STEPS 2
#define TAKEN_STEPS 3
#define FIRST_FATE 4
#define FIRST_ENDING (FIRST_FATE + FATES)
#define COUNTERS (FIRST_ENDING + ENDINGS)

// Appends an accepted streamline to the pool, with all lanes of a warp. If both halves are kept, the points
// run from the far end of the first half to the far end of the second half.
__device__ __forceinline__ void put(const RunParameters& run_parameters, u32 lane, const Pool& pool, const float* room, u64 number, u32 first,
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
  const float* other = room + 4 * static_cast<u64>(run_parameters.points);
  float* to = pool.points + 3 * begin;
  for (u32 n = lane; n < 3 * own; n += 32) {
    const u32 point = n / 3, axis = n % 3;
    const u32 later = first > 0 ? point + 1 - first : point;
    to[n] = point < first ? room[4 * (first - 1 - point) + axis] : other[4 * later + axis];
  }
}

// Arguments of all kernels.
struct Launch {
  u64 begin, count;
  const u64* __restrict__ numbers;
  u64 *queue, *counters;
  u32* counts;
  u64* sums;
  u32 *hits, *lists, *list_steps;
  float* cells;
  // Sets of regions that the streamline of each lane has met, if a set needs more than one word.
  u32* passages;
};

__device__ __forceinline__ bool is_full(const Pool& pool)
{
  return atomicAdd(&pool.used[0], 0ull) > pool.max_points || atomicAdd(&pool.used[1], 0ull) > pool.most_spans;
}

// Shared memory of a warp with two uses at different times. It is a hash table for counting voxels, or holds
// the paths of the lanes' streamlines during the search for triangles.
template <bool HAS_WAY, u32 TABLE>
union Work {
  u32 table[TABLE];
  WayOfWarp way;
};

template <u32 TABLE>
union Work<false, TABLE> {
  u32 table[TABLE];
};

// Shared memory with which a warp searches for triangles. `lasts` holds the last position of each lane's
// streamline before the current group of steps. It is stored in the space of the surfaces and in the space of
// the matrix columns.
template <bool LOOKS>
struct Sight {
  Search<TOGETHER> search;
  FixedOfLanes<2> lasts;
  // Number of matrix columns met by the streamline of each lane.
  u32 met[32];
};

template <>
struct Sight<false> {
};

// Shared memory of a warp. If there are displacement fields, the corners of their cells are stored after the
// memory of all warps.
template <bool LOOKS, u32 TABLE>
struct OfWarp : Sight<LOOKS> {
  Work<LOOKS, TABLE> work;
  Beginnings beginnings;
};

// Shared memory of a block. The memory of its warps follows it.
struct OfBlock {
  u64 counters[COUNTERS];
};

// Sizes of shared memory in bytes, which the CPU needs to launch a kernel. The first three are those of a
// block, of a warp, and of a warp that counts matrix rows. The next two are those of the two types of warps
// if there are surfaces. The last one is that of the cell corners of a warp.
#define BYTES_OF_BLOCK 144
#define BYTES_OF_WARP 3456
#define BYTES_OF_COUNTING_WARP 5504
#define BYTES_OF_WARP_AT_SURFACES 9088
#define BYTES_OF_COUNTING_WARP_AT_SURFACES 9216
#define BYTES_OF_CORNERS 4096

// Tracks streamlines. If streamlines are gathered in a pool, `points` is scratch memory of the lanes. If not,
// the points of the streamlines in `wanted` are written to `points`.
template <bool POOLED, class Passage, class OfRows>
__device__ __forceinline__ void follow(const RunParameters& run_parameters, const Field& field, const Launch& all,
                                       const typename Passage::SurfacesOfRun& surfaces, OfRows rows, KernelOutcome* records,
                                       const u64* __restrict__ firsts, const uint2* __restrict__ wanted, float* points,
                                       const Pool& pool)
{
  // True if lanes take several steps before the warp searches for the triangles on their paths.
  constexpr bool IN_TURNS = Passage::SurfacesOfRun::ANY;
  typedef OfWarp<IN_TURNS, OfRows::ANY ? 2 * ROOM : ROOM> Shared;
  constexpr u32 BYTES = OfRows::ANY ? (IN_TURNS ? BYTES_OF_COUNTING_WARP_AT_SURFACES : BYTES_OF_COUNTING_WARP)
                                    : (IN_TURNS ? BYTES_OF_WARP_AT_SURFACES : BYTES_OF_WARP);
  static_assert(sizeof(OfBlock) == BYTES_OF_BLOCK && sizeof(Shared) == BYTES, "the launching code needs these sizes");
  static_assert(BYTES_OF_BLOCK % 16 == 0 && BYTES % 16 == 0 && BYTES_OF_CORNERS == 8 * 32 * sizeof(float4), "they lie side by side");
  DYNAMIC_SHARED(OfBlock, of_block);
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Shared* const of_warps = reinterpret_cast<Shared*>(of_block + 1);
  Shared& mine = of_warps[warp];
  Beginnings& beginnings = mine.beginnings;
  u32* table = mine.work.table;
  float4* corners = reinterpret_cast<float4*>(of_warps + blockDim.x / 32) + warp * 8 * 32 + lane;
  for (u32 n = threadIdx.x; n < COUNTERS; n += blockDim.x) of_block->counters[n] = 0;
  __syncthreads();

  const u64 slot = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  const u64 capacity = 2 * static_cast<u64>(run_parameters.points);
  Trail trail;
  trail.voxels = all.lists;
  trail.steps = all.list_steps;
  trail.begin = slot * capacity;
  trail.cells = all.cells ? reinterpret_cast<Cell*>(all.cells) + slot * CELLS : nullptr;
  trail.points = POOLED ? points + 4 * slot * capacity : nullptr;
  trail.wanted_of_first = trail.wanted_of_second = 0;
  if constexpr (OfRows::ANY) rows.begin = slot * rows.room;

  Walker<Passage> w(run_parameters, all.passages, surfaces, corners);
  w.of = &beginnings;
  bool going = false, through = false;
  for (;;) {
    // Lanes without a streamline take the next one from the queue.
    const u32 idle = __ballot_sync(ALL, !going && !through);
    if (idle) {
      u64 next = 0;
      const u32 leader = __ffs(static_cast<int>(idle)) - 1;
      // No streamline starts if the pool is full.
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
          if constexpr (OfRows::ANY) {
            w.met = 0;
            w.row = rows.row(w.number);
          }
          w.sign = draws(run_parameters, w.number, BLOCK_OF_SIGN).x;
          const Vector start = begin_of(run_parameters, field, w.corners, w.number);
          put(beginnings.start, start);
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
    if (IN_TURNS ? __syncthreads_and(through) : __all_sync(ALL, through)) break;

    bool finished = false;
    Result result = {FATES, {0, 0}, 0};
    if (going && w.k == 0 && w.half == 0 && place_of(run_parameters, field, nearest(w.place)) == NOWHERE) {
      result = {SEED_OUTSIDE, {0, 0}, 0};
      beginnings.visits[lane] = 0;
      finished = true;
    }
    auto end_half = [&](u32 ending, u32 made) {
      if (w.half == 0) {
        const u32 judged = verdict(run_parameters, field, w, ending, made);
        beginnings.points[lane] = made;
        beginnings.ending[lane] = ending;
        beginnings.verdict[lane] = judged;
        w.passage.end_first_half();
        // A rejected half discards its visits.
        if (judged == REJECT) w.visits = w.met = 0;
        beginnings.visits[lane] = w.visits;
        beginnings.met[lane] = w.met;
        w.half = 1;
        w.sign = ~w.sign;
        const bool forgets = (run_parameters.flags & ONE_WAY) || judged == REJECT;
        if (forgets && !(run_parameters.flags & JUDGED_AS_A_WHOLE)) w.passage.forget_ways();
        const Vector step = own(beginnings.step);
        begin_half(w, own(beginnings.start), {0.0f - step.x, 0.0f - step.y, 0.0f - step.z});
      } else {
        result = result_of(run_parameters, field, w, ending, made);
        finished = true;
      }
    };
    if constexpr (IN_TURNS) {
      w.passage.surfaces.way = &mine.work.way;
      const u32 k = w.k;
      u32 made = 0, kept = 0;
      const bool goes = going && !finished;
      const u32 ending =
        at_points<POOLED>(run_parameters, field, lane, goes, w, trail, rows, mine.work.way, mine.lasts, mine.search, made, kept);
      if constexpr (OfRows::ANY) {
        if (rows.run.triangles) {
          rows.meet_between(run_parameters, lane, kept, k, w, mine.work.way, mine.lasts, mine.search, mine.met);
        }
      }
      if (ending != GOING) end_half(ending, made);
    } else {
      for (u32 turn = 0; turn < STEPS && going && !finished; ++turn) {
        u32 made;
        const u32 ending = at_point<POOLED>(run_parameters, field, w, trail, rows, made);
        if (ending != GOING) end_half(ending, made);
      }
    }

    bool counted = false, met = false;
    u32 visits = 0, elements = 0;
    if (finished) {
      going = false;
      bool is_left = false;
      if constexpr (OfRows::ANY) {
        if (result.fate == ACCEPTED && w.row != NOWHERE) {
          elements = result.points[1] ? w.met : beginnings.met[lane];
          // If a streamline meets more columns than its list can hold, it is tracked again later and counted then.
          is_left = elements > rows.room;
          met = !is_left;
        }
        if (is_left) {
          const u64 place = atomicAdd(rows.left_count, 1ull);
          if (place < rows.most_left) rows.left[place] = w.number;
        }
      }
      if (records) records[w.item] = {result.fate | result.endings, result.points[0], result.points[1], w.steps};
      if (!is_left) {
        atomicAdd(&of_block->counters[SEEDS], 1ull);
        atomicAdd(&of_block->counters[FIRST_FATE + result.fate], 1ull);
        if (result.endings) {
          atomicAdd(&of_block->counters[FIRST_ENDING + (result.endings >> 8 & 0xff) - 1], 1ull);
          atomicAdd(&of_block->counters[FIRST_ENDING + (result.endings >> 16 & 0xff) - 1], 1ull);
          atomicAdd(&of_block->counters[TAKEN_STEPS], static_cast<u64>(w.steps));
        }
        if (result.fate == ACCEPTED) {
          const u32 one = result.points[0] ? result.points[0] - 1 : 0, other = result.points[1] ? result.points[1] - 1 : 0;
          atomicAdd(&of_block->counters[STREAMLINES], 1ull);
          atomicAdd(&of_block->counters[KEPT_STEPS], static_cast<u64>(one + other));
          if (all.hits) {
            w.passage.count_targets(run_parameters, field, all.hits, w.number, result.points[0] > 0, result.points[1] > 0);
          }
          counted = all.lists != nullptr;
          visits = result.points[1] ? w.visits : beginnings.visits[lane];
        }
      }
    }
    // The voxel visits of a rejected second half are not counted. The visits of a rejected first half were
    // discarded when this half ended.
    u32 to_count = __ballot_sync(ALL, counted);
    while (to_count) {
      const u32 from = __ffs(static_cast<int>(to_count)) - 1;
      to_count &= to_count - 1;
      const u64 list = (slot - lane + from) * capacity;
      const u32 entries = __shfl_sync(ALL, visits, from);
      u32* steps = all.list_steps ? all.list_steps + list : nullptr;
      count_voxels(lane, table, all.lists + list, steps, entries, NOWHERE, all.counts, all.sums);
    }
    if constexpr (OfRows::ANY) {
      u32 to_meet = __ballot_sync(ALL, met);
      __syncwarp();
      while (to_meet) {
        const u32 from = __ffs(static_cast<int>(to_meet)) - 1;
        to_meet &= to_meet - 1;
        const u64 list = (slot - lane + from) * rows.room;
        const u32 entries = __shfl_sync(ALL, elements, from), row = __shfl_sync(ALL, w.row, from);
        const u64 begin = static_cast<u64>(row) * rows.run.columns;
        u32* to = rows.counts + begin;
        if (rows.steps) {
          count_ranked(lane, table, table + ROOM, rows.lists + list, rows.ranks + list, entries, rows.own(row), to,
                       rows.steps + begin);
        } else {
          count_voxels(lane, table, rows.lists + list, nullptr, entries, rows.own(row), to, nullptr);
        }
        __syncwarp();
      }
    }
    if (POOLED) {
      u32 to_put = __ballot_sync(ALL, finished && result.fate == ACCEPTED);
      __syncwarp();
      while (to_put) {
        const u32 from = __ffs(static_cast<int>(to_put)) - 1;
        to_put &= to_put - 1;
        const float* room = points + 4 * (slot - lane + from) * capacity;
        put(run_parameters, lane, pool, room, __shfl_sync(ALL, w.number, from), __shfl_sync(ALL, result.points[0], from),
            __shfl_sync(ALL, result.points[1], from));
      }
      __syncwarp();
    }
    // Wait until all lanes have finished with the hash table, because the paths of the next steps use the
    // same memory.
    if (IN_TURNS) __syncwarp();
  }

  __syncthreads();
  for (u32 n = threadIdx.x; n < COUNTERS; n += blockDim.x) {
    if (of_block->counters[n]) atomicAdd(&all.counters[n], of_block->counters[n]);
  }
}

// Arguments that only the kernels with surfaces have, and the object that is made from these arguments.
#define WITH_SURFACES                                                                                                     \
  , const SurfaceCells cells, const u32 *__restrict__ first_of_cells, const ListedTriangle *__restrict__ list_of_cells,           \
      const uint4 *__restrict__ triangles, const u32 *__restrict__ inside_of_cells, const int *__restrict__ exact_seeds
#define GIVEN_SURFACES                                                                                                    \
  Surfaces                                                                                                                \
  {                                                                                                                       \
    cells, first_of_cells, list_of_cells, reinterpret_cast<const Triangle*>(triangles), inside_of_cells,                  \
        reinterpret_cast<const Fixed*>(exact_seeds), nullptr, 0                                                          \
  }
#define WITHOUT_SURFACES
#define NONE_GIVEN                                                                                                        \
  NoSurfaces {}

// Kernels that record the outcome of each streamline. There are four: for sets of regions in one word and in
// several words, each without and with surfaces.
#define FOLLOW(NAME, MOST, BLOCKS, PASSAGE, SURFACES, GIVEN)                                                                           \
  extern "C" __global__ void __launch_bounds__(MOST, BLOCKS) samples_follow_##NAME(                                   \
      const RunParameters run_parameters, u64 begin, u64 count, const u64* __restrict__ numbers, const u32* __restrict__ places,        \
      const uint4* __restrict__ sectors, const float* __restrict__ centres, const GridParameters* __restrict__ spaces,          \
      const u32* __restrict__ bits, const u32* __restrict__ sets, const float4* __restrict__ warps, u64* queue,          \
      u64* counters, u32* counts, u64* sums, u32* hits, u32* lists, u32* list_steps, float* cells_of_loops,              \
      u32* passages, KernelOutcome* records, const u64* __restrict__ firsts, const uint2* __restrict__ wanted,                \
      float* points SURFACES)                                                                                            \
  {                                                                                                                      \
    const Field field = {places, reinterpret_cast<const Sector*>(sectors), centres, spaces, bits, sets, warps};          \
    const Launch all = {begin, count,      numbers,        queue,   counters, counts, sums, hits,                        \
                        lists, list_steps, cells_of_loops, passages};                                                    \
    follow<false, PASSAGE>(run_parameters, field, all, GIVEN, NoRows(), records, firsts, wanted, points, Pool());                \
  }

// Kernels that also append accepted streamlines to a pool, in the order in which the streamlines end.
#define GATHER(NAME, MOST, BLOCKS, PASSAGE, SURFACES, GIVEN)                                                                           \
  extern "C" __global__ void __launch_bounds__(MOST, BLOCKS) samples_gather_##NAME(                                   \
      const RunParameters run_parameters, u64 begin, u64 count, const u64* __restrict__ numbers, const u32* __restrict__ places,        \
      const uint4* __restrict__ sectors, const float* __restrict__ centres, const GridParameters* __restrict__ spaces,          \
      const u32* __restrict__ bits, const u32* __restrict__ sets, const float4* __restrict__ warps, u64* queue,          \
      u64* counters, u32* counts, u64* sums, u32* hits, u32* lists, u32* list_steps, float* cells_of_loops,              \
      u32* passages, float* rooms, float* points, StreamlineSpan* spans, u64* used, u64 max_points,                     \
      u64 most_spans SURFACES)                                                                                           \
  {                                                                                                                      \
    const Field field = {places, reinterpret_cast<const Sector*>(sectors), centres, spaces, bits, sets, warps};          \
    const Launch all = {begin, count,      numbers,        queue,   counters, counts, sums, hits,                        \
                        lists, list_steps, cells_of_loops, passages};                                                    \
    const Pool pool = {points, spans, used, max_points, most_spans};                                                    \
    follow<true, PASSAGE>(run_parameters, field, all, GIVEN, NoRows(), nullptr, nullptr, nullptr, rooms, pool);                  \
  }

// Kernels that also count accepted streamlines in the rows of a matrix.
#define COUNT(NAME, MOST, BLOCKS, PASSAGE, SURFACES, GIVEN)                                                                            \
  extern "C" __global__ void __launch_bounds__(MOST, BLOCKS) samples_count_##NAME(                                    \
      const RunParameters run_parameters, u64 begin, u64 count, const u32* __restrict__ places, const uint4* __restrict__ sectors,      \
      const float* __restrict__ centres, const GridParameters* __restrict__ spaces, const u32* __restrict__ bits,               \
      const u32* __restrict__ sets, const float4* __restrict__ warps, u64* queue, u64* counters, u32* counts,            \
      u64* sums, u32* hits, u32* lists, u32* list_steps, float* cells_of_loops, u32* passages, const Meeting meeting,    \
      const ElementGrid* __restrict__ lattices, const u32* __restrict__ element_voxels,                               \
      const u32* __restrict__ element_lists, const u32* __restrict__ listed_elements,                                    \
      const float4* __restrict__ element_warps, const ElementCells element_cells,                                        \
      const u32* __restrict__ first_of_elements, const ListedTriangle* __restrict__ list_of_elements,                    \
      const Triangle* __restrict__ element_triangles, const u32* __restrict__ rows_of_seeds, u32* row_counts,            \
      u64* row_steps, u32* met, u32* met_ranks, u32 room, u64* left, u64* left_count, u64 most_left SURFACES)            \
  {                                                                                                                      \
    const Field field = {places, reinterpret_cast<const Sector*>(sectors), centres, spaces, bits, sets, warps};          \
    const Launch all = {begin, count,      nullptr,        queue,   counters, counts, sums, hits,                        \
                        lists, list_steps, cells_of_loops, passages};                                                    \
    const Rows rows = {meeting,                                                                                          \
                       {lattices, element_voxels, element_lists, listed_elements, element_warps, element_cells,          \
                        first_of_elements, list_of_elements, element_triangles},                                         \
                       rows_of_seeds, row_counts, row_steps, met, met_ranks, room, left, left_count, most_left, 0};      \
    follow<false, PASSAGE>(run_parameters, field, all, GIVEN, rows, nullptr, nullptr, nullptr, nullptr, Pool());                 \
  }

FOLLOW(narrow, THREADS, 5, Narrow<NoSurfaces>, WITHOUT_SURFACES, NONE_GIVEN)
FOLLOW(wide, THREADS, 5, Wide<NoSurfaces>, WITHOUT_SURFACES, NONE_GIVEN)
FOLLOW(narrow_surfaces, THREADS_AT_SURFACES, 1, Narrow<Surfaces>, WITH_SURFACES, (GIVEN_SURFACES))
FOLLOW(wide_surfaces, THREADS_AT_SURFACES, 1, Wide<Surfaces>, WITH_SURFACES, (GIVEN_SURFACES))
GATHER(narrow, THREADS, 5, Narrow<NoSurfaces>, WITHOUT_SURFACES, NONE_GIVEN)
GATHER(wide, THREADS, 5, Wide<NoSurfaces>, WITHOUT_SURFACES, NONE_GIVEN)
GATHER(narrow_surfaces, THREADS_AT_SURFACES, 1, Narrow<Surfaces>, WITH_SURFACES, (GIVEN_SURFACES))
GATHER(wide_surfaces, THREADS_AT_SURFACES, 1, Wide<Surfaces>, WITH_SURFACES, (GIVEN_SURFACES))
COUNT(narrow, THREADS, 5, Narrow<NoSurfaces>, WITHOUT_SURFACES, NONE_GIVEN)
COUNT(wide, THREADS, 5, Wide<NoSurfaces>, WITHOUT_SURFACES, NONE_GIVEN)
COUNT(narrow_surfaces, THREADS_AT_SURFACES, 1, Narrow<Surfaces>, WITH_SURFACES, (GIVEN_SURFACES))
COUNT(wide_surfaces, THREADS_AT_SURFACES, 1, Wide<Surfaces>, WITH_SURFACES, (GIVEN_SURFACES))

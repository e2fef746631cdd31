// Tracks streamlines through fibre orientation distributions along arcs, one streamline per warp (32
// threads). Each lane of the warp weighs one of the 32 candidate arcs of a step. Warps take streamline
// numbers from a queue, so no warp waits for the longest streamline. This is the GPU implementation of
// walk/streamline.rs and fod/fields.rs. These files perform the same operations in the same order, so change
// them together.
#include "cuda.cuh"

// Parameters shared by all streamlines of a run. fod/run_parameters.rs sets them.
struct RunParameters {
  unsigned long long seed;
  // Three matrices. They convert unit vectors to steps in voxels, random offsets from a seed to voxels, and
  // voxel coordinates to RAS mm.
  float step[9];
  float spread[9];
  float to_mm[12];
  // Minimum FOD amplitudes to continue (`cutoff`) and to start (`begin`) a streamline.
  float cutoff;
  float begin;
  int shape[3];
  // Number of voxels that have a distribution.
  unsigned voxels;
  unsigned centres;
  unsigned each;
  unsigned jitter;
  // Maximum number of points of a half of a streamline, and minimum and maximum number of steps of a
  // streamline. If `points` is `max_steps` + 1, streamlines stop at the maximum number of steps. If not,
  // longer streamlines are rejected.
  unsigned points;
  unsigned least_steps;
  unsigned max_steps;
};

// Spherical harmonics: start values at the lowest even degree of each order m, and coefficients of the
// recurrence to higher degrees.
struct Harmonics {
  float firsts[9];
  float recurrences[48];
};

#include "distributions.cuh"
#include "candidates.cuh"
#include "tissues.cuh"

#define THREADS 128u
#define WARPS (THREADS / 32u)
// Minimum number of arcs of a table whose amplitudes must reach the cutoff. TRIES is the maximum number of
// tables that are tried to find the first direction of a seed.
#define MIN_OPEN_ARCS 6u
#define TRIES 8u
// Numbering of the blocks of random numbers, as in direction_field.rs. The three constants are the number of
// blocks for steps, the number of integration stages, and the number of blocks for each attempt. An attempt
// tracks a half of a streamline.
#define BLOCKS_OF_STEPS 1099511627776ull
#define FIRST_OF_SETS 256ull
#define BLOCKS_OF_ATTEMPTS 1125899906842624ull
// Number of floats of a warp's scratch memory for each point of a half. Six floats are the positions of the
// point in both halves. With tissues, three more floats are the direction, and one is the tissue in the
// current half.
#define ROOM 6u
#define ROOM_IN_TISSUES 10u

// Outcome of a streamline, in the layout that samples/followed.rs reads.
struct KernelOutcome {
  u32 what, first, second, steps;
};

// Tables of candidate directions and candidate arcs. A table is stored coordinate by coordinate: first the 32
// values of one coordinate, then the 32 values of the next.
struct Tables {
  const float* __restrict__ everywhere;
  const float* __restrict__ arcs;

  __device__ __forceinline__ Vector direction(u32 table, u32 lane) const { return at(everywhere + 3 * CANDIDATES * table, lane); }
  __device__ __forceinline__ Vector place(u32 table, u32 k, u32 lane) const { return at(of_arcs(table, k), lane); }
  __device__ __forceinline__ Vector end(u32 table, u32 k, u32 lane) const { return at(of_arcs(table, k) + 3 * CANDIDATES, lane); }

private:
  __device__ __forceinline__ const float* of_arcs(u32 table, u32 k) const { return arcs + 6 * CANDIDATES * (PLACES * table + k); }
  __device__ __forceinline__ static Vector at(const float* numbers, u32 lane)
  {
    return {numbers[lane], numbers[CANDIDATES + lane], numbers[2 * CANDIDATES + lane]};
  }
};

// Random numbers for one choice among the candidates: a number that selects a candidate, a rotation, and the
// index of a table.
struct Drawn {
  float number, turns;
  u32 table;
};

// State of a streamline during tracking. All lanes of its warp hold the same values.
struct Walker {
  u64 number;
  Vector place, direction;
  // `attempt` is the number of times that back-tracking has restarted this half of the streamline.
  u32 half, k, attempt;

  __device__ __forceinline__ Drawn drawn(const RunParameters& run_parameters, u32 set) const
  {
    const u64 step = 2 * static_cast<u64>(k) + half;
    const u64 block = set == 0 ? step << 2 : BLOCKS_OF_STEPS * FIRST_OF_SETS + (static_cast<u64>(set) << 32) + step;
    const uint4 bits = draws(run_parameters, number, BLOCK_OF_STEPS + block + BLOCKS_OF_ATTEMPTS * attempt);
    return {unit(bits.x), unit(bits.y), static_cast<u32>(unit(bits.z) * static_cast<float>(TABLES))};
  }
};

// Draws the first direction of a streamline. Returns true if a direction was found.
__device__ __forceinline__ bool begins(const RunParameters& run_parameters, const Field& field, const Tables& tables, u32 lane, Around& around,
                                       Vector middle, const Walker& w, Vector& direction)
{
  for (u32 attempt = 0; attempt < TRIES; ++attempt) {
    const Drawn by = w.drawn(run_parameters, attempt);
    const Vector own = turned(frame_about({0.0f, 0.0f, 1.0f}, by.turns), tables.direction(by.table, lane));
    const float found = amplitude(run_parameters, field, around, middle, w.place, own);
    const u32 chosen = choose(lane, found >= run_parameters.begin ? found : 0.0f, by.number, 1, around.weights);
    if (chosen != NOWHERE) {
      direction = of_lane(own, chosen);
      return true;
    }
  }
  return false;
}

// Draws the next arc of a streamline, with a probability in proportion to the FOD amplitudes along the arc,
// and stores its chord. Returns true if enough arcs reach the cutoff.
__device__ __forceinline__ bool goes_on(const RunParameters& run_parameters, const Field& field, const Tables& tables, u32 lane, Around& around,
                                        Vector middle, const Walker& w, Vector& chord)
{
  const Drawn by = w.drawn(run_parameters, 0);
  const Frame frame = frame_about(w.direction, by.turns);
  Vector far = {0.0f, 0.0f, 0.0f};
  float product = 1.0f;
  bool is_open = true;
#pragma unroll 1
  for (u32 k = PLACES; k-- > 0 && is_open;) {
    const Vector moves = turned(frame, tables.place(by.table, k, lane));
    if (k == PLACES - 1) far = moves;
    const float found = amplitude(run_parameters, field, around, middle, moved(run_parameters.step, w.place, moves),
                                  turned(frame, tables.end(by.table, k, lane)));
    is_open = !(found < run_parameters.cutoff);
    product *= found;
  }
  __syncwarp();
  const u32 chosen = choose(lane, is_open ? sqrtf(sqrtf(product)) : 0.0f, by.number, MIN_OPEN_ARCS, around.weights);
  if (chosen == NOWHERE) return false;
  chord = unit_of(of_lane(far, chosen));
  return true;
}

// Moves the streamline one step along the arc with this chord, as rule.rs does.
__device__ __forceinline__ void step_along(const RunParameters& run_parameters, Walker& w, Vector chord, Vector before)
{
  const float inner = dot(chord, before);
  const float cosine = inner < 1.0f ? inner : 1.0f;
  const float e = 1.0f - cosine;
  const float square =
    2.0f + e * (1.0f / 3.0f + e * (4.0f / 45.0f + e * (1.0f / 35.0f + e * (16.0f / 1575.0f))));
  const float part = sqrtf((2.0f - e) / square);
  const Vector end = {2.0f * cosine * chord.x - before.x, 2.0f * cosine * chord.y - before.y, 2.0f * cosine * chord.z - before.z};
  w.place = moved(run_parameters.step, w.place, {part * chord.x, part * chord.y, part * chord.z});
  w.direction = unit_of(end);
}

// Writes the points of a streamline in RAS mm, with all lanes of the warp. Points run from the far end of the
// first half to the far end of the second half.
__device__ __forceinline__ void put(const RunParameters& run_parameters, u32 lane, const float* room, u32 first, u32 second, float* to)
{
  const u32 all = first + second - 1;
  for (u32 n = lane; n < all; n += 32) {
    const u32 at = n < first ? first - 1 - n : run_parameters.points + n + 1 - first;
    const Vector p = affine(run_parameters.to_mm, {room[3 * at], room[3 * at + 1], room[3 * at + 2]});
    to[3 * n] = p.x;
    to[3 * n + 1] = p.y;
    to[3 * n + 2] = p.z;
  }
}

// This type replaces `Tissues` for streamlines that are tracked without tissues.
struct NoTissues {
  static constexpr bool ARE_HEEDED = false;
  static constexpr u32 OF_ROOM = ROOM;

  __device__ __forceinline__ bool may_begin(Vector) const { return true; }
  __device__ __forceinline__ u32 at(Vector) const { return WHITE; }
};

struct Tissues {
  static constexpr bool ARE_HEEDED = true;
  static constexpr u32 OF_ROOM = ROOM_IN_TISSUES;
  const Anatomy& anatomy;
  const float* __restrict__ fractions;

  __device__ __forceinline__ u32 at(Vector place) const { return matter_of(fractions_at(anatomy, fractions, place)); }
  __device__ __forceinline__ bool may_begin(Vector place) const
  {
    const u32 matter = at(place);
    return matter != OF_CSF && matter != NOTHING;
  }
};

// Writes the three coordinates of a point with the first three lanes of the warp.
__device__ __forceinline__ void write(u32 lane, float* to, Vector v)
{
  if (lane < 3) to[lane] = lane == 0 ? v.x : lane == 1 ? v.y : v.z;
}

__device__ __forceinline__ Vector read(const float* from) { return {from[0], from[1], from[2]}; }

// Returns the number of points to keep of a half of a streamline that left sub-cortical grey matter. The half
// is truncated at its point with the lowest FOD amplitude inside that grey matter.
__device__ __forceinline__ u32 points_left(const RunParameters& run_parameters, const Field& field, u32 lane, const Around& around, Vector middle,
                                           const float* own, const float* directions, u32 entered, u32 made)
{
  float least = __uint_as_float(0x7f800000u);
  u32 best = made;
  for (u32 n = entered + lane; n < made; n += 32) {
    const float value = amplitude(run_parameters, field, around, middle, read(own + 3 * n), read(directions + 3 * n));
    if (value < least) {
      least = value;
      best = n + 1;
    }
  }
  // Find the first point with the lowest amplitude. If all amplitudes are infinite or NaN, all points are
  // kept.
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    const float other = __shfl_xor_sync(ALL, least, distance);
    const u32 from = __shfl_xor_sync(ALL, best, distance);
    if (other < least || (other == least && from < best)) {
      least = other;
      best = from;
    }
  }
  return best;
}

// Tracks streamlines. `rooms` is scratch memory for the points of each warp. The points of accepted
// streamlines are written to `points`. `firsts` contains the index of each streamline's first point there,
// and `used` is the number of points written.
template <class Met>
__device__ __forceinline__ void follow_arcs(const RunParameters& run_parameters, const Met& tissues, const Harmonics& harmonics, u64 begin, u64 count,
                                            const u32* __restrict__ places, const float4* __restrict__ rows,
                                            const float* __restrict__ everywhere, const float* __restrict__ arcs,
                                            const float* __restrict__ centres, u64* queue, float* rooms, KernelOutcome* records, u64* firsts,
                                            float* points, u64* used)
{
  __shared__ Around arounds[WARPS];
  const u32 lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
  Around& around = arounds[warp];
  const Field field = {places, rows, harmonics};
  const Tables tables = {everywhere, arcs};
  const u64 of_half = run_parameters.points;
  float* room = rooms + (static_cast<u64>(blockIdx.x) * WARPS + warp) * Met::OF_ROOM * of_half;
  float* directions = room + 6 * of_half;
  float* matters = room + 9 * of_half;
  // `middle` is the voxel whose neighbourhood is in shared memory. `holds` is true if it has an FOD.
  // The coordinates start as NaN, which differs from every voxel, so the first position loads its
  // neighbourhood.
  Vector middle = {single_nan(), single_nan(), single_nan()};
  bool holds = false;
  auto come_to = [&](Vector place) {
    const Vector voxel = nearest(place);
    if (voxel.x == middle.x && voxel.y == middle.y && voxel.z == middle.z) return;
    middle = voxel;
    holds = bring(run_parameters, field, lane, middle, around);
  };

  for (;;) {
    u64 item = 0;
    if (lane == 0) item = atomicAdd(queue, 1ull);
    item = __shfl_sync(ALL, item, 0);
    if (item >= count) break;
    Walker w;
    w.number = begin + item;
    const Vector start = drawn_of(run_parameters, centres, w.number);
    come_to(start);
    if (!holds || !tissues.may_begin(start)) {
      if (lane == 0) {
        records[item] = {SEED_OUTSIDE, 0, 0, 0};
        firsts[item] = 0;
      }
      continue;
    }
    const u32 sign = draws(run_parameters, w.number, BLOCK_OF_SIGN).x;
    u32 steps = 0, endings = 0, first = 0, second = 0;
    Vector first_step = {0.0f, 0.0f, 0.0f};
    Heeded heeded;
    heeded.has_left = false;
    bool is_right = true, in_white = false;
    for (w.half = 0; w.half < 2 && is_right; ++w.half) {
      w.place = start;
      w.direction = {0.0f - first_step.x, 0.0f - first_step.y, 0.0f - first_step.z};
      w.attempt = 0;
      const bool begins_here = is_zero(w.direction);
      // The second half of a streamline can have the steps that the first half has not used.
      const bool stops = run_parameters.points == run_parameters.max_steps + 1 && w.half == 1 && first > 0;
      const u32 most = stops ? run_parameters.max_steps + 2 - first : run_parameters.points;
      const bool is_turned = ((w.half == 0 ? sign : ~sign) & 1) != 0;
      float* own = room + 3 * w.half * of_half;
      heeded.begin(w.half == 0 || !heeded.has_left);
      BackTracking again = {0, 0, 0};
      u32 ending, made, from = 0;
      for (;;) {
        ending = MAX_STEPS;
        for (w.k = from; w.k < most; ++w.k) {
          u32 met = GOING;
          if (Met::ARE_HEEDED) {
            const u32 matter = tissues.at(w.place);
            met = heeded.arrive(matter, w.k);
            if (met > CORTICAL_GREY) {
              ending = met;
              break;
            }
            write(lane, directions + 3 * w.k, w.direction);
            if (lane == 0) matters[w.k] = static_cast<float>(matter);
          }
          write(lane, own + 3 * w.k, w.place);
          if (met != GOING) {
            ending = met;
            break;
          }
          come_to(w.place);
          const bool has_direction = w.k > 0 || !begins_here;
          Vector d = {0.0f, 0.0f, 0.0f};
          const bool found = is_zero(w.direction) ? begins(run_parameters, field, tables, lane, around, middle, w, d)
                                                  : goes_on(run_parameters, field, tables, lane, around, middle, w, d);
          if (!found) {
            ending = FRACTION;
            break;
          }
          const float cosine = dot(d, w.direction);
          if (has_direction && fabsf(cosine) <= 0.0f) {
            ending = ANGLE;
            break;
          }
          if (!holds) {
            ending = LEFT_MASK;
            break;
          }
          if (has_direction ? cosine < 0.0f : is_turned) d = minus(d);
          step_along(run_parameters, w, d, has_direction ? w.direction : d);
          ++steps;
          if (w.half == 0 && w.k == 0) first_step = w.direction;
        }
        made = ending == MAX_STEPS ? most : w.k + (ending > CORTICAL_GREY ? 0 : 1);
        if constexpr (Met::ARE_HEEDED) {
          // Make the points that some lanes have written visible to all lanes.
          __syncwarp();
          const Anatomy& anatomy = tissues.anatomy;
          if (is_beyond(run_parameters, w.place)) ending = LEFT_IMAGE;
          is_right = ends_well(anatomy, tissues.fractions, ending, read(own + 3 * (made - 1)));
          if (is_right || !anatomy.back_track || ending == MAX_STEPS) break;
          from = again.next(anatomy.unit, made);
          if (from == 0) break;
          w.attempt = again.attempts;
          w.place = read(own + 3 * from);
          w.direction = read(directions + 3 * from);
          heeded.begin(heeded.may_leave);
          for (u32 n = 0; n < from; ++n) heeded.arrive(static_cast<u32>(matters[n]), n);
          // Wait until all lanes have read the stored directions and tissues, because the restarted half
          // overwrites them.
          __syncwarp();
        } else {
          break;
        }
      }
      if constexpr (Met::ARE_HEEDED) {
        const Anatomy& anatomy = tissues.anatomy;
        if (ending == SUB_CORTICAL_GREY && heeded.entered != NOWHERE) {
          made = points_left(run_parameters, field, lane, around, middle, own, directions, heeded.entered, made);
        }
        if (ending == CORTICAL_GREY && anatomy.crop && made > 1) {
          const Vector end = crossing(anatomy, tissues.fractions, read(own + 3 * (made - 2)), read(own + 3 * (made - 1)));
          __syncwarp();
          write(lane, own + 3 * (made - 1), end);
        }
        in_white |= heeded.in_white;
      }
      if (w.half == 0) first = made;
      else second = made;
      endings |= (ending + 1) << (8 + 8 * w.half);
    }
    const u32 all = first + second - 2;
    const bool is_fibre = !Met::ARE_HEEDED || (is_right && in_white);
    const u32 fate = !is_fibre ? ANATOMY : all < run_parameters.least_steps ? TOO_SHORT : all > run_parameters.max_steps ? TOO_LONG : ACCEPTED;
    const bool is_accepted = fate == ACCEPTED;
    u64 at = 0;
    if (lane == 0) {
      if (is_accepted) at = atomicAdd(used, static_cast<u64>(all + 1));
      records[item] = {fate | endings, is_accepted ? first : 0, is_accepted ? second : 0, steps};
      firsts[item] = at;
    }
    at = __shfl_sync(ALL, at, 0);
    // Make the points that some lanes have written visible to all lanes.
    __syncwarp();
    if (is_accepted) put(run_parameters, lane, room, first, second, points + 3 * at);
    __syncwarp();
  }
}

// Tracking without tissues has its own kernel, because this kernel needs fewer registers. It has the same
// arguments as the kernel with tissues and ignores `anatomy` and `fractions`.
extern "C" __global__ void __launch_bounds__(THREADS, 4) fod_follow_arcs(
  const RunParameters run_parameters, const Anatomy anatomy, const float* __restrict__ fractions, const Harmonics harmonics, u64 begin, u64 count,
  const u32* __restrict__ places, const float4* __restrict__ rows, const float* __restrict__ everywhere, const float* __restrict__ arcs,
  const float* __restrict__ centres, u64* queue, float* rooms, KernelOutcome* records, u64* firsts, float* points, u64* used)
{
  follow_arcs(run_parameters, NoTissues(), harmonics, begin, count, places, rows, everywhere, arcs, centres, queue, rooms, records, firsts, points,
              used);
}

extern "C" __global__ void __launch_bounds__(THREADS, 4) fod_follow_arcs_in_tissues(
  const RunParameters run_parameters, const Anatomy anatomy, const float* __restrict__ fractions, const Harmonics harmonics, u64 begin, u64 count,
  const u32* __restrict__ places, const float4* __restrict__ rows, const float* __restrict__ everywhere, const float* __restrict__ arcs,
  const float* __restrict__ centres, u64* queue, float* rooms, KernelOutcome* records, u64* firsts, float* points, u64* used)
{
  follow_arcs(run_parameters, Tissues{anatomy, fractions}, harmonics, begin, count, places, rows, everywhere, arcs, centres, queue, rooms, records,
              firsts, points, used);
}

// State of a streamline during tracking, and how a lane updates it, as in walk/streamline.rs.
#pragma once

#include "passages.cuh"

// Values that the lanes of a warp keep in shared memory until their streamlines end, to save registers. They
// are the starting point, the first step, and the results of the first half of each streamline.
struct Beginnings {
  float start[3][32], step[3][32];
  u32 points[32], ending[32], verdict[32], visits[32], met[32];
};

__device__ __forceinline__ u32 own_lane() { return threadIdx.x % 32; }

__device__ __forceinline__ void put(float (&to)[3][32], Vector v)
{
  to[0][own_lane()] = v.x;
  to[1][own_lane()] = v.y;
  to[2][own_lane()] = v.z;
}

__device__ __forceinline__ Vector own(const float (&from)[3][32])
{
  return {from[0][own_lane()], from[1][own_lane()], from[2][own_lane()]};
}

// State of a streamline during tracking.
template <class Passage>
struct Walker {
  u64 number;
  Vector place, direction;
  u32 item, half, k, sign, last_visit;
  u32 visits, steps;
  // `met` is the number of matrix columns in the list of the streamline, and `last_met` is the last of them.
  // `row` is the matrix row in which the streamline is counted.
  u32 met, last_met, row;
  u32 seen, next, last;
  Beginnings* of;
  Passage passage;
  Corners corners;

  __device__ __forceinline__ Walker(const RunParameters& run_parameters, u32* passages, const typename Passage::SurfacesOfRun& surfaces,
                                    float4* corners)
      : passage(run_parameters, passages, surfaces), corners{corners, NOWHERE}
  {
  }
};

#define ACCEPT 0u
#define WAIT 1u
#define REJECT 2u

// Result of a streamline.
struct Result {
  u32 fate, points[2], endings;
};

template <class Passage>
__device__ __forceinline__ void begin_half(Walker<Passage>& w, Vector begin, Vector direction)
{
  w.place = begin;
  w.direction = direction;
  put(w.of->step, {0.0f, 0.0f, 0.0f});
  w.k = 0;
  w.passage.begin_half();
  w.last_visit = w.last_met = NOWHERE;
  w.seen = w.next = w.last = 0;
}

template <class Passage>
__device__ __forceinline__ u32 verdict(const RunParameters& run_parameters, const Field& field, const Walker<Passage>& w, u32 ending, u32 points)
{
  if (ending == AVOID || points == 0 || points - 1 < run_parameters.half_steps) return REJECT;
  if (!(run_parameters.flags & HAS_WAYPOINTS) || (run_parameters.flags & JUDGED_AS_A_WHOLE)) return ACCEPT;
  if (w.passage.has_no_way()) return REJECT;
  if (run_parameters.flags & ANY_WAYPOINT) return ACCEPT;
  const bool in_order = !(run_parameters.flags & IN_ORDER) || !w.passage.broken;
  if (w.passage.has_all_ways(run_parameters, field)) return in_order ? ACCEPT : REJECT;
  return in_order && !(run_parameters.flags & ONE_WAY) ? WAIT : REJECT;
}

// Output memory for the points of a streamline.
struct Trail {
  // `voxels` has the voxels that are counted for the streamlines of all lanes, and `steps` the numbers of
  // steps to them. `begin` is the index of the first entry of this lane. `cells` are the cells in which this
  // lane detects loops.
  u32* voxels;
  u32* steps;
  u64 begin;
  Cell* cells;
  // Points in RAS mm, whose place depends on whether streamlines are gathered in a pool. Without a pool,
  // `points` are the points of this streamline, or null. The next two numbers are the numbers of points
  // wanted of each half. With a pool, `points` is scratch memory of this lane for the maximum number of
  // points of both halves. It has one half after the other, with four numbers per point.
  float* points;
  u32 wanted_of_first, wanted_of_second;
};

template <bool POOLED>
__device__ __forceinline__ void write_point(const Trail& trail, u32 points, u32 half, u32 k, Vector p)
{
  u32 at;
  if (POOLED) {
    at = half * points + k;
  } else {
    const u32 first = trail.wanted_of_first, own = half == 0 ? first : trail.wanted_of_second;
    // The second half does not store the seed if the first half is kept, because the first half contains it.
    if (k >= own || (half == 1 && first > 0 && k == 0)) return;
    at = half == 0 ? first - 1 - k : (first > 0 ? first - 1 : 0) + k;
  }
  if (POOLED) {
    // The points of different lanes are far apart in memory, so each lane writes a point as one block of 16
    // bytes.
    reinterpret_cast<float4*>(trail.points)[at] = make_float4(p.x, p.y, p.z, 0.0f);
    return;
  }
  float* to = trail.points + 3 * static_cast<u64>(at);
  to[0] = p.x;
  to[1] = p.y;
  to[2] = p.z;
}

// Returns the maximum number of points of the current half of a streamline. If streamlines stop at the
// maximum number of steps, the second half can have the steps that the first half has not used.
template <class Passage>
__device__ __forceinline__ u32 points_of_half(const RunParameters& run_parameters, const Walker<Passage>& w)
{
  if (!(run_parameters.flags & STOPS_AT_MOST) || w.half == 0 || w.of->verdict[own_lane()] == REJECT) return run_parameters.points;
  const u32 left = run_parameters.max_steps + 2 - w.of->points[own_lane()];
  return left < run_parameters.points ? left : run_parameters.points;
}

// Returns GOING if a streamline may come to its next point. If not, returns the reason to stop.
template <class Passage>
__device__ __forceinline__ u32 come(const RunParameters& run_parameters, Walker<Passage>& w, const Trail& trail)
{
  if (w.k == points_of_half(run_parameters, w)) return MAX_STEPS;
  if ((run_parameters.flags & LOOP_CHECK) && !pass(trail.cells, w.seen, w.next, w.last, w.place, w.direction)) return LOOP;
  return GOING;
}

// Records point k of a half of a streamline. `voxel` is the voxel whose visit is counted, or NOWHERE.
template <bool POOLED, class Passage, class OfRows>
__device__ __forceinline__ void keep(const RunParameters& run_parameters, Walker<Passage>& w, const Trail& trail, const OfRows& rows, Vector place,
                                     u32 k, u32 voxel)
{
  if (trail.points || OfRows::ANY) {
    const Vector p = affine(run_parameters.to_mm, place);
    if (trail.points) write_point<POOLED>(trail, run_parameters.points, w.half, k, p);
    if constexpr (OfRows::ANY) rows.meet_at(w, p, k);
  }
  if (trail.voxels && voxel != NOWHERE && voxel != w.last_visit) {
    trail.voxels[trail.begin + w.visits] = voxel;
    if (trail.steps) trail.steps[trail.begin + w.visits] = k;
    ++w.visits;
    w.last_visit = voxel;
  }
}

// Takes the step from a point. Returns GOING or the reason to end.
template <class Passage>
__device__ __forceinline__ u32 go_on(const RunParameters& run_parameters, const Field& field, Walker<Passage>& w)
{
  const Vector p = w.place;
  const u32 block = BLOCK_OF_STEPS + ((2 * w.k + w.half) << 2);
  const bool has_direction = w.k > 0 || !is_zero(w.direction);
  const bool initial = w.k == 0;
  u32 drawn = 0;
  if (initial && run_parameters.initial != INITIAL_NUMBER) {
    drawn = draws(run_parameters, w.number, run_parameters.initial == INITIAL_OF_ALL ? BLOCK_OF_SIGN : BLOCK_OF_HALF + w.half).y;
  }
  Fibre fibre = {{0.0f, 0.0f, 0.0f}, 0};
  if (!sample(run_parameters, field, p, draws(run_parameters, w.number, block), w.direction, initial, drawn, fibre)) return FRACTION;
  if (run_parameters.flags & FRACTION_STOPS) {
    if (fraction_of(fibre.fraction) <= unit(draws(run_parameters, w.number, block | 1).x)) return FRACTION;
  }
  Vector d = fibre.direction;
  if (is_zero(d)) return LEFT_MASK;
  const float cosine = dot(d, w.direction);
  if (has_direction && fabsf(cosine) <= run_parameters.min_cosine) return ANGLE;
  if (place_of(run_parameters, field, nearest(p)) == NOWHERE) return LEFT_MASK;
  const bool turned = has_direction ? cosine < 0.0f : (w.sign & 1) != 0;
  if (turned) d = minus(d);
  if (run_parameters.flags & MODIFIED_EULER) {
    Fibre trial = {{0.0f, 0.0f, 0.0f}, 0};
    if (sample(run_parameters, field, moved(run_parameters.step, p, d), draws(run_parameters, w.number, block | 2),
               has_direction ? w.direction : d, false, 0, trial)) {
      Vector other = trial.direction;
      if (dot(other, d) <= 0.0f) other = minus(other);
      const Vector sum = {d.x + other.x, d.y + other.y, d.z + other.z};
      const float length = sqrtf(dot(sum, sum));
      d = {sum.x / length, sum.y / length, sum.z / length};
    }
  }
  w.place = moved(run_parameters.step, p, d);
  w.direction = d;
  ++w.steps;
  if (w.k == 0) put(w.of->step, d);
  ++w.k;
  return GOING;
}

// Processes the next point of a half of a streamline. Returns GOING or the reason to stop. `points` becomes
// the number of points of the half.
template <bool POOLED, class Passage, class OfRows>
__device__ __forceinline__ u32 at_point(const RunParameters& run_parameters, const Field& field, Walker<Passage>& w, const Trail& trail,
                                        const OfRows& rows, u32& points)
{
  points = w.k;
  const u32 stays = come(run_parameters, w, trail);
  if (stays != GOING) return stays;
  u32 voxel;
  const u32 met = w.passage.arrive(run_parameters, field, w.corners, w.place, w.k, voxel);
  if (met == AVOID) points = 0;
  if (met == AVOID || met == EXIT) return met;
  keep<POOLED>(run_parameters, w, trail, rows, w.place, w.k, voxel);
  points = w.k + 1;
  return met == STOP ? STOP : go_on(run_parameters, field, w);
}

// Processes several points of the streamline of each lane, so that all lanes of the warp search for triangles
// together. Points after the end of a half are discarded. `kept` is the number of points that were recorded.
template <bool POOLED, class Passage, class OfRows>
__device__ __forceinline__ u32 at_points(const RunParameters& run_parameters, const Field& field, u32 lane, bool goes, Walker<Passage>& w,
                                         const Trail& trail, const OfRows& rows, WayOfWarp& way, FixedOfLanes<2>& lasts, Search<TOGETHER>& search,
                                         u32& points, u32& kept)
{
  auto& surfaces = w.passage.surfaces;
  const u32 k = w.k;
  u32 ending = GOING, reached = 0;
  for (u32 n = 0; n < TOGETHER && goes && ending == GOING; ++n) {
    ending = come(run_parameters, w, trail);
    if (ending != GOING) break;
    way.put_place(n, lane, w.place);
    ++reached;
    ending = go_on(run_parameters, field, w);
  }
  points = k + reached;
  kept = reached;

  for (u32 n = 0; n < reached; ++n) way.met[n][lane] = 0;
  if (surfaces.are_there()) {
    way.put(0, lane, lasts.at(0, lane));
    for (u32 n = 0; n < reached; ++n) {
      way.put(n + 1, lane, surfaces.place(run_parameters, field, w.corners, way.place_of(n, lane), k + n, w.number));
    }
    lasts.put(0, lane, way.at(reached, lane));
    __syncwarp();
    auto segment = [&](u32 n, Fixed& from, Fixed& to) {
      from = way.at(n, lane);
      to = way.at(n + 1, lane);
      return k + n > 0;
    };
    look_together(surfaces.cells, surfaces.first, surfaces.list, lane, reached, search, segment, [&](u32 number, u32 n, u32 whose) {
      if (number == NOWHERE) return;
      const Triangle& t = surfaces.triangles[number];
      if (t.tags[MET] && has_contact(t, way.at(n, whose), way.at(n + 1, whose))) Passage::note(&way.met[n][whose], t.tags[MET]);
    });
    __syncwarp();
  }

  for (u32 n = 0; n < reached; ++n) {
    surfaces.turn = n;
    const Vector place = way.place_of(n, lane);
    u32 voxel;
    const u32 met = w.passage.arrive(run_parameters, field, w.corners, place, k + n, voxel);
    if (met == GOING || met == STOP) keep<POOLED>(run_parameters, w, trail, rows, place, k + n, voxel);
    if (met == GOING) continue;
    // Discard the steps that were taken after the end of the half.
    w.steps -= w.k - (k + n);
    if (k + n == 0) put(w.of->step, {0.0f, 0.0f, 0.0f});
    ending = met;
    kept = met == AVOID ? 0 : met == EXIT ? n : n + 1;
    points = met == AVOID ? 0 : k + kept;
    break;
  }
  __syncwarp();
  return ending;
}

// Ends the second half of a streamline and returns the result of the streamline.
template <class Passage>
__device__ __forceinline__ Result result_of(const RunParameters& run_parameters, const Field& field, const Walker<Passage>& w, u32 ending,
                                            u32 points)
{
  const u32 points_of_first = w.of->points[own_lane()], ending_of_first = w.of->ending[own_lane()];
  const u32 verdict_of_first = w.of->verdict[own_lane()];
  Result result;
  result.endings = (ending_of_first + 1) << 8 | (ending + 1) << 16;
  bool second = verdict(run_parameters, field, w, ending, points) == ACCEPT;
  bool first = verdict_of_first == ACCEPT || (verdict_of_first == WAIT && second);
  const bool one_avoids = ending_of_first == AVOID, other_avoids = ending == AVOID;
  const bool whole = run_parameters.flags & JUDGED_AS_A_WHOLE;
  if (whole) {
    const bool passes = !(run_parameters.flags & HAS_WAYPOINTS)
                        || (run_parameters.flags & ANY_WAYPOINT ? !w.passage.has_no_way() : w.passage.has_all_ways(run_parameters, field));
    first = first && passes && !other_avoids;
    second = second && passes && !one_avoids;
  }
  result.points[0] = first ? points_of_first : 0;
  result.points[1] = second ? points : 0;
  if (!first && !second) {
    const u32 longest = points_of_first > points ? points_of_first : points;
    const bool avoided = whole ? one_avoids || other_avoids : one_avoids && other_avoids;
    const bool is_short = (longest > 0 ? longest - 1 : 0) < run_parameters.half_steps;
    result.fate = avoided ? AVOIDED : is_short ? TOO_SHORT : WAYPOINTS;
    return result;
  }
  const u32 steps = (first ? points_of_first - 1 : 0) + (second ? points - 1 : 0);
  result.fate = steps < run_parameters.least_steps ? TOO_SHORT : steps > run_parameters.max_steps ? TOO_LONG : ACCEPTED;
  if (result.fate != ACCEPTED) result.points[0] = result.points[1] = 0;
  return result;
}


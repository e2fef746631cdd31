// Tracks geodesic rays, one ray per lane of a warp. This is the GPU implementation of packet.rs, which
// describes the method. Both perform the same operations in the same order, so rays are bit-identical; change
// them together.
#include "steps.cuh"
#include "warp.cuh"

#define THREADS 128
#define WARPS (THREADS / 32)

// Endings, as in outcome.rs.
#define GOING 0u
#define SEED_OUTSIDE 1u
#define LEFT_IMAGE 2u
#define LEFT_MASK 3u
#define ANISOTROPY 4u
#define ANGLE 5u
#define MAX_LENGTH 6u
#define MAX_STEPS 7u
#define LOOP 8u
#define TARGET 9u
#define STUCK 10u

// Bits of the mark of a voxel (outside the mask, low anisotropy, target), as in marks.rs.
#define OUTSIDE_MASK 0x8000u
#define LOW_ANISOTROPY 0x4000u
#define TARGET_NUMBER 0x3fffu

// Constants of packet.rs and step_checks.rs.
#define FIRST_ANCHOR 16u
#define SAME_DIRECTION 0.82
#define MOST_ENERGY 1e30

#define NOWHERE 0xffffffffffffffffull
// Flag in the offset of a ray's points in memory. If this flag is set, points are written backwards, before
// the offset, and the seed is not written.
#define BACKWARDS 0x8000000000000000ull

struct Outcome {
  u32 ending, points;
  float length, connectivity, drift, nearest;
  u32 nearest_point;
  float connectivity_there;
};

struct Hit {
  u32 ray, target, voxel_low, voxel_high, point;
  float length, connectivity, drift;
};

// Start of a ray: position in voxels (whole and fractional part), velocity, and one unused number.
template <class T> struct Begin {
  u64 voxel, steps;
  T numbers[10];
};

// State of a ray during tracking, with the data of `Ray`, `Counts` and a lane of `Packet` in packet.rs.
template <class T> struct State {
  double length, geodesic;
  u64 voxel;
  T whole[3], rest[3], velocity[3], anchor_whole[3], anchor_rest[3], anchor_velocity[3];
  T stride, inverse_energy, drift, density, chord, unused;
  u32 steps, limit, next_anchor, target, kept, nearest_point;
  float measure, nearest, connectivity_there;
  // Bit 0 (FRESH): the ray is at a new point. Bit 1 (AWAY): the ray is far from its stored position (anchor).
  // Bits 8 and above: the reason to stop at the current point.
  u32 flags;
};

#define FRESH 1u
#define AWAY 2u

template <class T> __device__ __forceinline__ void remember(State<T>& s)
{
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    s.anchor_whole[n] = s.whole[n];
    s.anchor_rest[n] = s.rest[n];
    s.anchor_velocity[n] = s.velocity[n];
  }
}

template <class T>
__device__ __forceinline__ void begin(const Course<T>& course, u32 count, const Begin<T>* __restrict__ begins,
                                      const u16* __restrict__ marks, State<T>* states, Outcome* outcomes)
{
  const u32 ray = blockIdx.x * blockDim.x + threadIdx.x;
  if (ray >= count) return;
  const Begin<T> b = begins[ray];
  const u32 mark = marks && b.voxel != NOWHERE ? marks[b.voxel] : 0u;
  const bool outside = b.voxel == NOWHERE || (mark & (OUTSIDE_MASK | LOW_ANISOTROPY));
  const float infinity = __uint_as_float(0x7f800000u);
  outcomes[ray] = Outcome{outside ? SEED_OUTSIDE : GOING, 0u, 0.0f, 0.0f, 0.0f, infinity, 0u, 0.0f};
  if (outside) return;
  State<T> s;
  s.length = s.geodesic = 0;
  s.voxel = b.voxel;
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    s.whole[n] = b.numbers[n];
    s.rest[n] = b.numbers[3 + n];
    s.velocity[n] = b.numbers[6 + n];
  }
  remember(s);
  s.stride = course.step;
  s.inverse_energy = s.drift = s.density = s.chord = s.unused = 0;
  s.steps = 0;
  s.limit = static_cast<u32>(b.steps);
  s.next_anchor = FIRST_ANCHOR;
  const u32 target = mark & TARGET_NUMBER;
  s.target = target | target << 16;
  s.kept = s.nearest_point = 0;
  s.measure = s.connectivity_there = 0;
  s.nearest = infinity;
  s.flags = FRESH | (b.steps == 0 ? MAX_STEPS << 8 : 0u);
  states[ray] = s;
}

// Buffer in shared memory for the points of the rays that a warp tracks. The warp writes eight points of each
// ray to global memory at once.
struct Stage {
  float points[32][25];
  float connectivity[32][9];
  u64 first[32];
  u32 count[32];
};

__device__ __forceinline__ void flush(Stage& stage, u32 lane, u32 count, u64 first, float* points, float* connectivity)
{
  stage.first[lane] = first;
  stage.count[lane] = count;
  __syncwarp();
#pragma unroll 4
  for (u32 n = lane; n < 32 * 24; n += 32) {
    const u32 ray = n / 24, place = n % 24, point = place / 3;
    if (point < stage.count[ray]) {
      const u64 from = stage.first[ray];
      const u64 at = from & BACKWARDS ? (from & ~BACKWARDS) - point : from + point;
      points[at * 3 + place % 3] = stage.points[ray][place];
    }
  }
  if (connectivity) {
#pragma unroll
    for (u32 n = lane; n < 32 * 8; n += 32) {
      const u32 ray = n / 8, point = n % 8;
      if (point < stage.count[ray]) {
        const u64 from = stage.first[ray];
        const u64 at = from & BACKWARDS ? (from & ~BACKWARDS) - point : from + point;
        connectivity[at] = stage.connectivity[ray][point];
      }
    }
  }
  __syncwarp();
}

// Takes up to `budget` steps of each ray whose number is in `order`. A warp tracks `lanes` rays.
template <class T, u32 FIELD, u32 INTEGRATOR>
__device__ __forceinline__ void rays(const Course<T>& course, u32 count, u32 lanes, u32 budget, u32 hits_room,
                                     const u32* __restrict__ order, const T* __restrict__ rows,
                                     const T* __restrict__ plain, const u16* __restrict__ marks,
                                     const float* __restrict__ distances, State<T>* states, Outcome* outcomes,
                                     Hit* hits, u32* hit_count, const u64* __restrict__ firsts, float* points,
                                     float* connectivity)
{
  __shared__ Stage stages[WARPS];
  const u32 lane = threadIdx.x & 31u;
  Stage& stage = stages[threadIdx.x >> 5];
  const u32 index = (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) * lanes + lane;
  const u32 ray = lane < lanes && index < count ? order[index] : 0u;
  const bool taken = lane < lanes && index < count && outcomes[ray].ending == GOING;
  State<T> s;
  if (taken) s = states[ray];
  bool active = taken;
  u32 ending = GOING;
  Cell<T> cell;
  cell.forget();
  const u64 own = points && taken ? firsts[ray] : NOWHERE;
  u32 staged = 0;
  u64 staged_first = 0;

  for (u32 turn = 0; turn < budget && __any_sync(ALL, active); ++turn) {
    if (active) {
      Place<T> place;
      T v[3];
#pragma unroll
      for (int n = 0; n < 3; ++n) {
        place.whole[n] = s.whole[n];
        place.rest[n] = s.rest[n];
        v[n] = s.velocity[n];
      }
      Evaluated<T> here;
      evaluate<T, FIELD>(course, rows, cell, place, v, here);
      const T speed = root(square(course, v));
      if (s.flags & FRESH) {
        if (!(here.energy > static_cast<T>(0) && here.energy < static_cast<T>(MOST_ENERGY))) {
          ending = STUCK;
        } else {
          if (s.steps == 0) {
            s.inverse_energy = static_cast<T>(1) / here.energy;
          } else {
            const T drift = size(multiply_add(here.energy, s.inverse_energy, static_cast<T>(-1)));
            if (drift > s.drift) s.drift = drift;
          }
          if (course.connectivity) {
            const T energy = plain ? plain_energy<T, FIELD>(course, plain, place, v) : here.energy * course.scale;
            const T density = root(energy) / speed;
            if (s.steps == 0) {
              s.measure = static_cast<float>(static_cast<T>(1) / density);
            } else {
              s.geodesic += static_cast<double>(static_cast<T>(0.5) * (s.density + density) * s.chord);
              s.measure = static_cast<float>(s.length) / static_cast<float>(s.geodesic);
            }
            s.density = density;
          }
          s.kept = s.steps + 1;
          if (points && own != NOWHERE && (s.steps > 0 || !(own & BACKWARDS))) {
            if (staged == 0) staged_first = own & BACKWARDS ? own - s.steps : own + s.steps;
            T at[3];
#pragma unroll
            for (int n = 0; n < 3; ++n) at[n] = place.whole[n] + place.rest[n];
#pragma unroll
            for (int n = 0; n < 3; ++n) {
              const T* row = course.to_mm + 3 * n;
              stage.points[lane][3 * staged + n] = static_cast<float>(multiply_add(
                  row[2], at[2], multiply_add(row[1], at[1], multiply_add(row[0], at[0], course.origin[n]))));
            }
            stage.connectivity[lane][staged] = s.measure;
            ++staged;
          }
          if (distances) {
            const float distance = distances[s.voxel];
            if (distance < s.nearest) {
              s.nearest = distance;
              s.nearest_point = s.steps;
              s.connectivity_there = s.measure;
            }
          }
          const u32 target = s.target >> 16;
          if (target != 0 && target != (s.target & 0xffffu)) {
            const u32 place_of_hit = atomicAdd(hit_count, 1u);
            if (place_of_hit < hits_room) {
              hits[place_of_hit] = Hit{ray,
                                       target,
                                       static_cast<u32>(s.voxel),
                                       static_cast<u32>(s.voxel >> 32),
                                       s.steps,
                                       static_cast<float>(s.length),
                                       s.measure,
                                       static_cast<float>(s.drift)};
            }
          }
          ending = s.flags >> 8;
        }
      }
      if (ending == GOING) {
        Step<T> there;
        step<T, FIELD, INTEGRATOR>(course, rows, cell, place, v, here, s.stride / speed, there);
        T stride = s.stride;
        bool accepted = true;
        if (INTEGRATOR == ADAPTIVE) {
          const T next = stride * static_cast<T>(change_of_stride(static_cast<float>(there.error)));
          stride = next < course.step ? next : course.step;
          if (!(there.error <= static_cast<T>(1))) {
            accepted = false;
            s.stride = stride;
            s.flags &= ~FRESH;
            if (!(stride > course.shortest)) ending = STUCK;
          }
        }
        if (accepted) {
          const T chord = root(square(course, there.displacement));
          u64 voxel = 0, voxel_stride = 1;
          bool inside = true;
#pragma unroll
          for (int axis = 0; axis < 3; ++axis) {
            const T near = there.place.whole[axis] + (there.place.rest[axis] >= static_cast<T>(0.5) ? 1 : 0);
            if (!(near >= static_cast<T>(0) && near < static_cast<T>(course.shape[axis]))) {
              inside = false;
            } else {
              voxel += static_cast<u64>(near) * voxel_stride;
            }
            voxel_stride *= static_cast<u64>(course.shape[axis]);
          }
          u32 mark = 0;
          if (!(chord > static_cast<T>(0))) {
            ending = STUCK;
          } else if (course.min_cosine > static_cast<T>(-1) &&
                     inner(course, there.velocity, v) <
                         course.min_cosine * (speed * root(square(course, there.velocity)))) {
            ending = ANGLE;
          } else if (!inside) {
            ending = LEFT_IMAGE;
          } else {
            if (marks) mark = marks[voxel];
            if (mark & OUTSIDE_MASK) {
              ending = LEFT_MASK;
            } else if (mark & LOW_ANISOTROPY) {
              ending = ANISOTROPY;
            }
          }
          if (ending == GOING) {
#pragma unroll
            for (int n = 0; n < 3; ++n) {
              s.whole[n] = there.place.whole[n];
              s.rest[n] = there.place.rest[n];
              s.velocity[n] = there.velocity[n];
            }
            s.chord = chord;
            s.stride = stride;
            s.steps += 1;
            s.length += static_cast<double>(chord);
            s.flags = (s.flags & 0xffu) | FRESH;
            s.voxel = voxel;
            s.target = s.target >> 16 | (mark & TARGET_NUMBER) << 16;
            bool looped = false;
            if (course.end_loops) {
              T offset[3];
#pragma unroll
              for (int n = 0; n < 3; ++n) offset[n] = (s.whole[n] - s.anchor_whole[n]) + (s.rest[n] - s.anchor_rest[n]);
              const T distance = square(course, offset);
              const T along = inner(course, s.velocity, s.anchor_velocity);
              if ((s.flags & AWAY) && distance < static_cast<T>(0.25) * chord * chord && along > static_cast<T>(0)) {
                const T both = square(course, s.velocity) * square(course, s.anchor_velocity);
                looped = along * along - static_cast<T>(SAME_DIRECTION) * both > static_cast<T>(0);
              }
              if (distance > static_cast<T>(4) * chord * chord) s.flags |= AWAY;
              if (s.steps == s.next_anchor) {
                s.next_anchor *= 2;
                s.flags &= ~AWAY;
                remember(s);
              }
            }
            u32 last = GOING;
            if (course.ends_at_target && s.target >> 16 != 0 && (s.target & 0xffffu) == 0) {
              last = TARGET;
            } else if (s.length >= course.max_length) {
              last = MAX_LENGTH;
            } else if (looped) {
              last = LOOP;
            } else if (s.steps == s.limit) {
              last = MAX_STEPS;
            }
            s.flags |= last << 8;
          }
        }
      }
      if (ending != GOING) {
        active = false;
        outcomes[ray] = Outcome{ending,
                                s.kept,
                                static_cast<float>(s.length),
                                s.measure,
                                static_cast<float>(s.drift),
                                s.nearest,
                                s.nearest_point,
                                s.connectivity_there};
      }
    }
    if (points && __any_sync(ALL, staged == 8)) {
      flush(stage, lane, staged, staged_first, points, connectivity);
      staged = 0;
    }
  }
  if (points) flush(stage, lane, staged, staged_first, points, connectivity);
  if (active) states[ray] = s;
}

// Computes the sort key of each ray whose number is in `order`: the index of the field node at which the ray
// is. Rays that have stopped get the largest key.
template <class T>
__device__ __forceinline__ void keys(const Course<T>& course, u32 count, const u32* __restrict__ order,
                                     const State<T>* __restrict__ states, const Outcome* __restrict__ outcomes, u64* keys,
                                     u32* rays, u32* going)
{
  const u32 n = blockIdx.x * blockDim.x + threadIdx.x;
  bool goes = false;
  if (n < count) {
    const u32 ray = order ? order[n] : n;
    goes = outcomes[ray].ending == GOING;
    keys[n] = goes ? corner(course, states[ray].whole) : NOWHERE;
    rays[n] = ray;
  }
  const u32 all = __syncthreads_count(goes);
  if (threadIdx.x == 0 && all) atomicAdd(going, all);
}

#define RAYS(T, SUFFIX, FIELD, INTEGRATOR, BLOCKS)                                                                     \
  extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) geodesic_rays_##SUFFIX##_##FIELD##_##INTEGRATOR(       \
      const Course<T> course, u32 count, u32 lanes, u32 budget, u32 hits_room, const u32* __restrict__ order,          \
      const T* __restrict__ rows, const T* __restrict__ plain, const u16* __restrict__ marks,                          \
      const float* __restrict__ distances, State<T>* states, Outcome* outcomes, Hit* hits, u32* hit_count,             \
      const u64* __restrict__ firsts, float* points, float* connectivity)                                              \
  {                                                                                                                    \
    rays<T, FIELD, INTEGRATOR>(course, count, lanes, budget, hits_room, order, rows, plain, marks, distances, states,  \
                               outcomes, hits, hit_count, firsts, points, connectivity);                               \
  }

#define SCHEMES(T, SUFFIX, FIELD, BLOCKS)                                                                              \
  RAYS(T, SUFFIX, FIELD, 0, BLOCKS)                                                                                    \
  RAYS(T, SUFFIX, FIELD, 1, BLOCKS)                                                                                    \
  RAYS(T, SUFFIX, FIELD, 2, BLOCKS)                                                                                    \
  RAYS(T, SUFFIX, FIELD, 3, BLOCKS)

#define FAMILY(T, SUFFIX, BLOCKS)                                                                                      \
  extern "C" __global__ void geodesic_begin_##SUFFIX(const Course<T> course, u32 count,                                \
                                                     const Begin<T>* __restrict__ begins,                              \
                                                     const u16* __restrict__ marks, State<T>* states,                  \
                                                     Outcome* outcomes)                                                \
  {                                                                                                                    \
    begin(course, count, begins, marks, states, outcomes);                                                             \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(256) geodesic_keys_##SUFFIX(                                            \
      const Course<T> course, u32 count, const u32* __restrict__ order, const State<T>* __restrict__ states,           \
      const Outcome* __restrict__ outcomes, u64* places, u32* rays_by_place, u32* going)                               \
  {                                                                                                                    \
    keys(course, count, order, states, outcomes, places, rays_by_place, going);                                        \
  }                                                                                                                    \
  SCHEMES(T, SUFFIX, 0, BLOCKS)                                                                                        \
  SCHEMES(T, SUFFIX, 1, BLOCKS)                                                                                        \
  SCHEMES(T, SUFFIX, 2, BLOCKS)

FAMILY(float, f32, 3)
FAMILY(double, f64, 2)

// Tissues that streamlines heed: anatomy/{placed,course,back_tracking}.rs, operation by operation: change both or none. All lanes of a
// warp know the same of its streamline.
#pragma once

#include "streamlines.cuh"

// How streamlines end where tissues say so, and what becomes of those that are no fibres, behind the numbers of streamlines.cuh. Only the
// first of these ends has a point where it is.
#define CORTICAL_GREY (ENDINGS + 1u)
#define SUB_CORTICAL_GREY (ENDINGS + 2u)
#define FLUID (ENDINGS + 3u)
#define LEFT_BRAIN (ENDINGS + 4u)
#define LEFT_IMAGE (ENDINGS + 5u)
#define ANATOMY FATES

// What there is most of at a place.
#define CORTICAL 0u
#define SUB_CORTICAL 1u
#define WHITE 2u
#define OF_FLUID 3u
#define PATHOLOGICAL 4u
#define NOTHING 5u

#define ON_INTERFACE 0.05f
#define HALVINGS 10u
#define MOST_ATTEMPTS 100u

// What all streamlines know of the tissues; `unit` is how many points one that went wrong goes back at a time.
struct Anatomy {
  // From voxels of what is followed to those of the tissues.
  float way[12];
  int shape[3];
  unsigned back_track;
  unsigned crop;
  unsigned unit;
};

struct Fractions {
  float cortical, sub_cortical, white, fluid, pathological;

  __device__ __forceinline__ float grey() const { return cortical + sub_cortical; }
};

// Five of each voxel, trilinear between their centres; 0 outside.
__device__ __forceinline__ Fractions fractions_at(const Anatomy& anatomy, const float* __restrict__ tissues, Vector place)
{
  const Vector there = affine(anatomy.way, place);
  Fractions sum = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  if (!inside(nearest(there), anatomy.shape)) return sum;
  // Beyond the outermost centres what is there goes on.
  auto clamped = [&](float c, int axis) { return fminf(fmaxf(c, 0.0f), static_cast<float>(anatomy.shape[axis] - 1)); };
  const Vector at = {clamped(there.x, 0), clamped(there.y, 1), clamped(there.z, 2)};
  const Vector low = {floorf(at.x), floorf(at.y), floorf(at.z)};
  const Vector part = {at.x - low.x, at.y - low.y, at.z - low.z};
#pragma unroll
  for (u32 corner = 0; corner < 8; ++corner) {
    const float x = corner & 1 ? part.x : 1.0f - part.x, y = corner & 2 ? part.y : 1.0f - part.y;
    const float z = corner & 4 ? part.z : 1.0f - part.z;
    const float weight = x * y * z;
    // What lies outside has no weight.
    if (weight > 0.0f) {
      const Vector voxel = {low.x + static_cast<float>(corner & 1), low.y + static_cast<float>(corner >> 1 & 1),
                            low.z + static_cast<float>(corner >> 2)};
      const float* own = tissues + 5 * static_cast<u64>(index(voxel, anatomy.shape));
      sum.cortical += weight * own[0];
      sum.sub_cortical += weight * own[1];
      sum.white += weight * own[2];
      sum.fluid += weight * own[3];
      sum.pathological += weight * own[4];
    }
  }
  return sum;
}

__device__ __forceinline__ u32 matter_of(const Fractions& f)
{
  const float grey = f.grey();
  // Not where it is not a number.
  const bool is_brain = grey + f.white + f.fluid + f.pathological >= 0.5f;
  if (!is_brain) return NOTHING;
  if (f.white >= grey && f.white >= f.fluid && f.white >= f.pathological) return WHITE;
  if (f.fluid > grey && f.fluid >= f.pathological) return OF_FLUID;
  if (f.pathological > grey) return PATHOLOGICAL;
  return f.cortical >= f.sub_cortical ? CORTICAL : SUB_CORTICAL;
}

// What a half has met of tissues.
struct Heeded {
  // The point at which it came into the sub-cortical grey matter that it is in, or NOWHERE.
  u32 entered;
  bool may_leave, has_left, in_white;

  __device__ __forceinline__ void begin(bool may)
  {
    entered = NOWHERE;
    may_leave = may;
    has_left = in_white = false;
  }

  // Comes to a point: why the half ends there, or GOING.
  __device__ __forceinline__ u32 arrive(u32 matter, u32 number)
  {
    if (matter == CORTICAL && number > 0) return CORTICAL_GREY;
    if (matter == OF_FLUID) return FLUID;
    if (matter == NOTHING) return LEFT_BRAIN;
    if (matter == SUB_CORTICAL) {
      if (entered == NOWHERE) entered = number;
      return GOING;
    }
    if (entered != NOWHERE) {
      if (entered > 0 || !may_leave) return SUB_CORTICAL_GREY;
      entered = NOWHERE;
      has_left = true;
    }
    in_white |= matter == WHITE;
    return GOING;
  }
};

// Whether a half may end so, where `last` is its last point.
__device__ __forceinline__ bool ends_well(const Anatomy& anatomy, const float* __restrict__ tissues, u32 why, Vector last)
{
  if (why == CORTICAL_GREY || why == SUB_CORTICAL_GREY || why == LEFT_BRAIN || why == LEFT_IMAGE) return true;
  if (why == FLUID) return false;
  const Fractions f = fractions_at(anatomy, tissues, last);
  const u32 matter = matter_of(f);
  if (matter == WHITE) return f.white - f.grey() <= ON_INTERFACE;
  return matter != OF_FLUID;
}

// Where a step leads from white matter into grey.
__device__ __forceinline__ Vector crossing(const Anatomy& anatomy, const float* __restrict__ tissues, Vector from, Vector to)
{
  float white = 0.0f, grey = 1.0f;
#pragma unroll 1
  for (u32 n = 0; n < HALVINGS; ++n) {
    const float middle = 0.5f * (white + grey);
    const Fractions f = fractions_at(anatomy, tissues, between(from, to, middle));
    if (f.white - f.grey() > 0.0f) white = middle;
    else grey = middle;
  }
  return between(from, to, grey);
}

// From where a half that is wrong is followed again.
struct BackTracking {
  u32 farthest, back, attempts;

  // How many of the points of a half that has ended wrongly to keep; 0 where that leads nowhere.
  __device__ __forceinline__ u32 next(u32 unit, u32 points)
  {
    if (points > farthest) {
      farthest = points;
      back = 0;
    }
    back += unit;
    ++attempts;
    if (back > farthest || attempts > MOST_ATTEMPTS) return 0;
    return min(farthest - back, points > unit ? points - unit : 0u);
  }
};

// Whether the voxel nearest to a place lies outside the lattice of what is followed.
template <class Course>
__device__ __forceinline__ bool is_beyond(const Course& course, Vector place)
{
  auto holds = [&](float c, int axis) { return c >= -0.5f && c < static_cast<float>(course.shape[axis]) - 0.5f; };
  // Also of what is not a number.
  return !(holds(place.x, 0) && holds(place.y, 1) && holds(place.z, 2));
}

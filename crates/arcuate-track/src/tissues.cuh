// Tissues for anatomically constrained tracking. This is the GPU implementation of
// anatomy/{placed,anatomical_half,back_tracking}.rs. These files perform the same operations in the same
// order, so change them together. A warp (32 threads) tracks one streamline, and all its lanes hold the same
// values for it.
#pragma once

#include "streamlines.cuh"

// Reasons to stop that tissues cause, and the outcome of streamlines that end at an implausible place. Their
// numbers follow those of streamlines.cuh. Only a half that stops for CORTICAL_GREY keeps the point at which
// it stops.
#define CORTICAL_GREY (ENDINGS + 1u)
#define SUB_CORTICAL_GREY (ENDINGS + 2u)
#define CSF (ENDINGS + 3u)
#define LEFT_BRAIN (ENDINGS + 4u)
#define LEFT_IMAGE (ENDINGS + 5u)
#define ANATOMY FATES

// Predominant tissue at a position.
#define CORTICAL 0u
#define SUB_CORTICAL 1u
#define WHITE 2u
#define OF_CSF 3u
#define PATHOLOGICAL 4u
#define NOTHING 5u

#define ON_INTERFACE 0.05f
#define HALVINGS 10u
#define MOST_ATTEMPTS 100u

// Parameters of the tissues, shared by all streamlines. `unit` is the number of points by which each attempt
// of back-tracking shortens an implausible half.
struct Anatomy {
  // Mapping from voxel coordinates of the tracked image to voxel coordinates of the tissue image.
  float way[12];
  int shape[3];
  unsigned back_track;
  unsigned crop;
  unsigned unit;
};

struct Fractions {
  float cortical, sub_cortical, white, csf, pathological;

  __device__ __forceinline__ float grey() const { return cortical + sub_cortical; }
};

// Returns the fractions of the five tissues at a position, interpolated trilinearly between voxel centres.
// The fractions are 0 outside the tissue image.
__device__ __forceinline__ Fractions fractions_at(const Anatomy& anatomy, const float* __restrict__ tissues, Vector place)
{
  const Vector there = affine(anatomy.way, place);
  Fractions sum = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  if (!inside(nearest(there), anatomy.shape)) return sum;
  // Between the outermost voxel centres and the edge of the image, the fractions of the nearest voxels apply.
  auto clamped = [&](float c, int axis) { return fminf(fmaxf(c, 0.0f), static_cast<float>(anatomy.shape[axis] - 1)); };
  const Vector at = {clamped(there.x, 0), clamped(there.y, 1), clamped(there.z, 2)};
  const Vector low = {floorf(at.x), floorf(at.y), floorf(at.z)};
  const Vector part = {at.x - low.x, at.y - low.y, at.z - low.z};
#pragma unroll
  for (u32 corner = 0; corner < 8; ++corner) {
    const float x = corner & 1 ? part.x : 1.0f - part.x, y = corner & 2 ? part.y : 1.0f - part.y;
    const float z = corner & 4 ? part.z : 1.0f - part.z;
    const float weight = x * y * z;
    // Voxels outside the image have no weight.
    if (weight > 0.0f) {
      const Vector voxel = {low.x + static_cast<float>(corner & 1), low.y + static_cast<float>(corner >> 1 & 1),
                            low.z + static_cast<float>(corner >> 2)};
      const float* own = tissues + 5 * static_cast<u64>(index(voxel, anatomy.shape));
      sum.cortical += weight * own[0];
      sum.sub_cortical += weight * own[1];
      sum.white += weight * own[2];
      sum.csf += weight * own[3];
      sum.pathological += weight * own[4];
    }
  }
  return sum;
}

__device__ __forceinline__ u32 matter_of(const Fractions& f)
{
  const float grey = f.grey();
  // The comparison is false if a tissue fraction is NaN.
  const bool is_brain = grey + f.white + f.csf + f.pathological >= 0.5f;
  if (!is_brain) return NOTHING;
  if (f.white >= grey && f.white >= f.csf && f.white >= f.pathological) return WHITE;
  if (f.csf > grey && f.csf >= f.pathological) return OF_CSF;
  if (f.pathological > grey) return PATHOLOGICAL;
  return f.cortical >= f.sub_cortical ? CORTICAL : SUB_CORTICAL;
}

// Tissues that a half has met.
struct Heeded {
  // Index of the point at which the half entered the sub-cortical grey matter in which it is; NOWHERE if it
  // is not in sub-cortical grey matter.
  u32 entered;
  bool may_leave, has_left, in_white;

  __device__ __forceinline__ void begin(bool may)
  {
    entered = NOWHERE;
    may_leave = may;
    has_left = in_white = false;
  }

  // Processes a point of a half of a streamline. Returns the reason why the half stops there, or GOING.
  __device__ __forceinline__ u32 arrive(u32 matter, u32 number)
  {
    if (matter == CORTICAL && number > 0) return CORTICAL_GREY;
    if (matter == OF_CSF) return CSF;
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

// Returns true if a half of a streamline may stop for this reason. `last` is the last point of the half.
__device__ __forceinline__ bool ends_well(const Anatomy& anatomy, const float* __restrict__ tissues, u32 why, Vector last)
{
  if (why == CORTICAL_GREY || why == SUB_CORTICAL_GREY || why == LEFT_BRAIN || why == LEFT_IMAGE) return true;
  if (why == CSF) return false;
  const Fractions f = fractions_at(anatomy, tissues, last);
  const u32 matter = matter_of(f);
  if (matter == WHITE) return f.white - f.grey() <= ON_INTERFACE;
  return matter != OF_CSF;
}

// Returns the position at which a step crosses from white matter into grey matter, found by bisection.
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

// State of back-tracking: from which point a half of a streamline that ended at an implausible place is
// tracked again.
struct BackTracking {
  u32 farthest, back, attempts;

  // Returns the number of points to keep of a half that ended at an implausible place; 0 if the half is not
  // tracked again.
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

// Returns true if the voxel nearest to a position is outside the grid of the tracked image.
template <class RunParameters>
__device__ __forceinline__ bool is_beyond(const RunParameters& run_parameters, Vector place)
{
  auto holds = [&](float c, int axis) { return c >= -0.5f && c < static_cast<float>(run_parameters.shape[axis]) - 0.5f; };
  // The result is also true if a coordinate is NaN.
  return !(holds(place.x, 0) && holds(place.y, 1) && holds(place.z, 2));
}

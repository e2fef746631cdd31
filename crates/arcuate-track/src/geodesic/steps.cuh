// One step of a geodesic ray, with each integration scheme. This is the GPU implementation of steps.rs, which
// describes the schemes. Both perform the same operations in the same order, so rays are bit-identical;
// change them together.
#pragma once
#include "metric.cuh"

#define EULER 0u
#define HEUN 1u
#define RUNGE_KUTTA_4 2u
#define ADAPTIVE 3u

template <class T> struct Step {
  Place<T> place;
  T velocity[3], displacement[3];
  T error;
};

template <class T> __device__ __forceinline__ void scaled(T by, const T (&v)[3], T (&result)[3])
{
#pragma unroll
  for (int n = 0; n < 3; ++n) result[n] = by * v[n];
}

// Computes v + by · a.
template <class T> __device__ __forceinline__ void ahead(T by, const T (&a)[3], const T (&v)[3], T (&result)[3])
{
#pragma unroll
  for (int n = 0; n < 3; ++n) result[n] = multiply_add(by, a[n], v[n]);
}

template <class T> __device__ __forceinline__ void sum(const T (&a)[3], const T (&b)[3], T (&result)[3])
{
#pragma unroll
  for (int n = 0; n < 3; ++n) result[n] = a[n] + b[n];
}

// Returns the weight of a stage of the Dormand–Prince scheme. `error_weight` is the difference between the
// stage's weights in the fifth-order and fourth-order solutions.
__device__ __forceinline__ double stage_weight(int stage, int n)
{
  const double a[6][6] = {
      {1.0 / 5.0, 0, 0, 0, 0, 0},
      {3.0 / 40.0, 9.0 / 40.0, 0, 0, 0, 0},
      {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0, 0, 0},
      {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0, 0},
      {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0},
      {35.0 / 384.0, 0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0},
  };
  return a[stage][n];
}

__device__ __forceinline__ double error_weight(int n)
{
  const double e[7] = {71.0 / 57600.0,      0,            -71.0 / 16695.0, 71.0 / 1920.0,
                       -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
  return e[n];
}

template <class T, u32 FIELD, u32 INTEGRATOR>
__device__ __forceinline__ void step(const Course<T>& course, const T* __restrict__ rows, Cell<T>& cell,
                                     const Place<T>& place, const T (&v)[3], const Evaluated<T>& here, T time,
                                     Step<T>& result)
{
  Place<T> at;
  T by[3];
  Evaluated<T> there;
  result.error = 0;
  if (INTEGRATOR == EULER) {
    scaled(time, v, result.displacement);
    ahead(time, here.acceleration, v, result.velocity);
  } else if (INTEGRATOR == HEUN) {
    T second[3], both[3];
    ahead(time, here.acceleration, v, second);
    scaled(time, v, by);
    moved(place, by, at);
    evaluate<T, FIELD>(course, rows, cell, at, second, there);
    const T half = time * static_cast<T>(0.5);
    sum(v, second, both);
    scaled(half, both, result.displacement);
    sum(here.acceleration, there.acceleration, both);
    ahead(half, both, v, result.velocity);
  } else if (INTEGRATOR == RUNGE_KUTTA_4) {
    const T half = time * static_cast<T>(0.5);
    T v2[3], v3[3], v4[3], change[3], middle[3], ends[3];
    ahead(half, here.acceleration, v, v2);
    scaled(half, v, by);
    moved(place, by, at);
    evaluate<T, FIELD>(course, rows, cell, at, v2, there);
    T a2[3], a3[3];
#pragma unroll
    for (int n = 0; n < 3; ++n) a2[n] = there.acceleration[n];
    ahead(half, a2, v, v3);
    scaled(half, v2, by);
    moved(place, by, at);
    evaluate<T, FIELD>(course, rows, cell, at, v3, there);
#pragma unroll
    for (int n = 0; n < 3; ++n) a3[n] = there.acceleration[n];
    ahead(time, a3, v, v4);
    scaled(time, v3, by);
    moved(place, by, at);
    evaluate<T, FIELD>(course, rows, cell, at, v4, there);
    const T sixth = time * static_cast<T>(1.0 / 6.0), two = 2;
    sum(v2, v3, middle);
    sum(v, v4, ends);
    ahead(two, middle, ends, change);
    scaled(sixth, change, result.displacement);
    sum(a2, a3, middle);
    sum(here.acceleration, there.acceleration, ends);
    ahead(two, middle, ends, change);
    ahead(sixth, change, v, result.velocity);
  } else {
    T velocities[7][3], accelerations[7][3], along[3], change[3];
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      velocities[0][n] = v[n];
      accelerations[0][n] = here.acceleration[n];
    }
#pragma unroll
    for (int stage = 0; stage < 6; ++stage) {
#pragma unroll
      for (int n = 0; n < 3; ++n) along[n] = change[n] = 0;
#pragma unroll
      for (int n = 0; n <= stage; ++n) {
        if (stage_weight(stage, n) != 0) {
          const T weight = static_cast<T>(stage_weight(stage, n));
          ahead(weight, velocities[n], along, along);
          ahead(weight, accelerations[n], change, change);
        }
      }
      scaled(time, along, result.displacement);
      ahead(time, change, v, result.velocity);
      moved(place, result.displacement, at);
      evaluate<T, FIELD>(course, rows, cell, at, result.velocity, there);
#pragma unroll
      for (int n = 0; n < 3; ++n) {
        velocities[stage + 1][n] = result.velocity[n];
        accelerations[stage + 1][n] = there.acceleration[n];
      }
    }
#pragma unroll
    for (int n = 0; n < 3; ++n) along[n] = change[n] = 0;
#pragma unroll
    for (int n = 0; n < 7; ++n) {
      if (error_weight(n) != 0) {
        const T weight = static_cast<T>(error_weight(n));
        ahead(weight, velocities[n], along, along);
        ahead(weight, accelerations[n], change, change);
      }
    }
    const T scale = time * course.tolerance;
    scaled(scale, along, along);
    scaled(scale / root(dot(v, v)), change, change);
    const T of_place = dot(along, along), of_velocity = dot(change, change);
    result.error = of_place > of_velocity ? of_place : of_velocity;
  }
  moved(place, result.displacement, result.place);
}

// Returns the factor by which the step length changes after a step. `error` is the squared error divided by
// the squared tolerance.
__device__ __forceinline__ float change_of_stride(float error)
{
  const float factor = 0.9f * single_exp(-0.1f * single_ln(error));
  const float above = factor > 0.2f ? factor : 0.2f;
  return above < 5.0f ? above : 5.0f;
}

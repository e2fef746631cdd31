// Coefficients of functions exp(c t^2) by continued fractions: special/watson.rs says what is computed. Operation by operation
// the same: change both or none.
#pragma once
#include "real.cuh"

template <class T> struct Top;
template <> struct Top<float> {
  static const int WATSON = 48, STICK = 64;
};
template <> struct Top<double> {
  static const int WATSON = 80, STICK = 96;
};

// The ratio of the coefficient of degree l to that of l - 2, of that of l + 2 to this one.
template <class T> __device__ __forceinline__ T ratio_of(int l, T twice, T ratio)
{
  const double first = 2.0 * l + 1.0;
  const T above = T((l - 1.0) / ((2.0 * l - 1.0) * first));
  const T constant = T(-1.0 / ((2.0 * l + 3.0) * (2.0 * l - 1.0)));
  const T below = T((l + 2.0) / ((2.0 * l + 3.0) * first));
  const T rest = multiply_add(below, ratio, constant);
  return (twice * above) / multiply_add(twice, rest, T(1));
}

template <class T, int COUNT> __device__ __forceinline__ void watson_moments(T x, T (&out)[COUNT])
{
  const T twice = x + x;
  T ratio = T(0);
#pragma unroll
  for (int n = Top<T>::WATSON / 2; n >= 1; --n) {
    ratio = ratio_of(2 * n, twice, ratio);
    if (n < COUNT) out[n] = ratio;
  }
  out[0] = T(1);
#pragma unroll
  for (int n = 1; n < COUNT; ++n) out[n] = out[n - 1] * out[n];
}

template <class T, int COUNT> __device__ __forceinline__ void stick_moments(T x, T (&out)[COUNT])
{
  const T twice = -(x + x);
  T ratio = T(0), at_zero = T(1);
#pragma unroll
  for (int n = Top<T>::STICK / 2; n >= 1; --n) {
    const double l = 2.0 * n;
    ratio = ratio_of(2 * n, twice, ratio);
    if (n < COUNT) out[n] = ratio;
    const T step = T(-(l - 1.0) / l * (2.0 * l + 1.0) / (2.0 * l - 3.0));
    at_zero = multiply_add(ratio * step, at_zero, T(1));
  }
  out[0] = T(1) / at_zero;
#pragma unroll
  for (int n = 1; n < COUNT; ++n) {
    const double l = 2.0 * n;
    out[n] = out[n - 1] * (out[n] * T((2.0 * l + 1.0) / (2.0 * l - 3.0)));
  }
}

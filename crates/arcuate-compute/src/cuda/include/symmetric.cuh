// Symmetric 3 x 3 matrices and their eigensystems. This is the GPU implementation of numbers/lanes.rs and
// numbers/eigen.rs, which describe the method. All three files perform the same operations in the same order, so
// results are bit-identical; change them together.
#pragma once
#include "real.cuh"

typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;

template <class T> struct Series;
template <> struct Series<float> {
  static const int NEWTON_STEPS = 2, SINE_TERMS = 4;
};
template <> struct Series<double> {
  static const int NEWTON_STEPS = 3, SINE_TERMS = 7;
};

template <class T> __device__ __forceinline__ T dot(const T (&a)[3], const T (&b)[3])
{
  return multiply_add(a[2], b[2], multiply_add(a[1], b[1], a[0] * b[0]));
}

template <class T> __device__ __forceinline__ T dot3(T a0, T a1, T a2, const T (&b)[3])
{
  return multiply_add(a2, b[2], multiply_add(a1, b[1], a0 * b[0]));
}

template <class T> __device__ __forceinline__ void times(const T (&s)[6], const T (&v)[3], T (&result)[3])
{
  const T x = dot3(s[0], s[3], s[4], v), y = dot3(s[3], s[1], s[5], v), z = dot3(s[4], s[5], s[2], v);
  result[0] = x;
  result[1] = y;
  result[2] = z;
}

template <class T> __device__ __forceinline__ void products(const T (&v)[3], T (&w)[6])
{
  const T x2 = v[0] + v[0], y2 = v[1] + v[1];
  w[0] = v[0] * v[0];
  w[1] = v[1] * v[1];
  w[2] = v[2] * v[2];
  w[3] = x2 * v[1];
  w[4] = x2 * v[2];
  w[5] = y2 * v[2];
}

template <class T> __device__ __forceinline__ T weighted(const T (&w)[6], const T (&s)[6])
{
  const T diagonal = multiply_add(w[2], s[2], multiply_add(w[1], s[1], w[0] * s[0]));
  return multiply_add(w[5], s[5], multiply_add(w[4], s[4], multiply_add(w[3], s[3], diagonal)));
}

// Computes the adjugate of a symmetric matrix and returns the determinant of the matrix.
template <class T> __device__ __forceinline__ T adjugate(const T (&s)[6], T (&a)[6])
{
  a[0] = multiply_add(s[1], s[2], -(s[5] * s[5]));
  a[1] = multiply_add(s[0], s[2], -(s[4] * s[4]));
  a[2] = multiply_add(s[0], s[1], -(s[3] * s[3]));
  a[3] = multiply_add(s[4], s[5], -(s[3] * s[2]));
  a[4] = multiply_add(s[3], s[5], -(s[4] * s[1]));
  a[5] = multiply_add(s[3], s[4], -(s[5] * s[0]));
  return multiply_add(s[4], a[4], multiply_add(s[3], a[3], s[0] * a[0]));
}

template <class T> __device__ __forceinline__ void transformed(const T* m, const T (&v)[3], T (&result)[3])
{
  const T x = dot3(m[0], m[1], m[2], v), y = dot3(m[3], m[4], m[5], v), z = dot3(m[6], m[7], m[8], v);
  result[0] = x;
  result[1] = y;
  result[2] = z;
}

template <class T> __device__ __forceinline__ void unit(T (&v)[3])
{
  const T scale = static_cast<T>(1) / root(dot(v, v));
  v[0] = v[0] * scale;
  v[1] = v[1] * scale;
  v[2] = v[2] * scale;
}

// Computes the mean of a matrix's eigenvalues, the matrix minus this mean on the diagonal, and the sum of the squared
// elements of that difference.
template <class T>
__device__ __forceinline__ void deviator(const T (&matrix)[6], T& mean, T (&part)[6], T& spread)
{
  mean = (matrix[0] + matrix[1] + matrix[2]) * static_cast<T>(1.0 / 3.0);
#pragma unroll
  for (int n = 0; n < 6; ++n) part[n] = n < 3 ? matrix[n] - mean : matrix[n];
  const T off = multiply_add(part[5], part[5], multiply_add(part[4], part[4], part[3] * part[3]));
  const T diagonal = multiply_add(part[2], part[2], multiply_add(part[1], part[1], part[0] * part[0]));
  spread = multiply_add(static_cast<T>(2), off, diagonal);
}

template <class T> __device__ __forceinline__ T fractional_anisotropy(const T (&matrix)[6])
{
  T part[6], mean, spread;
  deviator(matrix, mean, part, spread);
  const T norm = multiply_add(static_cast<T>(3) * mean, mean, spread);
  return root(static_cast<T>(1.5) * spread / norm);
}

template <class T> __device__ __forceinline__ void eigensystem(const T (&matrix)[6], T (&values)[3], T (&q)[3][3])
{
  const T zero = 0, one = 1, half = static_cast<T>(0.5);
  T part[6], mean, spread;
  deviator(matrix, mean, part, spread);
  const T p = root(spread * static_cast<T>(1.0 / 6.0));
  const T scale = one / (p > zero ? p : one);
#pragma unroll
  for (int n = 0; n < 6; ++n) part[n] = part[n] * scale;
  T inverse[6];
  const T cosine = half * adjugate(part, inverse);
  const T t = size(cosine) > one ? one : size(cosine);
  T x = multiply_add(
      multiply_add(multiply_add(static_cast<T>(0.009828585346654955), t, static_cast<T>(-0.04252065579776021)), t,
                   static_cast<T>(1.0 / 6.0)),
      t, static_cast<T>(0.8660254037844386));
#pragma unroll
  for (int n = 0; n < Series<T>::NEWTON_STEPS; ++n) {
    const T x2 = x * x;
    x = multiply_add(static_cast<T>(8) * x2, x, t) / multiply_add(static_cast<T>(12), x2, static_cast<T>(-3));
  }
  const T double_root = x + x;
  const T apart_value = cosine >= zero ? double_root : -double_root;
  const T shifted[6] = {part[0] - apart_value, part[1] - apart_value, part[2] - apart_value, part[3], part[4], part[5]};
  adjugate(shifted, inverse);
  const bool longer = inverse[1] > inverse[0];
  const T length = longer ? inverse[1] : inverse[0];
  const bool longest = inverse[2] > length;
  T apart[3];
  apart[0] = longest ? inverse[4] : longer ? inverse[3] : inverse[0];
  apart[1] = longest ? inverse[5] : longer ? inverse[1] : inverse[3];
  apart[2] = longest ? inverse[2] : longer ? inverse[5] : inverse[4];
  unit(apart);
  const T sign = apart[2] >= zero ? one : -one;
  const T a = -(one / (sign + apart[2]));
  const T b = apart[0] * apart[1] * a;
  const T signed_x = sign * apart[0];
  const T u[3] = {multiply_add(signed_x * apart[0], a, one), sign * b, -signed_x};
  const T v[3] = {b, multiply_add(apart[1] * apart[1], a, sign), -apart[1]};
  T bu[3], bv[3];
  times(part, u, bu);
  times(part, v, bv);
  const T uu = dot(u, bu), uv = dot(u, bv), vv = dot(v, bv);
  const T centre = half * (uu + vv), difference = half * (uu - vv);
  const T radius = root(multiply_add(difference, difference, uv * uv));
  const T over = one / (radius > zero ? radius : one);
  const T cos2 = radius > zero ? difference * over : one;
  const T sin2 = uv * over;
  const T larger = root(multiply_add(half, size(cos2), half));
  const T smaller = half * sin2 / larger;
  const T cos_of = cos2 >= zero ? larger : smaller, sin_of = cos2 >= zero ? smaller : larger;
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    q[0][n] = apart[n];
    q[1][n] = multiply_add(cos_of, u[n], sin_of * v[n]);
    q[2][n] = multiply_add(cos_of, v[n], -(sin_of * u[n]));
  }
  values[0] = multiply_add(p, apart_value, mean);
  values[1] = multiply_add(p, centre + radius, mean);
  values[2] = multiply_add(p, centre - radius, mean);
}

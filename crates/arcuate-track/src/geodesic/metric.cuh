// The metric between voxel centres, and the acceleration of geodesics in this metric. This is the GPU
// implementation of metric.rs, which describes the method. Both perform the same operations in the same
// order, so rays are bit-identical; change them together.
#pragma once
#include "symmetric.cuh"

#define SPLINE 0u
#define TRILINEAR 1u
#define THESIS 2u

#define MARGIN 2

// Parameters shared by all rays of a run. Matrices are stored row by row.
template <class T> struct __align__(8) Course {
  T to_mm[9];
  T to_voxels[9];
  T euclidean[6];
  T origin[3];
  T step, shortest, min_cosine, tolerance, scale;
  int shape[3];
  u32 connectivity, ends_at_target, end_loops;
  double max_length;
};

template <class T> struct Place {
  T whole[3], rest[3];
};

template <class T> struct Evaluated {
  T acceleration[3];
  T energy;
};

// Returns ‖v‖² in mm².
template <class T> __device__ __forceinline__ T square(const Course<T>& course, const T (&v)[3])
{
  T w[6];
  products(v, w);
  return weighted(w, course.euclidean);
}

template <class T> __device__ __forceinline__ T inner(const Course<T>& course, const T (&a)[3], const T (&b)[3])
{
  T turned[3];
  times(course.euclidean, b, turned);
  return dot(a, turned);
}

template <class T>
__device__ __forceinline__ void moved(const Place<T>& from, const T (&by)[3], Place<T>& to)
{
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const T rest = from.rest[axis] + by[axis];
    const T steps = whole_of(rest);
    to.whole[axis] = from.whole[axis] + steps;
    to.rest[axis] = rest - steps;
  }
}

// Returns the index of the node with the lowest coordinates in the interpolation cell that contains a
// position. If the position is outside the grid, the nearest cell is used.
template <class T> __device__ __forceinline__ u64 corner(const Course<T>& course, const T (&whole)[3])
{
  u64 node = 0, stride = 1;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const T last = static_cast<T>(course.shape[axis] - 1);
    // A position that is NaN becomes -1 here and 0 on the CPU. The difference has no effect, because such a
    // ray stops.
    const T below = whole[axis] > static_cast<T>(-1) ? whole[axis] : static_cast<T>(-1);
    const T cell = below < last ? below : last;
    node += static_cast<u64>(static_cast<int>(cell) + MARGIN) * stride;
    stride *= static_cast<u64>(course.shape[axis] + 2 * MARGIN);
  }
  return node;
}

// Reads the six matrix elements of a node from its row of eight numbers.
template <class T> __device__ __forceinline__ void read_row(const T* __restrict__ rows, u64 row, T (&elements)[8])
{
  Pack<T> pack;
#pragma unroll
  for (unsigned begin = 0; begin < 8; begin += Pack<T>::LENGTH) {
    if (begin >= 6) break;
    pack.load(rows + row * 8 + begin);
#pragma unroll
    for (unsigned n = 0; n < Pack<T>::LENGTH; ++n) elements[begin + n] = pack.v[n];
  }
}

// Polynomial of the trilinear metric in an interpolation cell. Each element of the metric has coefficients
// for 1, x, y, z, xy, xz, yz and xyz.
template <class T> struct Cell {
  T whole[3];
  T powers[6][8];

  __device__ __forceinline__ void forget()
  {
    // The stored position of the cell starts as NaN. NaN differs from every position, so the first position
    // loads its cell.
    whole[0] = whole[1] = whole[2] = static_cast<T>(__uint_as_float(0x7fc00000u));
  }

  __device__ __forceinline__ bool is_at(const T (&place)[3]) const
  {
    return whole[0] == place[0] && whole[1] == place[1] && whole[2] == place[2];
  }

  __device__ __forceinline__ void enter(const Course<T>& course, const T* __restrict__ rows, const T (&place)[3])
  {
    const u64 node = corner(course, place);
    const u64 dy = static_cast<u64>(course.shape[0] + 2 * MARGIN);
    const u64 dz = dy * static_cast<u64>(course.shape[1] + 2 * MARGIN);
    T low[8], high[8];
    read_row(rows, node, low);
    read_row(rows, node + 1, high);
#pragma unroll
    for (int n = 0; n < 6; ++n) {
      powers[n][0] = low[n];
      powers[n][1] = high[n] - low[n];
    }
    read_row(rows, node + dy, low);
    read_row(rows, node + dy + 1, high);
#pragma unroll
    for (int n = 0; n < 6; ++n) {
      powers[n][2] = low[n] - powers[n][0];
      powers[n][4] = (high[n] - low[n]) - powers[n][1];
    }
    read_row(rows, node + dz, low);
    read_row(rows, node + dz + 1, high);
    T above[6], first[6];
#pragma unroll
    for (int n = 0; n < 6; ++n) {
      powers[n][3] = low[n] - powers[n][0];
      above[n] = high[n] - low[n];
      first[n] = low[n];
      powers[n][5] = above[n] - powers[n][1];
    }
    read_row(rows, node + dy + dz, low);
    read_row(rows, node + dy + dz + 1, high);
#pragma unroll
    for (int n = 0; n < 6; ++n) {
      powers[n][6] = (low[n] - first[n]) - powers[n][2];
      powers[n][7] = ((high[n] - low[n]) - above[n]) - powers[n][4];
    }
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) whole[axis] = place[axis];
  }
};

template <class T>
__device__ __forceinline__ void trilinear(const Course<T>& course, const T* __restrict__ rows, Cell<T>& cell,
                                          const Place<T>& place, const T (&v)[3], Evaluated<T>& result)
{
  if (!cell.is_at(place.whole)) cell.enter(course, rows, place.whole);
  const T x = place.rest[0], y = place.rest[1], z = place.rest[2];
  T weights[6], metric[6], along[6], gradient[3], energy;
  products(v, weights);
#pragma unroll
  for (int n = 0; n < 6; ++n) {
    const T* c = cell.powers[n];
    const T xy = multiply_add(c[7], z, c[4]);
    const T from_y = multiply_add(c[6], z, c[2]);
    const T from_x = multiply_add(c[5], z, c[1]);
    const T dx = multiply_add(xy, y, from_x);
    const T dy = multiply_add(xy, x, from_y);
    const T dz = multiply_add(multiply_add(c[7], y, c[5]), x, multiply_add(c[6], y, c[3]));
    const T g = multiply_add(dx, x, multiply_add(from_y, y, multiply_add(c[3], z, c[0])));
    metric[n] = g;
    along[n] = multiply_add(dz, v[2], multiply_add(dy, v[1], dx * v[0]));
    const T w = weights[n];
    if (n == 0) {
      gradient[0] = w * dx;
      gradient[1] = w * dy;
      gradient[2] = w * dz;
      energy = w * g;
    } else {
      gradient[0] = multiply_add(w, dx, gradient[0]);
      gradient[1] = multiply_add(w, dy, gradient[1]);
      gradient[2] = multiply_add(w, dz, gradient[2]);
      energy = multiply_add(w, g, energy);
    }
  }
  T force[3], inverse[6];
  times(along, v, force);
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) force[axis] = multiply_add(static_cast<T>(-0.5), gradient[axis], force[axis]);
  const T determinant = adjugate(metric, inverse);
  const T scale = static_cast<T>(-1) / determinant;
  times(inverse, force, result.acceleration);
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) result.acceleration[axis] = result.acceleration[axis] * scale;
  result.energy = energy;
}

template <class T> __device__ __forceinline__ void corner_weights(const T (&rest)[3], T (&weights)[8])
{
  const T one = static_cast<T>(1);
  const T x = rest[0], y = rest[1], z = rest[2], x0 = one - x, y0 = one - y, z0 = one - z;
  const T low[4] = {x0 * y0, x * y0, x0 * y, x * y};
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    weights[n] = low[n] * z0;
    weights[n + 4] = low[n] * z;
  }
}

template <class T> __device__ __forceinline__ u64 corner_offset(const Course<T>& course, int corner)
{
  const u64 dy = static_cast<u64>(course.shape[0] + 2 * MARGIN);
  const u64 dz = dy * static_cast<u64>(course.shape[1] + 2 * MARGIN);
  return (corner & 1 ? 1 : 0) + (corner & 2 ? dy : 0) + (corner & 4 ? dz : 0);
}

template <class T>
__device__ __forceinline__ void thesis(const Course<T>& course, const T* __restrict__ rows, const Place<T>& place,
                                       const T (&v)[3], Evaluated<T>& result)
{
  T corners[8], values[24];
  corner_weights(place.rest, corners);
  const u64 node = corner(course, place.whole);
#pragma unroll
  for (int k = 0; k < 24; ++k) values[k] = 0;
#pragma unroll
  for (int corner = 0; corner < 8; ++corner) {
    const T* at = rows + (node + corner_offset(course, corner)) * 24;
#pragma unroll
    for (int k = 0; k < 24; ++k) values[k] = multiply_add(corners[corner], at[k], values[k]);
  }
  T weights[6], tensor[6], slopes[3][6], along[6], turned[3], force[3], inverse[6];
  products(v, weights);
#pragma unroll
  for (int n = 0; n < 6; ++n) {
    tensor[n] = values[n];
    slopes[0][n] = values[6 + n];
    slopes[1][n] = values[12 + n];
    slopes[2][n] = values[18 + n];
    along[n] = multiply_add(slopes[2][n], v[2], multiply_add(slopes[1][n], v[1], slopes[0][n] * v[0]));
  }
  times(along, v, turned);
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    force[axis] = multiply_add(static_cast<T>(0.5), weighted(weights, slopes[axis]), -turned[axis]);
  }
  const T determinant = adjugate(tensor, inverse);
  times(tensor, force, result.acceleration);
  result.energy = weighted(weights, inverse) / determinant;
}

template <class T> __device__ __forceinline__ void spline_weights(T t, T (&w)[4], T (&d)[4])
{
  const T s = static_cast<T>(1) - t;
  const T sixth = static_cast<T>(1.0 / 6.0), half = static_cast<T>(0.5), two_thirds = static_cast<T>(2.0 / 3.0);
  const T s2 = s * s, t2 = t * t;
  w[0] = s2 * s * sixth;
  w[1] = multiply_add(t2, multiply_add(t, half, static_cast<T>(-1)), two_thirds);
  w[2] = multiply_add(s2, multiply_add(s, half, static_cast<T>(-1)), two_thirds);
  w[3] = t2 * t * sixth;
  d[0] = -(half * s2);
  d[1] = t * multiply_add(t, static_cast<T>(1.5), static_cast<T>(-2));
  d[2] = -(s * multiply_add(s, static_cast<T>(1.5), static_cast<T>(-2)));
  d[3] = half * t2;
}

// Interpolates all matrix elements at a position with cubic B-splines. If SLOPES is true, also computes their
// derivatives in x, y and z.
template <class T, bool SLOPES>
__device__ __forceinline__ void interpolate(const Course<T>& course, const T* __restrict__ rows, const Place<T>& place,
                                            T (&value)[6], T (&slopes)[3][6])
{
  T wx[4], dx[4], wy[4], dy[4], wz[4], dz[4];
  spline_weights(place.rest[0], wx, dx);
  spline_weights(place.rest[1], wy, dy);
  spline_weights(place.rest[2], wz, dz);
  const u64 stride_y = static_cast<u64>(course.shape[0] + 2 * MARGIN);
  const u64 stride_z = stride_y * static_cast<u64>(course.shape[1] + 2 * MARGIN);
  const u64 first = corner(course, place.whole) - 1 - stride_y - stride_z;
#pragma unroll
  for (int k = 0; k < 6; ++k) value[k] = slopes[0][k] = slopes[1][k] = slopes[2][k] = 0;
#pragma unroll 1
  for (int z = 0; z < 4; ++z) {
    T plane[3][6];
#pragma unroll
    for (int k = 0; k < 6; ++k) plane[0][k] = plane[1][k] = plane[2][k] = 0;
#pragma unroll
    for (int y = 0; y < 4; ++y) {
      const u64 begin = first + y * stride_y + z * stride_z;
      T line[6], slope[6];
#pragma unroll
      for (int x = 0; x < 4; ++x) {
        T row[8];
        read_row(rows, begin + x, row);
#pragma unroll
        for (int k = 0; k < 6; ++k) {
          line[k] = x == 0 ? wx[0] * row[k] : multiply_add(wx[x], row[k], line[k]);
          if (SLOPES) slope[k] = x == 0 ? dx[0] * row[k] : multiply_add(dx[x], row[k], slope[k]);
        }
      }
#pragma unroll
      for (int k = 0; k < 6; ++k) {
        plane[0][k] = multiply_add(wy[y], line[k], plane[0][k]);
        if (SLOPES) {
          plane[1][k] = multiply_add(wy[y], slope[k], plane[1][k]);
          plane[2][k] = multiply_add(dy[y], line[k], plane[2][k]);
        }
      }
    }
    const T w = z == 0 ? wz[0] : z == 1 ? wz[1] : z == 2 ? wz[2] : wz[3];
    const T d = z == 0 ? dz[0] : z == 1 ? dz[1] : z == 2 ? dz[2] : dz[3];
#pragma unroll
    for (int k = 0; k < 6; ++k) {
      value[k] = multiply_add(w, plane[0][k], value[k]);
      if (SLOPES) {
        slopes[0][k] = multiply_add(w, plane[1][k], slopes[0][k]);
        slopes[1][k] = multiply_add(w, plane[2][k], slopes[1][k]);
        slopes[2][k] = multiply_add(d, plane[0][k], slopes[2][k]);
      }
    }
  }
}

template <class T> __device__ __forceinline__ T divided_difference(T lambda, T mu, T a, T b)
{
  const T one = 1;
  const T difference = mu - lambda;
  const T square = difference * difference * static_cast<T>(0.25);
  T series = one;
#pragma unroll
  for (int n = Series<T>::SINE_TERMS; n >= 1; --n) {
    series = multiply_add(square * static_cast<T>(1.0 / (2 * n * (2 * n + 1))), series, one);
  }
  const T far = size(difference) > one ? difference : one;
  return size(difference) > one ? (a * a - b * b) / far : a * b * series;
}

template <class T>
__device__ __forceinline__ void exponential_of(const Course<T>& course, const T (&logarithm)[6], const T (&slopes)[3][6],
                                               const T (&v)[3], Evaluated<T>& result)
{
  T velocity[3], along[6], values[3], q[3][3];
  transformed(course.to_mm, v, velocity);
#pragma unroll
  for (int n = 0; n < 6; ++n) {
    along[n] = multiply_add(slopes[2][n], v[2], multiply_add(slopes[1][n], v[1], slopes[0][n] * v[0]));
  }
  eigensystem(logarithm, values, q);
  T h[3], w[3], turned[3][3], squares[3];
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    h[n] = exponential(values[n] * static_cast<T>(-0.5));
    w[n] = dot(q[n], velocity);
    times(along, q[n], turned[n]);
    squares[n] = h[n] * h[n];
  }
  const T psi[6] = {squares[0],
                    squares[1],
                    squares[2],
                    divided_difference(values[0], values[1], h[0], h[1]),
                    divided_difference(values[0], values[2], h[0], h[2]),
                    divided_difference(values[1], values[2], h[1], h[2])};
  const T k[6] = {psi[0] * w[0] * w[0], psi[1] * w[1] * w[1], psi[2] * w[2] * w[2],
                  psi[3] * w[0] * w[1], psi[4] * w[0] * w[2], psi[5] * w[1] * w[2]};
  T rows[3][3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const T column[3] = {q[0][axis], q[1][axis], q[2][axis]};
    T sums[3];
    times(k, column, sums);
#pragma unroll
    for (int n = 0; n < 3; ++n) rows[n][axis] = sums[n];
  }
  T kernel[6];
  const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
#pragma unroll
  for (int n = 0; n < 6; ++n) {
    const int a = first[n], b = second[n];
    const T element =
        multiply_add(q[2][a], rows[2][b], multiply_add(q[1][a], rows[1][b], q[0][a] * rows[0][b]));
    kernel[n] = n < 3 ? element : element + element;
  }
  const T half = static_cast<T>(0.5);
  const T of_voxels[3] = {half * weighted(kernel, slopes[0]), half * weighted(kernel, slopes[1]),
                          half * weighted(kernel, slopes[2])};
  const T* m = course.to_voxels;
  const T gradient[3] = {dot3(m[0], m[3], m[6], of_voxels), dot3(m[1], m[4], m[7], of_voxels),
                         dot3(m[2], m[5], m[8], of_voxels)};
  const T s[6] = {psi[0] * dot(q[0], turned[0]), psi[1] * dot(q[1], turned[1]), psi[2] * dot(q[2], turned[2]),
                  psi[3] * dot(q[0], turned[1]), psi[4] * dot(q[0], turned[2]), psi[5] * dot(q[1], turned[2])};
  T change[3], sum[3] = {0, 0, 0};
  times(s, w, change);
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const T push = (change[n] - dot(q[n], gradient)) / squares[n];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) sum[axis] = multiply_add(push, q[n][axis], sum[axis]);
  }
  transformed(course.to_voxels, sum, result.acceleration);
  result.energy = multiply_add(squares[2] * w[2], w[2], multiply_add(squares[1] * w[1], w[1], squares[0] * w[0] * w[0]));
}

template <class T, u32 FIELD>
__device__ __forceinline__ void evaluate(const Course<T>& course, const T* __restrict__ rows, Cell<T>& cell,
                                         const Place<T>& place, const T (&v)[3], Evaluated<T>& result)
{
  if (FIELD == TRILINEAR) {
    trilinear(course, rows, cell, place, v, result);
  } else if (FIELD == SPLINE) {
    T logarithm[6], slopes[3][6];
    interpolate<T, true>(course, rows, place, logarithm, slopes);
    exponential_of(course, logarithm, slopes, v, result);
  } else {
    thesis(course, rows, place, v, result);
  }
}

// Returns the energy of a ray in the metric with which connectivity is measured. This function is used if the
// rays follow a different metric.
template <class T, u32 FIELD>
__device__ __forceinline__ T plain_energy(const Course<T>& course, const T* __restrict__ rows, const Place<T>& place,
                                          const T (&v)[3])
{
  if (FIELD == SPLINE) {
    T logarithm[6], slopes[3][6], velocity[3], values[3], q[3][3];
    interpolate<T, false>(course, rows, place, logarithm, slopes);
    transformed(course.to_mm, v, velocity);
    eigensystem(logarithm, values, q);
    T energy = 0;
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      const T w = exponential(values[n] * static_cast<T>(-0.5)) * dot(q[n], velocity);
      energy = multiply_add(w, w, energy);
    }
    return energy;
  }
  T corners[8], weights[6], sum[6] = {0, 0, 0, 0, 0, 0};
  corner_weights(place.rest, corners);
  const u64 node = corner(course, place.whole);
#pragma unroll
  for (int corner = 0; corner < 8; ++corner) {
    T row[8];
    read_row(rows, node + corner_offset(course, corner), row);
#pragma unroll
    for (int k = 0; k < 6; ++k) sum[k] = multiply_add(corners[corner], row[k], sum[k]);
  }
  products(v, weights);
  return weighted(weights, sum);
}

// Computes the starting values of fits on the GPU. The file begin.rs describes the method and computes the
// same values on the CPU. Both files have the same operations in the same order, so change them together.
#pragma once
#include "linear.cuh"
#include "symmetric.cuh"

typedef unsigned char u8;

#define TENSOR_UNKNOWNS 7

// Input for computing the starting values that is the same for all voxels: numbers of voxels, measurements
// and parameter values.
struct BeginPlan {
  u64 voxels;
  u32 measurements, b0_count, row_count, numbers, fewest, needs_a_tensor;
};

// How one parameter value starts: the kind of its source (`what`), a vector component (0 to 2) for
// orientations, a constant starting value, and the bounds.
template <class T> struct BeginNumber {
  T value, low, high;
  u32 what, component;
};

// The kinds of sources of starting values. They equal the constants of cuda.rs.
#define BEGIN_VALUE 0u
#define BEGIN_ONE 1u
#define BEGIN_GIVEN 2u
#define BEGIN_S0 3u
#define BEGIN_MEAN 4u
#define BEGIN_AXIAL 5u
#define BEGIN_RADIAL 6u
#define BEGIN_VECTOR 7u
#define BEGIN_ELEMENT 10u

// The values of a voxel's fit status. They equal those of status.rs.
#define STATUS_OUTSIDE 0u
#define STATUS_CONVERGED 1u
#define STATUS_AT_BOUND 2u
#define STATUS_LIMIT 3u
#define STATUS_NO_SIGNAL 4u
#define STATUS_TOO_FEW 5u
#define STATUS_NO_MODEL 6u

template <class T> struct Tensor {
  T s0, elements[6], values[3], vectors[3][3];
};

template <class T> __device__ __forceinline__ T larger_of(T a, T b) { return a > b ? a : b; }
template <class T> __device__ __forceinline__ T smaller_of(T a, T b) { return a < b ? a : b; }
template <class T> __device__ __forceinline__ bool is_usable(T signal) { return size(signal) < endless<T>(); }

template <class T>
__device__ __forceinline__ void tensor_of(const BeginPlan& plan, const float* signals, T factor, const u32* places,
                                          const T* rows, Tensor<T>& tensor)
{
  T largest = T(0);
  for (u32 m = 0; m < plan.measurements; ++m) {
    const T signal = T(signals[m]) * factor;
    if (is_usable(signal)) largest = larger_of(signal, largest);
  }
  T least = largest * T(1e-4);
  least = least > T(0) ? least : T(1);
  T normal[TRIANGLE(TENSOR_UNKNOWNS, 0)], right[TENSOR_UNKNOWNS];
#pragma unroll
  for (int i = 0; i < TRIANGLE(TENSOR_UNKNOWNS, 0); ++i) normal[i] = T(0);
#pragma unroll
  for (int i = 0; i < TENSOR_UNKNOWNS; ++i) right[i] = T(0);
  for (u32 n = 0; n < plan.row_count; ++n) {
    const T* const row = rows + n * TENSOR_UNKNOWNS;
    const T measured = T(signals[places[n]]) * factor;
    const bool usable = is_usable(measured);
    const T signal = larger_of(usable ? measured : T(1), least);
    const T weight = (usable ? T(1) : T(0)) * (signal * signal);
    const T weighted = weight * logarithm(signal);
#pragma unroll
    for (int i = 0; i < TENSOR_UNKNOWNS; ++i) {
      right[i] = multiply_add(row[i], weighted, right[i]);
#pragma unroll
      for (int j = 0; j <= i; ++j) {
        normal[TRIANGLE(i, j)] = multiply_add(row[i] * row[j], weight, normal[TRIANGLE(i, j)]);
      }
    }
  }
  T scales[TENSOR_UNKNOWNS];
#pragma unroll
  for (int i = 0; i < TENSOR_UNKNOWNS; ++i) {
    const T diagonal = normal[TRIANGLE(i, i)];
    scales[i] = diagonal > T(0) ? T(1) / root(diagonal) : T(0);
#pragma unroll
    for (int j = 0; j < i; ++j) normal[TRIANGLE(i, j)] = normal[TRIANGLE(i, j)] * scales[i] * scales[j];
    normal[TRIANGLE(i, i)] = T(1.0 + 1e-5);
    right[i] = right[i] * scales[i];
  }
  Factors<T, TENSOR_UNKNOWNS> factors;
  factors.factorise(normal, T(1e-5));
  factors.solve(right);
#pragma unroll
  for (int n = 0; n < 6; ++n) tensor.elements[n] = right[1 + n] * scales[1 + n];
  tensor.s0 = exponential(right[0] * scales[0]);
  eigensystem(tensor.elements, tensor.values, tensor.vectors);
  const int firsts[3] = {0, 1, 0};
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const int a = firsts[n], b = a + 1;
    const T x = tensor.values[a], y = tensor.values[b];
    tensor.values[a] = y > x ? y : x;
    tensor.values[b] = y > x ? x : y;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const T of_a = tensor.vectors[a][axis], of_b = tensor.vectors[b][axis];
      tensor.vectors[a][axis] = y > x ? of_b : of_a;
      tensor.vectors[b][axis] = y > x ? of_a : of_b;
    }
  }
}

template <class T>
__device__ __forceinline__ void begin_voxel(const BeginPlan& plan, u64 voxel, const float* all_signals, const u32* b0,
                                            const u32* places, const T* rows, const BeginNumber<T>* beginnings,
                                            T* factors, T* squares, T* numbers, u32* usable_counts, u8* status)
{
  const float* const signals = all_signals + voxel * plan.measurements;
  u32 usable = 0;
  float largest = 0.0f;
  for (u32 m = 0; m < plan.measurements; ++m) {
    const float signal = signals[m];
    if (fabsf(signal) < endless<float>()) {
      ++usable;
      largest = signal > largest ? signal : largest;
    }
  }
  T sum = T(0), count = T(0);
  for (u32 n = 0; n < plan.b0_count; ++n) {
    const float signal = signals[b0[n]];
    if (fabsf(signal) < endless<float>()) {
      sum = sum + T(signal);
      count = count + T(1);
    }
  }
  const bool is_mean = sum > T(0) && sum < T(3.40282347e38f);
  const T scale = is_mean ? sum / count : T(largest);
  const T factor = scale > T(0) ? T(1) / scale : T(1);
  factors[voxel] = factor;
  usable_counts[voxel] = usable;
  status[voxel] = !(largest > 0.0f) ? STATUS_NO_SIGNAL : usable < plan.fewest ? STATUS_TOO_FEW : STATUS_OUTSIDE;
  T of_squares = T(0);
  for (u32 m = 0; m < plan.measurements; ++m) {
    const T measured = T(signals[m]) * factor;
    const T signal = is_usable(measured) ? measured : T(0);
    of_squares = multiply_add(signal, signal, of_squares);
  }
  squares[voxel] = of_squares;
  Tensor<T> tensor;
  if (plan.needs_a_tensor) tensor_of(plan, signals, factor, places, rows, tensor);
  for (u32 n = 0; n < plan.numbers; ++n) {
    const BeginNumber<T> number = beginnings[n];
    T value = number.value;
    if (number.what == BEGIN_GIVEN) continue;
    if (number.what == BEGIN_ONE) value = T(1);
    if (number.what == BEGIN_S0) value = tensor.s0;
    if (number.what == BEGIN_MEAN) value = (tensor.values[0] + tensor.values[1] + tensor.values[2]) * T(1.0 / 3.0);
    if (number.what == BEGIN_AXIAL) value = tensor.values[0];
    if (number.what == BEGIN_RADIAL) value = (tensor.values[1] + tensor.values[2]) * T(0.5);
    // Unrolled loops make all array indices constant, so that the arrays of each GPU thread stay in
    // registers.
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
#pragma unroll
      for (u32 axis = 0; axis < 3; ++axis) {
        if (number.what == BEGIN_VECTOR + k && number.component == axis) value = tensor.vectors[k][axis];
      }
    }
#pragma unroll
    for (u32 k = 0; k < 6; ++k) {
      if (number.what == BEGIN_ELEMENT + k) value = tensor.elements[k];
    }
    numbers[voxel * plan.numbers + n] = smaller_of(larger_of(value, number.low), number.high);
  }
}

// Operations on sums that all solvers on GPUs need, in addition to the products of their operator with
// vectors.
#include "cuda.cuh"
#include "reduction.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS REDUCTION_THREADS

// Block n of this launch adds up `blocks` partial sums, or takes their maximum. It writes the result to
// totals[n].
extern "C" __global__ void __launch_bounds__(THREADS)
    solver_total(u32 blocks, u32 maxima, const double* __restrict__ partials, double* totals) {
  const bool maximum = maxima >> blockIdx.x & 1u;
  const double* mine = partials + (u64)blockIdx.x * blocks;
  double all[1] = {0.0};
  for (u32 at = threadIdx.x; at < blocks; at += THREADS) all[0] = maximum ? larger(all[0], mine[at]) : all[0] + mine[at];
  __shared__ double shared[REDUCTION_WARPS];
#pragma unroll
  for (u32 distance = 16; distance > 0; distance /= 2) {
    const double other = __shfl_xor_sync(REDUCTION_ALL, all[0], distance);
    all[0] = maximum ? larger(all[0], other) : all[0] + other;
  }
  if ((threadIdx.x & 31u) == 0) shared[threadIdx.x >> 5] = all[0];
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = shared[0];
    for (u32 warp = 1; warp < REDUCTION_WARPS; ++warp) total = maximum ? larger(total, shared[warp]) : total + shared[warp];
    totals[blockIdx.x] = total;
  }
}

// Adds up pairs of squared norms (‖image‖², ‖data‖²). An operator has written one such pair for each of its
// blocks.
extern "C" __global__ void __launch_bounds__(THREADS)
    solver_norms(u32 count, const double* __restrict__ pairs, double* partials) {
  double sums[2] = {0.0, 0.0};
  for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
    sums[0] += pairs[2 * (u64)at];
    sums[1] += pairs[2 * (u64)at + 1];
  }
  leave(sums, 0u, partials);
}

// Computes the scale of 64-bit fixed-point sums, so that the sums stay below bound · largest. scale[0] is a
// power of two, and scale[1] is its reciprocal.
extern "C" __global__ void solver_scale(const double* __restrict__ largest, double bound, double* scale) {
  const double limit = bound * largest[0];
  if (limit == 0.0) {
    scale[0] = scale[1] = 1.0;
  } else if (!(limit < 1e300)) {
    // If the limit of the sums is not finite, the scale is NaN. All results are then NaN, which makes the
    // problem visible.
    scale[0] = scale[1] = __longlong_as_double(0x7ff8000000000000ll);
  } else {
    // Because of limit < 2^exponent, this scale keeps the sums below 2^62.
    const int exponent = (int)((u64)__double_as_longlong(limit) >> 52) - 1022;
    const int shift = min(62 - exponent, 1000);
    scale[0] = __longlong_as_double((long long)(1023 + shift) << 52);
    scale[1] = __longlong_as_double((long long)(1023 - shift) << 52);
  }
}

// Adds the fixed-point sums of another GPU to those of this GPU: sums += others.
extern "C" __global__ void __launch_bounds__(THREADS)
    solver_add(u32 count, u64* sums, const u64* __restrict__ others) {
  for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) sums[at] += others[at];
}

// Shrinks the norm of the unknowns in each group. A block of threads processes one group at a time. Writes
// partial sums of weight · norm after shrinking.
template <class T>
__device__ __forceinline__ void shrink_groups(
    u32 count, double length, const u32* __restrict__ starts, const u32* __restrict__ members,
    const double* __restrict__ weights, T* x, double* partials) {
  double penalty[1] = {0.0};
  for (u32 group = blockIdx.x; group < count; group += gridDim.x) {
    const u32 first = starts[group], last = starts[group + 1];
    double square = 0.0;
    for (u32 at = first + threadIdx.x; at < last; at += THREADS) {
      const double value = (double)x[members[at]];
      square = fma(value, value, square);
    }
    const double norm = sqrt(sum_of_block(square)), threshold = length * weights[group];
    const double factor = norm > threshold ? 1.0 - threshold / norm : 0.0;
    double after = 0.0;
    for (u32 at = first + threadIdx.x; at < last; at += THREADS) {
      const T value = (T)((double)x[members[at]] * factor);
      x[members[at]] = value;
      after = fma((double)value, (double)value, after);
    }
    const double rest = sqrt(sum_of_block(after));
    if (threadIdx.x == 0) penalty[0] += weights[group] * rest;
  }
  leave(penalty, 0u, partials);
}

#define GROUPS(T, SUFFIX)                                                                                              \
  extern "C" __global__ void __launch_bounds__(THREADS) solver_groups_##SUFFIX(                                        \
      u32 count, double length, const u32* __restrict__ starts, const u32* __restrict__ members,                       \
      const double* __restrict__ weights, T* x, double* partials) {                                                    \
    shrink_groups(count, length, starts, members, weights, x, partials);                                               \
  }
GROUPS(float, f32)
GROUPS(double, f64)

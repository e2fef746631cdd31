// What the non-negative solvers do with vectors of unknowns, beside the products of their operator.
//
// Each kernel goes over a vector once and leaves, per block, the sums it is asked for; `non_negative_total` adds those up
// in a fixed order, so that a run repeats to the bit.
#include "cuda.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS 256
#define WARPS (THREADS / 32)
#define ALL 0xffffffffu

__device__ __forceinline__ double larger(double a, double b) {
  // NaN wins: a vector that is not finite must not look small.
  return a > b || a != a ? a : b;
}

// The sum (or the largest) over the block of each thread's N values, written to partials[n * gridDim.x + blockIdx.x].
template <u32 N>
__device__ __forceinline__ void leave(double (&values)[N], u32 maxima, double* partials) {
  __shared__ double shared[N][WARPS];
#pragma unroll
  for (u32 n = 0; n < N; ++n) {
    const bool maximum = maxima >> n & 1u;
#pragma unroll
    for (u32 distance = 16; distance > 0; distance /= 2) {
      const double other = __shfl_xor_sync(ALL, values[n], distance);
      values[n] = maximum ? larger(values[n], other) : values[n] + other;
    }
    if ((threadIdx.x & 31u) == 0) shared[n][threadIdx.x >> 5] = values[n];
  }
  __syncthreads();
  if (threadIdx.x < N) {
    double all = shared[threadIdx.x][0];
    for (u32 warp = 1; warp < WARPS; ++warp) {
      const double other = shared[threadIdx.x][warp];
      all = maxima >> threadIdx.x & 1u ? larger(all, other) : all + other;
    }
    partials[(u64)threadIdx.x * gridDim.x + blockIdx.x] = all;
  }
}

// totals[n] = sum (or largest) of `blocks` partials, for block n of this launch.
extern "C" __global__ void __launch_bounds__(THREADS)
    non_negative_total(u32 blocks, u32 maxima, const double* __restrict__ partials, double* totals) {
  const bool maximum = maxima >> blockIdx.x & 1u;
  const double* mine = partials + (u64)blockIdx.x * blocks;
  double all[1] = {0.0};
  for (u32 at = threadIdx.x; at < blocks; at += THREADS) all[0] = maximum ? larger(all[0], mine[at]) : all[0] + mine[at];
  __shared__ double shared[WARPS];
#pragma unroll
  for (u32 distance = 16; distance > 0; distance /= 2) {
    const double other = __shfl_xor_sync(ALL, all[0], distance);
    all[0] = maximum ? larger(all[0], other) : all[0] + other;
  }
  if ((threadIdx.x & 31u) == 0) shared[threadIdx.x >> 5] = all[0];
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = shared[0];
    for (u32 warp = 1; warp < WARPS; ++warp) total = maximum ? larger(total, shared[warp]) : total + shared[warp];
    totals[blockIdx.x] = total;
  }
}

// Sums of the pairs (‖image‖², ‖data‖²) that an operator leaves for each of its blocks.
extern "C" __global__ void __launch_bounds__(THREADS)
    non_negative_norms(u32 count, const double* __restrict__ pairs, double* partials) {
  double sums[2] = {0.0, 0.0};
  for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
    sums[0] += pairs[2 * (u64)at];
    sums[1] += pairs[2 * (u64)at + 1];
  }
  leave(sums, 0u, partials);
}

// The scale of 64-bit fixed-point sums that stay below bound · largest: a power of two, and one over it.
extern "C" __global__ void non_negative_scale(const double* __restrict__ largest, double bound, double* scale) {
  const double limit = bound * largest[0];
  if (limit == 0.0) {
    scale[0] = scale[1] = 1.0;
  } else if (!(limit < 1e300)) {
    // Not finite: let it show in everything that is scaled.
    scale[0] = scale[1] = __longlong_as_double(0x7ff8000000000000ll);
  } else {
    // limit < 2^exponent, sums < 2^62.
    const int exponent = (int)((u64)__double_as_longlong(limit) >> 52) - 1022;
    const int shift = min(62 - exponent, 1000);
    scale[0] = __longlong_as_double((long long)(1023 + shift) << 52);
    scale[1] = __longlong_as_double((long long)(1023 - shift) << 52);
  }
}

// sums += others.
extern "C" __global__ void __launch_bounds__(THREADS)
    non_negative_add(u32 count, u64* sums, const u64* __restrict__ others) {
  for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) sums[at] += others[at];
}

// The component of the subspace gradient: 0 where the weight is 0 and the gradient would push it below.
template <class T>
__device__ __forceinline__ T free_part(T gradient, T weight) {
  return weight == T(0) && gradient > T(0) ? T(0) : gradient;
}

#define WHAT_GRADIENT 0u   // gradient = sums + l1
#define WHAT_CHANGE 1u     // gradient += sums
#define WHAT_CURVATURE 2u  // gradient stays

template <class T> struct Kernels {
  // weights ← [weights − length · direction]₊ and `taken`, the step this is (which may be the memory of the
  // direction). Leaves ‖taken‖² and the largest |taken|.
  static __device__ __forceinline__ void step(
      u32 count, double length, const T* direction, T* weights, T* taken, double* partials) {
    double facts[2] = {0.0, 0.0};
    for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      const T before = weights[at];
      const T moved = (T)((double)before - length * (double)direction[at]);
      const T after = moved < T(0) ? T(0) : moved;
      const T step = after - before;
      weights[at] = after;
      taken[at] = step;
      facts[0] = fma((double)step, (double)step, facts[0]);
      facts[1] = larger(fabs((double)step), facts[1]);
    }
    leave(facts, 2u, partials);
  }

  // direction = free part of the gradient. Leaves its norm² and its largest.
  static __device__ __forceinline__ void subspace(
      u32 count, const T* __restrict__ gradient, const T* __restrict__ weights, T* direction, double* partials) {
    double facts[2] = {0.0, 0.0};
    for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      const T part = free_part(gradient[at], weights[at]);
      direction[at] = part;
      facts[0] = fma((double)part, (double)part, facts[0]);
      facts[1] = larger(fabs((double)part), facts[1]);
    }
    leave(facts, 2u, partials);
  }

  // Takes the adjoint product out of its fixed-point sums, which become 0. Leaves: ‖product‖² over components that are
  // free (WHAT_CHANGE: where a step was taken), ‖free gradient‖², Σ weights, number of weights above 0.
  static __device__ __forceinline__ void collect(
      u32 count, u32 what, double l1, u64* sums, const u64* others, const double* __restrict__ scale, T* gradient,
      const T* __restrict__ weights, const T* __restrict__ taken, double* partials) {
    const double unit = scale[1];
    double facts[4] = {0.0, 0.0, 0.0, 0.0};
    for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      const long long fixed = (long long)(sums[at] + (others ? others[at] : 0ull));
      sums[at] = 0ull;
      const double product = (double)fixed * unit;
      const T weight = weights[at];
      T g = gradient[at];
      bool counts = !(weight == T(0) && g > T(0));
      if (what == WHAT_CHANGE) {
        counts = taken[at] != T(0);
        g += (T)product;
        gradient[at] = g;
      } else if (what == WHAT_GRADIENT) {
        g = (T)((double)(T)product + l1);
        gradient[at] = g;
      }
      if (counts) facts[0] = fma(product, product, facts[0]);
      const double part = (double)free_part(g, weight);
      facts[1] = fma(part, part, facts[1]);
      facts[2] += (double)weight;
      facts[3] += weight > T(0) ? 1.0 : 0.0;
    }
    leave(facts, 0u, partials);
  }

  // data ← data − measured, or −measured. Leaves ‖data‖² and the largest |data|.
  static __device__ __forceinline__ void residual(
      u64 count, u32 fresh, const T* __restrict__ measured, T* data, double* partials) {
    double facts[2] = {0.0, 0.0};
    for (u64 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += (u64)gridDim.x * THREADS) {
      const T r = (fresh ? data[at] : T(0)) - measured[at];
      data[at] = r;
      facts[0] = fma((double)r, (double)r, facts[0]);
      facts[1] = larger(fabs((double)r), facts[1]);
    }
    leave(facts, 2u, partials);
  }

  // Leaves Σ gradient · (before − now).
  static __device__ __forceinline__ void promised(
      u32 count, const T* __restrict__ gradient, const T* __restrict__ before, const T* __restrict__ now,
      double* partials) {
    double facts[1] = {0.0};
    for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      facts[0] = fma((double)gradient[at], (double)before[at] - (double)now[at], facts[0]);
    }
    leave(facts, 0u, partials);
  }
};

#define FAMILY(T, SUFFIX)                                                                                              \
  extern "C" __global__ void __launch_bounds__(THREADS) non_negative_step_##SUFFIX(                                    \
      u32 count, double length, const T* direction, T* weights, T* taken, double* partials) {             \
    Kernels<T>::step(count, length, direction, weights, taken, partials);                                              \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS) non_negative_subspace_##SUFFIX(                                \
      u32 count, const T* __restrict__ gradient, const T* __restrict__ weights, T* direction, double* partials) {      \
    Kernels<T>::subspace(count, gradient, weights, direction, partials);                                               \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS) non_negative_collect_##SUFFIX(                                 \
      u32 count, u32 what, double l1, u64* sums, const u64* others, const double* __restrict__ scale, T* gradient,     \
      const T* __restrict__ weights, const T* __restrict__ taken, double* partials) {                                  \
    Kernels<T>::collect(count, what, l1, sums, others, scale, gradient, weights, taken, partials);                     \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS) non_negative_residual_##SUFFIX(                                \
      u64 count, u32 fresh, const T* __restrict__ measured, T* data, double* partials) {                               \
    Kernels<T>::residual(count, fresh, measured, data, partials);                                                      \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS) non_negative_promised_##SUFFIX(                                \
      u32 count, const T* __restrict__ gradient, const T* __restrict__ before, const T* __restrict__ now,              \
      double* partials) {                                                                                              \
    Kernels<T>::promised(count, gradient, before, now, partials);                                                      \
  }
FAMILY(float, f32)
FAMILY(double, f64)

// Vector operations of the solvers for non-negative least squares on a GPU, in addition to the products with
// their operator.
//
// Each kernel processes a vector once and writes partial sums, one for each block. The kernel `solver_total`
// adds up the partial sums.
#include "cuda.cuh"
#include "reduction.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS REDUCTION_THREADS

// Returns an element of the free gradient (subspace gradient). The element is 0 if the weight is 0 and a step
// would make the weight negative. If not, it is the element of the gradient.
template <class T>
__device__ __forceinline__ T free_part(T gradient, T weight) {
  return weight == T(0) && gradient > T(0) ? T(0) : gradient;
}

#define WHAT_GRADIENT 0u   // computes gradient = sums + l1
#define WHAT_CHANGE 1u     // computes gradient += sums
#define WHAT_CURVATURE 2u  // leaves the gradient unchanged

template <class T> struct Kernels {
  // Computes weights ← [weights − length · direction]₊ and stores the change of the weights in `taken`.
  // `taken` may be the same memory as `direction`. Writes partial results of ‖taken‖² and of the largest
  // |taken|.
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

  // Stores the free part of the gradient in `direction`. Writes partial results of its squared norm and of
  // the largest magnitude of its elements.
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

  // Converts a product with Aᵀ from its fixed-point sums to floating point, and sets these sums to 0. Writes
  // partial sums of ‖product‖² over the free components, ‖free gradient‖², Σ weights, and the number of
  // weights above 0. For WHAT_CHANGE, the first sum is over the components that moved instead. If `fixed` is
  // not null and is not 0 for a component, the product of this component is set to 0, so that the weight
  // stays 0.
  static __device__ __forceinline__ void collect(
      u32 count, u32 what, double l1, u64* sums, const u64* others, const double* __restrict__ scale,
      const unsigned char* fixed, T* gradient, const T* __restrict__ weights, const T* __restrict__ taken,
      double* partials) {
    const double unit = scale[1];
    double facts[4] = {0.0, 0.0, 0.0, 0.0};
    for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      const long long sum = (long long)(sums[at] + (others ? others[at] : 0ull));
      sums[at] = 0ull;
      const double product = fixed && fixed[at] != 0 ? 0.0 : (double)sum * unit;
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

  // Computes data ← data − measured. If `fresh` is 0, computes data ← −measured instead. Writes partial
  // results of ‖data‖² and of the largest |data|.
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

  // Writes partial sums of the inner product Σ gradient · (before − now).
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
      u32 count, u32 what, double l1, u64* sums, const u64* others, const double* __restrict__ scale,                  \
      const unsigned char* fixed, T* gradient, const T* __restrict__ weights, const T* __restrict__ taken,             \
      double* partials) {                                                                                              \
    Kernels<T>::collect(count, what, l1, sums, others, scale, fixed, gradient, weights, taken, partials);              \
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

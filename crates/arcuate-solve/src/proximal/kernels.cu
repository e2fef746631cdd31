// Vector operations of the solver FISTA on a GPU, in addition to the products with its operator. Each kernel
// processes a vector once and writes partial sums, one for each block.
#include "cuda.cuh"
#include "reduction.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS REDUCTION_THREADS

// Returns the extrapolated value now + momentum · (now − before), where `before` is the previous value.
template <class T>
__device__ __forceinline__ double extrapolated(T now, T before, double momentum) {
  return (double)now + momentum * ((double)now - (double)before);
}

// If `non_negative` is true, returns [v − threshold]₊. If not, moves v towards 0 by the threshold, from
// either side.
__device__ __forceinline__ double shrink(double v, double threshold, bool non_negative) {
  if (non_negative) return v - threshold > 0.0 ? v - threshold : 0.0;
  return fabs(v) <= threshold ? 0.0 : v > 0.0 ? v - threshold : v + threshold;
}

template <class T> struct Kernels {
  // Computes next = shrink(z − length · gradient(z)) without penalties on groups. The pointer `l1` may be
  // null.
  static __device__ __forceinline__ void step(
      u32 count, double length, double momentum, u32 non_negative, const T* __restrict__ now,
      const T* __restrict__ before, const T* __restrict__ gradient, const T* __restrict__ gradient_before,
      const T* l1, T* next) {
    for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      const double z = extrapolated(now[at], before[at], momentum);
      const double slope = extrapolated(gradient[at], gradient_before[at], momentum);
      const double threshold = l1 ? length * (double)l1[at] : 0.0;
      next[at] = (T)shrink(z - length * slope, threshold, non_negative != 0u);
    }
  }

  // Shrinks the norm of the unknowns in each group. A block of threads processes one group at a time. Writes
  // partial sums of weight · norm after shrinking.
  static __device__ __forceinline__ void groups(
      u32 count, double length, const u32* __restrict__ starts, const u32* __restrict__ members,
      const double* __restrict__ weights, T* next, double* partials) {
    double facts[1] = {0.0};
    for (u32 group = blockIdx.x; group < count; group += gridDim.x) {
      const u32 first = starts[group], last = starts[group + 1];
      double square = 0.0;
      for (u32 at = first + threadIdx.x; at < last; at += THREADS) {
        const double x = (double)next[members[at]];
        square = fma(x, x, square);
      }
      const double norm = sqrt(sum_of_block(square)), threshold = length * weights[group];
      const double factor = norm > threshold ? 1.0 - threshold / norm : 0.0;
      double after = 0.0;
      for (u32 at = first + threadIdx.x; at < last; at += THREADS) {
        const T x = (T)((double)next[members[at]] * factor);
        next[members[at]] = x;
        after = fma((double)x, (double)x, after);
      }
      const double rest = sqrt(sum_of_block(after));
      if (threadIdx.x == 0) facts[0] += weights[group] * rest;
    }
    leave(facts, 0u, partials);
  }

  // Writes partial sums for the step s = next − z: ‖s‖², −⟨s, next − now⟩, Σ l1 |next|, and the number of
  // non-zero components of `next`.
  static __device__ __forceinline__ void moved(
      u32 count, double momentum, const T* __restrict__ now, const T* __restrict__ before, const T* __restrict__ next,
      const T* l1, double* partials) {
    double facts[4] = {0.0, 0.0, 0.0, 0.0};
    for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      const double x = (double)next[at];
      const double step = x - extrapolated(now[at], before[at], momentum);
      facts[0] = fma(step, step, facts[0]);
      facts[1] = fma(-step, x - (double)now[at], facts[1]);
      if (x != 0.0) {
        // If an unknown must stay 0, its penalty is infinite. Components that are 0 are therefore skipped.
        if (l1) facts[2] = fma((double)l1[at], fabs(x), facts[2]);
        facts[3] += 1.0;
      }
    }
    leave(facts, 0u, partials);
  }

  // Computes next ← next − measured, which turns a product A x into a residual. Writes partial results of
  // ‖next − r(z)‖², ‖next‖² and the largest |next|.
  static __device__ __forceinline__ void residual(
      u64 count, double momentum, const T* __restrict__ measured, const T* __restrict__ now,
      const T* __restrict__ before, T* next, double* partials) {
    double facts[3] = {0.0, 0.0, 0.0};
    for (u64 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += (u64)gridDim.x * THREADS) {
      const T r = next[at] - measured[at];
      next[at] = r;
      const double image = (double)r - extrapolated(now[at], before[at], momentum);
      facts[0] = fma(image, image, facts[0]);
      facts[1] = fma((double)r, (double)r, facts[1]);
      facts[2] = larger(fabs((double)r), facts[2]);
    }
    leave(facts, 4u, partials);
  }

  // Converts the gradient from its fixed-point sums to floating point, and sets these sums to 0.
  static __device__ __forceinline__ void gradient(
      u32 count, u64* sums, const u64* others, const double* __restrict__ scale, T* gradient) {
    const double unit = scale[1];
    for (u32 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      const long long fixed = (long long)(sums[at] + (others ? others[at] : 0ull));
      sums[at] = 0ull;
      gradient[at] = (T)((double)fixed * unit);
    }
  }
};

#define FAMILY(T, SUFFIX)                                                                                              \
  extern "C" __global__ void __launch_bounds__(THREADS) proximal_step_##SUFFIX(                                        \
      u32 count, double length, double momentum, u32 non_negative, const T* __restrict__ now,                          \
      const T* __restrict__ before, const T* __restrict__ gradient, const T* __restrict__ gradient_before,             \
      const T* l1, T* next) {                                                                                          \
    Kernels<T>::step(count, length, momentum, non_negative, now, before, gradient, gradient_before, l1, next);         \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS) proximal_groups_##SUFFIX(                                      \
      u32 count, double length, const u32* __restrict__ starts, const u32* __restrict__ members,                       \
      const double* __restrict__ weights, T* next, double* partials) {                                                 \
    Kernels<T>::groups(count, length, starts, members, weights, next, partials);                                       \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS) proximal_moved_##SUFFIX(                                       \
      u32 count, double momentum, const T* __restrict__ now, const T* __restrict__ before,                             \
      const T* __restrict__ next, const T* l1, double* partials) {                                                     \
    Kernels<T>::moved(count, momentum, now, before, next, l1, partials);                                               \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS) proximal_residual_##SUFFIX(                                    \
      u64 count, double momentum, const T* __restrict__ measured, const T* __restrict__ now,                           \
      const T* __restrict__ before, T* next, double* partials) {                                                       \
    Kernels<T>::residual(count, momentum, measured, now, before, next, partials);                                      \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS) proximal_gradient_##SUFFIX(                                    \
      u32 count, u64* sums, const u64* others, const double* __restrict__ scale, T* gradient) {                        \
    Kernels<T>::gradient(count, sums, others, scale, gradient);                                                        \
  }
FAMILY(float, f32)
FAMILY(double, f64)

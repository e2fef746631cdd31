// Vector operations of the method of conjugate gradients on a GPU. In each iteration, three kernels process
// the vectors, in addition to the products with the operator. Each of these kernels writes one partial sum
// per block, and the kernel `solver_total` adds up the partial sums. Scalars stay on the GPU.
#include "cuda.cuh"
#include "reduction.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS REDUCTION_THREADS

// The inner products that a kernel computes when it processes the vectors x and r: r·r, x·b, x·r and x·x.
struct Sums {
  double of[4];
  __device__ __forceinline__ Sums() : of{0.0, 0.0, 0.0, 0.0} {}
  __device__ __forceinline__ void add(double x, double r, double b) {
    of[0] = fma(r, r, of[0]);
    of[1] = fma(x, b, of[1]);
    of[2] = fma(x, r, of[2]);
    of[3] = fma(x, x, of[3]);
  }
};

template <class T> struct Kernels {
  // Computes residual = right_side − image. If the pointer `image` is null, the residual is the right side.
  // Sets the search direction to the residual.
  static __device__ __forceinline__ void begin(
      u64 count, const T* __restrict__ right_side, const T* __restrict__ image, const T* __restrict__ x, T* residual, T* direction,
      double* partials) {
    Sums sums;
    for (u64 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      const T b = right_side[at], r = image ? b - image[at] : b;
      residual[at] = r;
      direction[at] = r;
      sums.add((double)x[at], (double)r, (double)b);
    }
    leave(sums.of, 0u, partials);
  }

  // Computes image += lambda · penalty; the pointer `penalty` may be null. Writes partial sums of the inner
  // product direction · image.
  static __device__ __forceinline__ void curvature(
      u64 count, double lambda, const T* __restrict__ direction, const T* penalty, T* image, double* partials) {
    double sum[1] = {0.0};
    for (u64 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      T q = image[at];
      if (penalty) {
        q = (T)((double)q + lambda * (double)penalty[at]);
        image[at] = q;
      }
      sum[0] = fma((double)direction[at], (double)q, sum[0]);
    }
    leave(sum, 0u, partials);
  }

  // Computes x += length · direction and residual −= length · image, with length = r·r / curvature. If this
  // length is not positive and finite, x and the residual do not change, and r·r becomes NaN.
  static __device__ __forceinline__ void step(
      u64 count, const double* __restrict__ square, const double* __restrict__ curvature, const T* __restrict__ right_side,
      const T* __restrict__ direction, const T* __restrict__ image, T* x, T* residual, double* partials) {
    const double length = square[0] / curvature[0];
    const bool moves = length > 0.0 && length <= 1.7976931348623157e308;
    Sums sums;
    for (u64 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      if (moves) {
        const T new_x = (T)((double)x[at] + length * (double)direction[at]);
        const T new_r = (T)((double)residual[at] - length * (double)image[at]);
        x[at] = new_x;
        residual[at] = new_r;
        sums.add((double)new_x, (double)new_r, (double)right_side[at]);
      }
    }
    if (!moves) sums.of[0] = __longlong_as_double(0x7ff8000000000000ll);
    leave(sums.of, 0u, partials);
  }

  // Computes the next search direction: direction = residual + next / square · direction.
  static __device__ __forceinline__ void turn(
      u64 count, const double* __restrict__ square, const double* __restrict__ next, const T* __restrict__ residual, T* direction) {
    const double keep = next[0] / square[0];
    for (u64 at = blockIdx.x * THREADS + threadIdx.x; at < count; at += gridDim.x * THREADS) {
      direction[at] = (T)((double)residual[at] + keep * (double)direction[at]);
    }
  }
};

#define FAMILY(T, NAME)                                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS) gradients_begin_##NAME(                                      \
        u64 count, const T* __restrict__ right_side, const T* __restrict__ image, const T* __restrict__ x,             \
        T* residual, T* direction, double* partials) {                                                                 \
      Kernels<T>::begin(count, right_side, image, x, residual, direction, partials);                                   \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS) gradients_curvature_##NAME(                                  \
        u64 count, double lambda, const T* __restrict__ direction, const T* penalty, T* image, double* partials) {     \
      Kernels<T>::curvature(count, lambda, direction, penalty, image, partials);                                       \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS) gradients_step_##NAME(                                       \
        u64 count, const double* __restrict__ square, const double* __restrict__ curvature,                            \
        const T* __restrict__ right_side, const T* __restrict__ direction, const T* __restrict__ image, T* x,          \
        T* residual, double* partials) {                                                                               \
      Kernels<T>::step(count, square, curvature, right_side, direction, image, x, residual, partials);                 \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS) gradients_turn_##NAME(                                       \
        u64 count, const double* __restrict__ square, const double* __restrict__ next, const T* __restrict__ residual, \
        T* direction) {                                                                                                \
      Kernels<T>::turn(count, square, next, residual, direction);                                                      \
    }
FAMILY(float, f32)
FAMILY(double, f64)

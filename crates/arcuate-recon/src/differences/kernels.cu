// Computes the product with WᵀW, where W computes weighted differences between neighbouring voxels. Each
// thread computes one voxel. The operations and their order are the same as on the CPU.
#include "cuda.cuh"
#include "dft.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS 256

// Number of voxels of the image, and the distance in memory between neighbouring voxels, for each axis with
// more than one voxel.
struct DifferencesPlan {
  u64 voxels, step_0, step_1, step_2, axes;
};

template <class T>
__device__ __forceinline__ void normal(const DifferencesPlan& plan, const T* weights, const Complex<T>* x, Complex<T>* out) {
  const u64 here = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (here >= plan.voxels) return;
  const Complex<T> middle = x[here];
  Complex<T> sum = {T(0), T(0)};
  for (u32 axis = 0; axis < plan.axes; ++axis) {
    const u64 step = axis == 0 ? plan.step_0 : axis == 1 ? plan.step_1 : plan.step_2;
    const T* const of_axis = weights + axis * plan.voxels;
    // For the last voxel of an image row, the weight of the difference is 0, so that the value of `next` does
    // not matter.
    const T ahead = of_axis[here];
    const Complex<T> next = here + step < plan.voxels ? x[here + step] : middle;
    sum = sum - ahead * (ahead * (next - middle));
    if (here >= step) {
      const T behind = of_axis[here - step];
      sum = sum + behind * (behind * (middle - x[here - step]));
    }
  }
  out[here] = sum;
}

#define FAMILY(T, NAME)                                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS) differences_normal_##NAME(                                   \
        DifferencesPlan plan, const T* __restrict__ weights, const T* __restrict__ x, T* out) {                        \
      normal(plan, weights, reinterpret_cast<const Complex<T>*>(x), reinterpret_cast<Complex<T>*>(out));               \
    }
FAMILY(float, f32)
FAMILY(double, f64)

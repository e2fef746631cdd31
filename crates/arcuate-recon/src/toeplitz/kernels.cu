// Last step of the computation of a spectrum: takes twice the real part of the transform of the lags. In
// memory, the lags begin at the smallest (negative) lag instead of at 0, which adds a phase to the transform.
#include "cuda.cuh"
#include "dft.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS 256

// Number of values in the planes of constant x that this launch processes, and index `first_x` of the first
// plane. Lengths of the doubled grid along x and z, and smallest lags along both axes.
struct SpectrumPlan {
  u64 count;
  u32 length_x, length_z, plane, first_x, lag_x, lag_z;
};

template <class T>
__device__ __forceinline__ void spectrum(
    const SpectrumPlan& plan, T factor, const Complex<T>* of_x, const Complex<T>* of_z, const Complex<T>* values, T* out) {
  const u64 at = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= plan.count) return;
  const u32 x = plan.first_x + (u32)(at / plan.plane), z = (u32)(at % plan.length_z);
  const Complex<T> turn = conjugate(of_x[(u64)x * plan.lag_x % plan.length_x] * of_z[(u64)z * plan.lag_z % plan.length_z]);
  out[at] = factor * (turn * values[at]).re;
}

// Halves the values of the Toeplitz kernel at the lags with y = 0 (a lag is the difference between two voxel
// positions). These are `count` complex numbers in rows of `row` numbers. The beginnings of the rows are
// `stride` numbers apart.
template <class T> __device__ __forceinline__ void halve(u64 count, u64 row, u64 stride, Complex<T>* lags) {
  const u64 at = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= count) return;
  Complex<T>* const lag = lags + at / row * stride + at % row;
  *lag = T(0.5) * *lag;
}

// `of_x` and `of_z` hold e^(−2πi n / length) for n from 0 to length − 1.
#define FAMILY(T, NAME)                                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS) toeplitz_spectrum_##NAME(                                    \
        SpectrumPlan plan, T factor, const T* __restrict__ of_x, const T* __restrict__ of_z,                           \
        const T* __restrict__ values, T* out) {                                                                        \
      typedef const Complex<T>* From;                                                                                  \
      spectrum(plan, factor, reinterpret_cast<From>(of_x), reinterpret_cast<From>(of_z),                               \
               reinterpret_cast<From>(values), out);                                                                   \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS) toeplitz_halve_##NAME(                                       \
        u64 count, u64 row, u64 stride, T* lags) {                                                                     \
      halve(count, row, stride, reinterpret_cast<Complex<T>*>(lags));                                                  \
    }
FAMILY(float, f32)
FAMILY(double, f64)

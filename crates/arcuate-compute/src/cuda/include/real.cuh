// Functions of numbers in single and double precision, bit-identical to `numbers::Real`.
#pragma once
#include "cuda.cuh"
#include "elementary.cuh"
#include "elementary_single.cuh"
#include "precision.cuh"

__device__ __forceinline__ float root(float x) { return sqrtf(x); }
__device__ __forceinline__ double root(double x) { return sqrt(x); }
__device__ __forceinline__ float size(float x) { return fabsf(x); }
__device__ __forceinline__ double size(double x) { return fabs(x); }
__device__ __forceinline__ float whole_of(float x) { return floorf(x); }
__device__ __forceinline__ double whole_of(double x) { return floor(x); }
__device__ __forceinline__ float exponential(float x) { return single_exp(x); }
__device__ __forceinline__ double exponential(double x) { return elementary_exp(x); }
__device__ __forceinline__ float inverse_root(float x) { return single_inverse_root(x); }
__device__ __forceinline__ float decay(float x) { return single_decay(x); }
__device__ __forceinline__ double decay(double x) { return elementary_exp(x); }
__device__ __forceinline__ float logarithm(float x) { return single_ln(x); }
__device__ __forceinline__ double logarithm(double x) { return elementary_ln(x); }

__device__ __forceinline__ void sin_cos_of_turns(float turns, float* sin_of, float* cos_of)
{
    single_sin_cos_turns(turns, sin_of, cos_of);
}
__device__ __forceinline__ void sin_cos_of_turns(double turns, double* sin_of, double* cos_of)
{
    elementary_sin_cos_turns(turns, sin_of, cos_of);
}

template <class T> __device__ __forceinline__ T endless();
template <> __device__ __forceinline__ float endless<float>() { return __uint_as_float(0x7f800000u); }
template <> __device__ __forceinline__ double endless<double>() { return __longlong_as_double(0x7ff0000000000000ll); }

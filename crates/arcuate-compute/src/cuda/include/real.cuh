// Functions of numbers of either precision, with the bits of `lanes::Real`.
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
__device__ __forceinline__ float logarithm(float x) { return single_ln(x); }
__device__ __forceinline__ double logarithm(double x) { return elementary_ln(x); }

// Code that all deconvolution kernels share. It runs before and after the fit of each voxel.
#pragma once
#include "dense.cuh"

// The result of the fit of a voxel. The values are the indices of the variants of `VoxelFit`.
#define CONVERGED 0u
#define UNCONVERGED 1u
#define UNFITTED 2u

// Returns true to all threads of a block if a measurement of the voxel is infinite or NaN. All threads have
// finished the preceding voxel when the function returns.
__device__ __forceinline__ bool is_unfit(const float* measured, u32 count, u32 threads) {
  bool is_wrong = false;
  for (u32 m = threadIdx.x; m < count; m += threads) is_wrong |= (__float_as_uint(measured[m]) & 0x7f800000u) == 0x7f800000u;
  return __syncthreads_or(is_wrong);
}

// Writes the coefficients of the voxel in single precision, and the result of its fit.
__device__ __forceinline__ void leave(
    u32 voxel, u32 end, const double* found, u32 count, u32 threads, float* coefficients, u32* ends) {
  for (u32 c = threadIdx.x; c < count; c += threads) {
    coefficients[(u64)voxel * count + c] = end == UNFITTED ? 0.f : (float)found[c];
  }
  if (threadIdx.x == 0) ends[voxel] = end;
}

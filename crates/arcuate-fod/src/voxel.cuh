// What the blocks of all deconvolutions do with their voxel, before and after the fit.
#pragma once
#include "dense.cuh"

// How a fit ended: the places of `VoxelFit`.
#define CONVERGED 0u
#define UNCONVERGED 1u
#define UNFITTED 2u

// Whether a measurement of the voxel is not finite, known to all threads of a block; none of them is at the voxel before any more.
__device__ __forceinline__ bool is_unfit(const float* measured, u32 count, u32 threads) {
  bool is_wrong = false;
  for (u32 m = threadIdx.x; m < count; m += threads) is_wrong |= (__float_as_uint(measured[m]) & 0x7f800000u) == 0x7f800000u;
  return __syncthreads_or(is_wrong);
}

// Leaves the coefficients of the voxel, in single precision, and how its fit ended.
__device__ __forceinline__ void leave(
    u32 voxel, u32 end, const double* found, u32 count, u32 threads, float* coefficients, u32* ends) {
  for (u32 c = threadIdx.x; c < count; c += threads) {
    coefficients[(u64)voxel * count + c] = end == UNFITTED ? 0.f : (float)found[c];
  }
  if (threadIdx.x == 0) ends[voxel] = end;
}

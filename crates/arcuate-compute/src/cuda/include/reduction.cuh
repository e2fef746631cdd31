// Sums over vectors in a fixed order, so that repeated runs are bit-identical. Each thread block of a kernel launch
// writes partial sums, and a second launch adds them. Blocks have REDUCTION_THREADS threads.
#pragma once

#define REDUCTION_THREADS 256
#define REDUCTION_WARPS (REDUCTION_THREADS / 32)
#define REDUCTION_ALL 0xffffffffu

__device__ __forceinline__ double larger(double a, double b) {
  // NaN counts as the largest value, so that the maximum over a vector with NaN is never small.
  return a > b || a != a ? a : b;
}

// Returns the sum of `value` over all threads of the block, to each of these threads. All threads of the block must
// call this function.
__device__ __forceinline__ double sum_of_block(double value) {
  __shared__ double shared[REDUCTION_WARPS];
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(REDUCTION_ALL, value, distance);
  if ((threadIdx.x & 31u) == 0) shared[threadIdx.x >> 5] = value;
  __syncthreads();
  double all = shared[0];
  for (unsigned warp = 1; warp < REDUCTION_WARPS; ++warp) all += shared[warp];
  // All threads of the block wait here, because the next call writes to the same shared memory.
  __syncthreads();
  return all;
}

// Reduces each of N values over all threads of the block and writes the results to partials[n * gridDim.x +
// blockIdx.x]. If bit n of `maxima` is set, the result for value n is the maximum; if not, it is the sum.
template <unsigned N>
__device__ __forceinline__ void leave(double (&values)[N], unsigned maxima, double* partials) {
  __shared__ double shared[N][REDUCTION_WARPS];
#pragma unroll
  for (unsigned n = 0; n < N; ++n) {
    const bool maximum = maxima >> n & 1u;
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) {
      const double other = __shfl_xor_sync(REDUCTION_ALL, values[n], distance);
      values[n] = maximum ? larger(values[n], other) : values[n] + other;
    }
    if ((threadIdx.x & 31u) == 0) shared[n][threadIdx.x >> 5] = values[n];
  }
  __syncthreads();
  if (threadIdx.x < N) {
    double all = shared[threadIdx.x][0];
    for (unsigned warp = 1; warp < REDUCTION_WARPS; ++warp) {
      const double other = shared[threadIdx.x][warp];
      all = maxima >> threadIdx.x & 1u ? larger(all, other) : all + other;
    }
    partials[(unsigned long long)threadIdx.x * gridDim.x + blockIdx.x] = all;
  }
}

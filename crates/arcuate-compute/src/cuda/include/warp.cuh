// Operations that the 32 threads (lanes) of a GPU warp perform together.
#pragma once

// Mask of all 32 lanes.
#define ALL 0xffffffffu

// Each lane has N values. The function divides the lanes into groups of neighbouring lanes and sums each of the N
// values over each group. The first lane of a group gets the sums; the other lanes get meaningless values. `heads` has
// a 1 bit for the first lane of each group, including lane 0.
template <class T, unsigned N>
__device__ __forceinline__ void sum_runs(unsigned lane, unsigned heads, T (&values)[N]) {
  if (heads == ALL) return;
  const unsigned later = lane == 31 ? 0u : heads >> (lane + 1) << (lane + 1);
  const unsigned end = later ? __ffs(later) - 1 : 32u;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
#pragma unroll
    for (unsigned n = 0; n < N; ++n) {
      const T other = __shfl_down_sync(ALL, values[n], distance);
      if (lane + distance < end) values[n] += other;
    }
  }
}

// What the lanes of a warp do together.
#pragma once

// Every lane.
#define ALL 0xffffffffu

// Sums over runs of lanes, of each of a lane's N values: a run's sums go to its first lane. `heads` has a bit for each
// lane that a run begins with; lane 0 is one. What other lanes are left with means nothing.
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

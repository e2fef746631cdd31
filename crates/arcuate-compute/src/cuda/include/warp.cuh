// Operations of all lanes of a warp together.
#pragma once

// Mask of all 32 lanes.
#define ALL 0xffffffffu

// Sums each of a lane's N values over runs of neighbouring lanes. The first lane of a run gets the sums. `heads` has a
// bit for each lane that begins a run, which includes lane 0. The other lanes get meaningless values.
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

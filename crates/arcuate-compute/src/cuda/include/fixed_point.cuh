// Sums in 64-bit fixed point, which are bit-identical in any order.
#pragma once

// Adds `value` to the sum *sum, which is stored as an integer number of units of size 1 / scale.
__device__ __forceinline__ void add_fixed(unsigned long long* sum, double value, double scale) {
  const long long fixed = __double2ll_rn(value * scale);
  if (fixed != 0) atomicAdd(sum, (unsigned long long)fixed);
}

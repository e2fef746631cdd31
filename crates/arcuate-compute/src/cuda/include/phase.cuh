// Phases as 32-bit fractions of a turn. Integer overflow removes whole turns.
#pragma once

#include "elementary_single.cuh"

// Computes sine and cosine of a phase with the hardware functions, whose error is at most 4.2e-7 for these angles. The
// conversion to radians has an error of at most 2.8e-7.
__device__ __forceinline__ void phase_sin_cos_fast(int phase, float* sine, float* cosine) {
  __sincosf((float)phase * 1.4629180792671596e-9f, sine, cosine);
}

// Computes sine and cosine of a phase within one unit in the last place, after the phase is rounded to 24 bits.
__device__ __forceinline__ void phase_sin_cos(int phase, float* sine, float* cosine) {
  single_sin_cos_turns((float)phase * 2.3283064365386963e-10f, sine, cosine);
}

// Phases as 32-bit fractions of a turn. Integer overflow removes whole turns.
#pragma once

#include "elementary_single.cuh"

// Computes sine and cosine of a phase with the GPU's hardware functions, whose error is at most 4.2e-7 for angles from
// -pi to pi. The conversion of the phase to radians has an error of at most 2.8e-7.
__device__ __forceinline__ void phase_sin_cos_fast(int phase, float* sine, float* cosine) {
  __sincosf((float)phase * 1.4629180792671596e-9f, sine, cosine);
}

// Rounds a phase to 24 bits and computes its sine and cosine with an error of at most one unit in the last place.
__device__ __forceinline__ void phase_sin_cos(int phase, float* sine, float* cosine) {
  single_sin_cos_turns((float)phase * 2.3283064365386963e-10f, sine, cosine);
}

// Phases as 32-bit fractions of a turn, of which whole turns go by themselves.
#pragma once

#include "elementary_single.cuh"

// Sine and cosine by the hardware's functions, which are within 4.2e-7 there; the angle is within 2.8e-7.
__device__ __forceinline__ void phase_sin_cos_fast(int phase, float* sine, float* cosine) {
  __sincosf((float)phase * 1.4629180792671596e-9f, sine, cosine);
}

// The same within a unit of the last place, of a phase rounded to 24 bits.
__device__ __forceinline__ void phase_sin_cos(int phase, float* sine, float* cosine) {
  single_sin_cos_turns((float)phase * 2.3283064365386963e-10f, sine, cosine);
}

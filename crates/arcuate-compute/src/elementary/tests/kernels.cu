// Kernels for the tests of the elementary functions.
#include "elementary_single.cuh"

// Writes the eight function values of each x[n] to values[8 * n] and the following places, in the order of
// tests/mod.rs.
extern "C" __global__ void elementary_test_single(unsigned count, const float* __restrict__ x,
                                                  float* __restrict__ values)
{
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count) return;
    float* const out = values + 8 * n;
    out[0] = single_exp(x[n]);
    out[1] = single_ln(x[n]);
    single_sin_cos(x[n], out + 2, out + 3);
    single_sin_cos_turns(x[n], out + 4, out + 5);
    out[6] = single_decay(x[n]);
    out[7] = single_inverse_root(x[n]);
}

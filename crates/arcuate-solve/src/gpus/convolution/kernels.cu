// GPU kernels for circular convolutions, with which operators on one GPU are tested.
#include "cuda.cuh"

// Computes out[n] = Σ_k taps[k] x[(n − k + shift) mod count]. If the flag `transposed` is set, computes
// out[n] = Σ_k taps[k] x[(n + k − shift) mod count] instead. Each thread computes one value.
extern "C" __global__ void convolution_f64(
    unsigned count, unsigned length, unsigned shift, unsigned transposed, const double* taps, const double* x, double* out) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count) return;
  double sum = 0.0;
  for (unsigned k = 0; k < length; ++k) {
    // The index before `mod` is below three times `count`, because there are at most as many taps as values.
    const unsigned from = transposed ? n + k + count - shift : n + shift + count - k;
    sum = fma(taps[k], x[from % count], sum);
  }
  out[n] = sum;
}

// The optimisation steps of a textbook for a fast Fourier sum at arbitrary voxel positions (Kirk and Hwu,
// "Programming Massively Parallel Processors", chapter on non-Cartesian MRI). Each step is one kernel, so
// that the gain of each step can be measured. The kernels compute phases in single precision, as the textbook
// does. Unlike the others, the last kernel multiplies the voxel positions by 2π before its loop.
#include "cuda.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define TAU 6.2831855f

// Number of voxels, and number of k-space samples of this kernel launch. The kernels add the contributions of
// these samples to the existing sum of each voxel.
struct LadderPlan {
  u32 voxels, samples;
};

struct __align__(16) Sample {
  float x, y, z, re, im, unused_1, unused_2, unused_3;
};

// Step 1: each thread handles one voxel. For each sample, the kernel accesses the sample, the position of the
// voxel and its sum in global memory.
extern "C" __global__ void ladder_1_naive(
    LadderPlan plan, const float* x, const float* y, const float* z, const float* kx, const float* ky, const float* kz,
    const float* re, const float* im, float* out_re, float* out_im) {
  const u32 n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= plan.voxels) return;
  for (u32 m = 0; m < plan.samples; ++m) {
    const float phase = TAU * fmaf(kx[m], x[n], fmaf(ky[m], y[n], kz[m] * z[n]));
    const float cosine = cosf(phase), sine = sinf(phase);
    out_re[n] = fmaf(re[m], cosine, fmaf(-im[m], sine, out_re[n]));
    out_im[n] = fmaf(im[m], cosine, fmaf(re[m], sine, out_im[n]));
  }
}

// Step 2: the position and the sum of the voxel are kept in registers.
extern "C" __global__ void ladder_2_registers(
    LadderPlan plan, const float* x, const float* y, const float* z, const float* kx, const float* ky, const float* kz,
    const float* re, const float* im, float* out_re, float* out_im) {
  const u32 n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= plan.voxels) return;
  const float at_x = x[n], at_y = y[n], at_z = z[n];
  float sum_re = out_re[n], sum_im = out_im[n];
  for (u32 m = 0; m < plan.samples; ++m) {
    const float phase = TAU * fmaf(kx[m], at_x, fmaf(ky[m], at_y, kz[m] * at_z));
    const float cosine = cosf(phase), sine = sinf(phase);
    sum_re = fmaf(re[m], cosine, fmaf(-im[m], sine, sum_re));
    sum_im = fmaf(im[m], cosine, fmaf(re[m], sine, sum_im));
  }
  out_re[n] = sum_re;
  out_im[n] = sum_im;
}

// Step 3: the samples are copied to shared memory, one block of samples (tile) at a time, as five separate
// arrays.
extern "C" __global__ void ladder_3_shared(
    LadderPlan plan, const float* x, const float* y, const float* z, const float* kx, const float* ky, const float* kz,
    const float* re, const float* im, float* out_re, float* out_im) {
  __shared__ float tile_x[256], tile_y[256], tile_z[256], tile_re[256], tile_im[256];
  const u32 n = blockIdx.x * blockDim.x + threadIdx.x;
  const bool there = n < plan.voxels;
  const float at_x = there ? x[n] : 0.f, at_y = there ? y[n] : 0.f, at_z = there ? z[n] : 0.f;
  float sum_re = there ? out_re[n] : 0.f, sum_im = there ? out_im[n] : 0.f;
  for (u32 begin = 0; begin < plan.samples; begin += blockDim.x) {
    const u32 mine = begin + threadIdx.x;
    if (mine < plan.samples) {
      tile_x[threadIdx.x] = kx[mine];
      tile_y[threadIdx.x] = ky[mine];
      tile_z[threadIdx.x] = kz[mine];
      tile_re[threadIdx.x] = re[mine];
      tile_im[threadIdx.x] = im[mine];
    }
    __syncthreads();
    const u32 count = min(blockDim.x, plan.samples - begin);
    for (u32 m = 0; m < count; ++m) {
      const float phase = TAU * fmaf(tile_x[m], at_x, fmaf(tile_y[m], at_y, tile_z[m] * at_z));
      const float cosine = cosf(phase), sine = sinf(phase);
      sum_re = fmaf(tile_re[m], cosine, fmaf(-tile_im[m], sine, sum_re));
      sum_im = fmaf(tile_im[m], cosine, fmaf(tile_re[m], sine, sum_im));
    }
    __syncthreads();
  }
  if (there) {
    out_re[n] = sum_re;
    out_im[n] = sum_im;
  }
}

// Steps 4 and 5: each sample is one structure, which a single load instruction reads. Step 5 also uses the
// sine and cosine instructions of the hardware.
template <bool HARDWARE>
__device__ __forceinline__ void structures(
    const LadderPlan& plan, const float* x, const float* y, const float* z, const Sample* samples, float* out_re, float* out_im) {
  __shared__ Sample tile[256];
  const u32 n = blockIdx.x * blockDim.x + threadIdx.x;
  const bool there = n < plan.voxels;
  const float at_x = there ? x[n] : 0.f, at_y = there ? y[n] : 0.f, at_z = there ? z[n] : 0.f;
  float sum_re = there ? out_re[n] : 0.f, sum_im = there ? out_im[n] : 0.f;
  for (u32 begin = 0; begin < plan.samples; begin += blockDim.x) {
    const u32 mine = begin + threadIdx.x;
    if (mine < plan.samples) tile[threadIdx.x] = samples[mine];
    __syncthreads();
    const u32 count = min(blockDim.x, plan.samples - begin);
    for (u32 m = 0; m < count; ++m) {
      const Sample sample = tile[m];
      const float phase = TAU * fmaf(sample.x, at_x, fmaf(sample.y, at_y, sample.z * at_z));
      const float cosine = HARDWARE ? __cosf(phase) : cosf(phase), sine = HARDWARE ? __sinf(phase) : sinf(phase);
      sum_re = fmaf(sample.re, cosine, fmaf(-sample.im, sine, sum_re));
      sum_im = fmaf(sample.im, cosine, fmaf(sample.re, sine, sum_im));
    }
    __syncthreads();
  }
  if (there) {
    out_re[n] = sum_re;
    out_im[n] = sum_im;
  }
}

extern "C" __global__ void ladder_4_layout(
    LadderPlan plan, const float* x, const float* y, const float* z, const Sample* samples, float* out_re, float* out_im) {
  structures<false>(plan, x, y, z, samples, out_re, out_im);
}

extern "C" __global__ void ladder_5_hardware(
    LadderPlan plan, const float* x, const float* y, const float* z, const Sample* samples, float* out_re, float* out_im) {
  structures<true>(plan, x, y, z, samples, out_re, out_im);
}

// Step 6: like step 5, but with fused multiply-add instructions, several voxels per thread and an unrolled
// loop. The benchmark searches for the fastest numbers of voxels and of unrolled iterations.
template <u32 VOXELS, u32 UNROLL>
__device__ __forceinline__ void tuned(
    const LadderPlan& plan, const float* x, const float* y, const float* z, const Sample* samples, float* out_re, float* out_im) {
  __shared__ Sample tile[512];
  const u32 first = blockIdx.x * blockDim.x * VOXELS + threadIdx.x;
  float at_x[VOXELS], at_y[VOXELS], at_z[VOXELS], sum_re[VOXELS], sum_im[VOXELS];
#pragma unroll
  for (u32 v = 0; v < VOXELS; ++v) {
    const u32 n = first + v * blockDim.x;
    const bool there = n < plan.voxels;
    at_x[v] = there ? TAU * x[n] : 0.f;
    at_y[v] = there ? TAU * y[n] : 0.f;
    at_z[v] = there ? TAU * z[n] : 0.f;
    sum_re[v] = there ? out_re[n] : 0.f;
    sum_im[v] = there ? out_im[n] : 0.f;
  }
  for (u32 begin = 0; begin < plan.samples; begin += blockDim.x) {
    const u32 mine = begin + threadIdx.x;
    // Positions in the tile after the last sample are filled with zeros, which add nothing to the sums.
    tile[threadIdx.x] = mine < plan.samples ? samples[mine] : Sample{0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f};
    __syncthreads();
#pragma unroll UNROLL
    for (u32 m = 0; m < blockDim.x; ++m) {
      const Sample sample = tile[m];
#pragma unroll
      for (u32 v = 0; v < VOXELS; ++v) {
        const float phase = fmaf(sample.x, at_x[v], fmaf(sample.y, at_y[v], sample.z * at_z[v]));
        float sine, cosine;
        __sincosf(phase, &sine, &cosine);
        sum_re[v] = fmaf(sample.re, cosine, fmaf(-sample.im, sine, sum_re[v]));
        sum_im[v] = fmaf(sample.re, sine, fmaf(sample.im, cosine, sum_im[v]));
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (u32 v = 0; v < VOXELS; ++v) {
    const u32 n = first + v * blockDim.x;
    if (n < plan.voxels) {
      out_re[n] = sum_re[v];
      out_im[n] = sum_im[v];
    }
  }
}

#define TUNED(VOXELS, UNROLL)                                                                                          \
    extern "C" __global__ void __launch_bounds__(512) ladder_6_tuned_##VOXELS##_##UNROLL(                              \
        LadderPlan plan, const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,        \
        const Sample* __restrict__ samples, float* __restrict__ out_re, float* __restrict__ out_im) {                  \
      tuned<VOXELS, UNROLL>(plan, x, y, z, samples, out_re, out_im);                                                   \
    }
TUNED(1, 1)
TUNED(1, 4)
TUNED(1, 8)
TUNED(2, 1)
TUNED(2, 4)
TUNED(2, 8)
TUNED(4, 1)
TUNED(4, 4)
TUNED(4, 8)
TUNED(8, 1)

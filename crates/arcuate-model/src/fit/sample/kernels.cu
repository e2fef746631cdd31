// Chains of the built-in models, some lanes of a warp for a voxel. chains.cuh is made of the models; what is done with them is in
// sample.cuh.
#include "sample.cuh"
#include "chains.cuh"

#define SAMPLE(CHAIN, LANES, ROUNDS, RICIAN, THREADS, BLOCKS)                                                                   \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                                               \
    sample_##CHAIN##_##LANES##_##ROUNDS##_##RICIAN##_##THREADS(                                                                    \
        SamplePlan plan, const float* __restrict__ signals, const u32* __restrict__ items,                             \
        const float* __restrict__ factors, const u32* __restrict__ usable, const float* __restrict__ maps,             \
        const float* __restrict__ columns, const float* __restrict__ uniforms,                                         \
        float* values, float* widths, u32* accepted, u32* totals, float* samples) {                                                                  \
      sample<Chain##CHAIN, LANES, ROUNDS, RICIAN>(plan, signals, items, factors, usable, maps, columns, uniforms,      \
                                                  values, widths, accepted, totals, samples);            \
    }
CHAINS(SAMPLE)

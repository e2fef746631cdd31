// GPU kernels for the steps of a fit that do not depend on the model. They compute the starting values, and
// choose among several starts of a grid search. One GPU thread processes one voxel. Kernels that depend on
// the model are generated when the model is fitted (see written/).
#include "begin.cuh"
#include "start.cuh"

#define THREADS 128

#define BEGIN(TYPE, NAME)                                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS) fit_begin_##NAME(                                            \
        BeginPlan plan, const float* signals, const u32* b0, const u32* places, const TYPE* rows,                      \
        const BeginNumber<TYPE>* beginnings, TYPE* factors, TYPE* squares, TYPE* values, u32* usable, u8* status) {    \
      const u64 voxel = (u64)blockIdx.x * THREADS + threadIdx.x;                                                       \
      if (voxel < plan.voxels)                                                                                         \
        begin_voxel(plan, voxel, signals, b0, places, rows, beginnings, factors, squares, values, usable, status);     \
    }
BEGIN(float, f32)
BEGIN(double, f64)

#define NEXT_START(TYPE, NAME)                                                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS) fit_next_start_##NAME(                                       \
        StartPlan plan, const TYPE* candidates, const u32* searched, const u32* kept, const TYPE* from,                \
        const u8* from_status, TYPE* best, u8* best_status, TYPE* best_costs, TYPE* values, u8* status, TYPE* costs) { \
      const u64 voxel = (u64)blockIdx.x * THREADS + threadIdx.x;                                                       \
      if (voxel < plan.voxels)                                                                                         \
        next_start(plan, voxel, candidates, searched, kept, from, from_status, best, best_status, best_costs, values,  \
                   status, costs);                                                                                     \
    }
NEXT_START(float, f32)
NEXT_START(double, f64)

// Fits of the built-in models, a thread for a voxel. models.cuh is made of the models; what is done with them is in
// begin.cuh, search.cuh and minimise.cuh.
#include "minimise.cuh"
#include "models.cuh"
#include "search.cuh"

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

#define SEARCH(TYPE, NAME, STAGE)                                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS) fit_search_##NAME##_##STAGE(                                 \
        SearchPlan plan, const float* __restrict__ signals,                                                            \
        const TYPE* __restrict__ factors, const TYPE* __restrict__ maps,                                               \
        const TYPE* __restrict__ columns, const TYPE* __restrict__ uniforms,                                           \
        const TYPE* __restrict__ candidates, const u32* __restrict__ groups, const u32* __restrict__ searched,         \
        TYPE* values, u8* status, TYPE* costs, u32* evaluations, u32* kept) {                                          \
      search<Stage##STAGE##_##NAME>(plan, signals, factors, maps, columns, uniforms, candidates, groups, searched,     \
                                    values, status, costs, evaluations, kept);                                         \
    }
SEARCHES_F32(SEARCH)
SEARCHES_F64(SEARCH)

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

#define FIT(TYPE, NAME, STAGE)                                                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS) fit_minimise_##NAME##_##STAGE(                               \
        FitPlan<TYPE> plan, const float* __restrict__ signals,                                                         \
        const TYPE* __restrict__ factors, const TYPE* __restrict__ squares,                                            \
        const TYPE* __restrict__ maps, const TYPE* __restrict__ columns,                                               \
        const TYPE* __restrict__ uniforms, const TYPE* __restrict__ bounds,                                            \
        const TYPE* __restrict__ rows, TYPE* values, u8* status,                                                       \
        TYPE* costs, u32* evaluations, u32* next) {                                                                    \
      minimise<Stage##STAGE##_##NAME>(plan, signals, factors, squares, maps, columns, uniforms, bounds, rows, values,  \
                                      status, costs, evaluations, next);                                               \
    }
FITS_F32(FIT)
FITS_F64(FIT)

// Tries the starts that a grid search has kept, one after the other, on the GPU. One GPU thread processes one
// voxel. The file cpu.rs tries the starts in the same way on the CPU.
#pragma once
#include "begin.cuh"

// This value marks a missing start. It equals that of search.rs.
#define NO_START 0xffffffffu

// The sizes of a grid search that keeps several starts. The current parameter values, status and costs are
// the result of the start with the index `start`.
struct StartPlan {
  u32 voxels, numbers, searched, keep, start;
};

__device__ __forceinline__ bool is_fitted(u8 status) { return status > STATUS_OUTSIDE && status < STATUS_NO_SIGNAL; }

// Keeps the result of the current start if it is better than the results of the previous starts. Then loads
// the next start. After the last start, loads the best result of all starts.
template <class T>
__device__ __forceinline__ void next_start(const StartPlan& plan, u64 voxel, const T* candidates, const u32* searched,
                                           const u32* kept, const T* from, const u8* from_status, T* best,
                                           u8* best_status, T* best_costs, T* numbers, u8* status, T* costs)
{
  T* const of_voxel = numbers + voxel * plan.numbers;
  T* const best_of_voxel = best + voxel * plan.numbers;
  const bool was_fitted = is_fitted(best_status[voxel]);
  const bool is_better = is_fitted(status[voxel]) && (!was_fitted || costs[voxel] < best_costs[voxel]);
  if (plan.start == 0 || is_better) {
    for (u32 n = 0; n < plan.numbers; ++n) best_of_voxel[n] = of_voxel[n];
    best_status[voxel] = status[voxel];
    best_costs[voxel] = costs[voxel];
  }
  if (plan.start + 1 == plan.keep) {
    for (u32 n = 0; n < plan.numbers; ++n) of_voxel[n] = best_of_voxel[n];
    status[voxel] = best_status[voxel];
    costs[voxel] = best_costs[voxel];
    return;
  }
  for (u32 n = 0; n < plan.numbers; ++n) of_voxel[n] = from[voxel * plan.numbers + n];
  const u32 candidate = kept[voxel * plan.keep + plan.start + 1];
  status[voxel] = candidate == NO_START ? STATUS_NO_MODEL : from_status[voxel];
  if (candidate == NO_START) return;
  for (u32 k = 0; k < plan.searched; ++k) of_voxel[searched[k]] = candidates[candidate * plan.searched + k];
}

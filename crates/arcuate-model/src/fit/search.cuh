// The best of combinations of values, a thread for a voxel: search.rs says what is computed. Operation by operation the same:
// change both or none.
#pragma once
#include "begin.cuh"

// As in candidates.rs and search.rs.
#define MOST_KEPT 16
#define NO_START 0xffffffffu

struct SearchPlan {
  u32 voxels, measurements, candidates, searched, keep, shared_columns;
};

template <class S, class T>
__device__ __forceinline__ void search(const SearchPlan& plan, const float* all_signals, const T* factors,
                                       const T* all_maps, const T* columns, const T* uniforms, const T* candidates,
                                       const u32* groups, const u32* searched, T* numbers, u8* status, T* costs,
                                       u32* evaluations, u32* kept)
{
  const int N = S::NUMBERS;
  DYNAMIC_SHARED(T, shared);
  const T* const table = shared_table(columns, plan.shared_columns, shared);
  const u64 voxel = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (voxel >= plan.voxels) return;
  u32* const kept_here = kept + voxel * plan.keep;
  for (u32 k = 0; k < plan.keep; ++k) kept_here[k] = NO_START;
  if (status[voxel] >= STATUS_NO_SIGNAL) return;
  const float* const signals = all_signals + voxel * plan.measurements;
  const T factor = factors[voxel];
  T trial[N], maps[S::MAPS ? S::MAPS : 1];
#pragma unroll
  for (int n = 0; n < N; ++n) trial[n] = numbers[voxel * N + n];
#pragma unroll
  for (int n = 0; n < int(S::MAPS); ++n) maps[n] = all_maps[voxel * S::MAPS + n];
  // Of the combinations that are kept.
  T kept_costs[MOST_KEPT];
  for (u32 k = 0; k < plan.keep; ++k) kept_costs[k] = endless<T>();
  T of_group = endless<T>(), worst_kept = endless<T>();
  u32 winner = NO_START;
  for (u32 candidate = 0; candidate < plan.candidates; ++candidate) {
    const T* const of_candidate = candidates + candidate * plan.searched;
    for (u32 k = 0; k < plan.searched; ++k) {
      const u32 place = searched[k];
      // Places in registers are known to the compiler.
#pragma unroll
      for (int n = 0; n < N; ++n) {
        if (place == n) trial[n] = of_candidate[k];
      }
    }
    T values[S::VALUES], across[1][2][3];
    S::voxel(uniforms, trial, maps, across, values);
    T cost = T(0);
    for (u32 m = 0; m < plan.measurements; ++m) {
      const T predicted = S::inner(uniforms, table + m * S::COLUMNS, values, nullptr);
      const T signal = T(signals[m]) * factor;
      const T difference = is_usable(signal) ? signal - predicted : T(0);
      cost = multiply_add(difference, difference, cost);
    }
    if (cost < of_group) {
      of_group = cost;
      winner = candidate;
    }
    if (candidate + 1 < plan.candidates && groups[candidate + 1] == groups[candidate]) continue;
    if (of_group < worst_kept) {
      for (u32 k = 0; k < plan.keep; ++k) {
        const T other = kept_costs[k];
        if (!(of_group < other)) continue;
        const u32 other_winner = kept_here[k];
        kept_costs[k] = of_group;
        kept_here[k] = winner;
        of_group = other;
        winner = other_winner;
      }
      worst_kept = kept_costs[plan.keep - 1];
    }
    of_group = endless<T>();
  }
  const u32 best = kept_here[0];
  if (best == NO_START) {
    status[voxel] = STATUS_NO_MODEL;
    return;
  }
  for (u32 k = 0; k < plan.searched; ++k) {
    numbers[voxel * N + searched[k]] = candidates[best * plan.searched + k];
  }
  status[voxel] = STATUS_LIMIT;
  costs[voxel] = kept_costs[0];
  evaluations[voxel] += plan.candidates;
}

// Where several starts of a search are followed: number `start` has led to what stands in numbers, status and costs.
struct StartPlan {
  u32 voxels, numbers, searched, keep, start;
};

__device__ __forceinline__ bool is_fitted(u8 status) { return status > STATUS_OUTSIDE && status < STATUS_NO_SIGNAL; }

// Keeps that if it is better than what the starts before it have led to, and starts again, or ends with the best.
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

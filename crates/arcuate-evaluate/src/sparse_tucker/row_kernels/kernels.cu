// GPU kernels for the products of a sparse Tucker operator with any dictionary, in single and double
// precision. One warp (32 threads) processes a voxel. A run is a group of coefficients with the same voxel
// and atom. For each run, the warp uses one row of the dictionary.
#include "precision.cuh"
#include "products.cuh"

#define RUN_BEGINS 0x80000000u
#define ROW_WARPS 8

// `mode` has the flags of the products that a launch computes. The launch processes the voxels with numbers
// `first_place` to `end_place` − 1 in `voxel_order`. Its coefficients start at `first_coefficient` and its
// runs at `first_run`. A dictionary row has `directions` values, and successive rows are `stride` values
// apart. (Passing these seven numbers in a structure costs 3 to 5 % of the time, because the compiler then
// keeps other values in registers.)
//
// One warp (32 threads) processes a voxel. A dictionary row is read by ROW_LANES threads, each of which reads
// PACKS packs of values. The warp thus reads 32 / ROW_LANES rows at once. If a row is longer than these
// threads can hold, the kernel processes it in several parts.
template <class T, u32 ROW_LANES, u32 PACKS>
__device__ __forceinline__ void rows(
    u32 mode, u32 first_place, u32 end_place, u32 first_coefficient, u32 first_run, u32 directions, u32 stride,
    const u32* __restrict__ voxel_order, const u32* __restrict__ voxel_starts, const u32* __restrict__ voxel_runs,
    const u16* __restrict__ run_atoms, const u32* __restrict__ members, const T* __restrict__ values,
    const T* __restrict__ dictionary, const T* __restrict__ weights, T* data, u64* sums,
    const double* __restrict__ scale_of_sums, double* norms) {
  const u32 GROUPS = 32 / ROW_LANES, LENGTH = Pack<T>::LENGTH, SPAN = ROW_LANES * PACKS * LENGTH;
  __shared__ u32 shared_rows[ROW_WARPS][32];
  __shared__ T shared_sums[ROW_WARPS][32];
  const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
  const u32 group = lane / ROW_LANES, part = lane % ROW_LANES;
  const u32 place = first_place + blockIdx.x * ROW_WARPS + warp;
  if (place >= end_place) return;
  const u32 voxel = voxel_order[place];
  u32* slot_row = shared_rows[warp];
  T* slot_sum = shared_sums[warp];
  const u32 begin = voxel_starts[voxel] - first_coefficient, end = voxel_starts[voxel + 1] - first_coefficient;
  const double scale = mode & ADJOINT ? scale_of_sums[0] : 0.0;
  T* mine = data + (u64)voxel * directions;
  double image_norm = 0.0, data_norm = 0.0;
  for (u32 base = 0; base < stride; base += SPAN) {
    T block[PACKS][LENGTH];
#pragma unroll
    for (u32 k = 0; k < PACKS; ++k)
#pragma unroll
      for (u32 l = 0; l < LENGTH; ++l) block[k][l] = T(0);
    if (mode & FORWARD) {
      u32 run = voxel_runs[voxel] - first_run;
      // Batches of 32 coefficients are loaded two batches ahead and their weights one batch ahead, to hide
      // the latency of these loads.
      u32 member = begin + lane < end ? members[begin + lane] : RUN_BEGINS;
      T value = begin + lane < end ? values[begin + lane] : T(0);
      u32 next_member = begin + 32 + lane < end ? members[begin + 32 + lane] : RUN_BEGINS;
      T next_value = begin + 32 + lane < end ? values[begin + 32 + lane] : T(0);
      T weight = weights[member & ~RUN_BEGINS];
      for (u32 at = begin; at < end; at += 32) {
        T x[1] = {value * weight};
        const u32 begins = __ballot_sync(ALL, member >> 31);
        weight = weights[next_member & ~RUN_BEGINS];
        member = next_member;
        value = next_value;
        const u32 ahead = at + 64 + lane;
        next_member = ahead < end ? members[ahead] : RUN_BEGINS;
        next_value = ahead < end ? values[ahead] : T(0);
        // If a run of coefficients began in an earlier batch, its remainder is processed as a separate run.
        const u32 heads = begins | 1u;
        sum_runs(lane, heads, x);
        // If the sum of a run is zero, the run's row of the dictionary is not needed.
        const bool counts = at + lane < end && (heads >> lane & 1u) && x[0] != T(0);
        const u32 counting = __ballot_sync(ALL, counts);
        if (counts) {
          const u32 slot = __popc(counting & ~(ALL << lane));
          slot_row[slot] = run_atoms[run + __popc(begins & (ALL >> (31 - lane))) - 1] * stride;
          slot_sum[slot] = x[0];
        }
        __syncwarp();
        const u32 count = __popc(counting);
#pragma unroll 2
        for (u32 n = group; n < count; n += GROUPS) {
          const T* row = dictionary + slot_row[n] + base + part * LENGTH;
          const T s = slot_sum[n];
#pragma unroll
          for (u32 k = 0; k < PACKS; ++k) {
            if (base + (k * ROW_LANES + part) * LENGTH < stride) {
              Pack<T> d;
              d.load(row + k * ROW_LANES * LENGTH);
#pragma unroll
              for (u32 l = 0; l < LENGTH; ++l) block[k][l] = multiply_add(d.v[l], s, block[k][l]);
            }
          }
        }
        __syncwarp();
        run += __popc(begins);
      }
#pragma unroll
      for (u32 distance = ROW_LANES; distance < 32; distance *= 2)
#pragma unroll
        for (u32 k = 0; k < PACKS; ++k)
#pragma unroll
          for (u32 l = 0; l < LENGTH; ++l) block[k][l] += __shfl_xor_sync(ALL, block[k][l], distance);
#pragma unroll
      for (u32 k = 0; k < PACKS; ++k)
#pragma unroll
        for (u32 l = 0; l < LENGTH; ++l) {
          const u32 direction = base + (k * ROW_LANES + part) * LENGTH + l;
          if (group == 0 && direction < directions) {
            const T u = block[k][l];
            const T now = mode & CARRY ? mine[direction] + u : u;
            mine[direction] = now;
            image_norm = fma((double)u, (double)u, image_norm);
            data_norm = fma((double)now, (double)now, data_norm);
          }
        }
    } else {
#pragma unroll
      for (u32 k = 0; k < PACKS; ++k)
#pragma unroll
        for (u32 l = 0; l < LENGTH; ++l) {
          const u32 direction = base + (k * ROW_LANES + part) * LENGTH + l;
          block[k][l] = direction < directions ? mine[direction] : T(0);
        }
    }
    if (mode & ADJOINT) {
      u32 run = voxel_runs[voxel] - first_run;
      u32 next_member = begin + lane < end ? members[begin + lane] : 0u;
      T next_value = begin + lane < end ? values[begin + lane] : T(0);
      for (u32 at = begin; at < end; at += 32) {
        const bool in = at + lane < end;
        const u32 member = next_member;
        const T value = next_value;
        const u32 ahead = at + 32 + lane;
        next_member = ahead < end ? members[ahead] : 0u;
        next_value = ahead < end ? values[ahead] : T(0);
        const u32 begins = __ballot_sync(ALL, member >> 31);
        const u32 heads = begins | 1u;
        const u32 slot = __popc(heads & (ALL >> (31 - lane))) - 1;
        if (heads >> lane & 1u) {
          slot_row[slot] = run_atoms[run + __popc(begins & (ALL >> (31 - lane))) - 1] * stride;
        }
        __syncwarp();
        const u32 count = __popc(heads);
#pragma unroll 2
        for (u32 first = 0; first < count; first += GROUPS) {
          const u32 n = first + group;
          T dot = T(0);
          if (n < count) {
            const T* row = dictionary + slot_row[n] + base + part * LENGTH;
#pragma unroll
            for (u32 k = 0; k < PACKS; ++k) {
              if (base + (k * ROW_LANES + part) * LENGTH < stride) {
                Pack<T> d;
                d.load(row + k * ROW_LANES * LENGTH);
#pragma unroll
                for (u32 l = 0; l < LENGTH; ++l) dot = multiply_add(d.v[l], block[k][l], dot);
              }
            }
          }
#pragma unroll
          for (u32 distance = ROW_LANES / 2; distance > 0; distance /= 2) {
            dot += __shfl_xor_sync(ALL, dot, distance);
          }
          if (part == 0 && n < count) slot_sum[n] = dot;
        }
        __syncwarp();
        if (in) add_fixed(sums + (member & ~RUN_BEGINS), (double)(value * slot_sum[slot]), scale);
        __syncwarp();
        run += __popc(begins);
      }
    }
  }
  if (norms) {
#pragma unroll
    for (u32 distance = 1; distance < 32; distance *= 2) {
      image_norm += __shfl_xor_sync(ALL, image_norm, distance);
      data_norm += __shfl_xor_sync(ALL, data_norm, distance);
    }
    if (lane == 0) {
      norms[2 * (u64)voxel] = image_norm;
      norms[2 * (u64)voxel + 1] = data_norm;
    }
  }
}

#define ROWS(NAME, T, ROW_LANES, PACKS)                                                                                \
  extern "C" __global__ void __launch_bounds__(32 * ROW_WARPS) NAME(                                                   \
      u32 mode, u32 first_place, u32 end_place, u32 first_coefficient, u32 first_run, u32 directions, u32 stride,      \
      const u32* __restrict__ voxel_order, const u32* __restrict__ voxel_starts, const u32* __restrict__ voxel_runs,   \
      const u16* __restrict__ run_atoms, const u32* __restrict__ members, const T* __restrict__ values,                \
      const T* __restrict__ dictionary, const T* __restrict__ weights, T* data, u64* sums,                             \
      const double* __restrict__ scale_of_sums, double* norms) {                                                       \
    rows<T, ROW_LANES, PACKS>(mode, first_place, end_place, first_coefficient, first_run, directions, stride,          \
                              voxel_order, voxel_starts, voxel_runs, run_atoms, members, values, dictionary, weights,  \
                              data, sums, scale_of_sums, norms);                                                       \
  }
ROWS(sparse_tucker_rows_f32_32, float, 8, 1)
ROWS(sparse_tucker_rows_f32_64, float, 8, 2)
ROWS(sparse_tucker_rows_f32_96, float, 8, 3)
ROWS(sparse_tucker_rows_f32_128, float, 8, 4)
ROWS(sparse_tucker_rows_f32_256, float, 32, 2)
ROWS(sparse_tucker_rows_f32_384, float, 32, 3)
ROWS(sparse_tucker_rows_f32_512, float, 32, 4)
ROWS(sparse_tucker_rows_f64_32, double, 16, 1)
ROWS(sparse_tucker_rows_f64_64, double, 16, 2)
ROWS(sparse_tucker_rows_f64_96, double, 16, 3)
ROWS(sparse_tucker_rows_f64_128, double, 16, 4)
ROWS(sparse_tucker_rows_f64_256, double, 32, 4)
ROWS(sparse_tucker_rows_f64_512, double, 32, 8)

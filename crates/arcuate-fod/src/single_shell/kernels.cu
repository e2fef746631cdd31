// Constrained spherical deconvolution of one shell. This is the GPU implementation of `single_shell/mod.rs`.
// Both implementations perform the same operations in the same order, so that the results are bit-identical.
// Each block of threads fits one voxel at a time. The normal matrix and its factor are in shared memory. If
// shared memory is too small, they are in `matrices`.
#include "cuda.cuh"
#include "voxel.cuh"

// Number of threads of a block. In a step of a fit, the threads typically share 45 coefficients, 78 tiles, or
// 300 directions.
#define THREADS 64
// Minimum number of blocks that are on a multiprocessor at the same time. Their shared memory suffices for 45
// coefficients. To limit the number of registers, the compiler stores one or two of them in memory.
#define BLOCKS 10

// Parameters of the fit that are the same for all voxels.
struct SingleShellPlan {
  u32 voxels;
  // Number of measurements of the series, and number of measurements of the deconvolved shell.
  u32 series, shell;
  // Number of coefficients of a distribution. `stride` is this number rounded up to whole SIMD vectors of the
  // CPU. `beginning_count` is the number of coefficients of the initial linear estimate.
  u32 count, stride, beginning_count;
  u32 constraints, iterations;
  // Number of double-precision numbers that each block needs in `matrices`. It is 0 if the matrices are in
  // shared memory.
  u64 outside;
  // If an amplitude is below `threshold`, it counts as negative. If a pivot of the factorisation is below
  // `singular` times the largest pivot, it counts as 0.
  double threshold, singular;
};

// Adds the product row rowᵀ of each changed constraint row to the normal matrix, four rows at a time, and
// copies the matrix to `factor`. `changed` has the constraint direction of each of these rows. If the highest
// bit of an entry is set, the product is subtracted.
__device__ __forceinline__ void update(
    const SingleShellPlan& plan, const Tiles& tiles, const u32* __restrict__ places, const double* __restrict__ constraints,
    const u16* changed, u32 count, double* normal, double* factor) {
  for (u32 tile = threadIdx.x; tile < tiles.count; tile += THREADS) {
    const u32 place = places[tile];
    const double* const left = constraints + (place >> 16) * SIDE;
    const double* const right = constraints + (place & 0xffffu) * SIDE;
    double own[SIDE][SIDE];
#pragma unroll
    for (u32 e = 0; e < TILE; ++e) own[e / SIDE][e % SIDE] = normal[e * tiles.pitch + tile];
    u32 n = 0;
    for (; n + 4 <= count; n += 4) {
      u32 at[4];
      double columns[4][SIDE];
#pragma unroll
      for (u32 q = 0; q < 4; ++q) {
        at[q] = (changed[n + q] & 0x7fffu) * plan.stride;
#pragma unroll
        for (u32 c = 0; c < SIDE; ++c) {
          const double value = right[at[q] + c];
          columns[q][c] = changed[n + q] >> 15 ? -value : value;
        }
      }
#pragma unroll
      for (u32 r = 0; r < SIDE; ++r) {
        const double rows[4] = {left[at[0] + r], left[at[1] + r], left[at[2] + r], left[at[3] + r]};
#pragma unroll
        for (u32 c = 0; c < SIDE; ++c) {
          own[r][c] += (rows[0] * columns[0][c] + rows[1] * columns[1][c]) +
                       (rows[2] * columns[2][c] + rows[3] * columns[3][c]);
        }
      }
    }
    for (; n < count; ++n) {
      const u32 direction = (changed[n] & 0x7fffu) * plan.stride;
      const bool leaves = changed[n] >> 15;
#pragma unroll
      for (u32 r = 0; r < SIDE; ++r) {
        const double value = left[direction + r], signed_value = leaves ? -value : value;
#pragma unroll
        for (u32 c = 0; c < SIDE; ++c) own[r][c] += signed_value * right[direction + c];
      }
    }
#pragma unroll
    for (u32 e = 0; e < TILE; ++e) {
      normal[e * tiles.pitch + tile] = own[e / SIDE][e % SIDE];
      factor[e * tiles.pitch + tile] = own[e / SIDE][e % SIDE];
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) single_shell_fit(
    SingleShellPlan plan, const float* __restrict__ signals, const u32* __restrict__ shell,
    const double* __restrict__ beginning, const double* __restrict__ forward, const double* __restrict__ start,
    const double* __restrict__ constraints, const double* __restrict__ constraint_columns, const u32* __restrict__ places,
    double* matrices, float* coefficients, u32* ends) {
  DYNAMIC_SHARED(double, shared);
  const u32 rows = plan.stride / SIDE, count = rows * (rows + 1) / 2;
  const Tiles tiles = {rows, count, count | 1u};
  const u32 elements = TILE * tiles.pitch, words = (plan.constraints + 31) / 32;
  double* const own = shared;
  double* const right = own + plan.shell;
  double* const solution = right + plan.stride;
  double* const behind = solution + plan.stride;
  double* const normal = plan.outside ? matrices + blockIdx.x * plan.outside : behind;
  double* const factor = normal + elements;
  u32* const negative = reinterpret_cast<u32*>(plan.outside ? behind : factor + elements);
  u32* const flipped = negative + words;
  u16* const changed = reinterpret_cast<u16*>(flipped + words);
  const u32 thread = threadIdx.x, lane = thread % 32;

  for (u32 voxel = blockIdx.x; voxel < plan.voxels; voxel += gridDim.x) {
    const float* const measured = signals + (u64)voxel * plan.series;
    u32 end = UNFITTED;
    if (!is_unfit(measured, plan.series, THREADS)) {
      for (u32 m = thread; m < plan.shell; m += THREADS) own[m] = (double)measured[shell[m]];
      for (u32 e = thread; e < elements; e += THREADS) normal[e] = start[e];
      for (u32 word = thread; word < words; word += THREADS) negative[word] = 0;
      __syncthreads();
      for (u32 c = thread; c < plan.stride; c += THREADS) {
        right[c] = add_multiples(0.0, plan.shell, own, forward, plan.stride, c);
        solution[c] = c < plan.beginning_count
                          ? add_multiples(0.0, plan.shell, own, beginning, plan.beginning_count, c)
                          : 0.0;
      }
      __syncthreads();
      end = plan.iterations ? UNCONVERGED : CONVERGED;
      for (u32 iteration = 0; iteration < plan.iterations; ++iteration) {
        for (u32 first = thread - lane; first < words * 32; first += THREADS) {
          const u32 direction = first + lane;
          const bool is_negative =
              direction < plan.constraints &&
              add_multiples(0.0, plan.stride, solution, constraint_columns, plan.constraints, direction) < plan.threshold;
          const u32 word = __ballot_sync(ALL, is_negative);
          if (lane == 0) {
            flipped[first / 32] = word ^ negative[first / 32];
            negative[first / 32] = word;
          }
        }
        __syncthreads();
        const u32 found = each_bit(flipped, words, THREADS, [&](u32 direction, u32 place) {
          const bool joins = negative[direction / 32] >> direction % 32 & 1u;
          changed[place] = (u16)(direction | (joins ? 0u : 0x8000u));
        });
        if (found == 0 && iteration > 0) {
          end = CONVERGED;
          break;
        }
        __syncthreads();
        update(plan, tiles, places, constraints, changed, found, normal, factor);
        __syncthreads();
        // There are too few measurements and active constraints for a distribution of this order. The current
        // solution is kept.
        if (!factorise(factor, tiles, places, plan.singular, THREADS)) break;
        if (thread < 32) {
          for (u32 c = lane; c < plan.stride; c += 32) solution[c] = right[c];
          __syncwarp();
          solve_transposed(factor, tiles, solution);
          solve_upper(factor, tiles, solution);
        }
        __syncthreads();
      }
    }
    leave(voxel, end, solution, plan.count, THREADS, coefficients, ends);
  }
}

// Constrained spherical deconvolution into several tissues. This is the GPU implementation of
// `multi_tissue/mod.rs` and `cone.rs`. Both implementations perform the same operations in the same order, so
// that the results are bit-identical. Each block of threads fits one voxel at a time. The matrices Q and R of
// the active rows are in shared memory. If shared memory is too small, they are in `matrices`.
#include "cuda.cuh"
#include "voxel.cuh"

// Number of threads of a block. In a step of a fit, the threads share up to 300 products, 47 columns of Q, or
// the elements of one column.
#define THREADS 128
// Minimum number of blocks that are on a multiprocessor at the same time. Their shared memory suffices for 47
// coefficients.
#define BLOCKS 7

// Number that is used in place of a row index if there is no row.
#define NONE 0xffffffffu

// Parameters of the fit that are the same for all voxels.
struct MultiTissuePlan {
  u32 voxels, measurements;
  // Number of coefficients of all tissues. `stride` is this number rounded up to whole SIMD vectors of the
  // CPU.
  u32 count, stride;
  // Number of rows of the cone's matrix, including padding to whole SIMD vectors, and maximum number of steps
  // of a projection.
  u32 rows, steps;
  // Number of double-precision numbers that each block needs in `matrices`. It is 0 if the matrices are in
  // shared memory.
  u64 outside;
  // `tolerance` is the fraction of the vector's length that counts as 0. `dependent` is the minimum length of
  // the part of a row that is orthogonal to the active rows. If the part is shorter, the row depends on them.
  double tolerance, dependent;
};

// The state of a projection onto the cone. The columns of Q begin an odd number of elements apart, so that
// each thread can process one column without conflicts in memory. The stored elements of R are those on and
// above the diagonal, and one element below it, which the rotations need.
struct Projection {
  const MultiTissuePlan& plan;
  const double* __restrict__ rows;
  double *q, *r, *start, *point, *right, *multipliers;
  // While rows become active or are released, the products are not needed. These arrays therefore use the
  // memory of the products.
  double *products, *own = nullptr, *parts = nullptr, *proposed = nullptr, *cosines = nullptr, *sines = nullptr;
  u32 *barred = nullptr, *violated = nullptr, *chosen = nullptr, *leaving = nullptr;
  u16 *active = nullptr, *candidates = nullptr, *listed = nullptr;
  // Number of active rows, and number of 32-bit words in a bit set of rows.
  u32 count = 0, words = 0;

  __device__ __forceinline__ u32 pitch() const { return plan.stride + 1; }
  __device__ __forceinline__ double* column(u32 k) const { return r + k * (k + 3) / 2; }

  // The multipliers of the active rows move towards the proposed multipliers. Returns the index of the active
  // row whose multiplier is the first to reach 0. Sets `step` to the fraction of the move at that point.
  // Returns NONE if no multiplier reaches 0. All threads of one warp call this function.
  __device__ __forceinline__ u32 first_below(double& step) const {
    const u32 lane = threadIdx.x % 32;
    double least = 2.0;
    u32 first = NONE;
    for (u32 k = lane; k < count; k += 32) {
      const double now = multipliers[k], then = proposed[k];
      if (then <= 0.0) {
        const double part = now / (now - then);
        // If both the present and the proposed multiplier are 0, the fraction is NaN.
        const double own_part = fabs(part) < INFINITE ? part : 0.0;
        if (first == NONE || own_part < least) {
          least = own_part;
          first = k;
        }
      }
    }
#pragma unroll
    for (u32 distance = 1; distance < 32; distance *= 2) {
      const double other = __shfl_xor_sync(ALL, least, distance);
      const u32 from = __shfl_xor_sync(ALL, first, distance);
      if (from != NONE && (first == NONE || other < least || (other == least && from < first))) {
        least = other;
        first = from;
      }
    }
    step = least;
    return first;
  }

  // Computes the multipliers for which the products of all active rows with the point are 0, by back
  // substitution from the last row. All threads of one warp call this function, and each thread processes one
  // of 32 rows.
  __device__ __forceinline__ void propose() const {
    const u32 lane = threadIdx.x % 32;
    for (u32 k = lane; k < count; k += 32) proposed[k] = right[k];
    __syncwarp();
    for (u32 end = count; end > 0;) {
      const u32 first = (end - 1) / 32 * 32, i = first + lane;
      const bool is_here = i < end;
      const double reciprocal = is_here ? 1.0 / column(i)[i] : 0.0;
      double own_value = is_here ? proposed[i] : 0.0;
#pragma unroll 4
      for (u32 k = end; k-- > first;) {
        const double value = __shfl_sync(ALL, own_value * reciprocal, k - first);
        if (i < k) own_value += -value * column(k)[i];
        if (i == k) own_value = value;
      }
      if (is_here) proposed[i] = own_value;
      __syncwarp();
      for (u32 below = lane; below < first; below += 32) {
        double value = proposed[below];
        for (u32 k = end; k-- > first;) value += -proposed[k] * column(k)[below];
        proposed[below] = value;
      }
      __syncwarp();
      end = first;
    }
  }

  // Removes an active row from the matrix R, from the right-hand side and from the lists. Stores the
  // rotations, which must then be applied to Q. All threads of one warp call this function. Each thread
  // processes one of 32 columns, and keeps the element that the next rotation changes again.
  __device__ __forceinline__ void release(u32 index) const {
    const u32 lane = threadIdx.x % 32, left = count - 1;
    for (u32 k = index; k < left; ++k) {
      for (u32 i = lane; i < k + 2; i += 32) column(k)[i] = column(k + 1)[i];
      if (lane == 0) {
        active[k] = active[k + 1];
        multipliers[k] = multipliers[k + 1];
      }
      __syncwarp();
    }
    // The right-hand side is rotated like an additional column of R.
    for (u32 first = index; first <= left; first += 32) {
      const u32 own_column = first + lane;
      double* const at = own_column < left ? column(own_column) : right;
      double above = own_column <= left ? at[index] : 0.0;
      auto rotate_below = [&](u32 k, double c, double s, double below) {
        at[k] = c * above + s * below;
        above = c * below - s * above;
      };
      for (u32 k = index; k < first; ++k) {
        if (own_column <= left) rotate_below(k, cosines[k], sines[k], at[k + 1]);
      }
      const u32 end = min(first + 32, left);
      for (u32 k = first; k < end; ++k) {
        const bool has_it = own_column >= k && own_column <= left;
        const double below = has_it ? at[k + 1] : 0.0;
        const double a = __shfl_sync(ALL, above, k - first), b = __shfl_sync(ALL, below, k - first);
        const double reciprocal = 1.0 / sqrt(a * a + b * b);
        const double c = a * reciprocal, s = b * reciprocal;
        if (has_it) rotate_below(k, c, s, below);
        if (lane == 0) {
          cosines[k] = c;
          sines[k] = s;
        }
      }
      __syncwarp();
    }
  }

  // Applies the stored rotations to Q. All threads of the block call this function.
  __device__ __forceinline__ void rotate(u32 index) const {
    for (u32 j = threadIdx.x; j < plan.stride; j += THREADS) {
      double* at = q + index * pitch() + j;
      double above = at[0];
      for (u32 k = index; k + 1 < count; ++k) {
        const double below = at[pitch()];
        at[0] = cosines[k] * above + sines[k] * below;
        above = cosines[k] * below - sines[k] * above;
        at += pitch();
      }
    }
  }

  // Makes a row of the cone's matrix active, with the multiplier 0. Returns false if the row depends linearly
  // on the active rows. All threads of the block call this function.
  __device__ __forceinline__ bool activate(u32 row) {
    if (count == plan.count) return false;
    const u32 thread = threadIdx.x;
    double* const of_row = column(count);
    for (u32 j = thread; j < plan.stride; j += THREADS) own[j] = rows[row * plan.stride + j];
    __syncthreads();
    for (u32 turn = 0; turn < 2; ++turn) {
      for (u32 k = thread; k < count; k += THREADS) {
        const double part = -dot(q + k * pitch(), own, plan.stride);
        parts[k] = part;
        of_row[k] = (turn == 0 ? 0.0 : of_row[k]) - part;
      }
      __syncthreads();
      for (u32 j = thread; j < plan.stride; j += THREADS) own[j] = add_multiples(own[j], count, parts, q, pitch(), j);
      __syncthreads();
    }
    const double length = sqrt(dot_of_warp(own, own, plan.stride));
    if (!(length > plan.dependent)) {
      // Waits before the next row overwrites `own`, because other threads may still read the current row.
      __syncthreads();
      return false;
    }
    double* const into = q + count * pitch();
    for (u32 j = thread; j < plan.stride; j += THREADS) into[j] = own[j] / length;
    __syncthreads();
    const double product = dot_of_warp(into, start, plan.stride);
    if (thread == 0) {
      of_row[count] = length;
      right[count] = -product;
      active[count] = (u16)row;
      multipliers[count] = 0.0;
    }
    ++count;
    return true;
  }

  // Moves the multipliers to those for which the products of the active rows with the point are 0. Releases
  // rows whose multipliers become 0. Then updates the point. All threads of the block call this function.
  __device__ __forceinline__ void accept() {
    __syncthreads();
    while (true) {
      if (threadIdx.x < 32) {
        const u32 lane = threadIdx.x;
        double step;
        propose();
        const u32 index = first_below(step);
        if (index == NONE) {
          for (u32 k = lane; k < count; k += 32) multipliers[k] = proposed[k];
        } else {
          for (u32 k = lane; k < count; k += 32) multipliers[k] += step * (proposed[k] - multipliers[k]);
          __syncwarp();
          release(index);
        }
        if (lane == 0) *leaving = index;
      }
      __syncthreads();
      const u32 index = *leaving;
      if (index == NONE) break;
      rotate(index);
      --count;
      __syncthreads();
    }
    for (u32 j = threadIdx.x; j < plan.stride; j += THREADS) point[j] = add_multiples(start[j], count, right, q, pitch(), j);
    __syncthreads();
  }

  // Lists the violated rows that are more violated than all rows similar to them, with the most violated row
  // first. Returns the number of these rows to all threads. All threads of the block call this function.
  __device__ __forceinline__ u32 choose(const u32* __restrict__ alike) const {
    const u32 thread = threadIdx.x, lane = thread % 32;
    for (u32 first = thread - lane; first < words * 32; first += THREADS) {
      const u32 row = first + lane;
      bool is_first = violated[first / 32] >> lane & 1u;
      if (is_first) {
        const double own_product = products[row];
        for (u32 word = 0; word < words && is_first; ++word) {
          for (u32 left = alike[row * words + word] & violated[word]; left && is_first; left &= left - 1) {
            is_first = products[word * 32 + __ffs(left) - 1] >= own_product;
          }
        }
      }
      const u32 bits = __ballot_sync(ALL, is_first);
      if (lane == 0) chosen[first / 32] = bits;
    }
    __syncthreads();
    // The rows are first listed without sorting.
    const u32 all = each_bit(chosen, words, THREADS, [&](u32 row, u32 place) {
      if (place < plan.count) listed[place] = (u16)row;
    });
    const u32 found = min(all, plan.count);
    __syncthreads();
    for (u32 n = thread; n < found; n += THREADS) {
      const u32 row = listed[n];
      const double own_product = products[row];
      u32 place = 0;
      for (u32 other = 0; other < found; ++other) {
        const double product = products[listed[other]];
        place += product < own_product || (product == own_product && listed[other] < row);
      }
      candidates[place] = (u16)row;
    }
    __syncthreads();
    return found;
  }

  // Projects the point `start` onto the cone, and writes the nearest point of the cone to `point`. Returns
  // true if the projection converged. All threads of the block call this function.
  __device__ __forceinline__ bool project(const double* __restrict__ columns, const u32* __restrict__ alike) {
    const u32 thread = threadIdx.x, lane = thread % 32;
    const double tolerance = plan.tolerance * sqrt(dot_of_warp(start, start, plan.stride));
    count = 0;
    for (u32 j = thread; j < plan.stride; j += THREADS) point[j] = start[j];
    for (u32 word = thread; word < words; word += THREADS) barred[word] = 0;
    __syncthreads();
    for (u32 step = 0; step < plan.steps; ++step) {
      bool is_outside = false;
      for (u32 first = thread - lane; first < words * 32; first += THREADS) {
        const u32 row = first + lane;
        double product = 0.0;
        if (row < plan.rows) {
          product = add_multiples(0.0, plan.stride, point, columns, plan.rows, row);
          products[row] = product;
        }
        const bool is_violated = product < -tolerance && !(barred[first / 32] >> lane & 1u);
        const u32 bits = __ballot_sync(ALL, is_violated);
        if (lane == 0) violated[first / 32] = bits;
        is_outside |= is_violated;
      }
      if (!__syncthreads_or(is_outside)) return true;
      const u32 found = choose(alike);
      bool any = false;
      for (u32 n = 0; n < found; ++n) {
        const u32 row = candidates[n];
        const bool is_taken = activate(row);
        if (!is_taken && thread == 0) barred[row / 32] |= 1u << row % 32;
        any |= is_taken;
      }
      if (!any) {
        __syncthreads();
        continue;
      }
      accept();
      bool stays = false;
      for (u32 n = thread; n < found; n += THREADS) {
        for (u32 k = 0; k < count; ++k) stays |= active[k] == candidates[n];
      }
      if (__syncthreads_or(stays)) {
        for (u32 word = thread; word < words; word += THREADS) barred[word] = 0;
      } else if (thread == 0) {
        // The remaining rows are violated only by rounding errors.
        for (u32 n = 0; n < found; ++n) barred[candidates[n] / 32] |= 1u << candidates[n] % 32;
      }
      __syncthreads();
    }
    return false;
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) multi_tissue_fit(
    MultiTissuePlan plan, const float* __restrict__ signals, const double* __restrict__ forward,
    const double* __restrict__ factor, const double* __restrict__ rows, const double* __restrict__ columns,
    const u32* __restrict__ alike, double* matrices, float* coefficients, u32* ends) {
  DYNAMIC_SHARED(double, shared);
  const u32 tile_rows = plan.stride / SIDE, tile_count = tile_rows * (tile_rows + 1) / 2;
  const Tiles tiles = {tile_rows, tile_count, tile_count | 1u};
  double* next = shared;
  auto take = [&](u32 length) {
    double* const taken = next;
    next += length;
    return taken;
  };
  double* const q = plan.outside ? matrices + blockIdx.x * plan.outside : take(plan.count * (plan.stride + 1));
  double* const r = plan.outside ? q + plan.count * (plan.stride + 1) : take(plan.count * (plan.count + 3) / 2);
  Projection cone = {plan, rows, q, r, take(plan.stride), take(plan.stride), take(plan.stride), take(plan.stride),
                     take(max(plan.rows, 5 * plan.stride))};
  cone.words = (plan.rows + 31) / 32;
  cone.own = cone.products;
  cone.parts = cone.own + plan.stride;
  cone.proposed = cone.parts + plan.stride;
  cone.cosines = cone.proposed + plan.stride;
  cone.sines = cone.cosines + plan.stride;
  cone.barred = reinterpret_cast<u32*>(next);
  cone.violated = cone.barred + cone.words;
  cone.chosen = cone.violated + cone.words;
  cone.leaving = cone.chosen + cone.words;
  cone.active = reinterpret_cast<u16*>(cone.leaving + 1);
  cone.candidates = cone.active + plan.stride;
  cone.listed = cone.candidates + plan.stride;
  const u32 thread = threadIdx.x;

  for (u32 voxel = blockIdx.x; voxel < plan.voxels; voxel += gridDim.x) {
    const float* const measured = signals + (u64)voxel * plan.measurements;
    u32 end = UNFITTED;
    if (!is_unfit(measured, plan.measurements, THREADS)) {
      for (u32 c = thread; c < plan.stride; c += THREADS) {
        cone.start[c] = add_multiples(0.0, plan.measurements, measured, forward, plan.stride, c);
      }
      __syncthreads();
      if (thread < 32) solve_transposed(factor, tiles, cone.start);
      __syncthreads();
      end = cone.project(columns, alike) ? CONVERGED : UNCONVERGED;
      if (thread < 32) solve_upper(factor, tiles, cone.point);
      __syncthreads();
    }
    leave(voxel, end, cone.point, plan.count, THREADS, coefficients, ends);
  }
}

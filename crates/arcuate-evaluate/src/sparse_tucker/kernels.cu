// Products of a sparse Tucker operator: y = M w and q = Mᵀ y, or both at once for a step s of the weights (u = M s,
// r += u, q = Mᵀ u, the coefficients read once).
//
// Two families. `rows`: one warp per voxel and one dictionary row per run of equal (voxel, atom); any dictionary, both
// precisions. `tiles`: a block adds up the weights of a tile of voxels per (voxel, atom) in shared memory and
// multiplies that tile with the dictionary on tensor cores, as high and low halves of f16; its dense work does not
// depend on the number of runs.
//
// Sums over voxels are taken in 64-bit fixed point: integer addition is associative, so that the result has the same
// bits whatever the order of blocks, the cut into chunks and the number of devices.
#include "async_copy.cuh"
#include "cuda.cuh"
#include "fixed_point.cuh"
#include "mma.cuh"
#include "precision.cuh"
#include "warp.cuh"

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long long u64;

#define RUN_BEGINS 0x80000000u

// What a launch does: with the image u = M w of the weights…
#define FORWARD 1u  // … it is computed, else `data` is taken for it;
#define CARRY 2u    // … it is added to `data`, else written there;
#define ADJOINT 4u  // … its adjoint is added to `sums`.

// ---------------------------------------------------------------------------------------------------------------- rows

#define ROW_WARPS 8

// One warp per voxel. A row is read by ROW_LANES lanes, PACKS packs each; 32 / ROW_LANES rows are in flight at once.
// Rows longer than that are done in several passes.
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
      // Coefficients are read two batches ahead and weights one, so that their latencies overlap the rows.
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
        // A run that began in an earlier batch goes on as a run of its own.
        const u32 heads = begins | 1u;
        sum_runs(lane, heads, x);
        // Runs that sum to zero cost no row.
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

// --------------------------------------------------------------------------------------------------------------- tiles

// A block of 8 warps, 2 along voxels and 4 along directions (or atoms), does a tile of 128 voxels and 96 atoms at a time.
#define TILE_THREADS 256
#define TILE_WARPS 8
#define VOXEL_WARPS 2u
#define COLUMN_WARPS 4u
// Fragments of 16 voxels that each warp has.
#define VOXEL_TILES 4u
#define VOXELS (16u * VOXEL_WARPS * VOXEL_TILES)
#define ATOMS 96u
// Words between the rows of a tile: eight more than atoms, so that the rows of a fragment lie in different banks.
#define STRIDE (ATOMS + 8u)
// Fragments of 8 atoms that each warp has of a chunk.
#define ATOM_TILES (ATOMS / (8u * COLUMN_WARPS))
// Coefficients of a segment at most, a multiple of 8.
#define SEGMENT 2496
#define GROUPS_PER_THREAD ((SEGMENT / 4 + TILE_THREADS - 1) / TILE_THREADS)
// Bytes of two segments on their way and of the weights gathered for one.
#define STAGING (24 * SEGMENT)

// A cell as an A fragment wants it: two neighbours along a row become one word of both high halves and one of both low
// halves.
__device__ __forceinline__ uint2 split(float a, float b) {
  const u32 high = pack_f16(a, b);
  const float2 rounded = unpack_f16(high);
  return make_uint2(high, pack_f16(a - rounded.x, b - rounded.y));
}

// A cell's sum as its high half and, above it, its low half, in units of 2^15 of the sum's.
__device__ __forceinline__ void split_cell(int* cell) {
  const float value = (float)*cell * (1.f / 32768.f);
  const float high = unpack_f16(pack_f16(value, 0.f)).x;
  *cell = (int)pack_f16(high, value - high);
}

// 2^n for −126 ≤ n ≤ 127.
__device__ __forceinline__ float power_of_two(int n) { return __uint_as_float((u32)(n + 127) << 23); }

// The n with 2^n ≤ x < 2^(n+1), for normal x.
__device__ __forceinline__ int exponent_of(float x) { return (int)(__float_as_uint(x) >> 23) - 127; }

// The largest of all threads' values, NaN counting as the largest.
__device__ __forceinline__ float block_maximum(float x, float* shared) {
  // As integers, non-negative floats are in order, and NaN is above all.
  u32 bits = __float_as_uint(x);
#pragma unroll
  for (u32 distance = 16; distance > 0; distance /= 2) bits = max(bits, __shfl_xor_sync(ALL, bits, distance));
  if ((threadIdx.x & 31u) == 0) shared[threadIdx.x >> 5] = __uint_as_float(bits);
  __syncthreads();
  bits = __float_as_uint(shared[min(threadIdx.x & 31u, TILE_WARPS - 1u)]);
#pragma unroll
  for (u32 distance = 16; distance > 0; distance /= 2) bits = max(bits, __shfl_xor_sync(ALL, bits, distance));
  return __uint_as_float(bits);
}

// sums += A · B over `steps` steps of 16, with A and B in two halves: the product of the low halves is below what f32
// keeps. `load(m, step, high, low)` gets fragments of A; those of B lie in memory as the lanes want them, `pitch` apart
// from step to step.
template <u32 M, u32 N, class Load>
__device__ __forceinline__ void multiply(float (&sums)[M][N][4], u32 steps, const uint4* fragments, u32 pitch, Load load) {
  // Fragments of B are loaded one step ahead.
  uint4 next[N];
#pragma unroll
  for (u32 n = 0; n < N; ++n) next[n] = fragments[n * 32];
#pragma unroll 1
  for (u32 step = 0; step < steps; ++step) {
    uint4 now[N];
    fragments += pitch;
#pragma unroll
    for (u32 n = 0; n < N; ++n) {
      now[n] = next[n];
      if (step + 1 < steps) next[n] = fragments[n * 32];
    }
#pragma unroll
    for (u32 m = 0; m < M; ++m) {
      u32 high[4], low[4];
      load(m, step, high, low);
#pragma unroll
      for (u32 n = 0; n < N; ++n) {
        const u32 b_high[2] = {now[n].x, now[n].y}, b_low[2] = {now[n].z, now[n].w};
        // Tensor cores cut off what they add up, which is no matter in three additions and would be in two hundred.
        float part[4] = {0.f, 0.f, 0.f, 0.f};
        mma_f16_16x8x16(part, low, b_high);
        mma_f16_16x8x16(part, high, b_low);
        mma_f16_16x8x16(part, high, b_high);
#pragma unroll
        for (u32 i = 0; i < 4; ++i) sums[m][n][i] += part[i];
      }
    }
  }
}

// DIRECTION_TILES fragments of 8 directions for each of the four warps along them.
template <u32 DIRECTION_TILES>
__device__ __forceinline__ void tiles(
    u32 mode, u32 first_place, u32 first_coefficient, u32 voxels, u32 directions, u32 atoms,
    const u32* __restrict__ tile_order, const u32* __restrict__ tile_segments, const u32* __restrict__ segment_starts, const u32* __restrict__ segment_facts,
    const u16* __restrict__ cells, const u32* __restrict__ members, const float* __restrict__ values,
    const uint4* __restrict__ forward_fragments, const uint4* __restrict__ adjoint_fragments, float unit_of_dictionary,
    const float* __restrict__ weights, float* data, u64* sums, const double* __restrict__ scale_of_sums,
    double* norms) {
  const u32 DIRECTIONS = 8 * COLUMN_WARPS * DIRECTION_TILES, IMAGE_STRIDE = DIRECTIONS + 8;
  DYNAMIC_SHARED(int, shared);
  float* maxima = reinterpret_cast<float*>(shared);               // 2 × TILE_WARPS
  int* tile = shared + 32;                                            // VOXELS × STRIDE: weights, then products, of cells
  u32* image = reinterpret_cast<u32*>(tile) + VOXELS * STRIDE;  // VOXELS × IMAGE_STRIDE: split image
  // Coefficients on their way, in the forward product; the image is not there yet.
  u32* staged_members = image;                                                   // 2 × SEGMENT
  float* staged_values = reinterpret_cast<float*>(image + 2 * SEGMENT);          // 2 × SEGMENT
  u16* staged_cells = reinterpret_cast<u16*>(image + 4 * SEGMENT);               // 2 × SEGMENT
  float* staged_weights = reinterpret_cast<float*>(image + 5 * SEGMENT);         // SEGMENT
  const u32 thread = threadIdx.x, lane = thread & 31u, warp = thread >> 5;
  const u32 row_in_fragment = lane >> 2, pair_in_fragment = lane & 3u;
  const u32 voxel_warp = warp / COLUMN_WARPS, column_warp = warp % COLUMN_WARPS;
  const u32 tile_number = tile_order[first_place + blockIdx.x];
  const u32 first_voxel = tile_number * VOXELS;  // within the part on this device
  const u32 first_segment = tile_segments[tile_number], last_segment = tile_segments[tile_number + 1];
  float u[VOXEL_TILES][DIRECTION_TILES][4];
  float image_maximum = 0.f;
  double image_norm = 0.0, data_norm = 0.0;

  if (mode & FORWARD) {
#pragma unroll
    for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
      for (u32 n = 0; n < DIRECTION_TILES; ++n)
#pragma unroll
        for (u32 i = 0; i < 4; ++i) u[m][n][i] = 0.f;
    // u holds the image in units of 2^exponent.
    int exponent = 0;
    bool empty = true, broken = false;
    auto fetch = [&](u32 segment) {
      if (segment < last_segment) {
        const u32 begin = segment_starts[segment] - first_coefficient, count = segment_starts[segment + 1] - segment_starts[segment], half = (segment & 1u) * SEGMENT;
        for (u32 at = 4 * thread; at < count; at += 4 * TILE_THREADS) {
          async_copy_16(staged_members + half + at, members + begin + at);
          async_copy_16(staged_values + half + at, values + begin + at);
        }
        for (u32 at = 8 * thread; at < count; at += 8 * TILE_THREADS) {
          async_copy_16(staged_cells + half + at, cells + begin + at);
        }
      }
      async_copy_commit();
    };
    auto gather = [&](u32 segment) {
      if (segment < last_segment) {
        const u32 count = segment_starts[segment + 1] - segment_starts[segment], half = (segment & 1u) * SEGMENT;
        for (u32 at = thread; at < count; at += TILE_THREADS) {
          async_copy_4(staged_weights + at, weights + staged_members[half + at]);
        }
      }
      async_copy_commit();
    };
    fetch(first_segment);
    fetch(first_segment + 1);
    async_copy_wait<1>();
    __syncthreads();
    gather(first_segment);
    for (u32 segment = first_segment; segment < last_segment; ++segment) {
      const u32 count = segment_starts[segment + 1] - segment_starts[segment], half = (segment & 1u) * SEGMENT;
      const u32 facts = segment_facts[segment];  // chunk | bits of the longest run << 16
      float x[GROUPS_PER_THREAD][4];
      ushort4 cell[GROUPS_PER_THREAD];
      u32 first_is_head = 0;
      float largest = 0.f;
      bool not_finite = false;
      async_copy_wait<0>();
      __syncthreads();
#pragma unroll
      for (u32 k = 0; k < GROUPS_PER_THREAD; ++k) {
        const u32 at = 4 * (thread + k * TILE_THREADS);
        if (at < count) {
          cell[k] = *reinterpret_cast<const ushort4*>(staged_cells + half + at);
          if (at == 0 || staged_cells[half + at - 1] != cell[k].x) first_is_head |= 1u << k;
          const float4 value = *reinterpret_cast<const float4*>(staged_values + half + at);
          const float4 weight = *reinterpret_cast<const float4*>(staged_weights + at);
          x[k][0] = value.x * weight.x;
          x[k][1] = value.y * weight.y;
          x[k][2] = value.z * weight.z;
          x[k][3] = value.w * weight.w;
#pragma unroll
          for (u32 i = 0; i < 4; ++i) largest = fmaxf(largest, fabsf(x[k][i]));
#pragma unroll
          for (u32 i = 0; i < 4; ++i) not_finite |= !(fabsf(x[k][i]) <= 3.4e38f);
        }
      }
      for (u32 at = thread; at < VOXELS * STRIDE / 4; at += TILE_THREADS) {
        reinterpret_cast<int4*>(tile)[at] = make_int4(0, 0, 0, 0);
      }
      largest = block_maximum(not_finite ? __uint_as_float(0x7fffffffu) : largest, maxima);
      // What was staged is in registers: the next may come while this segment is multiplied.
      gather(segment + 1);
      fetch(segment + 2);
      if (!(largest <= 3.4e38f)) broken = true;
      if (largest > 0.f && !broken) {
        // Block floating point: the largest sum of a cell stays below 2^30, and 2^15 once it is in units of 2^now.
        // Where that is far below the unit of u, what it would keep more is under the last place of u.
        const int finest = 15 - min(29 - exponent_of(largest) - (int)(facts >> 16), 126);
        const int now = empty ? finest : max(finest, exponent - 60);
        const float unit = power_of_two(15 - now);
#pragma unroll
        for (u32 k = 0; k < GROUPS_PER_THREAD; ++k) {
          if (4 * (thread + k * TILE_THREADS) < count) {
            const u32 c[4] = {cell[k].x, cell[k].y, cell[k].z, cell[k].w};
            int sum = __float2int_rn(x[k][0] * unit);
#pragma unroll
            for (u32 i = 1; i < 4; ++i) {
              const int next = __float2int_rn(x[k][i] * unit);
              if (c[i] == c[i - 1]) {
                sum += next;
              } else {
                if (sum) atomicAdd(tile + c[i - 1], sum);
                sum = next;
              }
            }
            if (sum) atomicAdd(tile + c[3], sum);
          }
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < GROUPS_PER_THREAD; ++k) {
          if (4 * (thread + k * TILE_THREADS) < count) {
            // The first coefficient of a run converts the cell.
            if (first_is_head >> k & 1u) split_cell(tile + cell[k].x);
            if (cell[k].y != cell[k].x) split_cell(tile + cell[k].y);
            if (cell[k].z != cell[k].y) split_cell(tile + cell[k].z);
            if (cell[k].w != cell[k].z) split_cell(tile + cell[k].w);
          }
        }
        if (empty) {
          exponent = now;
          empty = false;
        } else if (now != exponent) {
          const float factor = power_of_two(max(exponent - now, -126));
#pragma unroll
          for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
            for (u32 n = 0; n < DIRECTION_TILES; ++n)
#pragma unroll
              for (u32 i = 0; i < 4; ++i) u[m][n][i] *= factor;
          exponent = now;
        }
        __syncthreads();
        const u32 chunk = facts & 0xffffu;
        const u32 steps = min(ATOMS / 16, (atoms - chunk * ATOMS + 15) / 16);
        const uint4* fragments =
            forward_fragments +
            ((u64)chunk * (ATOMS / 16) * (COLUMN_WARPS * DIRECTION_TILES) + column_warp * DIRECTION_TILES) * 32 + lane;
        multiply(u, steps, fragments, COLUMN_WARPS * DIRECTION_TILES * 32, [&](u32 m, u32 step, u32* high, u32* low) {
#pragma unroll
          for (u32 i = 0; i < 4; ++i) {
            const u32 row = (voxel_warp * VOXEL_TILES + m) * 16 + row_in_fragment + (i & 1) * 8;
            const u32 pair = step * 8 + pair_in_fragment + (i >> 1) * 4;
            const uint2 both = *reinterpret_cast<const uint2*>(tile + row * STRIDE + 2 * pair);
            high[i] = __byte_perm(both.x, both.y, 0x5410);
            low[i] = __byte_perm(both.x, both.y, 0x7632);
          }
        });
      }
    }
    const float unit = broken ? __uint_as_float(0x7fffffffu) : (empty ? 0.f : unit_of_dictionary * power_of_two(max(min(exponent, 126), -126)));
#pragma unroll
    for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
      for (u32 n = 0; n < DIRECTION_TILES; ++n)
#pragma unroll
        for (u32 half = 0; half < 2; ++half) {
          const u32 voxel = first_voxel + (voxel_warp * VOXEL_TILES + m) * 16 + row_in_fragment + half * 8;
          const u32 direction = (column_warp * DIRECTION_TILES + n) * 8 + 2 * pair_in_fragment;
          float* pair = u[m][n] + 2 * half;
          pair[0] *= unit;
          pair[1] *= unit;
          if (voxel < voxels && direction < directions) {
            float* out = data + (u64)voxel * directions + direction;
            const bool both = direction + 1 < directions;
            float2 now;
            if (mode & CARRY) {
              now.x = out[0] + pair[0];
              now.y = both ? out[1] + pair[1] : 0.f;
            } else {
              now = make_float2(pair[0], both ? pair[1] : 0.f);
            }
            if (both && (directions & 1u) == 0) {
              *reinterpret_cast<float2*>(out) = now;
            } else {
              out[0] = now.x;
              if (both) out[1] = now.y;
            }
            image_norm = fma((double)pair[0], (double)pair[0], fma((double)pair[1], (double)pair[1], image_norm));
            data_norm = fma((double)now.x, (double)now.x, fma((double)now.y, (double)now.y, data_norm));
          }
          image_maximum = fmaxf(image_maximum, fmaxf(fabsf(pair[0]), fabsf(pair[1])));
        }
  } else {
#pragma unroll
    for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
      for (u32 n = 0; n < DIRECTION_TILES; ++n)
#pragma unroll
        for (u32 half = 0; half < 2; ++half) {
          const u32 voxel = first_voxel + (voxel_warp * VOXEL_TILES + m) * 16 + row_in_fragment + half * 8;
          const u32 direction = (column_warp * DIRECTION_TILES + n) * 8 + 2 * pair_in_fragment;
          const bool in = voxel < voxels;
          const float* from = data + (u64)voxel * directions + direction;
          u[m][n][2 * half] = in && direction < directions ? from[0] : 0.f;
          u[m][n][2 * half + 1] = in && direction + 1 < directions ? from[1] : 0.f;
          image_maximum = fmaxf(image_maximum, fmaxf(fabsf(u[m][n][2 * half]), fabsf(u[m][n][2 * half + 1])));
        }
  }

  if (mode & ADJOINT) {
    const double scale = scale_of_sums[0];
    // Not where the maxima of the image were: nothing need have kept the warps together since those were read.
    const float largest = block_maximum(image_maximum, maxima + TILE_WARPS);
    if (largest > 0.f && largest <= 3.4e38f) {
      // Into the range of f16: below 2^15.
      const int shift = max(min(14 - exponent_of(largest), 126), -126);
      const float into = power_of_two(shift);
#pragma unroll
      for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
        for (u32 n = 0; n < DIRECTION_TILES; ++n)
#pragma unroll
          for (u32 half = 0; half < 2; ++half) {
            const u32 row = (voxel_warp * VOXEL_TILES + m) * 16 + row_in_fragment + half * 8;
            const u32 pair = (column_warp * DIRECTION_TILES + n) * 4 + pair_in_fragment;
            *reinterpret_cast<uint2*>(image + row * IMAGE_STRIDE + 2 * pair) =
                split(u[m][n][2 * half] * into, u[m][n][2 * half + 1] * into);
          }
      __syncthreads();
      const double scale_of_products = scale * (double)unit_of_dictionary / (double)into;
      u32 segment = first_segment;
      while (segment < last_segment) {
        const u32 chunk = segment_facts[segment] & 0xffffu;
        {
          // Its coefficients come into the cache while the products are taken.
          const u32 begin = segment_starts[segment] - first_coefficient, count = segment_starts[segment + 1] - segment_starts[segment];
          for (u32 at = 32 * thread; at < count; at += 32 * TILE_THREADS) {
            prefetch_l2(members + begin + at);
            prefetch_l2(values + begin + at);
            if ((thread & 1u) == 0) prefetch_l2(cells + begin + at);
          }
        }
        float p[VOXEL_TILES][ATOM_TILES][4];
#pragma unroll
        for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
          for (u32 n = 0; n < ATOM_TILES; ++n)
#pragma unroll
            for (u32 i = 0; i < 4; ++i) p[m][n][i] = 0.f;
        const uint4* fragments =
            adjoint_fragments + ((u64)chunk * (DIRECTIONS / 16) * (ATOMS / 8) + column_warp * ATOM_TILES) * 32 + lane;
        multiply(p, DIRECTIONS / 16, fragments, ATOMS / 8 * 32, [&](u32 m, u32 step, u32* high, u32* low) {
#pragma unroll
          for (u32 i = 0; i < 4; ++i) {
            const u32 row = (voxel_warp * VOXEL_TILES + m) * 16 + row_in_fragment + (i & 1) * 8;
            const u32 pair = step * 8 + pair_in_fragment + (i >> 1) * 4;
            const uint2 both = *reinterpret_cast<const uint2*>(image + row * IMAGE_STRIDE + 2 * pair);
            high[i] = both.x;
            low[i] = both.y;
          }
        });
        float* products = reinterpret_cast<float*>(tile);
#pragma unroll
        for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
          for (u32 n = 0; n < ATOM_TILES; ++n)
#pragma unroll
            for (u32 half = 0; half < 2; ++half) {
              const u32 row = (voxel_warp * VOXEL_TILES + m) * 16 + row_in_fragment + half * 8;
              const u32 column = (column_warp * ATOM_TILES + n) * 8 + 2 * pair_in_fragment;
              *reinterpret_cast<float2*>(products + row * STRIDE + column) =
                  make_float2(p[m][n][2 * half], p[m][n][2 * half + 1]);
            }
        __syncthreads();
        // All segments of this chunk.
        u32 after = segment + 1;
        while (after < last_segment && (segment_facts[after] & 0xffffu) == chunk) ++after;
        const u32 begin = (segment_starts[segment] - first_coefficient) / 4;
        const u32 end = (segment_starts[after] - first_coefficient) / 4;
#pragma unroll 2
        for (u32 at = begin + thread; at < end; at += TILE_THREADS) {
          const ushort4 cell = reinterpret_cast<const ushort4*>(cells)[at];
          const uint4 member = reinterpret_cast<const uint4*>(members)[at];
          const float4 value = reinterpret_cast<const float4*>(values)[at];
          add_fixed(sums + member.x, (double)(value.x * products[cell.x]), scale_of_products);
          add_fixed(sums + member.y, (double)(value.y * products[cell.y]), scale_of_products);
          add_fixed(sums + member.z, (double)(value.z * products[cell.z]), scale_of_products);
          add_fixed(sums + member.w, (double)(value.w * products[cell.w]), scale_of_products);
        }
        segment = after;
        __syncthreads();
      }
    }
  }
  if (norms) {
    double* sums_of_norms = reinterpret_cast<double*>(shared);
    __syncthreads();
#pragma unroll
    for (u32 distance = 1; distance < 32; distance *= 2) {
      image_norm += __shfl_xor_sync(ALL, image_norm, distance);
      data_norm += __shfl_xor_sync(ALL, data_norm, distance);
    }
    if (lane == 0) {
      sums_of_norms[2 * warp] = image_norm;
      sums_of_norms[2 * warp + 1] = data_norm;
    }
    __syncthreads();
    if (thread < 2) {
      double sum = 0.0;
      for (u32 n = 0; n < TILE_THREADS / 32; ++n) sum += sums_of_norms[2 * n + thread];
      norms[2 * (u64)tile_number + thread] = sum;
    }
  }
}

#define TILES(NAME, DIRECTION_TILES)                                                                                   \
  extern "C" __global__ void __launch_bounds__(TILE_THREADS, 2) NAME(                                                  \
      u32 mode, u32 first_place, u32 first_coefficient, u32 voxels, u32 directions, u32 atoms,                         \
      const u32* __restrict__ tile_order, const u32* __restrict__ tile_segments,                                       \
      const u32* __restrict__ segment_starts, const u32* __restrict__ segment_facts, const u16* __restrict__ cells,    \
      const u32* __restrict__ members, const float* __restrict__ values, const uint4* __restrict__ forward_fragments,  \
      const uint4* __restrict__ adjoint_fragments, float unit_of_dictionary, const float* __restrict__ weights,        \
      float* data, u64* sums, const double* __restrict__ scale_of_sums, double* norms) {                               \
    tiles<DIRECTION_TILES>(mode, first_place, first_coefficient, voxels, directions, atoms, tile_order, tile_segments, \
                           segment_starts, segment_facts, cells, members, values, forward_fragments,                   \
                           adjoint_fragments, unit_of_dictionary, weights, data, sums, scale_of_sums, norms);          \
  }
TILES(sparse_tucker_tiles_32, 1)
TILES(sparse_tucker_tiles_64, 2)
TILES(sparse_tucker_tiles_96, 3)

// Forward Fourier sums, from an image on a grid to samples. They are computed as a matrix product on tensor
// cores. Each number is split into a high and a low part in half precision (f16).
//
// s(k) = Σ_column e^(−2πi (k_y y + k_z z)) Σ_x ρ(x, column) e^(−2πi k_x x). There is one column of the image
// ρ for each y and z. The voxels of a column are paired by mirroring at the middle of x. Let E be the sum and
// O the difference of the two voxels of a pair. The inner sum over x is then Σ cos · E − i sin · O over all
// pairs. This is a product of real matrices: the cosines and sines of a sample, times two real columns (real
// and imaginary part) for each complex column.
//
// Each block of threads computes 128 samples, and processes all columns, 64 at a time. The products are
// multiplied by the phase factors of the columns along y and z, and added in registers. Two tables are
// computed before: the cosines and sines of the samples (forward_rows), and the columns of the image
// (forward_columns). They have the order in which the threads read them. Each number is stored as a high and
// a low f16 part, with 22 bits together. The product of two low parts is omitted.
//
// A phase is a 32-bit fraction of a turn. The phase of a voxel is its index times the phase of the sample
// between two neighbouring voxels. Integer overflow removes whole turns.
#include "async_copy.cuh"
#include "cuda.cuh"
#include "mma.cuh"
#include "phase.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS 256
// Number of samples that a block of threads computes, number of complex columns in a tile, and number of
// terms of the sum over x in a fragment.
#define SAMPLES 128u
#define COLUMNS 64u
#define DEPTH 16u
// Number of voxel pairs whose cosines are stored one after the other, before their sines.
#define PAIRS 64u
// Size of the part of a tile that each warp (32 threads) computes, in fragments: number of fragments along
// the samples, and number along the columns. The eight warps of a block are arranged in two rows along the
// samples, with four warps along the columns.
#define SAMPLE_TILES 4u
#define COLUMN_TILES 4u
// Number of 16-byte words in a table for a fragment of 16 terms. In the table of samples, high and low parts
// are in separate words. In the table of columns, each word contains both parts.
#define ROW_WORDS (SAMPLES / 16u * 2u * 32u)
#define COLUMN_WORDS (COLUMNS / 4u * 32u)
// Number of fragments that are processed between two barriers (one step), and number of steps that are
// buffered in shared memory.
#define FRAGMENTS 2u
#define STAGES 3u
// Number of column tiles after which the sums of the threads are added to the sums of the samples.
#define SEGMENT 64u
// Factor by which the cosines and sines are multiplied. It is so large that their low parts are normal f16
// numbers, not subnormal ones.
#define ROW_SCALE 256.f

// Parameters of a launch of the kernels of forward sums.
struct ForwardPlan {
  u32 nx, ny, nz;
  // Number of samples of the trajectory.
  u32 samples;
  // Index of the first sample in the table of this launch, and number of samples in the table, a multiple of
  // SAMPLES.
  u32 first, count;
  // Number of fragments of 16 terms in the sum over x. For each 64 pairs of voxels, there are 2 · 64 terms
  // (cosines and sines).
  u32 fragments;
  // Number of column tiles of a slice. Index of the first column tile of this launch, a multiple of SEGMENT,
  // and number of column tiles of this launch.
  u32 column_tiles, first_tile, tiles;
  // `resumes` is 1 if this launch adds to the sums of an earlier launch. `goes_on` is 1 if a later launch
  // adds to the sums of this launch.
  u32 resumes, goes_on;
};

// Returns the index of the pair of voxels to which a term of the sum belongs. Sets `sine` to true if the term
// is the sine of the pair, and to false if it is the cosine.
__device__ __forceinline__ u32 pair_of(u32 term, bool* sine) {
  *sine = term / PAIRS & 1u;
  return term / (2u * PAIRS) * PAIRS + term % PAIRS;
}

// Computes the table of the cosines and sines of samples. It has ROW_WORDS words for each block of 128
// samples and each fragment. Each thread writes one word of high parts and one word of low parts. `steps`
// has, for each sample, the phase for half a voxel along x.
extern "C" __global__ void __launch_bounds__(THREADS)
    forward_rows(ForwardPlan plan, const u32* __restrict__ steps, uint4* table) {
  const u64 at = (u64)blockIdx.x * THREADS + threadIdx.x;
  const u32 lane = at & 31u, tile = at >> 5 & 7u;
  const u64 rest = at >> 8;
  if (rest >= (u64)plan.fragments * (plan.count / SAMPLES)) return;
  const u32 fragment = rest % plan.fragments, block = rest / plan.fragments;
  const u32 row = lane >> 2, pair = lane & 3u;
  float values[2][4];
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
    const u32 sample = plan.first + block * SAMPLES + tile * 16u + row + 8u * half;
#pragma unroll
    for (u32 n = 0; n < 4; ++n) {
      bool is_sine;
      const u32 p = pair_of(fragment * DEPTH + 2u * pair + (n & 1u) + 8u * (n >> 1), &is_sine);
      const bool there = 2u * p < plan.nx && sample < plan.samples;
      const int phase = there ? (int)(steps[sample] * (plan.nx - 1u - 2u * p)) : 0;
      float sine, cosine;
      phase_sin_cos(phase, &sine, &cosine);
      values[half][n] = there ? ROW_SCALE * (is_sine ? sine : cosine) : 0.f;
    }
  }
  uint4 high, low;
  split_f16(values[0][0], values[0][1], &high.x, &low.x);
  split_f16(values[1][0], values[1][1], &high.y, &low.y);
  split_f16(values[0][2], values[0][3], &high.z, &low.z);
  split_f16(values[1][2], values[1][3], &high.w, &low.w);
  uint4* const here = table + (rest * 8u + tile) * 64u + lane;
  here[0] = high;
  here[32] = low;
}

// Computes the table of image columns. It has COLUMN_WORDS words for each tile and each fragment, and each
// thread writes one word. The real and the imaginary part of a column are next to each other. The image is
// multiplied by `scale` before its numbers are split into f16 parts.
extern "C" __global__ void __launch_bounds__(THREADS)
    forward_columns(ForwardPlan plan, float scale, const float2* __restrict__ image, uint4* table) {
  const u64 at = (u64)blockIdx.x * THREADS + threadIdx.x;
  const u32 lane = at & 31u, part_of_tile = at >> 5 & 15u;
  const u64 rest = at >> 9;
  if (rest >= (u64)plan.fragments * plan.tiles) return;
  const u32 fragment = rest % plan.fragments, tile = plan.first_tile + rest / plan.fragments;
  const u32 y = tile % plan.column_tiles * COLUMNS + part_of_tile * 4u + (lane >> 3), slice = tile / plan.column_tiles;
  const bool imaginary = lane >> 2 & 1u;
  const float2* const row = image + ((u64)slice * plan.ny + y) * plan.nx;
  float values[4];
#pragma unroll
  for (u32 n = 0; n < 4; ++n) {
    bool is_sine;
    const u32 p = pair_of(fragment * DEPTH + 2u * (lane & 3u) + (n & 1u) + 8u * (n >> 1), &is_sine);
    values[n] = 0.f;
    if (y >= plan.ny || slice >= plan.nz || 2u * p >= plan.nx) continue;
    const u32 opposite = plan.nx - 1u - p;
    const float2 far = row[opposite], near = row[p];
    // The middle voxel of an image row is its own mirror image.
    const bool alone = opposite == p;
    const float re = is_sine ? far.y - near.y : alone ? far.x : far.x + near.x;
    const float im = is_sine ? near.x - far.x : alone ? far.y : far.y + near.y;
    values[n] = scale * (imaginary ? im : re);
  }
  uint4 word;
  split_f16(values[0], values[1], &word.x, &word.z);
  split_f16(values[2], values[3], &word.y, &word.w);
  table[(rest * 16u + part_of_tile) * 32u + lane] = word;
}

// Three phases of a sample that are the same for all columns. They belong to a step of one voxel along y, to
// a step along z, and to the middle of x.
struct __align__(16) Steps {
  u32 y, z, shift, unused;
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) forward_sums(
    ForwardPlan plan, const uint4* __restrict__ rows, const uint4* __restrict__ columns, const u32* __restrict__ along_x,
    const u32* __restrict__ along_y, const u32* __restrict__ along_z, float scale, float2* sums) {
  DYNAMIC_SHARED(uint4, memory);
  const u32 stage_words = FRAGMENTS * (ROW_WORDS + COLUMN_WORDS);
  Steps* const steps = reinterpret_cast<Steps*>(memory + STAGES * stage_words);
  float2* const partial = reinterpret_cast<float2*>(steps + SAMPLES);
  const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5, along_samples = warp >> 2, along_columns = warp & 3u;
  const u32 first = plan.first + blockIdx.x * SAMPLES, mine = first + threadIdx.x;
  const uint4* const my_rows = rows + (u64)blockIdx.x * plan.fragments * ROW_WORDS;
  float2 total = make_float2(0.f, 0.f);
  if (threadIdx.x < SAMPLES) {
    const bool there = mine < plan.samples;
    Steps own = {0u, 0u, 0u, 0u};
    if (there) {
      own.y = along_y[mine];
      own.z = along_z[mine];
      // If the number of voxels along x is even, the middle of the axis is half a voxel before the origin.
      own.shift = plan.nx & 1u ? 0u : along_x[mine];
    }
    steps[threadIdx.x] = own;
    if (there && plan.resumes) total = sums[mine];
  }
  const u32 of_tile = plan.fragments / FRAGMENTS, all = plan.tiles * of_tile;
  // The next step that will be loaded: its number, its column tile, its number within this tile, and its
  // buffer in shared memory.
  u32 next = 0, next_tile = 0, next_part = 0, next_stage = 0;
  const auto fetch = [&]() {
    if (next < all) {
      const uint4* const from_rows = my_rows + (u64)next_part * FRAGMENTS * ROW_WORDS;
      const uint4* const from_columns = columns + ((u64)next_tile * plan.fragments + next_part * FRAGMENTS) * COLUMN_WORDS;
      uint4* const to = memory + next_stage * stage_words;
#pragma unroll
      for (u32 n = 0; n < FRAGMENTS * ROW_WORDS; n += THREADS) async_copy_16(to + n + threadIdx.x, from_rows + n + threadIdx.x);
#pragma unroll
      for (u32 n = 0; n < FRAGMENTS * COLUMN_WORDS; n += THREADS) {
        async_copy_16(to + FRAGMENTS * ROW_WORDS + n + threadIdx.x, from_columns + n + threadIdx.x);
      }
    }
    async_copy_commit();
    ++next;
    next_stage = next_stage + 1u == STAGES ? 0u : next_stage + 1u;
    if (++next_part == of_tile) {
      next_part = 0u;
      ++next_tile;
    }
  };
  float products[SAMPLE_TILES][COLUMN_TILES][4];
  float2 of_lane[SAMPLE_TILES][2];
#pragma unroll
  for (u32 m = 0; m < SAMPLE_TILES; ++m) {
    of_lane[m][0] = of_lane[m][1] = make_float2(0.f, 0.f);
#pragma unroll
    for (u32 n = 0; n < COLUMN_TILES; ++n)
#pragma unroll
      for (u32 i = 0; i < 4; ++i) products[m][n][i] = 0.f;
  }
  fetch();
  fetch();
  u32 stage = 0, part = 0, tile = plan.first_tile;
  for (u32 step = 0; step < all; ++step) {
    async_copy_wait<1>();
    __syncthreads();
    fetch();
    const uint4* const here = memory + stage * stage_words;
    stage = stage + 1u == STAGES ? 0u : stage + 1u;
#pragma unroll
    for (u32 fragment = 0; fragment < FRAGMENTS; ++fragment) {
      uint4 of_columns[COLUMN_TILES];
#pragma unroll
      for (u32 n = 0; n < COLUMN_TILES; ++n) {
        of_columns[n] = here[FRAGMENTS * ROW_WORDS + fragment * COLUMN_WORDS + (along_columns * COLUMN_TILES + n) * 32u + lane];
      }
#pragma unroll
      for (u32 m = 0; m < SAMPLE_TILES; ++m) {
        const uint4* const from = here + fragment * ROW_WORDS + (along_samples * SAMPLE_TILES + m) * 64u + lane;
        const uint4 high = from[0], low = from[32];
        const u32 a_high[4] = {high.x, high.y, high.z, high.w}, a_low[4] = {low.x, low.y, low.z, low.w};
#pragma unroll
        for (u32 n = 0; n < COLUMN_TILES; ++n) {
          const u32 b_high[2] = {of_columns[n].x, of_columns[n].y}, b_low[2] = {of_columns[n].z, of_columns[n].w};
          mma_f16_16x8x16(products[m][n], a_low, b_high);
          mma_f16_16x8x16(products[m][n], a_high, b_low);
          mma_f16_16x8x16(products[m][n], a_high, b_high);
        }
      }
    }
    if (++part < of_tile) continue;
    part = 0u;
    // Columns after the last column of the image are 0 in the table, so that their sums are 0.
    const u32 z = tile / plan.column_tiles - plan.nz / 2u;
    const u32 y = tile % plan.column_tiles * COLUMNS + along_columns * 16u + (lane & 3u) - plan.ny / 2u;
#pragma unroll
    for (u32 m = 0; m < SAMPLE_TILES; ++m)
#pragma unroll
      for (u32 half = 0; half < 2; ++half) {
        const Steps own = steps[along_samples * 64u + m * 16u + (lane >> 2) + 8u * half];
        const u32 base = own.z * z - own.shift;
#pragma unroll
        for (u32 n = 0; n < COLUMN_TILES; ++n) {
          float sine, cosine;
          phase_sin_cos_fast((int)(base + own.y * (y + 4u * n)), &sine, &cosine);
          const float re = products[m][n][2u * half], im = products[m][n][2u * half + 1u];
          of_lane[m][half].x = fmaf(re, cosine, fmaf(im, sine, of_lane[m][half].x));
          of_lane[m][half].y = fmaf(im, cosine, fmaf(-re, sine, of_lane[m][half].y));
          products[m][n][2u * half] = products[m][n][2u * half + 1u] = 0.f;
        }
      }
    ++tile;
    if (tile % SEGMENT != 0u && step + 1u < all) continue;
    // The sums of one sample are in four threads of each of four warps, which have processed different
    // columns.
#pragma unroll
    for (u32 m = 0; m < SAMPLE_TILES; ++m)
#pragma unroll
      for (u32 half = 0; half < 2; ++half) {
        float2 sum = of_lane[m][half];
#pragma unroll
        for (u32 distance = 1; distance < 4u; distance *= 2u) {
          sum.x += __shfl_xor_sync(0xffffffffu, sum.x, distance);
          sum.y += __shfl_xor_sync(0xffffffffu, sum.y, distance);
        }
        of_lane[m][half] = make_float2(0.f, 0.f);
        if ((lane & 3u) == 0u) {
          partial[along_columns * SAMPLES + along_samples * 64u + m * 16u + (lane >> 2) + 8u * half] = sum;
        }
      }
    __syncthreads();
    if (threadIdx.x < SAMPLES) {
#pragma unroll
      for (u32 n = 0; n < 4u; ++n) {
        total.x += partial[n * SAMPLES + threadIdx.x].x;
        total.y += partial[n * SAMPLES + threadIdx.x].y;
      }
    }
  }
  if (threadIdx.x < SAMPLES && mine < plan.samples) {
    const float factor = plan.goes_on ? 1.f : scale;
    sums[mine] = make_float2(factor * total.x, factor * total.y);
  }
}

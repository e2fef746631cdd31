// Adjoint of exact Fourier sums: from samples to an image on a grid. It is computed as a matrix product on
// tensor cores. Each number is split into a high and a low part in half precision (f16).
//
// image(x, column) = Σ_k e^(2πi k_x x) · b(k, column) with b = data · e^(2πi k_y y) · e^(2πi k_z z). There is
// one column for each y, z and volume. The voxels along x are paired by mirroring at the middle of x, so that
// the matrix rows are the real cosines and sines of these pairs. The rows are computed once (fourier_rows)
// and read by every block of threads. Each block computes b for its columns. Each number is stored as a high
// and a low f16 part, with 22 bits together. The product of two low parts is omitted.
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
// Size of the tile that a block of threads computes: number of pairs of rows (each with a cosine and a sine),
// and number of complex columns.
#define PAIRS 64u
#define COLUMNS 64u
// Number of samples in a fragment.
#define DEPTH 16u
// Number of samples after which the sums of the tensor cores are added to separate totals. This is needed
// because tensor cores truncate numbers instead of rounding them.
#define FLUSHED 128u
// Size of the part of a tile that each warp (32 threads) computes: number of fragments along the rows, and
// number of fragments along the columns.
#define ROW_TILES 4u
#define COLUMN_TILES 4u
// Number of 16-byte words in the table of rows for one fragment of samples. It is the product of two warps
// along the rows, the fragments of each warp, two parts (high and low), and 32 threads.
#define ROW_WORDS (2u * ROW_TILES * 2u * 32u)
// Number of 16-byte words for the columns of a fragment of samples. Each tile of four complex columns has one
// word per thread of a warp (32 threads).
#define COLUMN_WORDS (COLUMNS / 4u * 32u)
// Factor by which the cosines and sines of the rows are multiplied. It is so large that their low parts are
// normal f16 numbers, not subnormal ones.
#define ROW_SCALE 256.f

// Parameters of a launch of the kernels of adjoint sums.
struct SumsPlan {
  u32 nx, ny, nz;
  // Number of samples of the trajectory. This launch processes `fragments` fragments of 16 samples, beginning
  // with the sample `first`.
  u32 samples, first, fragments;
  // Number of row tiles of an image, and number of column tiles of a slice.
  u32 row_tiles, column_tiles;
  // `resumes` is 1 if this launch adds to the sums of an earlier launch. `goes_on` is 1 if a later launch
  // adds to the sums of this launch.
  u32 resumes, goes_on;
  // Index of the first slice that this launch computes, with the slices of all volumes numbered
  // consecutively. Index of the volume to which the first data of this launch belong.
  u32 first_slice, first_volume;
};

// Computes the table of rows (cosines and sines along x), in the order in which the threads of a warp read
// them. The table has ROW_WORDS words for each row tile and each fragment of samples. Each thread writes one
// word of high parts and one word of low parts. `steps` has, for each sample, the phase for half a voxel
// along x.
extern "C" __global__ void __launch_bounds__(THREADS) fourier_rows(SumsPlan plan, const u32* __restrict__ steps, uint4* table) {
  const u64 at = (u64)blockIdx.x * THREADS + threadIdx.x;
  const u32 lane = at & 31u, tile = at >> 5 & 3u, warp = at >> 7 & 1u;
  const u64 rest = at >> 8;
  if (rest >= (u64)plan.row_tiles * plan.fragments) return;
  const u32 fragment = rest % plan.fragments, row_tile = rest / plan.fragments;
  const u32 row = lane >> 2, pair = lane & 3u;
  float values[2][4];
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
    const u32 p = row_tile * PAIRS + warp * 32u + (tile & 1u) * 16u + row + 8u * half;
    const bool there = 2u * p < plan.nx;
#pragma unroll
    for (u32 n = 0; n < 4; ++n) {
      const u32 sample = plan.first + fragment * DEPTH + 2u * pair + (n & 1u) + 8u * (n >> 1);
      const int phase = there && sample < plan.samples ? (int)(steps[sample] * (plan.nx - 1u - 2u * p)) : 0;
      float sine, cosine;
      phase_sin_cos(phase, &sine, &cosine);
      values[half][n] = there ? ROW_SCALE * (tile >> 1 ? sine : cosine) : 0.f;
    }
  }
  uint4 high, low;
  split_f16(values[0][0], values[0][1], &high.x, &low.x);
  split_f16(values[1][0], values[1][1], &high.y, &low.y);
  split_f16(values[0][2], values[0][3], &high.z, &low.z);
  split_f16(values[1][2], values[1][3], &high.w, &low.w);
  uint4* const here = table + (((rest * 2u + warp) * ROW_TILES + tile) * 2u) * 32u + lane;
  here[0] = high;
  here[32] = low;
}

// Values of a sample that are the same for all columns of a block. The first is the sample's datum times its
// factors along z and at the middle of x. The second is its phase for a step of one voxel along y.
struct __align__(16) Base {
  float re, im;
  u32 step, unused;
};

template <u32 STEP> struct Adjoint {
  static constexpr u32 FRAGMENTS = STEP / DEPTH;
  static constexpr u32 ROWS = FRAGMENTS * ROW_WORDS, FACTORS = FRAGMENTS * COLUMN_WORDS;

  SumsPlan plan;
  const u32* along_x;
  const u32* along_y;
  const u32* along_z;
  const float2* data;
  const uint4* table;
  uint4* rows;
  uint4* factors;
  Base* bases;
  u32 z, first_y;
  // Factor by which the volume's data are multiplied, before they are split into f16 parts.
  float scale;

  __device__ __forceinline__ void fetch_rows(u32 step, u32 steps) const {
    if (step < steps) {
      const uint4* const from = table + (u64)step * ROWS;
      uint4* const to = rows + step % 3u * ROWS;
      for (u32 n = threadIdx.x; n < ROWS; n += THREADS) async_copy_16(to + n, from + n);
    }
    async_copy_commit();
  }

  __device__ __forceinline__ void make_base(u32 step) const {
    if (threadIdx.x >= STEP) return;
    const u32 sample = plan.first + step * STEP + threadIdx.x;
    Base base = {0.f, 0.f, 0u, 0u};
    if (step * STEP < plan.fragments * DEPTH && sample < plan.samples) {
      const float2 value = data[sample];
      // If the number of voxels along x is even, the middle of the axis is half a voxel before the origin.
      const u32 shift = plan.nx & 1u ? 0u : along_x[sample];
      float sine, cosine;
      phase_sin_cos((int)(along_z[sample] * (z - plan.nz / 2u) - shift), &sine, &cosine);
      const float re = scale * value.x, im = scale * value.y;
      base.re = re * cosine - im * sine;
      base.im = re * sine + im * cosine;
      base.step = along_y[sample];
    }
    bases[step % 3u * STEP + threadIdx.x] = base;
  }

  // Computes the factors of the columns for the samples of one step. In each fragment, a thread computes four
  // samples of one column.
  __device__ __forceinline__ void make_factors(u32 step) const {
    const u32 column = threadIdx.x >> 2, pair = threadIdx.x & 3u, y = first_y + column;
    // Columns after the last column of the image get arbitrary sums, which are never read.
    const u32 from_middle = y - plan.ny / 2u;
#pragma unroll
    for (u32 fragment = 0; fragment < FRAGMENTS; ++fragment) {
      float re[4], im[4];
#pragma unroll
      for (u32 n = 0; n < 4; ++n) {
        const u32 sample = fragment * DEPTH + 2u * pair + (n & 1u) + 8u * (n >> 1);
        const Base base = bases[step % 3u * STEP + sample];
        float sine, cosine;
        phase_sin_cos_fast((int)(base.step * from_middle), &sine, &cosine);
        re[n] = fmaf(base.re, cosine, -(base.im * sine));
        im[n] = fmaf(base.re, sine, base.im * cosine);
      }
      uint4 of_re, of_im;
      split_f16(re[0], re[1], &of_re.x, &of_re.z);
      split_f16(re[2], re[3], &of_re.y, &of_re.w);
      split_f16(im[0], im[1], &of_im.x, &of_im.z);
      split_f16(im[2], im[3], &of_im.y, &of_im.w);
      // The real and the imaginary part of a column are neighbouring columns of the fragment. In every second
      // column, the imaginary part is written first, so that eight threads write to different memory banks.
      uint4* const to = factors + (step & 1u) * FACTORS + (fragment * COLUMN_WORDS + (column >> 2) * 32u) + (column & 3u) * 8u + pair;
      const bool swapped = column & 1u;
      to[swapped ? 4 : 0] = swapped ? of_im : of_re;
      to[swapped ? 0 : 4] = swapped ? of_re : of_im;
    }
  }

  __device__ __forceinline__ void multiply(u32 step, float (&sums)[ROW_TILES][COLUMN_TILES][4]) const {
    const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5, along_rows = warp >> 2, along_columns = warp & 3u;
#pragma unroll
    for (u32 fragment = 0; fragment < FRAGMENTS; ++fragment) {
      uint4 columns[COLUMN_TILES];
#pragma unroll
      for (u32 n = 0; n < COLUMN_TILES; ++n) {
        columns[n] = factors[(step & 1u) * FACTORS + fragment * COLUMN_WORDS + (along_columns * COLUMN_TILES + n) * 32u + lane];
      }
#pragma unroll
      for (u32 m = 0; m < ROW_TILES; ++m) {
        const uint4* const from = rows + step % 3u * ROWS + fragment * ROW_WORDS + (along_rows * ROW_TILES + m) * 64u + lane;
        const uint4 high = from[0], low = from[32];
        const u32 a_high[4] = {high.x, high.y, high.z, high.w}, a_low[4] = {low.x, low.y, low.z, low.w};
#pragma unroll
        for (u32 n = 0; n < COLUMN_TILES; ++n) {
          const u32 b_high[2] = {columns[n].x, columns[n].y}, b_low[2] = {columns[n].z, columns[n].w};
          mma_f16_16x8x16(sums[m][n], a_low, b_high);
          mma_f16_16x8x16(sums[m][n], a_high, b_low);
          mma_f16_16x8x16(sums[m][n], a_high, b_high);
        }
      }
    }
  }
};

// Each block of threads computes one tile (pairs of rows times columns) of one slice of a volume. `image`
// begins with the first slice of this launch. `scales` has two factors for each volume: for its data before
// they are split, and for its sums at the end.
template <u32 STEP>
__device__ __forceinline__ void adjoint(
    SumsPlan plan, const uint4* table, const u32* along_x, const u32* along_y, const u32* along_z, const float2* data,
    const float2* scales, float* products, float2* image) {
  typedef Adjoint<STEP> Work;
  DYNAMIC_SHARED(uint4, memory);
  u32 block = blockIdx.x;
  const u32 row_tile = block % plan.row_tiles;
  block /= plan.row_tiles;
  const u32 first_y = block % plan.column_tiles * COLUMNS;
  block /= plan.column_tiles;
  const u32 slice = block, z = (plan.first_slice + slice) % plan.nz;
  const u32 volume = (plan.first_slice + slice) / plan.nz - plan.first_volume;
  const Work work = {
      plan, along_x, along_y, along_z, data + (u64)volume * plan.samples, table + (u64)row_tile * plan.fragments * ROW_WORDS,
      memory, memory + 3u * Work::ROWS, reinterpret_cast<Base*>(memory + 3u * Work::ROWS + 2u * Work::FACTORS), z, first_y, scales[volume].x};
  const u32 steps = plan.fragments / Work::FRAGMENTS;
  float sums[ROW_TILES][COLUMN_TILES][4], totals[ROW_TILES][COLUMN_TILES][4];
  float* const kept = products + (u64)blockIdx.x * (ROW_TILES * COLUMN_TILES * 4u * THREADS) + threadIdx.x;
#pragma unroll
  for (u32 m = 0; m < ROW_TILES; ++m)
#pragma unroll
    for (u32 n = 0; n < COLUMN_TILES; ++n)
#pragma unroll
      for (u32 i = 0; i < 4; ++i) {
        sums[m][n][i] = 0.f;
        totals[m][n][i] = plan.resumes ? kept[((m * COLUMN_TILES + n) * 4u + i) * THREADS] : 0.f;
      }
  work.fetch_rows(0, steps);
  work.fetch_rows(1, steps);
  work.make_base(0);
  work.make_base(1);
  __syncthreads();
  work.make_factors(0);
  for (u32 step = 0; step < steps; ++step) {
    async_copy_wait<1>();
    __syncthreads();
    work.fetch_rows(step + 2u, steps);
    work.make_base(step + 2u);
    work.make_factors(step + 1u);
    work.multiply(step, sums);
    if ((step + 1u) % (FLUSHED / STEP) == 0u || step + 1u == steps) {
#pragma unroll
      for (u32 m = 0; m < ROW_TILES; ++m)
#pragma unroll
        for (u32 n = 0; n < COLUMN_TILES; ++n)
#pragma unroll
          for (u32 i = 0; i < 4; ++i) {
            totals[m][n][i] += sums[m][n][i];
            sums[m][n][i] = 0.f;
          }
    }
  }
  const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
  const float scale = scales[volume].y;
#pragma unroll
  for (u32 m = 0; m < ROW_TILES / 2u; ++m)
#pragma unroll
    for (u32 n = 0; n < COLUMN_TILES; ++n)
#pragma unroll
      for (u32 half = 0; half < 2; ++half) {
        if (plan.goes_on) {
#pragma unroll
          for (u32 i = 2u * half; i < 2u * half + 2u; ++i) {
            kept[((m * COLUMN_TILES + n) * 4u + i) * THREADS] = totals[m][n][i];
            kept[(((m + 2u) * COLUMN_TILES + n) * 4u + i) * THREADS] = totals[m + 2u][n][i];
          }
          continue;
        }
        const u32 p = row_tile * PAIRS + (warp >> 2) * 32u + m * 16u + (lane >> 2) + 8u * half;
        const u32 y = first_y + ((warp & 3u) * COLUMN_TILES + n) * 4u + (lane & 3u);
        if (y >= plan.ny || 2u * p >= plan.nx) continue;
        const float re = scale * totals[m][n][2u * half], im = scale * totals[m][n][2u * half + 1u];
        const float sine_re = scale * totals[m + 2u][n][2u * half];
        const float sine_im = scale * totals[m + 2u][n][2u * half + 1u];
        float2* const row = image + ((u64)slice * plan.ny + y) * plan.nx;
        // The sine of the middle voxel of an image row is 0 and is not stored.
        row[plan.nx - 1u - p] = make_float2(re - sine_im, im + sine_re);
        row[p] = make_float2(re + sine_im, im - sine_re);
      }
}

#define ADJOINT(STEP)                                                                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS, 1) fourier_adjoint_##STEP(                                   \
        SumsPlan plan, const uint4* __restrict__ table, const u32* __restrict__ along_x,                               \
        const u32* __restrict__ along_y, const u32* __restrict__ along_z, const float2* __restrict__ data,             \
        const float2* __restrict__ scales, float* products, float2* image) {                                           \
      adjoint<STEP>(plan, table, along_x, along_y, along_z, data, scales, products, image);                            \
    }
ADJOINT(32)
ADJOINT(16)

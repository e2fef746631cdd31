// GPU kernels for the products of a sparse Tucker operator. One block of threads processes a tile of voxels.
// It adds up the weights of the tile for each pair of voxel and dictionary row (atom) in shared memory. Then
// it multiplies these sums by the dictionary on tensor cores, with each number split into a high and a low
// f16 part. The cost of this dense product does not depend on how many pairs have a coefficient.
#include "async_copy.cuh"
#include "cuda.cuh"
#include "halves.cuh"
#include "products.cuh"

// A block has 8 warps (32 threads each) in a grid of 2 along the voxels and 4 along the directions (or
// atoms). The block processes a tile of 128 voxels and 96 atoms at a time.
#define TILE_THREADS 256
#define TILE_WARPS 8
#define VOXEL_WARPS 2u
#define COLUMN_WARPS 4u
// Number of fragments that each warp processes along the voxels. A fragment is a part of the matrix for
// tensor cores, here with 16 voxels.
#define VOXEL_TILES 4u
#define VOXELS (16u * VOXEL_WARPS * VOXEL_TILES)
#define ATOMS 96u
// Distance in shared memory between the rows of a tile, as a number of words. A row has the atoms of one
// voxel. The distance is the number of atoms plus eight, so that the rows that tensor cores read together are
// in different memory banks.
#define STRIDE (ATOMS + 8u)
// Number of fragments that each warp processes along the atoms of a chunk. A fragment is a part of the matrix
// for tensor cores, here with 8 atoms.
#define ATOM_TILES (ATOMS / (8u * COLUMN_WARPS))
// Maximum number of coefficients of a segment. It is a multiple of 8.
#define SEGMENT 2496
#define GROUPS_PER_THREAD ((SEGMENT / 4 + TILE_THREADS - 1) / TILE_THREADS)

// Returns 2^n for −126 ≤ n ≤ 127.
__device__ __forceinline__ float power_of_two(int n) { return __uint_as_float((u32)(n + 127) << 23); }

// Returns the integer n with 2^n ≤ x < 2^(n+1), for a normal floating-point number x.
__device__ __forceinline__ int exponent_of(float x) { return (int)(__float_as_uint(x) >> 23) - 127; }

// Returns the maximum of a value over all threads of the block. NaN is treated as the largest value.
__device__ __forceinline__ float block_maximum(float x, float* shared) {
  // The bits of non-negative floats, read as integers, have the same order as the floats, with NaN above all others.
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

// ---- data of a block

// The flags of a kernel launch. The next fields are the indices of the launch's first tile and first
// coefficient, among those of the GPU.
struct Launch {
  u32 mode;
  u32 first_place, first_coefficient;
  // Number of voxels of the GPU, number of directions and of atoms of the dictionary, and unit of the numbers
  // in the dictionary's fragments.
  u32 voxels, directions, atoms;
  float unit_of_dictionary;
};

// The coefficients of a kernel launch, in segments of at most SEGMENT coefficients. All coefficients of a
// segment belong to one tile of voxels and one chunk of ATOMS atoms. They are sorted by cell (pair of voxel
// and atom).
struct Coefficients {
  const u32* starts; // Index of each segment's first coefficient, among the coefficients of the GPU.
  const u32* facts; // The word of a segment is: chunk | ceil(log2(length of the longest run)) << 16.
  const u16* cells;
  const u32* members;
  const float* values;
  u32 first;

  __device__ __forceinline__ u32 begin(u32 segment) const { return starts[segment] - first; }
  __device__ __forceinline__ u32 count(u32 segment) const { return starts[segment + 1] - starts[segment]; }
  __device__ __forceinline__ u32 chunk(u32 segment) const { return facts[segment] & 0xffffu; }
};

// Position of a thread in the tile of voxels that its block processes.
struct Seat {
  u32 thread, lane, warp;
  // `row` and `pair` are the row and the pair of columns that the thread holds in a fragment of a matrix.
  // `voxel_warp` and `column_warp` are the position of the thread's warp along voxels and along columns.
  u32 row, pair, voxel_warp, column_warp;

  __device__ __forceinline__ Seat()
      : thread(threadIdx.x), lane(thread & 31u), warp(thread >> 5), row(lane >> 2), pair(lane & 3u),
        voxel_warp(warp / COLUMN_WARPS), column_warp(warp % COLUMN_WARPS) {}
  // Returns the voxel in the tile that belongs to row `row` of the matrix fragment m. If `half` is 1, it
  // returns the voxel eight rows below.
  __device__ __forceinline__ u32 voxel(u32 m, u32 half) const {
    return voxel_warp * VOXEL_TILES * 16 + row + below(m, half);
  }
  // Returns the distance between the voxel of fragment m (or the voxel eight rows below it) and the first
  // voxel of the thread. The unit is a row of the tile.
  static __device__ __forceinline__ constexpr u32 below(u32 m, u32 half) { return 16 * m + 8 * half; }
};

// The shared memory of a block of threads. Before the image M w is written to its memory there, this memory
// holds the staged coefficients.
template <u32 DIRECTION_TILES> struct Shared {
  static constexpr u32 DIRECTIONS = 8 * COLUMN_WARPS * DIRECTION_TILES, IMAGE_STRIDE = DIRECTIONS + 8;
  float* maxima; // `maxima` has 2 × TILE_WARPS numbers.
  int* tile; // `tile` has VOXELS × STRIDE cells: first their summed weights, later their products.
  u32* image; // `image` has VOXELS × IMAGE_STRIDE words: the image, split into f16 parts.
  u32* staged_members; // This array has 2 × SEGMENT numbers: two segments of coefficients.
  float* staged_values; // This array has 2 × SEGMENT numbers: two segments of coefficients.
  u16* staged_cells; // This array has 2 × SEGMENT numbers: two segments of coefficients.
  float* staged_weights; // This array has SEGMENT numbers: the weights of one segment of coefficients.

  __device__ __forceinline__ Shared(int* memory)
      : maxima(reinterpret_cast<float*>(memory)), tile(memory + 32),
        image(reinterpret_cast<u32*>(tile) + VOXELS * STRIDE), staged_members(image),
        staged_values(reinterpret_cast<float*>(image + 2 * SEGMENT)),
        staged_cells(reinterpret_cast<u16*>(image + 4 * SEGMENT)),
        staged_weights(reinterpret_cast<float*>(image + 5 * SEGMENT)) {}

  // Returns the offset of a segment's coefficients in the staging buffers. Each buffer has two halves, which
  // successive segments use in turn.
  static __device__ __forceinline__ u32 half(u32 segment) { return (segment & 1u) * SEGMENT; }
  // Starts to copy the coefficients of a segment to shared memory.
  __device__ __forceinline__ void fetch(const Coefficients& all, u32 segment, u32 last, u32 thread) const {
    if (segment < last) {
      const u32 begin = all.begin(segment), count = all.count(segment);
      for (u32 at = 4 * thread; at < count; at += 4 * TILE_THREADS) {
        async_copy_16(staged_members + half(segment) + at, all.members + begin + at);
        async_copy_16(staged_values + half(segment) + at, all.values + begin + at);
      }
      for (u32 at = 8 * thread; at < count; at += 8 * TILE_THREADS) {
        async_copy_16(staged_cells + half(segment) + at, all.cells + begin + at);
      }
    }
    async_copy_commit();
  }
  // Starts to copy the weights of a segment's coefficients to shared memory.
  __device__ __forceinline__ void gather(
      const Coefficients& all, u32 segment, u32 last, u32 thread, const float* weights) const {
    if (segment < last) {
      const u32 count = all.count(segment);
      for (u32 at = thread; at < count; at += TILE_THREADS) {
        async_copy_4(staged_weights + at, weights + staged_members[half(segment) + at]);
      }
    }
    async_copy_commit();
  }
};

// The elements of the image M w that one thread holds, in the layout of the accumulators of tensor cores.
template <u32 DIRECTION_TILES> struct Image {
  float u[VOXEL_TILES][DIRECTION_TILES][4];

  // Calls `with` for each pair of neighbouring directions that the thread holds. The arguments are the voxel
  // of the pair, its first direction, and its two elements.
  template <class With> __device__ __forceinline__ void each(const Seat& seat, With with) {
#pragma unroll
    for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
      for (u32 n = 0; n < DIRECTION_TILES; ++n)
#pragma unroll
        for (u32 half = 0; half < 2; ++half) {
          with(seat.voxel(m, half), (seat.column_warp * DIRECTION_TILES + n) * 8 + 2 * seat.pair, u[m][n] + 2 * half);
        }
  }
  __device__ __forceinline__ void scale(float factor) {
#pragma unroll
    for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
      for (u32 n = 0; n < DIRECTION_TILES; ++n)
#pragma unroll
        for (u32 i = 0; i < 4; ++i) u[m][n][i] *= factor;
  }
};

// ---- image of the weights

// Products of the coefficients of a segment and their weights. A thread holds these products in groups of
// four neighbours.
struct Group {
  float x[GROUPS_PER_THREAD][4];
  ushort4 cell[GROUPS_PER_THREAD];
  // Bit k is set if the first coefficient of group k is the first in its cell (pair of voxel and atom).
  u32 first_is_head;

  // Reads coefficients and their weights from shared memory, and multiplies them. Returns the largest
  // absolute product, or NaN if a product is not finite.
  template <class Memory>
  __device__ __forceinline__ float take(const Memory& shared, u32 half, u32 count, u32 thread) {
    float largest = 0.f;
    bool not_finite = false;
    first_is_head = 0;
#pragma unroll
    for (u32 k = 0; k < GROUPS_PER_THREAD; ++k) {
      const u32 at = 4 * (thread + k * TILE_THREADS);
      if (at < count) {
        cell[k] = *reinterpret_cast<const ushort4*>(shared.staged_cells + half + at);
        if (at == 0 || shared.staged_cells[half + at - 1] != cell[k].x) first_is_head |= 1u << k;
        const float4 value = *reinterpret_cast<const float4*>(shared.staged_values + half + at);
        const float4 weight = *reinterpret_cast<const float4*>(shared.staged_weights + at);
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
    return not_finite ? __uint_as_float(0x7fffffffu) : largest;
  }

  // Adds the products to the sums of their cells (pairs of voxel and atom) in the tile, as integers. The
  // integer n represents the value n / unit.
  __device__ __forceinline__ void add_to(int* tile, float unit, u32 count, u32 thread) const {
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
  }

  // Splits the sums of the cells (pairs of voxel and atom) into two f16 parts each. Each cell is split by the
  // thread that has the cell's first coefficient.
  __device__ __forceinline__ void split_cells(int* tile, u32 count, u32 thread) const {
#pragma unroll
    for (u32 k = 0; k < GROUPS_PER_THREAD; ++k) {
      if (4 * (thread + k * TILE_THREADS) < count) {
        if (first_is_head >> k & 1u) split_cell(tile + cell[k].x);
        if (cell[k].y != cell[k].x) split_cell(tile + cell[k].y);
        if (cell[k].z != cell[k].y) split_cell(tile + cell[k].z);
        if (cell[k].w != cell[k].z) split_cell(tile + cell[k].w);
      }
    }
  }
};

// Computes the image M w of the weights w. Returns the unit by which `image` must be multiplied, or NaN if a
// product is not finite.
template <u32 DIRECTION_TILES>
__device__ __forceinline__ float forward(
    const Launch& launch, const Seat& seat, const Shared<DIRECTION_TILES>& shared, const Coefficients& all, u32 first,
    u32 last, const uint4* __restrict__ forward_fragments, const float* __restrict__ weights,
    Image<DIRECTION_TILES>& image) {
  const u32 thread = seat.thread;
#pragma unroll
  for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
    for (u32 n = 0; n < DIRECTION_TILES; ++n)
#pragma unroll
      for (u32 i = 0; i < 4; ++i) image.u[m][n][i] = 0.f;
  // The unit of the image is 2^exponent.
  int exponent = 0;
  bool empty = true, broken = false;
  shared.fetch(all, first, last, thread);
  shared.fetch(all, first + 1, last, thread);
  async_copy_wait<1>();
  __syncthreads();
  shared.gather(all, first, last, thread, weights);
  for (u32 segment = first; segment < last; ++segment) {
    const u32 count = all.count(segment), facts = all.facts[segment];
    Group group;
    async_copy_wait<0>();
    __syncthreads();
    float largest = group.take(shared, shared.half(segment), count, thread);
    for (u32 at = thread; at < VOXELS * STRIDE / 4; at += TILE_THREADS) {
      reinterpret_cast<int4*>(shared.tile)[at] = make_int4(0, 0, 0, 0);
    }
    largest = block_maximum(largest, shared.maxima);
    // The coefficients and weights of this segment are in registers now. The coefficients and weights of the
    // next segment can thus be loaded during this product.
    shared.gather(all, segment + 1, last, thread, weights);
    shared.fetch(all, segment + 2, last, thread);
    if (!(largest <= 3.4e38f)) broken = true;
    if (!(largest > 0.f) || broken) continue;
    // The sums of cells are integers with a common exponent (block floating point), which is `now` for this
    // segment. The largest sum of a cell stays below 2^30, and below 2^15 in units of 2^now. If 2^now is far
    // below the unit of the image, a coarser unit is used. The digits that are lost are then below the last
    // place of the image.
    const int finest = 15 - min(29 - exponent_of(largest) - (int)(facts >> 16), 126);
    const int now = empty ? finest : max(finest, exponent - 60);
    group.add_to(shared.tile, power_of_two(15 - now), count, thread);
    __syncthreads();
    group.split_cells(shared.tile, count, thread);
    if (!empty && now != exponent) image.scale(power_of_two(max(exponent - now, -126)));
    exponent = now;
    empty = false;
    __syncthreads();
    const u32 chunk = facts & 0xffffu, steps = min(ATOMS / 16, (launch.atoms - chunk * ATOMS + 15) / 16);
    const uint4* fragments =
        forward_fragments + seat.lane +
        ((u64)chunk * (ATOMS / 16) * (COLUMN_WARPS * DIRECTION_TILES) + seat.column_warp * DIRECTION_TILES) * 32;
    // The thread computes only this address. All other addresses have constant offsets from it, as in the
    // adjoint.
    const int* const tile = shared.tile + seat.voxel(0, 0) * STRIDE + 2 * seat.pair;
    multiply(image.u, steps, fragments, COLUMN_WARPS * DIRECTION_TILES * 32, [&](u32 m, u32 step, u32* high, u32* low) {
#pragma unroll
      for (u32 i = 0; i < 4; ++i) {
        const int* from = tile + Seat::below(m, i & 1) * STRIDE + 16 * step + 8 * (i >> 1);
        const uint2 both = *reinterpret_cast<const uint2*>(from);
        high[i] = __byte_perm(both.x, both.y, 0x5410);
        low[i] = __byte_perm(both.x, both.y, 0x7632);
      }
    });
  }
  if (broken) return __uint_as_float(0x7fffffffu);
  return empty ? 0.f : launch.unit_of_dictionary * power_of_two(max(min(exponent, 126), -126));
}

// Multiplies the image M w by `unit`, and writes it to the data or adds it to the data. Adds the squared
// norms of the image and of the data to `norms`. Returns the largest absolute element of the image.
template <u32 DIRECTION_TILES>
__device__ __forceinline__ float write(
    const Launch& launch, const Seat& seat, u32 first_voxel, float unit, Image<DIRECTION_TILES>& image, float* data,
    double (&norms)[2]) {
  float largest = 0.f;
  image.each(seat, [&](u32 of_tile, u32 direction, float* pair) {
    const u32 voxel = first_voxel + of_tile;
    pair[0] *= unit;
    pair[1] *= unit;
    if (voxel < launch.voxels && direction < launch.directions) {
      float* out = data + (u64)voxel * launch.directions + direction;
      const bool both = direction + 1 < launch.directions;
      float2 now;
      if (launch.mode & CARRY) {
        now.x = out[0] + pair[0];
        now.y = both ? out[1] + pair[1] : 0.f;
      } else {
        now = make_float2(pair[0], both ? pair[1] : 0.f);
      }
      if (both && (launch.directions & 1u) == 0) {
        *reinterpret_cast<float2*>(out) = now;
      } else {
        out[0] = now.x;
        if (both) out[1] = now.y;
      }
      norms[0] = fma((double)pair[0], (double)pair[0], fma((double)pair[1], (double)pair[1], norms[0]));
      norms[1] = fma((double)now.x, (double)now.x, fma((double)now.y, (double)now.y, norms[1]));
    }
    largest = fmaxf(largest, fmaxf(fabsf(pair[0]), fabsf(pair[1])));
  });
  return largest;
}

// Reads the image from the data. Returns its largest absolute element.
template <u32 DIRECTION_TILES>
__device__ __forceinline__ float read(
    const Launch& launch, const Seat& seat, u32 first_voxel, const float* data, Image<DIRECTION_TILES>& image) {
  float largest = 0.f;
  image.each(seat, [&](u32 of_tile, u32 direction, float* pair) {
    const u32 voxel = first_voxel + of_tile;
    const bool in = voxel < launch.voxels;
    const float* from = data + (u64)voxel * launch.directions + direction;
    pair[0] = in && direction < launch.directions ? from[0] : 0.f;
    pair[1] = in && direction + 1 < launch.directions ? from[1] : 0.f;
    largest = fmaxf(largest, fmaxf(fabsf(pair[0]), fabsf(pair[1])));
  });
  return largest;
}

// ---- adjoint of an image

// Multiplies the image by Mᵀ and adds the result to the sums of the unknowns. `largest` is the largest
// absolute element of the image.
template <u32 DIRECTION_TILES>
__device__ __forceinline__ void adjoint(
    const Launch& launch, const Seat& seat, const Shared<DIRECTION_TILES>& shared, const Coefficients& all, u32 first,
    u32 last, const uint4* __restrict__ adjoint_fragments, Image<DIRECTION_TILES>& image, float largest, double scale,
    u64* sums) {
  constexpr u32 DIRECTIONS = Shared<DIRECTION_TILES>::DIRECTIONS, PITCH = Shared<DIRECTION_TILES>::IMAGE_STRIDE;
  const u32 thread = seat.thread;
  // Scales the image so that its elements fit in f16: below 2^15.
  const float into = power_of_two(max(min(14 - exponent_of(largest), 126), -126));
  image.each(seat, [&](u32 voxel, u32 direction, const float* pair) {
    *reinterpret_cast<uint2*>(shared.image + voxel * PITCH + direction) = split(pair[0] * into, pair[1] * into);
  });
  __syncthreads();
  const double scale_of_products = scale * (double)launch.unit_of_dictionary / (double)into;
  // Address of the first image element that this thread reads. All other addresses have constant offsets from
  // this address. Computing all addresses separately would take as many instructions as the products, or more
  // registers than there are.
  const u32* const split_image = shared.image + seat.voxel(0, 0) * PITCH + 2 * seat.pair;
  float* const products = reinterpret_cast<float*>(shared.tile);
  float* const mine = products + seat.voxel(0, 0) * STRIDE + seat.column_warp * ATOM_TILES * 8 + 2 * seat.pair;
  u32 segment = first;
  while (segment < last) {
    const u32 chunk = all.chunk(segment);
    {
      // The coefficients of the segment are loaded into the cache while the product is computed.
      const u32 begin = all.begin(segment), count = all.count(segment);
      for (u32 at = 32 * thread; at < count; at += 32 * TILE_THREADS) {
        prefetch_l2(all.members + begin + at);
        prefetch_l2(all.values + begin + at);
        if ((thread & 1u) == 0) prefetch_l2(all.cells + begin + at);
      }
    }
    float p[VOXEL_TILES][ATOM_TILES][4];
#pragma unroll
    for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
      for (u32 n = 0; n < ATOM_TILES; ++n)
#pragma unroll
        for (u32 i = 0; i < 4; ++i) p[m][n][i] = 0.f;
    const uint4* fragments = adjoint_fragments + seat.lane +
                             ((u64)chunk * (DIRECTIONS / 16) * (ATOMS / 8) + seat.column_warp * ATOM_TILES) * 32;
    multiply(p, DIRECTIONS / 16, fragments, ATOMS / 8 * 32, [&](u32 m, u32 step, u32* high, u32* low) {
#pragma unroll
      for (u32 i = 0; i < 4; ++i) {
        const u32* from = split_image + Seat::below(m, i & 1) * PITCH + 16 * step + 8 * (i >> 1);
        const uint2 both = *reinterpret_cast<const uint2*>(from);
        high[i] = both.x;
        low[i] = both.y;
      }
    });
#pragma unroll
    for (u32 m = 0; m < VOXEL_TILES; ++m)
#pragma unroll
      for (u32 n = 0; n < ATOM_TILES; ++n)
#pragma unroll
        for (u32 half = 0; half < 2; ++half) {
          *reinterpret_cast<float2*>(mine + Seat::below(m, half) * STRIDE + 8 * n) =
              make_float2(p[m][n][2 * half], p[m][n][2 * half + 1]);
        }
    __syncthreads();
    // Process all segments of this chunk.
    u32 after = segment + 1;
    while (after < last && all.chunk(after) == chunk) ++after;
    const u32 begin = all.begin(segment) / 4, end = all.begin(after) / 4;
#pragma unroll 2
    for (u32 at = begin + thread; at < end; at += TILE_THREADS) {
      const ushort4 cell = reinterpret_cast<const ushort4*>(all.cells)[at];
      const uint4 member = reinterpret_cast<const uint4*>(all.members)[at];
      const float4 value = reinterpret_cast<const float4*>(all.values)[at];
      add_fixed(sums + member.x, (double)(value.x * products[cell.x]), scale_of_products);
      add_fixed(sums + member.y, (double)(value.y * products[cell.y]), scale_of_products);
      add_fixed(sums + member.z, (double)(value.z * products[cell.z]), scale_of_products);
      add_fixed(sums + member.w, (double)(value.w * products[cell.w]), scale_of_products);
    }
    segment = after;
    __syncthreads();
  }
}

// ---- the kernels

// Adds up the squared norms of all threads in a fixed order, and writes the sums to memory.
__device__ __forceinline__ void write_norms(const Seat& seat, double (&norms)[2], double* shared, double* out) {
  __syncthreads();
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    norms[0] += __shfl_xor_sync(ALL, norms[0], distance);
    norms[1] += __shfl_xor_sync(ALL, norms[1], distance);
  }
  if (seat.lane == 0) {
    shared[2 * seat.warp] = norms[0];
    shared[2 * seat.warp + 1] = norms[1];
  }
  __syncthreads();
  if (seat.thread < 2) {
    double sum = 0.0;
    for (u32 n = 0; n < TILE_WARPS; ++n) sum += shared[2 * n + seat.thread];
    out[seat.thread] = sum;
  }
}

// Kernel that computes M w, Mᵀ y, or both for the voxels of one tile. A block has four warps along the
// directions. Each of them processes DIRECTION_TILES matrix fragments of 8 directions.
template <u32 DIRECTION_TILES>
__device__ __forceinline__ void tiles(
    const Launch& launch, const u32* __restrict__ tile_order, const u32* __restrict__ tile_segments,
    const u32* __restrict__ segment_starts, const u32* __restrict__ segment_facts, const u16* __restrict__ cells,
    const u32* __restrict__ members, const float* __restrict__ values, const uint4* __restrict__ forward_fragments,
    const uint4* __restrict__ adjoint_fragments, const float* __restrict__ weights, float* data, u64* sums,
    const double* __restrict__ scale_of_sums, double* norms) {
  DYNAMIC_SHARED(int, memory);
  const Shared<DIRECTION_TILES> shared(memory);
  const Seat seat;
  const Coefficients all = {segment_starts, segment_facts, cells, members, values, launch.first_coefficient};
  const u32 number = tile_order[launch.first_place + blockIdx.x];
  const u32 first_voxel = number * VOXELS; // Index of the tile's first voxel among the voxels of this device.
  const u32 first = tile_segments[number], last = tile_segments[number + 1];
  Image<DIRECTION_TILES> image;
  double of_thread[2] = {0.0, 0.0};
  float largest;
  if (launch.mode & FORWARD) {
    const float unit = forward(launch, seat, shared, all, first, last, forward_fragments, weights, image);
    largest = write(launch, seat, first_voxel, unit, image, data, of_thread);
  } else {
    largest = read(launch, seat, first_voxel, data, image);
  }
  if (launch.mode & ADJOINT) {
    const double scale = scale_of_sums[0];
    // The memory that `forward` used for maxima must not be reused here. Some warps may still be reading it,
    // because no barrier follows that read.
    largest = block_maximum(largest, shared.maxima + TILE_WARPS);
    if (largest > 0.f && largest <= 3.4e38f) {
      adjoint(launch, seat, shared, all, first, last, adjoint_fragments, image, largest, scale, sums);
    }
  }
  if (norms) write_norms(seat, of_thread, reinterpret_cast<double*>(memory), norms + 2 * (u64)number);
}

#define TILES(NAME, DIRECTION_TILES)                                                                                   \
  extern "C" __global__ void __launch_bounds__(TILE_THREADS, 2) NAME(                                                  \
      const Launch launch, const u32* __restrict__ tile_order, const u32* __restrict__ tile_segments,                  \
      const u32* __restrict__ segment_starts, const u32* __restrict__ segment_facts, const u16* __restrict__ cells,    \
      const u32* __restrict__ members, const float* __restrict__ values, const uint4* __restrict__ forward_fragments,  \
      const uint4* __restrict__ adjoint_fragments, const float* __restrict__ weights, float* data, u64* sums,          \
      const double* __restrict__ scale_of_sums, double* norms) {                                                       \
    tiles<DIRECTION_TILES>(launch, tile_order, tile_segments, segment_starts, segment_facts, cells, members, values,   \
                           forward_fragments, adjoint_fragments, weights, data, sums, scale_of_sums, norms);           \
  }
TILES(sparse_tucker_tiles_32, 1)
TILES(sparse_tucker_tiles_64, 2)
TILES(sparse_tucker_tiles_96, 3)

// Linear algebra of small dense matrices, computed by the threads of one block. The results are bit-identical
// to those of `dense.rs`, so change both files together.
//
// Matrices that are factorised are stored as tiles of 4 × 4 elements, on and above the diagonal. The tiles
// are ordered row by row. Element e of all tiles is stored contiguously, so that threads that process
// neighbouring tiles read neighbouring numbers.
#pragma once
#include "warp.cuh"

typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;

// Number of rows and columns of a tile, and number of elements of a tile.
#define SIDE 4u
#define TILE 16u
// Number of partial sums into which the terms of a dot product are divided.
#define SUMS 8u

// Positive infinity: no finite number exceeds it.
#define INFINITE __longlong_as_double(0x7ff0000000000000ll)

// Returns `sum` plus the sum over `count` rows of factor · element, for one column of a matrix. Four rows are
// added at a time.
template <class Factors>
__device__ __forceinline__ double add_multiples(
    double sum, u32 count, const Factors& factors, const double* __restrict__ rows, u32 length, u32 column) {
  const double* at = rows + column;
  u32 k = 0;
#pragma unroll 4
  for (; k + 4 <= count; k += 4) {
    sum += (factors[k] * at[0] + factors[k + 1] * at[length]) +
           (factors[k + 2] * at[2 * length] + factors[k + 3] * at[3 * length]);
    at += 4 * length;
  }
  for (; k < count; ++k) {
    sum += factors[k] * at[0];
    at += length;
  }
  return sum;
}

// Returns the dot product of the vectors a and b. One thread computes it. The length must be a multiple of
// SUMS.
__device__ __forceinline__ double dot(const double* a, const double* b, u32 length) {
  double sums[SUMS];
#pragma unroll
  for (u32 lane = 0; lane < SUMS; ++lane) sums[lane] = 0.0;
  for (u32 first = 0; first < length; first += SUMS) {
#pragma unroll
    for (u32 lane = 0; lane < SUMS; ++lane) sums[lane] += a[first + lane] * b[first + lane];
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Returns the sum of a value over eight neighbouring threads of a warp, to each of these threads.
__device__ __forceinline__ double sum_of_eight(double value) {
#pragma unroll
  for (u32 distance = 1; distance < SUMS; distance *= 2) value += __shfl_xor_sync(ALL, value, distance);
  return value;
}

// Returns the dot product of the vectors a and b to each thread of a warp (32 threads). The length must be a
// multiple of SUMS.
__device__ __forceinline__ double dot_of_warp(const double* a, const double* b, u32 length) {
  double sum = 0.0;
  for (u32 at = threadIdx.x % SUMS; at < length; at += SUMS) sum += a[at] * b[at];
  return sum_of_eight(sum);
}

// Describes how a symmetric matrix is divided into tiles.
struct Tiles {
  // Number of rows of tiles, number of tiles, and distance in memory between neighbouring elements of a tile.
  u32 rows, count, pitch;

  __device__ __forceinline__ u32 at(u32 row, u32 column) const { return row * rows - row * (row + 1) / 2 + column; }
  __device__ __forceinline__ u32 element(u32 row, u32 column) const {
    return (row % SIDE * SIDE + column % SIDE) * pitch + at(row / SIDE, column / SIDE);
  }
};

// A tile on the diagonal of the triangular factor U, stored in registers. It contains the reciprocals of the
// diagonal elements of U.
struct Corner {
  double e[SIDE][SIDE];

  __device__ __forceinline__ void load(const double* matrix, const Tiles& tiles, u32 block) {
    const double* from = matrix + tiles.at(block, block);
#pragma unroll
    for (u32 row = 0; row < SIDE; ++row) {
#pragma unroll
      for (u32 column = row; column < SIDE; ++column) e[row][column] = from[(row * SIDE + column) * tiles.pitch];
    }
  }
  __device__ __forceinline__ void store(double* matrix, const Tiles& tiles, u32 block) const {
    double* to = matrix + tiles.at(block, block);
#pragma unroll
    for (u32 row = 0; row < SIDE; ++row) {
#pragma unroll
      for (u32 column = row; column < SIDE; ++column) to[(row * SIDE + column) * tiles.pitch] = e[row][column];
    }
  }
  // Replaces the vector x by T⁻ᵀ x, where T is this tile.
  __device__ __forceinline__ void solve_transposed(double (&x)[SIDE]) const {
#pragma unroll
    for (u32 i = 0; i < SIDE; ++i) {
      x[i] *= e[i][i];
#pragma unroll
      for (u32 j = i + 1; j < SIDE; ++j) x[j] += -x[i] * e[i][j];
    }
  }
  // Replaces the vector x by T⁻¹ x, where T is this tile.
  __device__ __forceinline__ void solve_upper(double (&x)[SIDE]) const {
#pragma unroll
    for (u32 n = 0; n < SIDE; ++n) {
      const u32 i = SIDE - 1 - n;
      x[i] *= e[i][i];
#pragma unroll
      for (u32 above = 0; above < i; ++above) x[above] -= e[above][i] * x[i];
    }
  }
};

// Replaces a symmetric matrix by its factor U (the matrix is UᵀU), with the reciprocals of U's diagonal
// elements. All threads of a block take part. Returns false to all threads if a pivot is at most `singular`
// times the largest diagonal element. `places` has, for each tile, its row times 2¹⁶ plus its column.
__device__ __forceinline__ bool factorise(
    double* matrix, const Tiles& tiles, const u32* __restrict__ places, double singular, u32 threads) {
  double largest = 0.0;
  for (u32 i = threadIdx.x % 32; i < tiles.rows * SIDE; i += 32) largest = fmax(largest, matrix[tiles.element(i, i)]);
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) largest = fmax(largest, __shfl_xor_sync(ALL, largest, distance));
  for (u32 block = 0; block < tiles.rows; ++block) {
    // Each thread factorises the diagonal tile itself. No thread then waits for the result of another thread.
    Corner corner;
    corner.load(matrix, tiles, block);
#pragma unroll
    for (u32 k = 0; k < SIDE; ++k) {
#pragma unroll
      for (u32 p = 0; p < k; ++p) {
#pragma unroll
        for (u32 j = k; j < SIDE; ++j) corner.e[k][j] += -corner.e[p][k] * corner.e[p][j];
      }
      const double pivot = corner.e[k][k];
      if (!(pivot > singular * largest && pivot < INFINITE)) return false;
      const double inverse = 1.0 / sqrt(pivot);
#pragma unroll
      for (u32 j = k + 1; j < SIDE; ++j) corner.e[k][j] *= inverse;
      corner.e[k][k] = inverse;
    }
    const u32 behind = block + 1;
    for (u32 n = threadIdx.x; n < (tiles.rows - behind) * SIDE; n += threads) {
      double* const column = matrix + n % SIDE * tiles.pitch + tiles.at(block, behind + n / SIDE);
      double x[SIDE];
#pragma unroll
      for (u32 k = 0; k < SIDE; ++k) x[k] = column[k * SIDE * tiles.pitch];
#pragma unroll
      for (u32 k = 0; k < SIDE; ++k) {
#pragma unroll
        for (u32 p = 0; p < k; ++p) x[k] += -corner.e[p][k] * x[p];
        x[k] *= corner.e[k][k];
      }
#pragma unroll
      for (u32 k = 0; k < SIDE; ++k) column[k * SIDE * tiles.pitch] = x[k];
    }
    __syncthreads();
    if (threadIdx.x == 0) corner.store(matrix, tiles, block);
    if (behind == tiles.rows) break;
    for (u32 tile = tiles.at(behind, behind) + threadIdx.x; tile < tiles.count; tile += threads) {
      const u32 place = places[tile];
      const double* const left = matrix + tiles.at(block, place >> 16);
      const double* const right = matrix + tiles.at(block, place & 0xffffu);
      double columns[SIDE][SIDE];
#pragma unroll
      for (u32 k = 0; k < SIDE; ++k) {
#pragma unroll
        for (u32 c = 0; c < SIDE; ++c) columns[k][c] = right[(k * SIDE + c) * tiles.pitch];
      }
#pragma unroll
      for (u32 r = 0; r < SIDE; ++r) {
        double factors[SIDE];
#pragma unroll
        for (u32 k = 0; k < SIDE; ++k) factors[k] = -left[(k * SIDE + r) * tiles.pitch];
#pragma unroll
        for (u32 c = 0; c < SIDE; ++c) {
          matrix[(r * SIDE + c) * tiles.pitch + tile] += (factors[0] * columns[0][c] + factors[1] * columns[1][c]) +
                                                         (factors[2] * columns[2][c] + factors[3] * columns[3][c]);
        }
      }
    }
    __syncthreads();
  }
  __syncthreads();
  return true;
}

// Replaces the vector x by U⁻ᵀ x. The threads of one warp compute it.
__device__ __forceinline__ void solve_transposed(const double* matrix, const Tiles& tiles, double* x) {
  const u32 lane = threadIdx.x % 32, size = tiles.rows * SIDE;
  for (u32 block = 0; block < tiles.rows; ++block) {
    Corner corner;
    corner.load(matrix, tiles, block);
    double own[SIDE];
#pragma unroll
    for (u32 k = 0; k < SIDE; ++k) own[k] = x[block * SIDE + k];
    corner.solve_transposed(own);
    __syncwarp();
#pragma unroll
    for (u32 k = 0; k < SIDE; ++k) {
      if (lane == k) x[block * SIDE + k] = own[k];
    }
    for (u32 j = (block + 1) * SIDE + lane; j < size; j += 32) {
      const double* const column = matrix + j % SIDE * tiles.pitch + tiles.at(block, j / SIDE);
      double value = x[j];
#pragma unroll
      for (u32 k = 0; k < SIDE; ++k) value += -own[k] * column[k * SIDE * tiles.pitch];
      x[j] = value;
    }
    __syncwarp();
  }
}

// Replaces the vector x by U⁻¹ x. The threads of one warp compute it: eight threads for each of four rows.
__device__ __forceinline__ void solve_upper(const double* matrix, const Tiles& tiles, double* x) {
  const u32 lane = threadIdx.x % 32, size = tiles.rows * SIDE;
  for (u32 n = 0; n < tiles.rows; ++n) {
    const u32 block = tiles.rows - 1 - n, end = (block + 1) * SIDE, row = lane / SUMS;
    Corner corner;
    corner.load(matrix, tiles, block);
    const double* const elements = matrix + row * SIDE * tiles.pitch;
    auto term = [&](u32 j) { return elements[j % SIDE * tiles.pitch + tiles.at(block, j / SIDE)] * x[j]; };
    const u32 whole = end + (size - end) / SUMS * SUMS;
    double sum = 0.0, rest = 0.0;
    for (u32 j = end + lane % SUMS; j < whole; j += SUMS) sum += term(j);
    for (u32 j = whole; j < size; ++j) rest += term(j);
    sum = sum_of_eight(sum) + rest;
    double own[SIDE];
#pragma unroll
    for (u32 k = 0; k < SIDE; ++k) own[k] = x[block * SIDE + k] - __shfl_sync(ALL, sum, k * SUMS);
    corner.solve_upper(own);
    __syncwarp();
#pragma unroll
    for (u32 k = 0; k < SIDE; ++k) {
      if (lane == k) x[block * SIDE + k] = own[k];
    }
    __syncwarp();
  }
}

// Finds the bits that are 1 in an array of words, and returns their number. All threads of a block take part.
// For each such bit, one thread calls `take` with the number of the bit, and with its position in the list of
// these bits.
template <class Take>
__device__ __forceinline__ u32 each_bit(const u32* words, u32 count, u32 threads, const Take& take) {
  u32 all = 0;
  for (u32 word = 0; word < count; ++word) {
    const u32 bits = words[word];
    if (word % threads == threadIdx.x) {
      u32 place = all;
      for (u32 left = bits; left; left &= left - 1) take(word * 32 + __ffs(left) - 1, place++);
    }
    all += __popc(bits);
  }
  return all;
}

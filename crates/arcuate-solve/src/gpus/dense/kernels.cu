// GPU kernels for products with a dense matrix, for tests. One thread processes one row of the matrix. The
// operator may have raw sums (sums from which those of the unknowns are computed).
#include "cuda.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

// Computes the products that `Products` describes for the rows of `matrix`. The raw sums are Σ_r B[r, k] u[r]
// over the rows r, with the matrix B = `basis`, which has `raw` columns.
template <class T>
__device__ __forceinline__ void products(
    u32 rows, u32 columns, u32 raw, u32 carry, const double* matrix, const double* basis, const T* unknowns, T* data,
    u64* sums, const double* scale, double* norms) {
  const u32 row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  T u = data[row];
  if (unknowns) {
    double image = 0.0;
    for (u32 c = 0; c < columns; ++c) image += matrix[(u64)row * columns + c] * (double)unknowns[c];
    u = (T)image;
    data[row] = carry ? data[row] + u : u;
  }
  if (norms) {
    norms[2 * row] = (double)u * (double)u;
    norms[2 * row + 1] = (double)data[row] * (double)data[row];
  }
  if (sums) {
    for (u32 k = 0; k < raw; ++k) {
      const long long fixed = __double2ll_rn(basis[(u64)row * raw + k] * (double)u * scale[0]);
      atomicAdd(&sums[k], (u64)fixed);
    }
  }
}

extern "C" __global__ void dense_products_f32(
    u32 rows, u32 columns, u32 raw, u32 carry, const double* matrix, const double* basis, const float* unknowns,
    float* data, u64* sums, const double* scale, double* norms) {
  products(rows, columns, raw, carry, matrix, basis, unknowns, data, sums, scale, norms);
}

extern "C" __global__ void dense_products_f64(
    u32 rows, u32 columns, u32 raw, u32 carry, const double* matrix, const double* basis, const double* unknowns,
    double* data, u64* sums, const double* scale, double* norms) {
  products(rows, columns, raw, carry, matrix, basis, unknowns, data, sums, scale, norms);
}

// Computes the sums of the unknowns from raw sums: sums[j] = Σ_k expansion[j, k] raw[k], with integers.
extern "C" __global__ void dense_expand(u32 columns, u32 raw, const int* expansion, const u64* from, u64* sums) {
  const u32 j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  u64 sum = 0;
  for (u32 k = 0; k < raw; ++k) sum += (u64)(long long)expansion[(u64)j * raw + k] * from[k];
  sums[j] = sum;
}

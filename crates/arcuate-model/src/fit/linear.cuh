// Solves small symmetric linear systems on the GPU. The file linear.rs describes the method and does the same
// on the CPU. Both files have the same operations in the same order, so change them together.
#pragma once
#include "real.cuh"

// Returns the index of the matrix element (i, j), j <= i, in a lower triangle stored row by row.
#define TRIANGLE(i, j) ((i) * ((i) + 1) / 2 + (j))

template <class T, int N> struct Factors {
  T lower[TRIANGLE(N, 0)], inverses[N];

  __device__ __forceinline__ void factorise(T (&a)[TRIANGLE(N, 0)], T smallest)
  {
#pragma unroll
    for (int j = 0; j < N; ++j) {
#pragma unroll
      for (int i = j; i < N; ++i) {
        T sum = a[TRIANGLE(i, j)];
#pragma unroll
        for (int k = 0; k < j; ++k) sum = multiply_add(-lower[TRIANGLE(i, k)], a[TRIANGLE(j, k)], sum);
        a[TRIANGLE(i, j)] = sum;
        if (i == j) inverses[j] = T(1) / (sum > smallest ? sum : smallest);
        lower[TRIANGLE(i, j)] = sum * inverses[j];
      }
    }
  }

  // Solves A x = b with the factorised matrix A. `x` holds b on entry and the solution on return.
  __device__ __forceinline__ void solve(T (&x)[N]) const
  {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      T sum = x[i];
#pragma unroll
      for (int k = 0; k < i; ++k) sum = multiply_add(-lower[TRIANGLE(i, k)], x[k], sum);
      x[i] = sum;
    }
#pragma unroll
    for (int i = N - 1; i >= 0; --i) {
      T sum = x[i] * inverses[i];
#pragma unroll
      for (int k = i + 1; k < N; ++k) sum = multiply_add(-lower[TRIANGLE(k, i)], x[k], sum);
      x[i] = sum;
    }
  }
};

// Made of the built-in models by `cargo xtask kernels`: change those, not this.
#pragma once
#include "moments.cuh"

// tensor-nonlinear.
struct Chain0 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, MOVES = 7, COLUMNS = 7, KEPT = 1, KEPT_OF_VOXEL = 0, MOST_CHANGED = 1;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[1], T (&changed)[1]) {
    const T i0 = values[2] * columns[2];
    const T i1 = multiply_add(values[1], columns[1], i0);
    const T i2 = multiply_add(values[3], columns[3], i1);
    const T i3 = multiply_add(values[4], columns[4], i2);
    const T i4 = multiply_add(values[5], columns[5], i3);
    const T i5 = multiply_add(values[6], columns[6], i4);
    const T i6 = columns[0] * i5;
    const T i7 = -i6;
    const T i8 = exponential(i7);
    const T i9 = values[0] * i8;
    changed[0] = i8;
    return i9;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 1, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    values[0] = v0;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[1], T (&changed)[1]) {
    const T i0 = values[0] * kept[0];
    return i0;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 1, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    values[0] = v0;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[1], T (&changed)[1]) {
    const T i0 = values[0] * kept[0];
    return i0;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[1], T (&changed)[1]) {
    const T i0 = values[2] * columns[2];
    const T i1 = multiply_add(values[1], columns[1], i0);
    const T i2 = multiply_add(values[3], columns[3], i1);
    const T i3 = multiply_add(values[4], columns[4], i2);
    const T i4 = multiply_add(values[5], columns[5], i3);
    const T i5 = multiply_add(values[6], columns[6], i4);
    const T i6 = columns[0] * i5;
    const T i7 = -i6;
    const T i8 = exponential(i7);
    const T i9 = values[0] * i8;
    changed[0] = i8;
    return i9;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[1], T (&changed)[1]) {
    const T i0 = values[2] * columns[2];
    const T i1 = multiply_add(values[1], columns[1], i0);
    const T i2 = multiply_add(values[3], columns[3], i1);
    const T i3 = multiply_add(values[4], columns[4], i2);
    const T i4 = multiply_add(values[5], columns[5], i3);
    const T i5 = multiply_add(values[6], columns[6], i4);
    const T i6 = columns[0] * i5;
    const T i7 = -i6;
    const T i8 = exponential(i7);
    const T i9 = values[0] * i8;
    changed[0] = i8;
    return i9;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[1], T (&changed)[1]) {
    const T i0 = values[2] * columns[2];
    const T i1 = multiply_add(values[1], columns[1], i0);
    const T i2 = multiply_add(values[3], columns[3], i1);
    const T i3 = multiply_add(values[4], columns[4], i2);
    const T i4 = multiply_add(values[5], columns[5], i3);
    const T i5 = multiply_add(values[6], columns[6], i4);
    const T i6 = columns[0] * i5;
    const T i7 = -i6;
    const T i8 = exponential(i7);
    const T i9 = values[0] * i8;
    changed[0] = i8;
    return i9;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 4, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[1], T (&changed)[1]) {
    const T i0 = values[2] * columns[2];
    const T i1 = multiply_add(values[1], columns[1], i0);
    const T i2 = multiply_add(values[3], columns[3], i1);
    const T i3 = multiply_add(values[4], columns[4], i2);
    const T i4 = multiply_add(values[5], columns[5], i3);
    const T i5 = multiply_add(values[6], columns[6], i4);
    const T i6 = columns[0] * i5;
    const T i7 = -i6;
    const T i8 = exponential(i7);
    const T i9 = values[0] * i8;
    changed[0] = i8;
    return i9;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_NUMBER, FIRST = 5, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[1], T (&changed)[1]) {
    const T i0 = values[2] * columns[2];
    const T i1 = multiply_add(values[1], columns[1], i0);
    const T i2 = multiply_add(values[3], columns[3], i1);
    const T i3 = multiply_add(values[4], columns[4], i2);
    const T i4 = multiply_add(values[5], columns[5], i3);
    const T i5 = multiply_add(values[6], columns[6], i4);
    const T i6 = columns[0] * i5;
    const T i7 = -i6;
    const T i8 = exponential(i7);
    const T i9 = values[0] * i8;
    changed[0] = i8;
    return i9;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_NUMBER, FIRST = 6, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[1], T (&changed)[1]) {
    const T i0 = values[2] * columns[2];
    const T i1 = multiply_add(values[1], columns[1], i0);
    const T i2 = multiply_add(values[3], columns[3], i1);
    const T i3 = multiply_add(values[4], columns[4], i2);
    const T i4 = multiply_add(values[5], columns[5], i3);
    const T i5 = multiply_add(values[6], columns[6], i4);
    const T i6 = columns[0] * i5;
    const T i7 = -i6;
    const T i8 = exponential(i7);
    const T i9 = values[0] * i8;
    changed[0] = i8;
    return i9;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return false; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
  }
};

// ball-1-stick.
struct Chain1 {
  typedef float T;
  static const unsigned NUMBERS = 6, MAPS = 0, MOVES = 4, COLUMNS = 4, KEPT = 2, KEPT_OF_VOXEL = 0, MOST_CHANGED = 2;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 2, VALUES = 6, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v6;
    const T v8 = v0 * v2;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = i9 * values[5];
    const T i11 = multiply_add(i2, values[4], i10);
    changed[0] = i2;
    changed[1] = i9;
    return i11;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    return i1;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    return i1;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 2, VALUES = 6, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v6;
    const T v8 = v0 * v2;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = i9 * values[5];
    const T i11 = multiply_add(i2, values[4], i10);
    changed[0] = i2;
    changed[1] = i9;
    return i11;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    return i1;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 3, CHANGED = 1, VALUES = 6, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v6;
    const T v8 = v0 * v2;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = i7 * values[5];
    const T i9 = multiply_add(kept[0], values[4], i8);
    changed[0] = i7;
    return i9;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 3; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
  }
};

// ball-2-sticks.
struct Chain2 {
  typedef float T;
  static const unsigned NUMBERS = 10, MAPS = 0, MOVES = 6, COLUMNS = 4, KEPT = 3, KEPT_OF_VOXEL = 0, MOST_CHANGED = 3;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 3, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = 1.0f - v2;
    const T v11 = v10 - v6;
    const T v12 = v0 * v11;
    const T v13 = v0 * v2;
    const T v14 = v0 * v6;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    values[6] = v9;
    values[7] = v12;
    values[8] = v13;
    values[9] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = columns[2] * values[5];
    const T i11 = multiply_add(columns[1], values[4], i10);
    const T i12 = multiply_add(columns[3], values[6], i11);
    const T i13 = i12 * i12;
    const T i14 = i0 * i13;
    const T i15 = -i14;
    const T i16 = decay(i15);
    const T i17 = i9 * values[8];
    const T i18 = multiply_add(i2, values[7], i17);
    const T i19 = multiply_add(i16, values[9], i18);
    changed[0] = i2;
    changed[1] = i9;
    changed[2] = i16;
    return i19;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 3, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = 1.0f - v2;
    const T v11 = v10 - v6;
    const T v12 = v0 * v11;
    const T v13 = v0 * v2;
    const T v14 = v0 * v6;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    values[6] = v9;
    values[7] = v12;
    values[8] = v13;
    values[9] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = columns[2] * values[5];
    const T i11 = multiply_add(columns[1], values[4], i10);
    const T i12 = multiply_add(columns[3], values[6], i11);
    const T i13 = i12 * i12;
    const T i14 = i0 * i13;
    const T i15 = -i14;
    const T i16 = decay(i15);
    const T i17 = i9 * values[8];
    const T i18 = multiply_add(i2, values[7], i17);
    const T i19 = multiply_add(i16, values[9], i18);
    changed[0] = i2;
    changed[1] = i9;
    changed[2] = i16;
    return i19;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 3, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v2;
    const T v8 = v7 - v6;
    const T v9 = v0 * v8;
    const T v10 = v0 * v2;
    const T v11 = v0 * v6;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v9;
    values[5] = v10;
    values[6] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = i7 * values[5];
    const T i9 = multiply_add(kept[0], values[4], i8);
    const T i10 = multiply_add(kept[2], values[6], i9);
    changed[0] = i7;
    return i10;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 6, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 7, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[6];
    const T v4 = numbers[7];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = 1.0f - v2;
    const T v8 = v7 - v3;
    const T v9 = v0 * v8;
    const T v10 = v0 * v2;
    const T v11 = v0 * v3;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v9;
    values[5] = v10;
    values[6] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = kept[1] * values[5];
    const T i9 = multiply_add(kept[0], values[4], i8);
    const T i10 = multiply_add(i7, values[6], i9);
    changed[0] = i7;
    return i10;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[2], slack);
    slack = multiply_add(-1.0f, numbers[6], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 3 || which == 5; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
  }
};

// ball-3-sticks.
struct Chain3 {
  typedef float T;
  static const unsigned NUMBERS = 14, MAPS = 0, MOVES = 8, COLUMNS = 4, KEPT = 4, KEPT_OF_VOXEL = 0, MOST_CHANGED = 4;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 4, VALUES = 14, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = 1.0f - v2;
    const T v15 = v14 - v6;
    const T v16 = v15 - v10;
    const T v17 = v0 * v16;
    const T v18 = v0 * v2;
    const T v19 = v0 * v6;
    const T v20 = v0 * v10;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    values[6] = v9;
    values[7] = v11;
    values[8] = v12;
    values[9] = v13;
    values[10] = v17;
    values[11] = v18;
    values[12] = v19;
    values[13] = v20;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = columns[2] * values[5];
    const T i11 = multiply_add(columns[1], values[4], i10);
    const T i12 = multiply_add(columns[3], values[6], i11);
    const T i13 = i12 * i12;
    const T i14 = i0 * i13;
    const T i15 = -i14;
    const T i16 = decay(i15);
    const T i17 = columns[2] * values[8];
    const T i18 = multiply_add(columns[1], values[7], i17);
    const T i19 = multiply_add(columns[3], values[9], i18);
    const T i20 = i19 * i19;
    const T i21 = i0 * i20;
    const T i22 = -i21;
    const T i23 = decay(i22);
    const T i24 = i9 * values[11];
    const T i25 = multiply_add(i2, values[10], i24);
    const T i26 = multiply_add(i16, values[12], i25);
    const T i27 = multiply_add(i23, values[13], i26);
    changed[0] = i2;
    changed[1] = i9;
    changed[2] = i16;
    changed[3] = i23;
    return i27;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = numbers[10];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = numbers[10];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 4, VALUES = 14, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = 1.0f - v2;
    const T v15 = v14 - v6;
    const T v16 = v15 - v10;
    const T v17 = v0 * v16;
    const T v18 = v0 * v2;
    const T v19 = v0 * v6;
    const T v20 = v0 * v10;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    values[6] = v9;
    values[7] = v11;
    values[8] = v12;
    values[9] = v13;
    values[10] = v17;
    values[11] = v18;
    values[12] = v19;
    values[13] = v20;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = columns[2] * values[5];
    const T i11 = multiply_add(columns[1], values[4], i10);
    const T i12 = multiply_add(columns[3], values[6], i11);
    const T i13 = i12 * i12;
    const T i14 = i0 * i13;
    const T i15 = -i14;
    const T i16 = decay(i15);
    const T i17 = columns[2] * values[8];
    const T i18 = multiply_add(columns[1], values[7], i17);
    const T i19 = multiply_add(columns[3], values[9], i18);
    const T i20 = i19 * i19;
    const T i21 = i0 * i20;
    const T i22 = -i21;
    const T i23 = decay(i22);
    const T i24 = i9 * values[11];
    const T i25 = multiply_add(i2, values[10], i24);
    const T i26 = multiply_add(i16, values[12], i25);
    const T i27 = multiply_add(i23, values[13], i26);
    changed[0] = i2;
    changed[1] = i9;
    changed[2] = i16;
    changed[3] = i23;
    return i27;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = numbers[10];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 3, CHANGED = 1, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[10];
    const T v8 = 1.0f - v2;
    const T v9 = v8 - v6;
    const T v10 = v9 - v7;
    const T v11 = v0 * v10;
    const T v12 = v0 * v2;
    const T v13 = v0 * v6;
    const T v14 = v0 * v7;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v11;
    values[5] = v12;
    values[6] = v13;
    values[7] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = i7 * values[5];
    const T i9 = multiply_add(kept[0], values[4], i8);
    const T i10 = multiply_add(kept[2], values[6], i9);
    const T i11 = multiply_add(kept[3], values[7], i10);
    changed[0] = i7;
    return i11;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 6, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = numbers[10];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 7, CHANGED = 1, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[6];
    const T v4 = numbers[7];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = numbers[10];
    const T v8 = 1.0f - v2;
    const T v9 = v8 - v3;
    const T v10 = v9 - v7;
    const T v11 = v0 * v10;
    const T v12 = v0 * v2;
    const T v13 = v0 * v3;
    const T v14 = v0 * v7;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v11;
    values[5] = v12;
    values[6] = v13;
    values[7] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = kept[1] * values[5];
    const T i9 = multiply_add(kept[0], values[4], i8);
    const T i10 = multiply_add(i7, values[6], i9);
    const T i11 = multiply_add(kept[3], values[7], i10);
    changed[0] = i7;
    return i11;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_NUMBER, FIRST = 10, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = numbers[10];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move7 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 11, CHANGED = 1, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[6];
    const T v4 = numbers[10];
    const T v5 = numbers[11];
    const T v6 = numbers[12];
    const T v7 = numbers[13];
    const T v8 = 1.0f - v2;
    const T v9 = v8 - v3;
    const T v10 = v9 - v4;
    const T v11 = v0 * v10;
    const T v12 = v0 * v2;
    const T v13 = v0 * v3;
    const T v14 = v0 * v4;
    values[0] = v1;
    values[1] = v5;
    values[2] = v6;
    values[3] = v7;
    values[4] = v11;
    values[5] = v12;
    values[6] = v13;
    values[7] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = kept[1] * values[5];
    const T i9 = multiply_add(kept[0], values[4], i8);
    const T i10 = multiply_add(kept[2], values[6], i9);
    const T i11 = multiply_add(i7, values[7], i10);
    changed[0] = i7;
    return i11;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[2], slack);
    slack = multiply_add(-1.0f, numbers[6], slack);
    slack = multiply_add(-1.0f, numbers[10], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 3 || which == 5 || which == 7; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
    chain.template step<Move7>(7);
  }
};

// ball-1-stick-gamma.
struct Chain4 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, MOVES = 5, COLUMNS = 4, KEPT = 2, KEPT_OF_VOXEL = 0, MOST_CHANGED = 2;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 2, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v3;
    const T v8 = v1 / v2;
    const T v9 = v8 * v8;
    const T v10 = v2 * v2;
    const T v11 = 1.0f / v1;
    const T v12 = v0 * v7;
    const T v13 = v0 * v3;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v12;
    values[7] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[3] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[3] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = i15 * values[7];
    const T i17 = multiply_add(i6, values[6], i16);
    changed[0] = i6;
    changed[1] = i15;
    return i17;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    return i1;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    return i1;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 2, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v3;
    const T v8 = v1 / v2;
    const T v9 = v8 * v8;
    const T v10 = v2 * v2;
    const T v11 = 1.0f / v1;
    const T v12 = v0 * v7;
    const T v13 = v0 * v3;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v12;
    values[7] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[3] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[3] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = i15 * values[7];
    const T i17 = multiply_add(i6, values[6], i16);
    changed[0] = i6;
    changed[1] = i15;
    return i17;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 2, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v3;
    const T v8 = v1 / v2;
    const T v9 = v8 * v8;
    const T v10 = v2 * v2;
    const T v11 = 1.0f / v1;
    const T v12 = v0 * v7;
    const T v13 = v0 * v3;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v12;
    values[7] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[3] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[3] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = i15 * values[7];
    const T i17 = multiply_add(i6, values[6], i16);
    changed[0] = i6;
    changed[1] = i15;
    return i17;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    return i1;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 1, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v3;
    const T v8 = v1 / v2;
    const T v9 = v8 * v8;
    const T v10 = v2 * v2;
    const T v11 = 1.0f / v1;
    const T v12 = v0 * v7;
    const T v13 = v0 * v3;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v12;
    values[7] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = i10 * values[7];
    const T i12 = multiply_add(kept[0], values[6], i11);
    changed[0] = i10;
    return i12;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
  }
};

// ball-2-sticks-gamma.
struct Chain5 {
  typedef float T;
  static const unsigned NUMBERS = 11, MAPS = 0, MOVES = 7, COLUMNS = 4, KEPT = 3, KEPT_OF_VOXEL = 0, MOST_CHANGED = 3;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 3, VALUES = 12, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = 1.0f - v3;
    const T v12 = v11 - v7;
    const T v13 = v1 / v2;
    const T v14 = v13 * v13;
    const T v15 = v2 * v2;
    const T v16 = 1.0f / v1;
    const T v17 = v0 * v12;
    const T v18 = v0 * v3;
    const T v19 = v0 * v7;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v8;
    values[4] = v9;
    values[5] = v10;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    values[9] = v17;
    values[10] = v18;
    values[11] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[7];
    const T i1 = i0 * values[8];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[6] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[6] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[6] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = i15 * values[10];
    const T i26 = multiply_add(i6, values[9], i25);
    const T i27 = multiply_add(i24, values[11], i26);
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    return i27;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 3, VALUES = 12, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = 1.0f - v3;
    const T v12 = v11 - v7;
    const T v13 = v1 / v2;
    const T v14 = v13 * v13;
    const T v15 = v2 * v2;
    const T v16 = 1.0f / v1;
    const T v17 = v0 * v12;
    const T v18 = v0 * v3;
    const T v19 = v0 * v7;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v8;
    values[4] = v9;
    values[5] = v10;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    values[9] = v17;
    values[10] = v18;
    values[11] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[7];
    const T i1 = i0 * values[8];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[6] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[6] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[6] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = i15 * values[10];
    const T i26 = multiply_add(i6, values[9], i25);
    const T i27 = multiply_add(i24, values[11], i26);
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    return i27;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 3, VALUES = 12, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = 1.0f - v3;
    const T v12 = v11 - v7;
    const T v13 = v1 / v2;
    const T v14 = v13 * v13;
    const T v15 = v2 * v2;
    const T v16 = 1.0f / v1;
    const T v17 = v0 * v12;
    const T v18 = v0 * v3;
    const T v19 = v0 * v7;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v8;
    values[4] = v9;
    values[5] = v10;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    values[9] = v17;
    values[10] = v18;
    values[11] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[7];
    const T i1 = i0 * values[8];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[6] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[6] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[6] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = i15 * values[10];
    const T i26 = multiply_add(i6, values[9], i25);
    const T i27 = multiply_add(i24, values[11], i26);
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    return i27;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v3;
    const T v9 = v8 - v7;
    const T v10 = v1 / v2;
    const T v11 = v10 * v10;
    const T v12 = v2 * v2;
    const T v13 = 1.0f / v1;
    const T v14 = v0 * v9;
    const T v15 = v0 * v3;
    const T v16 = v0 * v7;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v11;
    values[4] = v12;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = i10 * values[7];
    const T i12 = multiply_add(kept[0], values[6], i11);
    const T i13 = multiply_add(kept[2], values[8], i12);
    changed[0] = i10;
    return i13;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_NUMBER, FIRST = 7, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 8, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[7];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = numbers[10];
    const T v8 = 1.0f - v3;
    const T v9 = v8 - v4;
    const T v10 = v1 / v2;
    const T v11 = v10 * v10;
    const T v12 = v2 * v2;
    const T v13 = 1.0f / v1;
    const T v14 = v0 * v9;
    const T v15 = v0 * v3;
    const T v16 = v0 * v4;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v11;
    values[4] = v12;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = kept[1] * values[7];
    const T i12 = multiply_add(kept[0], values[6], i11);
    const T i13 = multiply_add(i10, values[8], i12);
    changed[0] = i10;
    return i13;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[3], slack);
    slack = multiply_add(-1.0f, numbers[7], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4 || which == 6; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
  }
};

// ball-3-sticks-gamma.
struct Chain6 {
  typedef float T;
  static const unsigned NUMBERS = 15, MAPS = 0, MOVES = 9, COLUMNS = 4, KEPT = 4, KEPT_OF_VOXEL = 0, MOST_CHANGED = 4;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 4, VALUES = 16, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = 1.0f - v3;
    const T v16 = v15 - v7;
    const T v17 = v16 - v11;
    const T v18 = v1 / v2;
    const T v19 = v18 * v18;
    const T v20 = v2 * v2;
    const T v21 = 1.0f / v1;
    const T v22 = v0 * v17;
    const T v23 = v0 * v3;
    const T v24 = v0 * v7;
    const T v25 = v0 * v11;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v8;
    values[4] = v9;
    values[5] = v10;
    values[6] = v12;
    values[7] = v13;
    values[8] = v14;
    values[9] = v19;
    values[10] = v20;
    values[11] = v21;
    values[12] = v22;
    values[13] = v23;
    values[14] = v24;
    values[15] = v25;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[10];
    const T i1 = i0 * values[11];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[9] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[9] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[9] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = columns[2] * values[7];
    const T i26 = multiply_add(columns[1], values[6], i25);
    const T i27 = multiply_add(columns[3], values[8], i26);
    const T i28 = i27 * i27;
    const T i29 = multiply_add(i1, i28, 1.0f);
    const T i30 = logarithm(i29);
    const T i31 = values[9] * i30;
    const T i32 = -i31;
    const T i33 = decay(i32);
    const T i34 = i15 * values[13];
    const T i35 = multiply_add(i6, values[12], i34);
    const T i36 = multiply_add(i24, values[14], i35);
    const T i37 = multiply_add(i33, values[15], i36);
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    changed[3] = i33;
    return i37;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = numbers[11];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = numbers[11];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 4, VALUES = 16, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = 1.0f - v3;
    const T v16 = v15 - v7;
    const T v17 = v16 - v11;
    const T v18 = v1 / v2;
    const T v19 = v18 * v18;
    const T v20 = v2 * v2;
    const T v21 = 1.0f / v1;
    const T v22 = v0 * v17;
    const T v23 = v0 * v3;
    const T v24 = v0 * v7;
    const T v25 = v0 * v11;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v8;
    values[4] = v9;
    values[5] = v10;
    values[6] = v12;
    values[7] = v13;
    values[8] = v14;
    values[9] = v19;
    values[10] = v20;
    values[11] = v21;
    values[12] = v22;
    values[13] = v23;
    values[14] = v24;
    values[15] = v25;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[10];
    const T i1 = i0 * values[11];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[9] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[9] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[9] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = columns[2] * values[7];
    const T i26 = multiply_add(columns[1], values[6], i25);
    const T i27 = multiply_add(columns[3], values[8], i26);
    const T i28 = i27 * i27;
    const T i29 = multiply_add(i1, i28, 1.0f);
    const T i30 = logarithm(i29);
    const T i31 = values[9] * i30;
    const T i32 = -i31;
    const T i33 = decay(i32);
    const T i34 = i15 * values[13];
    const T i35 = multiply_add(i6, values[12], i34);
    const T i36 = multiply_add(i24, values[14], i35);
    const T i37 = multiply_add(i33, values[15], i36);
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    changed[3] = i33;
    return i37;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 4, VALUES = 16, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = 1.0f - v3;
    const T v16 = v15 - v7;
    const T v17 = v16 - v11;
    const T v18 = v1 / v2;
    const T v19 = v18 * v18;
    const T v20 = v2 * v2;
    const T v21 = 1.0f / v1;
    const T v22 = v0 * v17;
    const T v23 = v0 * v3;
    const T v24 = v0 * v7;
    const T v25 = v0 * v11;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v8;
    values[4] = v9;
    values[5] = v10;
    values[6] = v12;
    values[7] = v13;
    values[8] = v14;
    values[9] = v19;
    values[10] = v20;
    values[11] = v21;
    values[12] = v22;
    values[13] = v23;
    values[14] = v24;
    values[15] = v25;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[10];
    const T i1 = i0 * values[11];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[9] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[9] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[9] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = columns[2] * values[7];
    const T i26 = multiply_add(columns[1], values[6], i25);
    const T i27 = multiply_add(columns[3], values[8], i26);
    const T i28 = i27 * i27;
    const T i29 = multiply_add(i1, i28, 1.0f);
    const T i30 = logarithm(i29);
    const T i31 = values[9] * i30;
    const T i32 = -i31;
    const T i33 = decay(i32);
    const T i34 = i15 * values[13];
    const T i35 = multiply_add(i6, values[12], i34);
    const T i36 = multiply_add(i24, values[14], i35);
    const T i37 = multiply_add(i33, values[15], i36);
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    changed[3] = i33;
    return i37;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = numbers[11];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[11];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v7;
    const T v11 = v10 - v8;
    const T v12 = v1 / v2;
    const T v13 = v12 * v12;
    const T v14 = v2 * v2;
    const T v15 = 1.0f / v1;
    const T v16 = v0 * v11;
    const T v17 = v0 * v3;
    const T v18 = v0 * v7;
    const T v19 = v0 * v8;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v13;
    values[4] = v14;
    values[5] = v15;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = i10 * values[7];
    const T i12 = multiply_add(kept[0], values[6], i11);
    const T i13 = multiply_add(kept[2], values[8], i12);
    const T i14 = multiply_add(kept[3], values[9], i13);
    changed[0] = i10;
    return i14;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_NUMBER, FIRST = 7, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = numbers[11];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 8, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[7];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = numbers[10];
    const T v8 = numbers[11];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v4;
    const T v11 = v10 - v8;
    const T v12 = v1 / v2;
    const T v13 = v12 * v12;
    const T v14 = v2 * v2;
    const T v15 = 1.0f / v1;
    const T v16 = v0 * v11;
    const T v17 = v0 * v3;
    const T v18 = v0 * v4;
    const T v19 = v0 * v8;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v13;
    values[4] = v14;
    values[5] = v15;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = kept[1] * values[7];
    const T i12 = multiply_add(kept[0], values[6], i11);
    const T i13 = multiply_add(i10, values[8], i12);
    const T i14 = multiply_add(kept[3], values[9], i13);
    changed[0] = i10;
    return i14;
    }
  };
  struct Move7 {
    static const int KIND = MOVED_NUMBER, FIRST = 11, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = numbers[11];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move8 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 12, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[7];
    const T v5 = numbers[11];
    const T v6 = numbers[12];
    const T v7 = numbers[13];
    const T v8 = numbers[14];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v4;
    const T v11 = v10 - v5;
    const T v12 = v1 / v2;
    const T v13 = v12 * v12;
    const T v14 = v2 * v2;
    const T v15 = 1.0f / v1;
    const T v16 = v0 * v11;
    const T v17 = v0 * v3;
    const T v18 = v0 * v4;
    const T v19 = v0 * v5;
    values[0] = v6;
    values[1] = v7;
    values[2] = v8;
    values[3] = v13;
    values[4] = v14;
    values[5] = v15;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = kept[1] * values[7];
    const T i12 = multiply_add(kept[0], values[6], i11);
    const T i13 = multiply_add(kept[2], values[8], i12);
    const T i14 = multiply_add(i10, values[9], i13);
    changed[0] = i10;
    return i14;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[3], slack);
    slack = multiply_add(-1.0f, numbers[7], slack);
    slack = multiply_add(-1.0f, numbers[11], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4 || which == 6 || which == 8; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
    chain.template step<Move7>(7);
    chain.template step<Move8>(8);
  }
};

// noddi-watson.
struct Chain7 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, MOVES = 5, COLUMNS = 13, KEPT = 8, KEPT_OF_VOXEL = 8, MOST_CHANGED = 8;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 8, VALUES = 16, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; case 7: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 0: return true; case 1: return true; case 2: return true; case 3: return true; case 4: return true; case 5: return true; case 6: return true; case 7: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v1;
    T m8[8];
    watson_moments(v3, m8);
    const T v16 = 1.0f - v2;
    const T v17 = multiply_add(m8[1], 0.6666667f, 0.33333334f);
    const T v18 = 1.0f + v17;
    const T v19 = v2 * v18;
    const T v20 = v19 / 2.0f;
    const T v21 = 1.0f - v20;
    const T v22 = 1.0f - v17;
    const T v23 = multiply_add(-v2, v22, 1.0f);
    const T v24 = v23 - v21;
    const T v25 = v0 * v7;
    const T v26 = v2 * v25;
    const T v27 = v16 * v25;
    values[0] = v0;
    values[1] = v1;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = m8[1];
    values[6] = m8[2];
    values[7] = m8[3];
    values[8] = m8[4];
    values[9] = m8[5];
    values[10] = m8[6];
    values[11] = m8[7];
    values[12] = v21;
    values[13] = v24;
    values[14] = v26;
    values[15] = v27;
    after[0] = m8[1];
    after[1] = m8[2];
    after[2] = m8[3];
    after[3] = m8[4];
    after[4] = m8[5];
    after[5] = m8[6];
    after[6] = m8[7];
    after[7] = v21;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[8]) {
    const T i0 = columns[1] * values[3];
    const T i1 = multiply_add(columns[0], values[2], i0);
    const T i2 = multiply_add(columns[2], values[4], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = multiply_add(i3, 7.5f, -3.9285715f);
    const T i6 = multiply_add(i5, i4, -1.0f);
    const T i7 = multiply_add(i3, 2.0416667f, -1.0340909f);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.7044897f, -3.8755918f);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058045f, -1.0326331f);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.7309976f, -3.8743443f);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.061729f, -1.0325245f);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = i4 * columns[5];
    const T i18 = multiply_add(i17, values[5], columns[4]);
    const T i19 = i6 * columns[6];
    const T i20 = multiply_add(i19, values[6], i18);
    const T i21 = i8 * columns[7];
    const T i22 = multiply_add(i21, values[7], i20);
    const T i23 = i10 * columns[8];
    const T i24 = multiply_add(i23, values[8], i22);
    const T i25 = i12 * columns[9];
    const T i26 = multiply_add(i25, values[9], i24);
    const T i27 = i14 * columns[10];
    const T i28 = multiply_add(i27, values[10], i26);
    const T i29 = i16 * columns[11];
    const T i30 = multiply_add(i29, values[11], i28);
    const T i31 = multiply_add(i3, values[13], values[12]);
    const T i32 = columns[3] * i31;
    const T i33 = -i32;
    const T i34 = exponential(i33);
    const T i35 = values[1] * columns[12];
    const T i36 = i34 * values[15];
    const T i37 = multiply_add(i30, values[14], i36);
    const T i38 = multiply_add(values[0], i35, i37);
    changed[0] = i19;
    changed[1] = i21;
    changed[2] = i23;
    changed[3] = i25;
    changed[4] = i27;
    changed[5] = i29;
    changed[6] = i30;
    changed[7] = i34;
    return i38;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = 1.0f - v1;
    const T v4 = 1.0f - v2;
    const T v5 = v0 * v3;
    const T v6 = v2 * v5;
    const T v7 = v4 * v5;
    values[0] = v0;
    values[1] = v1;
    values[2] = v6;
    values[3] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = values[1] * columns[12];
    const T i1 = kept[7] * values[3];
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(values[0], i0, i2);
    return i3;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = 1.0f - v1;
    const T v4 = 1.0f - v2;
    const T v5 = v0 * v3;
    const T v6 = v2 * v5;
    const T v7 = v4 * v5;
    values[0] = v0;
    values[1] = v1;
    values[2] = v6;
    values[3] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = values[1] * columns[12];
    const T i1 = kept[7] * values[3];
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(values[0], i0, i2);
    return i3;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = 1.0f - v1;
    const T v4 = 1.0f - v2;
    const T v5 = v0 * v3;
    const T v6 = v2 * v5;
    const T v7 = v4 * v5;
    values[0] = v0;
    values[1] = v1;
    values[2] = v6;
    values[3] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = values[1] * columns[12];
    const T i1 = kept[7] * values[3];
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(values[0], i0, i2);
    return i3;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 7: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = held[0];
    const T v7 = 1.0f - v1;
    const T v8 = 1.0f - v2;
    const T v9 = multiply_add(v6, 0.6666667f, 0.33333334f);
    const T v10 = 1.0f + v9;
    const T v11 = v2 * v10;
    const T v12 = v11 / 2.0f;
    const T v13 = 1.0f - v12;
    const T v14 = 1.0f - v9;
    const T v15 = multiply_add(-v2, v14, 1.0f);
    const T v16 = v15 - v13;
    const T v17 = v0 * v7;
    const T v18 = v2 * v17;
    const T v19 = v8 * v17;
    values[0] = v0;
    values[1] = v1;
    values[2] = v3;
    values[3] = v4;
    values[4] = v5;
    values[5] = v13;
    values[6] = v16;
    values[7] = v18;
    values[8] = v19;
    after[7] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = columns[1] * values[3];
    const T i1 = multiply_add(columns[0], values[2], i0);
    const T i2 = multiply_add(columns[2], values[4], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, values[6], values[5]);
    const T i5 = columns[3] * i4;
    const T i6 = -i5;
    const T i7 = exponential(i6);
    const T i8 = values[1] * columns[12];
    const T i9 = i7 * values[8];
    const T i10 = multiply_add(kept[6], values[7], i9);
    const T i11 = multiply_add(values[0], i8, i10);
    changed[0] = i7;
    return i11;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 2, VALUES = 16, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 6; case 1: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 0: return true; case 1: return true; case 2: return true; case 3: return true; case 4: return true; case 5: return true; case 6: return true; case 7: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v1;
    T m8[8];
    watson_moments(v3, m8);
    const T v16 = 1.0f - v2;
    const T v17 = multiply_add(m8[1], 0.6666667f, 0.33333334f);
    const T v18 = 1.0f + v17;
    const T v19 = v2 * v18;
    const T v20 = v19 / 2.0f;
    const T v21 = 1.0f - v20;
    const T v22 = 1.0f - v17;
    const T v23 = multiply_add(-v2, v22, 1.0f);
    const T v24 = v23 - v21;
    const T v25 = v0 * v7;
    const T v26 = v2 * v25;
    const T v27 = v16 * v25;
    values[0] = v0;
    values[1] = v1;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = m8[1];
    values[6] = m8[2];
    values[7] = m8[3];
    values[8] = m8[4];
    values[9] = m8[5];
    values[10] = m8[6];
    values[11] = m8[7];
    values[12] = v21;
    values[13] = v24;
    values[14] = v26;
    values[15] = v27;
    after[0] = m8[1];
    after[1] = m8[2];
    after[2] = m8[3];
    after[3] = m8[4];
    after[4] = m8[5];
    after[5] = m8[6];
    after[6] = m8[7];
    after[7] = v21;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[2]) {
    const T i0 = columns[1] * values[3];
    const T i1 = multiply_add(columns[0], values[2], i0);
    const T i2 = multiply_add(columns[2], values[4], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = i4 * columns[5];
    const T i6 = multiply_add(i5, values[5], columns[4]);
    const T i7 = multiply_add(kept[0], values[6], i6);
    const T i8 = multiply_add(kept[1], values[7], i7);
    const T i9 = multiply_add(kept[2], values[8], i8);
    const T i10 = multiply_add(kept[3], values[9], i9);
    const T i11 = multiply_add(kept[4], values[10], i10);
    const T i12 = multiply_add(kept[5], values[11], i11);
    const T i13 = multiply_add(i3, values[13], values[12]);
    const T i14 = columns[3] * i13;
    const T i15 = -i14;
    const T i16 = exponential(i15);
    const T i17 = values[1] * columns[12];
    const T i18 = i16 * values[15];
    const T i19 = multiply_add(i12, values[14], i18);
    const T i20 = multiply_add(values[0], i17, i19);
    changed[0] = i12;
    changed[1] = i16;
    return i20;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 8, VALUES = 16, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; case 7: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = held[0];
    const T v7 = held[1];
    const T v8 = held[2];
    const T v9 = held[3];
    const T v10 = held[4];
    const T v11 = held[5];
    const T v12 = held[6];
    const T v13 = held[7];
    const T v14 = 1.0f - v1;
    const T v15 = 1.0f - v2;
    const T v16 = multiply_add(v6, 0.6666667f, 0.33333334f);
    const T v17 = 1.0f - v16;
    const T v18 = multiply_add(-v2, v17, 1.0f);
    const T v19 = v18 - v13;
    const T v20 = v0 * v14;
    const T v21 = v2 * v20;
    const T v22 = v15 * v20;
    values[0] = v0;
    values[1] = v1;
    values[2] = v3;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = v8;
    values[8] = v9;
    values[9] = v10;
    values[10] = v11;
    values[11] = v12;
    values[12] = v13;
    values[13] = v19;
    values[14] = v21;
    values[15] = v22;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[8]) {
    const T i0 = columns[1] * values[3];
    const T i1 = multiply_add(columns[0], values[2], i0);
    const T i2 = multiply_add(columns[2], values[4], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = multiply_add(i3, 7.5f, -3.9285715f);
    const T i6 = multiply_add(i5, i4, -1.0f);
    const T i7 = multiply_add(i3, 2.0416667f, -1.0340909f);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.7044897f, -3.8755918f);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058045f, -1.0326331f);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.7309976f, -3.8743443f);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.061729f, -1.0325245f);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = i4 * columns[5];
    const T i18 = multiply_add(i17, values[5], columns[4]);
    const T i19 = i6 * columns[6];
    const T i20 = multiply_add(i19, values[6], i18);
    const T i21 = i8 * columns[7];
    const T i22 = multiply_add(i21, values[7], i20);
    const T i23 = i10 * columns[8];
    const T i24 = multiply_add(i23, values[8], i22);
    const T i25 = i12 * columns[9];
    const T i26 = multiply_add(i25, values[9], i24);
    const T i27 = i14 * columns[10];
    const T i28 = multiply_add(i27, values[10], i26);
    const T i29 = i16 * columns[11];
    const T i30 = multiply_add(i29, values[11], i28);
    const T i31 = multiply_add(i3, values[13], values[12]);
    const T i32 = columns[3] * i31;
    const T i33 = -i32;
    const T i34 = exponential(i33);
    const T i35 = values[1] * columns[12];
    const T i36 = i34 * values[15];
    const T i37 = multiply_add(i30, values[14], i36);
    const T i38 = multiply_add(values[0], i35, i37);
    changed[0] = i19;
    changed[1] = i21;
    changed[2] = i23;
    changed[3] = i25;
    changed[4] = i27;
    changed[5] = i29;
    changed[6] = i30;
    changed[7] = i34;
    return i38;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
  }
};

// noddi-watson.
struct Chain8 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, MOVES = 5, COLUMNS = 15, KEPT = 10, KEPT_OF_VOXEL = 10, MOST_CHANGED = 10;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 10, VALUES = 18, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; case 7: return 7; case 8: return 8; case 9: return 9; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 0: return true; case 1: return true; case 2: return true; case 3: return true; case 4: return true; case 5: return true; case 6: return true; case 7: return true; case 8: return true; case 9: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v1;
    T m8[10];
    watson_moments(v3, m8);
    const T v18 = 1.0f - v2;
    const T v19 = multiply_add(m8[1], 0.6666667f, 0.33333334f);
    const T v20 = 1.0f + v19;
    const T v21 = v2 * v20;
    const T v22 = v21 / 2.0f;
    const T v23 = 1.0f - v22;
    const T v24 = 1.0f - v19;
    const T v25 = multiply_add(-v2, v24, 1.0f);
    const T v26 = v25 - v23;
    const T v27 = v0 * v7;
    const T v28 = v2 * v27;
    const T v29 = v18 * v27;
    values[0] = v0;
    values[1] = v1;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = m8[1];
    values[6] = m8[2];
    values[7] = m8[3];
    values[8] = m8[4];
    values[9] = m8[5];
    values[10] = m8[6];
    values[11] = m8[7];
    values[12] = m8[8];
    values[13] = m8[9];
    values[14] = v23;
    values[15] = v26;
    values[16] = v28;
    values[17] = v29;
    after[0] = m8[1];
    after[1] = m8[2];
    after[2] = m8[3];
    after[3] = m8[4];
    after[4] = m8[5];
    after[5] = m8[6];
    after[6] = m8[7];
    after[7] = m8[8];
    after[8] = m8[9];
    after[9] = v23;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[10]) {
    const T i0 = columns[1] * values[3];
    const T i1 = multiply_add(columns[0], values[2], i0);
    const T i2 = multiply_add(columns[2], values[4], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = multiply_add(i3, 7.5f, -3.9285715f);
    const T i6 = multiply_add(i5, i4, -1.0f);
    const T i7 = multiply_add(i3, 2.0416667f, -1.0340909f);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.7044897f, -3.8755918f);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058045f, -1.0326331f);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.7309976f, -3.8743443f);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.061729f, -1.0325245f);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = multiply_add(i3, 7.739113f, -3.8741796f);
    const T i18 = multiply_add(i17, i16, -i14);
    const T i19 = multiply_add(i3, 2.0631065f, -1.032504f);
    const T i20 = multiply_add(i19, i18, -i16);
    const T i21 = i4 * columns[5];
    const T i22 = multiply_add(i21, values[5], columns[4]);
    const T i23 = i6 * columns[6];
    const T i24 = multiply_add(i23, values[6], i22);
    const T i25 = i8 * columns[7];
    const T i26 = multiply_add(i25, values[7], i24);
    const T i27 = i10 * columns[8];
    const T i28 = multiply_add(i27, values[8], i26);
    const T i29 = i12 * columns[9];
    const T i30 = multiply_add(i29, values[9], i28);
    const T i31 = i14 * columns[10];
    const T i32 = multiply_add(i31, values[10], i30);
    const T i33 = i16 * columns[11];
    const T i34 = multiply_add(i33, values[11], i32);
    const T i35 = i18 * columns[12];
    const T i36 = multiply_add(i35, values[12], i34);
    const T i37 = i20 * columns[13];
    const T i38 = multiply_add(i37, values[13], i36);
    const T i39 = multiply_add(i3, values[15], values[14]);
    const T i40 = columns[3] * i39;
    const T i41 = -i40;
    const T i42 = exponential(i41);
    const T i43 = values[1] * columns[14];
    const T i44 = i42 * values[17];
    const T i45 = multiply_add(i38, values[16], i44);
    const T i46 = multiply_add(values[0], i43, i45);
    changed[0] = i23;
    changed[1] = i25;
    changed[2] = i27;
    changed[3] = i29;
    changed[4] = i31;
    changed[5] = i33;
    changed[6] = i35;
    changed[7] = i37;
    changed[8] = i38;
    changed[9] = i42;
    return i46;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = 1.0f - v1;
    const T v4 = 1.0f - v2;
    const T v5 = v0 * v3;
    const T v6 = v2 * v5;
    const T v7 = v4 * v5;
    values[0] = v0;
    values[1] = v1;
    values[2] = v6;
    values[3] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[1]) {
    const T i0 = values[1] * columns[14];
    const T i1 = kept[9] * values[3];
    const T i2 = multiply_add(kept[8], values[2], i1);
    const T i3 = multiply_add(values[0], i0, i2);
    return i3;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = 1.0f - v1;
    const T v4 = 1.0f - v2;
    const T v5 = v0 * v3;
    const T v6 = v2 * v5;
    const T v7 = v4 * v5;
    values[0] = v0;
    values[1] = v1;
    values[2] = v6;
    values[3] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[1]) {
    const T i0 = values[1] * columns[14];
    const T i1 = kept[9] * values[3];
    const T i2 = multiply_add(kept[8], values[2], i1);
    const T i3 = multiply_add(values[0], i0, i2);
    return i3;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = 1.0f - v1;
    const T v4 = 1.0f - v2;
    const T v5 = v0 * v3;
    const T v6 = v2 * v5;
    const T v7 = v4 * v5;
    values[0] = v0;
    values[1] = v1;
    values[2] = v6;
    values[3] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[1]) {
    const T i0 = values[1] * columns[14];
    const T i1 = kept[9] * values[3];
    const T i2 = multiply_add(kept[8], values[2], i1);
    const T i3 = multiply_add(values[0], i0, i2);
    return i3;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 9; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 9: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = held[0];
    const T v7 = 1.0f - v1;
    const T v8 = 1.0f - v2;
    const T v9 = multiply_add(v6, 0.6666667f, 0.33333334f);
    const T v10 = 1.0f + v9;
    const T v11 = v2 * v10;
    const T v12 = v11 / 2.0f;
    const T v13 = 1.0f - v12;
    const T v14 = 1.0f - v9;
    const T v15 = multiply_add(-v2, v14, 1.0f);
    const T v16 = v15 - v13;
    const T v17 = v0 * v7;
    const T v18 = v2 * v17;
    const T v19 = v8 * v17;
    values[0] = v0;
    values[1] = v1;
    values[2] = v3;
    values[3] = v4;
    values[4] = v5;
    values[5] = v13;
    values[6] = v16;
    values[7] = v18;
    values[8] = v19;
    after[9] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[1]) {
    const T i0 = columns[1] * values[3];
    const T i1 = multiply_add(columns[0], values[2], i0);
    const T i2 = multiply_add(columns[2], values[4], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, values[6], values[5]);
    const T i5 = columns[3] * i4;
    const T i6 = -i5;
    const T i7 = exponential(i6);
    const T i8 = values[1] * columns[14];
    const T i9 = i7 * values[8];
    const T i10 = multiply_add(kept[8], values[7], i9);
    const T i11 = multiply_add(values[0], i8, i10);
    changed[0] = i7;
    return i11;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 2, VALUES = 18, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 8; case 1: return 9; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 0: return true; case 1: return true; case 2: return true; case 3: return true; case 4: return true; case 5: return true; case 6: return true; case 7: return true; case 8: return true; case 9: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v1;
    T m8[10];
    watson_moments(v3, m8);
    const T v18 = 1.0f - v2;
    const T v19 = multiply_add(m8[1], 0.6666667f, 0.33333334f);
    const T v20 = 1.0f + v19;
    const T v21 = v2 * v20;
    const T v22 = v21 / 2.0f;
    const T v23 = 1.0f - v22;
    const T v24 = 1.0f - v19;
    const T v25 = multiply_add(-v2, v24, 1.0f);
    const T v26 = v25 - v23;
    const T v27 = v0 * v7;
    const T v28 = v2 * v27;
    const T v29 = v18 * v27;
    values[0] = v0;
    values[1] = v1;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = m8[1];
    values[6] = m8[2];
    values[7] = m8[3];
    values[8] = m8[4];
    values[9] = m8[5];
    values[10] = m8[6];
    values[11] = m8[7];
    values[12] = m8[8];
    values[13] = m8[9];
    values[14] = v23;
    values[15] = v26;
    values[16] = v28;
    values[17] = v29;
    after[0] = m8[1];
    after[1] = m8[2];
    after[2] = m8[3];
    after[3] = m8[4];
    after[4] = m8[5];
    after[5] = m8[6];
    after[6] = m8[7];
    after[7] = m8[8];
    after[8] = m8[9];
    after[9] = v23;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[2]) {
    const T i0 = columns[1] * values[3];
    const T i1 = multiply_add(columns[0], values[2], i0);
    const T i2 = multiply_add(columns[2], values[4], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = i4 * columns[5];
    const T i6 = multiply_add(i5, values[5], columns[4]);
    const T i7 = multiply_add(kept[0], values[6], i6);
    const T i8 = multiply_add(kept[1], values[7], i7);
    const T i9 = multiply_add(kept[2], values[8], i8);
    const T i10 = multiply_add(kept[3], values[9], i9);
    const T i11 = multiply_add(kept[4], values[10], i10);
    const T i12 = multiply_add(kept[5], values[11], i11);
    const T i13 = multiply_add(kept[6], values[12], i12);
    const T i14 = multiply_add(kept[7], values[13], i13);
    const T i15 = multiply_add(i3, values[15], values[14]);
    const T i16 = columns[3] * i15;
    const T i17 = -i16;
    const T i18 = exponential(i17);
    const T i19 = values[1] * columns[14];
    const T i20 = i18 * values[17];
    const T i21 = multiply_add(i14, values[16], i20);
    const T i22 = multiply_add(values[0], i19, i21);
    changed[0] = i14;
    changed[1] = i18;
    return i22;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 10, VALUES = 18, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; case 7: return 7; case 8: return 8; case 9: return 9; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = held[0];
    const T v7 = held[1];
    const T v8 = held[2];
    const T v9 = held[3];
    const T v10 = held[4];
    const T v11 = held[5];
    const T v12 = held[6];
    const T v13 = held[7];
    const T v14 = held[8];
    const T v15 = held[9];
    const T v16 = 1.0f - v1;
    const T v17 = 1.0f - v2;
    const T v18 = multiply_add(v6, 0.6666667f, 0.33333334f);
    const T v19 = 1.0f - v18;
    const T v20 = multiply_add(-v2, v19, 1.0f);
    const T v21 = v20 - v15;
    const T v22 = v0 * v16;
    const T v23 = v2 * v22;
    const T v24 = v17 * v22;
    values[0] = v0;
    values[1] = v1;
    values[2] = v3;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = v8;
    values[8] = v9;
    values[9] = v10;
    values[10] = v11;
    values[11] = v12;
    values[12] = v13;
    values[13] = v14;
    values[14] = v15;
    values[15] = v21;
    values[16] = v23;
    values[17] = v24;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[10]) {
    const T i0 = columns[1] * values[3];
    const T i1 = multiply_add(columns[0], values[2], i0);
    const T i2 = multiply_add(columns[2], values[4], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = multiply_add(i3, 7.5f, -3.9285715f);
    const T i6 = multiply_add(i5, i4, -1.0f);
    const T i7 = multiply_add(i3, 2.0416667f, -1.0340909f);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.7044897f, -3.8755918f);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058045f, -1.0326331f);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.7309976f, -3.8743443f);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.061729f, -1.0325245f);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = multiply_add(i3, 7.739113f, -3.8741796f);
    const T i18 = multiply_add(i17, i16, -i14);
    const T i19 = multiply_add(i3, 2.0631065f, -1.032504f);
    const T i20 = multiply_add(i19, i18, -i16);
    const T i21 = i4 * columns[5];
    const T i22 = multiply_add(i21, values[5], columns[4]);
    const T i23 = i6 * columns[6];
    const T i24 = multiply_add(i23, values[6], i22);
    const T i25 = i8 * columns[7];
    const T i26 = multiply_add(i25, values[7], i24);
    const T i27 = i10 * columns[8];
    const T i28 = multiply_add(i27, values[8], i26);
    const T i29 = i12 * columns[9];
    const T i30 = multiply_add(i29, values[9], i28);
    const T i31 = i14 * columns[10];
    const T i32 = multiply_add(i31, values[10], i30);
    const T i33 = i16 * columns[11];
    const T i34 = multiply_add(i33, values[11], i32);
    const T i35 = i18 * columns[12];
    const T i36 = multiply_add(i35, values[12], i34);
    const T i37 = i20 * columns[13];
    const T i38 = multiply_add(i37, values[13], i36);
    const T i39 = multiply_add(i3, values[15], values[14]);
    const T i40 = columns[3] * i39;
    const T i41 = -i40;
    const T i42 = exponential(i41);
    const T i43 = values[1] * columns[14];
    const T i44 = i42 * values[17];
    const T i45 = multiply_add(i38, values[16], i44);
    const T i46 = multiply_add(values[0], i43, i45);
    changed[0] = i23;
    changed[1] = i25;
    changed[2] = i27;
    changed[3] = i29;
    changed[4] = i31;
    changed[5] = i33;
    changed[6] = i35;
    changed[7] = i37;
    changed[8] = i38;
    changed[9] = i42;
    return i46;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
  }
};

// noddi-watson-exvivo.
struct Chain9 {
  typedef float T;
  static const unsigned NUMBERS = 8, MAPS = 0, MOVES = 6, COLUMNS = 13, KEPT = 8, KEPT_OF_VOXEL = 8, MOST_CHANGED = 8;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 8, VALUES = 17, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; case 7: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 0: return true; case 1: return true; case 2: return true; case 3: return true; case 4: return true; case 5: return true; case 6: return true; case 7: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v7;
    const T v9 = 1.0f - v1;
    T m10[8];
    watson_moments(v3, m10);
    const T v18 = 1.0f - v2;
    const T v19 = multiply_add(m10[1], 0.6666667f, 0.33333334f);
    const T v20 = 1.0f + v19;
    const T v21 = v2 * v20;
    const T v22 = v21 / 2.0f;
    const T v23 = 1.0f - v22;
    const T v24 = 1.0f - v19;
    const T v25 = multiply_add(-v2, v24, 1.0f);
    const T v26 = v25 - v23;
    const T v27 = v0 * v7;
    const T v28 = v0 * v8;
    const T v29 = v9 * v28;
    const T v30 = v2 * v29;
    const T v31 = v18 * v29;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = m10[1];
    values[5] = m10[2];
    values[6] = m10[3];
    values[7] = m10[4];
    values[8] = m10[5];
    values[9] = m10[6];
    values[10] = m10[7];
    values[11] = v23;
    values[12] = v26;
    values[13] = v27;
    values[14] = v28;
    values[15] = v30;
    values[16] = v31;
    after[0] = m10[1];
    after[1] = m10[2];
    after[2] = m10[3];
    after[3] = m10[4];
    after[4] = m10[5];
    after[5] = m10[6];
    after[6] = m10[7];
    after[7] = v23;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[8]) {
    const T i0 = columns[1] * values[2];
    const T i1 = multiply_add(columns[0], values[1], i0);
    const T i2 = multiply_add(columns[2], values[3], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = multiply_add(i3, 7.5f, -3.9285715f);
    const T i6 = multiply_add(i5, i4, -1.0f);
    const T i7 = multiply_add(i3, 2.0416667f, -1.0340909f);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.7044897f, -3.8755918f);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058045f, -1.0326331f);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.7309976f, -3.8743443f);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.061729f, -1.0325245f);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = i4 * columns[5];
    const T i18 = multiply_add(i17, values[4], columns[4]);
    const T i19 = i6 * columns[6];
    const T i20 = multiply_add(i19, values[5], i18);
    const T i21 = i8 * columns[7];
    const T i22 = multiply_add(i21, values[6], i20);
    const T i23 = i10 * columns[8];
    const T i24 = multiply_add(i23, values[7], i22);
    const T i25 = i12 * columns[9];
    const T i26 = multiply_add(i25, values[8], i24);
    const T i27 = i14 * columns[10];
    const T i28 = multiply_add(i27, values[9], i26);
    const T i29 = i16 * columns[11];
    const T i30 = multiply_add(i29, values[10], i28);
    const T i31 = multiply_add(i3, values[12], values[11]);
    const T i32 = columns[3] * i31;
    const T i33 = -i32;
    const T i34 = exponential(i33);
    const T i35 = values[0] * columns[12];
    const T i36 = i34 * values[16];
    const T i37 = multiply_add(i30, values[15], i36);
    const T i38 = multiply_add(i35, values[14], i37);
    const T i39 = values[13] + i38;
    changed[0] = i19;
    changed[1] = i21;
    changed[2] = i23;
    changed[3] = i25;
    changed[4] = i27;
    changed[5] = i29;
    changed[6] = i30;
    changed[7] = i34;
    return i39;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v3;
    const T v5 = 1.0f - v1;
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v3;
    const T v8 = v0 * v4;
    const T v9 = v5 * v8;
    const T v10 = v2 * v9;
    const T v11 = v6 * v9;
    values[0] = v1;
    values[1] = v7;
    values[2] = v8;
    values[3] = v10;
    values[4] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = values[0] * columns[12];
    const T i1 = kept[7] * values[4];
    const T i2 = multiply_add(kept[6], values[3], i1);
    const T i3 = multiply_add(i0, values[2], i2);
    const T i4 = values[1] + i3;
    return i4;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v3;
    const T v5 = 1.0f - v1;
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v3;
    const T v8 = v0 * v4;
    const T v9 = v5 * v8;
    const T v10 = v2 * v9;
    const T v11 = v6 * v9;
    values[0] = v1;
    values[1] = v7;
    values[2] = v8;
    values[3] = v10;
    values[4] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = values[0] * columns[12];
    const T i1 = kept[7] * values[4];
    const T i2 = multiply_add(kept[6], values[3], i1);
    const T i3 = multiply_add(i0, values[2], i2);
    const T i4 = values[1] + i3;
    return i4;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v3;
    const T v5 = 1.0f - v1;
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v3;
    const T v8 = v0 * v4;
    const T v9 = v5 * v8;
    const T v10 = v2 * v9;
    const T v11 = v6 * v9;
    values[0] = v1;
    values[1] = v7;
    values[2] = v8;
    values[3] = v10;
    values[4] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = values[0] * columns[12];
    const T i1 = kept[7] * values[4];
    const T i2 = multiply_add(kept[6], values[3], i1);
    const T i3 = multiply_add(i0, values[2], i2);
    const T i4 = values[1] + i3;
    return i4;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 7: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = numbers[7];
    const T v7 = held[0];
    const T v8 = 1.0f - v6;
    const T v9 = 1.0f - v1;
    const T v10 = 1.0f - v2;
    const T v11 = multiply_add(v7, 0.6666667f, 0.33333334f);
    const T v12 = 1.0f + v11;
    const T v13 = v2 * v12;
    const T v14 = v13 / 2.0f;
    const T v15 = 1.0f - v14;
    const T v16 = 1.0f - v11;
    const T v17 = multiply_add(-v2, v16, 1.0f);
    const T v18 = v17 - v15;
    const T v19 = v0 * v6;
    const T v20 = v0 * v8;
    const T v21 = v9 * v20;
    const T v22 = v2 * v21;
    const T v23 = v10 * v21;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v15;
    values[5] = v18;
    values[6] = v19;
    values[7] = v20;
    values[8] = v22;
    values[9] = v23;
    after[7] = v15;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = columns[1] * values[2];
    const T i1 = multiply_add(columns[0], values[1], i0);
    const T i2 = multiply_add(columns[2], values[3], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, values[5], values[4]);
    const T i5 = columns[3] * i4;
    const T i6 = -i5;
    const T i7 = exponential(i6);
    const T i8 = values[0] * columns[12];
    const T i9 = i7 * values[9];
    const T i10 = multiply_add(kept[6], values[8], i9);
    const T i11 = multiply_add(i8, values[7], i10);
    const T i12 = values[6] + i11;
    changed[0] = i7;
    return i12;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 2, VALUES = 17, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 6; case 1: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 0: return true; case 1: return true; case 2: return true; case 3: return true; case 4: return true; case 5: return true; case 6: return true; case 7: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v7;
    const T v9 = 1.0f - v1;
    T m10[8];
    watson_moments(v3, m10);
    const T v18 = 1.0f - v2;
    const T v19 = multiply_add(m10[1], 0.6666667f, 0.33333334f);
    const T v20 = 1.0f + v19;
    const T v21 = v2 * v20;
    const T v22 = v21 / 2.0f;
    const T v23 = 1.0f - v22;
    const T v24 = 1.0f - v19;
    const T v25 = multiply_add(-v2, v24, 1.0f);
    const T v26 = v25 - v23;
    const T v27 = v0 * v7;
    const T v28 = v0 * v8;
    const T v29 = v9 * v28;
    const T v30 = v2 * v29;
    const T v31 = v18 * v29;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = m10[1];
    values[5] = m10[2];
    values[6] = m10[3];
    values[7] = m10[4];
    values[8] = m10[5];
    values[9] = m10[6];
    values[10] = m10[7];
    values[11] = v23;
    values[12] = v26;
    values[13] = v27;
    values[14] = v28;
    values[15] = v30;
    values[16] = v31;
    after[0] = m10[1];
    after[1] = m10[2];
    after[2] = m10[3];
    after[3] = m10[4];
    after[4] = m10[5];
    after[5] = m10[6];
    after[6] = m10[7];
    after[7] = v23;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[2]) {
    const T i0 = columns[1] * values[2];
    const T i1 = multiply_add(columns[0], values[1], i0);
    const T i2 = multiply_add(columns[2], values[3], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = i4 * columns[5];
    const T i6 = multiply_add(i5, values[4], columns[4]);
    const T i7 = multiply_add(kept[0], values[5], i6);
    const T i8 = multiply_add(kept[1], values[6], i7);
    const T i9 = multiply_add(kept[2], values[7], i8);
    const T i10 = multiply_add(kept[3], values[8], i9);
    const T i11 = multiply_add(kept[4], values[9], i10);
    const T i12 = multiply_add(kept[5], values[10], i11);
    const T i13 = multiply_add(i3, values[12], values[11]);
    const T i14 = columns[3] * i13;
    const T i15 = -i14;
    const T i16 = exponential(i15);
    const T i17 = values[0] * columns[12];
    const T i18 = i16 * values[16];
    const T i19 = multiply_add(i12, values[15], i18);
    const T i20 = multiply_add(i17, values[14], i19);
    const T i21 = values[13] + i20;
    changed[0] = i12;
    changed[1] = i16;
    return i21;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 8, VALUES = 17, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; case 7: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = numbers[7];
    const T v7 = held[0];
    const T v8 = held[1];
    const T v9 = held[2];
    const T v10 = held[3];
    const T v11 = held[4];
    const T v12 = held[5];
    const T v13 = held[6];
    const T v14 = held[7];
    const T v15 = 1.0f - v6;
    const T v16 = 1.0f - v1;
    const T v17 = 1.0f - v2;
    const T v18 = multiply_add(v7, 0.6666667f, 0.33333334f);
    const T v19 = 1.0f - v18;
    const T v20 = multiply_add(-v2, v19, 1.0f);
    const T v21 = v20 - v14;
    const T v22 = v0 * v6;
    const T v23 = v0 * v15;
    const T v24 = v16 * v23;
    const T v25 = v2 * v24;
    const T v26 = v17 * v24;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    values[6] = v9;
    values[7] = v10;
    values[8] = v11;
    values[9] = v12;
    values[10] = v13;
    values[11] = v14;
    values[12] = v21;
    values[13] = v22;
    values[14] = v23;
    values[15] = v25;
    values[16] = v26;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[8]) {
    const T i0 = columns[1] * values[2];
    const T i1 = multiply_add(columns[0], values[1], i0);
    const T i2 = multiply_add(columns[2], values[3], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = multiply_add(i3, 7.5f, -3.9285715f);
    const T i6 = multiply_add(i5, i4, -1.0f);
    const T i7 = multiply_add(i3, 2.0416667f, -1.0340909f);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.7044897f, -3.8755918f);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058045f, -1.0326331f);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.7309976f, -3.8743443f);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.061729f, -1.0325245f);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = i4 * columns[5];
    const T i18 = multiply_add(i17, values[4], columns[4]);
    const T i19 = i6 * columns[6];
    const T i20 = multiply_add(i19, values[5], i18);
    const T i21 = i8 * columns[7];
    const T i22 = multiply_add(i21, values[6], i20);
    const T i23 = i10 * columns[8];
    const T i24 = multiply_add(i23, values[7], i22);
    const T i25 = i12 * columns[9];
    const T i26 = multiply_add(i25, values[8], i24);
    const T i27 = i14 * columns[10];
    const T i28 = multiply_add(i27, values[9], i26);
    const T i29 = i16 * columns[11];
    const T i30 = multiply_add(i29, values[10], i28);
    const T i31 = multiply_add(i3, values[12], values[11]);
    const T i32 = columns[3] * i31;
    const T i33 = -i32;
    const T i34 = exponential(i33);
    const T i35 = values[0] * columns[12];
    const T i36 = i34 * values[16];
    const T i37 = multiply_add(i30, values[15], i36);
    const T i38 = multiply_add(i35, values[14], i37);
    const T i39 = values[13] + i38;
    changed[0] = i19;
    changed[1] = i21;
    changed[2] = i23;
    changed[3] = i25;
    changed[4] = i27;
    changed[5] = i29;
    changed[6] = i30;
    changed[7] = i34;
    return i39;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_NUMBER, FIRST = 7, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[8], T (&values)[VALUES], T (&after)[8]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v3;
    const T v5 = 1.0f - v1;
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v3;
    const T v8 = v0 * v4;
    const T v9 = v5 * v8;
    const T v10 = v2 * v9;
    const T v11 = v6 * v9;
    values[0] = v1;
    values[1] = v7;
    values[2] = v8;
    values[3] = v10;
    values[4] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = values[0] * columns[12];
    const T i1 = kept[7] * values[4];
    const T i2 = multiply_add(kept[6], values[3], i1);
    const T i3 = multiply_add(i0, values[2], i2);
    const T i4 = values[1] + i3;
    return i4;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
  }
};

// noddi-watson-exvivo.
struct Chain10 {
  typedef float T;
  static const unsigned NUMBERS = 8, MAPS = 0, MOVES = 6, COLUMNS = 15, KEPT = 10, KEPT_OF_VOXEL = 10, MOST_CHANGED = 10;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 10, VALUES = 19, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; case 7: return 7; case 8: return 8; case 9: return 9; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 0: return true; case 1: return true; case 2: return true; case 3: return true; case 4: return true; case 5: return true; case 6: return true; case 7: return true; case 8: return true; case 9: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v7;
    const T v9 = 1.0f - v1;
    T m10[10];
    watson_moments(v3, m10);
    const T v20 = 1.0f - v2;
    const T v21 = multiply_add(m10[1], 0.6666667f, 0.33333334f);
    const T v22 = 1.0f + v21;
    const T v23 = v2 * v22;
    const T v24 = v23 / 2.0f;
    const T v25 = 1.0f - v24;
    const T v26 = 1.0f - v21;
    const T v27 = multiply_add(-v2, v26, 1.0f);
    const T v28 = v27 - v25;
    const T v29 = v0 * v7;
    const T v30 = v0 * v8;
    const T v31 = v9 * v30;
    const T v32 = v2 * v31;
    const T v33 = v20 * v31;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = m10[1];
    values[5] = m10[2];
    values[6] = m10[3];
    values[7] = m10[4];
    values[8] = m10[5];
    values[9] = m10[6];
    values[10] = m10[7];
    values[11] = m10[8];
    values[12] = m10[9];
    values[13] = v25;
    values[14] = v28;
    values[15] = v29;
    values[16] = v30;
    values[17] = v32;
    values[18] = v33;
    after[0] = m10[1];
    after[1] = m10[2];
    after[2] = m10[3];
    after[3] = m10[4];
    after[4] = m10[5];
    after[5] = m10[6];
    after[6] = m10[7];
    after[7] = m10[8];
    after[8] = m10[9];
    after[9] = v25;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[10]) {
    const T i0 = columns[1] * values[2];
    const T i1 = multiply_add(columns[0], values[1], i0);
    const T i2 = multiply_add(columns[2], values[3], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = multiply_add(i3, 7.5f, -3.9285715f);
    const T i6 = multiply_add(i5, i4, -1.0f);
    const T i7 = multiply_add(i3, 2.0416667f, -1.0340909f);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.7044897f, -3.8755918f);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058045f, -1.0326331f);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.7309976f, -3.8743443f);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.061729f, -1.0325245f);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = multiply_add(i3, 7.739113f, -3.8741796f);
    const T i18 = multiply_add(i17, i16, -i14);
    const T i19 = multiply_add(i3, 2.0631065f, -1.032504f);
    const T i20 = multiply_add(i19, i18, -i16);
    const T i21 = i4 * columns[5];
    const T i22 = multiply_add(i21, values[4], columns[4]);
    const T i23 = i6 * columns[6];
    const T i24 = multiply_add(i23, values[5], i22);
    const T i25 = i8 * columns[7];
    const T i26 = multiply_add(i25, values[6], i24);
    const T i27 = i10 * columns[8];
    const T i28 = multiply_add(i27, values[7], i26);
    const T i29 = i12 * columns[9];
    const T i30 = multiply_add(i29, values[8], i28);
    const T i31 = i14 * columns[10];
    const T i32 = multiply_add(i31, values[9], i30);
    const T i33 = i16 * columns[11];
    const T i34 = multiply_add(i33, values[10], i32);
    const T i35 = i18 * columns[12];
    const T i36 = multiply_add(i35, values[11], i34);
    const T i37 = i20 * columns[13];
    const T i38 = multiply_add(i37, values[12], i36);
    const T i39 = multiply_add(i3, values[14], values[13]);
    const T i40 = columns[3] * i39;
    const T i41 = -i40;
    const T i42 = exponential(i41);
    const T i43 = values[0] * columns[14];
    const T i44 = i42 * values[18];
    const T i45 = multiply_add(i38, values[17], i44);
    const T i46 = multiply_add(i43, values[16], i45);
    const T i47 = values[15] + i46;
    changed[0] = i23;
    changed[1] = i25;
    changed[2] = i27;
    changed[3] = i29;
    changed[4] = i31;
    changed[5] = i33;
    changed[6] = i35;
    changed[7] = i37;
    changed[8] = i38;
    changed[9] = i42;
    return i47;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v3;
    const T v5 = 1.0f - v1;
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v3;
    const T v8 = v0 * v4;
    const T v9 = v5 * v8;
    const T v10 = v2 * v9;
    const T v11 = v6 * v9;
    values[0] = v1;
    values[1] = v7;
    values[2] = v8;
    values[3] = v10;
    values[4] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[1]) {
    const T i0 = values[0] * columns[14];
    const T i1 = kept[9] * values[4];
    const T i2 = multiply_add(kept[8], values[3], i1);
    const T i3 = multiply_add(i0, values[2], i2);
    const T i4 = values[1] + i3;
    return i4;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v3;
    const T v5 = 1.0f - v1;
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v3;
    const T v8 = v0 * v4;
    const T v9 = v5 * v8;
    const T v10 = v2 * v9;
    const T v11 = v6 * v9;
    values[0] = v1;
    values[1] = v7;
    values[2] = v8;
    values[3] = v10;
    values[4] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[1]) {
    const T i0 = values[0] * columns[14];
    const T i1 = kept[9] * values[4];
    const T i2 = multiply_add(kept[8], values[3], i1);
    const T i3 = multiply_add(i0, values[2], i2);
    const T i4 = values[1] + i3;
    return i4;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v3;
    const T v5 = 1.0f - v1;
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v3;
    const T v8 = v0 * v4;
    const T v9 = v5 * v8;
    const T v10 = v2 * v9;
    const T v11 = v6 * v9;
    values[0] = v1;
    values[1] = v7;
    values[2] = v8;
    values[3] = v10;
    values[4] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[1]) {
    const T i0 = values[0] * columns[14];
    const T i1 = kept[9] * values[4];
    const T i2 = multiply_add(kept[8], values[3], i1);
    const T i3 = multiply_add(i0, values[2], i2);
    const T i4 = values[1] + i3;
    return i4;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 9; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 9: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = numbers[7];
    const T v7 = held[0];
    const T v8 = 1.0f - v6;
    const T v9 = 1.0f - v1;
    const T v10 = 1.0f - v2;
    const T v11 = multiply_add(v7, 0.6666667f, 0.33333334f);
    const T v12 = 1.0f + v11;
    const T v13 = v2 * v12;
    const T v14 = v13 / 2.0f;
    const T v15 = 1.0f - v14;
    const T v16 = 1.0f - v11;
    const T v17 = multiply_add(-v2, v16, 1.0f);
    const T v18 = v17 - v15;
    const T v19 = v0 * v6;
    const T v20 = v0 * v8;
    const T v21 = v9 * v20;
    const T v22 = v2 * v21;
    const T v23 = v10 * v21;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v15;
    values[5] = v18;
    values[6] = v19;
    values[7] = v20;
    values[8] = v22;
    values[9] = v23;
    after[9] = v15;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[1]) {
    const T i0 = columns[1] * values[2];
    const T i1 = multiply_add(columns[0], values[1], i0);
    const T i2 = multiply_add(columns[2], values[3], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, values[5], values[4]);
    const T i5 = columns[3] * i4;
    const T i6 = -i5;
    const T i7 = exponential(i6);
    const T i8 = values[0] * columns[14];
    const T i9 = i7 * values[9];
    const T i10 = multiply_add(kept[8], values[8], i9);
    const T i11 = multiply_add(i8, values[7], i10);
    const T i12 = values[6] + i11;
    changed[0] = i7;
    return i12;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 2, VALUES = 19, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 8; case 1: return 9; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { case 0: return true; case 1: return true; case 2: return true; case 3: return true; case 4: return true; case 5: return true; case 6: return true; case 7: return true; case 8: return true; case 9: return true; default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v7;
    const T v9 = 1.0f - v1;
    T m10[10];
    watson_moments(v3, m10);
    const T v20 = 1.0f - v2;
    const T v21 = multiply_add(m10[1], 0.6666667f, 0.33333334f);
    const T v22 = 1.0f + v21;
    const T v23 = v2 * v22;
    const T v24 = v23 / 2.0f;
    const T v25 = 1.0f - v24;
    const T v26 = 1.0f - v21;
    const T v27 = multiply_add(-v2, v26, 1.0f);
    const T v28 = v27 - v25;
    const T v29 = v0 * v7;
    const T v30 = v0 * v8;
    const T v31 = v9 * v30;
    const T v32 = v2 * v31;
    const T v33 = v20 * v31;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = m10[1];
    values[5] = m10[2];
    values[6] = m10[3];
    values[7] = m10[4];
    values[8] = m10[5];
    values[9] = m10[6];
    values[10] = m10[7];
    values[11] = m10[8];
    values[12] = m10[9];
    values[13] = v25;
    values[14] = v28;
    values[15] = v29;
    values[16] = v30;
    values[17] = v32;
    values[18] = v33;
    after[0] = m10[1];
    after[1] = m10[2];
    after[2] = m10[3];
    after[3] = m10[4];
    after[4] = m10[5];
    after[5] = m10[6];
    after[6] = m10[7];
    after[7] = m10[8];
    after[8] = m10[9];
    after[9] = v25;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[2]) {
    const T i0 = columns[1] * values[2];
    const T i1 = multiply_add(columns[0], values[1], i0);
    const T i2 = multiply_add(columns[2], values[3], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = i4 * columns[5];
    const T i6 = multiply_add(i5, values[4], columns[4]);
    const T i7 = multiply_add(kept[0], values[5], i6);
    const T i8 = multiply_add(kept[1], values[6], i7);
    const T i9 = multiply_add(kept[2], values[7], i8);
    const T i10 = multiply_add(kept[3], values[8], i9);
    const T i11 = multiply_add(kept[4], values[9], i10);
    const T i12 = multiply_add(kept[5], values[10], i11);
    const T i13 = multiply_add(kept[6], values[11], i12);
    const T i14 = multiply_add(kept[7], values[12], i13);
    const T i15 = multiply_add(i3, values[14], values[13]);
    const T i16 = columns[3] * i15;
    const T i17 = -i16;
    const T i18 = exponential(i17);
    const T i19 = values[0] * columns[14];
    const T i20 = i18 * values[18];
    const T i21 = multiply_add(i14, values[17], i20);
    const T i22 = multiply_add(i19, values[16], i21);
    const T i23 = values[15] + i22;
    changed[0] = i14;
    changed[1] = i18;
    return i23;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 10, VALUES = 19, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; case 7: return 7; case 8: return 8; case 9: return 9; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = numbers[7];
    const T v7 = held[0];
    const T v8 = held[1];
    const T v9 = held[2];
    const T v10 = held[3];
    const T v11 = held[4];
    const T v12 = held[5];
    const T v13 = held[6];
    const T v14 = held[7];
    const T v15 = held[8];
    const T v16 = held[9];
    const T v17 = 1.0f - v6;
    const T v18 = 1.0f - v1;
    const T v19 = 1.0f - v2;
    const T v20 = multiply_add(v7, 0.6666667f, 0.33333334f);
    const T v21 = 1.0f - v20;
    const T v22 = multiply_add(-v2, v21, 1.0f);
    const T v23 = v22 - v16;
    const T v24 = v0 * v6;
    const T v25 = v0 * v17;
    const T v26 = v18 * v25;
    const T v27 = v2 * v26;
    const T v28 = v19 * v26;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    values[6] = v9;
    values[7] = v10;
    values[8] = v11;
    values[9] = v12;
    values[10] = v13;
    values[11] = v14;
    values[12] = v15;
    values[13] = v16;
    values[14] = v23;
    values[15] = v24;
    values[16] = v25;
    values[17] = v27;
    values[18] = v28;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[10]) {
    const T i0 = columns[1] * values[2];
    const T i1 = multiply_add(columns[0], values[1], i0);
    const T i2 = multiply_add(columns[2], values[3], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5f, -0.5f);
    const T i5 = multiply_add(i3, 7.5f, -3.9285715f);
    const T i6 = multiply_add(i5, i4, -1.0f);
    const T i7 = multiply_add(i3, 2.0416667f, -1.0340909f);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.7044897f, -3.8755918f);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058045f, -1.0326331f);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.7309976f, -3.8743443f);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.061729f, -1.0325245f);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = multiply_add(i3, 7.739113f, -3.8741796f);
    const T i18 = multiply_add(i17, i16, -i14);
    const T i19 = multiply_add(i3, 2.0631065f, -1.032504f);
    const T i20 = multiply_add(i19, i18, -i16);
    const T i21 = i4 * columns[5];
    const T i22 = multiply_add(i21, values[4], columns[4]);
    const T i23 = i6 * columns[6];
    const T i24 = multiply_add(i23, values[5], i22);
    const T i25 = i8 * columns[7];
    const T i26 = multiply_add(i25, values[6], i24);
    const T i27 = i10 * columns[8];
    const T i28 = multiply_add(i27, values[7], i26);
    const T i29 = i12 * columns[9];
    const T i30 = multiply_add(i29, values[8], i28);
    const T i31 = i14 * columns[10];
    const T i32 = multiply_add(i31, values[9], i30);
    const T i33 = i16 * columns[11];
    const T i34 = multiply_add(i33, values[10], i32);
    const T i35 = i18 * columns[12];
    const T i36 = multiply_add(i35, values[11], i34);
    const T i37 = i20 * columns[13];
    const T i38 = multiply_add(i37, values[12], i36);
    const T i39 = multiply_add(i3, values[14], values[13]);
    const T i40 = columns[3] * i39;
    const T i41 = -i40;
    const T i42 = exponential(i41);
    const T i43 = values[0] * columns[14];
    const T i44 = i42 * values[18];
    const T i45 = multiply_add(i38, values[17], i44);
    const T i46 = multiply_add(i43, values[16], i45);
    const T i47 = values[15] + i46;
    changed[0] = i23;
    changed[1] = i25;
    changed[2] = i27;
    changed[3] = i29;
    changed[4] = i31;
    changed[5] = i33;
    changed[6] = i35;
    changed[7] = i37;
    changed[8] = i38;
    changed[9] = i42;
    return i47;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_NUMBER, FIRST = 7, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[10], T (&values)[VALUES], T (&after)[10]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v3;
    const T v5 = 1.0f - v1;
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v3;
    const T v8 = v0 * v4;
    const T v9 = v5 * v8;
    const T v10 = v2 * v9;
    const T v11 = v6 * v9;
    values[0] = v1;
    values[1] = v7;
    values[2] = v8;
    values[3] = v10;
    values[4] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[10], T (&changed)[1]) {
    const T i0 = values[0] * columns[14];
    const T i1 = kept[9] * values[4];
    const T i2 = multiply_add(kept[8], values[3], i1);
    const T i3 = multiply_add(i0, values[2], i2);
    const T i4 = values[1] + i3;
    return i4;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
  }
};

// fibres-1-1.
struct Chain11 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, MOVES = 5, COLUMNS = 4, KEPT = 2, KEPT_OF_VOXEL = 0, MOST_CHANGED = 2;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 2, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v3;
    const T v8 = v7 - v2;
    const T v9 = v0 * v2;
    const T v10 = v0 * v8;
    const T v11 = v0 * v3;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v9;
    values[5] = v10;
    values[6] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = i9 * values[6];
    const T i11 = multiply_add(i2, values[5], i10);
    const T i12 = values[4] + i11;
    changed[0] = i2;
    changed[1] = i9;
    return i12;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = 1.0f - v2;
    const T v4 = v3 - v1;
    const T v5 = v0 * v1;
    const T v6 = v0 * v4;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = values[0] + i1;
    return i2;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = 1.0f - v2;
    const T v4 = v3 - v1;
    const T v5 = v0 * v1;
    const T v6 = v0 * v4;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = values[0] + i1;
    return i2;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 2, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v3;
    const T v8 = v7 - v2;
    const T v9 = v0 * v2;
    const T v10 = v0 * v8;
    const T v11 = v0 * v3;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v9;
    values[5] = v10;
    values[6] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = i9 * values[6];
    const T i11 = multiply_add(i2, values[5], i10);
    const T i12 = values[4] + i11;
    changed[0] = i2;
    changed[1] = i9;
    return i12;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = 1.0f - v2;
    const T v4 = v3 - v1;
    const T v5 = v0 * v1;
    const T v6 = v0 * v4;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = values[0] + i1;
    return i2;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = 1.0f - v2;
    const T v4 = v3 - v1;
    const T v5 = v0 * v1;
    const T v6 = v0 * v4;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = values[0] + i1;
    return i2;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v3;
    const T v8 = v7 - v2;
    const T v9 = v0 * v2;
    const T v10 = v0 * v8;
    const T v11 = v0 * v3;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v9;
    values[5] = v10;
    values[6] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = i7 * values[6];
    const T i9 = multiply_add(kept[0], values[5], i8);
    const T i10 = values[4] + i9;
    changed[0] = i7;
    return i10;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[2], slack);
    slack = multiply_add(-1.0f, numbers[3], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
  }
};

// ball-1-stick, gradients deviate.
struct Chain12 {
  typedef float T;
  static const unsigned NUMBERS = 6, MAPS = 9, MOVES = 4, COLUMNS = 4, KEPT = 6, KEPT_OF_VOXEL = 0, MOST_CHANGED = 2;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 6, VALUES = 15, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = maps[0];
    const T v1 = maps[3];
    const T v2 = maps[6];
    const T v3 = maps[1];
    const T v4 = maps[4];
    const T v5 = maps[7];
    const T v6 = maps[2];
    const T v7 = maps[5];
    const T v8 = maps[8];
    const T v9 = numbers[0];
    const T v10 = numbers[1];
    const T v11 = numbers[2];
    const T v12 = numbers[3];
    const T v13 = numbers[4];
    const T v14 = numbers[5];
    const T v15 = 1.0f - v11;
    const T v16 = v9 * v15;
    const T v17 = v9 * v11;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v10;
    values[10] = v12;
    values[11] = v13;
    values[12] = v14;
    values[13] = v16;
    values[14] = v17;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[6]) {
    const T i0 = multiply_add(columns[1], values[0], columns[1]);
    const T i1 = multiply_add(columns[2], values[1], i0);
    const T i2 = multiply_add(columns[3], values[2], i1);
    const T i3 = multiply_add(columns[1], values[3], columns[2]);
    const T i4 = multiply_add(columns[2], values[4], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = multiply_add(columns[1], values[6], columns[3]);
    const T i7 = multiply_add(columns[2], values[7], i6);
    const T i8 = multiply_add(columns[3], values[8], i7);
    const T i9 = i5 * i5;
    const T i10 = multiply_add(i2, i2, i9);
    const T i11 = multiply_add(i8, i8, i10);
    const T i12 = i11 > 1e-12f ? i11 : 1e-12f;
    const T i13 = root(i12);
    const T i14 = 1.0f / i13;
    const T i15 = i2 * i14;
    const T i16 = i5 * i14;
    const T i17 = i8 * i14;
    const T i18 = columns[0] * i11;
    const T i19 = i18 * values[9];
    const T i20 = -i19;
    const T i21 = decay(i20);
    const T i22 = i16 * values[11];
    const T i23 = multiply_add(i15, values[10], i22);
    const T i24 = multiply_add(i17, values[12], i23);
    const T i25 = i24 * i24;
    const T i26 = i19 * i25;
    const T i27 = -i26;
    const T i28 = decay(i27);
    const T i29 = i28 * values[14];
    const T i30 = multiply_add(i21, values[13], i29);
    changed[0] = i15;
    changed[1] = i16;
    changed[2] = i17;
    changed[3] = i18;
    changed[4] = i21;
    changed[5] = i28;
    return i30;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    return i1;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    return i1;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 2, VALUES = 6, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 4; case 1: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v6;
    const T v8 = v0 * v2;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[2]) {
    const T i0 = kept[3] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = kept[1] * values[2];
    const T i4 = multiply_add(kept[0], values[1], i3);
    const T i5 = multiply_add(kept[2], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = i9 * values[5];
    const T i11 = multiply_add(i2, values[4], i10);
    changed[0] = i2;
    changed[1] = i9;
    return i11;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    return i1;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 3, CHANGED = 1, VALUES = 6, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = 1.0f - v2;
    const T v7 = v0 * v6;
    const T v8 = v0 * v2;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[1]) {
    const T i0 = kept[3] * values[0];
    const T i1 = kept[1] * values[2];
    const T i2 = multiply_add(kept[0], values[1], i1);
    const T i3 = multiply_add(kept[2], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = i7 * values[5];
    const T i9 = multiply_add(kept[4], values[4], i8);
    changed[0] = i7;
    return i9;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 3; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
  }
};

// fibres-2-1.
struct Chain13 {
  typedef float T;
  static const unsigned NUMBERS = 11, MAPS = 0, MOVES = 7, COLUMNS = 4, KEPT = 3, KEPT_OF_VOXEL = 0, MOST_CHANGED = 3;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 3, VALUES = 11, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = 1.0f - v3;
    const T v12 = v11 - v7;
    const T v13 = v12 - v2;
    const T v14 = v0 * v2;
    const T v15 = v0 * v13;
    const T v16 = v0 * v3;
    const T v17 = v0 * v7;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v8;
    values[5] = v9;
    values[6] = v10;
    values[7] = v14;
    values[8] = v15;
    values[9] = v16;
    values[10] = v17;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = columns[2] * values[5];
    const T i11 = multiply_add(columns[1], values[4], i10);
    const T i12 = multiply_add(columns[3], values[6], i11);
    const T i13 = i12 * i12;
    const T i14 = i0 * i13;
    const T i15 = -i14;
    const T i16 = decay(i15);
    const T i17 = i9 * values[9];
    const T i18 = multiply_add(i2, values[8], i17);
    const T i19 = multiply_add(i16, values[10], i18);
    const T i20 = values[7] + i19;
    changed[0] = i2;
    changed[1] = i9;
    changed[2] = i16;
    return i20;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v2;
    const T v5 = v4 - v3;
    const T v6 = v5 - v1;
    const T v7 = v0 * v1;
    const T v8 = v0 * v6;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = values[0] + i2;
    return i3;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v2;
    const T v5 = v4 - v3;
    const T v6 = v5 - v1;
    const T v7 = v0 * v1;
    const T v8 = v0 * v6;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = values[0] + i2;
    return i3;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 3, VALUES = 11, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = 1.0f - v3;
    const T v12 = v11 - v7;
    const T v13 = v12 - v2;
    const T v14 = v0 * v2;
    const T v15 = v0 * v13;
    const T v16 = v0 * v3;
    const T v17 = v0 * v7;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v8;
    values[5] = v9;
    values[6] = v10;
    values[7] = v14;
    values[8] = v15;
    values[9] = v16;
    values[10] = v17;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = columns[2] * values[5];
    const T i11 = multiply_add(columns[1], values[4], i10);
    const T i12 = multiply_add(columns[3], values[6], i11);
    const T i13 = i12 * i12;
    const T i14 = i0 * i13;
    const T i15 = -i14;
    const T i16 = decay(i15);
    const T i17 = i9 * values[9];
    const T i18 = multiply_add(i2, values[8], i17);
    const T i19 = multiply_add(i16, values[10], i18);
    const T i20 = values[7] + i19;
    changed[0] = i2;
    changed[1] = i9;
    changed[2] = i16;
    return i20;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v2;
    const T v5 = v4 - v3;
    const T v6 = v5 - v1;
    const T v7 = v0 * v1;
    const T v8 = v0 * v6;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = values[0] + i2;
    return i3;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v2;
    const T v5 = v4 - v3;
    const T v6 = v5 - v1;
    const T v7 = v0 * v1;
    const T v8 = v0 * v6;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = values[0] + i2;
    return i3;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 1, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v3;
    const T v9 = v8 - v7;
    const T v10 = v9 - v2;
    const T v11 = v0 * v2;
    const T v12 = v0 * v10;
    const T v13 = v0 * v3;
    const T v14 = v0 * v7;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v11;
    values[5] = v12;
    values[6] = v13;
    values[7] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = i7 * values[6];
    const T i9 = multiply_add(kept[0], values[5], i8);
    const T i10 = multiply_add(kept[2], values[7], i9);
    const T i11 = values[4] + i10;
    changed[0] = i7;
    return i11;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_NUMBER, FIRST = 7, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = 1.0f - v2;
    const T v5 = v4 - v3;
    const T v6 = v5 - v1;
    const T v7 = v0 * v1;
    const T v8 = v0 * v6;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = values[0] + i2;
    return i3;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 8, CHANGED = 1, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[7];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = numbers[10];
    const T v8 = 1.0f - v3;
    const T v9 = v8 - v4;
    const T v10 = v9 - v2;
    const T v11 = v0 * v2;
    const T v12 = v0 * v10;
    const T v13 = v0 * v3;
    const T v14 = v0 * v4;
    values[0] = v1;
    values[1] = v5;
    values[2] = v6;
    values[3] = v7;
    values[4] = v11;
    values[5] = v12;
    values[6] = v13;
    values[7] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = kept[1] * values[6];
    const T i9 = multiply_add(kept[0], values[5], i8);
    const T i10 = multiply_add(i7, values[7], i9);
    const T i11 = values[4] + i10;
    changed[0] = i7;
    return i11;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[2], slack);
    slack = multiply_add(-1.0f, numbers[3], slack);
    slack = multiply_add(-1.0f, numbers[7], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4 || which == 6; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
  }
};

// ball-2-sticks, gradients deviate.
struct Chain14 {
  typedef float T;
  static const unsigned NUMBERS = 10, MAPS = 9, MOVES = 6, COLUMNS = 4, KEPT = 7, KEPT_OF_VOXEL = 0, MOST_CHANGED = 3;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 7, VALUES = 19, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = maps[0];
    const T v1 = maps[3];
    const T v2 = maps[6];
    const T v3 = maps[1];
    const T v4 = maps[4];
    const T v5 = maps[7];
    const T v6 = maps[2];
    const T v7 = maps[5];
    const T v8 = maps[8];
    const T v9 = numbers[0];
    const T v10 = numbers[1];
    const T v11 = numbers[2];
    const T v12 = numbers[3];
    const T v13 = numbers[4];
    const T v14 = numbers[5];
    const T v15 = numbers[6];
    const T v16 = numbers[7];
    const T v17 = numbers[8];
    const T v18 = numbers[9];
    const T v19 = 1.0f - v11;
    const T v20 = v19 - v15;
    const T v21 = v9 * v20;
    const T v22 = v9 * v11;
    const T v23 = v9 * v15;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v10;
    values[10] = v12;
    values[11] = v13;
    values[12] = v14;
    values[13] = v16;
    values[14] = v17;
    values[15] = v18;
    values[16] = v21;
    values[17] = v22;
    values[18] = v23;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[7]) {
    const T i0 = multiply_add(columns[1], values[0], columns[1]);
    const T i1 = multiply_add(columns[2], values[1], i0);
    const T i2 = multiply_add(columns[3], values[2], i1);
    const T i3 = multiply_add(columns[1], values[3], columns[2]);
    const T i4 = multiply_add(columns[2], values[4], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = multiply_add(columns[1], values[6], columns[3]);
    const T i7 = multiply_add(columns[2], values[7], i6);
    const T i8 = multiply_add(columns[3], values[8], i7);
    const T i9 = i5 * i5;
    const T i10 = multiply_add(i2, i2, i9);
    const T i11 = multiply_add(i8, i8, i10);
    const T i12 = i11 > 1e-12f ? i11 : 1e-12f;
    const T i13 = root(i12);
    const T i14 = 1.0f / i13;
    const T i15 = i2 * i14;
    const T i16 = i5 * i14;
    const T i17 = i8 * i14;
    const T i18 = columns[0] * i11;
    const T i19 = i18 * values[9];
    const T i20 = -i19;
    const T i21 = decay(i20);
    const T i22 = i16 * values[11];
    const T i23 = multiply_add(i15, values[10], i22);
    const T i24 = multiply_add(i17, values[12], i23);
    const T i25 = i24 * i24;
    const T i26 = i19 * i25;
    const T i27 = -i26;
    const T i28 = decay(i27);
    const T i29 = i16 * values[14];
    const T i30 = multiply_add(i15, values[13], i29);
    const T i31 = multiply_add(i17, values[15], i30);
    const T i32 = i31 * i31;
    const T i33 = i19 * i32;
    const T i34 = -i33;
    const T i35 = decay(i34);
    const T i36 = i28 * values[17];
    const T i37 = multiply_add(i21, values[16], i36);
    const T i38 = multiply_add(i35, values[18], i37);
    changed[0] = i15;
    changed[1] = i16;
    changed[2] = i17;
    changed[3] = i18;
    changed[4] = i21;
    changed[5] = i28;
    changed[6] = i35;
    return i38;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    return i2;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    return i2;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 3, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 4; case 1: return 5; case 2: return 6; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = 1.0f - v2;
    const T v11 = v10 - v6;
    const T v12 = v0 * v11;
    const T v13 = v0 * v2;
    const T v14 = v0 * v6;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    values[6] = v9;
    values[7] = v12;
    values[8] = v13;
    values[9] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[3]) {
    const T i0 = kept[3] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = kept[1] * values[2];
    const T i4 = multiply_add(kept[0], values[1], i3);
    const T i5 = multiply_add(kept[2], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = kept[1] * values[5];
    const T i11 = multiply_add(kept[0], values[4], i10);
    const T i12 = multiply_add(kept[2], values[6], i11);
    const T i13 = i12 * i12;
    const T i14 = i0 * i13;
    const T i15 = -i14;
    const T i16 = decay(i15);
    const T i17 = i9 * values[8];
    const T i18 = multiply_add(i2, values[7], i17);
    const T i19 = multiply_add(i16, values[9], i18);
    changed[0] = i2;
    changed[1] = i9;
    changed[2] = i16;
    return i19;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    return i2;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 3, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v2;
    const T v8 = v7 - v6;
    const T v9 = v0 * v8;
    const T v10 = v0 * v2;
    const T v11 = v0 * v6;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v9;
    values[5] = v10;
    values[6] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[3] * values[0];
    const T i1 = kept[1] * values[2];
    const T i2 = multiply_add(kept[0], values[1], i1);
    const T i3 = multiply_add(kept[2], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = i7 * values[5];
    const T i9 = multiply_add(kept[4], values[4], i8);
    const T i10 = multiply_add(kept[6], values[6], i9);
    changed[0] = i7;
    return i10;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 6, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    return i2;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 7, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 6; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[6];
    const T v4 = numbers[7];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = 1.0f - v2;
    const T v8 = v7 - v3;
    const T v9 = v0 * v8;
    const T v10 = v0 * v2;
    const T v11 = v0 * v3;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v9;
    values[5] = v10;
    values[6] = v11;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[3] * values[0];
    const T i1 = kept[1] * values[2];
    const T i2 = multiply_add(kept[0], values[1], i1);
    const T i3 = multiply_add(kept[2], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = kept[5] * values[5];
    const T i9 = multiply_add(kept[4], values[4], i8);
    const T i10 = multiply_add(i7, values[6], i9);
    changed[0] = i7;
    return i10;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[2], slack);
    slack = multiply_add(-1.0f, numbers[6], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 3 || which == 5; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
  }
};

// fibres-3-1.
struct Chain15 {
  typedef float T;
  static const unsigned NUMBERS = 15, MAPS = 0, MOVES = 9, COLUMNS = 4, KEPT = 4, KEPT_OF_VOXEL = 0, MOST_CHANGED = 4;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 4, VALUES = 15, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = 1.0f - v3;
    const T v16 = v15 - v7;
    const T v17 = v16 - v11;
    const T v18 = v17 - v2;
    const T v19 = v0 * v2;
    const T v20 = v0 * v18;
    const T v21 = v0 * v3;
    const T v22 = v0 * v7;
    const T v23 = v0 * v11;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v8;
    values[5] = v9;
    values[6] = v10;
    values[7] = v12;
    values[8] = v13;
    values[9] = v14;
    values[10] = v19;
    values[11] = v20;
    values[12] = v21;
    values[13] = v22;
    values[14] = v23;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = columns[2] * values[5];
    const T i11 = multiply_add(columns[1], values[4], i10);
    const T i12 = multiply_add(columns[3], values[6], i11);
    const T i13 = i12 * i12;
    const T i14 = i0 * i13;
    const T i15 = -i14;
    const T i16 = decay(i15);
    const T i17 = columns[2] * values[8];
    const T i18 = multiply_add(columns[1], values[7], i17);
    const T i19 = multiply_add(columns[3], values[9], i18);
    const T i20 = i19 * i19;
    const T i21 = i0 * i20;
    const T i22 = -i21;
    const T i23 = decay(i22);
    const T i24 = i9 * values[12];
    const T i25 = multiply_add(i2, values[11], i24);
    const T i26 = multiply_add(i16, values[13], i25);
    const T i27 = multiply_add(i23, values[14], i26);
    const T i28 = values[10] + i27;
    changed[0] = i2;
    changed[1] = i9;
    changed[2] = i16;
    changed[3] = i23;
    return i28;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = numbers[11];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = numbers[11];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 4, VALUES = 15, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = 1.0f - v3;
    const T v16 = v15 - v7;
    const T v17 = v16 - v11;
    const T v18 = v17 - v2;
    const T v19 = v0 * v2;
    const T v20 = v0 * v18;
    const T v21 = v0 * v3;
    const T v22 = v0 * v7;
    const T v23 = v0 * v11;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v8;
    values[5] = v9;
    values[6] = v10;
    values[7] = v12;
    values[8] = v13;
    values[9] = v14;
    values[10] = v19;
    values[11] = v20;
    values[12] = v21;
    values[13] = v22;
    values[14] = v23;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = columns[2] * values[2];
    const T i4 = multiply_add(columns[1], values[1], i3);
    const T i5 = multiply_add(columns[3], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = columns[2] * values[5];
    const T i11 = multiply_add(columns[1], values[4], i10);
    const T i12 = multiply_add(columns[3], values[6], i11);
    const T i13 = i12 * i12;
    const T i14 = i0 * i13;
    const T i15 = -i14;
    const T i16 = decay(i15);
    const T i17 = columns[2] * values[8];
    const T i18 = multiply_add(columns[1], values[7], i17);
    const T i19 = multiply_add(columns[3], values[9], i18);
    const T i20 = i19 * i19;
    const T i21 = i0 * i20;
    const T i22 = -i21;
    const T i23 = decay(i22);
    const T i24 = i9 * values[12];
    const T i25 = multiply_add(i2, values[11], i24);
    const T i26 = multiply_add(i16, values[13], i25);
    const T i27 = multiply_add(i23, values[14], i26);
    const T i28 = values[10] + i27;
    changed[0] = i2;
    changed[1] = i9;
    changed[2] = i16;
    changed[3] = i23;
    return i28;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = numbers[11];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = numbers[11];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[11];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v7;
    const T v11 = v10 - v8;
    const T v12 = v11 - v2;
    const T v13 = v0 * v2;
    const T v14 = v0 * v12;
    const T v15 = v0 * v3;
    const T v16 = v0 * v7;
    const T v17 = v0 * v8;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v13;
    values[5] = v14;
    values[6] = v15;
    values[7] = v16;
    values[8] = v17;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = i7 * values[6];
    const T i9 = multiply_add(kept[0], values[5], i8);
    const T i10 = multiply_add(kept[2], values[7], i9);
    const T i11 = multiply_add(kept[3], values[8], i10);
    const T i12 = values[4] + i11;
    changed[0] = i7;
    return i12;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_NUMBER, FIRST = 7, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = numbers[11];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 8, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[7];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = numbers[10];
    const T v8 = numbers[11];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v4;
    const T v11 = v10 - v8;
    const T v12 = v11 - v2;
    const T v13 = v0 * v2;
    const T v14 = v0 * v12;
    const T v15 = v0 * v3;
    const T v16 = v0 * v4;
    const T v17 = v0 * v8;
    values[0] = v1;
    values[1] = v5;
    values[2] = v6;
    values[3] = v7;
    values[4] = v13;
    values[5] = v14;
    values[6] = v15;
    values[7] = v16;
    values[8] = v17;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = kept[1] * values[6];
    const T i9 = multiply_add(kept[0], values[5], i8);
    const T i10 = multiply_add(i7, values[7], i9);
    const T i11 = multiply_add(kept[3], values[8], i10);
    const T i12 = values[4] + i11;
    changed[0] = i7;
    return i12;
    }
  };
  struct Move7 {
    static const int KIND = MOVED_NUMBER, FIRST = 11, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[3];
    const T v3 = numbers[7];
    const T v4 = numbers[11];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move8 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 12, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[7];
    const T v5 = numbers[11];
    const T v6 = numbers[12];
    const T v7 = numbers[13];
    const T v8 = numbers[14];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v4;
    const T v11 = v10 - v5;
    const T v12 = v11 - v2;
    const T v13 = v0 * v2;
    const T v14 = v0 * v12;
    const T v15 = v0 * v3;
    const T v16 = v0 * v4;
    const T v17 = v0 * v5;
    values[0] = v1;
    values[1] = v6;
    values[2] = v7;
    values[3] = v8;
    values[4] = v13;
    values[5] = v14;
    values[6] = v15;
    values[7] = v16;
    values[8] = v17;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[0];
    const T i1 = columns[2] * values[2];
    const T i2 = multiply_add(columns[1], values[1], i1);
    const T i3 = multiply_add(columns[3], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = kept[1] * values[6];
    const T i9 = multiply_add(kept[0], values[5], i8);
    const T i10 = multiply_add(kept[2], values[7], i9);
    const T i11 = multiply_add(i7, values[8], i10);
    const T i12 = values[4] + i11;
    changed[0] = i7;
    return i12;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[2], slack);
    slack = multiply_add(-1.0f, numbers[3], slack);
    slack = multiply_add(-1.0f, numbers[7], slack);
    slack = multiply_add(-1.0f, numbers[11], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4 || which == 6 || which == 8; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
    chain.template step<Move7>(7);
    chain.template step<Move8>(8);
  }
};

// ball-3-sticks, gradients deviate.
struct Chain16 {
  typedef float T;
  static const unsigned NUMBERS = 14, MAPS = 9, MOVES = 8, COLUMNS = 4, KEPT = 8, KEPT_OF_VOXEL = 0, MOST_CHANGED = 4;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 8, VALUES = 23, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; case 7: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = maps[0];
    const T v1 = maps[3];
    const T v2 = maps[6];
    const T v3 = maps[1];
    const T v4 = maps[4];
    const T v5 = maps[7];
    const T v6 = maps[2];
    const T v7 = maps[5];
    const T v8 = maps[8];
    const T v9 = numbers[0];
    const T v10 = numbers[1];
    const T v11 = numbers[2];
    const T v12 = numbers[3];
    const T v13 = numbers[4];
    const T v14 = numbers[5];
    const T v15 = numbers[6];
    const T v16 = numbers[7];
    const T v17 = numbers[8];
    const T v18 = numbers[9];
    const T v19 = numbers[10];
    const T v20 = numbers[11];
    const T v21 = numbers[12];
    const T v22 = numbers[13];
    const T v23 = 1.0f - v11;
    const T v24 = v23 - v15;
    const T v25 = v24 - v19;
    const T v26 = v9 * v25;
    const T v27 = v9 * v11;
    const T v28 = v9 * v15;
    const T v29 = v9 * v19;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v10;
    values[10] = v12;
    values[11] = v13;
    values[12] = v14;
    values[13] = v16;
    values[14] = v17;
    values[15] = v18;
    values[16] = v20;
    values[17] = v21;
    values[18] = v22;
    values[19] = v26;
    values[20] = v27;
    values[21] = v28;
    values[22] = v29;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[8]) {
    const T i0 = multiply_add(columns[1], values[0], columns[1]);
    const T i1 = multiply_add(columns[2], values[1], i0);
    const T i2 = multiply_add(columns[3], values[2], i1);
    const T i3 = multiply_add(columns[1], values[3], columns[2]);
    const T i4 = multiply_add(columns[2], values[4], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = multiply_add(columns[1], values[6], columns[3]);
    const T i7 = multiply_add(columns[2], values[7], i6);
    const T i8 = multiply_add(columns[3], values[8], i7);
    const T i9 = i5 * i5;
    const T i10 = multiply_add(i2, i2, i9);
    const T i11 = multiply_add(i8, i8, i10);
    const T i12 = i11 > 1e-12f ? i11 : 1e-12f;
    const T i13 = root(i12);
    const T i14 = 1.0f / i13;
    const T i15 = i2 * i14;
    const T i16 = i5 * i14;
    const T i17 = i8 * i14;
    const T i18 = columns[0] * i11;
    const T i19 = i18 * values[9];
    const T i20 = -i19;
    const T i21 = decay(i20);
    const T i22 = i16 * values[11];
    const T i23 = multiply_add(i15, values[10], i22);
    const T i24 = multiply_add(i17, values[12], i23);
    const T i25 = i24 * i24;
    const T i26 = i19 * i25;
    const T i27 = -i26;
    const T i28 = decay(i27);
    const T i29 = i16 * values[14];
    const T i30 = multiply_add(i15, values[13], i29);
    const T i31 = multiply_add(i17, values[15], i30);
    const T i32 = i31 * i31;
    const T i33 = i19 * i32;
    const T i34 = -i33;
    const T i35 = decay(i34);
    const T i36 = i16 * values[17];
    const T i37 = multiply_add(i15, values[16], i36);
    const T i38 = multiply_add(i17, values[18], i37);
    const T i39 = i38 * i38;
    const T i40 = i19 * i39;
    const T i41 = -i40;
    const T i42 = decay(i41);
    const T i43 = i28 * values[20];
    const T i44 = multiply_add(i21, values[19], i43);
    const T i45 = multiply_add(i35, values[21], i44);
    const T i46 = multiply_add(i42, values[22], i45);
    changed[0] = i15;
    changed[1] = i16;
    changed[2] = i17;
    changed[3] = i18;
    changed[4] = i21;
    changed[5] = i28;
    changed[6] = i35;
    changed[7] = i42;
    return i46;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = numbers[10];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(kept[7], values[3], i2);
    return i3;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = numbers[10];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(kept[7], values[3], i2);
    return i3;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 4, VALUES = 14, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 4; case 1: return 5; case 2: return 6; case 3: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = 1.0f - v2;
    const T v15 = v14 - v6;
    const T v16 = v15 - v10;
    const T v17 = v0 * v16;
    const T v18 = v0 * v2;
    const T v19 = v0 * v6;
    const T v20 = v0 * v10;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v7;
    values[5] = v8;
    values[6] = v9;
    values[7] = v11;
    values[8] = v12;
    values[9] = v13;
    values[10] = v17;
    values[11] = v18;
    values[12] = v19;
    values[13] = v20;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[4]) {
    const T i0 = kept[3] * values[0];
    const T i1 = -i0;
    const T i2 = decay(i1);
    const T i3 = kept[1] * values[2];
    const T i4 = multiply_add(kept[0], values[1], i3);
    const T i5 = multiply_add(kept[2], values[3], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = kept[1] * values[5];
    const T i11 = multiply_add(kept[0], values[4], i10);
    const T i12 = multiply_add(kept[2], values[6], i11);
    const T i13 = i12 * i12;
    const T i14 = i0 * i13;
    const T i15 = -i14;
    const T i16 = decay(i15);
    const T i17 = kept[1] * values[8];
    const T i18 = multiply_add(kept[0], values[7], i17);
    const T i19 = multiply_add(kept[2], values[9], i18);
    const T i20 = i19 * i19;
    const T i21 = i0 * i20;
    const T i22 = -i21;
    const T i23 = decay(i22);
    const T i24 = i9 * values[11];
    const T i25 = multiply_add(i2, values[10], i24);
    const T i26 = multiply_add(i16, values[12], i25);
    const T i27 = multiply_add(i23, values[13], i26);
    changed[0] = i2;
    changed[1] = i9;
    changed[2] = i16;
    changed[3] = i23;
    return i27;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = numbers[10];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(kept[7], values[3], i2);
    return i3;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 3, CHANGED = 1, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[10];
    const T v8 = 1.0f - v2;
    const T v9 = v8 - v6;
    const T v10 = v9 - v7;
    const T v11 = v0 * v10;
    const T v12 = v0 * v2;
    const T v13 = v0 * v6;
    const T v14 = v0 * v7;
    values[0] = v1;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v11;
    values[5] = v12;
    values[6] = v13;
    values[7] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[3] * values[0];
    const T i1 = kept[1] * values[2];
    const T i2 = multiply_add(kept[0], values[1], i1);
    const T i3 = multiply_add(kept[2], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = i7 * values[5];
    const T i9 = multiply_add(kept[4], values[4], i8);
    const T i10 = multiply_add(kept[6], values[6], i9);
    const T i11 = multiply_add(kept[7], values[7], i10);
    changed[0] = i7;
    return i11;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 6, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = numbers[10];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(kept[7], values[3], i2);
    return i3;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 7, CHANGED = 1, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 6; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[6];
    const T v4 = numbers[7];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = numbers[10];
    const T v8 = 1.0f - v2;
    const T v9 = v8 - v3;
    const T v10 = v9 - v7;
    const T v11 = v0 * v10;
    const T v12 = v0 * v2;
    const T v13 = v0 * v3;
    const T v14 = v0 * v7;
    values[0] = v1;
    values[1] = v4;
    values[2] = v5;
    values[3] = v6;
    values[4] = v11;
    values[5] = v12;
    values[6] = v13;
    values[7] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[3] * values[0];
    const T i1 = kept[1] * values[2];
    const T i2 = multiply_add(kept[0], values[1], i1);
    const T i3 = multiply_add(kept[2], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = kept[5] * values[5];
    const T i9 = multiply_add(kept[4], values[4], i8);
    const T i10 = multiply_add(i7, values[6], i9);
    const T i11 = multiply_add(kept[7], values[7], i10);
    changed[0] = i7;
    return i11;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_NUMBER, FIRST = 10, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[2];
    const T v2 = numbers[6];
    const T v3 = numbers[10];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(kept[7], values[3], i2);
    return i3;
    }
  };
  struct Move7 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 11, CHANGED = 1, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[6];
    const T v4 = numbers[10];
    const T v5 = numbers[11];
    const T v6 = numbers[12];
    const T v7 = numbers[13];
    const T v8 = 1.0f - v2;
    const T v9 = v8 - v3;
    const T v10 = v9 - v4;
    const T v11 = v0 * v10;
    const T v12 = v0 * v2;
    const T v13 = v0 * v3;
    const T v14 = v0 * v4;
    values[0] = v1;
    values[1] = v5;
    values[2] = v6;
    values[3] = v7;
    values[4] = v11;
    values[5] = v12;
    values[6] = v13;
    values[7] = v14;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[3] * values[0];
    const T i1 = kept[1] * values[2];
    const T i2 = multiply_add(kept[0], values[1], i1);
    const T i3 = multiply_add(kept[2], values[3], i2);
    const T i4 = i3 * i3;
    const T i5 = i0 * i4;
    const T i6 = -i5;
    const T i7 = decay(i6);
    const T i8 = kept[5] * values[5];
    const T i9 = multiply_add(kept[4], values[4], i8);
    const T i10 = multiply_add(kept[6], values[6], i9);
    const T i11 = multiply_add(i7, values[7], i10);
    changed[0] = i7;
    return i11;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[2], slack);
    slack = multiply_add(-1.0f, numbers[6], slack);
    slack = multiply_add(-1.0f, numbers[10], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 3 || which == 5 || which == 7; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
    chain.template step<Move7>(7);
  }
};

// fibres-1-2.
struct Chain17 {
  typedef float T;
  static const unsigned NUMBERS = 8, MAPS = 0, MOVES = 6, COLUMNS = 4, KEPT = 2, KEPT_OF_VOXEL = 0, MOST_CHANGED = 2;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 2, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v4;
    const T v9 = v8 - v3;
    const T v10 = v1 / v2;
    const T v11 = v10 * v10;
    const T v12 = v2 * v2;
    const T v13 = 1.0f / v1;
    const T v14 = v0 * v3;
    const T v15 = v0 * v9;
    const T v16 = v0 * v4;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v11;
    values[4] = v12;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[3] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[3] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = i15 * values[8];
    const T i17 = multiply_add(i6, values[7], i16);
    const T i18 = values[6] + i17;
    changed[0] = i6;
    changed[1] = i15;
    return i18;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = 1.0f - v2;
    const T v4 = v3 - v1;
    const T v5 = v0 * v1;
    const T v6 = v0 * v4;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = values[0] + i1;
    return i2;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = 1.0f - v2;
    const T v4 = v3 - v1;
    const T v5 = v0 * v1;
    const T v6 = v0 * v4;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = values[0] + i1;
    return i2;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 2, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v4;
    const T v9 = v8 - v3;
    const T v10 = v1 / v2;
    const T v11 = v10 * v10;
    const T v12 = v2 * v2;
    const T v13 = 1.0f / v1;
    const T v14 = v0 * v3;
    const T v15 = v0 * v9;
    const T v16 = v0 * v4;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v11;
    values[4] = v12;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[3] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[3] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = i15 * values[8];
    const T i17 = multiply_add(i6, values[7], i16);
    const T i18 = values[6] + i17;
    changed[0] = i6;
    changed[1] = i15;
    return i18;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 2, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v4;
    const T v9 = v8 - v3;
    const T v10 = v1 / v2;
    const T v11 = v10 * v10;
    const T v12 = v2 * v2;
    const T v13 = 1.0f / v1;
    const T v14 = v0 * v3;
    const T v15 = v0 * v9;
    const T v16 = v0 * v4;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v11;
    values[4] = v12;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[3] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[3] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = i15 * values[8];
    const T i17 = multiply_add(i6, values[7], i16);
    const T i18 = values[6] + i17;
    changed[0] = i6;
    changed[1] = i15;
    return i18;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = 1.0f - v2;
    const T v4 = v3 - v1;
    const T v5 = v0 * v1;
    const T v6 = v0 * v4;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = values[0] + i1;
    return i2;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 4, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = 1.0f - v2;
    const T v4 = v3 - v1;
    const T v5 = v0 * v1;
    const T v6 = v0 * v4;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = values[0] + i1;
    return i2;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 5, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v4;
    const T v9 = v8 - v3;
    const T v10 = v1 / v2;
    const T v11 = v10 * v10;
    const T v12 = v2 * v2;
    const T v13 = 1.0f / v1;
    const T v14 = v0 * v3;
    const T v15 = v0 * v9;
    const T v16 = v0 * v4;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v11;
    values[4] = v12;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = i10 * values[8];
    const T i12 = multiply_add(kept[0], values[7], i11);
    const T i13 = values[6] + i12;
    changed[0] = i10;
    return i13;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[3], slack);
    slack = multiply_add(-1.0f, numbers[4], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 5; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
  }
};

// ball-1-stick-gamma, gradients deviate.
struct Chain18 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 9, MOVES = 5, COLUMNS = 4, KEPT = 6, KEPT_OF_VOXEL = 0, MOST_CHANGED = 2;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 6, VALUES = 17, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = maps[0];
    const T v1 = maps[3];
    const T v2 = maps[6];
    const T v3 = maps[1];
    const T v4 = maps[4];
    const T v5 = maps[7];
    const T v6 = maps[2];
    const T v7 = maps[5];
    const T v8 = maps[8];
    const T v9 = numbers[0];
    const T v10 = numbers[1];
    const T v11 = numbers[2];
    const T v12 = numbers[3];
    const T v13 = numbers[4];
    const T v14 = numbers[5];
    const T v15 = numbers[6];
    const T v16 = 1.0f - v12;
    const T v17 = v10 / v11;
    const T v18 = v17 * v17;
    const T v19 = v11 * v11;
    const T v20 = 1.0f / v10;
    const T v21 = v9 * v16;
    const T v22 = v9 * v12;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v13;
    values[10] = v14;
    values[11] = v15;
    values[12] = v18;
    values[13] = v19;
    values[14] = v20;
    values[15] = v21;
    values[16] = v22;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[6]) {
    const T i0 = multiply_add(columns[1], values[0], columns[1]);
    const T i1 = multiply_add(columns[2], values[1], i0);
    const T i2 = multiply_add(columns[3], values[2], i1);
    const T i3 = multiply_add(columns[1], values[3], columns[2]);
    const T i4 = multiply_add(columns[2], values[4], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = multiply_add(columns[1], values[6], columns[3]);
    const T i7 = multiply_add(columns[2], values[7], i6);
    const T i8 = multiply_add(columns[3], values[8], i7);
    const T i9 = i5 * i5;
    const T i10 = multiply_add(i2, i2, i9);
    const T i11 = multiply_add(i8, i8, i10);
    const T i12 = i11 > 1e-12f ? i11 : 1e-12f;
    const T i13 = root(i12);
    const T i14 = 1.0f / i13;
    const T i15 = i2 * i14;
    const T i16 = i5 * i14;
    const T i17 = i8 * i14;
    const T i18 = columns[0] * i11;
    const T i19 = i18 * values[13];
    const T i20 = i19 * values[14];
    const T i21 = 1.0f + i20;
    const T i22 = logarithm(i21);
    const T i23 = values[12] * i22;
    const T i24 = -i23;
    const T i25 = decay(i24);
    const T i26 = i16 * values[10];
    const T i27 = multiply_add(i15, values[9], i26);
    const T i28 = multiply_add(i17, values[11], i27);
    const T i29 = i28 * i28;
    const T i30 = multiply_add(i20, i29, 1.0f);
    const T i31 = logarithm(i30);
    const T i32 = values[12] * i31;
    const T i33 = -i32;
    const T i34 = decay(i33);
    const T i35 = i34 * values[16];
    const T i36 = multiply_add(i25, values[15], i35);
    changed[0] = i15;
    changed[1] = i16;
    changed[2] = i17;
    changed[3] = i18;
    changed[4] = i25;
    changed[5] = i34;
    return i36;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    return i1;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    return i1;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 2, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 4; case 1: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v3;
    const T v8 = v1 / v2;
    const T v9 = v8 * v8;
    const T v10 = v2 * v2;
    const T v11 = 1.0f / v1;
    const T v12 = v0 * v7;
    const T v13 = v0 * v3;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v12;
    values[7] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[2]) {
    const T i0 = kept[3] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[3] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = kept[1] * values[1];
    const T i8 = multiply_add(kept[0], values[0], i7);
    const T i9 = multiply_add(kept[2], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[3] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = i15 * values[7];
    const T i17 = multiply_add(i6, values[6], i16);
    changed[0] = i6;
    changed[1] = i15;
    return i17;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 2, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 4; case 1: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v3;
    const T v8 = v1 / v2;
    const T v9 = v8 * v8;
    const T v10 = v2 * v2;
    const T v11 = 1.0f / v1;
    const T v12 = v0 * v7;
    const T v13 = v0 * v3;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v12;
    values[7] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[2]) {
    const T i0 = kept[3] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[3] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = kept[1] * values[1];
    const T i8 = multiply_add(kept[0], values[0], i7);
    const T i9 = multiply_add(kept[2], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[3] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = i15 * values[7];
    const T i17 = multiply_add(i6, values[6], i16);
    changed[0] = i6;
    changed[1] = i15;
    return i17;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    return i1;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 1, VALUES = 8, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0f - v3;
    const T v8 = v1 / v2;
    const T v9 = v8 * v8;
    const T v10 = v2 * v2;
    const T v11 = 1.0f / v1;
    const T v12 = v0 * v7;
    const T v13 = v0 * v3;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v12;
    values[7] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[6], T (&changed)[1]) {
    const T i0 = kept[3] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = kept[1] * values[1];
    const T i3 = multiply_add(kept[0], values[0], i2);
    const T i4 = multiply_add(kept[2], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = i10 * values[7];
    const T i12 = multiply_add(kept[4], values[6], i11);
    changed[0] = i10;
    return i12;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
  }
};

// fibres-2-2.
struct Chain19 {
  typedef float T;
  static const unsigned NUMBERS = 12, MAPS = 0, MOVES = 8, COLUMNS = 4, KEPT = 3, KEPT_OF_VOXEL = 0, MOST_CHANGED = 3;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 3, VALUES = 13, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = 1.0f - v4;
    const T v13 = v12 - v8;
    const T v14 = v13 - v3;
    const T v15 = v1 / v2;
    const T v16 = v15 * v15;
    const T v17 = v2 * v2;
    const T v18 = 1.0f / v1;
    const T v19 = v0 * v3;
    const T v20 = v0 * v14;
    const T v21 = v0 * v4;
    const T v22 = v0 * v8;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    values[10] = v20;
    values[11] = v21;
    values[12] = v22;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[7];
    const T i1 = i0 * values[8];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[6] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[6] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[6] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = i15 * values[11];
    const T i26 = multiply_add(i6, values[10], i25);
    const T i27 = multiply_add(i24, values[12], i26);
    const T i28 = values[9] + i27;
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    return i28;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = 1.0f - v2;
    const T v5 = v4 - v3;
    const T v6 = v5 - v1;
    const T v7 = v0 * v1;
    const T v8 = v0 * v6;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = values[0] + i2;
    return i3;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = 1.0f - v2;
    const T v5 = v4 - v3;
    const T v6 = v5 - v1;
    const T v7 = v0 * v1;
    const T v8 = v0 * v6;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = values[0] + i2;
    return i3;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 3, VALUES = 13, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = 1.0f - v4;
    const T v13 = v12 - v8;
    const T v14 = v13 - v3;
    const T v15 = v1 / v2;
    const T v16 = v15 * v15;
    const T v17 = v2 * v2;
    const T v18 = 1.0f / v1;
    const T v19 = v0 * v3;
    const T v20 = v0 * v14;
    const T v21 = v0 * v4;
    const T v22 = v0 * v8;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    values[10] = v20;
    values[11] = v21;
    values[12] = v22;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[7];
    const T i1 = i0 * values[8];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[6] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[6] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[6] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = i15 * values[11];
    const T i26 = multiply_add(i6, values[10], i25);
    const T i27 = multiply_add(i24, values[12], i26);
    const T i28 = values[9] + i27;
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    return i28;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 3, VALUES = 13, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = 1.0f - v4;
    const T v13 = v12 - v8;
    const T v14 = v13 - v3;
    const T v15 = v1 / v2;
    const T v16 = v15 * v15;
    const T v17 = v2 * v2;
    const T v18 = 1.0f / v1;
    const T v19 = v0 * v3;
    const T v20 = v0 * v14;
    const T v21 = v0 * v4;
    const T v22 = v0 * v8;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    values[10] = v20;
    values[11] = v21;
    values[12] = v22;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[7];
    const T i1 = i0 * values[8];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[6] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[6] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[6] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = i15 * values[11];
    const T i26 = multiply_add(i6, values[10], i25);
    const T i27 = multiply_add(i24, values[12], i26);
    const T i28 = values[9] + i27;
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    return i28;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = 1.0f - v2;
    const T v5 = v4 - v3;
    const T v6 = v5 - v1;
    const T v7 = v0 * v1;
    const T v8 = v0 * v6;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = values[0] + i2;
    return i3;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 4, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = 1.0f - v2;
    const T v5 = v4 - v3;
    const T v6 = v5 - v1;
    const T v7 = v0 * v1;
    const T v8 = v0 * v6;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = values[0] + i2;
    return i3;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 5, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = 1.0f - v4;
    const T v10 = v9 - v8;
    const T v11 = v10 - v3;
    const T v12 = v1 / v2;
    const T v13 = v12 * v12;
    const T v14 = v2 * v2;
    const T v15 = 1.0f / v1;
    const T v16 = v0 * v3;
    const T v17 = v0 * v11;
    const T v18 = v0 * v4;
    const T v19 = v0 * v8;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v13;
    values[4] = v14;
    values[5] = v15;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = i10 * values[8];
    const T i12 = multiply_add(kept[0], values[7], i11);
    const T i13 = multiply_add(kept[2], values[9], i12);
    const T i14 = values[6] + i13;
    changed[0] = i10;
    return i14;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_NUMBER, FIRST = 8, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = 1.0f - v2;
    const T v5 = v4 - v3;
    const T v6 = v5 - v1;
    const T v7 = v0 * v1;
    const T v8 = v0 * v6;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = values[0] + i2;
    return i3;
    }
  };
  struct Move7 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 9, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = numbers[10];
    const T v8 = numbers[11];
    const T v9 = 1.0f - v4;
    const T v10 = v9 - v5;
    const T v11 = v10 - v3;
    const T v12 = v1 / v2;
    const T v13 = v12 * v12;
    const T v14 = v2 * v2;
    const T v15 = 1.0f / v1;
    const T v16 = v0 * v3;
    const T v17 = v0 * v11;
    const T v18 = v0 * v4;
    const T v19 = v0 * v5;
    values[0] = v6;
    values[1] = v7;
    values[2] = v8;
    values[3] = v13;
    values[4] = v14;
    values[5] = v15;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = kept[1] * values[8];
    const T i12 = multiply_add(kept[0], values[7], i11);
    const T i13 = multiply_add(i10, values[9], i12);
    const T i14 = values[6] + i13;
    changed[0] = i10;
    return i14;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[3], slack);
    slack = multiply_add(-1.0f, numbers[4], slack);
    slack = multiply_add(-1.0f, numbers[8], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 5 || which == 7; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
    chain.template step<Move7>(7);
  }
};

// ball-2-sticks-gamma, gradients deviate.
struct Chain20 {
  typedef float T;
  static const unsigned NUMBERS = 11, MAPS = 9, MOVES = 7, COLUMNS = 4, KEPT = 7, KEPT_OF_VOXEL = 0, MOST_CHANGED = 3;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 7, VALUES = 21, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = maps[0];
    const T v1 = maps[3];
    const T v2 = maps[6];
    const T v3 = maps[1];
    const T v4 = maps[4];
    const T v5 = maps[7];
    const T v6 = maps[2];
    const T v7 = maps[5];
    const T v8 = maps[8];
    const T v9 = numbers[0];
    const T v10 = numbers[1];
    const T v11 = numbers[2];
    const T v12 = numbers[3];
    const T v13 = numbers[4];
    const T v14 = numbers[5];
    const T v15 = numbers[6];
    const T v16 = numbers[7];
    const T v17 = numbers[8];
    const T v18 = numbers[9];
    const T v19 = numbers[10];
    const T v20 = 1.0f - v12;
    const T v21 = v20 - v16;
    const T v22 = v10 / v11;
    const T v23 = v22 * v22;
    const T v24 = v11 * v11;
    const T v25 = 1.0f / v10;
    const T v26 = v9 * v21;
    const T v27 = v9 * v12;
    const T v28 = v9 * v16;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v13;
    values[10] = v14;
    values[11] = v15;
    values[12] = v17;
    values[13] = v18;
    values[14] = v19;
    values[15] = v23;
    values[16] = v24;
    values[17] = v25;
    values[18] = v26;
    values[19] = v27;
    values[20] = v28;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[7]) {
    const T i0 = multiply_add(columns[1], values[0], columns[1]);
    const T i1 = multiply_add(columns[2], values[1], i0);
    const T i2 = multiply_add(columns[3], values[2], i1);
    const T i3 = multiply_add(columns[1], values[3], columns[2]);
    const T i4 = multiply_add(columns[2], values[4], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = multiply_add(columns[1], values[6], columns[3]);
    const T i7 = multiply_add(columns[2], values[7], i6);
    const T i8 = multiply_add(columns[3], values[8], i7);
    const T i9 = i5 * i5;
    const T i10 = multiply_add(i2, i2, i9);
    const T i11 = multiply_add(i8, i8, i10);
    const T i12 = i11 > 1e-12f ? i11 : 1e-12f;
    const T i13 = root(i12);
    const T i14 = 1.0f / i13;
    const T i15 = i2 * i14;
    const T i16 = i5 * i14;
    const T i17 = i8 * i14;
    const T i18 = columns[0] * i11;
    const T i19 = i18 * values[16];
    const T i20 = i19 * values[17];
    const T i21 = 1.0f + i20;
    const T i22 = logarithm(i21);
    const T i23 = values[15] * i22;
    const T i24 = -i23;
    const T i25 = decay(i24);
    const T i26 = i16 * values[10];
    const T i27 = multiply_add(i15, values[9], i26);
    const T i28 = multiply_add(i17, values[11], i27);
    const T i29 = i28 * i28;
    const T i30 = multiply_add(i20, i29, 1.0f);
    const T i31 = logarithm(i30);
    const T i32 = values[15] * i31;
    const T i33 = -i32;
    const T i34 = decay(i33);
    const T i35 = i16 * values[13];
    const T i36 = multiply_add(i15, values[12], i35);
    const T i37 = multiply_add(i17, values[14], i36);
    const T i38 = i37 * i37;
    const T i39 = multiply_add(i20, i38, 1.0f);
    const T i40 = logarithm(i39);
    const T i41 = values[15] * i40;
    const T i42 = -i41;
    const T i43 = decay(i42);
    const T i44 = i34 * values[19];
    const T i45 = multiply_add(i25, values[18], i44);
    const T i46 = multiply_add(i43, values[20], i45);
    changed[0] = i15;
    changed[1] = i16;
    changed[2] = i17;
    changed[3] = i18;
    changed[4] = i25;
    changed[5] = i34;
    changed[6] = i43;
    return i46;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    return i2;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    return i2;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 3, VALUES = 12, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 4; case 1: return 5; case 2: return 6; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = 1.0f - v3;
    const T v12 = v11 - v7;
    const T v13 = v1 / v2;
    const T v14 = v13 * v13;
    const T v15 = v2 * v2;
    const T v16 = 1.0f / v1;
    const T v17 = v0 * v12;
    const T v18 = v0 * v3;
    const T v19 = v0 * v7;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v8;
    values[4] = v9;
    values[5] = v10;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    values[9] = v17;
    values[10] = v18;
    values[11] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[3]) {
    const T i0 = kept[3] * values[7];
    const T i1 = i0 * values[8];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[6] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = kept[1] * values[1];
    const T i8 = multiply_add(kept[0], values[0], i7);
    const T i9 = multiply_add(kept[2], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[6] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = kept[1] * values[4];
    const T i17 = multiply_add(kept[0], values[3], i16);
    const T i18 = multiply_add(kept[2], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[6] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = i15 * values[10];
    const T i26 = multiply_add(i6, values[9], i25);
    const T i27 = multiply_add(i24, values[11], i26);
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    return i27;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 3, VALUES = 12, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 4; case 1: return 5; case 2: return 6; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = 1.0f - v3;
    const T v12 = v11 - v7;
    const T v13 = v1 / v2;
    const T v14 = v13 * v13;
    const T v15 = v2 * v2;
    const T v16 = 1.0f / v1;
    const T v17 = v0 * v12;
    const T v18 = v0 * v3;
    const T v19 = v0 * v7;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v8;
    values[4] = v9;
    values[5] = v10;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    values[9] = v17;
    values[10] = v18;
    values[11] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[3]) {
    const T i0 = kept[3] * values[7];
    const T i1 = i0 * values[8];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[6] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = kept[1] * values[1];
    const T i8 = multiply_add(kept[0], values[0], i7);
    const T i9 = multiply_add(kept[2], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[6] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = kept[1] * values[4];
    const T i17 = multiply_add(kept[0], values[3], i16);
    const T i18 = multiply_add(kept[2], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[6] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = i15 * values[10];
    const T i26 = multiply_add(i6, values[9], i25);
    const T i27 = multiply_add(i24, values[11], i26);
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    return i27;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    return i2;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v3;
    const T v9 = v8 - v7;
    const T v10 = v1 / v2;
    const T v11 = v10 * v10;
    const T v12 = v2 * v2;
    const T v13 = 1.0f / v1;
    const T v14 = v0 * v9;
    const T v15 = v0 * v3;
    const T v16 = v0 * v7;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v11;
    values[4] = v12;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[3] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = kept[1] * values[1];
    const T i3 = multiply_add(kept[0], values[0], i2);
    const T i4 = multiply_add(kept[2], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = i10 * values[7];
    const T i12 = multiply_add(kept[4], values[6], i11);
    const T i13 = multiply_add(kept[6], values[8], i12);
    changed[0] = i10;
    return i13;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_NUMBER, FIRST = 7, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    return i2;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 8, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 6; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[7];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = numbers[10];
    const T v8 = 1.0f - v3;
    const T v9 = v8 - v4;
    const T v10 = v1 / v2;
    const T v11 = v10 * v10;
    const T v12 = v2 * v2;
    const T v13 = 1.0f / v1;
    const T v14 = v0 * v9;
    const T v15 = v0 * v3;
    const T v16 = v0 * v4;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v11;
    values[4] = v12;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[7], T (&changed)[1]) {
    const T i0 = kept[3] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = kept[1] * values[1];
    const T i3 = multiply_add(kept[0], values[0], i2);
    const T i4 = multiply_add(kept[2], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = kept[5] * values[7];
    const T i12 = multiply_add(kept[4], values[6], i11);
    const T i13 = multiply_add(i10, values[8], i12);
    changed[0] = i10;
    return i13;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[3], slack);
    slack = multiply_add(-1.0f, numbers[7], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4 || which == 6; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
  }
};

// fibres-3-2.
struct Chain21 {
  typedef float T;
  static const unsigned NUMBERS = 16, MAPS = 0, MOVES = 10, COLUMNS = 4, KEPT = 4, KEPT_OF_VOXEL = 0, MOST_CHANGED = 4;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 4, VALUES = 17, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = numbers[15];
    const T v16 = 1.0f - v4;
    const T v17 = v16 - v8;
    const T v18 = v17 - v12;
    const T v19 = v18 - v3;
    const T v20 = v1 / v2;
    const T v21 = v20 * v20;
    const T v22 = v2 * v2;
    const T v23 = 1.0f / v1;
    const T v24 = v0 * v3;
    const T v25 = v0 * v19;
    const T v26 = v0 * v4;
    const T v27 = v0 * v8;
    const T v28 = v0 * v12;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v13;
    values[7] = v14;
    values[8] = v15;
    values[9] = v21;
    values[10] = v22;
    values[11] = v23;
    values[12] = v24;
    values[13] = v25;
    values[14] = v26;
    values[15] = v27;
    values[16] = v28;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[10];
    const T i1 = i0 * values[11];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[9] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[9] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[9] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = columns[2] * values[7];
    const T i26 = multiply_add(columns[1], values[6], i25);
    const T i27 = multiply_add(columns[3], values[8], i26);
    const T i28 = i27 * i27;
    const T i29 = multiply_add(i1, i28, 1.0f);
    const T i30 = logarithm(i29);
    const T i31 = values[9] * i30;
    const T i32 = -i31;
    const T i33 = decay(i32);
    const T i34 = i15 * values[14];
    const T i35 = multiply_add(i6, values[13], i34);
    const T i36 = multiply_add(i24, values[15], i35);
    const T i37 = multiply_add(i33, values[16], i36);
    const T i38 = values[12] + i37;
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    changed[3] = i33;
    return i38;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = numbers[12];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = numbers[12];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 4, VALUES = 17, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = numbers[15];
    const T v16 = 1.0f - v4;
    const T v17 = v16 - v8;
    const T v18 = v17 - v12;
    const T v19 = v18 - v3;
    const T v20 = v1 / v2;
    const T v21 = v20 * v20;
    const T v22 = v2 * v2;
    const T v23 = 1.0f / v1;
    const T v24 = v0 * v3;
    const T v25 = v0 * v19;
    const T v26 = v0 * v4;
    const T v27 = v0 * v8;
    const T v28 = v0 * v12;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v13;
    values[7] = v14;
    values[8] = v15;
    values[9] = v21;
    values[10] = v22;
    values[11] = v23;
    values[12] = v24;
    values[13] = v25;
    values[14] = v26;
    values[15] = v27;
    values[16] = v28;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[10];
    const T i1 = i0 * values[11];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[9] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[9] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[9] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = columns[2] * values[7];
    const T i26 = multiply_add(columns[1], values[6], i25);
    const T i27 = multiply_add(columns[3], values[8], i26);
    const T i28 = i27 * i27;
    const T i29 = multiply_add(i1, i28, 1.0f);
    const T i30 = logarithm(i29);
    const T i31 = values[9] * i30;
    const T i32 = -i31;
    const T i33 = decay(i32);
    const T i34 = i15 * values[14];
    const T i35 = multiply_add(i6, values[13], i34);
    const T i36 = multiply_add(i24, values[15], i35);
    const T i37 = multiply_add(i33, values[16], i36);
    const T i38 = values[12] + i37;
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    changed[3] = i33;
    return i38;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 4, VALUES = 17, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = numbers[15];
    const T v16 = 1.0f - v4;
    const T v17 = v16 - v8;
    const T v18 = v17 - v12;
    const T v19 = v18 - v3;
    const T v20 = v1 / v2;
    const T v21 = v20 * v20;
    const T v22 = v2 * v2;
    const T v23 = 1.0f / v1;
    const T v24 = v0 * v3;
    const T v25 = v0 * v19;
    const T v26 = v0 * v4;
    const T v27 = v0 * v8;
    const T v28 = v0 * v12;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v9;
    values[4] = v10;
    values[5] = v11;
    values[6] = v13;
    values[7] = v14;
    values[8] = v15;
    values[9] = v21;
    values[10] = v22;
    values[11] = v23;
    values[12] = v24;
    values[13] = v25;
    values[14] = v26;
    values[15] = v27;
    values[16] = v28;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[10];
    const T i1 = i0 * values[11];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[9] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = columns[2] * values[1];
    const T i8 = multiply_add(columns[1], values[0], i7);
    const T i9 = multiply_add(columns[3], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[9] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[4];
    const T i17 = multiply_add(columns[1], values[3], i16);
    const T i18 = multiply_add(columns[3], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[9] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = columns[2] * values[7];
    const T i26 = multiply_add(columns[1], values[6], i25);
    const T i27 = multiply_add(columns[3], values[8], i26);
    const T i28 = i27 * i27;
    const T i29 = multiply_add(i1, i28, 1.0f);
    const T i30 = logarithm(i29);
    const T i31 = values[9] * i30;
    const T i32 = -i31;
    const T i33 = decay(i32);
    const T i34 = i15 * values[14];
    const T i35 = multiply_add(i6, values[13], i34);
    const T i36 = multiply_add(i24, values[15], i35);
    const T i37 = multiply_add(i33, values[16], i36);
    const T i38 = values[12] + i37;
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    changed[3] = i33;
    return i38;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = numbers[12];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 4, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = numbers[12];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 5, CHANGED = 1, VALUES = 11, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[12];
    const T v10 = 1.0f - v4;
    const T v11 = v10 - v8;
    const T v12 = v11 - v9;
    const T v13 = v12 - v3;
    const T v14 = v1 / v2;
    const T v15 = v14 * v14;
    const T v16 = v2 * v2;
    const T v17 = 1.0f / v1;
    const T v18 = v0 * v3;
    const T v19 = v0 * v13;
    const T v20 = v0 * v4;
    const T v21 = v0 * v8;
    const T v22 = v0 * v9;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v15;
    values[4] = v16;
    values[5] = v17;
    values[6] = v18;
    values[7] = v19;
    values[8] = v20;
    values[9] = v21;
    values[10] = v22;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = i10 * values[8];
    const T i12 = multiply_add(kept[0], values[7], i11);
    const T i13 = multiply_add(kept[2], values[9], i12);
    const T i14 = multiply_add(kept[3], values[10], i13);
    const T i15 = values[6] + i14;
    changed[0] = i10;
    return i15;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_NUMBER, FIRST = 8, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = numbers[12];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move7 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 9, CHANGED = 1, VALUES = 11, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = numbers[10];
    const T v8 = numbers[11];
    const T v9 = numbers[12];
    const T v10 = 1.0f - v4;
    const T v11 = v10 - v5;
    const T v12 = v11 - v9;
    const T v13 = v12 - v3;
    const T v14 = v1 / v2;
    const T v15 = v14 * v14;
    const T v16 = v2 * v2;
    const T v17 = 1.0f / v1;
    const T v18 = v0 * v3;
    const T v19 = v0 * v13;
    const T v20 = v0 * v4;
    const T v21 = v0 * v5;
    const T v22 = v0 * v9;
    values[0] = v6;
    values[1] = v7;
    values[2] = v8;
    values[3] = v15;
    values[4] = v16;
    values[5] = v17;
    values[6] = v18;
    values[7] = v19;
    values[8] = v20;
    values[9] = v21;
    values[10] = v22;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = kept[1] * values[8];
    const T i12 = multiply_add(kept[0], values[7], i11);
    const T i13 = multiply_add(i10, values[9], i12);
    const T i14 = multiply_add(kept[3], values[10], i13);
    const T i15 = values[6] + i14;
    changed[0] = i10;
    return i15;
    }
  };
  struct Move8 {
    static const int KIND = MOVED_NUMBER, FIRST = 12, CHANGED = 0, VALUES = 5, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[4];
    const T v3 = numbers[8];
    const T v4 = numbers[12];
    const T v5 = 1.0f - v2;
    const T v6 = v5 - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v1;
    const T v9 = v0 * v1;
    const T v10 = v0 * v8;
    const T v11 = v0 * v2;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v9;
    values[1] = v10;
    values[2] = v11;
    values[3] = v12;
    values[4] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[2];
    const T i1 = multiply_add(kept[0], values[1], i0);
    const T i2 = multiply_add(kept[2], values[3], i1);
    const T i3 = multiply_add(kept[3], values[4], i2);
    const T i4 = values[0] + i3;
    return i4;
    }
  };
  struct Move9 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 13, CHANGED = 1, VALUES = 11, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[8];
    const T v6 = numbers[12];
    const T v7 = numbers[13];
    const T v8 = numbers[14];
    const T v9 = numbers[15];
    const T v10 = 1.0f - v4;
    const T v11 = v10 - v5;
    const T v12 = v11 - v6;
    const T v13 = v12 - v3;
    const T v14 = v1 / v2;
    const T v15 = v14 * v14;
    const T v16 = v2 * v2;
    const T v17 = 1.0f / v1;
    const T v18 = v0 * v3;
    const T v19 = v0 * v13;
    const T v20 = v0 * v4;
    const T v21 = v0 * v5;
    const T v22 = v0 * v6;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v15;
    values[4] = v16;
    values[5] = v17;
    values[6] = v18;
    values[7] = v19;
    values[8] = v20;
    values[9] = v21;
    values[10] = v22;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[1];
    const T i3 = multiply_add(columns[1], values[0], i2);
    const T i4 = multiply_add(columns[3], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = kept[1] * values[8];
    const T i12 = multiply_add(kept[0], values[7], i11);
    const T i13 = multiply_add(kept[2], values[9], i12);
    const T i14 = multiply_add(i10, values[10], i13);
    const T i15 = values[6] + i14;
    changed[0] = i10;
    return i15;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[3], slack);
    slack = multiply_add(-1.0f, numbers[4], slack);
    slack = multiply_add(-1.0f, numbers[8], slack);
    slack = multiply_add(-1.0f, numbers[12], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 5 || which == 7 || which == 9; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
    chain.template step<Move7>(7);
    chain.template step<Move8>(8);
    chain.template step<Move9>(9);
  }
};

// ball-3-sticks-gamma, gradients deviate.
struct Chain22 {
  typedef float T;
  static const unsigned NUMBERS = 15, MAPS = 9, MOVES = 9, COLUMNS = 4, KEPT = 8, KEPT_OF_VOXEL = 0, MOST_CHANGED = 4;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 8, VALUES = 25, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; case 7: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = maps[0];
    const T v1 = maps[3];
    const T v2 = maps[6];
    const T v3 = maps[1];
    const T v4 = maps[4];
    const T v5 = maps[7];
    const T v6 = maps[2];
    const T v7 = maps[5];
    const T v8 = maps[8];
    const T v9 = numbers[0];
    const T v10 = numbers[1];
    const T v11 = numbers[2];
    const T v12 = numbers[3];
    const T v13 = numbers[4];
    const T v14 = numbers[5];
    const T v15 = numbers[6];
    const T v16 = numbers[7];
    const T v17 = numbers[8];
    const T v18 = numbers[9];
    const T v19 = numbers[10];
    const T v20 = numbers[11];
    const T v21 = numbers[12];
    const T v22 = numbers[13];
    const T v23 = numbers[14];
    const T v24 = 1.0f - v12;
    const T v25 = v24 - v16;
    const T v26 = v25 - v20;
    const T v27 = v10 / v11;
    const T v28 = v27 * v27;
    const T v29 = v11 * v11;
    const T v30 = 1.0f / v10;
    const T v31 = v9 * v26;
    const T v32 = v9 * v12;
    const T v33 = v9 * v16;
    const T v34 = v9 * v20;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v13;
    values[10] = v14;
    values[11] = v15;
    values[12] = v17;
    values[13] = v18;
    values[14] = v19;
    values[15] = v21;
    values[16] = v22;
    values[17] = v23;
    values[18] = v28;
    values[19] = v29;
    values[20] = v30;
    values[21] = v31;
    values[22] = v32;
    values[23] = v33;
    values[24] = v34;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[8]) {
    const T i0 = multiply_add(columns[1], values[0], columns[1]);
    const T i1 = multiply_add(columns[2], values[1], i0);
    const T i2 = multiply_add(columns[3], values[2], i1);
    const T i3 = multiply_add(columns[1], values[3], columns[2]);
    const T i4 = multiply_add(columns[2], values[4], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = multiply_add(columns[1], values[6], columns[3]);
    const T i7 = multiply_add(columns[2], values[7], i6);
    const T i8 = multiply_add(columns[3], values[8], i7);
    const T i9 = i5 * i5;
    const T i10 = multiply_add(i2, i2, i9);
    const T i11 = multiply_add(i8, i8, i10);
    const T i12 = i11 > 1e-12f ? i11 : 1e-12f;
    const T i13 = root(i12);
    const T i14 = 1.0f / i13;
    const T i15 = i2 * i14;
    const T i16 = i5 * i14;
    const T i17 = i8 * i14;
    const T i18 = columns[0] * i11;
    const T i19 = i18 * values[19];
    const T i20 = i19 * values[20];
    const T i21 = 1.0f + i20;
    const T i22 = logarithm(i21);
    const T i23 = values[18] * i22;
    const T i24 = -i23;
    const T i25 = decay(i24);
    const T i26 = i16 * values[10];
    const T i27 = multiply_add(i15, values[9], i26);
    const T i28 = multiply_add(i17, values[11], i27);
    const T i29 = i28 * i28;
    const T i30 = multiply_add(i20, i29, 1.0f);
    const T i31 = logarithm(i30);
    const T i32 = values[18] * i31;
    const T i33 = -i32;
    const T i34 = decay(i33);
    const T i35 = i16 * values[13];
    const T i36 = multiply_add(i15, values[12], i35);
    const T i37 = multiply_add(i17, values[14], i36);
    const T i38 = i37 * i37;
    const T i39 = multiply_add(i20, i38, 1.0f);
    const T i40 = logarithm(i39);
    const T i41 = values[18] * i40;
    const T i42 = -i41;
    const T i43 = decay(i42);
    const T i44 = i16 * values[16];
    const T i45 = multiply_add(i15, values[15], i44);
    const T i46 = multiply_add(i17, values[17], i45);
    const T i47 = i46 * i46;
    const T i48 = multiply_add(i20, i47, 1.0f);
    const T i49 = logarithm(i48);
    const T i50 = values[18] * i49;
    const T i51 = -i50;
    const T i52 = decay(i51);
    const T i53 = i34 * values[22];
    const T i54 = multiply_add(i25, values[21], i53);
    const T i55 = multiply_add(i43, values[23], i54);
    const T i56 = multiply_add(i52, values[24], i55);
    changed[0] = i15;
    changed[1] = i16;
    changed[2] = i17;
    changed[3] = i18;
    changed[4] = i25;
    changed[5] = i34;
    changed[6] = i43;
    changed[7] = i52;
    return i56;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = numbers[11];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(kept[7], values[3], i2);
    return i3;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = numbers[11];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(kept[7], values[3], i2);
    return i3;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 4, VALUES = 16, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 4; case 1: return 5; case 2: return 6; case 3: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = 1.0f - v3;
    const T v16 = v15 - v7;
    const T v17 = v16 - v11;
    const T v18 = v1 / v2;
    const T v19 = v18 * v18;
    const T v20 = v2 * v2;
    const T v21 = 1.0f / v1;
    const T v22 = v0 * v17;
    const T v23 = v0 * v3;
    const T v24 = v0 * v7;
    const T v25 = v0 * v11;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v8;
    values[4] = v9;
    values[5] = v10;
    values[6] = v12;
    values[7] = v13;
    values[8] = v14;
    values[9] = v19;
    values[10] = v20;
    values[11] = v21;
    values[12] = v22;
    values[13] = v23;
    values[14] = v24;
    values[15] = v25;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[4]) {
    const T i0 = kept[3] * values[10];
    const T i1 = i0 * values[11];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[9] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = kept[1] * values[1];
    const T i8 = multiply_add(kept[0], values[0], i7);
    const T i9 = multiply_add(kept[2], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[9] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = kept[1] * values[4];
    const T i17 = multiply_add(kept[0], values[3], i16);
    const T i18 = multiply_add(kept[2], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[9] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = kept[1] * values[7];
    const T i26 = multiply_add(kept[0], values[6], i25);
    const T i27 = multiply_add(kept[2], values[8], i26);
    const T i28 = i27 * i27;
    const T i29 = multiply_add(i1, i28, 1.0f);
    const T i30 = logarithm(i29);
    const T i31 = values[9] * i30;
    const T i32 = -i31;
    const T i33 = decay(i32);
    const T i34 = i15 * values[13];
    const T i35 = multiply_add(i6, values[12], i34);
    const T i36 = multiply_add(i24, values[14], i35);
    const T i37 = multiply_add(i33, values[15], i36);
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    changed[3] = i33;
    return i37;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 4, VALUES = 16, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 4; case 1: return 5; case 2: return 6; case 3: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = 1.0f - v3;
    const T v16 = v15 - v7;
    const T v17 = v16 - v11;
    const T v18 = v1 / v2;
    const T v19 = v18 * v18;
    const T v20 = v2 * v2;
    const T v21 = 1.0f / v1;
    const T v22 = v0 * v17;
    const T v23 = v0 * v3;
    const T v24 = v0 * v7;
    const T v25 = v0 * v11;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v8;
    values[4] = v9;
    values[5] = v10;
    values[6] = v12;
    values[7] = v13;
    values[8] = v14;
    values[9] = v19;
    values[10] = v20;
    values[11] = v21;
    values[12] = v22;
    values[13] = v23;
    values[14] = v24;
    values[15] = v25;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[4]) {
    const T i0 = kept[3] * values[10];
    const T i1 = i0 * values[11];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[9] * i3;
    const T i5 = -i4;
    const T i6 = decay(i5);
    const T i7 = kept[1] * values[1];
    const T i8 = multiply_add(kept[0], values[0], i7);
    const T i9 = multiply_add(kept[2], values[2], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[9] * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = kept[1] * values[4];
    const T i17 = multiply_add(kept[0], values[3], i16);
    const T i18 = multiply_add(kept[2], values[5], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(i1, i19, 1.0f);
    const T i21 = logarithm(i20);
    const T i22 = values[9] * i21;
    const T i23 = -i22;
    const T i24 = decay(i23);
    const T i25 = kept[1] * values[7];
    const T i26 = multiply_add(kept[0], values[6], i25);
    const T i27 = multiply_add(kept[2], values[8], i26);
    const T i28 = i27 * i27;
    const T i29 = multiply_add(i1, i28, 1.0f);
    const T i30 = logarithm(i29);
    const T i31 = values[9] * i30;
    const T i32 = -i31;
    const T i33 = decay(i32);
    const T i34 = i15 * values[13];
    const T i35 = multiply_add(i6, values[12], i34);
    const T i36 = multiply_add(i24, values[14], i35);
    const T i37 = multiply_add(i33, values[15], i36);
    changed[0] = i6;
    changed[1] = i15;
    changed[2] = i24;
    changed[3] = i33;
    return i37;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = numbers[11];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(kept[7], values[3], i2);
    return i3;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 4, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 5; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[11];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v7;
    const T v11 = v10 - v8;
    const T v12 = v1 / v2;
    const T v13 = v12 * v12;
    const T v14 = v2 * v2;
    const T v15 = 1.0f / v1;
    const T v16 = v0 * v11;
    const T v17 = v0 * v3;
    const T v18 = v0 * v7;
    const T v19 = v0 * v8;
    values[0] = v4;
    values[1] = v5;
    values[2] = v6;
    values[3] = v13;
    values[4] = v14;
    values[5] = v15;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[3] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = kept[1] * values[1];
    const T i3 = multiply_add(kept[0], values[0], i2);
    const T i4 = multiply_add(kept[2], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = i10 * values[7];
    const T i12 = multiply_add(kept[4], values[6], i11);
    const T i13 = multiply_add(kept[6], values[8], i12);
    const T i14 = multiply_add(kept[7], values[9], i13);
    changed[0] = i10;
    return i14;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_NUMBER, FIRST = 7, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = numbers[11];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(kept[7], values[3], i2);
    return i3;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 8, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 6; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[7];
    const T v5 = numbers[8];
    const T v6 = numbers[9];
    const T v7 = numbers[10];
    const T v8 = numbers[11];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v4;
    const T v11 = v10 - v8;
    const T v12 = v1 / v2;
    const T v13 = v12 * v12;
    const T v14 = v2 * v2;
    const T v15 = 1.0f / v1;
    const T v16 = v0 * v11;
    const T v17 = v0 * v3;
    const T v18 = v0 * v4;
    const T v19 = v0 * v8;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    values[3] = v13;
    values[4] = v14;
    values[5] = v15;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[3] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = kept[1] * values[1];
    const T i3 = multiply_add(kept[0], values[0], i2);
    const T i4 = multiply_add(kept[2], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = kept[5] * values[7];
    const T i12 = multiply_add(kept[4], values[6], i11);
    const T i13 = multiply_add(i10, values[8], i12);
    const T i14 = multiply_add(kept[7], values[9], i13);
    changed[0] = i10;
    return i14;
    }
  };
  struct Move7 {
    static const int KIND = MOVED_NUMBER, FIRST = 11, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[3];
    const T v2 = numbers[7];
    const T v3 = numbers[11];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[5] * values[1];
    const T i1 = multiply_add(kept[4], values[0], i0);
    const T i2 = multiply_add(kept[6], values[2], i1);
    const T i3 = multiply_add(kept[7], values[3], i2);
    return i3;
    }
  };
  struct Move8 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 12, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 7; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[7];
    const T v5 = numbers[11];
    const T v6 = numbers[12];
    const T v7 = numbers[13];
    const T v8 = numbers[14];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v4;
    const T v11 = v10 - v5;
    const T v12 = v1 / v2;
    const T v13 = v12 * v12;
    const T v14 = v2 * v2;
    const T v15 = 1.0f / v1;
    const T v16 = v0 * v11;
    const T v17 = v0 * v3;
    const T v18 = v0 * v4;
    const T v19 = v0 * v5;
    values[0] = v6;
    values[1] = v7;
    values[2] = v8;
    values[3] = v13;
    values[4] = v14;
    values[5] = v15;
    values[6] = v16;
    values[7] = v17;
    values[8] = v18;
    values[9] = v19;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[8], T (&changed)[1]) {
    const T i0 = kept[3] * values[4];
    const T i1 = i0 * values[5];
    const T i2 = kept[1] * values[1];
    const T i3 = multiply_add(kept[0], values[0], i2);
    const T i4 = multiply_add(kept[2], values[2], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(i1, i5, 1.0f);
    const T i7 = logarithm(i6);
    const T i8 = values[3] * i7;
    const T i9 = -i8;
    const T i10 = decay(i9);
    const T i11 = kept[5] * values[7];
    const T i12 = multiply_add(kept[4], values[6], i11);
    const T i13 = multiply_add(kept[6], values[8], i12);
    const T i14 = multiply_add(i10, values[9], i13);
    changed[0] = i10;
    return i14;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[3], slack);
    slack = multiply_add(-1.0f, numbers[7], slack);
    slack = multiply_add(-1.0f, numbers[11], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 4 || which == 6 || which == 8; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
    chain.template step<Move7>(7);
    chain.template step<Move8>(8);
  }
};

// fibres-1-3.
struct Chain23 {
  typedef float T;
  static const unsigned NUMBERS = 8, MAPS = 0, MOVES = 6, COLUMNS = 5, KEPT = 2, KEPT_OF_VOXEL = 0, MOST_CHANGED = 2;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 2, VALUES = 12, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v4;
    const T v9 = v1 / v2;
    const T v10 = v9 * v9;
    const T v11 = v2 * v2;
    const T v12 = 1.0f / v1;
    const T v13 = multiply_add(v3, 2.0f, 1.0f);
    const T v14 = 1.0f / v13;
    const T v15 = 1.0f - v3;
    const T v16 = v0 * v8;
    const T v17 = v0 * v4;
    values[0] = v1;
    values[1] = v3;
    values[2] = v5;
    values[3] = v6;
    values[4] = v7;
    values[5] = v10;
    values[6] = v11;
    values[7] = v12;
    values[8] = v14;
    values[9] = v15;
    values[10] = v16;
    values[11] = v17;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[6];
    const T i1 = multiply_add(i0, values[7], 1.0f);
    const T i2 = logarithm(i1);
    const T i3 = values[5] * i2;
    const T i4 = -i3;
    const T i5 = decay(i4);
    const T i6 = values[0] * columns[4];
    const T i7 = i6 * values[8];
    const T i8 = columns[2] * values[3];
    const T i9 = multiply_add(columns[1], values[2], i8);
    const T i10 = multiply_add(columns[3], values[4], i9);
    const T i11 = i10 * i10;
    const T i12 = multiply_add(values[9], i11, values[1]);
    const T i13 = i7 * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = i15 * values[11];
    const T i17 = multiply_add(i5, values[10], i16);
    changed[0] = i5;
    changed[1] = i15;
    return i17;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    return i1;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    return i1;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 2, VALUES = 12, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0f - v4;
    const T v9 = v1 / v2;
    const T v10 = v9 * v9;
    const T v11 = v2 * v2;
    const T v12 = 1.0f / v1;
    const T v13 = multiply_add(v3, 2.0f, 1.0f);
    const T v14 = 1.0f / v13;
    const T v15 = 1.0f - v3;
    const T v16 = v0 * v8;
    const T v17 = v0 * v4;
    values[0] = v1;
    values[1] = v3;
    values[2] = v5;
    values[3] = v6;
    values[4] = v7;
    values[5] = v10;
    values[6] = v11;
    values[7] = v12;
    values[8] = v14;
    values[9] = v15;
    values[10] = v16;
    values[11] = v17;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[2]) {
    const T i0 = columns[0] * values[6];
    const T i1 = multiply_add(i0, values[7], 1.0f);
    const T i2 = logarithm(i1);
    const T i3 = values[5] * i2;
    const T i4 = -i3;
    const T i5 = decay(i4);
    const T i6 = values[0] * columns[4];
    const T i7 = i6 * values[8];
    const T i8 = columns[2] * values[3];
    const T i9 = multiply_add(columns[1], values[2], i8);
    const T i10 = multiply_add(columns[3], values[4], i9);
    const T i11 = i10 * i10;
    const T i12 = multiply_add(values[9], i11, values[1]);
    const T i13 = i7 * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = i15 * values[11];
    const T i17 = multiply_add(i5, values[10], i16);
    changed[0] = i5;
    changed[1] = i15;
    return i17;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 1, VALUES = 5, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = 1.0f - v3;
    const T v5 = v1 / v2;
    const T v6 = v5 * v5;
    const T v7 = v2 * v2;
    const T v8 = 1.0f / v1;
    const T v9 = v0 * v4;
    const T v10 = v0 * v3;
    values[0] = v6;
    values[1] = v7;
    values[2] = v8;
    values[3] = v9;
    values[4] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = columns[0] * values[1];
    const T i1 = multiply_add(i0, values[2], 1.0f);
    const T i2 = logarithm(i1);
    const T i3 = values[0] * i2;
    const T i4 = -i3;
    const T i5 = decay(i4);
    const T i6 = kept[1] * values[4];
    const T i7 = multiply_add(i5, values[3], i6);
    changed[0] = i5;
    return i7;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[3];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = numbers[7];
    const T v7 = 1.0f - v3;
    const T v8 = multiply_add(v2, 2.0f, 1.0f);
    const T v9 = 1.0f / v8;
    const T v10 = 1.0f - v2;
    const T v11 = v0 * v7;
    const T v12 = v0 * v3;
    values[0] = v1;
    values[1] = v2;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v9;
    values[6] = v10;
    values[7] = v11;
    values[8] = v12;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = values[0] * columns[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[3];
    const T i3 = multiply_add(columns[1], values[2], i2);
    const T i4 = multiply_add(columns[3], values[4], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(values[6], i5, values[1]);
    const T i7 = i1 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = i9 * values[8];
    const T i11 = multiply_add(kept[0], values[7], i10);
    changed[0] = i9;
    return i11;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 4, CHANGED = 0, VALUES = 2, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = 1.0f - v1;
    const T v3 = v0 * v2;
    const T v4 = v0 * v1;
    values[0] = v3;
    values[1] = v4;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    return i1;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 5, CHANGED = 1, VALUES = 9, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[3];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = numbers[7];
    const T v7 = 1.0f - v3;
    const T v8 = multiply_add(v2, 2.0f, 1.0f);
    const T v9 = 1.0f / v8;
    const T v10 = 1.0f - v2;
    const T v11 = v0 * v7;
    const T v12 = v0 * v3;
    values[0] = v1;
    values[1] = v2;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v9;
    values[6] = v10;
    values[7] = v11;
    values[8] = v12;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[2], T (&changed)[1]) {
    const T i0 = values[0] * columns[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[3];
    const T i3 = multiply_add(columns[1], values[2], i2);
    const T i4 = multiply_add(columns[3], values[4], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(values[6], i5, values[1]);
    const T i7 = i1 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = i9 * values[8];
    const T i11 = multiply_add(kept[0], values[7], i10);
    changed[0] = i9;
    return i11;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 5; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
  }
};

// fibres-2-3.
struct Chain24 {
  typedef float T;
  static const unsigned NUMBERS = 12, MAPS = 0, MOVES = 8, COLUMNS = 5, KEPT = 3, KEPT_OF_VOXEL = 0, MOST_CHANGED = 3;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 3, VALUES = 16, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = 1.0f - v4;
    const T v13 = v12 - v8;
    const T v14 = v1 / v2;
    const T v15 = v14 * v14;
    const T v16 = v2 * v2;
    const T v17 = 1.0f / v1;
    const T v18 = multiply_add(v3, 2.0f, 1.0f);
    const T v19 = 1.0f / v18;
    const T v20 = 1.0f - v3;
    const T v21 = v0 * v13;
    const T v22 = v0 * v4;
    const T v23 = v0 * v8;
    values[0] = v1;
    values[1] = v3;
    values[2] = v5;
    values[3] = v6;
    values[4] = v7;
    values[5] = v9;
    values[6] = v10;
    values[7] = v11;
    values[8] = v15;
    values[9] = v16;
    values[10] = v17;
    values[11] = v19;
    values[12] = v20;
    values[13] = v21;
    values[14] = v22;
    values[15] = v23;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[9];
    const T i1 = multiply_add(i0, values[10], 1.0f);
    const T i2 = logarithm(i1);
    const T i3 = values[8] * i2;
    const T i4 = -i3;
    const T i5 = decay(i4);
    const T i6 = values[0] * columns[4];
    const T i7 = i6 * values[11];
    const T i8 = columns[2] * values[3];
    const T i9 = multiply_add(columns[1], values[2], i8);
    const T i10 = multiply_add(columns[3], values[4], i9);
    const T i11 = i10 * i10;
    const T i12 = multiply_add(values[12], i11, values[1]);
    const T i13 = i7 * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[6];
    const T i17 = multiply_add(columns[1], values[5], i16);
    const T i18 = multiply_add(columns[3], values[7], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(values[12], i19, values[1]);
    const T i21 = i7 * i20;
    const T i22 = -i21;
    const T i23 = decay(i22);
    const T i24 = i15 * values[14];
    const T i25 = multiply_add(i5, values[13], i24);
    const T i26 = multiply_add(i23, values[15], i25);
    changed[0] = i5;
    changed[1] = i15;
    changed[2] = i23;
    return i26;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = numbers[8];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = numbers[8];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 3, VALUES = 16, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = 1.0f - v4;
    const T v13 = v12 - v8;
    const T v14 = v1 / v2;
    const T v15 = v14 * v14;
    const T v16 = v2 * v2;
    const T v17 = 1.0f / v1;
    const T v18 = multiply_add(v3, 2.0f, 1.0f);
    const T v19 = 1.0f / v18;
    const T v20 = 1.0f - v3;
    const T v21 = v0 * v13;
    const T v22 = v0 * v4;
    const T v23 = v0 * v8;
    values[0] = v1;
    values[1] = v3;
    values[2] = v5;
    values[3] = v6;
    values[4] = v7;
    values[5] = v9;
    values[6] = v10;
    values[7] = v11;
    values[8] = v15;
    values[9] = v16;
    values[10] = v17;
    values[11] = v19;
    values[12] = v20;
    values[13] = v21;
    values[14] = v22;
    values[15] = v23;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[3]) {
    const T i0 = columns[0] * values[9];
    const T i1 = multiply_add(i0, values[10], 1.0f);
    const T i2 = logarithm(i1);
    const T i3 = values[8] * i2;
    const T i4 = -i3;
    const T i5 = decay(i4);
    const T i6 = values[0] * columns[4];
    const T i7 = i6 * values[11];
    const T i8 = columns[2] * values[3];
    const T i9 = multiply_add(columns[1], values[2], i8);
    const T i10 = multiply_add(columns[3], values[4], i9);
    const T i11 = i10 * i10;
    const T i12 = multiply_add(values[12], i11, values[1]);
    const T i13 = i7 * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[6];
    const T i17 = multiply_add(columns[1], values[5], i16);
    const T i18 = multiply_add(columns[3], values[7], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(values[12], i19, values[1]);
    const T i21 = i7 * i20;
    const T i22 = -i21;
    const T i23 = decay(i22);
    const T i24 = i15 * values[14];
    const T i25 = multiply_add(i5, values[13], i24);
    const T i26 = multiply_add(i23, values[15], i25);
    changed[0] = i5;
    changed[1] = i15;
    changed[2] = i23;
    return i26;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 1, VALUES = 6, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = numbers[8];
    const T v5 = 1.0f - v3;
    const T v6 = v5 - v4;
    const T v7 = v1 / v2;
    const T v8 = v7 * v7;
    const T v9 = v2 * v2;
    const T v10 = 1.0f / v1;
    const T v11 = v0 * v6;
    const T v12 = v0 * v3;
    const T v13 = v0 * v4;
    values[0] = v8;
    values[1] = v9;
    values[2] = v10;
    values[3] = v11;
    values[4] = v12;
    values[5] = v13;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = columns[0] * values[1];
    const T i1 = multiply_add(i0, values[2], 1.0f);
    const T i2 = logarithm(i1);
    const T i3 = values[0] * i2;
    const T i4 = -i3;
    const T i5 = decay(i4);
    const T i6 = kept[1] * values[4];
    const T i7 = multiply_add(i5, values[3], i6);
    const T i8 = multiply_add(kept[2], values[5], i7);
    changed[0] = i5;
    return i8;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 2, VALUES = 13, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; case 1: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[3];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = numbers[7];
    const T v7 = numbers[8];
    const T v8 = numbers[9];
    const T v9 = numbers[10];
    const T v10 = numbers[11];
    const T v11 = 1.0f - v3;
    const T v12 = v11 - v7;
    const T v13 = multiply_add(v2, 2.0f, 1.0f);
    const T v14 = 1.0f / v13;
    const T v15 = 1.0f - v2;
    const T v16 = v0 * v12;
    const T v17 = v0 * v3;
    const T v18 = v0 * v7;
    values[0] = v1;
    values[1] = v2;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v8;
    values[6] = v9;
    values[7] = v10;
    values[8] = v14;
    values[9] = v15;
    values[10] = v16;
    values[11] = v17;
    values[12] = v18;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[2]) {
    const T i0 = values[0] * columns[4];
    const T i1 = i0 * values[8];
    const T i2 = columns[2] * values[3];
    const T i3 = multiply_add(columns[1], values[2], i2);
    const T i4 = multiply_add(columns[3], values[4], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(values[9], i5, values[1]);
    const T i7 = i1 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = columns[2] * values[6];
    const T i11 = multiply_add(columns[1], values[5], i10);
    const T i12 = multiply_add(columns[3], values[7], i11);
    const T i13 = i12 * i12;
    const T i14 = multiply_add(values[9], i13, values[1]);
    const T i15 = i1 * i14;
    const T i16 = -i15;
    const T i17 = decay(i16);
    const T i18 = i9 * values[11];
    const T i19 = multiply_add(kept[0], values[10], i18);
    const T i20 = multiply_add(i17, values[12], i19);
    changed[0] = i9;
    changed[1] = i17;
    return i20;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 4, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = numbers[8];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 5, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[3];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = numbers[7];
    const T v7 = numbers[8];
    const T v8 = 1.0f - v3;
    const T v9 = v8 - v7;
    const T v10 = multiply_add(v2, 2.0f, 1.0f);
    const T v11 = 1.0f / v10;
    const T v12 = 1.0f - v2;
    const T v13 = v0 * v9;
    const T v14 = v0 * v3;
    const T v15 = v0 * v7;
    values[0] = v1;
    values[1] = v2;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v11;
    values[6] = v12;
    values[7] = v13;
    values[8] = v14;
    values[9] = v15;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = values[0] * columns[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[3];
    const T i3 = multiply_add(columns[1], values[2], i2);
    const T i4 = multiply_add(columns[3], values[4], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(values[6], i5, values[1]);
    const T i7 = i1 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = i9 * values[8];
    const T i11 = multiply_add(kept[0], values[7], i10);
    const T i12 = multiply_add(kept[2], values[9], i11);
    changed[0] = i9;
    return i12;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_NUMBER, FIRST = 8, CHANGED = 0, VALUES = 3, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = numbers[8];
    const T v3 = 1.0f - v1;
    const T v4 = v3 - v2;
    const T v5 = v0 * v4;
    const T v6 = v0 * v1;
    const T v7 = v0 * v2;
    values[0] = v5;
    values[1] = v6;
    values[2] = v7;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    return i2;
    }
  };
  struct Move7 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 9, CHANGED = 1, VALUES = 10, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[3];
    const T v3 = numbers[4];
    const T v4 = numbers[8];
    const T v5 = numbers[9];
    const T v6 = numbers[10];
    const T v7 = numbers[11];
    const T v8 = 1.0f - v3;
    const T v9 = v8 - v4;
    const T v10 = multiply_add(v2, 2.0f, 1.0f);
    const T v11 = 1.0f / v10;
    const T v12 = 1.0f - v2;
    const T v13 = v0 * v9;
    const T v14 = v0 * v3;
    const T v15 = v0 * v4;
    values[0] = v1;
    values[1] = v2;
    values[2] = v5;
    values[3] = v6;
    values[4] = v7;
    values[5] = v11;
    values[6] = v12;
    values[7] = v13;
    values[8] = v14;
    values[9] = v15;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[3], T (&changed)[1]) {
    const T i0 = values[0] * columns[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[3];
    const T i3 = multiply_add(columns[1], values[2], i2);
    const T i4 = multiply_add(columns[3], values[4], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(values[6], i5, values[1]);
    const T i7 = i1 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = kept[1] * values[8];
    const T i11 = multiply_add(kept[0], values[7], i10);
    const T i12 = multiply_add(i9, values[9], i11);
    changed[0] = i9;
    return i12;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[4], slack);
    slack = multiply_add(-1.0f, numbers[8], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 5 || which == 7; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
    chain.template step<Move7>(7);
  }
};

// fibres-3-3.
struct Chain25 {
  typedef float T;
  static const unsigned NUMBERS = 16, MAPS = 0, MOVES = 10, COLUMNS = 5, KEPT = 4, KEPT_OF_VOXEL = 0, MOST_CHANGED = 4;
  // Everything.
  struct All {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 4, VALUES = 20, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = numbers[15];
    const T v16 = 1.0f - v4;
    const T v17 = v16 - v8;
    const T v18 = v17 - v12;
    const T v19 = v1 / v2;
    const T v20 = v19 * v19;
    const T v21 = v2 * v2;
    const T v22 = 1.0f / v1;
    const T v23 = multiply_add(v3, 2.0f, 1.0f);
    const T v24 = 1.0f / v23;
    const T v25 = 1.0f - v3;
    const T v26 = v0 * v18;
    const T v27 = v0 * v4;
    const T v28 = v0 * v8;
    const T v29 = v0 * v12;
    values[0] = v1;
    values[1] = v3;
    values[2] = v5;
    values[3] = v6;
    values[4] = v7;
    values[5] = v9;
    values[6] = v10;
    values[7] = v11;
    values[8] = v13;
    values[9] = v14;
    values[10] = v15;
    values[11] = v20;
    values[12] = v21;
    values[13] = v22;
    values[14] = v24;
    values[15] = v25;
    values[16] = v26;
    values[17] = v27;
    values[18] = v28;
    values[19] = v29;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[12];
    const T i1 = multiply_add(i0, values[13], 1.0f);
    const T i2 = logarithm(i1);
    const T i3 = values[11] * i2;
    const T i4 = -i3;
    const T i5 = decay(i4);
    const T i6 = values[0] * columns[4];
    const T i7 = i6 * values[14];
    const T i8 = columns[2] * values[3];
    const T i9 = multiply_add(columns[1], values[2], i8);
    const T i10 = multiply_add(columns[3], values[4], i9);
    const T i11 = i10 * i10;
    const T i12 = multiply_add(values[15], i11, values[1]);
    const T i13 = i7 * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[6];
    const T i17 = multiply_add(columns[1], values[5], i16);
    const T i18 = multiply_add(columns[3], values[7], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(values[15], i19, values[1]);
    const T i21 = i7 * i20;
    const T i22 = -i21;
    const T i23 = decay(i22);
    const T i24 = columns[2] * values[9];
    const T i25 = multiply_add(columns[1], values[8], i24);
    const T i26 = multiply_add(columns[3], values[10], i25);
    const T i27 = i26 * i26;
    const T i28 = multiply_add(values[15], i27, values[1]);
    const T i29 = i7 * i28;
    const T i30 = -i29;
    const T i31 = decay(i30);
    const T i32 = i15 * values[17];
    const T i33 = multiply_add(i5, values[16], i32);
    const T i34 = multiply_add(i23, values[18], i33);
    const T i35 = multiply_add(i31, values[19], i34);
    changed[0] = i5;
    changed[1] = i15;
    changed[2] = i23;
    changed[3] = i31;
    return i35;
    }
  };
  // The signal from what is kept.
  struct None {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 1;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = numbers[8];
    const T v3 = numbers[12];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move0 {
    static const int KIND = MOVED_NUMBER, FIRST = 0, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = numbers[8];
    const T v3 = numbers[12];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move1 {
    static const int KIND = MOVED_NUMBER, FIRST = 1, CHANGED = 4, VALUES = 20, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = numbers[8];
    const T v9 = numbers[9];
    const T v10 = numbers[10];
    const T v11 = numbers[11];
    const T v12 = numbers[12];
    const T v13 = numbers[13];
    const T v14 = numbers[14];
    const T v15 = numbers[15];
    const T v16 = 1.0f - v4;
    const T v17 = v16 - v8;
    const T v18 = v17 - v12;
    const T v19 = v1 / v2;
    const T v20 = v19 * v19;
    const T v21 = v2 * v2;
    const T v22 = 1.0f / v1;
    const T v23 = multiply_add(v3, 2.0f, 1.0f);
    const T v24 = 1.0f / v23;
    const T v25 = 1.0f - v3;
    const T v26 = v0 * v18;
    const T v27 = v0 * v4;
    const T v28 = v0 * v8;
    const T v29 = v0 * v12;
    values[0] = v1;
    values[1] = v3;
    values[2] = v5;
    values[3] = v6;
    values[4] = v7;
    values[5] = v9;
    values[6] = v10;
    values[7] = v11;
    values[8] = v13;
    values[9] = v14;
    values[10] = v15;
    values[11] = v20;
    values[12] = v21;
    values[13] = v22;
    values[14] = v24;
    values[15] = v25;
    values[16] = v26;
    values[17] = v27;
    values[18] = v28;
    values[19] = v29;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[4]) {
    const T i0 = columns[0] * values[12];
    const T i1 = multiply_add(i0, values[13], 1.0f);
    const T i2 = logarithm(i1);
    const T i3 = values[11] * i2;
    const T i4 = -i3;
    const T i5 = decay(i4);
    const T i6 = values[0] * columns[4];
    const T i7 = i6 * values[14];
    const T i8 = columns[2] * values[3];
    const T i9 = multiply_add(columns[1], values[2], i8);
    const T i10 = multiply_add(columns[3], values[4], i9);
    const T i11 = i10 * i10;
    const T i12 = multiply_add(values[15], i11, values[1]);
    const T i13 = i7 * i12;
    const T i14 = -i13;
    const T i15 = decay(i14);
    const T i16 = columns[2] * values[6];
    const T i17 = multiply_add(columns[1], values[5], i16);
    const T i18 = multiply_add(columns[3], values[7], i17);
    const T i19 = i18 * i18;
    const T i20 = multiply_add(values[15], i19, values[1]);
    const T i21 = i7 * i20;
    const T i22 = -i21;
    const T i23 = decay(i22);
    const T i24 = columns[2] * values[9];
    const T i25 = multiply_add(columns[1], values[8], i24);
    const T i26 = multiply_add(columns[3], values[10], i25);
    const T i27 = i26 * i26;
    const T i28 = multiply_add(values[15], i27, values[1]);
    const T i29 = i7 * i28;
    const T i30 = -i29;
    const T i31 = decay(i30);
    const T i32 = i15 * values[17];
    const T i33 = multiply_add(i5, values[16], i32);
    const T i34 = multiply_add(i23, values[18], i33);
    const T i35 = multiply_add(i31, values[19], i34);
    changed[0] = i5;
    changed[1] = i15;
    changed[2] = i23;
    changed[3] = i31;
    return i35;
    }
  };
  struct Move2 {
    static const int KIND = MOVED_NUMBER, FIRST = 2, CHANGED = 1, VALUES = 7, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 0; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[4];
    const T v4 = numbers[8];
    const T v5 = numbers[12];
    const T v6 = 1.0f - v3;
    const T v7 = v6 - v4;
    const T v8 = v7 - v5;
    const T v9 = v1 / v2;
    const T v10 = v9 * v9;
    const T v11 = v2 * v2;
    const T v12 = 1.0f / v1;
    const T v13 = v0 * v8;
    const T v14 = v0 * v3;
    const T v15 = v0 * v4;
    const T v16 = v0 * v5;
    values[0] = v10;
    values[1] = v11;
    values[2] = v12;
    values[3] = v13;
    values[4] = v14;
    values[5] = v15;
    values[6] = v16;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = columns[0] * values[1];
    const T i1 = multiply_add(i0, values[2], 1.0f);
    const T i2 = logarithm(i1);
    const T i3 = values[0] * i2;
    const T i4 = -i3;
    const T i5 = decay(i4);
    const T i6 = kept[1] * values[4];
    const T i7 = multiply_add(i5, values[3], i6);
    const T i8 = multiply_add(kept[2], values[5], i7);
    const T i9 = multiply_add(kept[3], values[6], i8);
    changed[0] = i5;
    return i9;
    }
  };
  struct Move3 {
    static const int KIND = MOVED_NUMBER, FIRST = 3, CHANGED = 3, VALUES = 17, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; case 1: return 2; case 2: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[3];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = numbers[7];
    const T v7 = numbers[8];
    const T v8 = numbers[9];
    const T v9 = numbers[10];
    const T v10 = numbers[11];
    const T v11 = numbers[12];
    const T v12 = numbers[13];
    const T v13 = numbers[14];
    const T v14 = numbers[15];
    const T v15 = 1.0f - v3;
    const T v16 = v15 - v7;
    const T v17 = v16 - v11;
    const T v18 = multiply_add(v2, 2.0f, 1.0f);
    const T v19 = 1.0f / v18;
    const T v20 = 1.0f - v2;
    const T v21 = v0 * v17;
    const T v22 = v0 * v3;
    const T v23 = v0 * v7;
    const T v24 = v0 * v11;
    values[0] = v1;
    values[1] = v2;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v8;
    values[6] = v9;
    values[7] = v10;
    values[8] = v12;
    values[9] = v13;
    values[10] = v14;
    values[11] = v19;
    values[12] = v20;
    values[13] = v21;
    values[14] = v22;
    values[15] = v23;
    values[16] = v24;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[3]) {
    const T i0 = values[0] * columns[4];
    const T i1 = i0 * values[11];
    const T i2 = columns[2] * values[3];
    const T i3 = multiply_add(columns[1], values[2], i2);
    const T i4 = multiply_add(columns[3], values[4], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(values[12], i5, values[1]);
    const T i7 = i1 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = columns[2] * values[6];
    const T i11 = multiply_add(columns[1], values[5], i10);
    const T i12 = multiply_add(columns[3], values[7], i11);
    const T i13 = i12 * i12;
    const T i14 = multiply_add(values[12], i13, values[1]);
    const T i15 = i1 * i14;
    const T i16 = -i15;
    const T i17 = decay(i16);
    const T i18 = columns[2] * values[9];
    const T i19 = multiply_add(columns[1], values[8], i18);
    const T i20 = multiply_add(columns[3], values[10], i19);
    const T i21 = i20 * i20;
    const T i22 = multiply_add(values[12], i21, values[1]);
    const T i23 = i1 * i22;
    const T i24 = -i23;
    const T i25 = decay(i24);
    const T i26 = i9 * values[14];
    const T i27 = multiply_add(kept[0], values[13], i26);
    const T i28 = multiply_add(i17, values[15], i27);
    const T i29 = multiply_add(i25, values[16], i28);
    changed[0] = i9;
    changed[1] = i17;
    changed[2] = i25;
    return i29;
    }
  };
  struct Move4 {
    static const int KIND = MOVED_NUMBER, FIRST = 4, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = numbers[8];
    const T v3 = numbers[12];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move5 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 5, CHANGED = 1, VALUES = 11, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 1; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[3];
    const T v3 = numbers[4];
    const T v4 = numbers[5];
    const T v5 = numbers[6];
    const T v6 = numbers[7];
    const T v7 = numbers[8];
    const T v8 = numbers[12];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v7;
    const T v11 = v10 - v8;
    const T v12 = multiply_add(v2, 2.0f, 1.0f);
    const T v13 = 1.0f / v12;
    const T v14 = 1.0f - v2;
    const T v15 = v0 * v11;
    const T v16 = v0 * v3;
    const T v17 = v0 * v7;
    const T v18 = v0 * v8;
    values[0] = v1;
    values[1] = v2;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    values[9] = v17;
    values[10] = v18;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = values[0] * columns[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[3];
    const T i3 = multiply_add(columns[1], values[2], i2);
    const T i4 = multiply_add(columns[3], values[4], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(values[6], i5, values[1]);
    const T i7 = i1 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = i9 * values[8];
    const T i11 = multiply_add(kept[0], values[7], i10);
    const T i12 = multiply_add(kept[2], values[9], i11);
    const T i13 = multiply_add(kept[3], values[10], i12);
    changed[0] = i9;
    return i13;
    }
  };
  struct Move6 {
    static const int KIND = MOVED_NUMBER, FIRST = 8, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = numbers[8];
    const T v3 = numbers[12];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move7 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 9, CHANGED = 1, VALUES = 11, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 2; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[3];
    const T v3 = numbers[4];
    const T v4 = numbers[8];
    const T v5 = numbers[9];
    const T v6 = numbers[10];
    const T v7 = numbers[11];
    const T v8 = numbers[12];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v4;
    const T v11 = v10 - v8;
    const T v12 = multiply_add(v2, 2.0f, 1.0f);
    const T v13 = 1.0f / v12;
    const T v14 = 1.0f - v2;
    const T v15 = v0 * v11;
    const T v16 = v0 * v3;
    const T v17 = v0 * v4;
    const T v18 = v0 * v8;
    values[0] = v1;
    values[1] = v2;
    values[2] = v5;
    values[3] = v6;
    values[4] = v7;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    values[9] = v17;
    values[10] = v18;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = values[0] * columns[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[3];
    const T i3 = multiply_add(columns[1], values[2], i2);
    const T i4 = multiply_add(columns[3], values[4], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(values[6], i5, values[1]);
    const T i7 = i1 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = kept[1] * values[8];
    const T i11 = multiply_add(kept[0], values[7], i10);
    const T i12 = multiply_add(i9, values[9], i11);
    const T i13 = multiply_add(kept[3], values[10], i12);
    changed[0] = i9;
    return i13;
    }
  };
  struct Move8 {
    static const int KIND = MOVED_NUMBER, FIRST = 12, CHANGED = 0, VALUES = 4, IS_CONSTRAINED = 1, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[4];
    const T v2 = numbers[8];
    const T v3 = numbers[12];
    const T v4 = 1.0f - v1;
    const T v5 = v4 - v2;
    const T v6 = v5 - v3;
    const T v7 = v0 * v6;
    const T v8 = v0 * v1;
    const T v9 = v0 * v2;
    const T v10 = v0 * v3;
    values[0] = v7;
    values[1] = v8;
    values[2] = v9;
    values[3] = v10;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = kept[1] * values[1];
    const T i1 = multiply_add(kept[0], values[0], i0);
    const T i2 = multiply_add(kept[2], values[2], i1);
    const T i3 = multiply_add(kept[3], values[3], i2);
    return i3;
    }
  };
  struct Move9 {
    static const int KIND = MOVED_ORIENTATION, FIRST = 13, CHANGED = 1, VALUES = 11, IS_CONSTRAINED = 0, MOVES_NOISE = 0;
    static __device__ __forceinline__ int changed(int n) { switch (n) { case 0: return 3; default: return 0; } }
    static __device__ __forceinline__ bool changes_of_voxel(int n) { switch (n) { default: return false; } }
    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[1], T (&values)[VALUES], T (&after)[1]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[3];
    const T v3 = numbers[4];
    const T v4 = numbers[8];
    const T v5 = numbers[12];
    const T v6 = numbers[13];
    const T v7 = numbers[14];
    const T v8 = numbers[15];
    const T v9 = 1.0f - v3;
    const T v10 = v9 - v4;
    const T v11 = v10 - v5;
    const T v12 = multiply_add(v2, 2.0f, 1.0f);
    const T v13 = 1.0f / v12;
    const T v14 = 1.0f - v2;
    const T v15 = v0 * v11;
    const T v16 = v0 * v3;
    const T v17 = v0 * v4;
    const T v18 = v0 * v5;
    values[0] = v1;
    values[1] = v2;
    values[2] = v6;
    values[3] = v7;
    values[4] = v8;
    values[5] = v13;
    values[6] = v14;
    values[7] = v15;
    values[8] = v16;
    values[9] = v17;
    values[10] = v18;
    }
    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[4], T (&changed)[1]) {
    const T i0 = values[0] * columns[4];
    const T i1 = i0 * values[5];
    const T i2 = columns[2] * values[3];
    const T i3 = multiply_add(columns[1], values[2], i2);
    const T i4 = multiply_add(columns[3], values[4], i3);
    const T i5 = i4 * i4;
    const T i6 = multiply_add(values[6], i5, values[1]);
    const T i7 = i1 * i6;
    const T i8 = -i7;
    const T i9 = decay(i8);
    const T i10 = kept[1] * values[8];
    const T i11 = multiply_add(kept[0], values[7], i10);
    const T i12 = multiply_add(kept[2], values[9], i11);
    const T i13 = multiply_add(i9, values[10], i12);
    changed[0] = i9;
    return i13;
    }
  };
  static __device__ __forceinline__ bool meets(const T* numbers) {
    bool meets = true;
    T slack = 1.0f;
    slack = multiply_add(-1.0f, numbers[4], slack);
    slack = multiply_add(-1.0f, numbers[8], slack);
    slack = multiply_add(-1.0f, numbers[12], slack);
    meets = meets && !(0.0f > slack);
    return meets;
  }
  static __device__ __forceinline__ bool turns(unsigned which) { return which == 5 || which == 7 || which == 9; }
  template <class F> static __device__ __forceinline__ void sweep(F& chain) {
    chain.template step<Move0>(0);
    chain.template step<Move1>(1);
    chain.template step<Move2>(2);
    chain.template step<Move3>(3);
    chain.template step<Move4>(4);
    chain.template step<Move5>(5);
    chain.template step<Move6>(6);
    chain.template step<Move7>(7);
    chain.template step<Move8>(8);
    chain.template step<Move9>(9);
  }
};

#define CHAINS(KERNEL) KERNEL(0, 8, 14, 0, 256, 2) KERNEL(0, 8, 14, 1, 192, 2) KERNEL(0, 32, 10, 0, 256, 2) KERNEL(0, 32, 10, 1, 192, 2) KERNEL(1, 8, 14, 0, 256, 2) KERNEL(1, 8, 14, 1, 192, 2) KERNEL(1, 32, 10, 0, 256, 2) KERNEL(1, 32, 10, 1, 192, 2) KERNEL(2, 8, 14, 0, 256, 2) KERNEL(2, 8, 14, 1, 192, 2) KERNEL(2, 32, 10, 0, 256, 2) KERNEL(2, 32, 10, 1, 192, 2) KERNEL(3, 8, 14, 0, 192, 2) KERNEL(3, 8, 14, 1, 256, 1) KERNEL(3, 32, 10, 0, 256, 1) KERNEL(3, 32, 10, 1, 192, 2) KERNEL(4, 8, 14, 0, 256, 2) KERNEL(4, 8, 14, 1, 192, 2) KERNEL(4, 32, 10, 0, 256, 2) KERNEL(4, 32, 10, 1, 192, 2) KERNEL(5, 8, 14, 0, 256, 2) KERNEL(5, 8, 14, 1, 192, 2) KERNEL(5, 32, 10, 0, 256, 2) KERNEL(5, 32, 10, 1, 192, 2) KERNEL(6, 8, 14, 0, 192, 2) KERNEL(6, 8, 14, 1, 256, 1) KERNEL(6, 32, 10, 0, 256, 1) KERNEL(6, 32, 10, 1, 192, 2) KERNEL(7, 32, 10, 0, 256, 1) KERNEL(8, 32, 10, 0, 256, 1) KERNEL(9, 32, 10, 0, 256, 1) KERNEL(10, 32, 10, 0, 256, 1) KERNEL(11, 32, 10, 0, 256, 2) KERNEL(12, 32, 10, 0, 256, 1) KERNEL(13, 32, 10, 0, 256, 2) KERNEL(14, 32, 10, 0, 256, 1) KERNEL(15, 32, 10, 0, 256, 1) KERNEL(16, 32, 10, 0, 256, 1) KERNEL(17, 32, 10, 0, 256, 2) KERNEL(18, 32, 10, 0, 256, 1) KERNEL(19, 32, 10, 0, 256, 2) KERNEL(20, 32, 10, 0, 256, 1) KERNEL(21, 32, 10, 0, 256, 1) KERNEL(22, 32, 10, 0, 256, 1) KERNEL(23, 32, 10, 0, 256, 2) KERNEL(24, 32, 10, 0, 256, 2) KERNEL(25, 32, 10, 0, 256, 1)

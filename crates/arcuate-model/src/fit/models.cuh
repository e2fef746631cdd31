// Made of the built-in models by `cargo xtask kernels`: change those, not this.
#pragma once
#include "moments.cuh"

// tensor-nonlinear, stage 1 of 1: s0, dxx, dyy, dzz, dxy, dxz, dyz.
struct Stage0_f32 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 7, ORIENTATIONS = 0, COLUMNS = 7, VALUES = 7;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return -1; case 5: return -1; case 6: return -1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return -1; case 5: return -1; case 6: return -1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
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
    const T i10 = columns[0] * i9;
    const T i11 = columns[6] * i10;
    const T i12 = -i11;
    const T i13 = columns[5] * i10;
    const T i14 = -i13;
    const T i15 = columns[4] * i10;
    const T i16 = -i15;
    const T i17 = columns[3] * i10;
    const T i18 = -i17;
    const T i19 = columns[2] * i10;
    const T i20 = -i19;
    const T i21 = columns[1] * i10;
    const T i22 = -i21;
    derivatives[0] = i8;
    derivatives[1] = i22;
    derivatives[2] = i20;
    derivatives[3] = i18;
    derivatives[4] = i16;
    derivatives[5] = i14;
    derivatives[6] = i12;
    return i9;
  }
};

// ball-1-stick, stage 1 of 2: d, f.
struct Stage1_f32 {
  typedef float T;
  static const unsigned NUMBERS = 6, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 7;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = 1.0f - v2;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[6], i2, i10);
    const T i12 = values[0] * i11;
    return i12;
  }
};

// ball-1-stick, stage 2 of 2: s0, d, f, n.
struct Stage2_f32 {
  typedef float T;
  static const unsigned NUMBERS = 6, MAPS = 0, UNKNOWNS = 5, ORIENTATIONS = 1, COLUMNS = 4, VALUES = 15;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 3; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 0; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = across[0][0][0];
    const T v7 = across[0][0][1];
    const T v8 = across[0][0][2];
    const T v9 = across[0][1][0];
    const T v10 = across[0][1][1];
    const T v11 = across[0][1][2];
    const T v12 = 1.0f - v2;
    const T v13 = v0 * v2;
    const T v14 = v0 * v12;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v9;
    values[10] = v10;
    values[11] = v11;
    values[12] = v12;
    values[13] = v13;
    values[14] = v14;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[12], i2, i10);
    const T i12 = values[0] * i11;
    const T i13 = i9 * values[13];
    const T i14 = i0 * i13;
    const T i15 = i5 * i14;
    const T i16 = i15 + i15;
    const T i17 = columns[3] * i16;
    const T i18 = columns[2] * i16;
    const T i19 = columns[1] * i16;
    const T i20 = values[0] * i2;
    const T i21 = i2 * values[14];
    const T i22 = multiply_add(i6, i13, i21);
    const T i23 = columns[0] * i22;
    const T i24 = -i23;
    const T i25 = multiply_add(values[0], i9, -i20);
    const T i26 = i18 * values[7];
    const T i27 = multiply_add(i19, values[6], i26);
    const T i28 = multiply_add(i17, values[8], i27);
    const T i29 = -i28;
    const T i30 = i18 * values[10];
    const T i31 = multiply_add(i19, values[9], i30);
    const T i32 = multiply_add(i17, values[11], i31);
    const T i33 = -i32;
    derivatives[0] = i11;
    derivatives[1] = i24;
    derivatives[2] = i25;
    derivatives[3] = i29;
    derivatives[4] = i33;
    return i12;
  }
};

// ball-2-sticks, stage 1 of 2: f1, f2, n2.
struct Stage3_f32 {
  typedef float T;
  static const unsigned NUMBERS = 10, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 11;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v9;
    values[10] = v11;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[10], i2, i10);
    const T i12 = columns[2] * values[8];
    const T i13 = multiply_add(columns[1], values[7], i12);
    const T i14 = multiply_add(columns[3], values[9], i13);
    const T i15 = i14 * i14;
    const T i16 = i0 * i15;
    const T i17 = -i16;
    const T i18 = exponential(i17);
    const T i19 = multiply_add(values[6], i18, i11);
    const T i20 = values[0] * i19;
    return i20;
  }
};

// ball-2-sticks, stage 2 of 2: s0, d, f1, n1, f2, n2.
struct Stage4_f32 {
  typedef float T;
  static const unsigned NUMBERS = 10, MAPS = 0, UNKNOWNS = 8, ORIENTATIONS = 2, COLUMNS = 4, VALUES = 26;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 3; case 5: return 6; case 6: return 7; case 7: return 7; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 1; case 5: return -1; case 6: return 0; case 7: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 0; case 5: return -1; case 6: return 1; case 7: return 1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v10 = across[0][0][0];
    const T v11 = across[0][0][1];
    const T v12 = across[0][0][2];
    const T v13 = across[0][1][0];
    const T v14 = across[0][1][1];
    const T v15 = across[0][1][2];
    const T v16 = across[1][0][0];
    const T v17 = across[1][0][1];
    const T v18 = across[1][0][2];
    const T v19 = across[1][1][0];
    const T v20 = across[1][1][1];
    const T v21 = across[1][1][2];
    const T v22 = 1.0f - v2;
    const T v23 = v22 - v6;
    const T v24 = v0 * v6;
    const T v25 = v0 * v2;
    const T v26 = v0 * v23;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v9;
    values[10] = v10;
    values[11] = v11;
    values[12] = v12;
    values[13] = v13;
    values[14] = v14;
    values[15] = v15;
    values[16] = v16;
    values[17] = v17;
    values[18] = v18;
    values[19] = v19;
    values[20] = v20;
    values[21] = v21;
    values[22] = v23;
    values[23] = v24;
    values[24] = v25;
    values[25] = v26;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[22], i2, i10);
    const T i12 = columns[2] * values[8];
    const T i13 = multiply_add(columns[1], values[7], i12);
    const T i14 = multiply_add(columns[3], values[9], i13);
    const T i15 = i14 * i14;
    const T i16 = i0 * i15;
    const T i17 = -i16;
    const T i18 = exponential(i17);
    const T i19 = multiply_add(values[6], i18, i11);
    const T i20 = values[0] * i19;
    const T i21 = i18 * values[23];
    const T i22 = i0 * i21;
    const T i23 = i14 * i22;
    const T i24 = i23 + i23;
    const T i25 = columns[3] * i24;
    const T i26 = columns[2] * i24;
    const T i27 = columns[1] * i24;
    const T i28 = i9 * values[24];
    const T i29 = i6 * i28;
    const T i30 = multiply_add(i15, i21, i29);
    const T i31 = i0 * i28;
    const T i32 = i5 * i31;
    const T i33 = i32 + i32;
    const T i34 = columns[3] * i33;
    const T i35 = columns[2] * i33;
    const T i36 = columns[1] * i33;
    const T i37 = values[0] * i2;
    const T i38 = multiply_add(i2, values[25], i30);
    const T i39 = columns[0] * i38;
    const T i40 = -i39;
    const T i41 = multiply_add(values[0], i18, -i37);
    const T i42 = multiply_add(values[0], i9, -i37);
    const T i43 = i35 * values[11];
    const T i44 = multiply_add(i36, values[10], i43);
    const T i45 = multiply_add(i34, values[12], i44);
    const T i46 = -i45;
    const T i47 = i35 * values[14];
    const T i48 = multiply_add(i36, values[13], i47);
    const T i49 = multiply_add(i34, values[15], i48);
    const T i50 = -i49;
    const T i51 = i26 * values[17];
    const T i52 = multiply_add(i27, values[16], i51);
    const T i53 = multiply_add(i25, values[18], i52);
    const T i54 = -i53;
    const T i55 = i26 * values[20];
    const T i56 = multiply_add(i27, values[19], i55);
    const T i57 = multiply_add(i25, values[21], i56);
    const T i58 = -i57;
    derivatives[0] = i19;
    derivatives[1] = i40;
    derivatives[2] = i42;
    derivatives[3] = i46;
    derivatives[4] = i50;
    derivatives[5] = i41;
    derivatives[6] = i54;
    derivatives[7] = i58;
    return i20;
  }
};

// ball-3-sticks, stage 1 of 2: f1, f2, f3, n3.
struct Stage5_f32 {
  typedef float T;
  static const unsigned NUMBERS = 14, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 15;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v9;
    values[10] = v10;
    values[11] = v11;
    values[12] = v12;
    values[13] = v13;
    values[14] = v16;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[14], i2, i10);
    const T i12 = columns[2] * values[8];
    const T i13 = multiply_add(columns[1], values[7], i12);
    const T i14 = multiply_add(columns[3], values[9], i13);
    const T i15 = i14 * i14;
    const T i16 = i0 * i15;
    const T i17 = -i16;
    const T i18 = exponential(i17);
    const T i19 = multiply_add(values[6], i18, i11);
    const T i20 = columns[2] * values[12];
    const T i21 = multiply_add(columns[1], values[11], i20);
    const T i22 = multiply_add(columns[3], values[13], i21);
    const T i23 = i22 * i22;
    const T i24 = i0 * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[10], i26, i19);
    const T i28 = values[0] * i27;
    return i28;
  }
};

// ball-3-sticks, stage 2 of 2: s0, d, f1, n1, f2, n2, f3, n3.
struct Stage6_f32 {
  typedef float T;
  static const unsigned NUMBERS = 14, MAPS = 0, UNKNOWNS = 11, ORIENTATIONS = 3, COLUMNS = 4, VALUES = 37;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 3; case 5: return 6; case 6: return 7; case 7: return 7; case 8: return 10; case 9: return 11; case 10: return 11; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 1; case 5: return -1; case 6: return 0; case 7: return 1; case 8: return -1; case 9: return 0; case 10: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 0; case 5: return -1; case 6: return 1; case 7: return 1; case 8: return -1; case 9: return 2; case 10: return 2; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v14 = across[0][0][0];
    const T v15 = across[0][0][1];
    const T v16 = across[0][0][2];
    const T v17 = across[0][1][0];
    const T v18 = across[0][1][1];
    const T v19 = across[0][1][2];
    const T v20 = across[1][0][0];
    const T v21 = across[1][0][1];
    const T v22 = across[1][0][2];
    const T v23 = across[1][1][0];
    const T v24 = across[1][1][1];
    const T v25 = across[1][1][2];
    const T v26 = across[2][0][0];
    const T v27 = across[2][0][1];
    const T v28 = across[2][0][2];
    const T v29 = across[2][1][0];
    const T v30 = across[2][1][1];
    const T v31 = across[2][1][2];
    const T v32 = 1.0f - v2;
    const T v33 = v32 - v6;
    const T v34 = v33 - v10;
    const T v35 = v0 * v10;
    const T v36 = v0 * v6;
    const T v37 = v0 * v2;
    const T v38 = v0 * v34;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v9;
    values[10] = v10;
    values[11] = v11;
    values[12] = v12;
    values[13] = v13;
    values[14] = v14;
    values[15] = v15;
    values[16] = v16;
    values[17] = v17;
    values[18] = v18;
    values[19] = v19;
    values[20] = v20;
    values[21] = v21;
    values[22] = v22;
    values[23] = v23;
    values[24] = v24;
    values[25] = v25;
    values[26] = v26;
    values[27] = v27;
    values[28] = v28;
    values[29] = v29;
    values[30] = v30;
    values[31] = v31;
    values[32] = v34;
    values[33] = v35;
    values[34] = v36;
    values[35] = v37;
    values[36] = v38;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[32], i2, i10);
    const T i12 = columns[2] * values[8];
    const T i13 = multiply_add(columns[1], values[7], i12);
    const T i14 = multiply_add(columns[3], values[9], i13);
    const T i15 = i14 * i14;
    const T i16 = i0 * i15;
    const T i17 = -i16;
    const T i18 = exponential(i17);
    const T i19 = multiply_add(values[6], i18, i11);
    const T i20 = columns[2] * values[12];
    const T i21 = multiply_add(columns[1], values[11], i20);
    const T i22 = multiply_add(columns[3], values[13], i21);
    const T i23 = i22 * i22;
    const T i24 = i0 * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[10], i26, i19);
    const T i28 = values[0] * i27;
    const T i29 = i26 * values[33];
    const T i30 = i0 * i29;
    const T i31 = i22 * i30;
    const T i32 = i31 + i31;
    const T i33 = columns[3] * i32;
    const T i34 = columns[2] * i32;
    const T i35 = columns[1] * i32;
    const T i36 = i18 * values[34];
    const T i37 = i15 * i36;
    const T i38 = multiply_add(i23, i29, i37);
    const T i39 = i0 * i36;
    const T i40 = i14 * i39;
    const T i41 = i40 + i40;
    const T i42 = columns[3] * i41;
    const T i43 = columns[2] * i41;
    const T i44 = columns[1] * i41;
    const T i45 = i9 * values[35];
    const T i46 = multiply_add(i6, i45, i38);
    const T i47 = i0 * i45;
    const T i48 = i5 * i47;
    const T i49 = i48 + i48;
    const T i50 = columns[3] * i49;
    const T i51 = columns[2] * i49;
    const T i52 = columns[1] * i49;
    const T i53 = values[0] * i2;
    const T i54 = multiply_add(i2, values[36], i46);
    const T i55 = columns[0] * i54;
    const T i56 = -i55;
    const T i57 = multiply_add(values[0], i26, -i53);
    const T i58 = multiply_add(values[0], i18, -i53);
    const T i59 = multiply_add(values[0], i9, -i53);
    const T i60 = i51 * values[15];
    const T i61 = multiply_add(i52, values[14], i60);
    const T i62 = multiply_add(i50, values[16], i61);
    const T i63 = -i62;
    const T i64 = i51 * values[18];
    const T i65 = multiply_add(i52, values[17], i64);
    const T i66 = multiply_add(i50, values[19], i65);
    const T i67 = -i66;
    const T i68 = i43 * values[21];
    const T i69 = multiply_add(i44, values[20], i68);
    const T i70 = multiply_add(i42, values[22], i69);
    const T i71 = -i70;
    const T i72 = i43 * values[24];
    const T i73 = multiply_add(i44, values[23], i72);
    const T i74 = multiply_add(i42, values[25], i73);
    const T i75 = -i74;
    const T i76 = i34 * values[27];
    const T i77 = multiply_add(i35, values[26], i76);
    const T i78 = multiply_add(i33, values[28], i77);
    const T i79 = -i78;
    const T i80 = i34 * values[30];
    const T i81 = multiply_add(i35, values[29], i80);
    const T i82 = multiply_add(i33, values[31], i81);
    const T i83 = -i82;
    derivatives[0] = i27;
    derivatives[1] = i56;
    derivatives[2] = i59;
    derivatives[3] = i63;
    derivatives[4] = i67;
    derivatives[5] = i58;
    derivatives[6] = i71;
    derivatives[7] = i75;
    derivatives[8] = i57;
    derivatives[9] = i79;
    derivatives[10] = i83;
    return i28;
  }
};

// ball-1-stick-gamma, stage 1 of 2: d, d_std, f.
struct Stage7_f32 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 9;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    values[0] = v0;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v7;
    values[6] = v9;
    values[7] = v10;
    values[8] = v11;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[7];
    const T i1 = i0 * values[8];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[6] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[3];
    const T i8 = multiply_add(columns[1], values[2], i7);
    const T i9 = multiply_add(columns[3], values[4], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[6] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[1] * i15;
    const T i17 = multiply_add(values[5], i6, i16);
    const T i18 = values[0] * i17;
    return i18;
  }
};

// ball-1-stick-gamma, stage 2 of 2: s0, d, d_std, f, n.
struct Stage8_f32 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 6, ORIENTATIONS = 1, COLUMNS = 4, VALUES = 21;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = across[0][0][0];
    const T v8 = across[0][0][1];
    const T v9 = across[0][0][2];
    const T v10 = across[0][1][0];
    const T v11 = across[0][1][1];
    const T v12 = across[0][1][2];
    const T v13 = 1.0f - v3;
    const T v14 = v1 / v2;
    const T v15 = v14 * v14;
    const T v16 = v2 * v2;
    const T v17 = 1.0f / v1;
    const T v18 = v0 * v3;
    const T v19 = v0 * v13;
    const T v20 = 1.0f / v2;
    const T v21 = v14 * v20;
    values[0] = v0;
    values[1] = v2;
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
    values[15] = v16;
    values[16] = v17;
    values[17] = v18;
    values[18] = v19;
    values[19] = v20;
    values[20] = v21;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[15];
    const T i1 = i0 * values[16];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[14] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[4];
    const T i8 = multiply_add(columns[1], values[3], i7);
    const T i9 = multiply_add(columns[3], values[5], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[14] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[2] * i15;
    const T i17 = multiply_add(values[12], i6, i16);
    const T i18 = values[0] * i17;
    const T i19 = i15 * values[17];
    const T i20 = values[14] * i19;
    const T i21 = 1.0f / i11;
    const T i22 = i20 * i21;
    const T i23 = i1 * i22;
    const T i24 = i9 * i23;
    const T i25 = i24 + i24;
    const T i26 = columns[3] * i25;
    const T i27 = columns[2] * i25;
    const T i28 = columns[1] * i25;
    const T i29 = values[0] * i6;
    const T i30 = i6 * values[18];
    const T i31 = i3 * i30;
    const T i32 = multiply_add(i12, i19, i31);
    const T i33 = values[14] * i30;
    const T i34 = 1.0f / i2;
    const T i35 = i33 * i34;
    const T i36 = multiply_add(i10, i22, i35);
    const T i37 = values[16] * i1;
    const T i38 = values[16] * i36;
    const T i39 = columns[0] * i38;
    const T i40 = values[1] * i39;
    const T i41 = i40 + i40;
    const T i42 = values[13] * i32;
    const T i43 = i42 + i42;
    const T i44 = i43 * values[19];
    const T i45 = multiply_add(i36, i37, -i44);
    const T i46 = multiply_add(i43, values[20], -i41);
    const T i47 = multiply_add(values[0], i15, -i29);
    const T i48 = i27 * values[7];
    const T i49 = multiply_add(i28, values[6], i48);
    const T i50 = multiply_add(i26, values[8], i49);
    const T i51 = -i50;
    const T i52 = i27 * values[10];
    const T i53 = multiply_add(i28, values[9], i52);
    const T i54 = multiply_add(i26, values[11], i53);
    const T i55 = -i54;
    derivatives[0] = i17;
    derivatives[1] = i45;
    derivatives[2] = i46;
    derivatives[3] = i47;
    derivatives[4] = i51;
    derivatives[5] = i55;
    return i18;
  }
};

// ball-2-sticks-gamma, stage 1 of 2: f1, f2, n2.
struct Stage9_f32 {
  typedef float T;
  static const unsigned NUMBERS = 11, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 13;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    values[0] = v0;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v7;
    values[6] = v8;
    values[7] = v9;
    values[8] = v10;
    values[9] = v12;
    values[10] = v14;
    values[11] = v15;
    values[12] = v16;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[11];
    const T i1 = i0 * values[12];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[10] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[3];
    const T i8 = multiply_add(columns[1], values[2], i7);
    const T i9 = multiply_add(columns[3], values[4], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[10] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[1] * i15;
    const T i17 = multiply_add(values[9], i6, i16);
    const T i18 = columns[2] * values[7];
    const T i19 = multiply_add(columns[1], values[6], i18);
    const T i20 = multiply_add(columns[3], values[8], i19);
    const T i21 = i20 * i20;
    const T i22 = multiply_add(i1, i21, 1.0f);
    const T i23 = logarithm(i22);
    const T i24 = values[10] * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[5], i26, i17);
    const T i28 = values[0] * i27;
    return i28;
  }
};

// ball-2-sticks-gamma, stage 2 of 2: s0, d, d_std, f1, n1, f2, n2.
struct Stage10_f32 {
  typedef float T;
  static const unsigned NUMBERS = 11, MAPS = 0, UNKNOWNS = 9, ORIENTATIONS = 2, COLUMNS = 4, VALUES = 32;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; case 6: return 7; case 7: return 8; case 8: return 8; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; case 6: return -1; case 7: return 0; case 8: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; case 6: return -1; case 7: return 1; case 8: return 1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v11 = across[0][0][0];
    const T v12 = across[0][0][1];
    const T v13 = across[0][0][2];
    const T v14 = across[0][1][0];
    const T v15 = across[0][1][1];
    const T v16 = across[0][1][2];
    const T v17 = across[1][0][0];
    const T v18 = across[1][0][1];
    const T v19 = across[1][0][2];
    const T v20 = across[1][1][0];
    const T v21 = across[1][1][1];
    const T v22 = across[1][1][2];
    const T v23 = 1.0f - v3;
    const T v24 = v23 - v7;
    const T v25 = v1 / v2;
    const T v26 = v25 * v25;
    const T v27 = v2 * v2;
    const T v28 = 1.0f / v1;
    const T v29 = v0 * v7;
    const T v30 = v0 * v3;
    const T v31 = v0 * v24;
    const T v32 = 1.0f / v2;
    const T v33 = v25 * v32;
    values[0] = v0;
    values[1] = v2;
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
    values[15] = v16;
    values[16] = v17;
    values[17] = v18;
    values[18] = v19;
    values[19] = v20;
    values[20] = v21;
    values[21] = v22;
    values[22] = v24;
    values[23] = v25;
    values[24] = v26;
    values[25] = v27;
    values[26] = v28;
    values[27] = v29;
    values[28] = v30;
    values[29] = v31;
    values[30] = v32;
    values[31] = v33;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[25];
    const T i1 = i0 * values[26];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[24] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[4];
    const T i8 = multiply_add(columns[1], values[3], i7);
    const T i9 = multiply_add(columns[3], values[5], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[24] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[2] * i15;
    const T i17 = multiply_add(values[22], i6, i16);
    const T i18 = columns[2] * values[8];
    const T i19 = multiply_add(columns[1], values[7], i18);
    const T i20 = multiply_add(columns[3], values[9], i19);
    const T i21 = i20 * i20;
    const T i22 = multiply_add(i1, i21, 1.0f);
    const T i23 = logarithm(i22);
    const T i24 = values[24] * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[6], i26, i17);
    const T i28 = values[0] * i27;
    const T i29 = i26 * values[27];
    const T i30 = values[24] * i29;
    const T i31 = 1.0f / i22;
    const T i32 = i30 * i31;
    const T i33 = i1 * i32;
    const T i34 = i20 * i33;
    const T i35 = i34 + i34;
    const T i36 = columns[3] * i35;
    const T i37 = columns[2] * i35;
    const T i38 = columns[1] * i35;
    const T i39 = i15 * values[28];
    const T i40 = i12 * i39;
    const T i41 = multiply_add(i23, i29, i40);
    const T i42 = values[24] * i39;
    const T i43 = 1.0f / i11;
    const T i44 = i42 * i43;
    const T i45 = i10 * i44;
    const T i46 = multiply_add(i21, i32, i45);
    const T i47 = i1 * i44;
    const T i48 = i9 * i47;
    const T i49 = i48 + i48;
    const T i50 = columns[3] * i49;
    const T i51 = columns[2] * i49;
    const T i52 = columns[1] * i49;
    const T i53 = values[0] * i6;
    const T i54 = i6 * values[29];
    const T i55 = multiply_add(i3, i54, i41);
    const T i56 = values[24] * i54;
    const T i57 = 1.0f / i2;
    const T i58 = multiply_add(i56, i57, i46);
    const T i59 = values[26] * i1;
    const T i60 = values[26] * i58;
    const T i61 = columns[0] * i60;
    const T i62 = values[1] * i61;
    const T i63 = i62 + i62;
    const T i64 = values[23] * i55;
    const T i65 = i64 + i64;
    const T i66 = i65 * values[30];
    const T i67 = multiply_add(i58, i59, -i66);
    const T i68 = multiply_add(i65, values[31], -i63);
    const T i69 = multiply_add(values[0], i26, -i53);
    const T i70 = multiply_add(values[0], i15, -i53);
    const T i71 = i51 * values[11];
    const T i72 = multiply_add(i52, values[10], i71);
    const T i73 = multiply_add(i50, values[12], i72);
    const T i74 = -i73;
    const T i75 = i51 * values[14];
    const T i76 = multiply_add(i52, values[13], i75);
    const T i77 = multiply_add(i50, values[15], i76);
    const T i78 = -i77;
    const T i79 = i37 * values[17];
    const T i80 = multiply_add(i38, values[16], i79);
    const T i81 = multiply_add(i36, values[18], i80);
    const T i82 = -i81;
    const T i83 = i37 * values[20];
    const T i84 = multiply_add(i38, values[19], i83);
    const T i85 = multiply_add(i36, values[21], i84);
    const T i86 = -i85;
    derivatives[0] = i27;
    derivatives[1] = i67;
    derivatives[2] = i68;
    derivatives[3] = i70;
    derivatives[4] = i74;
    derivatives[5] = i78;
    derivatives[6] = i69;
    derivatives[7] = i82;
    derivatives[8] = i86;
    return i28;
  }
};

// ball-3-sticks-gamma, stage 1 of 2: f1, f2, f3, n3.
struct Stage11_f32 {
  typedef float T;
  static const unsigned NUMBERS = 15, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 17;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    values[0] = v0;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v7;
    values[6] = v8;
    values[7] = v9;
    values[8] = v10;
    values[9] = v11;
    values[10] = v12;
    values[11] = v13;
    values[12] = v14;
    values[13] = v17;
    values[14] = v19;
    values[15] = v20;
    values[16] = v21;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[15];
    const T i1 = i0 * values[16];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[14] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[3];
    const T i8 = multiply_add(columns[1], values[2], i7);
    const T i9 = multiply_add(columns[3], values[4], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[14] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[1] * i15;
    const T i17 = multiply_add(values[13], i6, i16);
    const T i18 = columns[2] * values[7];
    const T i19 = multiply_add(columns[1], values[6], i18);
    const T i20 = multiply_add(columns[3], values[8], i19);
    const T i21 = i20 * i20;
    const T i22 = multiply_add(i1, i21, 1.0f);
    const T i23 = logarithm(i22);
    const T i24 = values[14] * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[5], i26, i17);
    const T i28 = columns[2] * values[11];
    const T i29 = multiply_add(columns[1], values[10], i28);
    const T i30 = multiply_add(columns[3], values[12], i29);
    const T i31 = i30 * i30;
    const T i32 = multiply_add(i1, i31, 1.0f);
    const T i33 = logarithm(i32);
    const T i34 = values[14] * i33;
    const T i35 = -i34;
    const T i36 = exponential(i35);
    const T i37 = multiply_add(values[9], i36, i27);
    const T i38 = values[0] * i37;
    return i38;
  }
};

// ball-3-sticks-gamma, stage 2 of 2: s0, d, d_std, f1, n1, f2, n2, f3, n3.
struct Stage12_f32 {
  typedef float T;
  static const unsigned NUMBERS = 15, MAPS = 0, UNKNOWNS = 12, ORIENTATIONS = 3, COLUMNS = 4, VALUES = 43;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; case 6: return 7; case 7: return 8; case 8: return 8; case 9: return 11; case 10: return 12; case 11: return 12; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; case 6: return -1; case 7: return 0; case 8: return 1; case 9: return -1; case 10: return 0; case 11: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; case 6: return -1; case 7: return 1; case 8: return 1; case 9: return -1; case 10: return 2; case 11: return 2; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v15 = across[0][0][0];
    const T v16 = across[0][0][1];
    const T v17 = across[0][0][2];
    const T v18 = across[0][1][0];
    const T v19 = across[0][1][1];
    const T v20 = across[0][1][2];
    const T v21 = across[1][0][0];
    const T v22 = across[1][0][1];
    const T v23 = across[1][0][2];
    const T v24 = across[1][1][0];
    const T v25 = across[1][1][1];
    const T v26 = across[1][1][2];
    const T v27 = across[2][0][0];
    const T v28 = across[2][0][1];
    const T v29 = across[2][0][2];
    const T v30 = across[2][1][0];
    const T v31 = across[2][1][1];
    const T v32 = across[2][1][2];
    const T v33 = 1.0f - v3;
    const T v34 = v33 - v7;
    const T v35 = v34 - v11;
    const T v36 = v1 / v2;
    const T v37 = v36 * v36;
    const T v38 = v2 * v2;
    const T v39 = 1.0f / v1;
    const T v40 = v0 * v11;
    const T v41 = v0 * v7;
    const T v42 = v0 * v3;
    const T v43 = v0 * v35;
    const T v44 = 1.0f / v2;
    const T v45 = v36 * v44;
    values[0] = v0;
    values[1] = v2;
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
    values[15] = v16;
    values[16] = v17;
    values[17] = v18;
    values[18] = v19;
    values[19] = v20;
    values[20] = v21;
    values[21] = v22;
    values[22] = v23;
    values[23] = v24;
    values[24] = v25;
    values[25] = v26;
    values[26] = v27;
    values[27] = v28;
    values[28] = v29;
    values[29] = v30;
    values[30] = v31;
    values[31] = v32;
    values[32] = v35;
    values[33] = v36;
    values[34] = v37;
    values[35] = v38;
    values[36] = v39;
    values[37] = v40;
    values[38] = v41;
    values[39] = v42;
    values[40] = v43;
    values[41] = v44;
    values[42] = v45;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[35];
    const T i1 = i0 * values[36];
    const T i2 = 1.0f + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[34] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[4];
    const T i8 = multiply_add(columns[1], values[3], i7);
    const T i9 = multiply_add(columns[3], values[5], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0f);
    const T i12 = logarithm(i11);
    const T i13 = values[34] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[2] * i15;
    const T i17 = multiply_add(values[32], i6, i16);
    const T i18 = columns[2] * values[8];
    const T i19 = multiply_add(columns[1], values[7], i18);
    const T i20 = multiply_add(columns[3], values[9], i19);
    const T i21 = i20 * i20;
    const T i22 = multiply_add(i1, i21, 1.0f);
    const T i23 = logarithm(i22);
    const T i24 = values[34] * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[6], i26, i17);
    const T i28 = columns[2] * values[12];
    const T i29 = multiply_add(columns[1], values[11], i28);
    const T i30 = multiply_add(columns[3], values[13], i29);
    const T i31 = i30 * i30;
    const T i32 = multiply_add(i1, i31, 1.0f);
    const T i33 = logarithm(i32);
    const T i34 = values[34] * i33;
    const T i35 = -i34;
    const T i36 = exponential(i35);
    const T i37 = multiply_add(values[10], i36, i27);
    const T i38 = values[0] * i37;
    const T i39 = i36 * values[37];
    const T i40 = values[34] * i39;
    const T i41 = 1.0f / i32;
    const T i42 = i40 * i41;
    const T i43 = i1 * i42;
    const T i44 = i30 * i43;
    const T i45 = i44 + i44;
    const T i46 = columns[3] * i45;
    const T i47 = columns[2] * i45;
    const T i48 = columns[1] * i45;
    const T i49 = i26 * values[38];
    const T i50 = i23 * i49;
    const T i51 = multiply_add(i33, i39, i50);
    const T i52 = values[34] * i49;
    const T i53 = 1.0f / i22;
    const T i54 = i52 * i53;
    const T i55 = i21 * i54;
    const T i56 = multiply_add(i31, i42, i55);
    const T i57 = i1 * i54;
    const T i58 = i20 * i57;
    const T i59 = i58 + i58;
    const T i60 = columns[3] * i59;
    const T i61 = columns[2] * i59;
    const T i62 = columns[1] * i59;
    const T i63 = i15 * values[39];
    const T i64 = multiply_add(i12, i63, i51);
    const T i65 = values[34] * i63;
    const T i66 = 1.0f / i11;
    const T i67 = i65 * i66;
    const T i68 = multiply_add(i10, i67, i56);
    const T i69 = i1 * i67;
    const T i70 = i9 * i69;
    const T i71 = i70 + i70;
    const T i72 = columns[3] * i71;
    const T i73 = columns[2] * i71;
    const T i74 = columns[1] * i71;
    const T i75 = values[0] * i6;
    const T i76 = i6 * values[40];
    const T i77 = multiply_add(i3, i76, i64);
    const T i78 = values[34] * i76;
    const T i79 = 1.0f / i2;
    const T i80 = multiply_add(i78, i79, i68);
    const T i81 = values[36] * i1;
    const T i82 = values[36] * i80;
    const T i83 = columns[0] * i82;
    const T i84 = values[1] * i83;
    const T i85 = i84 + i84;
    const T i86 = values[33] * i77;
    const T i87 = i86 + i86;
    const T i88 = i87 * values[41];
    const T i89 = multiply_add(i80, i81, -i88);
    const T i90 = multiply_add(i87, values[42], -i85);
    const T i91 = multiply_add(values[0], i36, -i75);
    const T i92 = multiply_add(values[0], i26, -i75);
    const T i93 = multiply_add(values[0], i15, -i75);
    const T i94 = i73 * values[15];
    const T i95 = multiply_add(i74, values[14], i94);
    const T i96 = multiply_add(i72, values[16], i95);
    const T i97 = -i96;
    const T i98 = i73 * values[18];
    const T i99 = multiply_add(i74, values[17], i98);
    const T i100 = multiply_add(i72, values[19], i99);
    const T i101 = -i100;
    const T i102 = i61 * values[21];
    const T i103 = multiply_add(i62, values[20], i102);
    const T i104 = multiply_add(i60, values[22], i103);
    const T i105 = -i104;
    const T i106 = i61 * values[24];
    const T i107 = multiply_add(i62, values[23], i106);
    const T i108 = multiply_add(i60, values[25], i107);
    const T i109 = -i108;
    const T i110 = i47 * values[27];
    const T i111 = multiply_add(i48, values[26], i110);
    const T i112 = multiply_add(i46, values[28], i111);
    const T i113 = -i112;
    const T i114 = i47 * values[30];
    const T i115 = multiply_add(i48, values[29], i114);
    const T i116 = multiply_add(i46, values[31], i115);
    const T i117 = -i116;
    derivatives[0] = i37;
    derivatives[1] = i89;
    derivatives[2] = i90;
    derivatives[3] = i93;
    derivatives[4] = i97;
    derivatives[5] = i101;
    derivatives[6] = i92;
    derivatives[7] = i105;
    derivatives[8] = i109;
    derivatives[9] = i91;
    derivatives[10] = i113;
    derivatives[11] = i117;
    return i38;
  }
};

// noddi-watson, stage 1 of 3: fwf, ndi, kappa.
struct Stage13_f32 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 13, VALUES = 17;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = m8[1];
    values[8] = m8[2];
    values[9] = m8[3];
    values[10] = m8[4];
    values[11] = m8[5];
    values[12] = m8[6];
    values[13] = m8[7];
    values[14] = v16;
    values[15] = v21;
    values[16] = v24;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
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
    const T i18 = multiply_add(i17, values[7], columns[4]);
    const T i19 = i6 * columns[6];
    const T i20 = multiply_add(i19, values[8], i18);
    const T i21 = i8 * columns[7];
    const T i22 = multiply_add(i21, values[9], i20);
    const T i23 = i10 * columns[8];
    const T i24 = multiply_add(i23, values[10], i22);
    const T i25 = i12 * columns[9];
    const T i26 = multiply_add(i25, values[11], i24);
    const T i27 = i14 * columns[10];
    const T i28 = multiply_add(i27, values[12], i26);
    const T i29 = i16 * columns[11];
    const T i30 = multiply_add(i29, values[13], i28);
    const T i31 = multiply_add(i3, values[16], values[15]);
    const T i32 = columns[3] * i31;
    const T i33 = -i32;
    const T i34 = exponential(i33);
    const T i35 = values[14] * i34;
    const T i36 = multiply_add(values[2], i30, i35);
    const T i37 = values[1] * columns[12];
    const T i38 = multiply_add(values[6], i36, i37);
    const T i39 = values[0] * i38;
    return i39;
  }
};

// noddi-watson, stage 1 of 3: fwf, ndi, kappa.
struct Stage14_f32 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 15, VALUES = 19;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = m8[1];
    values[8] = m8[2];
    values[9] = m8[3];
    values[10] = m8[4];
    values[11] = m8[5];
    values[12] = m8[6];
    values[13] = m8[7];
    values[14] = m8[8];
    values[15] = m8[9];
    values[16] = v18;
    values[17] = v23;
    values[18] = v26;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
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
    const T i22 = multiply_add(i21, values[7], columns[4]);
    const T i23 = i6 * columns[6];
    const T i24 = multiply_add(i23, values[8], i22);
    const T i25 = i8 * columns[7];
    const T i26 = multiply_add(i25, values[9], i24);
    const T i27 = i10 * columns[8];
    const T i28 = multiply_add(i27, values[10], i26);
    const T i29 = i12 * columns[9];
    const T i30 = multiply_add(i29, values[11], i28);
    const T i31 = i14 * columns[10];
    const T i32 = multiply_add(i31, values[12], i30);
    const T i33 = i16 * columns[11];
    const T i34 = multiply_add(i33, values[13], i32);
    const T i35 = i18 * columns[12];
    const T i36 = multiply_add(i35, values[14], i34);
    const T i37 = i20 * columns[13];
    const T i38 = multiply_add(i37, values[15], i36);
    const T i39 = multiply_add(i3, values[18], values[17]);
    const T i40 = columns[3] * i39;
    const T i41 = -i40;
    const T i42 = exponential(i41);
    const T i43 = values[16] * i42;
    const T i44 = multiply_add(values[2], i38, i43);
    const T i45 = values[1] * columns[14];
    const T i46 = multiply_add(values[6], i44, i45);
    const T i47 = values[0] * i46;
    return i47;
  }
};

// noddi-watson, stage 2 of 3: fwf, ndi.
struct Stage15_f32 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 2, ORIENTATIONS = 0, COLUMNS = 13, VALUES = 21;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 1; case 1: return 2; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v26 = v16 * v25;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = m8[1];
    values[8] = m8[2];
    values[9] = m8[3];
    values[10] = m8[4];
    values[11] = m8[5];
    values[12] = m8[6];
    values[13] = m8[7];
    values[14] = v16;
    values[15] = v18;
    values[16] = v21;
    values[17] = v22;
    values[18] = v24;
    values[19] = v25;
    values[20] = v26;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
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
    const T i18 = multiply_add(i17, values[7], columns[4]);
    const T i19 = i6 * columns[6];
    const T i20 = multiply_add(i19, values[8], i18);
    const T i21 = i8 * columns[7];
    const T i22 = multiply_add(i21, values[9], i20);
    const T i23 = i10 * columns[8];
    const T i24 = multiply_add(i23, values[10], i22);
    const T i25 = i12 * columns[9];
    const T i26 = multiply_add(i25, values[11], i24);
    const T i27 = i14 * columns[10];
    const T i28 = multiply_add(i27, values[12], i26);
    const T i29 = i16 * columns[11];
    const T i30 = multiply_add(i29, values[13], i28);
    const T i31 = multiply_add(i3, values[18], values[16]);
    const T i32 = columns[3] * i31;
    const T i33 = -i32;
    const T i34 = exponential(i33);
    const T i35 = values[14] * i34;
    const T i36 = multiply_add(values[2], i30, i35);
    const T i37 = values[1] * columns[12];
    const T i38 = multiply_add(values[6], i36, i37);
    const T i39 = values[0] * i38;
    const T i40 = values[0] * i36;
    const T i41 = i34 * values[20];
    const T i42 = columns[3] * i41;
    const T i43 = i3 * i42;
    const T i44 = i42 - i43;
    const T i45 = i44 * 0.5f;
    const T i46 = values[15] * i45;
    const T i47 = multiply_add(values[17], i43, i46);
    const T i48 = multiply_add(-i34, values[19], i47);
    const T i49 = multiply_add(i30, values[19], i48);
    const T i50 = multiply_add(values[0], columns[12], -i40);
    derivatives[0] = i50;
    derivatives[1] = i49;
    return i39;
  }
};

// noddi-watson, stage 2 of 3: fwf, ndi.
struct Stage16_f32 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 2, ORIENTATIONS = 0, COLUMNS = 15, VALUES = 23;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 1; case 1: return 2; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v28 = v18 * v27;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = m8[1];
    values[8] = m8[2];
    values[9] = m8[3];
    values[10] = m8[4];
    values[11] = m8[5];
    values[12] = m8[6];
    values[13] = m8[7];
    values[14] = m8[8];
    values[15] = m8[9];
    values[16] = v18;
    values[17] = v20;
    values[18] = v23;
    values[19] = v24;
    values[20] = v26;
    values[21] = v27;
    values[22] = v28;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
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
    const T i22 = multiply_add(i21, values[7], columns[4]);
    const T i23 = i6 * columns[6];
    const T i24 = multiply_add(i23, values[8], i22);
    const T i25 = i8 * columns[7];
    const T i26 = multiply_add(i25, values[9], i24);
    const T i27 = i10 * columns[8];
    const T i28 = multiply_add(i27, values[10], i26);
    const T i29 = i12 * columns[9];
    const T i30 = multiply_add(i29, values[11], i28);
    const T i31 = i14 * columns[10];
    const T i32 = multiply_add(i31, values[12], i30);
    const T i33 = i16 * columns[11];
    const T i34 = multiply_add(i33, values[13], i32);
    const T i35 = i18 * columns[12];
    const T i36 = multiply_add(i35, values[14], i34);
    const T i37 = i20 * columns[13];
    const T i38 = multiply_add(i37, values[15], i36);
    const T i39 = multiply_add(i3, values[20], values[18]);
    const T i40 = columns[3] * i39;
    const T i41 = -i40;
    const T i42 = exponential(i41);
    const T i43 = values[16] * i42;
    const T i44 = multiply_add(values[2], i38, i43);
    const T i45 = values[1] * columns[14];
    const T i46 = multiply_add(values[6], i44, i45);
    const T i47 = values[0] * i46;
    const T i48 = values[0] * i44;
    const T i49 = i42 * values[22];
    const T i50 = columns[3] * i49;
    const T i51 = i3 * i50;
    const T i52 = i50 - i51;
    const T i53 = i52 * 0.5f;
    const T i54 = values[17] * i53;
    const T i55 = multiply_add(values[19], i51, i54);
    const T i56 = multiply_add(-i42, values[21], i55);
    const T i57 = multiply_add(i38, values[21], i56);
    const T i58 = multiply_add(values[0], columns[14], -i48);
    derivatives[0] = i58;
    derivatives[1] = i57;
    return i47;
  }
};

// noddi-watson, stage 3 of 3: s0, fwf, ndi, kappa, mu.
struct Stage17_f32 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 6, ORIENTATIONS = 1, COLUMNS = 13, VALUES = 35;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = across[0][0][0];
    const T v8 = across[0][0][1];
    const T v9 = across[0][0][2];
    const T v10 = across[0][1][0];
    const T v11 = across[0][1][1];
    const T v12 = across[0][1][2];
    const T v13 = 1.0f - v1;
    T m14[9];
    watson_moments(v3, m14);
    const T v23 = 1.0f - v2;
    const T v24 = multiply_add(m14[1], 0.6666667f, 0.33333334f);
    const T v25 = 1.0f + v24;
    const T v26 = v2 * v25;
    const T v27 = v26 / 2.0f;
    const T v28 = 1.0f - v27;
    const T v29 = 1.0f - v24;
    const T v30 = multiply_add(-v2, v29, 1.0f);
    const T v31 = v30 - v28;
    const T v32 = v0 * v13;
    const T v33 = v23 * v32;
    const T v34 = m14[1] * m14[1];
    const T v35 = m14[1] * 0.1904762f;
    const T v36 = multiply_add(m14[2], 0.34285715f, v35);
    const T v37 = 0.13333334f + v36;
    const T v38 = multiply_add(-0.6666667f, v34, v37);
    const T v39 = v2 * v32;
    const T v40 = m14[1] * m14[2];
    const T v41 = m14[2] * 0.17316018f;
    const T v42 = multiply_add(m14[3], 0.3030303f, v41);
    const T v43 = multiply_add(m14[1], 0.1904762f, v42);
    const T v44 = multiply_add(-0.6666667f, v40, v43);
    const T v45 = m14[1] * m14[3];
    const T v46 = m14[3] * 0.16969697f;
    const T v47 = multiply_add(m14[4], 0.2871795f, v46);
    const T v48 = multiply_add(m14[2], 0.20979021f, v47);
    const T v49 = multiply_add(-0.6666667f, v45, v48);
    const T v50 = m14[1] * m14[4];
    const T v51 = m14[4] * 0.16842106f;
    const T v52 = multiply_add(m14[5], 0.27863777f, v51);
    const T v53 = multiply_add(m14[3], 0.21960784f, v52);
    const T v54 = multiply_add(-0.6666667f, v50, v53);
    const T v55 = m14[1] * m14[5];
    const T v56 = m14[5] * 0.16781083f;
    const T v57 = multiply_add(m14[6], 0.27329192f, v56);
    const T v58 = multiply_add(m14[4], 0.22556391f, v57);
    const T v59 = multiply_add(-0.6666667f, v55, v58);
    const T v60 = m14[1] * m14[6];
    const T v61 = m14[6] * 0.16747183f;
    const T v62 = multiply_add(m14[7], 0.26962963f, v61);
    const T v63 = multiply_add(m14[5], 0.22956522f, v62);
    const T v64 = multiply_add(-0.6666667f, v60, v63);
    const T v65 = m14[1] * m14[7];
    const T v66 = m14[7] * 0.16726404f;
    const T v67 = multiply_add(0.2669633f, m14[8], v66);
    const T v68 = multiply_add(m14[6], 0.23243934f, v67);
    const T v69 = multiply_add(-0.6666667f, v65, v68);
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
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
    values[13] = m14[1];
    values[14] = m14[2];
    values[15] = m14[3];
    values[16] = m14[4];
    values[17] = m14[5];
    values[18] = m14[6];
    values[19] = m14[7];
    values[20] = v23;
    values[21] = v25;
    values[22] = v28;
    values[23] = v29;
    values[24] = v31;
    values[25] = v32;
    values[26] = v33;
    values[27] = v38;
    values[28] = v39;
    values[29] = v44;
    values[30] = v49;
    values[31] = v54;
    values[32] = v59;
    values[33] = v64;
    values[34] = v69;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
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
    const T i18 = multiply_add(i17, values[13], columns[4]);
    const T i19 = i6 * columns[6];
    const T i20 = multiply_add(i19, values[14], i18);
    const T i21 = i8 * columns[7];
    const T i22 = multiply_add(i21, values[15], i20);
    const T i23 = i10 * columns[8];
    const T i24 = multiply_add(i23, values[16], i22);
    const T i25 = i12 * columns[9];
    const T i26 = multiply_add(i25, values[17], i24);
    const T i27 = i14 * columns[10];
    const T i28 = multiply_add(i27, values[18], i26);
    const T i29 = i16 * columns[11];
    const T i30 = multiply_add(i29, values[19], i28);
    const T i31 = multiply_add(i3, values[24], values[22]);
    const T i32 = columns[3] * i31;
    const T i33 = -i32;
    const T i34 = exponential(i33);
    const T i35 = values[20] * i34;
    const T i36 = multiply_add(values[2], i30, i35);
    const T i37 = values[1] * columns[12];
    const T i38 = multiply_add(values[12], i36, i37);
    const T i39 = values[0] * i38;
    const T i40 = values[0] * i36;
    const T i41 = i34 * values[26];
    const T i42 = columns[3] * i41;
    const T i43 = i3 * i42;
    const T i44 = values[24] * i42;
    const T i45 = i2 * i44;
    const T i46 = i45 + i45;
    const T i47 = values[2] * i43;
    const T i48 = i42 - i43;
    const T i49 = i48 * 0.5f;
    const T i50 = values[21] * i49;
    const T i51 = multiply_add(values[23], i43, i50);
    const T i52 = multiply_add(values[2], i49, -i47);
    const T i53 = 0.6666667f * i52;
    const T i54 = multiply_add(-i34, values[25], i51);
    const T i55 = multiply_add(i30, values[25], i54);
    const T i56 = i17 * values[27];
    const T i57 = multiply_add(i19, values[29], i56);
    const T i58 = multiply_add(i21, values[30], i57);
    const T i59 = multiply_add(i23, values[31], i58);
    const T i60 = multiply_add(i25, values[32], i59);
    const T i61 = multiply_add(i27, values[33], i60);
    const T i62 = multiply_add(i29, values[34], i61);
    const T i63 = 1.5f * i5;
    const T i64 = multiply_add(7.5f, i4, i63);
    const T i65 = multiply_add(i7, i64, -1.5f);
    const T i66 = multiply_add(2.0416667f, i6, i65);
    const T i67 = multiply_add(i9, i66, -i64);
    const T i68 = multiply_add(7.7044897f, i8, i67);
    const T i69 = multiply_add(i11, i68, -i66);
    const T i70 = multiply_add(2.058045f, i10, i69);
    const T i71 = multiply_add(i13, i70, -i68);
    const T i72 = multiply_add(7.7309976f, i12, i71);
    const T i73 = multiply_add(i15, i72, -i70);
    const T i74 = multiply_add(2.061729f, i14, i73);
    const T i75 = columns[5] * values[13];
    const T i76 = 1.5f * i75;
    const T i77 = columns[6] * values[14];
    const T i78 = multiply_add(i77, i64, i76);
    const T i79 = columns[7] * values[15];
    const T i80 = multiply_add(i79, i66, i78);
    const T i81 = columns[8] * values[16];
    const T i82 = multiply_add(i81, i68, i80);
    const T i83 = columns[9] * values[17];
    const T i84 = multiply_add(i83, i70, i82);
    const T i85 = columns[10] * values[18];
    const T i86 = multiply_add(i85, i72, i84);
    const T i87 = columns[11] * values[19];
    const T i88 = multiply_add(i87, i74, i86);
    const T i89 = i2 * 2.0f;
    const T i90 = i88 * i89;
    const T i91 = values[28] * i62;
    const T i92 = multiply_add(i53, values[27], i91);
    const T i93 = multiply_add(values[28], i90, -i46);
    const T i94 = columns[2] * i93;
    const T i95 = columns[1] * i93;
    const T i96 = columns[0] * i93;
    const T i97 = multiply_add(values[0], columns[12], -i40);
    const T i98 = i95 * values[7];
    const T i99 = multiply_add(i96, values[6], i98);
    const T i100 = multiply_add(i94, values[8], i99);
    const T i101 = i95 * values[10];
    const T i102 = multiply_add(i96, values[9], i101);
    const T i103 = multiply_add(i94, values[11], i102);
    derivatives[0] = i38;
    derivatives[1] = i97;
    derivatives[2] = i55;
    derivatives[3] = i92;
    derivatives[4] = i100;
    derivatives[5] = i103;
    return i39;
  }
};

// noddi-watson, stage 3 of 3: s0, fwf, ndi, kappa, mu.
struct Stage18_f32 {
  typedef float T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 6, ORIENTATIONS = 1, COLUMNS = 15, VALUES = 39;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = across[0][0][0];
    const T v8 = across[0][0][1];
    const T v9 = across[0][0][2];
    const T v10 = across[0][1][0];
    const T v11 = across[0][1][1];
    const T v12 = across[0][1][2];
    const T v13 = 1.0f - v1;
    T m14[11];
    watson_moments(v3, m14);
    const T v25 = 1.0f - v2;
    const T v26 = multiply_add(m14[1], 0.6666667f, 0.33333334f);
    const T v27 = 1.0f + v26;
    const T v28 = v2 * v27;
    const T v29 = v28 / 2.0f;
    const T v30 = 1.0f - v29;
    const T v31 = 1.0f - v26;
    const T v32 = multiply_add(-v2, v31, 1.0f);
    const T v33 = v32 - v30;
    const T v34 = v0 * v13;
    const T v35 = v25 * v34;
    const T v36 = m14[1] * m14[1];
    const T v37 = m14[1] * 0.1904762f;
    const T v38 = multiply_add(m14[2], 0.34285715f, v37);
    const T v39 = 0.13333334f + v38;
    const T v40 = multiply_add(-0.6666667f, v36, v39);
    const T v41 = v2 * v34;
    const T v42 = m14[1] * m14[2];
    const T v43 = m14[2] * 0.17316018f;
    const T v44 = multiply_add(m14[3], 0.3030303f, v43);
    const T v45 = multiply_add(m14[1], 0.1904762f, v44);
    const T v46 = multiply_add(-0.6666667f, v42, v45);
    const T v47 = m14[1] * m14[3];
    const T v48 = m14[3] * 0.16969697f;
    const T v49 = multiply_add(m14[4], 0.2871795f, v48);
    const T v50 = multiply_add(m14[2], 0.20979021f, v49);
    const T v51 = multiply_add(-0.6666667f, v47, v50);
    const T v52 = m14[1] * m14[4];
    const T v53 = m14[4] * 0.16842106f;
    const T v54 = multiply_add(m14[5], 0.27863777f, v53);
    const T v55 = multiply_add(m14[3], 0.21960784f, v54);
    const T v56 = multiply_add(-0.6666667f, v52, v55);
    const T v57 = m14[1] * m14[5];
    const T v58 = m14[5] * 0.16781083f;
    const T v59 = multiply_add(m14[6], 0.27329192f, v58);
    const T v60 = multiply_add(m14[4], 0.22556391f, v59);
    const T v61 = multiply_add(-0.6666667f, v57, v60);
    const T v62 = m14[1] * m14[6];
    const T v63 = m14[6] * 0.16747183f;
    const T v64 = multiply_add(m14[7], 0.26962963f, v63);
    const T v65 = multiply_add(m14[5], 0.22956522f, v64);
    const T v66 = multiply_add(-0.6666667f, v62, v65);
    const T v67 = m14[1] * m14[7];
    const T v68 = m14[7] * 0.16726404f;
    const T v69 = multiply_add(m14[8], 0.2669633f, v68);
    const T v70 = multiply_add(m14[6], 0.23243934f, v69);
    const T v71 = multiply_add(-0.6666667f, v67, v70);
    const T v72 = m14[1] * m14[8];
    const T v73 = m14[8] * 0.16712749f;
    const T v74 = multiply_add(m14[9], 0.26493508f, v73);
    const T v75 = multiply_add(m14[7], 0.2346041f, v74);
    const T v76 = multiply_add(-0.6666667f, v72, v75);
    const T v77 = m14[1] * m14[9];
    const T v78 = m14[9] * 0.16703297f;
    const T v79 = multiply_add(0.26334026f, m14[10], v78);
    const T v80 = multiply_add(m14[8], 0.23629344f, v79);
    const T v81 = multiply_add(-0.6666667f, v77, v80);
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
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
    values[13] = m14[1];
    values[14] = m14[2];
    values[15] = m14[3];
    values[16] = m14[4];
    values[17] = m14[5];
    values[18] = m14[6];
    values[19] = m14[7];
    values[20] = m14[8];
    values[21] = m14[9];
    values[22] = v25;
    values[23] = v27;
    values[24] = v30;
    values[25] = v31;
    values[26] = v33;
    values[27] = v34;
    values[28] = v35;
    values[29] = v40;
    values[30] = v41;
    values[31] = v46;
    values[32] = v51;
    values[33] = v56;
    values[34] = v61;
    values[35] = v66;
    values[36] = v71;
    values[37] = v76;
    values[38] = v81;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
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
    const T i22 = multiply_add(i21, values[13], columns[4]);
    const T i23 = i6 * columns[6];
    const T i24 = multiply_add(i23, values[14], i22);
    const T i25 = i8 * columns[7];
    const T i26 = multiply_add(i25, values[15], i24);
    const T i27 = i10 * columns[8];
    const T i28 = multiply_add(i27, values[16], i26);
    const T i29 = i12 * columns[9];
    const T i30 = multiply_add(i29, values[17], i28);
    const T i31 = i14 * columns[10];
    const T i32 = multiply_add(i31, values[18], i30);
    const T i33 = i16 * columns[11];
    const T i34 = multiply_add(i33, values[19], i32);
    const T i35 = i18 * columns[12];
    const T i36 = multiply_add(i35, values[20], i34);
    const T i37 = i20 * columns[13];
    const T i38 = multiply_add(i37, values[21], i36);
    const T i39 = multiply_add(i3, values[26], values[24]);
    const T i40 = columns[3] * i39;
    const T i41 = -i40;
    const T i42 = exponential(i41);
    const T i43 = values[22] * i42;
    const T i44 = multiply_add(values[2], i38, i43);
    const T i45 = values[1] * columns[14];
    const T i46 = multiply_add(values[12], i44, i45);
    const T i47 = values[0] * i46;
    const T i48 = values[0] * i44;
    const T i49 = i42 * values[28];
    const T i50 = columns[3] * i49;
    const T i51 = i3 * i50;
    const T i52 = values[26] * i50;
    const T i53 = i2 * i52;
    const T i54 = i53 + i53;
    const T i55 = values[2] * i51;
    const T i56 = i50 - i51;
    const T i57 = i56 * 0.5f;
    const T i58 = values[23] * i57;
    const T i59 = multiply_add(values[25], i51, i58);
    const T i60 = multiply_add(values[2], i57, -i55);
    const T i61 = 0.6666667f * i60;
    const T i62 = multiply_add(-i42, values[27], i59);
    const T i63 = multiply_add(i38, values[27], i62);
    const T i64 = i21 * values[29];
    const T i65 = multiply_add(i23, values[31], i64);
    const T i66 = multiply_add(i25, values[32], i65);
    const T i67 = multiply_add(i27, values[33], i66);
    const T i68 = multiply_add(i29, values[34], i67);
    const T i69 = multiply_add(i31, values[35], i68);
    const T i70 = multiply_add(i33, values[36], i69);
    const T i71 = multiply_add(i35, values[37], i70);
    const T i72 = multiply_add(i37, values[38], i71);
    const T i73 = 1.5f * i5;
    const T i74 = multiply_add(7.5f, i4, i73);
    const T i75 = multiply_add(i7, i74, -1.5f);
    const T i76 = multiply_add(2.0416667f, i6, i75);
    const T i77 = multiply_add(i9, i76, -i74);
    const T i78 = multiply_add(7.7044897f, i8, i77);
    const T i79 = multiply_add(i11, i78, -i76);
    const T i80 = multiply_add(2.058045f, i10, i79);
    const T i81 = multiply_add(i13, i80, -i78);
    const T i82 = multiply_add(7.7309976f, i12, i81);
    const T i83 = multiply_add(i15, i82, -i80);
    const T i84 = multiply_add(2.061729f, i14, i83);
    const T i85 = multiply_add(i17, i84, -i82);
    const T i86 = multiply_add(7.739113f, i16, i85);
    const T i87 = multiply_add(i19, i86, -i84);
    const T i88 = multiply_add(2.0631065f, i18, i87);
    const T i89 = columns[5] * values[13];
    const T i90 = 1.5f * i89;
    const T i91 = columns[6] * values[14];
    const T i92 = multiply_add(i91, i74, i90);
    const T i93 = columns[7] * values[15];
    const T i94 = multiply_add(i93, i76, i92);
    const T i95 = columns[8] * values[16];
    const T i96 = multiply_add(i95, i78, i94);
    const T i97 = columns[9] * values[17];
    const T i98 = multiply_add(i97, i80, i96);
    const T i99 = columns[10] * values[18];
    const T i100 = multiply_add(i99, i82, i98);
    const T i101 = columns[11] * values[19];
    const T i102 = multiply_add(i101, i84, i100);
    const T i103 = columns[12] * values[20];
    const T i104 = multiply_add(i103, i86, i102);
    const T i105 = columns[13] * values[21];
    const T i106 = multiply_add(i105, i88, i104);
    const T i107 = i2 * 2.0f;
    const T i108 = i106 * i107;
    const T i109 = values[30] * i72;
    const T i110 = multiply_add(i61, values[29], i109);
    const T i111 = multiply_add(values[30], i108, -i54);
    const T i112 = columns[2] * i111;
    const T i113 = columns[1] * i111;
    const T i114 = columns[0] * i111;
    const T i115 = multiply_add(values[0], columns[14], -i48);
    const T i116 = i113 * values[7];
    const T i117 = multiply_add(i114, values[6], i116);
    const T i118 = multiply_add(i112, values[8], i117);
    const T i119 = i113 * values[10];
    const T i120 = multiply_add(i114, values[9], i119);
    const T i121 = multiply_add(i112, values[11], i120);
    derivatives[0] = i46;
    derivatives[1] = i115;
    derivatives[2] = i63;
    derivatives[3] = i110;
    derivatives[4] = i118;
    derivatives[5] = i121;
    return i47;
  }
};

// noddi-watson-exvivo, stage 1 of 2: fwf, ndi, kappa, dot_fraction.
struct Stage19_f32 {
  typedef float T;
  static const unsigned NUMBERS = 8, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 13, VALUES = 19;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = v8;
    values[8] = v9;
    values[9] = m10[1];
    values[10] = m10[2];
    values[11] = m10[3];
    values[12] = m10[4];
    values[13] = m10[5];
    values[14] = m10[6];
    values[15] = m10[7];
    values[16] = v18;
    values[17] = v23;
    values[18] = v26;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
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
    const T i18 = multiply_add(i17, values[9], columns[4]);
    const T i19 = i6 * columns[6];
    const T i20 = multiply_add(i19, values[10], i18);
    const T i21 = i8 * columns[7];
    const T i22 = multiply_add(i21, values[11], i20);
    const T i23 = i10 * columns[8];
    const T i24 = multiply_add(i23, values[12], i22);
    const T i25 = i12 * columns[9];
    const T i26 = multiply_add(i25, values[13], i24);
    const T i27 = i14 * columns[10];
    const T i28 = multiply_add(i27, values[14], i26);
    const T i29 = i16 * columns[11];
    const T i30 = multiply_add(i29, values[15], i28);
    const T i31 = multiply_add(i3, values[18], values[17]);
    const T i32 = columns[3] * i31;
    const T i33 = -i32;
    const T i34 = exponential(i33);
    const T i35 = values[16] * i34;
    const T i36 = multiply_add(values[2], i30, i35);
    const T i37 = values[1] * columns[12];
    const T i38 = multiply_add(values[8], i36, i37);
    const T i39 = multiply_add(values[7], i38, values[6]);
    const T i40 = values[0] * i39;
    return i40;
  }
};

// noddi-watson-exvivo, stage 1 of 2: fwf, ndi, kappa, dot_fraction.
struct Stage20_f32 {
  typedef float T;
  static const unsigned NUMBERS = 8, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 15, VALUES = 21;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = v8;
    values[8] = v9;
    values[9] = m10[1];
    values[10] = m10[2];
    values[11] = m10[3];
    values[12] = m10[4];
    values[13] = m10[5];
    values[14] = m10[6];
    values[15] = m10[7];
    values[16] = m10[8];
    values[17] = m10[9];
    values[18] = v20;
    values[19] = v25;
    values[20] = v28;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
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
    const T i22 = multiply_add(i21, values[9], columns[4]);
    const T i23 = i6 * columns[6];
    const T i24 = multiply_add(i23, values[10], i22);
    const T i25 = i8 * columns[7];
    const T i26 = multiply_add(i25, values[11], i24);
    const T i27 = i10 * columns[8];
    const T i28 = multiply_add(i27, values[12], i26);
    const T i29 = i12 * columns[9];
    const T i30 = multiply_add(i29, values[13], i28);
    const T i31 = i14 * columns[10];
    const T i32 = multiply_add(i31, values[14], i30);
    const T i33 = i16 * columns[11];
    const T i34 = multiply_add(i33, values[15], i32);
    const T i35 = i18 * columns[12];
    const T i36 = multiply_add(i35, values[16], i34);
    const T i37 = i20 * columns[13];
    const T i38 = multiply_add(i37, values[17], i36);
    const T i39 = multiply_add(i3, values[20], values[19]);
    const T i40 = columns[3] * i39;
    const T i41 = -i40;
    const T i42 = exponential(i41);
    const T i43 = values[18] * i42;
    const T i44 = multiply_add(values[2], i38, i43);
    const T i45 = values[1] * columns[14];
    const T i46 = multiply_add(values[8], i44, i45);
    const T i47 = multiply_add(values[7], i46, values[6]);
    const T i48 = values[0] * i47;
    return i48;
  }
};

// noddi-watson-exvivo, stage 2 of 2: s0, fwf, ndi, kappa, mu, dot_fraction.
struct Stage21_f32 {
  typedef float T;
  static const unsigned NUMBERS = 8, MAPS = 0, UNKNOWNS = 7, ORIENTATIONS = 1, COLUMNS = 13, VALUES = 38;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; case 6: return 7; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; case 6: return -1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; case 6: return -1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = across[0][0][0];
    const T v9 = across[0][0][1];
    const T v10 = across[0][0][2];
    const T v11 = across[0][1][0];
    const T v12 = across[0][1][1];
    const T v13 = across[0][1][2];
    const T v14 = 1.0f - v7;
    const T v15 = 1.0f - v1;
    T m16[9];
    watson_moments(v3, m16);
    const T v25 = 1.0f - v2;
    const T v26 = multiply_add(m16[1], 0.6666667f, 0.33333334f);
    const T v27 = 1.0f + v26;
    const T v28 = v2 * v27;
    const T v29 = v28 / 2.0f;
    const T v30 = 1.0f - v29;
    const T v31 = 1.0f - v26;
    const T v32 = multiply_add(-v2, v31, 1.0f);
    const T v33 = v32 - v30;
    const T v34 = v0 * v14;
    const T v35 = v15 * v34;
    const T v36 = v25 * v35;
    const T v37 = m16[1] * m16[1];
    const T v38 = m16[1] * 0.1904762f;
    const T v39 = multiply_add(m16[2], 0.34285715f, v38);
    const T v40 = 0.13333334f + v39;
    const T v41 = multiply_add(-0.6666667f, v37, v40);
    const T v42 = v2 * v35;
    const T v43 = m16[1] * m16[2];
    const T v44 = m16[2] * 0.17316018f;
    const T v45 = multiply_add(m16[3], 0.3030303f, v44);
    const T v46 = multiply_add(m16[1], 0.1904762f, v45);
    const T v47 = multiply_add(-0.6666667f, v43, v46);
    const T v48 = m16[1] * m16[3];
    const T v49 = m16[3] * 0.16969697f;
    const T v50 = multiply_add(m16[4], 0.2871795f, v49);
    const T v51 = multiply_add(m16[2], 0.20979021f, v50);
    const T v52 = multiply_add(-0.6666667f, v48, v51);
    const T v53 = m16[1] * m16[4];
    const T v54 = m16[4] * 0.16842106f;
    const T v55 = multiply_add(m16[5], 0.27863777f, v54);
    const T v56 = multiply_add(m16[3], 0.21960784f, v55);
    const T v57 = multiply_add(-0.6666667f, v53, v56);
    const T v58 = m16[1] * m16[5];
    const T v59 = m16[5] * 0.16781083f;
    const T v60 = multiply_add(m16[6], 0.27329192f, v59);
    const T v61 = multiply_add(m16[4], 0.22556391f, v60);
    const T v62 = multiply_add(-0.6666667f, v58, v61);
    const T v63 = m16[1] * m16[6];
    const T v64 = m16[6] * 0.16747183f;
    const T v65 = multiply_add(m16[7], 0.26962963f, v64);
    const T v66 = multiply_add(m16[5], 0.22956522f, v65);
    const T v67 = multiply_add(-0.6666667f, v63, v66);
    const T v68 = m16[1] * m16[7];
    const T v69 = m16[7] * 0.16726404f;
    const T v70 = multiply_add(0.2669633f, m16[8], v69);
    const T v71 = multiply_add(m16[6], 0.23243934f, v70);
    const T v72 = multiply_add(-0.6666667f, v68, v71);
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
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
    values[15] = m16[1];
    values[16] = m16[2];
    values[17] = m16[3];
    values[18] = m16[4];
    values[19] = m16[5];
    values[20] = m16[6];
    values[21] = m16[7];
    values[22] = v25;
    values[23] = v27;
    values[24] = v30;
    values[25] = v31;
    values[26] = v33;
    values[27] = v34;
    values[28] = v35;
    values[29] = v36;
    values[30] = v41;
    values[31] = v42;
    values[32] = v47;
    values[33] = v52;
    values[34] = v57;
    values[35] = v62;
    values[36] = v67;
    values[37] = v72;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
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
    const T i18 = multiply_add(i17, values[15], columns[4]);
    const T i19 = i6 * columns[6];
    const T i20 = multiply_add(i19, values[16], i18);
    const T i21 = i8 * columns[7];
    const T i22 = multiply_add(i21, values[17], i20);
    const T i23 = i10 * columns[8];
    const T i24 = multiply_add(i23, values[18], i22);
    const T i25 = i12 * columns[9];
    const T i26 = multiply_add(i25, values[19], i24);
    const T i27 = i14 * columns[10];
    const T i28 = multiply_add(i27, values[20], i26);
    const T i29 = i16 * columns[11];
    const T i30 = multiply_add(i29, values[21], i28);
    const T i31 = multiply_add(i3, values[26], values[24]);
    const T i32 = columns[3] * i31;
    const T i33 = -i32;
    const T i34 = exponential(i33);
    const T i35 = values[22] * i34;
    const T i36 = multiply_add(values[2], i30, i35);
    const T i37 = values[1] * columns[12];
    const T i38 = multiply_add(values[14], i36, i37);
    const T i39 = multiply_add(values[13], i38, values[6]);
    const T i40 = values[0] * i39;
    const T i41 = i36 * values[27];
    const T i42 = i34 * values[29];
    const T i43 = columns[3] * i42;
    const T i44 = i3 * i43;
    const T i45 = values[26] * i43;
    const T i46 = i2 * i45;
    const T i47 = i46 + i46;
    const T i48 = values[2] * i44;
    const T i49 = i43 - i44;
    const T i50 = i49 * 0.5f;
    const T i51 = values[23] * i50;
    const T i52 = multiply_add(values[25], i44, i51);
    const T i53 = multiply_add(values[2], i50, -i48);
    const T i54 = 0.6666667f * i53;
    const T i55 = multiply_add(-i34, values[28], i52);
    const T i56 = multiply_add(i30, values[28], i55);
    const T i57 = i17 * values[30];
    const T i58 = multiply_add(i19, values[32], i57);
    const T i59 = multiply_add(i21, values[33], i58);
    const T i60 = multiply_add(i23, values[34], i59);
    const T i61 = multiply_add(i25, values[35], i60);
    const T i62 = multiply_add(i27, values[36], i61);
    const T i63 = multiply_add(i29, values[37], i62);
    const T i64 = 1.5f * i5;
    const T i65 = multiply_add(7.5f, i4, i64);
    const T i66 = multiply_add(i7, i65, -1.5f);
    const T i67 = multiply_add(2.0416667f, i6, i66);
    const T i68 = multiply_add(i9, i67, -i65);
    const T i69 = multiply_add(7.7044897f, i8, i68);
    const T i70 = multiply_add(i11, i69, -i67);
    const T i71 = multiply_add(2.058045f, i10, i70);
    const T i72 = multiply_add(i13, i71, -i69);
    const T i73 = multiply_add(7.7309976f, i12, i72);
    const T i74 = multiply_add(i15, i73, -i71);
    const T i75 = multiply_add(2.061729f, i14, i74);
    const T i76 = columns[5] * values[15];
    const T i77 = 1.5f * i76;
    const T i78 = columns[6] * values[16];
    const T i79 = multiply_add(i78, i65, i77);
    const T i80 = columns[7] * values[17];
    const T i81 = multiply_add(i80, i67, i79);
    const T i82 = columns[8] * values[18];
    const T i83 = multiply_add(i82, i69, i81);
    const T i84 = columns[9] * values[19];
    const T i85 = multiply_add(i84, i71, i83);
    const T i86 = columns[10] * values[20];
    const T i87 = multiply_add(i86, i73, i85);
    const T i88 = columns[11] * values[21];
    const T i89 = multiply_add(i88, i75, i87);
    const T i90 = i2 * 2.0f;
    const T i91 = i89 * i90;
    const T i92 = values[31] * i63;
    const T i93 = multiply_add(i54, values[30], i92);
    const T i94 = multiply_add(values[31], i91, -i47);
    const T i95 = columns[2] * i94;
    const T i96 = columns[1] * i94;
    const T i97 = columns[0] * i94;
    const T i98 = multiply_add(columns[12], values[27], -i41);
    const T i99 = multiply_add(-values[0], i38, values[0]);
    const T i100 = i96 * values[8];
    const T i101 = multiply_add(i97, values[7], i100);
    const T i102 = multiply_add(i95, values[9], i101);
    const T i103 = i96 * values[11];
    const T i104 = multiply_add(i97, values[10], i103);
    const T i105 = multiply_add(i95, values[12], i104);
    derivatives[0] = i39;
    derivatives[1] = i98;
    derivatives[2] = i56;
    derivatives[3] = i93;
    derivatives[4] = i102;
    derivatives[5] = i105;
    derivatives[6] = i99;
    return i40;
  }
};

// noddi-watson-exvivo, stage 2 of 2: s0, fwf, ndi, kappa, mu, dot_fraction.
struct Stage22_f32 {
  typedef float T;
  static const unsigned NUMBERS = 8, MAPS = 0, UNKNOWNS = 7, ORIENTATIONS = 1, COLUMNS = 15, VALUES = 42;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; case 6: return 7; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; case 6: return -1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; case 6: return -1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = across[0][0][0];
    const T v9 = across[0][0][1];
    const T v10 = across[0][0][2];
    const T v11 = across[0][1][0];
    const T v12 = across[0][1][1];
    const T v13 = across[0][1][2];
    const T v14 = 1.0f - v7;
    const T v15 = 1.0f - v1;
    T m16[11];
    watson_moments(v3, m16);
    const T v27 = 1.0f - v2;
    const T v28 = multiply_add(m16[1], 0.6666667f, 0.33333334f);
    const T v29 = 1.0f + v28;
    const T v30 = v2 * v29;
    const T v31 = v30 / 2.0f;
    const T v32 = 1.0f - v31;
    const T v33 = 1.0f - v28;
    const T v34 = multiply_add(-v2, v33, 1.0f);
    const T v35 = v34 - v32;
    const T v36 = v0 * v14;
    const T v37 = v15 * v36;
    const T v38 = v27 * v37;
    const T v39 = m16[1] * m16[1];
    const T v40 = m16[1] * 0.1904762f;
    const T v41 = multiply_add(m16[2], 0.34285715f, v40);
    const T v42 = 0.13333334f + v41;
    const T v43 = multiply_add(-0.6666667f, v39, v42);
    const T v44 = v2 * v37;
    const T v45 = m16[1] * m16[2];
    const T v46 = m16[2] * 0.17316018f;
    const T v47 = multiply_add(m16[3], 0.3030303f, v46);
    const T v48 = multiply_add(m16[1], 0.1904762f, v47);
    const T v49 = multiply_add(-0.6666667f, v45, v48);
    const T v50 = m16[1] * m16[3];
    const T v51 = m16[3] * 0.16969697f;
    const T v52 = multiply_add(m16[4], 0.2871795f, v51);
    const T v53 = multiply_add(m16[2], 0.20979021f, v52);
    const T v54 = multiply_add(-0.6666667f, v50, v53);
    const T v55 = m16[1] * m16[4];
    const T v56 = m16[4] * 0.16842106f;
    const T v57 = multiply_add(m16[5], 0.27863777f, v56);
    const T v58 = multiply_add(m16[3], 0.21960784f, v57);
    const T v59 = multiply_add(-0.6666667f, v55, v58);
    const T v60 = m16[1] * m16[5];
    const T v61 = m16[5] * 0.16781083f;
    const T v62 = multiply_add(m16[6], 0.27329192f, v61);
    const T v63 = multiply_add(m16[4], 0.22556391f, v62);
    const T v64 = multiply_add(-0.6666667f, v60, v63);
    const T v65 = m16[1] * m16[6];
    const T v66 = m16[6] * 0.16747183f;
    const T v67 = multiply_add(m16[7], 0.26962963f, v66);
    const T v68 = multiply_add(m16[5], 0.22956522f, v67);
    const T v69 = multiply_add(-0.6666667f, v65, v68);
    const T v70 = m16[1] * m16[7];
    const T v71 = m16[7] * 0.16726404f;
    const T v72 = multiply_add(m16[8], 0.2669633f, v71);
    const T v73 = multiply_add(m16[6], 0.23243934f, v72);
    const T v74 = multiply_add(-0.6666667f, v70, v73);
    const T v75 = m16[1] * m16[8];
    const T v76 = m16[8] * 0.16712749f;
    const T v77 = multiply_add(m16[9], 0.26493508f, v76);
    const T v78 = multiply_add(m16[7], 0.2346041f, v77);
    const T v79 = multiply_add(-0.6666667f, v75, v78);
    const T v80 = m16[1] * m16[9];
    const T v81 = m16[9] * 0.16703297f;
    const T v82 = multiply_add(0.26334026f, m16[10], v81);
    const T v83 = multiply_add(m16[8], 0.23629344f, v82);
    const T v84 = multiply_add(-0.6666667f, v80, v83);
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
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
    values[15] = m16[1];
    values[16] = m16[2];
    values[17] = m16[3];
    values[18] = m16[4];
    values[19] = m16[5];
    values[20] = m16[6];
    values[21] = m16[7];
    values[22] = m16[8];
    values[23] = m16[9];
    values[24] = v27;
    values[25] = v29;
    values[26] = v32;
    values[27] = v33;
    values[28] = v35;
    values[29] = v36;
    values[30] = v37;
    values[31] = v38;
    values[32] = v43;
    values[33] = v44;
    values[34] = v49;
    values[35] = v54;
    values[36] = v59;
    values[37] = v64;
    values[38] = v69;
    values[39] = v74;
    values[40] = v79;
    values[41] = v84;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
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
    const T i22 = multiply_add(i21, values[15], columns[4]);
    const T i23 = i6 * columns[6];
    const T i24 = multiply_add(i23, values[16], i22);
    const T i25 = i8 * columns[7];
    const T i26 = multiply_add(i25, values[17], i24);
    const T i27 = i10 * columns[8];
    const T i28 = multiply_add(i27, values[18], i26);
    const T i29 = i12 * columns[9];
    const T i30 = multiply_add(i29, values[19], i28);
    const T i31 = i14 * columns[10];
    const T i32 = multiply_add(i31, values[20], i30);
    const T i33 = i16 * columns[11];
    const T i34 = multiply_add(i33, values[21], i32);
    const T i35 = i18 * columns[12];
    const T i36 = multiply_add(i35, values[22], i34);
    const T i37 = i20 * columns[13];
    const T i38 = multiply_add(i37, values[23], i36);
    const T i39 = multiply_add(i3, values[28], values[26]);
    const T i40 = columns[3] * i39;
    const T i41 = -i40;
    const T i42 = exponential(i41);
    const T i43 = values[24] * i42;
    const T i44 = multiply_add(values[2], i38, i43);
    const T i45 = values[1] * columns[14];
    const T i46 = multiply_add(values[14], i44, i45);
    const T i47 = multiply_add(values[13], i46, values[6]);
    const T i48 = values[0] * i47;
    const T i49 = i44 * values[29];
    const T i50 = i42 * values[31];
    const T i51 = columns[3] * i50;
    const T i52 = i3 * i51;
    const T i53 = values[28] * i51;
    const T i54 = i2 * i53;
    const T i55 = i54 + i54;
    const T i56 = values[2] * i52;
    const T i57 = i51 - i52;
    const T i58 = i57 * 0.5f;
    const T i59 = values[25] * i58;
    const T i60 = multiply_add(values[27], i52, i59);
    const T i61 = multiply_add(values[2], i58, -i56);
    const T i62 = 0.6666667f * i61;
    const T i63 = multiply_add(-i42, values[30], i60);
    const T i64 = multiply_add(i38, values[30], i63);
    const T i65 = i21 * values[32];
    const T i66 = multiply_add(i23, values[34], i65);
    const T i67 = multiply_add(i25, values[35], i66);
    const T i68 = multiply_add(i27, values[36], i67);
    const T i69 = multiply_add(i29, values[37], i68);
    const T i70 = multiply_add(i31, values[38], i69);
    const T i71 = multiply_add(i33, values[39], i70);
    const T i72 = multiply_add(i35, values[40], i71);
    const T i73 = multiply_add(i37, values[41], i72);
    const T i74 = 1.5f * i5;
    const T i75 = multiply_add(7.5f, i4, i74);
    const T i76 = multiply_add(i7, i75, -1.5f);
    const T i77 = multiply_add(2.0416667f, i6, i76);
    const T i78 = multiply_add(i9, i77, -i75);
    const T i79 = multiply_add(7.7044897f, i8, i78);
    const T i80 = multiply_add(i11, i79, -i77);
    const T i81 = multiply_add(2.058045f, i10, i80);
    const T i82 = multiply_add(i13, i81, -i79);
    const T i83 = multiply_add(7.7309976f, i12, i82);
    const T i84 = multiply_add(i15, i83, -i81);
    const T i85 = multiply_add(2.061729f, i14, i84);
    const T i86 = multiply_add(i17, i85, -i83);
    const T i87 = multiply_add(7.739113f, i16, i86);
    const T i88 = multiply_add(i19, i87, -i85);
    const T i89 = multiply_add(2.0631065f, i18, i88);
    const T i90 = columns[5] * values[15];
    const T i91 = 1.5f * i90;
    const T i92 = columns[6] * values[16];
    const T i93 = multiply_add(i92, i75, i91);
    const T i94 = columns[7] * values[17];
    const T i95 = multiply_add(i94, i77, i93);
    const T i96 = columns[8] * values[18];
    const T i97 = multiply_add(i96, i79, i95);
    const T i98 = columns[9] * values[19];
    const T i99 = multiply_add(i98, i81, i97);
    const T i100 = columns[10] * values[20];
    const T i101 = multiply_add(i100, i83, i99);
    const T i102 = columns[11] * values[21];
    const T i103 = multiply_add(i102, i85, i101);
    const T i104 = columns[12] * values[22];
    const T i105 = multiply_add(i104, i87, i103);
    const T i106 = columns[13] * values[23];
    const T i107 = multiply_add(i106, i89, i105);
    const T i108 = i2 * 2.0f;
    const T i109 = i107 * i108;
    const T i110 = values[33] * i73;
    const T i111 = multiply_add(i62, values[32], i110);
    const T i112 = multiply_add(values[33], i109, -i55);
    const T i113 = columns[2] * i112;
    const T i114 = columns[1] * i112;
    const T i115 = columns[0] * i112;
    const T i116 = multiply_add(columns[14], values[29], -i49);
    const T i117 = multiply_add(-values[0], i46, values[0]);
    const T i118 = i114 * values[8];
    const T i119 = multiply_add(i115, values[7], i118);
    const T i120 = multiply_add(i113, values[9], i119);
    const T i121 = i114 * values[11];
    const T i122 = multiply_add(i115, values[10], i121);
    const T i123 = multiply_add(i113, values[12], i122);
    derivatives[0] = i47;
    derivatives[1] = i116;
    derivatives[2] = i64;
    derivatives[3] = i111;
    derivatives[4] = i120;
    derivatives[5] = i123;
    derivatives[6] = i117;
    return i48;
  }
};

#define SEARCHES_F32(KERNEL) KERNEL(float, f32, 1) KERNEL(float, f32, 3) KERNEL(float, f32, 5) KERNEL(float, f32, 7) KERNEL(float, f32, 9) KERNEL(float, f32, 11) KERNEL(float, f32, 13) KERNEL(float, f32, 14) KERNEL(float, f32, 19) KERNEL(float, f32, 20)

#define FITS_F32(KERNEL) KERNEL(float, f32, 0) KERNEL(float, f32, 2) KERNEL(float, f32, 4) KERNEL(float, f32, 6) KERNEL(float, f32, 8) KERNEL(float, f32, 10) KERNEL(float, f32, 12) KERNEL(float, f32, 15) KERNEL(float, f32, 16) KERNEL(float, f32, 17) KERNEL(float, f32, 18) KERNEL(float, f32, 21) KERNEL(float, f32, 22)

// tensor-nonlinear, stage 1 of 1: s0, dxx, dyy, dzz, dxy, dxz, dyz.
struct Stage0_f64 {
  typedef double T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 7, ORIENTATIONS = 0, COLUMNS = 7, VALUES = 7;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 5; case 6: return 6; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return -1; case 5: return -1; case 6: return -1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return -1; case 5: return -1; case 6: return -1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
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
    const T i10 = columns[0] * i9;
    const T i11 = columns[6] * i10;
    const T i12 = -i11;
    const T i13 = columns[5] * i10;
    const T i14 = -i13;
    const T i15 = columns[4] * i10;
    const T i16 = -i15;
    const T i17 = columns[3] * i10;
    const T i18 = -i17;
    const T i19 = columns[2] * i10;
    const T i20 = -i19;
    const T i21 = columns[1] * i10;
    const T i22 = -i21;
    derivatives[0] = i8;
    derivatives[1] = i22;
    derivatives[2] = i20;
    derivatives[3] = i18;
    derivatives[4] = i16;
    derivatives[5] = i14;
    derivatives[6] = i12;
    return i9;
  }
};

// ball-1-stick, stage 1 of 2: d, f.
struct Stage1_f64 {
  typedef double T;
  static const unsigned NUMBERS = 6, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 7;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = 1.0 - v2;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[6], i2, i10);
    const T i12 = values[0] * i11;
    return i12;
  }
};

// ball-1-stick, stage 2 of 2: s0, d, f, n.
struct Stage2_f64 {
  typedef double T;
  static const unsigned NUMBERS = 6, MAPS = 0, UNKNOWNS = 5, ORIENTATIONS = 1, COLUMNS = 4, VALUES = 15;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 3; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 0; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = across[0][0][0];
    const T v7 = across[0][0][1];
    const T v8 = across[0][0][2];
    const T v9 = across[0][1][0];
    const T v10 = across[0][1][1];
    const T v11 = across[0][1][2];
    const T v12 = 1.0 - v2;
    const T v13 = v0 * v2;
    const T v14 = v0 * v12;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v9;
    values[10] = v10;
    values[11] = v11;
    values[12] = v12;
    values[13] = v13;
    values[14] = v14;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[12], i2, i10);
    const T i12 = values[0] * i11;
    const T i13 = i9 * values[13];
    const T i14 = i0 * i13;
    const T i15 = i5 * i14;
    const T i16 = i15 + i15;
    const T i17 = columns[3] * i16;
    const T i18 = columns[2] * i16;
    const T i19 = columns[1] * i16;
    const T i20 = values[0] * i2;
    const T i21 = i2 * values[14];
    const T i22 = multiply_add(i6, i13, i21);
    const T i23 = columns[0] * i22;
    const T i24 = -i23;
    const T i25 = multiply_add(values[0], i9, -i20);
    const T i26 = i18 * values[7];
    const T i27 = multiply_add(i19, values[6], i26);
    const T i28 = multiply_add(i17, values[8], i27);
    const T i29 = -i28;
    const T i30 = i18 * values[10];
    const T i31 = multiply_add(i19, values[9], i30);
    const T i32 = multiply_add(i17, values[11], i31);
    const T i33 = -i32;
    derivatives[0] = i11;
    derivatives[1] = i24;
    derivatives[2] = i25;
    derivatives[3] = i29;
    derivatives[4] = i33;
    return i12;
  }
};

// ball-2-sticks, stage 1 of 2: f1, f2, n2.
struct Stage3_f64 {
  typedef double T;
  static const unsigned NUMBERS = 10, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 11;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v10 = 1.0 - v2;
    const T v11 = v10 - v6;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v9;
    values[10] = v11;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[10], i2, i10);
    const T i12 = columns[2] * values[8];
    const T i13 = multiply_add(columns[1], values[7], i12);
    const T i14 = multiply_add(columns[3], values[9], i13);
    const T i15 = i14 * i14;
    const T i16 = i0 * i15;
    const T i17 = -i16;
    const T i18 = exponential(i17);
    const T i19 = multiply_add(values[6], i18, i11);
    const T i20 = values[0] * i19;
    return i20;
  }
};

// ball-2-sticks, stage 2 of 2: s0, d, f1, n1, f2, n2.
struct Stage4_f64 {
  typedef double T;
  static const unsigned NUMBERS = 10, MAPS = 0, UNKNOWNS = 8, ORIENTATIONS = 2, COLUMNS = 4, VALUES = 26;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 3; case 5: return 6; case 6: return 7; case 7: return 7; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 1; case 5: return -1; case 6: return 0; case 7: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 0; case 5: return -1; case 6: return 1; case 7: return 1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v10 = across[0][0][0];
    const T v11 = across[0][0][1];
    const T v12 = across[0][0][2];
    const T v13 = across[0][1][0];
    const T v14 = across[0][1][1];
    const T v15 = across[0][1][2];
    const T v16 = across[1][0][0];
    const T v17 = across[1][0][1];
    const T v18 = across[1][0][2];
    const T v19 = across[1][1][0];
    const T v20 = across[1][1][1];
    const T v21 = across[1][1][2];
    const T v22 = 1.0 - v2;
    const T v23 = v22 - v6;
    const T v24 = v0 * v6;
    const T v25 = v0 * v2;
    const T v26 = v0 * v23;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v9;
    values[10] = v10;
    values[11] = v11;
    values[12] = v12;
    values[13] = v13;
    values[14] = v14;
    values[15] = v15;
    values[16] = v16;
    values[17] = v17;
    values[18] = v18;
    values[19] = v19;
    values[20] = v20;
    values[21] = v21;
    values[22] = v23;
    values[23] = v24;
    values[24] = v25;
    values[25] = v26;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[22], i2, i10);
    const T i12 = columns[2] * values[8];
    const T i13 = multiply_add(columns[1], values[7], i12);
    const T i14 = multiply_add(columns[3], values[9], i13);
    const T i15 = i14 * i14;
    const T i16 = i0 * i15;
    const T i17 = -i16;
    const T i18 = exponential(i17);
    const T i19 = multiply_add(values[6], i18, i11);
    const T i20 = values[0] * i19;
    const T i21 = i18 * values[23];
    const T i22 = i0 * i21;
    const T i23 = i14 * i22;
    const T i24 = i23 + i23;
    const T i25 = columns[3] * i24;
    const T i26 = columns[2] * i24;
    const T i27 = columns[1] * i24;
    const T i28 = i9 * values[24];
    const T i29 = i6 * i28;
    const T i30 = multiply_add(i15, i21, i29);
    const T i31 = i0 * i28;
    const T i32 = i5 * i31;
    const T i33 = i32 + i32;
    const T i34 = columns[3] * i33;
    const T i35 = columns[2] * i33;
    const T i36 = columns[1] * i33;
    const T i37 = values[0] * i2;
    const T i38 = multiply_add(i2, values[25], i30);
    const T i39 = columns[0] * i38;
    const T i40 = -i39;
    const T i41 = multiply_add(values[0], i18, -i37);
    const T i42 = multiply_add(values[0], i9, -i37);
    const T i43 = i35 * values[11];
    const T i44 = multiply_add(i36, values[10], i43);
    const T i45 = multiply_add(i34, values[12], i44);
    const T i46 = -i45;
    const T i47 = i35 * values[14];
    const T i48 = multiply_add(i36, values[13], i47);
    const T i49 = multiply_add(i34, values[15], i48);
    const T i50 = -i49;
    const T i51 = i26 * values[17];
    const T i52 = multiply_add(i27, values[16], i51);
    const T i53 = multiply_add(i25, values[18], i52);
    const T i54 = -i53;
    const T i55 = i26 * values[20];
    const T i56 = multiply_add(i27, values[19], i55);
    const T i57 = multiply_add(i25, values[21], i56);
    const T i58 = -i57;
    derivatives[0] = i19;
    derivatives[1] = i40;
    derivatives[2] = i42;
    derivatives[3] = i46;
    derivatives[4] = i50;
    derivatives[5] = i41;
    derivatives[6] = i54;
    derivatives[7] = i58;
    return i20;
  }
};

// ball-3-sticks, stage 1 of 2: f1, f2, f3, n3.
struct Stage5_f64 {
  typedef double T;
  static const unsigned NUMBERS = 14, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 15;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v14 = 1.0 - v2;
    const T v15 = v14 - v6;
    const T v16 = v15 - v10;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v9;
    values[10] = v10;
    values[11] = v11;
    values[12] = v12;
    values[13] = v13;
    values[14] = v16;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[14], i2, i10);
    const T i12 = columns[2] * values[8];
    const T i13 = multiply_add(columns[1], values[7], i12);
    const T i14 = multiply_add(columns[3], values[9], i13);
    const T i15 = i14 * i14;
    const T i16 = i0 * i15;
    const T i17 = -i16;
    const T i18 = exponential(i17);
    const T i19 = multiply_add(values[6], i18, i11);
    const T i20 = columns[2] * values[12];
    const T i21 = multiply_add(columns[1], values[11], i20);
    const T i22 = multiply_add(columns[3], values[13], i21);
    const T i23 = i22 * i22;
    const T i24 = i0 * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[10], i26, i19);
    const T i28 = values[0] * i27;
    return i28;
  }
};

// ball-3-sticks, stage 2 of 2: s0, d, f1, n1, f2, n2, f3, n3.
struct Stage6_f64 {
  typedef double T;
  static const unsigned NUMBERS = 14, MAPS = 0, UNKNOWNS = 11, ORIENTATIONS = 3, COLUMNS = 4, VALUES = 37;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 3; case 5: return 6; case 6: return 7; case 7: return 7; case 8: return 10; case 9: return 11; case 10: return 11; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 1; case 5: return -1; case 6: return 0; case 7: return 1; case 8: return -1; case 9: return 0; case 10: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return 0; case 4: return 0; case 5: return -1; case 6: return 1; case 7: return 1; case 8: return -1; case 9: return 2; case 10: return 2; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v14 = across[0][0][0];
    const T v15 = across[0][0][1];
    const T v16 = across[0][0][2];
    const T v17 = across[0][1][0];
    const T v18 = across[0][1][1];
    const T v19 = across[0][1][2];
    const T v20 = across[1][0][0];
    const T v21 = across[1][0][1];
    const T v22 = across[1][0][2];
    const T v23 = across[1][1][0];
    const T v24 = across[1][1][1];
    const T v25 = across[1][1][2];
    const T v26 = across[2][0][0];
    const T v27 = across[2][0][1];
    const T v28 = across[2][0][2];
    const T v29 = across[2][1][0];
    const T v30 = across[2][1][1];
    const T v31 = across[2][1][2];
    const T v32 = 1.0 - v2;
    const T v33 = v32 - v6;
    const T v34 = v33 - v10;
    const T v35 = v0 * v10;
    const T v36 = v0 * v6;
    const T v37 = v0 * v2;
    const T v38 = v0 * v34;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v3;
    values[4] = v4;
    values[5] = v5;
    values[6] = v6;
    values[7] = v7;
    values[8] = v8;
    values[9] = v9;
    values[10] = v10;
    values[11] = v11;
    values[12] = v12;
    values[13] = v13;
    values[14] = v14;
    values[15] = v15;
    values[16] = v16;
    values[17] = v17;
    values[18] = v18;
    values[19] = v19;
    values[20] = v20;
    values[21] = v21;
    values[22] = v22;
    values[23] = v23;
    values[24] = v24;
    values[25] = v25;
    values[26] = v26;
    values[27] = v27;
    values[28] = v28;
    values[29] = v29;
    values[30] = v30;
    values[31] = v31;
    values[32] = v34;
    values[33] = v35;
    values[34] = v36;
    values[35] = v37;
    values[36] = v38;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[1];
    const T i1 = -i0;
    const T i2 = exponential(i1);
    const T i3 = columns[2] * values[4];
    const T i4 = multiply_add(columns[1], values[3], i3);
    const T i5 = multiply_add(columns[3], values[5], i4);
    const T i6 = i5 * i5;
    const T i7 = i0 * i6;
    const T i8 = -i7;
    const T i9 = exponential(i8);
    const T i10 = values[2] * i9;
    const T i11 = multiply_add(values[32], i2, i10);
    const T i12 = columns[2] * values[8];
    const T i13 = multiply_add(columns[1], values[7], i12);
    const T i14 = multiply_add(columns[3], values[9], i13);
    const T i15 = i14 * i14;
    const T i16 = i0 * i15;
    const T i17 = -i16;
    const T i18 = exponential(i17);
    const T i19 = multiply_add(values[6], i18, i11);
    const T i20 = columns[2] * values[12];
    const T i21 = multiply_add(columns[1], values[11], i20);
    const T i22 = multiply_add(columns[3], values[13], i21);
    const T i23 = i22 * i22;
    const T i24 = i0 * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[10], i26, i19);
    const T i28 = values[0] * i27;
    const T i29 = i26 * values[33];
    const T i30 = i0 * i29;
    const T i31 = i22 * i30;
    const T i32 = i31 + i31;
    const T i33 = columns[3] * i32;
    const T i34 = columns[2] * i32;
    const T i35 = columns[1] * i32;
    const T i36 = i18 * values[34];
    const T i37 = i15 * i36;
    const T i38 = multiply_add(i23, i29, i37);
    const T i39 = i0 * i36;
    const T i40 = i14 * i39;
    const T i41 = i40 + i40;
    const T i42 = columns[3] * i41;
    const T i43 = columns[2] * i41;
    const T i44 = columns[1] * i41;
    const T i45 = i9 * values[35];
    const T i46 = multiply_add(i6, i45, i38);
    const T i47 = i0 * i45;
    const T i48 = i5 * i47;
    const T i49 = i48 + i48;
    const T i50 = columns[3] * i49;
    const T i51 = columns[2] * i49;
    const T i52 = columns[1] * i49;
    const T i53 = values[0] * i2;
    const T i54 = multiply_add(i2, values[36], i46);
    const T i55 = columns[0] * i54;
    const T i56 = -i55;
    const T i57 = multiply_add(values[0], i26, -i53);
    const T i58 = multiply_add(values[0], i18, -i53);
    const T i59 = multiply_add(values[0], i9, -i53);
    const T i60 = i51 * values[15];
    const T i61 = multiply_add(i52, values[14], i60);
    const T i62 = multiply_add(i50, values[16], i61);
    const T i63 = -i62;
    const T i64 = i51 * values[18];
    const T i65 = multiply_add(i52, values[17], i64);
    const T i66 = multiply_add(i50, values[19], i65);
    const T i67 = -i66;
    const T i68 = i43 * values[21];
    const T i69 = multiply_add(i44, values[20], i68);
    const T i70 = multiply_add(i42, values[22], i69);
    const T i71 = -i70;
    const T i72 = i43 * values[24];
    const T i73 = multiply_add(i44, values[23], i72);
    const T i74 = multiply_add(i42, values[25], i73);
    const T i75 = -i74;
    const T i76 = i34 * values[27];
    const T i77 = multiply_add(i35, values[26], i76);
    const T i78 = multiply_add(i33, values[28], i77);
    const T i79 = -i78;
    const T i80 = i34 * values[30];
    const T i81 = multiply_add(i35, values[29], i80);
    const T i82 = multiply_add(i33, values[31], i81);
    const T i83 = -i82;
    derivatives[0] = i27;
    derivatives[1] = i56;
    derivatives[2] = i59;
    derivatives[3] = i63;
    derivatives[4] = i67;
    derivatives[5] = i58;
    derivatives[6] = i71;
    derivatives[7] = i75;
    derivatives[8] = i57;
    derivatives[9] = i79;
    derivatives[10] = i83;
    return i28;
  }
};

// ball-1-stick-gamma, stage 1 of 2: d, d_std, f.
struct Stage7_f64 {
  typedef double T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 9;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0 - v3;
    const T v8 = v1 / v2;
    const T v9 = v8 * v8;
    const T v10 = v2 * v2;
    const T v11 = 1.0 / v1;
    values[0] = v0;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v7;
    values[6] = v9;
    values[7] = v10;
    values[8] = v11;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[7];
    const T i1 = i0 * values[8];
    const T i2 = 1.0 + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[6] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[3];
    const T i8 = multiply_add(columns[1], values[2], i7);
    const T i9 = multiply_add(columns[3], values[4], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0);
    const T i12 = logarithm(i11);
    const T i13 = values[6] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[1] * i15;
    const T i17 = multiply_add(values[5], i6, i16);
    const T i18 = values[0] * i17;
    return i18;
  }
};

// ball-1-stick-gamma, stage 2 of 2: s0, d, d_std, f, n.
struct Stage8_f64 {
  typedef double T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 6, ORIENTATIONS = 1, COLUMNS = 4, VALUES = 21;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = across[0][0][0];
    const T v8 = across[0][0][1];
    const T v9 = across[0][0][2];
    const T v10 = across[0][1][0];
    const T v11 = across[0][1][1];
    const T v12 = across[0][1][2];
    const T v13 = 1.0 - v3;
    const T v14 = v1 / v2;
    const T v15 = v14 * v14;
    const T v16 = v2 * v2;
    const T v17 = 1.0 / v1;
    const T v18 = v0 * v3;
    const T v19 = v0 * v13;
    const T v20 = 1.0 / v2;
    const T v21 = v14 * v20;
    values[0] = v0;
    values[1] = v2;
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
    values[15] = v16;
    values[16] = v17;
    values[17] = v18;
    values[18] = v19;
    values[19] = v20;
    values[20] = v21;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[15];
    const T i1 = i0 * values[16];
    const T i2 = 1.0 + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[14] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[4];
    const T i8 = multiply_add(columns[1], values[3], i7);
    const T i9 = multiply_add(columns[3], values[5], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0);
    const T i12 = logarithm(i11);
    const T i13 = values[14] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[2] * i15;
    const T i17 = multiply_add(values[12], i6, i16);
    const T i18 = values[0] * i17;
    const T i19 = i15 * values[17];
    const T i20 = values[14] * i19;
    const T i21 = 1.0 / i11;
    const T i22 = i20 * i21;
    const T i23 = i1 * i22;
    const T i24 = i9 * i23;
    const T i25 = i24 + i24;
    const T i26 = columns[3] * i25;
    const T i27 = columns[2] * i25;
    const T i28 = columns[1] * i25;
    const T i29 = values[0] * i6;
    const T i30 = i6 * values[18];
    const T i31 = i3 * i30;
    const T i32 = multiply_add(i12, i19, i31);
    const T i33 = values[14] * i30;
    const T i34 = 1.0 / i2;
    const T i35 = i33 * i34;
    const T i36 = multiply_add(i10, i22, i35);
    const T i37 = values[16] * i1;
    const T i38 = values[16] * i36;
    const T i39 = columns[0] * i38;
    const T i40 = values[1] * i39;
    const T i41 = i40 + i40;
    const T i42 = values[13] * i32;
    const T i43 = i42 + i42;
    const T i44 = i43 * values[19];
    const T i45 = multiply_add(i36, i37, -i44);
    const T i46 = multiply_add(i43, values[20], -i41);
    const T i47 = multiply_add(values[0], i15, -i29);
    const T i48 = i27 * values[7];
    const T i49 = multiply_add(i28, values[6], i48);
    const T i50 = multiply_add(i26, values[8], i49);
    const T i51 = -i50;
    const T i52 = i27 * values[10];
    const T i53 = multiply_add(i28, values[9], i52);
    const T i54 = multiply_add(i26, values[11], i53);
    const T i55 = -i54;
    derivatives[0] = i17;
    derivatives[1] = i45;
    derivatives[2] = i46;
    derivatives[3] = i47;
    derivatives[4] = i51;
    derivatives[5] = i55;
    return i18;
  }
};

// ball-2-sticks-gamma, stage 1 of 2: f1, f2, n2.
struct Stage9_f64 {
  typedef double T;
  static const unsigned NUMBERS = 11, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 13;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v11 = 1.0 - v3;
    const T v12 = v11 - v7;
    const T v13 = v1 / v2;
    const T v14 = v13 * v13;
    const T v15 = v2 * v2;
    const T v16 = 1.0 / v1;
    values[0] = v0;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v7;
    values[6] = v8;
    values[7] = v9;
    values[8] = v10;
    values[9] = v12;
    values[10] = v14;
    values[11] = v15;
    values[12] = v16;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[11];
    const T i1 = i0 * values[12];
    const T i2 = 1.0 + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[10] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[3];
    const T i8 = multiply_add(columns[1], values[2], i7);
    const T i9 = multiply_add(columns[3], values[4], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0);
    const T i12 = logarithm(i11);
    const T i13 = values[10] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[1] * i15;
    const T i17 = multiply_add(values[9], i6, i16);
    const T i18 = columns[2] * values[7];
    const T i19 = multiply_add(columns[1], values[6], i18);
    const T i20 = multiply_add(columns[3], values[8], i19);
    const T i21 = i20 * i20;
    const T i22 = multiply_add(i1, i21, 1.0);
    const T i23 = logarithm(i22);
    const T i24 = values[10] * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[5], i26, i17);
    const T i28 = values[0] * i27;
    return i28;
  }
};

// ball-2-sticks-gamma, stage 2 of 2: s0, d, d_std, f1, n1, f2, n2.
struct Stage10_f64 {
  typedef double T;
  static const unsigned NUMBERS = 11, MAPS = 0, UNKNOWNS = 9, ORIENTATIONS = 2, COLUMNS = 4, VALUES = 32;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; case 6: return 7; case 7: return 8; case 8: return 8; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; case 6: return -1; case 7: return 0; case 8: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; case 6: return -1; case 7: return 1; case 8: return 1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v11 = across[0][0][0];
    const T v12 = across[0][0][1];
    const T v13 = across[0][0][2];
    const T v14 = across[0][1][0];
    const T v15 = across[0][1][1];
    const T v16 = across[0][1][2];
    const T v17 = across[1][0][0];
    const T v18 = across[1][0][1];
    const T v19 = across[1][0][2];
    const T v20 = across[1][1][0];
    const T v21 = across[1][1][1];
    const T v22 = across[1][1][2];
    const T v23 = 1.0 - v3;
    const T v24 = v23 - v7;
    const T v25 = v1 / v2;
    const T v26 = v25 * v25;
    const T v27 = v2 * v2;
    const T v28 = 1.0 / v1;
    const T v29 = v0 * v7;
    const T v30 = v0 * v3;
    const T v31 = v0 * v24;
    const T v32 = 1.0 / v2;
    const T v33 = v25 * v32;
    values[0] = v0;
    values[1] = v2;
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
    values[15] = v16;
    values[16] = v17;
    values[17] = v18;
    values[18] = v19;
    values[19] = v20;
    values[20] = v21;
    values[21] = v22;
    values[22] = v24;
    values[23] = v25;
    values[24] = v26;
    values[25] = v27;
    values[26] = v28;
    values[27] = v29;
    values[28] = v30;
    values[29] = v31;
    values[30] = v32;
    values[31] = v33;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[25];
    const T i1 = i0 * values[26];
    const T i2 = 1.0 + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[24] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[4];
    const T i8 = multiply_add(columns[1], values[3], i7);
    const T i9 = multiply_add(columns[3], values[5], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0);
    const T i12 = logarithm(i11);
    const T i13 = values[24] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[2] * i15;
    const T i17 = multiply_add(values[22], i6, i16);
    const T i18 = columns[2] * values[8];
    const T i19 = multiply_add(columns[1], values[7], i18);
    const T i20 = multiply_add(columns[3], values[9], i19);
    const T i21 = i20 * i20;
    const T i22 = multiply_add(i1, i21, 1.0);
    const T i23 = logarithm(i22);
    const T i24 = values[24] * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[6], i26, i17);
    const T i28 = values[0] * i27;
    const T i29 = i26 * values[27];
    const T i30 = values[24] * i29;
    const T i31 = 1.0 / i22;
    const T i32 = i30 * i31;
    const T i33 = i1 * i32;
    const T i34 = i20 * i33;
    const T i35 = i34 + i34;
    const T i36 = columns[3] * i35;
    const T i37 = columns[2] * i35;
    const T i38 = columns[1] * i35;
    const T i39 = i15 * values[28];
    const T i40 = i12 * i39;
    const T i41 = multiply_add(i23, i29, i40);
    const T i42 = values[24] * i39;
    const T i43 = 1.0 / i11;
    const T i44 = i42 * i43;
    const T i45 = i10 * i44;
    const T i46 = multiply_add(i21, i32, i45);
    const T i47 = i1 * i44;
    const T i48 = i9 * i47;
    const T i49 = i48 + i48;
    const T i50 = columns[3] * i49;
    const T i51 = columns[2] * i49;
    const T i52 = columns[1] * i49;
    const T i53 = values[0] * i6;
    const T i54 = i6 * values[29];
    const T i55 = multiply_add(i3, i54, i41);
    const T i56 = values[24] * i54;
    const T i57 = 1.0 / i2;
    const T i58 = multiply_add(i56, i57, i46);
    const T i59 = values[26] * i1;
    const T i60 = values[26] * i58;
    const T i61 = columns[0] * i60;
    const T i62 = values[1] * i61;
    const T i63 = i62 + i62;
    const T i64 = values[23] * i55;
    const T i65 = i64 + i64;
    const T i66 = i65 * values[30];
    const T i67 = multiply_add(i58, i59, -i66);
    const T i68 = multiply_add(i65, values[31], -i63);
    const T i69 = multiply_add(values[0], i26, -i53);
    const T i70 = multiply_add(values[0], i15, -i53);
    const T i71 = i51 * values[11];
    const T i72 = multiply_add(i52, values[10], i71);
    const T i73 = multiply_add(i50, values[12], i72);
    const T i74 = -i73;
    const T i75 = i51 * values[14];
    const T i76 = multiply_add(i52, values[13], i75);
    const T i77 = multiply_add(i50, values[15], i76);
    const T i78 = -i77;
    const T i79 = i37 * values[17];
    const T i80 = multiply_add(i38, values[16], i79);
    const T i81 = multiply_add(i36, values[18], i80);
    const T i82 = -i81;
    const T i83 = i37 * values[20];
    const T i84 = multiply_add(i38, values[19], i83);
    const T i85 = multiply_add(i36, values[21], i84);
    const T i86 = -i85;
    derivatives[0] = i27;
    derivatives[1] = i67;
    derivatives[2] = i68;
    derivatives[3] = i70;
    derivatives[4] = i74;
    derivatives[5] = i78;
    derivatives[6] = i69;
    derivatives[7] = i82;
    derivatives[8] = i86;
    return i28;
  }
};

// ball-3-sticks-gamma, stage 1 of 2: f1, f2, f3, n3.
struct Stage11_f64 {
  typedef double T;
  static const unsigned NUMBERS = 15, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 4, VALUES = 17;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v15 = 1.0 - v3;
    const T v16 = v15 - v7;
    const T v17 = v16 - v11;
    const T v18 = v1 / v2;
    const T v19 = v18 * v18;
    const T v20 = v2 * v2;
    const T v21 = 1.0 / v1;
    values[0] = v0;
    values[1] = v3;
    values[2] = v4;
    values[3] = v5;
    values[4] = v6;
    values[5] = v7;
    values[6] = v8;
    values[7] = v9;
    values[8] = v10;
    values[9] = v11;
    values[10] = v12;
    values[11] = v13;
    values[12] = v14;
    values[13] = v17;
    values[14] = v19;
    values[15] = v20;
    values[16] = v21;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[15];
    const T i1 = i0 * values[16];
    const T i2 = 1.0 + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[14] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[3];
    const T i8 = multiply_add(columns[1], values[2], i7);
    const T i9 = multiply_add(columns[3], values[4], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0);
    const T i12 = logarithm(i11);
    const T i13 = values[14] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[1] * i15;
    const T i17 = multiply_add(values[13], i6, i16);
    const T i18 = columns[2] * values[7];
    const T i19 = multiply_add(columns[1], values[6], i18);
    const T i20 = multiply_add(columns[3], values[8], i19);
    const T i21 = i20 * i20;
    const T i22 = multiply_add(i1, i21, 1.0);
    const T i23 = logarithm(i22);
    const T i24 = values[14] * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[5], i26, i17);
    const T i28 = columns[2] * values[11];
    const T i29 = multiply_add(columns[1], values[10], i28);
    const T i30 = multiply_add(columns[3], values[12], i29);
    const T i31 = i30 * i30;
    const T i32 = multiply_add(i1, i31, 1.0);
    const T i33 = logarithm(i32);
    const T i34 = values[14] * i33;
    const T i35 = -i34;
    const T i36 = exponential(i35);
    const T i37 = multiply_add(values[9], i36, i27);
    const T i38 = values[0] * i37;
    return i38;
  }
};

// ball-3-sticks-gamma, stage 2 of 2: s0, d, d_std, f1, n1, f2, n2, f3, n3.
struct Stage12_f64 {
  typedef double T;
  static const unsigned NUMBERS = 15, MAPS = 0, UNKNOWNS = 12, ORIENTATIONS = 3, COLUMNS = 4, VALUES = 43;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; case 6: return 7; case 7: return 8; case 8: return 8; case 9: return 11; case 10: return 12; case 11: return 12; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; case 6: return -1; case 7: return 0; case 8: return 1; case 9: return -1; case 10: return 0; case 11: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; case 6: return -1; case 7: return 1; case 8: return 1; case 9: return -1; case 10: return 2; case 11: return 2; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
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
    const T v15 = across[0][0][0];
    const T v16 = across[0][0][1];
    const T v17 = across[0][0][2];
    const T v18 = across[0][1][0];
    const T v19 = across[0][1][1];
    const T v20 = across[0][1][2];
    const T v21 = across[1][0][0];
    const T v22 = across[1][0][1];
    const T v23 = across[1][0][2];
    const T v24 = across[1][1][0];
    const T v25 = across[1][1][1];
    const T v26 = across[1][1][2];
    const T v27 = across[2][0][0];
    const T v28 = across[2][0][1];
    const T v29 = across[2][0][2];
    const T v30 = across[2][1][0];
    const T v31 = across[2][1][1];
    const T v32 = across[2][1][2];
    const T v33 = 1.0 - v3;
    const T v34 = v33 - v7;
    const T v35 = v34 - v11;
    const T v36 = v1 / v2;
    const T v37 = v36 * v36;
    const T v38 = v2 * v2;
    const T v39 = 1.0 / v1;
    const T v40 = v0 * v11;
    const T v41 = v0 * v7;
    const T v42 = v0 * v3;
    const T v43 = v0 * v35;
    const T v44 = 1.0 / v2;
    const T v45 = v36 * v44;
    values[0] = v0;
    values[1] = v2;
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
    values[15] = v16;
    values[16] = v17;
    values[17] = v18;
    values[18] = v19;
    values[19] = v20;
    values[20] = v21;
    values[21] = v22;
    values[22] = v23;
    values[23] = v24;
    values[24] = v25;
    values[25] = v26;
    values[26] = v27;
    values[27] = v28;
    values[28] = v29;
    values[29] = v30;
    values[30] = v31;
    values[31] = v32;
    values[32] = v35;
    values[33] = v36;
    values[34] = v37;
    values[35] = v38;
    values[36] = v39;
    values[37] = v40;
    values[38] = v41;
    values[39] = v42;
    values[40] = v43;
    values[41] = v44;
    values[42] = v45;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[0] * values[35];
    const T i1 = i0 * values[36];
    const T i2 = 1.0 + i1;
    const T i3 = logarithm(i2);
    const T i4 = values[34] * i3;
    const T i5 = -i4;
    const T i6 = exponential(i5);
    const T i7 = columns[2] * values[4];
    const T i8 = multiply_add(columns[1], values[3], i7);
    const T i9 = multiply_add(columns[3], values[5], i8);
    const T i10 = i9 * i9;
    const T i11 = multiply_add(i1, i10, 1.0);
    const T i12 = logarithm(i11);
    const T i13 = values[34] * i12;
    const T i14 = -i13;
    const T i15 = exponential(i14);
    const T i16 = values[2] * i15;
    const T i17 = multiply_add(values[32], i6, i16);
    const T i18 = columns[2] * values[8];
    const T i19 = multiply_add(columns[1], values[7], i18);
    const T i20 = multiply_add(columns[3], values[9], i19);
    const T i21 = i20 * i20;
    const T i22 = multiply_add(i1, i21, 1.0);
    const T i23 = logarithm(i22);
    const T i24 = values[34] * i23;
    const T i25 = -i24;
    const T i26 = exponential(i25);
    const T i27 = multiply_add(values[6], i26, i17);
    const T i28 = columns[2] * values[12];
    const T i29 = multiply_add(columns[1], values[11], i28);
    const T i30 = multiply_add(columns[3], values[13], i29);
    const T i31 = i30 * i30;
    const T i32 = multiply_add(i1, i31, 1.0);
    const T i33 = logarithm(i32);
    const T i34 = values[34] * i33;
    const T i35 = -i34;
    const T i36 = exponential(i35);
    const T i37 = multiply_add(values[10], i36, i27);
    const T i38 = values[0] * i37;
    const T i39 = i36 * values[37];
    const T i40 = values[34] * i39;
    const T i41 = 1.0 / i32;
    const T i42 = i40 * i41;
    const T i43 = i1 * i42;
    const T i44 = i30 * i43;
    const T i45 = i44 + i44;
    const T i46 = columns[3] * i45;
    const T i47 = columns[2] * i45;
    const T i48 = columns[1] * i45;
    const T i49 = i26 * values[38];
    const T i50 = i23 * i49;
    const T i51 = multiply_add(i33, i39, i50);
    const T i52 = values[34] * i49;
    const T i53 = 1.0 / i22;
    const T i54 = i52 * i53;
    const T i55 = i21 * i54;
    const T i56 = multiply_add(i31, i42, i55);
    const T i57 = i1 * i54;
    const T i58 = i20 * i57;
    const T i59 = i58 + i58;
    const T i60 = columns[3] * i59;
    const T i61 = columns[2] * i59;
    const T i62 = columns[1] * i59;
    const T i63 = i15 * values[39];
    const T i64 = multiply_add(i12, i63, i51);
    const T i65 = values[34] * i63;
    const T i66 = 1.0 / i11;
    const T i67 = i65 * i66;
    const T i68 = multiply_add(i10, i67, i56);
    const T i69 = i1 * i67;
    const T i70 = i9 * i69;
    const T i71 = i70 + i70;
    const T i72 = columns[3] * i71;
    const T i73 = columns[2] * i71;
    const T i74 = columns[1] * i71;
    const T i75 = values[0] * i6;
    const T i76 = i6 * values[40];
    const T i77 = multiply_add(i3, i76, i64);
    const T i78 = values[34] * i76;
    const T i79 = 1.0 / i2;
    const T i80 = multiply_add(i78, i79, i68);
    const T i81 = values[36] * i1;
    const T i82 = values[36] * i80;
    const T i83 = columns[0] * i82;
    const T i84 = values[1] * i83;
    const T i85 = i84 + i84;
    const T i86 = values[33] * i77;
    const T i87 = i86 + i86;
    const T i88 = i87 * values[41];
    const T i89 = multiply_add(i80, i81, -i88);
    const T i90 = multiply_add(i87, values[42], -i85);
    const T i91 = multiply_add(values[0], i36, -i75);
    const T i92 = multiply_add(values[0], i26, -i75);
    const T i93 = multiply_add(values[0], i15, -i75);
    const T i94 = i73 * values[15];
    const T i95 = multiply_add(i74, values[14], i94);
    const T i96 = multiply_add(i72, values[16], i95);
    const T i97 = -i96;
    const T i98 = i73 * values[18];
    const T i99 = multiply_add(i74, values[17], i98);
    const T i100 = multiply_add(i72, values[19], i99);
    const T i101 = -i100;
    const T i102 = i61 * values[21];
    const T i103 = multiply_add(i62, values[20], i102);
    const T i104 = multiply_add(i60, values[22], i103);
    const T i105 = -i104;
    const T i106 = i61 * values[24];
    const T i107 = multiply_add(i62, values[23], i106);
    const T i108 = multiply_add(i60, values[25], i107);
    const T i109 = -i108;
    const T i110 = i47 * values[27];
    const T i111 = multiply_add(i48, values[26], i110);
    const T i112 = multiply_add(i46, values[28], i111);
    const T i113 = -i112;
    const T i114 = i47 * values[30];
    const T i115 = multiply_add(i48, values[29], i114);
    const T i116 = multiply_add(i46, values[31], i115);
    const T i117 = -i116;
    derivatives[0] = i37;
    derivatives[1] = i89;
    derivatives[2] = i90;
    derivatives[3] = i93;
    derivatives[4] = i97;
    derivatives[5] = i101;
    derivatives[6] = i92;
    derivatives[7] = i105;
    derivatives[8] = i109;
    derivatives[9] = i91;
    derivatives[10] = i113;
    derivatives[11] = i117;
    return i38;
  }
};

// noddi-watson, stage 1 of 3: fwf, ndi, kappa.
struct Stage13_f64 {
  typedef double T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 23, VALUES = 27;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0 - v1;
    T m8[18];
    watson_moments(v3, m8);
    const T v26 = 1.0 - v2;
    const T v27 = multiply_add(m8[1], 0.6666666666666666, 0.3333333333333333);
    const T v28 = 1.0 + v27;
    const T v29 = v2 * v28;
    const T v30 = v29 / 2.0;
    const T v31 = 1.0 - v30;
    const T v32 = 1.0 - v27;
    const T v33 = multiply_add(-v2, v32, 1.0);
    const T v34 = v33 - v31;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = m8[1];
    values[8] = m8[2];
    values[9] = m8[3];
    values[10] = m8[4];
    values[11] = m8[5];
    values[12] = m8[6];
    values[13] = m8[7];
    values[14] = m8[8];
    values[15] = m8[9];
    values[16] = m8[10];
    values[17] = m8[11];
    values[18] = m8[12];
    values[19] = m8[13];
    values[20] = m8[14];
    values[21] = m8[15];
    values[22] = m8[16];
    values[23] = m8[17];
    values[24] = v26;
    values[25] = v31;
    values[26] = v34;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5, -0.5);
    const T i5 = multiply_add(i3, 7.5, -3.928571428571429);
    const T i6 = multiply_add(i5, i4, -1.0);
    const T i7 = multiply_add(i3, 2.041666666666667, -1.0340909090909092);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.704489795918367, -3.875591836734694);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058044938016529, -1.0326330741626795);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.730997728395061, -3.8743443993558775);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.0617289414718725, -1.032524477935189);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = multiply_add(i3, 7.739113064921658, -3.8741796585450117);
    const T i18 = multiply_add(i17, i16, -i14);
    const T i19 = multiply_add(i3, 2.063106514841305, -1.0325039977500725);
    const T i20 = multiply_add(i19, i18, -i16);
    const T i21 = multiply_add(i3, 7.7426075945573105, -3.8741399172766617);
    const T i22 = multiply_add(i21, i20, -i18);
    const T i23 = multiply_add(i3, 2.0637655205502368, -1.0324980749801125);
    const T i24 = multiply_add(i23, i22, -i20);
    const T i25 = multiply_add(i3, 7.7444214317592905, -3.874126703368948);
    const T i26 = multiply_add(i25, i24, -i22);
    const T i27 = multiply_add(i3, 2.064130618615462, -1.0324958747267161);
    const T i28 = multiply_add(i27, i26, -i24);
    const T i29 = multiply_add(i3, 7.745481348377315, -3.8741213304004893);
    const T i30 = multiply_add(i29, i28, -i26);
    const T i31 = multiply_add(i3, 2.064353656181045, -1.0324949103179775);
    const T i32 = multiply_add(i31, i30, -i28);
    const T i33 = multiply_add(i3, 7.746153662327358, -3.874118821163992);
    const T i34 = multiply_add(i33, i32, -i30);
    const T i35 = multiply_add(i3, 2.0644997675509487, -1.032494434802192);
    const T i36 = multiply_add(i35, i34, -i32);
    const T i37 = i4 * columns[5];
    const T i38 = multiply_add(i37, values[7], columns[4]);
    const T i39 = i6 * columns[6];
    const T i40 = multiply_add(i39, values[8], i38);
    const T i41 = i8 * columns[7];
    const T i42 = multiply_add(i41, values[9], i40);
    const T i43 = i10 * columns[8];
    const T i44 = multiply_add(i43, values[10], i42);
    const T i45 = i12 * columns[9];
    const T i46 = multiply_add(i45, values[11], i44);
    const T i47 = i14 * columns[10];
    const T i48 = multiply_add(i47, values[12], i46);
    const T i49 = i16 * columns[11];
    const T i50 = multiply_add(i49, values[13], i48);
    const T i51 = i18 * columns[12];
    const T i52 = multiply_add(i51, values[14], i50);
    const T i53 = i20 * columns[13];
    const T i54 = multiply_add(i53, values[15], i52);
    const T i55 = i22 * columns[14];
    const T i56 = multiply_add(i55, values[16], i54);
    const T i57 = i24 * columns[15];
    const T i58 = multiply_add(i57, values[17], i56);
    const T i59 = i26 * columns[16];
    const T i60 = multiply_add(i59, values[18], i58);
    const T i61 = i28 * columns[17];
    const T i62 = multiply_add(i61, values[19], i60);
    const T i63 = i30 * columns[18];
    const T i64 = multiply_add(i63, values[20], i62);
    const T i65 = i32 * columns[19];
    const T i66 = multiply_add(i65, values[21], i64);
    const T i67 = i34 * columns[20];
    const T i68 = multiply_add(i67, values[22], i66);
    const T i69 = i36 * columns[21];
    const T i70 = multiply_add(i69, values[23], i68);
    const T i71 = multiply_add(i3, values[26], values[25]);
    const T i72 = columns[3] * i71;
    const T i73 = -i72;
    const T i74 = exponential(i73);
    const T i75 = values[24] * i74;
    const T i76 = multiply_add(values[2], i70, i75);
    const T i77 = values[1] * columns[22];
    const T i78 = multiply_add(values[6], i76, i77);
    const T i79 = values[0] * i78;
    return i79;
  }
};

// noddi-watson, stage 2 of 3: fwf, ndi.
struct Stage15_f64 {
  typedef double T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 2, ORIENTATIONS = 0, COLUMNS = 23, VALUES = 31;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 1; case 1: return 2; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = 1.0 - v1;
    T m8[18];
    watson_moments(v3, m8);
    const T v26 = 1.0 - v2;
    const T v27 = multiply_add(m8[1], 0.6666666666666666, 0.3333333333333333);
    const T v28 = 1.0 + v27;
    const T v29 = v2 * v28;
    const T v30 = v29 / 2.0;
    const T v31 = 1.0 - v30;
    const T v32 = 1.0 - v27;
    const T v33 = multiply_add(-v2, v32, 1.0);
    const T v34 = v33 - v31;
    const T v35 = v0 * v7;
    const T v36 = v26 * v35;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = m8[1];
    values[8] = m8[2];
    values[9] = m8[3];
    values[10] = m8[4];
    values[11] = m8[5];
    values[12] = m8[6];
    values[13] = m8[7];
    values[14] = m8[8];
    values[15] = m8[9];
    values[16] = m8[10];
    values[17] = m8[11];
    values[18] = m8[12];
    values[19] = m8[13];
    values[20] = m8[14];
    values[21] = m8[15];
    values[22] = m8[16];
    values[23] = m8[17];
    values[24] = v26;
    values[25] = v28;
    values[26] = v31;
    values[27] = v32;
    values[28] = v34;
    values[29] = v35;
    values[30] = v36;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5, -0.5);
    const T i5 = multiply_add(i3, 7.5, -3.928571428571429);
    const T i6 = multiply_add(i5, i4, -1.0);
    const T i7 = multiply_add(i3, 2.041666666666667, -1.0340909090909092);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.704489795918367, -3.875591836734694);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058044938016529, -1.0326330741626795);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.730997728395061, -3.8743443993558775);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.0617289414718725, -1.032524477935189);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = multiply_add(i3, 7.739113064921658, -3.8741796585450117);
    const T i18 = multiply_add(i17, i16, -i14);
    const T i19 = multiply_add(i3, 2.063106514841305, -1.0325039977500725);
    const T i20 = multiply_add(i19, i18, -i16);
    const T i21 = multiply_add(i3, 7.7426075945573105, -3.8741399172766617);
    const T i22 = multiply_add(i21, i20, -i18);
    const T i23 = multiply_add(i3, 2.0637655205502368, -1.0324980749801125);
    const T i24 = multiply_add(i23, i22, -i20);
    const T i25 = multiply_add(i3, 7.7444214317592905, -3.874126703368948);
    const T i26 = multiply_add(i25, i24, -i22);
    const T i27 = multiply_add(i3, 2.064130618615462, -1.0324958747267161);
    const T i28 = multiply_add(i27, i26, -i24);
    const T i29 = multiply_add(i3, 7.745481348377315, -3.8741213304004893);
    const T i30 = multiply_add(i29, i28, -i26);
    const T i31 = multiply_add(i3, 2.064353656181045, -1.0324949103179775);
    const T i32 = multiply_add(i31, i30, -i28);
    const T i33 = multiply_add(i3, 7.746153662327358, -3.874118821163992);
    const T i34 = multiply_add(i33, i32, -i30);
    const T i35 = multiply_add(i3, 2.0644997675509487, -1.032494434802192);
    const T i36 = multiply_add(i35, i34, -i32);
    const T i37 = i4 * columns[5];
    const T i38 = multiply_add(i37, values[7], columns[4]);
    const T i39 = i6 * columns[6];
    const T i40 = multiply_add(i39, values[8], i38);
    const T i41 = i8 * columns[7];
    const T i42 = multiply_add(i41, values[9], i40);
    const T i43 = i10 * columns[8];
    const T i44 = multiply_add(i43, values[10], i42);
    const T i45 = i12 * columns[9];
    const T i46 = multiply_add(i45, values[11], i44);
    const T i47 = i14 * columns[10];
    const T i48 = multiply_add(i47, values[12], i46);
    const T i49 = i16 * columns[11];
    const T i50 = multiply_add(i49, values[13], i48);
    const T i51 = i18 * columns[12];
    const T i52 = multiply_add(i51, values[14], i50);
    const T i53 = i20 * columns[13];
    const T i54 = multiply_add(i53, values[15], i52);
    const T i55 = i22 * columns[14];
    const T i56 = multiply_add(i55, values[16], i54);
    const T i57 = i24 * columns[15];
    const T i58 = multiply_add(i57, values[17], i56);
    const T i59 = i26 * columns[16];
    const T i60 = multiply_add(i59, values[18], i58);
    const T i61 = i28 * columns[17];
    const T i62 = multiply_add(i61, values[19], i60);
    const T i63 = i30 * columns[18];
    const T i64 = multiply_add(i63, values[20], i62);
    const T i65 = i32 * columns[19];
    const T i66 = multiply_add(i65, values[21], i64);
    const T i67 = i34 * columns[20];
    const T i68 = multiply_add(i67, values[22], i66);
    const T i69 = i36 * columns[21];
    const T i70 = multiply_add(i69, values[23], i68);
    const T i71 = multiply_add(i3, values[28], values[26]);
    const T i72 = columns[3] * i71;
    const T i73 = -i72;
    const T i74 = exponential(i73);
    const T i75 = values[24] * i74;
    const T i76 = multiply_add(values[2], i70, i75);
    const T i77 = values[1] * columns[22];
    const T i78 = multiply_add(values[6], i76, i77);
    const T i79 = values[0] * i78;
    const T i80 = values[0] * i76;
    const T i81 = i74 * values[30];
    const T i82 = columns[3] * i81;
    const T i83 = i3 * i82;
    const T i84 = i82 - i83;
    const T i85 = i84 * 0.5;
    const T i86 = values[25] * i85;
    const T i87 = multiply_add(values[27], i83, i86);
    const T i88 = multiply_add(-i74, values[29], i87);
    const T i89 = multiply_add(i70, values[29], i88);
    const T i90 = multiply_add(values[0], columns[22], -i80);
    derivatives[0] = i90;
    derivatives[1] = i89;
    return i79;
  }
};

// noddi-watson, stage 3 of 3: s0, fwf, ndi, kappa, mu.
struct Stage17_f64 {
  typedef double T;
  static const unsigned NUMBERS = 7, MAPS = 0, UNKNOWNS = 6, ORIENTATIONS = 1, COLUMNS = 23, VALUES = 55;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = across[0][0][0];
    const T v8 = across[0][0][1];
    const T v9 = across[0][0][2];
    const T v10 = across[0][1][0];
    const T v11 = across[0][1][1];
    const T v12 = across[0][1][2];
    const T v13 = 1.0 - v1;
    T m14[19];
    watson_moments(v3, m14);
    const T v33 = 1.0 - v2;
    const T v34 = multiply_add(m14[1], 0.6666666666666666, 0.3333333333333333);
    const T v35 = 1.0 + v34;
    const T v36 = v2 * v35;
    const T v37 = v36 / 2.0;
    const T v38 = 1.0 - v37;
    const T v39 = 1.0 - v34;
    const T v40 = multiply_add(-v2, v39, 1.0);
    const T v41 = v40 - v38;
    const T v42 = v0 * v13;
    const T v43 = v33 * v42;
    const T v44 = m14[1] * m14[1];
    const T v45 = m14[1] * 0.19047619047619052;
    const T v46 = multiply_add(m14[2], 0.34285714285714286, v45);
    const T v47 = 0.13333333333333333 + v46;
    const T v48 = multiply_add(-0.6666666666666666, v44, v47);
    const T v49 = v2 * v42;
    const T v50 = m14[1] * m14[2];
    const T v51 = m14[2] * 0.17316017316017313;
    const T v52 = multiply_add(m14[3], 0.30303030303030304, v51);
    const T v53 = multiply_add(m14[1], 0.19047619047619047, v52);
    const T v54 = multiply_add(-0.6666666666666666, v50, v53);
    const T v55 = m14[1] * m14[3];
    const T v56 = m14[3] * 0.16969696969696973;
    const T v57 = multiply_add(m14[4], 0.28717948717948716, v56);
    const T v58 = multiply_add(m14[2], 0.2097902097902098, v57);
    const T v59 = multiply_add(-0.6666666666666666, v55, v58);
    const T v60 = m14[1] * m14[4];
    const T v61 = m14[4] * 0.16842105263157897;
    const T v62 = multiply_add(m14[5], 0.2786377708978328, v61);
    const T v63 = multiply_add(m14[3], 0.2196078431372549, v62);
    const T v64 = multiply_add(-0.6666666666666666, v60, v63);
    const T v65 = m14[1] * m14[5];
    const T v66 = m14[5] * 0.16781083142639214;
    const T v67 = multiply_add(m14[6], 0.2732919254658385, v66);
    const T v68 = multiply_add(m14[4], 0.22556390977443608, v67);
    const T v69 = multiply_add(-0.6666666666666666, v65, v68);
    const T v70 = m14[1] * m14[6];
    const T v71 = m14[6] * 0.1674718196457327;
    const T v72 = multiply_add(m14[7], 0.2696296296296296, v71);
    const T v73 = multiply_add(m14[5], 0.22956521739130434, v72);
    const T v74 = multiply_add(-0.6666666666666666, v70, v73);
    const T v75 = m14[1] * m14[7];
    const T v76 = m14[7] * 0.1672640382317802;
    const T v77 = multiply_add(m14[8], 0.26696329254727474, v76);
    const T v78 = multiply_add(m14[6], 0.23243933588761176, v77);
    const T v79 = multiply_add(-0.6666666666666666, v75, v78);
    const T v80 = m14[1] * m14[8];
    const T v81 = m14[8] * 0.16712749615975425;
    const T v82 = multiply_add(m14[9], 0.2649350649350649, v81);
    const T v83 = multiply_add(m14[7], 0.23460410557184752, v82);
    const T v84 = multiply_add(-0.6666666666666666, v80, v83);
    const T v85 = m14[1] * m14[9];
    const T v86 = m14[9] * 0.16703296703296705;
    const T v87 = multiply_add(m14[10], 0.26334026334026334, v86);
    const T v88 = multiply_add(m14[8], 0.2362934362934363, v87);
    const T v89 = multiply_add(-0.6666666666666666, v85, v88);
    const T v90 = m14[1] * m14[10];
    const T v91 = m14[10] * 0.16696481812760883;
    const T v92 = multiply_add(m14[11], 0.2620533182076007, v91);
    const T v93 = multiply_add(m14[9], 0.23764853033145716, v92);
    const T v94 = multiply_add(-0.6666666666666666, v90, v93);
    const T v95 = m14[1] * m14[11];
    const T v96 = m14[11] * 0.16691406894276767;
    const T v97 = multiply_add(m14[12], 0.26099290780141843, v96);
    const T v98 = multiply_add(m14[10], 0.23875968992248062, v97);
    const T v99 = multiply_add(-0.6666666666666666, v95, v98);
    const T v100 = m14[1] * m14[12];
    const T v101 = m14[12] * 0.1668752607425949;
    const T v102 = multiply_add(m14[13], 0.2601040416166467, v101);
    const T v103 = multiply_add(m14[11], 0.2396873643074251, v102);
    const T v104 = multiply_add(-0.6666666666666666, v100, v103);
    const T v105 = m14[1] * m14[13];
    const T v106 = m14[13] * 0.16684491978609622;
    const T v107 = multiply_add(m14[14], 0.2593481989708405, v106);
    const T v108 = multiply_add(m14[12], 0.24047354790972994, v107);
    const T v109 = multiply_add(-0.6666666666666666, v105, v108);
    const T v110 = m14[1] * m14[14];
    const T v111 = m14[14] * 0.1668207498715974;
    const T v112 = multiply_add(m14[15], 0.2586975914362177, v111);
    const T v113 = multiply_add(m14[13], 0.24114832535885167, v112);
    const T v114 = multiply_add(-0.6666666666666666, v110, v113);
    const T v115 = m14[1] * m14[15];
    const T v116 = m14[15] * 0.1668011837503363;
    const T v117 = multiply_add(m14[16], 0.25813166796773357, v116);
    const T v118 = multiply_add(m14[14], 0.24173381494859683, v117);
    const T v119 = multiply_add(-0.6666666666666666, v115, v118);
    const T v120 = m14[1] * m14[16];
    const T v121 = m14[16] * 0.16678512200900258;
    const T v122 = multiply_add(m14[17], 0.2576349024110218, v121);
    const T v123 = multiply_add(m14[15], 0.24224664224664225, v122);
    const T v124 = multiply_add(-0.6666666666666666, v120, v123);
    const T v125 = m14[1] * m14[17];
    const T v126 = m14[17] * 0.16677177492817602;
    const T v127 = multiply_add(0.25719534598897736, m14[18], v126);
    const T v128 = multiply_add(m14[16], 0.2426995457495133, v127);
    const T v129 = multiply_add(-0.6666666666666666, v125, v128);
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
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
    values[13] = m14[1];
    values[14] = m14[2];
    values[15] = m14[3];
    values[16] = m14[4];
    values[17] = m14[5];
    values[18] = m14[6];
    values[19] = m14[7];
    values[20] = m14[8];
    values[21] = m14[9];
    values[22] = m14[10];
    values[23] = m14[11];
    values[24] = m14[12];
    values[25] = m14[13];
    values[26] = m14[14];
    values[27] = m14[15];
    values[28] = m14[16];
    values[29] = m14[17];
    values[30] = v33;
    values[31] = v35;
    values[32] = v38;
    values[33] = v39;
    values[34] = v41;
    values[35] = v42;
    values[36] = v43;
    values[37] = v48;
    values[38] = v49;
    values[39] = v54;
    values[40] = v59;
    values[41] = v64;
    values[42] = v69;
    values[43] = v74;
    values[44] = v79;
    values[45] = v84;
    values[46] = v89;
    values[47] = v94;
    values[48] = v99;
    values[49] = v104;
    values[50] = v109;
    values[51] = v114;
    values[52] = v119;
    values[53] = v124;
    values[54] = v129;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5, -0.5);
    const T i5 = multiply_add(i3, 7.5, -3.928571428571429);
    const T i6 = multiply_add(i5, i4, -1.0);
    const T i7 = multiply_add(i3, 2.041666666666667, -1.0340909090909092);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.704489795918367, -3.875591836734694);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058044938016529, -1.0326330741626795);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.730997728395061, -3.8743443993558775);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.0617289414718725, -1.032524477935189);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = multiply_add(i3, 7.739113064921658, -3.8741796585450117);
    const T i18 = multiply_add(i17, i16, -i14);
    const T i19 = multiply_add(i3, 2.063106514841305, -1.0325039977500725);
    const T i20 = multiply_add(i19, i18, -i16);
    const T i21 = multiply_add(i3, 7.7426075945573105, -3.8741399172766617);
    const T i22 = multiply_add(i21, i20, -i18);
    const T i23 = multiply_add(i3, 2.0637655205502368, -1.0324980749801125);
    const T i24 = multiply_add(i23, i22, -i20);
    const T i25 = multiply_add(i3, 7.7444214317592905, -3.874126703368948);
    const T i26 = multiply_add(i25, i24, -i22);
    const T i27 = multiply_add(i3, 2.064130618615462, -1.0324958747267161);
    const T i28 = multiply_add(i27, i26, -i24);
    const T i29 = multiply_add(i3, 7.745481348377315, -3.8741213304004893);
    const T i30 = multiply_add(i29, i28, -i26);
    const T i31 = multiply_add(i3, 2.064353656181045, -1.0324949103179775);
    const T i32 = multiply_add(i31, i30, -i28);
    const T i33 = multiply_add(i3, 7.746153662327358, -3.874118821163992);
    const T i34 = multiply_add(i33, i32, -i30);
    const T i35 = multiply_add(i3, 2.0644997675509487, -1.032494434802192);
    const T i36 = multiply_add(i35, i34, -i32);
    const T i37 = i4 * columns[5];
    const T i38 = multiply_add(i37, values[13], columns[4]);
    const T i39 = i6 * columns[6];
    const T i40 = multiply_add(i39, values[14], i38);
    const T i41 = i8 * columns[7];
    const T i42 = multiply_add(i41, values[15], i40);
    const T i43 = i10 * columns[8];
    const T i44 = multiply_add(i43, values[16], i42);
    const T i45 = i12 * columns[9];
    const T i46 = multiply_add(i45, values[17], i44);
    const T i47 = i14 * columns[10];
    const T i48 = multiply_add(i47, values[18], i46);
    const T i49 = i16 * columns[11];
    const T i50 = multiply_add(i49, values[19], i48);
    const T i51 = i18 * columns[12];
    const T i52 = multiply_add(i51, values[20], i50);
    const T i53 = i20 * columns[13];
    const T i54 = multiply_add(i53, values[21], i52);
    const T i55 = i22 * columns[14];
    const T i56 = multiply_add(i55, values[22], i54);
    const T i57 = i24 * columns[15];
    const T i58 = multiply_add(i57, values[23], i56);
    const T i59 = i26 * columns[16];
    const T i60 = multiply_add(i59, values[24], i58);
    const T i61 = i28 * columns[17];
    const T i62 = multiply_add(i61, values[25], i60);
    const T i63 = i30 * columns[18];
    const T i64 = multiply_add(i63, values[26], i62);
    const T i65 = i32 * columns[19];
    const T i66 = multiply_add(i65, values[27], i64);
    const T i67 = i34 * columns[20];
    const T i68 = multiply_add(i67, values[28], i66);
    const T i69 = i36 * columns[21];
    const T i70 = multiply_add(i69, values[29], i68);
    const T i71 = multiply_add(i3, values[34], values[32]);
    const T i72 = columns[3] * i71;
    const T i73 = -i72;
    const T i74 = exponential(i73);
    const T i75 = values[30] * i74;
    const T i76 = multiply_add(values[2], i70, i75);
    const T i77 = values[1] * columns[22];
    const T i78 = multiply_add(values[12], i76, i77);
    const T i79 = values[0] * i78;
    const T i80 = values[0] * i76;
    const T i81 = i74 * values[36];
    const T i82 = columns[3] * i81;
    const T i83 = i3 * i82;
    const T i84 = values[34] * i82;
    const T i85 = i2 * i84;
    const T i86 = i85 + i85;
    const T i87 = values[2] * i83;
    const T i88 = i82 - i83;
    const T i89 = i88 * 0.5;
    const T i90 = values[31] * i89;
    const T i91 = multiply_add(values[33], i83, i90);
    const T i92 = multiply_add(values[2], i89, -i87);
    const T i93 = 0.6666666666666666 * i92;
    const T i94 = multiply_add(-i74, values[35], i91);
    const T i95 = multiply_add(i70, values[35], i94);
    const T i96 = i37 * values[37];
    const T i97 = multiply_add(i39, values[39], i96);
    const T i98 = multiply_add(i41, values[40], i97);
    const T i99 = multiply_add(i43, values[41], i98);
    const T i100 = multiply_add(i45, values[42], i99);
    const T i101 = multiply_add(i47, values[43], i100);
    const T i102 = multiply_add(i49, values[44], i101);
    const T i103 = multiply_add(i51, values[45], i102);
    const T i104 = multiply_add(i53, values[46], i103);
    const T i105 = multiply_add(i55, values[47], i104);
    const T i106 = multiply_add(i57, values[48], i105);
    const T i107 = multiply_add(i59, values[49], i106);
    const T i108 = multiply_add(i61, values[50], i107);
    const T i109 = multiply_add(i63, values[51], i108);
    const T i110 = multiply_add(i65, values[52], i109);
    const T i111 = multiply_add(i67, values[53], i110);
    const T i112 = multiply_add(i69, values[54], i111);
    const T i113 = 1.5 * i5;
    const T i114 = multiply_add(7.5, i4, i113);
    const T i115 = multiply_add(i7, i114, -1.5);
    const T i116 = multiply_add(2.041666666666667, i6, i115);
    const T i117 = multiply_add(i9, i116, -i114);
    const T i118 = multiply_add(7.704489795918367, i8, i117);
    const T i119 = multiply_add(i11, i118, -i116);
    const T i120 = multiply_add(2.058044938016529, i10, i119);
    const T i121 = multiply_add(i13, i120, -i118);
    const T i122 = multiply_add(7.730997728395061, i12, i121);
    const T i123 = multiply_add(i15, i122, -i120);
    const T i124 = multiply_add(2.0617289414718725, i14, i123);
    const T i125 = multiply_add(i17, i124, -i122);
    const T i126 = multiply_add(7.739113064921658, i16, i125);
    const T i127 = multiply_add(i19, i126, -i124);
    const T i128 = multiply_add(2.063106514841305, i18, i127);
    const T i129 = multiply_add(i21, i128, -i126);
    const T i130 = multiply_add(7.7426075945573105, i20, i129);
    const T i131 = multiply_add(i23, i130, -i128);
    const T i132 = multiply_add(2.0637655205502368, i22, i131);
    const T i133 = multiply_add(i25, i132, -i130);
    const T i134 = multiply_add(7.7444214317592905, i24, i133);
    const T i135 = multiply_add(i27, i134, -i132);
    const T i136 = multiply_add(2.064130618615462, i26, i135);
    const T i137 = multiply_add(i29, i136, -i134);
    const T i138 = multiply_add(7.745481348377315, i28, i137);
    const T i139 = multiply_add(i31, i138, -i136);
    const T i140 = multiply_add(2.064353656181045, i30, i139);
    const T i141 = multiply_add(i33, i140, -i138);
    const T i142 = multiply_add(7.746153662327358, i32, i141);
    const T i143 = multiply_add(i35, i142, -i140);
    const T i144 = multiply_add(2.0644997675509487, i34, i143);
    const T i145 = columns[5] * values[13];
    const T i146 = 1.5 * i145;
    const T i147 = columns[6] * values[14];
    const T i148 = multiply_add(i147, i114, i146);
    const T i149 = columns[7] * values[15];
    const T i150 = multiply_add(i149, i116, i148);
    const T i151 = columns[8] * values[16];
    const T i152 = multiply_add(i151, i118, i150);
    const T i153 = columns[9] * values[17];
    const T i154 = multiply_add(i153, i120, i152);
    const T i155 = columns[10] * values[18];
    const T i156 = multiply_add(i155, i122, i154);
    const T i157 = columns[11] * values[19];
    const T i158 = multiply_add(i157, i124, i156);
    const T i159 = columns[12] * values[20];
    const T i160 = multiply_add(i159, i126, i158);
    const T i161 = columns[13] * values[21];
    const T i162 = multiply_add(i161, i128, i160);
    const T i163 = columns[14] * values[22];
    const T i164 = multiply_add(i163, i130, i162);
    const T i165 = columns[15] * values[23];
    const T i166 = multiply_add(i165, i132, i164);
    const T i167 = columns[16] * values[24];
    const T i168 = multiply_add(i167, i134, i166);
    const T i169 = columns[17] * values[25];
    const T i170 = multiply_add(i169, i136, i168);
    const T i171 = columns[18] * values[26];
    const T i172 = multiply_add(i171, i138, i170);
    const T i173 = columns[19] * values[27];
    const T i174 = multiply_add(i173, i140, i172);
    const T i175 = columns[20] * values[28];
    const T i176 = multiply_add(i175, i142, i174);
    const T i177 = columns[21] * values[29];
    const T i178 = multiply_add(i177, i144, i176);
    const T i179 = i2 * 2.0;
    const T i180 = i178 * i179;
    const T i181 = values[38] * i112;
    const T i182 = multiply_add(i93, values[37], i181);
    const T i183 = multiply_add(values[38], i180, -i86);
    const T i184 = columns[2] * i183;
    const T i185 = columns[1] * i183;
    const T i186 = columns[0] * i183;
    const T i187 = multiply_add(values[0], columns[22], -i80);
    const T i188 = i185 * values[7];
    const T i189 = multiply_add(i186, values[6], i188);
    const T i190 = multiply_add(i184, values[8], i189);
    const T i191 = i185 * values[10];
    const T i192 = multiply_add(i186, values[9], i191);
    const T i193 = multiply_add(i184, values[11], i192);
    derivatives[0] = i78;
    derivatives[1] = i187;
    derivatives[2] = i95;
    derivatives[3] = i182;
    derivatives[4] = i190;
    derivatives[5] = i193;
    return i79;
  }
};

// noddi-watson-exvivo, stage 1 of 2: fwf, ndi, kappa, dot_fraction.
struct Stage19_f64 {
  typedef double T;
  static const unsigned NUMBERS = 8, MAPS = 0, UNKNOWNS = 0, ORIENTATIONS = 0, COLUMNS = 23, VALUES = 29;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = 1.0 - v7;
    const T v9 = 1.0 - v1;
    T m10[18];
    watson_moments(v3, m10);
    const T v28 = 1.0 - v2;
    const T v29 = multiply_add(m10[1], 0.6666666666666666, 0.3333333333333333);
    const T v30 = 1.0 + v29;
    const T v31 = v2 * v30;
    const T v32 = v31 / 2.0;
    const T v33 = 1.0 - v32;
    const T v34 = 1.0 - v29;
    const T v35 = multiply_add(-v2, v34, 1.0);
    const T v36 = v35 - v33;
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
    values[3] = v4;
    values[4] = v5;
    values[5] = v6;
    values[6] = v7;
    values[7] = v8;
    values[8] = v9;
    values[9] = m10[1];
    values[10] = m10[2];
    values[11] = m10[3];
    values[12] = m10[4];
    values[13] = m10[5];
    values[14] = m10[6];
    values[15] = m10[7];
    values[16] = m10[8];
    values[17] = m10[9];
    values[18] = m10[10];
    values[19] = m10[11];
    values[20] = m10[12];
    values[21] = m10[13];
    values[22] = m10[14];
    values[23] = m10[15];
    values[24] = m10[16];
    values[25] = m10[17];
    values[26] = v28;
    values[27] = v33;
    values[28] = v36;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5, -0.5);
    const T i5 = multiply_add(i3, 7.5, -3.928571428571429);
    const T i6 = multiply_add(i5, i4, -1.0);
    const T i7 = multiply_add(i3, 2.041666666666667, -1.0340909090909092);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.704489795918367, -3.875591836734694);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058044938016529, -1.0326330741626795);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.730997728395061, -3.8743443993558775);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.0617289414718725, -1.032524477935189);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = multiply_add(i3, 7.739113064921658, -3.8741796585450117);
    const T i18 = multiply_add(i17, i16, -i14);
    const T i19 = multiply_add(i3, 2.063106514841305, -1.0325039977500725);
    const T i20 = multiply_add(i19, i18, -i16);
    const T i21 = multiply_add(i3, 7.7426075945573105, -3.8741399172766617);
    const T i22 = multiply_add(i21, i20, -i18);
    const T i23 = multiply_add(i3, 2.0637655205502368, -1.0324980749801125);
    const T i24 = multiply_add(i23, i22, -i20);
    const T i25 = multiply_add(i3, 7.7444214317592905, -3.874126703368948);
    const T i26 = multiply_add(i25, i24, -i22);
    const T i27 = multiply_add(i3, 2.064130618615462, -1.0324958747267161);
    const T i28 = multiply_add(i27, i26, -i24);
    const T i29 = multiply_add(i3, 7.745481348377315, -3.8741213304004893);
    const T i30 = multiply_add(i29, i28, -i26);
    const T i31 = multiply_add(i3, 2.064353656181045, -1.0324949103179775);
    const T i32 = multiply_add(i31, i30, -i28);
    const T i33 = multiply_add(i3, 7.746153662327358, -3.874118821163992);
    const T i34 = multiply_add(i33, i32, -i30);
    const T i35 = multiply_add(i3, 2.0644997675509487, -1.032494434802192);
    const T i36 = multiply_add(i35, i34, -i32);
    const T i37 = i4 * columns[5];
    const T i38 = multiply_add(i37, values[9], columns[4]);
    const T i39 = i6 * columns[6];
    const T i40 = multiply_add(i39, values[10], i38);
    const T i41 = i8 * columns[7];
    const T i42 = multiply_add(i41, values[11], i40);
    const T i43 = i10 * columns[8];
    const T i44 = multiply_add(i43, values[12], i42);
    const T i45 = i12 * columns[9];
    const T i46 = multiply_add(i45, values[13], i44);
    const T i47 = i14 * columns[10];
    const T i48 = multiply_add(i47, values[14], i46);
    const T i49 = i16 * columns[11];
    const T i50 = multiply_add(i49, values[15], i48);
    const T i51 = i18 * columns[12];
    const T i52 = multiply_add(i51, values[16], i50);
    const T i53 = i20 * columns[13];
    const T i54 = multiply_add(i53, values[17], i52);
    const T i55 = i22 * columns[14];
    const T i56 = multiply_add(i55, values[18], i54);
    const T i57 = i24 * columns[15];
    const T i58 = multiply_add(i57, values[19], i56);
    const T i59 = i26 * columns[16];
    const T i60 = multiply_add(i59, values[20], i58);
    const T i61 = i28 * columns[17];
    const T i62 = multiply_add(i61, values[21], i60);
    const T i63 = i30 * columns[18];
    const T i64 = multiply_add(i63, values[22], i62);
    const T i65 = i32 * columns[19];
    const T i66 = multiply_add(i65, values[23], i64);
    const T i67 = i34 * columns[20];
    const T i68 = multiply_add(i67, values[24], i66);
    const T i69 = i36 * columns[21];
    const T i70 = multiply_add(i69, values[25], i68);
    const T i71 = multiply_add(i3, values[28], values[27]);
    const T i72 = columns[3] * i71;
    const T i73 = -i72;
    const T i74 = exponential(i73);
    const T i75 = values[26] * i74;
    const T i76 = multiply_add(values[2], i70, i75);
    const T i77 = values[1] * columns[22];
    const T i78 = multiply_add(values[8], i76, i77);
    const T i79 = multiply_add(values[7], i78, values[6]);
    const T i80 = values[0] * i79;
    return i80;
  }
};

// noddi-watson-exvivo, stage 2 of 2: s0, fwf, ndi, kappa, mu, dot_fraction.
struct Stage21_f64 {
  typedef double T;
  static const unsigned NUMBERS = 8, MAPS = 0, UNKNOWNS = 7, ORIENTATIONS = 1, COLUMNS = 23, VALUES = 58;
  static __device__ __forceinline__ int number(unsigned unknown) {
    switch (unknown) { case 0: return 0; case 1: return 1; case 2: return 2; case 3: return 3; case 4: return 4; case 5: return 4; case 6: return 7; default: return -1; }
  }
  static __device__ __forceinline__ int turn(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 1; case 6: return -1; default: return -1; }
  }
  static __device__ __forceinline__ int orientation(unsigned unknown) {
    switch (unknown) { case 0: return -1; case 1: return -1; case 2: return -1; case 3: return -1; case 4: return 0; case 5: return 0; case 6: return -1; default: return -1; }
  }
  // What is computed once for each set of parameters.
  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {
    const T v0 = numbers[0];
    const T v1 = numbers[1];
    const T v2 = numbers[2];
    const T v3 = numbers[3];
    const T v4 = numbers[4];
    const T v5 = numbers[5];
    const T v6 = numbers[6];
    const T v7 = numbers[7];
    const T v8 = across[0][0][0];
    const T v9 = across[0][0][1];
    const T v10 = across[0][0][2];
    const T v11 = across[0][1][0];
    const T v12 = across[0][1][1];
    const T v13 = across[0][1][2];
    const T v14 = 1.0 - v7;
    const T v15 = 1.0 - v1;
    T m16[19];
    watson_moments(v3, m16);
    const T v35 = 1.0 - v2;
    const T v36 = multiply_add(m16[1], 0.6666666666666666, 0.3333333333333333);
    const T v37 = 1.0 + v36;
    const T v38 = v2 * v37;
    const T v39 = v38 / 2.0;
    const T v40 = 1.0 - v39;
    const T v41 = 1.0 - v36;
    const T v42 = multiply_add(-v2, v41, 1.0);
    const T v43 = v42 - v40;
    const T v44 = v0 * v14;
    const T v45 = v15 * v44;
    const T v46 = v35 * v45;
    const T v47 = m16[1] * m16[1];
    const T v48 = m16[1] * 0.19047619047619052;
    const T v49 = multiply_add(m16[2], 0.34285714285714286, v48);
    const T v50 = 0.13333333333333333 + v49;
    const T v51 = multiply_add(-0.6666666666666666, v47, v50);
    const T v52 = v2 * v45;
    const T v53 = m16[1] * m16[2];
    const T v54 = m16[2] * 0.17316017316017313;
    const T v55 = multiply_add(m16[3], 0.30303030303030304, v54);
    const T v56 = multiply_add(m16[1], 0.19047619047619047, v55);
    const T v57 = multiply_add(-0.6666666666666666, v53, v56);
    const T v58 = m16[1] * m16[3];
    const T v59 = m16[3] * 0.16969696969696973;
    const T v60 = multiply_add(m16[4], 0.28717948717948716, v59);
    const T v61 = multiply_add(m16[2], 0.2097902097902098, v60);
    const T v62 = multiply_add(-0.6666666666666666, v58, v61);
    const T v63 = m16[1] * m16[4];
    const T v64 = m16[4] * 0.16842105263157897;
    const T v65 = multiply_add(m16[5], 0.2786377708978328, v64);
    const T v66 = multiply_add(m16[3], 0.2196078431372549, v65);
    const T v67 = multiply_add(-0.6666666666666666, v63, v66);
    const T v68 = m16[1] * m16[5];
    const T v69 = m16[5] * 0.16781083142639214;
    const T v70 = multiply_add(m16[6], 0.2732919254658385, v69);
    const T v71 = multiply_add(m16[4], 0.22556390977443608, v70);
    const T v72 = multiply_add(-0.6666666666666666, v68, v71);
    const T v73 = m16[1] * m16[6];
    const T v74 = m16[6] * 0.1674718196457327;
    const T v75 = multiply_add(m16[7], 0.2696296296296296, v74);
    const T v76 = multiply_add(m16[5], 0.22956521739130434, v75);
    const T v77 = multiply_add(-0.6666666666666666, v73, v76);
    const T v78 = m16[1] * m16[7];
    const T v79 = m16[7] * 0.1672640382317802;
    const T v80 = multiply_add(m16[8], 0.26696329254727474, v79);
    const T v81 = multiply_add(m16[6], 0.23243933588761176, v80);
    const T v82 = multiply_add(-0.6666666666666666, v78, v81);
    const T v83 = m16[1] * m16[8];
    const T v84 = m16[8] * 0.16712749615975425;
    const T v85 = multiply_add(m16[9], 0.2649350649350649, v84);
    const T v86 = multiply_add(m16[7], 0.23460410557184752, v85);
    const T v87 = multiply_add(-0.6666666666666666, v83, v86);
    const T v88 = m16[1] * m16[9];
    const T v89 = m16[9] * 0.16703296703296705;
    const T v90 = multiply_add(m16[10], 0.26334026334026334, v89);
    const T v91 = multiply_add(m16[8], 0.2362934362934363, v90);
    const T v92 = multiply_add(-0.6666666666666666, v88, v91);
    const T v93 = m16[1] * m16[10];
    const T v94 = m16[10] * 0.16696481812760883;
    const T v95 = multiply_add(m16[11], 0.2620533182076007, v94);
    const T v96 = multiply_add(m16[9], 0.23764853033145716, v95);
    const T v97 = multiply_add(-0.6666666666666666, v93, v96);
    const T v98 = m16[1] * m16[11];
    const T v99 = m16[11] * 0.16691406894276767;
    const T v100 = multiply_add(m16[12], 0.26099290780141843, v99);
    const T v101 = multiply_add(m16[10], 0.23875968992248062, v100);
    const T v102 = multiply_add(-0.6666666666666666, v98, v101);
    const T v103 = m16[1] * m16[12];
    const T v104 = m16[12] * 0.1668752607425949;
    const T v105 = multiply_add(m16[13], 0.2601040416166467, v104);
    const T v106 = multiply_add(m16[11], 0.2396873643074251, v105);
    const T v107 = multiply_add(-0.6666666666666666, v103, v106);
    const T v108 = m16[1] * m16[13];
    const T v109 = m16[13] * 0.16684491978609622;
    const T v110 = multiply_add(m16[14], 0.2593481989708405, v109);
    const T v111 = multiply_add(m16[12], 0.24047354790972994, v110);
    const T v112 = multiply_add(-0.6666666666666666, v108, v111);
    const T v113 = m16[1] * m16[14];
    const T v114 = m16[14] * 0.1668207498715974;
    const T v115 = multiply_add(m16[15], 0.2586975914362177, v114);
    const T v116 = multiply_add(m16[13], 0.24114832535885167, v115);
    const T v117 = multiply_add(-0.6666666666666666, v113, v116);
    const T v118 = m16[1] * m16[15];
    const T v119 = m16[15] * 0.1668011837503363;
    const T v120 = multiply_add(m16[16], 0.25813166796773357, v119);
    const T v121 = multiply_add(m16[14], 0.24173381494859683, v120);
    const T v122 = multiply_add(-0.6666666666666666, v118, v121);
    const T v123 = m16[1] * m16[16];
    const T v124 = m16[16] * 0.16678512200900258;
    const T v125 = multiply_add(m16[17], 0.2576349024110218, v124);
    const T v126 = multiply_add(m16[15], 0.24224664224664225, v125);
    const T v127 = multiply_add(-0.6666666666666666, v123, v126);
    const T v128 = m16[1] * m16[17];
    const T v129 = m16[17] * 0.16677177492817602;
    const T v130 = multiply_add(0.25719534598897736, m16[18], v129);
    const T v131 = multiply_add(m16[16], 0.2426995457495133, v130);
    const T v132 = multiply_add(-0.6666666666666666, v128, v131);
    values[0] = v0;
    values[1] = v1;
    values[2] = v2;
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
    values[15] = m16[1];
    values[16] = m16[2];
    values[17] = m16[3];
    values[18] = m16[4];
    values[19] = m16[5];
    values[20] = m16[6];
    values[21] = m16[7];
    values[22] = m16[8];
    values[23] = m16[9];
    values[24] = m16[10];
    values[25] = m16[11];
    values[26] = m16[12];
    values[27] = m16[13];
    values[28] = m16[14];
    values[29] = m16[15];
    values[30] = m16[16];
    values[31] = m16[17];
    values[32] = v35;
    values[33] = v37;
    values[34] = v40;
    values[35] = v41;
    values[36] = v43;
    values[37] = v44;
    values[38] = v45;
    values[39] = v46;
    values[40] = v51;
    values[41] = v52;
    values[42] = v57;
    values[43] = v62;
    values[44] = v67;
    values[45] = v72;
    values[46] = v77;
    values[47] = v82;
    values[48] = v87;
    values[49] = v92;
    values[50] = v97;
    values[51] = v102;
    values[52] = v107;
    values[53] = v112;
    values[54] = v117;
    values[55] = v122;
    values[56] = v127;
    values[57] = v132;
  }
  // The signal of a measurement, and its derivatives.
  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {
    const T i0 = columns[1] * values[4];
    const T i1 = multiply_add(columns[0], values[3], i0);
    const T i2 = multiply_add(columns[2], values[5], i1);
    const T i3 = i2 * i2;
    const T i4 = multiply_add(i3, 1.5, -0.5);
    const T i5 = multiply_add(i3, 7.5, -3.928571428571429);
    const T i6 = multiply_add(i5, i4, -1.0);
    const T i7 = multiply_add(i3, 2.041666666666667, -1.0340909090909092);
    const T i8 = multiply_add(i7, i6, -i4);
    const T i9 = multiply_add(i3, 7.704489795918367, -3.875591836734694);
    const T i10 = multiply_add(i9, i8, -i6);
    const T i11 = multiply_add(i3, 2.058044938016529, -1.0326330741626795);
    const T i12 = multiply_add(i11, i10, -i8);
    const T i13 = multiply_add(i3, 7.730997728395061, -3.8743443993558775);
    const T i14 = multiply_add(i13, i12, -i10);
    const T i15 = multiply_add(i3, 2.0617289414718725, -1.032524477935189);
    const T i16 = multiply_add(i15, i14, -i12);
    const T i17 = multiply_add(i3, 7.739113064921658, -3.8741796585450117);
    const T i18 = multiply_add(i17, i16, -i14);
    const T i19 = multiply_add(i3, 2.063106514841305, -1.0325039977500725);
    const T i20 = multiply_add(i19, i18, -i16);
    const T i21 = multiply_add(i3, 7.7426075945573105, -3.8741399172766617);
    const T i22 = multiply_add(i21, i20, -i18);
    const T i23 = multiply_add(i3, 2.0637655205502368, -1.0324980749801125);
    const T i24 = multiply_add(i23, i22, -i20);
    const T i25 = multiply_add(i3, 7.7444214317592905, -3.874126703368948);
    const T i26 = multiply_add(i25, i24, -i22);
    const T i27 = multiply_add(i3, 2.064130618615462, -1.0324958747267161);
    const T i28 = multiply_add(i27, i26, -i24);
    const T i29 = multiply_add(i3, 7.745481348377315, -3.8741213304004893);
    const T i30 = multiply_add(i29, i28, -i26);
    const T i31 = multiply_add(i3, 2.064353656181045, -1.0324949103179775);
    const T i32 = multiply_add(i31, i30, -i28);
    const T i33 = multiply_add(i3, 7.746153662327358, -3.874118821163992);
    const T i34 = multiply_add(i33, i32, -i30);
    const T i35 = multiply_add(i3, 2.0644997675509487, -1.032494434802192);
    const T i36 = multiply_add(i35, i34, -i32);
    const T i37 = i4 * columns[5];
    const T i38 = multiply_add(i37, values[15], columns[4]);
    const T i39 = i6 * columns[6];
    const T i40 = multiply_add(i39, values[16], i38);
    const T i41 = i8 * columns[7];
    const T i42 = multiply_add(i41, values[17], i40);
    const T i43 = i10 * columns[8];
    const T i44 = multiply_add(i43, values[18], i42);
    const T i45 = i12 * columns[9];
    const T i46 = multiply_add(i45, values[19], i44);
    const T i47 = i14 * columns[10];
    const T i48 = multiply_add(i47, values[20], i46);
    const T i49 = i16 * columns[11];
    const T i50 = multiply_add(i49, values[21], i48);
    const T i51 = i18 * columns[12];
    const T i52 = multiply_add(i51, values[22], i50);
    const T i53 = i20 * columns[13];
    const T i54 = multiply_add(i53, values[23], i52);
    const T i55 = i22 * columns[14];
    const T i56 = multiply_add(i55, values[24], i54);
    const T i57 = i24 * columns[15];
    const T i58 = multiply_add(i57, values[25], i56);
    const T i59 = i26 * columns[16];
    const T i60 = multiply_add(i59, values[26], i58);
    const T i61 = i28 * columns[17];
    const T i62 = multiply_add(i61, values[27], i60);
    const T i63 = i30 * columns[18];
    const T i64 = multiply_add(i63, values[28], i62);
    const T i65 = i32 * columns[19];
    const T i66 = multiply_add(i65, values[29], i64);
    const T i67 = i34 * columns[20];
    const T i68 = multiply_add(i67, values[30], i66);
    const T i69 = i36 * columns[21];
    const T i70 = multiply_add(i69, values[31], i68);
    const T i71 = multiply_add(i3, values[36], values[34]);
    const T i72 = columns[3] * i71;
    const T i73 = -i72;
    const T i74 = exponential(i73);
    const T i75 = values[32] * i74;
    const T i76 = multiply_add(values[2], i70, i75);
    const T i77 = values[1] * columns[22];
    const T i78 = multiply_add(values[14], i76, i77);
    const T i79 = multiply_add(values[13], i78, values[6]);
    const T i80 = values[0] * i79;
    const T i81 = i76 * values[37];
    const T i82 = i74 * values[39];
    const T i83 = columns[3] * i82;
    const T i84 = i3 * i83;
    const T i85 = values[36] * i83;
    const T i86 = i2 * i85;
    const T i87 = i86 + i86;
    const T i88 = values[2] * i84;
    const T i89 = i83 - i84;
    const T i90 = i89 * 0.5;
    const T i91 = values[33] * i90;
    const T i92 = multiply_add(values[35], i84, i91);
    const T i93 = multiply_add(values[2], i90, -i88);
    const T i94 = 0.6666666666666666 * i93;
    const T i95 = multiply_add(-i74, values[38], i92);
    const T i96 = multiply_add(i70, values[38], i95);
    const T i97 = i37 * values[40];
    const T i98 = multiply_add(i39, values[42], i97);
    const T i99 = multiply_add(i41, values[43], i98);
    const T i100 = multiply_add(i43, values[44], i99);
    const T i101 = multiply_add(i45, values[45], i100);
    const T i102 = multiply_add(i47, values[46], i101);
    const T i103 = multiply_add(i49, values[47], i102);
    const T i104 = multiply_add(i51, values[48], i103);
    const T i105 = multiply_add(i53, values[49], i104);
    const T i106 = multiply_add(i55, values[50], i105);
    const T i107 = multiply_add(i57, values[51], i106);
    const T i108 = multiply_add(i59, values[52], i107);
    const T i109 = multiply_add(i61, values[53], i108);
    const T i110 = multiply_add(i63, values[54], i109);
    const T i111 = multiply_add(i65, values[55], i110);
    const T i112 = multiply_add(i67, values[56], i111);
    const T i113 = multiply_add(i69, values[57], i112);
    const T i114 = 1.5 * i5;
    const T i115 = multiply_add(7.5, i4, i114);
    const T i116 = multiply_add(i7, i115, -1.5);
    const T i117 = multiply_add(2.041666666666667, i6, i116);
    const T i118 = multiply_add(i9, i117, -i115);
    const T i119 = multiply_add(7.704489795918367, i8, i118);
    const T i120 = multiply_add(i11, i119, -i117);
    const T i121 = multiply_add(2.058044938016529, i10, i120);
    const T i122 = multiply_add(i13, i121, -i119);
    const T i123 = multiply_add(7.730997728395061, i12, i122);
    const T i124 = multiply_add(i15, i123, -i121);
    const T i125 = multiply_add(2.0617289414718725, i14, i124);
    const T i126 = multiply_add(i17, i125, -i123);
    const T i127 = multiply_add(7.739113064921658, i16, i126);
    const T i128 = multiply_add(i19, i127, -i125);
    const T i129 = multiply_add(2.063106514841305, i18, i128);
    const T i130 = multiply_add(i21, i129, -i127);
    const T i131 = multiply_add(7.7426075945573105, i20, i130);
    const T i132 = multiply_add(i23, i131, -i129);
    const T i133 = multiply_add(2.0637655205502368, i22, i132);
    const T i134 = multiply_add(i25, i133, -i131);
    const T i135 = multiply_add(7.7444214317592905, i24, i134);
    const T i136 = multiply_add(i27, i135, -i133);
    const T i137 = multiply_add(2.064130618615462, i26, i136);
    const T i138 = multiply_add(i29, i137, -i135);
    const T i139 = multiply_add(7.745481348377315, i28, i138);
    const T i140 = multiply_add(i31, i139, -i137);
    const T i141 = multiply_add(2.064353656181045, i30, i140);
    const T i142 = multiply_add(i33, i141, -i139);
    const T i143 = multiply_add(7.746153662327358, i32, i142);
    const T i144 = multiply_add(i35, i143, -i141);
    const T i145 = multiply_add(2.0644997675509487, i34, i144);
    const T i146 = columns[5] * values[15];
    const T i147 = 1.5 * i146;
    const T i148 = columns[6] * values[16];
    const T i149 = multiply_add(i148, i115, i147);
    const T i150 = columns[7] * values[17];
    const T i151 = multiply_add(i150, i117, i149);
    const T i152 = columns[8] * values[18];
    const T i153 = multiply_add(i152, i119, i151);
    const T i154 = columns[9] * values[19];
    const T i155 = multiply_add(i154, i121, i153);
    const T i156 = columns[10] * values[20];
    const T i157 = multiply_add(i156, i123, i155);
    const T i158 = columns[11] * values[21];
    const T i159 = multiply_add(i158, i125, i157);
    const T i160 = columns[12] * values[22];
    const T i161 = multiply_add(i160, i127, i159);
    const T i162 = columns[13] * values[23];
    const T i163 = multiply_add(i162, i129, i161);
    const T i164 = columns[14] * values[24];
    const T i165 = multiply_add(i164, i131, i163);
    const T i166 = columns[15] * values[25];
    const T i167 = multiply_add(i166, i133, i165);
    const T i168 = columns[16] * values[26];
    const T i169 = multiply_add(i168, i135, i167);
    const T i170 = columns[17] * values[27];
    const T i171 = multiply_add(i170, i137, i169);
    const T i172 = columns[18] * values[28];
    const T i173 = multiply_add(i172, i139, i171);
    const T i174 = columns[19] * values[29];
    const T i175 = multiply_add(i174, i141, i173);
    const T i176 = columns[20] * values[30];
    const T i177 = multiply_add(i176, i143, i175);
    const T i178 = columns[21] * values[31];
    const T i179 = multiply_add(i178, i145, i177);
    const T i180 = i2 * 2.0;
    const T i181 = i179 * i180;
    const T i182 = values[41] * i113;
    const T i183 = multiply_add(i94, values[40], i182);
    const T i184 = multiply_add(values[41], i181, -i87);
    const T i185 = columns[2] * i184;
    const T i186 = columns[1] * i184;
    const T i187 = columns[0] * i184;
    const T i188 = multiply_add(columns[22], values[37], -i81);
    const T i189 = multiply_add(-values[0], i78, values[0]);
    const T i190 = i186 * values[8];
    const T i191 = multiply_add(i187, values[7], i190);
    const T i192 = multiply_add(i185, values[9], i191);
    const T i193 = i186 * values[11];
    const T i194 = multiply_add(i187, values[10], i193);
    const T i195 = multiply_add(i185, values[12], i194);
    derivatives[0] = i79;
    derivatives[1] = i188;
    derivatives[2] = i96;
    derivatives[3] = i183;
    derivatives[4] = i192;
    derivatives[5] = i195;
    derivatives[6] = i189;
    return i80;
  }
};

#define SEARCHES_F64(KERNEL) KERNEL(double, f64, 1) KERNEL(double, f64, 3) KERNEL(double, f64, 5) KERNEL(double, f64, 7) KERNEL(double, f64, 9) KERNEL(double, f64, 11) KERNEL(double, f64, 13) KERNEL(double, f64, 19)

#define FITS_F64(KERNEL) KERNEL(double, f64, 0) KERNEL(double, f64, 2) KERNEL(double, f64, 4) KERNEL(double, f64, 6) KERNEL(double, f64, 8) KERNEL(double, f64, 10) KERNEL(double, f64, 12) KERNEL(double, f64, 15) KERNEL(double, f64, 17) KERNEL(double, f64, 21)

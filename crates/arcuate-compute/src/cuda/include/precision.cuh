// Common names for single and double precision, for kernels that support both.
#pragma once

// Four f32 or two f64 numbers. They have 16 bytes together, so one instruction loads them.
template <class T> struct Pack;
template <> struct Pack<float> {
  static const unsigned LENGTH = 4;
  float v[4];
  __device__ void load(const float* from) {
    const float4 f = *reinterpret_cast<const float4*>(from);
    v[0] = f.x; v[1] = f.y; v[2] = f.z; v[3] = f.w;
  }
};
template <> struct Pack<double> {
  static const unsigned LENGTH = 2;
  double v[2];
  __device__ void load(const double* from) {
    const double2 f = *reinterpret_cast<const double2*>(from);
    v[0] = f.x; v[1] = f.y;
  }
};

// Returns a b + c, rounded once.
__device__ __forceinline__ float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double multiply_add(double a, double b, double c) { return fma(a, b, c); }

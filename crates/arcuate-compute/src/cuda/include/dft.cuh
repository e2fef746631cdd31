// Complex numbers, and small discrete Fourier transforms of values held by one thread.
//
// dft<R>(v) computes v[k] ← Σ_n v[n] e^(−2πi n k / R), in natural order, for R = 1 to 6, 8, 10, 12, 15 and 16. Products
// are added with fma and constants are rounded to nearest. The error of an f32 transform of 16 values is at most 3e-7
// times the norm of the values.
#pragma once

#include "precision.cuh"

template <class T> struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};

template <class T> __device__ __forceinline__ Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}

template <class T> __device__ __forceinline__ Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}

template <class T> __device__ __forceinline__ Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {multiply_add(a.re, b.re, -(a.im * b.im)), multiply_add(a.re, b.im, a.im * b.re)};
}

template <class T> __device__ __forceinline__ Complex<T> operator*(T a, Complex<T> b) { return {a * b.re, a * b.im}; }

template <class T> __device__ __forceinline__ Complex<T> conjugate(Complex<T> a) { return {a.re, -a.im}; }

// Swaps the real and the imaginary part of a number. The transform of swapped values is the swapped inverse transform.
template <class T> __device__ __forceinline__ Complex<T> swapped(Complex<T> a) { return {a.im, a.re}; }

// Returns -i a for a complex number a.
template <class T> __device__ __forceinline__ Complex<T> quarter_back(Complex<T> a) { return {a.im, -a.re}; }

// Returns a + s b for complex numbers a and b and a real number s.
template <class T> __device__ __forceinline__ Complex<T> add_scaled(Complex<T> a, T s, Complex<T> b) {
  return {multiply_add(s, b.re, a.re), multiply_add(s, b.im, a.im)};
}

template <class T> __device__ __forceinline__ void dft_2(Complex<T>& a, Complex<T>& b) {
  const Complex<T> sum = a + b;
  b = a - b;
  a = sum;
}

template <class T> __device__ __forceinline__ void dft_3(Complex<T>& a, Complex<T>& b, Complex<T>& c) {
  const Complex<T> sum = b + c, difference = quarter_back(T(0.86602540378443864676) * (b - c));
  const Complex<T> middle = add_scaled(a, T(-0.5), sum);
  a = a + sum;
  b = middle + difference;
  c = middle - difference;
}

template <class T> __device__ __forceinline__ void dft_4(Complex<T>& a, Complex<T>& b, Complex<T>& c, Complex<T>& d) {
  const Complex<T> even = a + c, even_apart = a - c, odd = b + d, odd_apart = quarter_back(b - d);
  a = even + odd;
  b = even_apart + odd_apart;
  c = even - odd;
  d = even_apart - odd_apart;
}

template <class T>
__device__ __forceinline__ void dft_5(Complex<T>& a, Complex<T>& b, Complex<T>& c, Complex<T>& d, Complex<T>& e) {
  const T cos_1 = T(0.30901699437494742410), cos_2 = T(-0.80901699437494742410);
  const T sin_1 = T(0.95105651629515357212), sin_2 = T(0.58778525229247312917);
  const Complex<T> outer = b + e, inner = c + d, outer_apart = b - e, inner_apart = c - d;
  const Complex<T> first = add_scaled(add_scaled(a, cos_1, outer), cos_2, inner);
  const Complex<T> second = add_scaled(add_scaled(a, cos_2, outer), cos_1, inner);
  const Complex<T> first_turned = quarter_back(add_scaled(sin_1 * outer_apart, sin_2, inner_apart));
  const Complex<T> second_turned = quarter_back(add_scaled(sin_2 * outer_apart, -sin_1, inner_apart));
  a = a + (outer + inner);
  b = first + first_turned;
  c = second + second_turned;
  d = second - second_turned;
  e = first - first_turned;
}

template <unsigned R> struct Dft;

template <> struct Dft<1> {
  template <class T> static __device__ __forceinline__ void of(Complex<T> (&)[1]) {}
};

template <> struct Dft<2> {
  template <class T> static __device__ __forceinline__ void of(Complex<T> (&v)[2]) { dft_2(v[0], v[1]); }
};

template <> struct Dft<3> {
  template <class T> static __device__ __forceinline__ void of(Complex<T> (&v)[3]) { dft_3(v[0], v[1], v[2]); }
};

template <> struct Dft<4> {
  template <class T> static __device__ __forceinline__ void of(Complex<T> (&v)[4]) { dft_4(v[0], v[1], v[2], v[3]); }
};

template <> struct Dft<5> {
  template <class T> static __device__ __forceinline__ void of(Complex<T> (&v)[5]) {
    dft_5(v[0], v[1], v[2], v[3], v[4]);
  }
};

template <> struct Dft<8> {
  template <class T> static __device__ __forceinline__ void of(Complex<T> (&v)[8]) {
    const T half = T(0.70710678118654752440);
    dft_4(v[0], v[2], v[4], v[6]);
    dft_4(v[1], v[3], v[5], v[7]);
    const Complex<T> a = v[1], b = half * Complex<T>{v[3].re + v[3].im, v[3].im - v[3].re}, c = quarter_back(v[5]),
                     d = half * Complex<T>{v[7].im - v[7].re, -(v[7].re + v[7].im)};
    const Complex<T> even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {a, b, c, d};
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      v[k] = even[k] + odd[k];
      v[k + 4] = even[k] - odd[k];
    }
  }
};

template <> struct Dft<16> {
  template <class T> static __device__ __forceinline__ void of(Complex<T> (&v)[16]) {
    // The value w[n] is e^(-2 pi i n / 16), for n = 0 to 9.
    const T c = T(0.92387953251128675613), s = T(0.38268343236508977173), h = T(0.70710678118654752440);
    const Complex<T> w[10] = {{T(1), T(0)}, {c, -s}, {h, -h}, {s, -c}, {T(0), T(-1)},
                              {-s, -c}, {-h, -h}, {-c, -s}, {T(-1), T(0)}, {-c, s}};
#pragma unroll
    for (unsigned b = 0; b < 4; ++b) {
      dft_4(v[b], v[b + 4], v[b + 8], v[b + 12]);
      if (b == 0) continue;
#pragma unroll
      for (unsigned k = 1; k < 4; ++k) v[b + 4 * k] = w[b * k] * v[b + 4 * k];
    }
    Complex<T> out[16];
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      dft_4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) out[k + 4 * n] = v[4 * k + n];
    }
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) v[k] = out[k];
  }
};

// Transforms A * B values without twiddle factors; A and B must have no common factor (Good 1958,
// doi:10.1111/j.2517-6161.1958.tb00300.x).
template <unsigned A, unsigned B> struct DftOfPrimeFactors {
  // Returns the number below of * other that has the remainder 1 modulo `of` and the remainder 0 modulo `other`.
  __device__ static constexpr unsigned unit(unsigned of, unsigned other) {
    unsigned n = other;
    while (n % of != 1) n += other;
    return n;
  }

  template <class T> static __device__ __forceinline__ void of(Complex<T> (&v)[A * B]) {
    constexpr unsigned of_a = unit(A, B), of_b = unit(B, A);
    Complex<T> table[B][A];
#pragma unroll
    for (unsigned b = 0; b < B; ++b) {
#pragma unroll
      for (unsigned a = 0; a < A; ++a) table[b][a] = v[(B * a + A * b) % (A * B)];
      Dft<A>::of(table[b]);
    }
#pragma unroll
    for (unsigned a = 0; a < A; ++a) {
      Complex<T> column[B];
#pragma unroll
      for (unsigned b = 0; b < B; ++b) column[b] = table[b][a];
      Dft<B>::of(column);
#pragma unroll
      for (unsigned b = 0; b < B; ++b) v[(of_a * a + of_b * b) % (A * B)] = column[b];
    }
  }
};

template <> struct Dft<6> : DftOfPrimeFactors<3, 2> {};
template <> struct Dft<10> : DftOfPrimeFactors<5, 2> {};
template <> struct Dft<12> : DftOfPrimeFactors<4, 3> {};
template <> struct Dft<15> : DftOfPrimeFactors<5, 3> {};

template <unsigned R, class T> __device__ __forceinline__ void dft(Complex<T> (&v)[R]) { Dft<R>::of(v); }

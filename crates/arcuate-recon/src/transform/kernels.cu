// Fourier transforms along one axis of an array, by Stockham's scheme (Cochran et al. 1967,
// doi:10.1109/PROC.1967.5957), whose stages need no permutation. A column is the sequence of complex numbers
// along the axis. Each block of threads stores some columns in shared memory. The first stage reads the
// columns from the array, and the last stage writes them to the array. Padding, cropping, the multiplication
// by coil sensitivities, and a change of the memory layout therefore need no additional time.
//
// A stage of radix R follows stages whose radices have the product `span`. Butterfly b of a column of length
// L reads the numbers with the indices b + r L / R for r from 0 to R − 1. It multiplies them by e^(−2πi r k /
// (R span)), with k = b mod span. It writes their transform to the indices (b − k) R + k + r span.
#include "cuda.cuh"
#include "dft.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS 256

// Parameters of a transform. A column has the number outer · inner_count + inner. All strides are in complex
// numbers.
struct TransformPlan {
  // The radices of all stages, each minus one, with four bits per stage. The lowest bits contain the radix of
  // the first stage.
  u64 radices;
  u64 in_outer, out_outer;
  // Distance in memory from one of the summed volumes to the next, and from one coil sensitivity map to the
  // next.
  u64 in_summed, map_stride;
  // Length of the axis, number of elements of a column that are read (the others are 0), and number of
  // elements that are written.
  u32 length, count_in, count_out;
  u32 stages;
  u32 columns, inner_count;
  u32 in_inner, in_element, out_inner, out_element;
  // Base-2 logarithm of the number of columns that a block transforms, and distance between two columns in
  // shared memory.
  u32 block_columns, pitch;
  // Number of volumes that are summed.
  u32 summed;
  // Number of columns that have their own rows of the spectrum. After them, the next columns use the same
  // rows again.
  u32 spectrum_columns;
  u32 flags;
  // 1 if the first volume is added to the values that the output already has. 0 if the first volume
  // overwrites these values.
  u32 adds;
};

// Flags: neighbouring threads read (or write) neighbouring columns. Without the flag, they read or write
// neighbouring elements of one column.
#define READS_ACROSS 1u
#define WRITES_ACROSS 2u
// Flag: the kernel computes the inverse transform, without a scale factor.
#define INVERSE 4u
// Flag: the output of the transform is multiplied by the conjugate coil maps. Without the flag, the input is
// multiplied by the coil maps.
#define MAPS_BEHIND 8u

// Integer division by a fixed divisor, without a division instruction. The result is correct if number ·
// divisor < 2^32.
struct Divisor {
  u32 by, factor;
  __device__ __forceinline__ explicit Divisor(u32 by) : by(by), factor(0xffffffffu / by + 1u) {}
  __device__ __forceinline__ u32 divide(u32 number) const { return by == 1u ? number : __umulhi(number, factor); }
};

// Number of stages, and length, of a transform whose radices are known at compile time. The radices are
// encoded as in TransformPlan. RADICES is 0 in a kernel that supports any radices.
__device__ constexpr u32 stages_of(u64 radices) { return radices ? 1u + stages_of(radices >> 4) : 0u; }
__device__ constexpr u32 length_of(u64 radices) { return radices ? ((u32)(radices & 15u) + 1u) * length_of(radices >> 4) : 1u; }

// Computes the transform of the columns of one block. The threads of a block wait for each other at barriers.
// All threads of the block must reach each barrier.
template <class T, u64 RADICES> struct Transform {
  typedef Complex<T> C;

  static constexpr u32 STAGES = stages_of(RADICES), LENGTH = length_of(RADICES);

  TransformPlan plan;
  // The twiddle factors in shared memory. Threads may read them after the first barrier.
  const C* twiddles;
  const C* maps;
  const T* spectrum;
  const C* in;
  C* out;
  C* shared;
  u32 first;

  __device__ __forceinline__ u32 length() const { return RADICES ? LENGTH : plan.length; }

  __device__ __forceinline__ u32 block_columns() const { return 1u << plan.block_columns; }

  // After every 16 numbers, one position is left empty, so that accesses with a stride of 16 use all memory
  // banks.
  __device__ __forceinline__ u32 place(u32 column, u32 element) const {
    return column * plan.pitch + element + (element >> 4);
  }

  // Reads the inputs of a butterfly from the array. The inputs are `step` numbers apart.
  template <u32 R>
  __device__ __forceinline__ void gather(u32 column, u32 element, u32 step, u32 volume, bool inverse, C (&v)[R]) const {
    const bool there = column < plan.columns;
    const u32 outer = column / plan.inner_count, inner = column - outer * plan.inner_count;
    const u64 at = (u64)inner * plan.in_inner + (u64)element * plan.in_element, apart = (u64)step * plan.in_element;
    const C* const from = in + outer * plan.in_outer + volume * plan.in_summed + at;
#pragma unroll
    for (u32 r = 0; r < R; ++r) v[r] = there && element + r * step < plan.count_in ? from[r * apart] : C{T(0), T(0)};
    if (maps && !(plan.flags & MAPS_BEHIND)) {
      const C* const map = maps + outer * plan.map_stride + at;
#pragma unroll
      for (u32 r = 0; r < R; ++r) {
        if (there && element + r * step < plan.count_in) v[r] = map[r * apart] * v[r];
      }
    }
    if (inverse) swap(v);
  }

  // Writes the outputs of a butterfly to the array. The outputs are `step` numbers apart.
  template <u32 R>
  __device__ __forceinline__ void scatter(u32 column, u32 element, u32 step, u32 volume, bool inverse, C (&v)[R]) const {
    if (column >= plan.columns) return;
    const u32 outer = column / plan.inner_count, inner = column - outer * plan.inner_count;
    const u64 at = (u64)inner * plan.out_inner + (u64)element * plan.out_element, apart = (u64)step * plan.out_element;
    C* const to = out + outer * plan.out_outer + at;
    if (inverse) swap(v);
    if (maps && plan.flags & MAPS_BEHIND) {
      const C* const map = maps + volume * plan.map_stride + at;
#pragma unroll
      for (u32 r = 0; r < R; ++r) {
        if (element + r * step < plan.count_out) v[r] = conjugate(map[r * apart]) * v[r];
      }
    }
    const bool adds = volume > 0u || plan.adds;
#pragma unroll
    for (u32 r = 0; r < R; ++r) {
      if (element + r * step < plan.count_out) to[r * apart] = adds ? to[r * apart] + v[r] : v[r];
    }
  }

  template <u32 R> static __device__ __forceinline__ void swap(C (&v)[R]) {
#pragma unroll
    for (u32 r = 0; r < R; ++r) v[r] = swapped(v[r]);
  }

  // Computes one stage. If `from` is null, the stage reads the columns from the array. If `to` is null, the
  // stage writes the columns to the array.
  template <u32 R>
  __device__ __forceinline__ void stage(u32 span, const C* from, C* to, u32 volume, bool inverse, bool multiplies) const {
    const u32 count = length() / R, turn = count / span;
    const Divisor by_count(count), by_span(span);
    // In the stages between the first and the last one, neighbouring threads process neighbouring columns, so
    // that they share twiddle factors. In the stage with the spectrum, neighbouring threads process elements
    // of one column, which are next to each other in a row of the spectrum.
    const bool across = !from ? plan.flags & READS_ACROSS : to ? !multiplies : plan.flags & WRITES_ACROSS;
    for (u32 n = threadIdx.x; n < count << plan.block_columns; n += THREADS) {
      u32 column, b;
      if (across) {
        b = n >> plan.block_columns;
        column = n & (block_columns() - 1u);
      } else {
        column = by_count.divide(n);
        b = n - column * count;
      }
      C v[R];
      if (from) {
#pragma unroll
        for (u32 r = 0; r < R; ++r) v[r] = from[place(column, b + r * count)];
      } else {
        gather(first + column, b, count, volume, inverse, v);
      }
      const u32 k = b - by_span.divide(b) * span;
      if (span > 1u) {
#pragma unroll
        for (u32 r = 1; r < R; ++r) v[r] = twiddles[r * k * turn] * v[r];
      }
      dft<R>(v);
      u32 begin = (b - k) * R + k, step = span;
      if (multiplies) {
        // This is the last stage of the forward transform. Each thread already has the inputs of the first
        // stage of the inverse transform.
        const T* const row = spectrum + (u64)((first + column) % plan.spectrum_columns) * length();
        const bool there = first + column < plan.columns;
#pragma unroll
        for (u32 r = 0; r < R; ++r) v[r] = there ? swapped(row[b + r * count] * v[r]) : v[r];
        dft<R>(v);
        begin = b * R;
        step = 1u;
      }
      if (to) {
#pragma unroll
        for (u32 r = 0; r < R; ++r) to[place(column, begin + r * step)] = v[r];
      } else {
        scatter(first + column, begin, step, volume, inverse || multiplies, v);
      }
    }
  }

  __device__ __forceinline__ void stage_of(
      u32 radix, u32 span, const C* from, C* to, u32 volume, bool inverse, bool multiplies) const {
    switch (radix) {
      case 1: return stage<1>(span, from, to, volume, inverse, multiplies);
      case 2: return stage<2>(span, from, to, volume, inverse, multiplies);
      case 3: return stage<3>(span, from, to, volume, inverse, multiplies);
      case 4: return stage<4>(span, from, to, volume, inverse, multiplies);
      case 5: return stage<5>(span, from, to, volume, inverse, multiplies);
      case 6: return stage<6>(span, from, to, volume, inverse, multiplies);
      case 8: return stage<8>(span, from, to, volume, inverse, multiplies);
      case 10: return stage<10>(span, from, to, volume, inverse, multiplies);
      case 12: return stage<12>(span, from, to, volume, inverse, multiplies);
      case 15: return stage<15>(span, from, to, volume, inverse, multiplies);
      default: return stage<16>(span, from, to, volume, inverse, multiplies);
    }
  }

  __device__ __forceinline__ u32 radix(u32 n) const {
    return (u32)((RADICES ? RADICES : plan.radices) >> 4u * n & 15u) + 1u;
  }

  // Computes stage n of `stages` stages. The first `there` stages belong to the forward transform. The
  // inverse transform has the same radices in reverse order. The last stage of the forward transform and the
  // first stage of the inverse transform are combined into one stage.
  template <bool CONVOLVES>
  __device__ __forceinline__ void one(u32 n, u32 there, u32 stages, u32 volume, u32* span) const {
    C* const other = shared + ((u64)plan.pitch << plan.block_columns);
    const bool back = n >= there, multiplies = CONVOLVES && n + 1u == there;
    const u32 r = radix(back ? 2u * there - 2u - n : n);
    const C* const from = n == 0 ? nullptr : n & 1u ? shared : other;
    C* const to = n + 1u == stages ? nullptr : n & 1u ? other : shared;
    stage_of(r, *span, from, to, volume, back || plan.flags & INVERSE, multiplies);
    *span = multiplies ? r : *span * r;
    __syncthreads();
  }

  // Computes the forward transform. For a convolution, also computes the inverse transform.
  template <bool CONVOLVES> __device__ __forceinline__ void all() const {
    const u32 there = RADICES ? STAGES : plan.stages, stages = CONVOLVES ? 2u * there - 1u : there;
    for (u32 volume = 0; volume < plan.summed; ++volume) {
      u32 span = 1u;
      if (RADICES) {
#pragma unroll
        for (u32 n = 0; n < stages; ++n) one<CONVOLVES>(n, there, stages, volume, &span);
      } else {
#pragma unroll 1
        for (u32 n = 0; n < stages; ++n) one<CONVOLVES>(n, there, stages, volume, &span);
      }
    }
  }
};

template <class T, bool CONVOLVES, u64 RADICES>
__device__ __forceinline__ void run(
    const TransformPlan& plan, const T* twiddles, const T* maps, const T* spectrum, const T* in, T* out) {
  DYNAMIC_SHARED(Complex<T>, shared);
  typedef const Complex<T>* From;
  // The twiddle factors may be loaded here, because no thread reads them before the first barrier.
  const u32 buffers = CONVOLVES || plan.stages > 2u ? 2u : 1u;
  Complex<T>* const kept = shared + buffers * ((u64)plan.pitch << plan.block_columns);
  for (u32 n = threadIdx.x; n < plan.length; n += THREADS) kept[n] = reinterpret_cast<From>(twiddles)[n];
  const Transform<T, RADICES> work = {
      plan, kept, reinterpret_cast<From>(maps), spectrum, reinterpret_cast<From>(in),
      reinterpret_cast<Complex<T>*>(out), shared, blockIdx.x << plan.block_columns};
  work.template all<CONVOLVES>();
}

// fourier_transform computes the transform of `in` and writes it to `out`. fourier_convolve computes the
// forward transform, the product with the spectrum, and the inverse transform. In fourier_convolve, `in` and
// `out` may be the same array. `twiddles` has e^(−2πi n / length) for n from 0 to length − 1. `maps` may be
// null. Special kernels exist for some lengths; the kernel with the length 0 supports any length.
#define KERNELS(T, NAME, LENGTH, RADICES, THERE, BOTH)                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS, THERE) fourier_transform_##NAME##_##LENGTH(                  \
        TransformPlan plan, const T* __restrict__ twiddles, const T* __restrict__ maps, const T* in, T* out) {         \
      run<T, false, RADICES>(plan, twiddles, maps, nullptr, in, out);                                                  \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS, BOTH) fourier_convolve_##NAME##_##LENGTH(                    \
        TransformPlan plan, const T* __restrict__ twiddles, const T* __restrict__ spectrum, const T* in, T* out) {     \
      run<T, true, RADICES>(plan, twiddles, nullptr, spectrum, in, out);                                               \
    }
// Each compiled kernel increases the size of the program. Double precision is used less often, so that only
// the kernel for any length exists.
KERNELS(float, f32, 0, 0, 3, 2)
KERNELS(float, f32, 128, 0x7f, 3, 2)
KERNELS(float, f32, 192, 0xbf, 3, 2)
KERNELS(float, f32, 256, 0xff, 3, 2)
KERNELS(float, f32, 384, 0x577, 3, 2)
KERNELS(float, f32, 512, 0x777, 3, 2)
KERNELS(double, f64, 0, 0, 1, 1)

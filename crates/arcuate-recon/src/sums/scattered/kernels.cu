// Exact Fourier sums between any places: out(b) = factor Σ_a values(a) e^(2πi a·b), every pair with a sine and a cosine of its
// own. A block's threads have some places b each, and read the places a, a tile at a time, through shared memory.
//
// Phases are whole numbers: along each axis a and b are multiples of powers of two, whose product over all axes is the same 2^−scale
// of a turn; whole turns go by themselves, and 23 bits of the fraction become a number of [1, 2). Sums go to sums of their own
// every FLUSHED places, so that neither tiles nor launches show.
#include "cuda.cuh"
#include "elementary.cuh"
#include "elementary_single.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS 256
#define TILE 256u
#define FLUSHED 128u

// What is summed: places a from `first` to `end`, a multiple of FLUSHED apart but for the last launch.
struct ScatteredPlan {
  u32 first, end, to_count;
  // Bits of the phase below those that are kept, at most 31.
  u32 shift;
  // Whether sums of an earlier launch are gone on with; whether a later one goes on with these.
  u32 resumes, goes_on;
};

// Sine and cosine of the phase `whole` / 2^(shift + 23) of a turn, times −1: half a turn further.
template <bool HARDWARE>
__device__ __forceinline__ void behind_half_a_turn(long long whole, u32 shift, float* sine, float* cosine) {
  const u32 bits = __funnelshift_r((u32)whole, (u32)((u64)whole >> 32), shift) & 0x7fffffu;
  const float turns = __uint_as_float(bits | 0x3f800000u);
  if (HARDWARE) {
    // Within 5e-7 on a turn.
    __sincosf(fmaf(turns, 6.2831855f, -9.424778f), sine, cosine);
  } else {
    single_sin_cos_turns(turns - 1.5f, sine, cosine);
  }
}

// A thread's places are THREADS apart.
template <bool HARDWARE, u32 PLACES>
__device__ __forceinline__ void sum_single(
    const ScatteredPlan& plan, const int4* from, const float2* values, const int4* to, float factor, float2* out) {
  __shared__ int4 places[TILE];
  __shared__ float2 tile[TILE];
  const u32 first = blockIdx.x * THREADS * PLACES + threadIdx.x;
  int4 b[PLACES];
  float2 totals[PLACES], sums[PLACES];
#pragma unroll
  for (u32 n = 0; n < PLACES; ++n) {
    const u32 at = first + n * THREADS;
    const bool there = at < plan.to_count;
    b[n] = there ? to[at] : make_int4(0, 0, 0, 0);
    totals[n] = there && plan.resumes ? out[at] : make_float2(0.f, 0.f);
    sums[n] = make_float2(0.f, 0.f);
  }
  // What is cut off is rounded.
  const long long half = plan.shift ? 1ll << (plan.shift - 1u) : 0ll;
  for (u32 begin = plan.first; begin < plan.end; begin += TILE) {
    const u32 mine = begin + threadIdx.x;
    places[threadIdx.x] = mine < plan.end ? from[mine] : make_int4(0, 0, 0, 0);
    tile[threadIdx.x] = mine < plan.end ? values[mine] : make_float2(0.f, 0.f);
    __syncthreads();
    for (u32 part = 0; part < TILE; part += FLUSHED) {
#pragma unroll 4
      for (u32 m = part; m < part + FLUSHED; ++m) {
        const int4 a = places[m];
        const float2 value = tile[m];
#pragma unroll
        for (u32 n = 0; n < PLACES; ++n) {
          const long long whole = (long long)a.x * b[n].x + ((long long)a.y * b[n].y + ((long long)a.z * b[n].z + half));
          float sine, cosine;
          behind_half_a_turn<HARDWARE>(whole, plan.shift, &sine, &cosine);
          sums[n].x = fmaf(value.x, cosine, fmaf(-value.y, sine, sums[n].x));
          sums[n].y = fmaf(value.x, sine, fmaf(value.y, cosine, sums[n].y));
        }
      }
#pragma unroll
      for (u32 n = 0; n < PLACES; ++n) {
        totals[n].x += sums[n].x;
        totals[n].y += sums[n].y;
        sums[n] = make_float2(0.f, 0.f);
      }
    }
    __syncthreads();
  }
  const float scale = plan.goes_on ? 1.f : -factor;
#pragma unroll
  for (u32 n = 0; n < PLACES; ++n) {
    const u32 at = first + n * THREADS;
    if (at < plan.to_count) out[at] = make_float2(scale * totals[n].x, scale * totals[n].y);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) scattered_hardware(
    ScatteredPlan plan, const int4* __restrict__ from, const float2* __restrict__ values, const int4* __restrict__ to, float factor,
    float2* out) {
  sum_single<true, 4>(plan, from, values, to, factor, out);
}

extern "C" __global__ void __launch_bounds__(THREADS) scattered_own(
    ScatteredPlan plan, const int4* __restrict__ from, const float2* __restrict__ values, const int4* __restrict__ to, float factor,
    float2* out) {
  sum_single<false, 4>(plan, from, values, to, factor, out);
}

// The same in double precision throughout. A place is three numbers and a 0.
extern "C" __global__ void __launch_bounds__(THREADS) scattered_double(
    ScatteredPlan plan, const double4* __restrict__ from, const double2* __restrict__ values, const double4* __restrict__ to,
    double factor, double2* out) {
  __shared__ double4 places[TILE];
  __shared__ double2 tile[TILE];
  const u32 at = blockIdx.x * THREADS + threadIdx.x;
  const bool there = at < plan.to_count;
  double4 b = {0.0, 0.0, 0.0, 0.0};
  double2 total = {0.0, 0.0};
  if (there) b = to[at];
  if (there && plan.resumes) total = out[at];
  for (u32 begin = plan.first; begin < plan.end; begin += TILE) {
    const u32 mine = begin + threadIdx.x;
    double4 place = {0.0, 0.0, 0.0, 0.0};
    double2 own = {0.0, 0.0};
    if (mine < plan.end) {
      place = from[mine];
      own = values[mine];
    }
    places[threadIdx.x] = place;
    tile[threadIdx.x] = own;
    __syncthreads();
    for (u32 part = 0; part < TILE; part += FLUSHED) {
      double2 sum = {0.0, 0.0};
      for (u32 m = part; m < part + FLUSHED; ++m) {
        const double4 a = places[m];
        const double2 value = tile[m];
        const double turns = fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
        double sine, cosine;
        elementary_sin_cos_turns(turns, &sine, &cosine);
        sum.x = fma(value.x, cosine, fma(-value.y, sine, sum.x));
        sum.y = fma(value.x, sine, fma(value.y, cosine, sum.y));
      }
      total.x += sum.x;
      total.y += sum.y;
    }
    __syncthreads();
  }
  const double scale = plan.goes_on ? 1.0 : factor;
  total.x *= scale;
  total.y *= scale;
  if (there) out[at] = total;
}

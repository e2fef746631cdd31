// Exact Fourier sums between arbitrary positions: out(b) = factor Σ_a values(a) e^(2πi a·b). Here, a are the
// input positions and b the output positions. Each pair of positions a and b needs its own sine and cosine.
// Each thread computes the sums at some positions b. The positions a are read through shared memory, one tile
// at a time.
//
// Integer overflow removes whole turns of the phase a·b. Along each axis, the coordinate of a is an integer
// (at most 128) times 2^−e, plus a remainder of at most half of 2^−e. The coordinate of b is an integer times
// 2^(e−32). The product of the two integers modulo 2^32 is the phase as a fraction of a turn, exact to its
// last bits. The product of the remainder and the coordinate of b is small, so that single precision suffices
// for it.
//
// If 256 positions b are close together, phases are computed relative to the centre of these positions. The
// values are multiplied once by the phase factors of the centre, for all 256 positions. The remaining phase
// of a pair is at most a few turns, and needs three multiplications in single precision. The speed is then
// limited by the special function units, which compute sines and cosines.
//
// Partial sums are added to separate totals after every FLUSHED positions, so that results do not depend on
// the tiles or launches.
#include "cuda.cuh"
#include "elementary.cuh"
#include "elementary_single.cuh"

typedef unsigned u32;

#define THREADS 256
#define TILE 256u
#define FLUSHED 128u
// Constants of the kernels for output positions that are close together. A warp (32 threads) computes the
// output positions of one group.
#define NEAR_THREADS 256
#define NEAR_PLACES 8u
#define GROUP (32u * NEAR_PLACES)

// Parameters of a launch. The launch adds the terms of the input positions a from `first` to `end`. Their
// number is a multiple of FLUSHED, except in the last launch.
struct ScatteredPlan {
  u32 first, end, to_count;
  // `resumes` is 1 if this launch adds to the sums of an earlier launch. `goes_on` is 1 if a later launch
  // adds to the sums of this launch.
  u32 resumes, goes_on;
};

// An input position a or an output position b, stored as two int4 in memory.
struct Place {
  int4 whole;
  // For a position a, the remainder of each coordinate. For a position b, the whole coordinate. Both are in
  // the unit of the integers that `whole` contains.
  float4 rest;
};

__device__ __forceinline__ Place place(const int4* from, u32 n) {
  return {from[2u * n], reinterpret_cast<const float4*>(from)[2u * n + 1u]};
}

__device__ __forceinline__ Place no_place() { return {make_int4(0, 0, 0, 0), make_float4(0.f, 0.f, 0.f, 0.f)}; }

// Returns the phase of a pair of positions in units of 2^−32 turns, without most of the whole turns.
__device__ __forceinline__ float phase(const Place& a, const Place& b) {
  // The product of unsigned integers overflows, which removes whole turns.
  const u32 whole = (u32)a.whole.x * (u32)b.whole.x + (u32)a.whole.y * (u32)b.whole.y + (u32)a.whole.z * (u32)b.whole.z;
  return fmaf(a.rest.x, b.rest.x, fmaf(a.rest.y, b.rest.y, fmaf(a.rest.z, b.rest.z, (float)(int)whole)));
}

__device__ __forceinline__ void add_turned(float2 value, float sine, float cosine, float2* sum) {
  sum->x = fmaf(value.x, cosine, fmaf(-value.y, sine, sum->x));
  sum->y = fmaf(value.x, sine, fmaf(value.y, cosine, sum->y));
}

// Computes sums with a separate phase for each pair of positions. A thread computes several output positions,
// whose indices are THREADS apart.
template <bool HARDWARE, u32 PLACES>
__device__ __forceinline__ void sum_far(
    const ScatteredPlan& plan, const int4* from, const float2* values, const int4* to, float factor, float2* out) {
  __shared__ Place places[TILE];
  __shared__ float2 tile[TILE];
  const u32 first = blockIdx.x * THREADS * PLACES + threadIdx.x;
  Place b[PLACES];
  float2 totals[PLACES], sums[PLACES];
#pragma unroll
  for (u32 n = 0; n < PLACES; ++n) {
    const u32 at = first + n * THREADS;
    const bool there = at < plan.to_count;
    b[n] = there ? place(to, at) : no_place();
    totals[n] = there && plan.resumes ? out[at] : make_float2(0.f, 0.f);
    sums[n] = make_float2(0.f, 0.f);
  }
  for (u32 begin = plan.first; begin < plan.end; begin += TILE) {
    const u32 mine = begin + threadIdx.x;
    places[threadIdx.x] = mine < plan.end ? place(from, mine) : no_place();
    tile[threadIdx.x] = mine < plan.end ? values[mine] : make_float2(0.f, 0.f);
    __syncthreads();
    for (u32 part = 0; part < TILE; part += FLUSHED) {
#pragma unroll 4
      for (u32 m = part; m < part + FLUSHED; ++m) {
        const Place a = places[m];
        const float2 value = tile[m];
#pragma unroll
        for (u32 n = 0; n < PLACES; ++n) {
          const float turned = phase(a, b[n]);
          float sine, cosine;
          if (HARDWARE) {
            __sincosf(turned * 1.4629180792671596e-9f, &sine, &cosine);
          } else {
            single_sin_cos_turns(turned * 2.3283064365386963e-10f, &sine, &cosine);
          }
          add_turned(value, sine, cosine, &sums[n]);
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
  const float scale = plan.goes_on ? 1.f : factor;
#pragma unroll
  for (u32 n = 0; n < PLACES; ++n) {
    const u32 at = first + n * THREADS;
    if (at < plan.to_count) out[at] = make_float2(scale * totals[n].x, scale * totals[n].y);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) scattered_hardware(
    ScatteredPlan plan, const int4* __restrict__ from, const float2* __restrict__ values, const int4* __restrict__ to, float factor,
    float2* out) {
  sum_far<true, 3>(plan, from, values, to, factor, out);
}

extern "C" __global__ void __launch_bounds__(THREADS) scattered_own(
    ScatteredPlan plan, const int4* __restrict__ from, const float2* __restrict__ values, const int4* __restrict__ to, float factor,
    float2* out) {
  sum_far<false, 3>(plan, from, values, to, factor, out);
}

// Computes sums for groups of output positions that are close together. Each warp (32 threads) computes one
// group. An output position is stored relative to the centre of its group. Its unit is the phase for a = 1:
// in turns or, for the hardware functions, in radians.
template <bool HARDWARE>
__device__ __forceinline__ void sum_near(
    const ScatteredPlan& plan, const int4* from, const float2* values, const int4* middles, const int4* to, float factor,
    float2* out) {
  __shared__ Place places[FLUSHED];
  __shared__ float4 single[FLUSHED];
  __shared__ float2 tile[FLUSHED];
  // The values at the input positions, multiplied by the phase factors of the group centre of each warp.
  __shared__ float2 turned[NEAR_THREADS / 32][FLUSHED];
  const u32 lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
  const u32 group = blockIdx.x * (NEAR_THREADS / 32) + warp, first = group * GROUP + lane;
  float3 b[NEAR_PLACES];
  float2 totals[NEAR_PLACES];
#pragma unroll
  for (u32 n = 0; n < NEAR_PLACES; ++n) {
    const u32 at = first + 32u * n;
    const bool there = at < plan.to_count;
    const float4 place = there ? reinterpret_cast<const float4*>(to)[at] : make_float4(0.f, 0.f, 0.f, 0.f);
    b[n] = make_float3(place.x, place.y, place.z);
    totals[n] = there && plan.resumes ? out[at] : make_float2(0.f, 0.f);
  }
  for (u32 begin = plan.first; begin < plan.end; begin += FLUSHED) {
    __syncthreads();
    for (u32 m = threadIdx.x; m < FLUSHED; m += NEAR_THREADS) {
      const bool there = begin + m < plan.end;
      const Place a = there ? place(from, begin + m) : no_place();
      places[m] = a;
      single[m] = make_float4(
          (float)a.whole.x + a.rest.x, (float)a.whole.y + a.rest.y, (float)a.whole.z + a.rest.z, 0.f);
      tile[m] = there ? values[begin + m] : make_float2(0.f, 0.f);
    }
    __syncthreads();
    // The group centre is read again each time. Keeping it would use registers that the sums need.
    const Place middle = group * GROUP < plan.to_count ? place(middles, group) : no_place();
    for (u32 m = lane; m < FLUSHED; m += 32u) {
      float sine, cosine;
      single_sin_cos_turns(phase(places[m], middle) * 2.3283064365386963e-10f, &sine, &cosine);
      float2 value = make_float2(0.f, 0.f);
      add_turned(tile[m], sine, cosine, &value);
      turned[warp][m] = value;
    }
    __syncwarp();
    float2 sums[NEAR_PLACES];
#pragma unroll
    for (u32 n = 0; n < NEAR_PLACES; ++n) sums[n] = make_float2(0.f, 0.f);
#pragma unroll 2
    for (u32 m = 0; m < FLUSHED; ++m) {
      const float4 a = single[m];
      const float2 value = turned[warp][m];
#pragma unroll
      for (u32 n = 0; n < NEAR_PLACES; ++n) {
        const float left = fmaf(a.x, b[n].x, fmaf(a.y, b[n].y, a.z * b[n].z));
        float sine, cosine;
        if (HARDWARE) {
          __sincosf(left, &sine, &cosine);
        } else {
          single_sin_cos_turns(left, &sine, &cosine);
        }
        add_turned(value, sine, cosine, &sums[n]);
      }
    }
#pragma unroll
    for (u32 n = 0; n < NEAR_PLACES; ++n) {
      totals[n].x += sums[n].x;
      totals[n].y += sums[n].y;
    }
  }
  const float scale = plan.goes_on ? 1.f : factor;
#pragma unroll
  for (u32 n = 0; n < NEAR_PLACES; ++n) {
    const u32 at = first + 32u * n;
    if (at < plan.to_count) out[at] = make_float2(scale * totals[n].x, scale * totals[n].y);
  }
}

extern "C" __global__ void __launch_bounds__(NEAR_THREADS, 2) scattered_near_hardware(
    ScatteredPlan plan, const int4* __restrict__ from, const float2* __restrict__ values, const int4* __restrict__ middles,
    const int4* __restrict__ to, float factor, float2* out) {
  sum_near<true>(plan, from, values, middles, to, factor, out);
}

extern "C" __global__ void __launch_bounds__(NEAR_THREADS, 2) scattered_near_own(
    ScatteredPlan plan, const int4* __restrict__ from, const float2* __restrict__ values, const int4* __restrict__ middles,
    const int4* __restrict__ to, float factor, float2* out) {
  sum_near<false>(plan, from, values, middles, to, factor, out);
}

// Computes sums in double precision. A position is stored as three coordinates and a 0.
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

// GPU kernels that compute moments of segments (sums of spherical harmonics), and the adjoint operation. The
// maximum degree of the harmonics is fixed at compile time. The kernels exist in single precision, for the
// degrees that most acquisitions need.
//
// The kernels compute the same results as `commit_moments` and `commit_adjoint`, which support any degree. In
// the kernels of this file, the recurrences of the harmonics are constants in the code. A work unit has up to
// 1024 segments of one voxel. Each lane (thread of a warp) keeps its sums in registers from the first segment
// of a work unit to the last. The harmonics therefore never go through shared memory.
//
// The harmonics of order m are computed from polynomials q in z, with 1 as the first coefficient of each
// polynomial. The recurrences are: q_m = 1 or z, q_{l+2} = (z² − centre(l, m)) q_l − fall(l, m) q_{l−2}. The
// CPU scales the factors by which the kernels multiply these polynomials accordingly.
#include "barrier.cuh"
#include "cuda.cuh"
#include "harmonics.cuh"

// Returns the square of the coefficient of Y_{l−1}^m in z Y_l^m, for orthonormal harmonics (DLMF 14.10.3).
__device__ __forceinline__ constexpr double coupling(u32 l, u32 m) {
  return l <= m ? 0.0 : (double)(l * l - m * m) / (double)(4 * l * l - 1);
}
__device__ __forceinline__ constexpr float centre(u32 l, u32 m) { return (float)(coupling(l + 1, m) + coupling(l, m)); }
__device__ __forceinline__ constexpr float fall(u32 l, u32 m) {
  return l < 2 ? 0.0f : (float)(coupling(l, m) * coupling(l - 1, m));
}

// Order in which the kernels process the orders m of the harmonics, up to a maximum degree: m = 1, 2, …,
// DEGREE, 0.
template <u32 DEGREE> struct Orders {
  static constexpr u32 HARMONICS = (DEGREE + 1) * (DEGREE + 2) / 2;

  // Returns the order m at place n of the sequence 1, 2, …, DEGREE, 0.
  static constexpr __device__ u32 order(u32 n) { return n == DEGREE ? 0 : n + 1; }
  // Two numbers for the order m at place n of the sequence. The first is the number of polynomials. The
  // second is the number of harmonics, each of which is a polynomial times a cosine or sine (for m = 0, the
  // polynomial alone).
  static constexpr __device__ u32 polynomials(u32 n) { return (DEGREE - (order(n) + (order(n) & 1u))) / 2 + 1; }
  static constexpr __device__ u32 harmonics(u32 n) { return order(n) == 0 ? polynomials(n) : 2 * polynomials(n); }
  // Returns the total number of harmonics of the orders m before place n in the sequence 1, 2, …, DEGREE, 0.
  static constexpr __device__ u32 before(u32 n) {
    u32 sum = 0;
    for (u32 i = 0; i < n; ++i) sum += harmonics(i);
    return sum;
  }
  // Returns the number of operations per segment that the order m at place n of the sequence needs, with K
  // basis functions.
  static constexpr __device__ u32 cost(u32 n, u32 k) {
    return order(n) == 0 ? (3 + k) * polynomials(n) : (3 + 2 * k) * polynomials(n) + 2 * k + 4;
  }
  static constexpr __device__ u32 cost_before(u32 n, u32 k) {
    u32 sum = 0;
    for (u32 i = 0; i < n; ++i) sum += cost(i, k);
    return sum;
  }
  // Divides the sequence of orders m among `warps` warps, so that all warps need about the same number of
  // operations. Returns the first place in the sequence that belongs to the warp number `warp`.
  static constexpr __device__ u32 share(u32 warp, u32 warps, u32 k) {
    u32 n = 0;
    while (n <= DEGREE && warps * (2 * cost_before(n, k) + cost(n, k)) <= 2 * warp * cost_before(DEGREE + 1, k)) ++n;
    return n;
  }
};

// Computes the real and imaginary parts of (x + iy)^M.
template <u32 M> __device__ __forceinline__ void power(float x, float y, float& real, float& imaginary) {
  if constexpr (M == 0) {
    real = 1.0f;
    imaginary = 0.0f;
  } else if constexpr (M == 1) {
    real = x;
    imaginary = y;
  } else if constexpr (M % 2 == 0) {
    float a, b;
    power<M / 2>(x, y, a, b);
    real = fmaf(a, a, -(b * b));
    imaginary = 2.0f * a * b;
  } else {
    float a, b;
    power<M - 1>(x, y, a, b);
    real = fmaf(a, x, -(b * y));
    imaginary = fmaf(a, y, b * x);
  }
}

// The recurrence of the polynomials q in z for the direction of one segment and one order m.
template <u32 M> struct Walk {
  float q, before;

  __device__ __forceinline__ Walk(float z) : q(M & 1u ? z : 1.0f), before(0.0f) {}
  // Computes polynomial number n of this order m from the two preceding polynomials. The number n must not be
  // 0, because the constructor has computed the first polynomial.
  __device__ __forceinline__ void next(float square, u32 n) {
    const u32 l = M + (M & 1u) + 2 * (n - 1);
    const float later = fmaf(square - centre(l, M), q, -(fall(l, M) * before));
    before = q;
    q = later;
  }
};

// ------------------------------------------------------------------------------------------------------------- moments

// Number of warps (32 threads each) that share a work unit, so that the sums of each lane fit into registers.
// It is a multiple of four, because a GPU has four schedulers, each with every fourth warp. Each scheduler
// then executes the code of only one or two warps. The code of all warps would not fit into its instruction
// cache.
template <u32 DEGREE, u32 K> struct Team {
  static constexpr u32 SUMS = Orders<DEGREE>::HARMONICS * K;
  static constexpr u32 WARPS = SUMS <= 480 ? 4 : 8;
  static constexpr u32 THREADS = 32 * WARPS;
  static constexpr u32 BLOCKS = WARPS == 4 ? 3 : 1;
  // Capacity of the ring buffer of waiting segments, as a number of segments. The next constant is the length
  // of a row in the table that has the sums of all lanes.
  static constexpr u32 RING = 2 * THREADS;
  static constexpr u32 PITCH = 36;
};

// Computes sums[harmonic − first of BEGIN][k] += Y(u) amount[k] for one segment and the basis functions k.
// The harmonics are those of places BEGIN to END − 1 in the sequence of orders m. NOW is the current place.
template <u32 DEGREE, u32 K, u32 BEGIN, u32 END, u32 NOW, u32 COUNT>
__device__ __forceinline__ void accumulate(
    float x, float y, float z, float square, float cosine, float sine, const float (&amount)[K], float (&sums)[COUNT]) {
  if constexpr (NOW < END) {
    typedef Orders<DEGREE> All;
    constexpr u32 M = All::order(NOW), FIRST = (All::before(NOW) - All::before(BEGIN)) * K;
    Walk<M> walk(z);
    if constexpr (M == 0) {
#pragma unroll
      for (u32 n = 0; n < All::polynomials(NOW); ++n) {
        if (n > 0) walk.next(square, n);
#pragma unroll
        for (u32 k = 0; k < K; ++k) sums[FIRST + n * K + k] = fmaf(walk.q, amount[k], sums[FIRST + n * K + k]);
      }
    } else {
      float with_cosine[K], with_sine[K];
#pragma unroll
      for (u32 k = 0; k < K; ++k) {
        with_cosine[k] = cosine * amount[k];
        with_sine[k] = sine * amount[k];
      }
#pragma unroll
      for (u32 n = 0; n < All::polynomials(NOW); ++n) {
        if (n > 0) walk.next(square, n);
        const u32 at = FIRST + 2 * n * K;
#pragma unroll
        for (u32 k = 0; k < K; ++k) {
          sums[at + k] = fmaf(walk.q, with_cosine[k], sums[at + k]);
          sums[at + K + k] = fmaf(walk.q, with_sine[k], sums[at + K + k]);
        }
      }
    }
    const float next_cosine = fmaf(cosine, x, -(sine * y)), next_sine = fmaf(cosine, y, sine * x);
    accumulate<DEGREE, K, BEGIN, END, NOW + 1>(x, y, z, square, next_cosine, next_sine, amount, sums);
  }
}

// Shared memory that the warps of one work unit use together.
template <u32 DEGREE, u32 K> struct MomentsMemory {
  typedef Team<DEGREE, K> Of;
  // `ring` is first the ring buffer of waiting segments, with 3 + K numbers for each of RING segments. Later,
  // the same memory has 32 × PITCH numbers for each warp.
  float* ring;
  float* sums; // `sums` has SUMS numbers.
  u32* counting; // `counting` has two numbers for each warp.
  __device__ MomentsMemory(float* memory) {
    const u32 waiting = (3 + K) * Of::RING, ends = Of::WARPS * 32 * Of::PITCH;
    ring = memory;
    sums = ring + (waiting > ends ? waiting : ends);
    counting = reinterpret_cast<u32*>(sums + Of::SUMS);
  }
};

// Number of the barrier at which the warps of a work unit wait for each other. A numbered barrier is needed
// because each of these warps runs its own code.
#define TEAM 1

// Computes the moments of the harmonics of places BEGIN to END − 1 in the sequence of orders m. All warps of
// the block reach the same number of barriers.
template <u32 DEGREE, u32 K, u32 BEGIN, u32 END>
__device__ __forceinline__ void moments_of_places(
    const Unit& unit, const Segment* __restrict__ segments, u32 first_segment, const float* __restrict__ z,
    const MomentsMemory<DEGREE, K>& shared) {
  typedef Team<DEGREE, K> Of;
  typedef Orders<DEGREE> All;
  constexpr u32 COUNT = (All::before(END) - All::before(BEGIN)) * K;
  const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
  float sums[COUNT];
#pragma unroll
  for (u32 n = 0; n < COUNT; ++n) sums[n] = 0.0f;
  u32 head = 0, waiting = 0, turn = 0;
  Segment segment = {0.0f, 0.0f, 0.0f, 0u};
  if (unit.begin + threadIdx.x < unit.end) segment = load_segment(segments + (unit.begin + threadIdx.x - first_segment));
  for (u32 at = unit.begin; at < unit.end || waiting > 0; at += Of::THREADS) {
    if (at < unit.end) {
      const bool mine = at + threadIdx.x < unit.end;
      float amounts[K];
#pragma unroll
      for (u32 k = 0; k < K; ++k) amounts[k] = mine ? z[(u64)segment.element * padded(K) + k] : 0.0f;
      const float x = segment.x, y = segment.y, dz = segment.z;
      const u32 next = at + Of::THREADS + threadIdx.x;
      if (next < unit.end) segment = load_segment(segments + (next - first_segment));
      const float length = sqrtf(fmaf(x, x, fmaf(y, y, dz * dz)));
      bool counts = false;
#pragma unroll
      for (u32 k = 0; k < K; ++k) {
        amounts[k] *= length;
        counts = counts || amounts[k] != 0.0f;
      }
      // Segments of streamlines whose weight is 0 are skipped. This test is the only cost of these segments.
      const u32 counting = __ballot_sync(ALL, counts);
      if (lane == 0) shared.counting[turn * Of::WARPS + warp] = __popc(counting);
      barrier_sync(TEAM, Of::THREADS);
      u32 slot = head + waiting + __popc(counting & ~(ALL << lane));
#pragma unroll
      for (u32 w = 0; w < Of::WARPS; ++w) {
        const u32 of_warp = shared.counting[turn * Of::WARPS + w];
        slot += w < warp ? of_warp : 0;
        waiting += of_warp;
      }
      if (counts) {
        const float inverse = 1.0f / length;
        float* to = shared.ring + (slot & (Of::RING - 1));
        to[0] = x * inverse;
        to[Of::RING] = y * inverse;
        to[2 * Of::RING] = dz * inverse;
#pragma unroll
        for (u32 k = 0; k < K; ++k) to[(3 + k) * Of::RING] = amounts[k];
      }
      barrier_sync(TEAM, Of::THREADS);
      turn ^= 1;
    }
    // Processes batches of 32 waiting segments. If fewer than 32 segments are waiting, they wait for more,
    // except at the end of the work unit.
    const bool last = at + Of::THREADS >= unit.end;
    while (waiting >= 32 || (last && waiting > 0)) {
      const bool inside = lane < waiting;
      const float* from = shared.ring + (head & (Of::RING - 1)) + lane;
      const float x = inside ? from[0] : 0.0f, y = inside ? from[Of::RING] : 0.0f;
      const float dz = inside ? from[2 * Of::RING] : 0.0f;
      float amount[K];
#pragma unroll
      for (u32 k = 0; k < K; ++k) amount[k] = inside ? from[(3 + k) * Of::RING] : 0.0f;
      float cosine, sine;
      power<All::order(BEGIN)>(x, y, cosine, sine);
      accumulate<DEGREE, K, BEGIN, END, BEGIN>(x, y, dz, dz * dz, cosine, sine, amount, sums);
      head += 32;
      waiting -= waiting < 32 ? waiting : 32;
    }
  }
  // No warp reads the ring buffer any more, so its memory now holds the sums of the lanes (threads of a
  // warp). Each warp has a table with one row per sum and one column per lane. Lane n adds up row n.
  barrier_sync(TEAM, Of::THREADS);
  float* mine = shared.ring + warp * 32 * Of::PITCH;
#pragma unroll
  for (u32 first = 0; first < COUNT; first += 32) {
#pragma unroll
    for (u32 n = 0; n < 32; ++n) {
      if (first + n < COUNT) mine[n * Of::PITCH + lane] = sums[first + n];
    }
    __syncwarp();
    if (first + lane < COUNT) {
      const float4* row = reinterpret_cast<const float4*>(mine + lane * Of::PITCH);
      float sum = 0.0f;
#pragma unroll
      for (u32 n = 0; n < 8; ++n) {
        const float4 four = row[n];
        sum += (four.x + four.y) + (four.z + four.w);
      }
      shared.sums[All::before(BEGIN) * K + first + lane] = sum;
    }
    __syncwarp();
  }
}

// Each warp computes its own range of the orders m of the harmonics. The compiler generates separate code for
// each warp.
template <u32 DEGREE, u32 K, u32 WARP>
__device__ __forceinline__ void share_places(
    const Unit& unit, const Segment* __restrict__ segments, u32 first_segment, const float* __restrict__ z,
    const MomentsMemory<DEGREE, K>& shared) {
  constexpr u32 WARPS = Team<DEGREE, K>::WARPS;
  if constexpr (WARP < WARPS) {
    if (threadIdx.x >> 5 == WARP) {
      constexpr u32 BEGIN = Orders<DEGREE>::share(WARP, WARPS, K), END = Orders<DEGREE>::share(WARP + 1, WARPS, K);
      static_assert(BEGIN < END && (WARP + 1 < WARPS || END == DEGREE + 1), "every warp has places, and every place a warp");
      moments_of_places<DEGREE, K, BEGIN, END>(unit, segments, first_segment, z, shared);
    } else {
      share_places<DEGREE, K, WARP + 1>(unit, segments, first_segment, z, shared);
    }
  }
}

// Computes parts[place][row] = Σ_k mix[row][k] Σ_segments ℓ Y_harmonic(row)(u) z[element][k]. The inner sum
// is over the segments of one work unit, and `place` is the index of the work unit. A segment has length ℓ
// and direction u.
template <u32 DEGREE, u32 K>
__device__ __forceinline__ void moments(
    const Work& work, const Unit* __restrict__ all_units, const Segment* __restrict__ segments,
    const float* __restrict__ z, const u32* __restrict__ harmonic, const float* __restrict__ mix, float* parts) {
  DYNAMIC_SHARED(float, memory);
  const MomentsMemory<DEGREE, K> shared(memory);
  const Unit unit = all_units[work.first_unit + blockIdx.x];
  share_places<DEGREE, K, 0>(unit, segments, work.first_segment, z, shared);
  __syncthreads();
  float* mine = parts + (u64)(unit.place - work.first_place) * work.rows;
  write_parts<float, K>(threadIdx.x, Team<DEGREE, K>::THREADS, work.rows, harmonic, mix, shared.sums, mine);
}

// ------------------------------------------------------------------------------------------------------------- adjoint

// Number of segments that a lane (thread of a warp) processes at once. Each value of the array `projections`
// is read once for all of these segments.
#define EACH 2

// Computes products[s][k] += Σ_harmonics Y(u_s) projections[harmonic][k] for the segments s with directions
// u_s. The harmonics are those of place NOW in the sequence of orders m and of all later places.
template <u32 DEGREE, u32 K, u32 NOW>
__device__ __forceinline__ void dot(
    const float (&x)[EACH], const float (&y)[EACH], const float (&z)[EACH], const float (&square)[EACH],
    float (&cosine)[EACH], float (&sine)[EACH], const float* projections, float (&products)[EACH][K]) {
  if constexpr (NOW <= DEGREE) {
    typedef Orders<DEGREE> All;
    constexpr u32 M = All::order(NOW), ROOM = padded(K);
    const float* projection = projections + All::before(NOW) * ROOM;
    // The harmonics of an order m are polynomials times a power of x + iy. The loop first sums the
    // polynomials. Then the sum is multiplied once by the power.
    float with_cosine[EACH][K], with_sine[EACH][K];
#pragma unroll
    for (u32 s = 0; s < EACH; ++s) {
      Walk<M> walk(z[s]);
#pragma unroll
      for (u32 n = 0; n < All::polynomials(NOW); ++n) {
        if (n > 0) walk.next(square[s], n);
#pragma unroll
        for (u32 k = 0; k < K; ++k) {
          if constexpr (M == 0) {
            products[s][k] = fmaf(walk.q, projection[n * ROOM + k], products[s][k]);
          } else {
            const float of_cosine = projection[2 * n * ROOM + k], of_sine = projection[(2 * n + 1) * ROOM + k];
            with_cosine[s][k] = n == 0 ? walk.q * of_cosine : fmaf(walk.q, of_cosine, with_cosine[s][k]);
            with_sine[s][k] = n == 0 ? walk.q * of_sine : fmaf(walk.q, of_sine, with_sine[s][k]);
          }
        }
      }
      if constexpr (M > 0) {
#pragma unroll
        for (u32 k = 0; k < K; ++k) {
          products[s][k] = fmaf(cosine[s], with_cosine[s][k], products[s][k]);
          products[s][k] = fmaf(sine[s], with_sine[s][k], products[s][k]);
        }
        const float later = fmaf(cosine[s], x[s], -(sine[s] * y[s]));
        sine[s] = fmaf(cosine[s], y[s], sine[s] * x[s]);
        cosine[s] = later;
      }
    }
    dot<DEGREE, K, NOW + 1>(x, y, z, square, cosine, sine, projections, products);
  }
}

// Computes raw[element · padded + k] += ℓ Σ_harmonics Y(u) Σ_shells mix[row][k] amplitudes[voxel][row] for
// each segment of each work unit. A segment has length ℓ and direction u, and belongs to the streamline
// `element`.
template <u32 DEGREE, u32 K>
__device__ __forceinline__ void adjoint(
    const Work& work, const Unit* __restrict__ all_units, const Segment* __restrict__ segments,
    const float* __restrict__ amplitudes, const u32* __restrict__ row_of, const float* __restrict__ mix,
    const double* __restrict__ scale_of_sums, u64* raw) {
  constexpr u32 HARMONICS = Orders<DEGREE>::HARMONICS;
  const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
  DYNAMIC_SHARED(float, memory);
  float* projections = memory + warp * ((HARMONICS * padded(K) + 15u) & ~15u);
  const u32 number = blockIdx.x * (blockDim.x >> 5) + warp;
  if (number >= work.units) return;
  const Unit unit = all_units[work.first_unit + number];
  const float* mine = amplitudes + (u64)(unit.voxel - work.first_voxel) * work.rows;
  project<float, K>(lane, HARMONICS, work.shells, row_of, mix, mine, projections);
  __syncwarp();
  const double scale = scale_of_sums[0];
  for (u32 base = unit.begin; base < unit.end; base += 32 * EACH) {
    u32 element[EACH];
    float x[EACH], y[EACH], z[EACH], square[EACH], length[EACH], cosine[EACH], sine[EACH], products[EACH][K];
#pragma unroll
    for (u32 s = 0; s < EACH; ++s) {
      const u32 at = base + 32 * s + lane;
      Segment piece = {0.0f, 0.0f, 0.0f, NONE};
      if (at < unit.end) piece = load_segment(segments + (at - work.first_segment));
      element[s] = piece.element;
      length[s] = sqrtf(fmaf(piece.x, piece.x, fmaf(piece.y, piece.y, piece.z * piece.z)));
      const float inverse = length[s] > 0.0f ? 1.0f / length[s] : 0.0f;
      x[s] = piece.x * inverse;
      y[s] = piece.y * inverse;
      z[s] = piece.z * inverse;
      square[s] = z[s] * z[s];
      cosine[s] = x[s];
      sine[s] = y[s];
#pragma unroll
      for (u32 k = 0; k < K; ++k) products[s][k] = 0.0f;
    }
    dot<DEGREE, K, 0>(x, y, z, square, cosine, sine, projections, products);
#pragma unroll
    for (u32 s = 0; s < EACH; ++s) {
#pragma unroll
      for (u32 k = 0; k < K; ++k) products[s][k] *= length[s];
      add_products<float, K>(lane, element[s], products[s], scale, raw);
    }
  }
}

#define FUNCTIONS(DEGREE, K)                                                                                           \
  extern "C" __global__ void __launch_bounds__(Team<DEGREE, K>::THREADS, Team<DEGREE, K>::BLOCKS)                      \
  commit_moments_f32_##K##_##DEGREE(                                                                                   \
      const Work work, const Unit* __restrict__ all_units, const Segment* __restrict__ segments,                       \
      const float* __restrict__ z, const u32* __restrict__ harmonic, const float* __restrict__ mix, float* parts) {    \
    moments<DEGREE, K>(work, all_units, segments, z, harmonic, mix, parts);                                            \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(128) commit_adjoint_f32_##K##_##DEGREE(                                 \
      const Work work, const Unit* __restrict__ all_units, const Segment* __restrict__ segments,                       \
      const float* __restrict__ amplitudes, const u32* __restrict__ row_of, const float* __restrict__ mix,             \
      const double* __restrict__ scale, u64* raw) {                                                                    \
    adjoint<DEGREE, K>(work, all_units, segments, amplitudes, row_of, mix, scale, raw);                                \
  }

#define UP_TO(DEGREE)                                                                                                  \
  FUNCTIONS(DEGREE, 1)                                                                                                 \
  FUNCTIONS(DEGREE, 2)                                                                                                 \
  FUNCTIONS(DEGREE, 3)                                                                                                 \
  FUNCTIONS(DEGREE, 4)
UP_TO(10)
UP_TO(12)
UP_TO(14)
UP_TO(16)
UP_TO(18)

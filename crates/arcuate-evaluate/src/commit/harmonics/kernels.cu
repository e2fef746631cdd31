// GPU kernels for the products A x and Aᵀ y of COMMIT's linear operator A, in spherical harmonics.
//
// Four kernels compute the product y = A x. `reduce` computes the reduced unknowns z (weights of basis
// functions) from the unknowns x. `moments` sums the harmonics of each work unit, which has up to 1024
// segments of one voxel, and converts the sums into harmonic amplitudes. For each voxel, `amplitudes` adds up
// the amplitudes of all work units and of the isotropic compartments. `synthesis` multiplies these amplitudes
// by the harmonics at the gradient directions of the samples. Four kernels also compute the product q = Aᵀ y.
// `analysis` multiplies the data by the transposed matrix of these harmonics. `isotropic` computes the sums
// of isotropic unknowns, and `adjoint` the sums of reduced unknowns. `expand` converts the sums of z into
// sums of the unknowns x.
//
//
// One warp (32 threads) processes a work unit. A voxel with many segments has many work units, and no thread
// waits for another warp. The harmonics of a segment's direction are computed when they are needed, because
// reading stored harmonics would take longer.
//
// Sums over voxels use 64-bit fixed-point numbers. Integer addition is associative. The result is therefore
// bit-identical for any order of work units, any division of the segments into chunks and any number of GPUs.
#include "cuda.cuh"
#include "harmonics.cuh"

// -------------------------------------------------------------------------------------------------------------
// unknowns

// A group of up to four of the basis functions that approximate the responses of one kind of compartment.
struct Group {
  u32 elements, responses;
  // Number of basis functions of this kind of compartment, index of the group's first basis function, and
  // number of basis functions in the group.
  u32 rank_of_all, first_function, rank;
};

// Computes the reduced unknowns, for the responses j and the basis functions k: `z[element · padded + k] =
// Σ_j x[element · responses + j] · weights[j · rank_of_all + first_function + k]`.
template <class T>
__device__ __forceinline__ void reduce(
    const Group& group, const T* __restrict__ x, const T* __restrict__ weights, T* z) {
  const u32 room = padded(group.rank), first = blockIdx.x * blockDim.x + threadIdx.x;
  for (u32 element = first; element < group.elements; element += gridDim.x * blockDim.x) {
    T sums[4] = {T(0), T(0), T(0), T(0)};
    for (u32 j = 0; j < group.responses; ++j) {
      const T amount = x[(u64)element * group.responses + j];
      const T* of_response = weights + j * group.rank_of_all + group.first_function;
#pragma unroll
      for (u32 k = 0; k < 4; ++k) {
        if (k < group.rank) sums[k] = multiply_add(amount, of_response[k], sums[k]);
      }
    }
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      if (k < room) z[(u64)element * room + k] = sums[k];
    }
  }
}

// Expands sums of reduced unknowns, for the responses j and the basis functions k: `sums[element · responses
// + j] += Σ_k weights[j · rank_of_all + first_function + k] · raw[element · padded + k]`. Each sum is rounded
// to an integer.
extern "C" __global__ void __launch_bounds__(256) commit_expand(
    const Group group, const u64* __restrict__ raw, const double* __restrict__ weights, u64* sums) {
  const u32 room = padded(group.rank), first = blockIdx.x * blockDim.x + threadIdx.x;
  for (u32 element = first; element < group.elements; element += gridDim.x * blockDim.x) {
    for (u32 j = 0; j < group.responses; ++j) {
      const double* of_response = weights + j * group.rank_of_all + group.first_function;
      double sum = 0.0;
      for (u32 k = 0; k < group.rank; ++k) {
        sum = fma(of_response[k], (double)(long long)raw[(u64)element * room + k], sum);
      }
      sums[(u64)element * group.responses + j] += (u64)__double2ll_rn(sum);
    }
  }
}

// -------------------------------------------------------------------------------------------------------------
// segments

// Maximum number of threads of a block. Blocks are smaller if the shared memory of this number of threads
// does not fit.
#define THREADS 256
// Number of harmonics that a warp (32 threads) keeps in shared memory at once, each for 32 segments.
#define SLAB 64

// Maximum degree of the spherical harmonics, number of harmonics, and number of steps of the recurrences that
// compute them.
struct Degree {
  u32 highest, harmonics, steps;
};

// One step of the recurrence of the polynomials q in z, of which the spherical harmonics are multiples. A
// step belongs to one harmonic with m = 0, or to a pair of harmonics with cosine and sine. The orders m
// follow each other as 1, 2, …, then 0, and the degrees of each m ascend. For each m, the first polynomial q
// is `square` if m is even, and `square` · z if m is odd. The next polynomial is (square · z² − constant) · q
// − before · (previous q).
template <class T> struct __align__(16) Step {
  T square, constant, before, unused;
};

// Returns the number of recurrence steps for the harmonics of one order m, without the first step.
__device__ __forceinline__ u32 nexts_of(u32 degree, u32 m) { return (degree - (m + (m & 1u))) / 2; }

// State of the recurrences for one segment: its current polynomial q in z, and the current power of x + iy
// (cosine and sine).
template <class T> struct Recurrence {
  T x, y, z, square, q, before, cosine, sine;

  __device__ __forceinline__ void begin(T dx, T dy, T dz) {
    x = dx;
    y = dy;
    z = dz;
    square = z * z;
    cosine = T(1);
    sine = T(0);
  }
  __device__ __forceinline__ void first(const Step<T>& step, u32 m) {
    q = m & 1u ? step.square * z : step.square;
    before = T(0);
  }
  __device__ __forceinline__ void next_order() {
    const T c = cosine;
    cosine = multiply_add(c, x, -(sine * y));
    sine = multiply_add(c, y, sine * x);
  }
  __device__ __forceinline__ void next(const Step<T>& step) {
    const T rise = multiply_add(step.square, square, -step.constant);
    const T q_next = multiply_add(rise, q, -(step.before * before));
    before = q;
    q = q_next;
  }
};

// Shared memory that a warp (32 threads) uses to sum the moments of a work unit.
template <class T, u32 K> struct MomentsShared {
  static const u32 PITCH = 32 + 16 / sizeof(T);
  T* slab; // `slab` has SLAB × PITCH numbers.
  T* amounts; // `amounts` has K × 64 numbers.
  T* direction; // `direction` has 3 × 64 numbers.
  T* sums; // `sums` has K numbers for each harmonic.
  __device__ static u32 count(u32 harmonics) {
    const u32 all = SLAB * PITCH + 64 * K + 64 * 3 + harmonics * K;
    return (all + 15u) & ~15u;
  }
  __device__ MomentsShared(T* memory) {
    slab = memory;
    amounts = slab + SLAB * PITCH;
    direction = amounts + 64 * K;
    sums = direction + 64 * 3;
  }

  // Computes sums[(first + row) · K + k] += Σ_segments slab[row][segment] · amounts[k][segment]. A row has
  // the values of one harmonic for 32 segments. Each lane (thread) sums ROWS rows, so that each amount is
  // read once for all of them.
  template <u32 ROWS> __device__ __forceinline__ void flush(u32 lane, u32 first, u32 rows) {
    __syncwarp();
    T all[ROWS][K];
#pragma unroll
    for (u32 r = 0; r < ROWS; ++r)
#pragma unroll
      for (u32 k = 0; k < K; ++k) all[r][k] = T(0);
    const T* mine = slab + lane * PITCH;
#pragma unroll 4
    for (u32 at = 0; at < 32; at += Pack<T>::LENGTH) {
      Pack<T> y[ROWS];
#pragma unroll
      for (u32 r = 0; r < ROWS; ++r) y[r].load(mine + r * 32 * PITCH + at);
#pragma unroll
      for (u32 k = 0; k < K; ++k) {
        Pack<T> amount;
        amount.load(amounts + k * 64 + at);
#pragma unroll
        for (u32 r = 0; r < ROWS; ++r)
#pragma unroll
          for (u32 n = 0; n < Pack<T>::LENGTH; ++n) all[r][k] = multiply_add(y[r].v[n], amount.v[n], all[r][k]);
      }
    }
#pragma unroll
    for (u32 r = 0; r < ROWS; ++r) {
      // The rows of the slab from number `rows` on have values of earlier segments, so they are not added.
      if (32 * r + lane < rows) {
        T* to = sums + (first + 32 * r + lane) * K;
#pragma unroll
        for (u32 k = 0; k < K; ++k) to[k] += all[r][k];
      }
    }
    __syncwarp();
  }

  // Adds the contributions of the first 32 waiting segments (in shared memory) to the moments.
  __device__ __forceinline__ void add(u32 lane, u32 degree, const Step<T>* step) {
    Recurrence<T> segment;
    segment.begin(direction[lane], direction[64 + lane], direction[128 + lane]);
    u32 first = 0, rows = 0;
    for (u32 m = 1; m <= degree; ++m) {
      const u32 nexts = nexts_of(degree, m);
      // All harmonics of one order m are in shared memory at the same time. They fit up to degree 62.
      if (rows + 2 * nexts + 2 > SLAB) {
        flush<2>(lane, first, rows);
        first += rows;
        rows = 0;
      }
      T* to = slab + rows * PITCH + lane;
      rows += 2 * nexts + 2;
      segment.next_order();
      segment.first(*step++, m);
      to[0] = segment.q * segment.cosine;
      to[PITCH] = segment.q * segment.sine;
#pragma unroll 2
      for (u32 n = 0; n < nexts; ++n) {
        segment.next(step[n]);
        to += 2 * PITCH;
        to[0] = segment.q * segment.cosine;
        to[PITCH] = segment.q * segment.sine;
      }
      step += nexts;
    }
    const u32 nexts = nexts_of(degree, 0);
    if (rows + nexts + 1 > SLAB) {
      flush<2>(lane, first, rows);
      first += rows;
      rows = 0;
    }
    T* to = slab + rows * PITCH + lane;
    rows += nexts + 1;
    segment.first(*step++, 0);
    to[0] = segment.q;
    for (u32 n = 0; n < nexts; ++n) {
      segment.next(step[n]);
      to += PITCH;
      to[0] = segment.q;
    }
    if (rows > 32) flush<2>(lane, first, rows);
    else flush<1>(lane, first, rows);
  }
};

// Copies the recurrence steps of the harmonics to shared memory. Returns a pointer to the free memory after
// them.
template <class T>
__device__ __forceinline__ T* load_steps(T* shared, u32 count, const Step<T>* __restrict__ all, Step<T>*& steps) {
  steps = reinterpret_cast<Step<T>*>(shared);
  for (u32 n = threadIdx.x; n < count; n += blockDim.x) steps[n] = all[n];
  __syncthreads();
  return reinterpret_cast<T*>(steps + count);
}

// Computes parts[place][row] = Σ_k mix[row][k] Σ_segments ℓ Y_harmonic(row)(u) z[element][k]. The inner sum
// is over the segments of one work unit, and `place` is the index of the work unit. A segment has length ℓ
// and direction u.
template <class T, u32 K>
__device__ __forceinline__ void moments(
    const Work& work, const Degree& degree, const Unit* __restrict__ all_units, const Segment* __restrict__ segments,
    const T* __restrict__ z, const Step<T>* __restrict__ all_steps, const u32* __restrict__ harmonic,
    const T* __restrict__ mix, T* parts) {
  const u32 harmonics = degree.harmonics, first_segment = work.first_segment, rows = work.rows;
  const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
  DYNAMIC_SHARED(T, memory);
  Step<T>* steps;
  T* rest = load_steps(memory, degree.steps, all_steps, steps);
  MomentsShared<T, K> shared(rest + warp * MomentsShared<T, K>::count(harmonics));
  const u32 number = blockIdx.x * (blockDim.x >> 5) + warp;
  if (number >= work.units) return;
  const Unit unit = all_units[work.first_unit + number];
  for (u32 n = lane; n < harmonics * K; n += 32) shared.sums[n] = T(0);
  const u32 room = padded(K);
  u32 waiting = 0;
  Segment segment = {0.0f, 0.0f, 0.0f, 0u};
  if (unit.begin + lane < unit.end) segment = load_segment(segments + (unit.begin + lane - first_segment));
  for (u32 at = unit.begin; at < unit.end; at += 32) {
    T amounts[K];
#pragma unroll
    for (u32 k = 0; k < K; ++k) amounts[k] = at + lane < unit.end ? z[(u64)segment.element * room + k] : T(0);
    const T x = (T)segment.x, y = (T)segment.y, dz = (T)segment.z;
    const u32 next = at + 32 + lane;
    if (next < unit.end) segment = load_segment(segments + (next - first_segment));
    const T length = sqrt(multiply_add(x, x, multiply_add(y, y, dz * dz)));
    bool counts = false;
#pragma unroll
    for (u32 k = 0; k < K; ++k) {
      amounts[k] *= length;
      counts = counts || amounts[k] != T(0);
    }
    // Segments of streamlines whose weight is 0 are skipped. This test is the only cost of these segments.
    const u32 counting = __ballot_sync(ALL, counts);
    if (counts) {
      const u32 slot = waiting + __popc(counting & ~(ALL << lane));
      const T inverse = T(1) / length;
      shared.direction[slot] = x * inverse;
      shared.direction[64 + slot] = y * inverse;
      shared.direction[128 + slot] = dz * inverse;
#pragma unroll
      for (u32 k = 0; k < K; ++k) shared.amounts[k * 64 + slot] = amounts[k];
    }
    waiting += __popc(counting);
    __syncwarp();
    if (waiting >= 32) {
      shared.add(lane, degree.highest, steps);
      waiting -= 32;
      T direction[3], later[K];
#pragma unroll
      for (u32 n = 0; n < 3; ++n) direction[n] = shared.direction[n * 64 + 32 + lane];
#pragma unroll
      for (u32 k = 0; k < K; ++k) later[k] = shared.amounts[k * 64 + 32 + lane];
      if (lane < waiting) {
#pragma unroll
        for (u32 n = 0; n < 3; ++n) shared.direction[n * 64 + lane] = direction[n];
#pragma unroll
        for (u32 k = 0; k < K; ++k) shared.amounts[k * 64 + lane] = later[k];
      }
      __syncwarp();
    }
  }
  if (waiting > 0) {
    if (lane >= waiting) {
#pragma unroll
      for (u32 n = 0; n < 3; ++n) shared.direction[n * 64 + lane] = T(0);
#pragma unroll
      for (u32 k = 0; k < K; ++k) shared.amounts[k * 64 + lane] = T(0);
    }
    __syncwarp();
    shared.add(lane, degree.highest, steps);
  }
  __syncwarp();
  write_parts<T, K>(lane, 32, rows, harmonic, mix, shared.sums, parts + (u64)(unit.place - work.first_place) * rows);
}

// Computes raw[element · padded + k] += ℓ Σ_harmonics Y(u) Σ_shells mix[row][k] amplitudes[voxel][row] for
// each segment of each work unit. A segment has length ℓ and direction u, and belongs to the streamline or
// axis `element`.
template <class T, u32 K>
__device__ __forceinline__ void adjoint(
    const Work& work, const Degree& degree, const Unit* __restrict__ all_units, const Segment* __restrict__ segments,
    const T* __restrict__ amplitudes, const Step<T>* __restrict__ all_steps, const u32* __restrict__ row_of,
    const T* __restrict__ mix, const double* __restrict__ scale_of_sums, u64* raw) {
  const u32 harmonics = degree.harmonics, ROOM = padded(K);
  const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
  DYNAMIC_SHARED(T, memory);
  Step<T>* steps;
  T* rest = load_steps(memory, degree.steps, all_steps, steps);
  T* projections = rest + warp * ((harmonics * ROOM + 15u) & ~15u);
  const u32 number = blockIdx.x * (blockDim.x >> 5) + warp;
  if (number >= work.units) return;
  const Unit unit = all_units[work.first_unit + number];
  const T* of_voxel = amplitudes + (u64)(unit.voxel - work.first_voxel) * work.rows;
  project<T, K>(lane, harmonics, work.shells, row_of, mix, of_voxel, projections);
  __syncwarp();
  const double scale = scale_of_sums[0];
  for (u32 base = unit.begin; base < unit.end; base += 64) {
    // Each lane (thread) processes two segments at a time, so that each value of the array `projections` is
    // read once for both.
    u32 element[2];
    T length[2], products[2][K];
    Recurrence<T> segment[2];
#pragma unroll
    for (u32 s = 0; s < 2; ++s) {
      const u32 at = base + 32 * s + lane;
      Segment piece = {0.0f, 0.0f, 0.0f, NONE};
      if (at < unit.end) piece = load_segment(segments + (at - work.first_segment));
      element[s] = piece.element;
      const T x = (T)piece.x, y = (T)piece.y, z = (T)piece.z;
      length[s] = sqrt(multiply_add(x, x, multiply_add(y, y, z * z)));
      const T inverse = length[s] > T(0) ? T(1) / length[s] : T(0);
      segment[s].begin(x * inverse, y * inverse, z * inverse);
#pragma unroll
      for (u32 k = 0; k < K; ++k) products[s][k] = T(0);
    }
    const T* projection = projections;
    const Step<T>* step = steps;
    for (u32 m = 1; m <= degree.highest; ++m) {
      const u32 nexts = nexts_of(degree.highest, m);
      // The harmonics of an order m are polynomials times a power of x + iy. The loop first sums the
      // polynomials. Then the sum is multiplied once by the power.
      T with_cosine[2][K], with_sine[2][K];
#pragma unroll
      for (u32 s = 0; s < 2; ++s) {
        segment[s].next_order();
        segment[s].first(*step, m);
#pragma unroll
        for (u32 k = 0; k < K; ++k) {
          with_cosine[s][k] = segment[s].q * projection[k];
          with_sine[s][k] = segment[s].q * projection[ROOM + k];
        }
      }
      ++step;
      projection += 2 * ROOM;
#pragma unroll 2
      for (u32 n = 0; n < nexts; ++n) {
        const Step<T> next = step[n];
#pragma unroll
        for (u32 s = 0; s < 2; ++s) segment[s].next(next);
#pragma unroll
        for (u32 k = 0; k < K; ++k) {
          const T of_cosine = projection[k], of_sine = projection[ROOM + k];
#pragma unroll
          for (u32 s = 0; s < 2; ++s) {
            with_cosine[s][k] = multiply_add(segment[s].q, of_cosine, with_cosine[s][k]);
            with_sine[s][k] = multiply_add(segment[s].q, of_sine, with_sine[s][k]);
          }
        }
        projection += 2 * ROOM;
      }
      step += nexts;
#pragma unroll
      for (u32 s = 0; s < 2; ++s)
#pragma unroll
        for (u32 k = 0; k < K; ++k) {
          products[s][k] = multiply_add(segment[s].cosine, with_cosine[s][k], products[s][k]);
          products[s][k] = multiply_add(segment[s].sine, with_sine[s][k], products[s][k]);
        }
    }
    const u32 nexts = nexts_of(degree.highest, 0);
    for (u32 n = 0; n <= nexts; ++n) {
#pragma unroll
      for (u32 s = 0; s < 2; ++s) {
        if (n == 0) segment[s].first(step[0], 0);
        else segment[s].next(step[n]);
#pragma unroll
        for (u32 k = 0; k < K; ++k) products[s][k] = multiply_add(segment[s].q, projection[k], products[s][k]);
      }
      projection += ROOM;
    }
#pragma unroll
    for (u32 s = 0; s < 2; ++s) {
#pragma unroll
      for (u32 k = 0; k < K; ++k) products[s][k] *= length[s];
      add_products<T, K>(lane, element[s], products[s], scale, raw);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------
// voxels

// The voxels of one kernel launch. The first fields are the index of the first voxel on the GPU, the number
// of voxels, and the place of their first work unit. Then follow the numbers of amplitudes (rows), shells,
// samples and isotropic compartments of each voxel.
struct Voxels {
  u32 first, count, first_place;
  u32 rows, shells, samples, isotropic;
};

// Computes amplitudes[voxel][row] = voxel_scale · (Σ_units parts[unit][row] + Σ_j isotropic[j][shell]
// x[voxel][j]). The first sum is over the voxel's work units, and the second over the isotropic responses j.
// The second sum is added only if the row is the constant harmonic of a shell.
template <class T>
__device__ __forceinline__ void amplitudes(
    const Voxels& voxels, const u32* __restrict__ voxel_units, const T* __restrict__ parts,
    const u32* __restrict__ shell_of, const T* __restrict__ isotropic, const T* __restrict__ x,
    const T* __restrict__ voxel_scale, T* out) {
  const u32 rows = voxels.rows;
  const u64 count = (u64)voxels.count * rows;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += (u64)gridDim.x * blockDim.x) {
    const u32 voxel = voxels.first + (u32)(at / rows), row = (u32)(at % rows);
    T sum = T(0);
    for (u32 unit = voxel_units[voxel]; unit < voxel_units[voxel + 1]; ++unit) {
      sum += parts[(u64)(unit - voxels.first_place) * rows + row];
    }
    const u32 shell = shell_of[row];
    if (shell != NONE) {
      for (u32 j = 0; j < voxels.isotropic; ++j) {
        sum = multiply_add(isotropic[j * voxels.shells + shell], x[(u64)voxel * voxels.isotropic + j], sum);
      }
    }
    out[at] = voxel_scale ? voxel_scale[voxel] * sum : sum;
  }
}

// Computes the sums of isotropic unknowns, raw[voxel · count + j] += Σ_shells isotropic[j][shell]
// amplitudes[voxel][constant row of the shell].
template <class T>
__device__ __forceinline__ void isotropic_adjoint(
    const Voxels& voxels, const u32* __restrict__ constant_row, const T* __restrict__ isotropic,
    const T* __restrict__ amplitudes, const double* __restrict__ scale_of_sums, u64* raw) {
  const double scale = scale_of_sums[0];
  const u32 count = voxels.count * voxels.isotropic;
  for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    const u32 voxel = at / voxels.isotropic, j = at % voxels.isotropic;
    const T* of_voxel = amplitudes + (u64)voxel * voxels.rows;
    T sum = T(0);
    for (u32 shell = 0; shell < voxels.shells; ++shell) {
      sum = multiply_add(isotropic[j * voxels.shells + shell], of_voxel[constant_row[shell]], sum);
    }
    add_fixed(raw + (u64)(voxels.first + voxel) * voxels.isotropic + j, (double)sum, scale);
  }
}

// Size of a tile of a matrix product with the harmonics of the samples: 64 voxels × 64 columns. Each thread
// computes 4 × 4 results. The product sums over inner indices in steps of 16. Each column tile has a range of
// inner indices, outside which the matrix is 0. The sums of a voxel are bit-identical for any division of the
// voxels into tiles.
#define TILE 64
#define INNER 16

template <class T, class Source>
__device__ __forceinline__ void tile_product(
    u32 voxels, u32 columns, u32 first_column, u32 begin, u32 end, const T* __restrict__ matrix, Source source,
    T (&sums)[4][4]) {
  __shared__ T left[INNER][TILE + 4];
  __shared__ T right[INNER][TILE];
  const u32 thread = threadIdx.x, row = thread / 16, column = thread % 16;
#pragma unroll
  for (u32 i = 0; i < 4; ++i)
#pragma unroll
    for (u32 j = 0; j < 4; ++j) sums[i][j] = T(0);
  for (u32 inner = begin; inner < end; inner += INNER) {
#pragma unroll
    for (u32 n = thread; n < INNER * TILE; n += 256) {
      const u32 k = n % INNER, voxel = n / INNER;
      left[k][voxel] = voxel < voxels && inner + k < end ? source(voxel, inner + k) : T(0);
    }
#pragma unroll
    for (u32 n = thread; n < INNER * TILE; n += 256) {
      const u32 k = n / TILE, at = n % TILE;
      const bool inside = inner + k < end && first_column + at < columns;
      right[k][at] = inside ? matrix[(u64)(inner + k) * columns + first_column + at] : T(0);
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < INNER; ++k) {
      T a[4], b[4];
#pragma unroll
      for (u32 i = 0; i < 4; ++i) a[i] = left[k][4 * row + i];
#pragma unroll
      for (u32 j = 0; j < 4; ++j) b[j] = right[k][column + 16 * j];
#pragma unroll
      for (u32 i = 0; i < 4; ++i)
#pragma unroll
        for (u32 j = 0; j < 4; ++j) sums[i][j] = multiply_add(a[i], b[j], sums[i][j]);
    }
    __syncthreads();
  }
}

// Flags of a synthesis launch.
#define CARRY 1u // Adds the image to `data`. Without this flag, the image overwrites `data`.
#define KEEP 2u // Also writes the image to `image`.

// Computes the image u = amplitudes · synthesis (A x of some voxels). Sample n of the tables is element
// sample[n] of a voxel's data. Each block writes the sum of its u² and the sum of its data² to `norms`.
template <class T>
__device__ __forceinline__ void synthesis(
    u32 mode, const Voxels& voxels, const u32* __restrict__ ranges, const T* __restrict__ amplitudes,
    const T* __restrict__ matrix, const u32* __restrict__ sample, T* data, T* image, double* norms) {
  const u32 rows = voxels.rows, samples = voxels.samples;
  const u32 first = blockIdx.x * TILE, first_column = blockIdx.y * TILE;
  const u32 here = min(TILE, voxels.count - first);
  const T* mine = amplitudes + (u64)first * rows;
  T sums[4][4];
  auto source = [=](u32 voxel, u32 inner) { return mine[(u64)voxel * rows + inner]; };
  tile_product<T>(here, samples, first_column, ranges[2 * blockIdx.y], ranges[2 * blockIdx.y + 1], matrix, source, sums);
  const u32 row = threadIdx.x / 16, column = threadIdx.x % 16;
  double of_image = 0.0, of_data = 0.0;
#pragma unroll
  for (u32 i = 0; i < 4; ++i)
#pragma unroll
    for (u32 j = 0; j < 4; ++j) {
      const u32 voxel = 4 * row + i, n = first_column + column + 16 * j;
      if (voxel < here && n < samples) {
        const T u = sums[i][j];
        const u64 local = (u64)(first + voxel) * samples + sample[n];
        T* to = data + (u64)voxels.first * samples + local;
        const T value = mode & CARRY ? *to + u : u;
        *to = value;
        if (mode & KEEP) image[local] = u;
        of_image = fma((double)u, (double)u, of_image);
        of_data = fma((double)value, (double)value, of_data);
      }
    }
  if (norms) {
    __shared__ double shared[2][8];
#pragma unroll
    for (u32 distance = 16; distance > 0; distance /= 2) {
      of_image += __shfl_xor_sync(ALL, of_image, distance);
      of_data += __shfl_xor_sync(ALL, of_data, distance);
    }
    if ((threadIdx.x & 31u) == 0) {
      shared[0][threadIdx.x >> 5] = of_image;
      shared[1][threadIdx.x >> 5] = of_data;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
      double all = 0.0;
      for (u32 warp = 0; warp < 8; ++warp) all += shared[threadIdx.x][warp];
      const u64 tile = (u64)(voxels.first + first) / TILE * gridDim.y + blockIdx.y;
      norms[2 * tile + threadIdx.x] = all;
    }
  }
}

// Computes the adjoint of `synthesis`: amplitudes = voxel_scale · u · synthesisᵀ.
template <class T>
__device__ __forceinline__ void analysis(
    const Voxels& voxels, const u32* __restrict__ ranges, const T* __restrict__ image, const T* __restrict__ matrix,
    const u32* __restrict__ sample, const T* __restrict__ voxel_scale, T* amplitudes) {
  const u32 rows = voxels.rows, samples = voxels.samples;
  const u32 first = blockIdx.x * TILE, first_column = blockIdx.y * TILE;
  const u32 here = min(TILE, voxels.count - first);
  const T* mine = image + (u64)first * samples;
  T sums[4][4];
  auto source = [=](u32 voxel, u32 inner) { return mine[(u64)voxel * samples + sample[inner]]; };
  tile_product<T>(here, rows, first_column, ranges[2 * blockIdx.y], ranges[2 * blockIdx.y + 1], matrix, source, sums);
  const u32 row = threadIdx.x / 16, column = threadIdx.x % 16;
#pragma unroll
  for (u32 i = 0; i < 4; ++i)
#pragma unroll
    for (u32 j = 0; j < 4; ++j) {
      const u32 voxel = 4 * row + i, n = first_column + column + 16 * j;
      if (voxel < here && n < rows) {
        const T scale = voxel_scale ? voxel_scale[voxels.first + first + voxel] : T(1);
        amplitudes[(u64)(first + voxel) * rows + n] = scale * sums[i][j];
      }
    }
}

#define SEGMENTS(T, SUFFIX, K)                                                                                         \
  extern "C" __global__ void __launch_bounds__(THREADS) commit_moments_##SUFFIX##_##K(                                 \
      const Work work, const Degree degree, const Unit* __restrict__ all_units, const Segment* __restrict__ segments,  \
      const T* __restrict__ z, const Step<T>* __restrict__ steps, const u32* __restrict__ harmonic,                    \
      const T* __restrict__ mix, T* parts) {                                                                           \
    moments<T, K>(work, degree, all_units, segments, z, steps, harmonic, mix, parts);                                  \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS) commit_adjoint_##SUFFIX##_##K(                                 \
      const Work work, const Degree degree, const Unit* __restrict__ all_units, const Segment* __restrict__ segments,  \
      const T* __restrict__ amplitudes_of_voxels, const Step<T>* __restrict__ steps, const u32* __restrict__ row_of,   \
      const T* __restrict__ mix, const double* __restrict__ scale, u64* raw) {                                         \
    adjoint<T, K>(work, degree, all_units, segments, amplitudes_of_voxels, steps, row_of, mix, scale, raw);            \
  }

#define FAMILY(T, SUFFIX)                                                                                              \
  extern "C" __global__ void __launch_bounds__(256) commit_reduce_##SUFFIX(                                            \
      const Group group, const T* __restrict__ x, const T* __restrict__ weights, T* z) {                               \
    reduce<T>(group, x, weights, z);                                                                                   \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(256) commit_amplitudes_##SUFFIX(                                        \
      const Voxels voxels, const u32* __restrict__ voxel_units, const T* __restrict__ parts,                           \
      const u32* __restrict__ shell_of, const T* __restrict__ isotropic, const T* __restrict__ x,                      \
      const T* __restrict__ voxel_scale, T* out) {                                                                     \
    amplitudes<T>(voxels, voxel_units, parts, shell_of, isotropic, x, voxel_scale, out);                               \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(256) commit_isotropic_##SUFFIX(                                         \
      const Voxels voxels, const u32* __restrict__ constant_row, const T* __restrict__ isotropic,                      \
      const T* __restrict__ amplitudes_of_voxels, const double* __restrict__ scale, u64* raw) {                        \
    isotropic_adjoint<T>(voxels, constant_row, isotropic, amplitudes_of_voxels, scale, raw);                           \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(256) commit_synthesis_##SUFFIX(                                         \
      u32 mode, const Voxels voxels, const u32* __restrict__ ranges, const T* __restrict__ amplitudes_of_voxels,       \
      const T* __restrict__ matrix, const u32* __restrict__ sample, T* data, T* image, double* norms) {                \
    synthesis<T>(mode, voxels, ranges, amplitudes_of_voxels, matrix, sample, data, image, norms);                      \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(256) commit_analysis_##SUFFIX(                                          \
      const Voxels voxels, const u32* __restrict__ ranges, const T* __restrict__ image,                                \
      const T* __restrict__ matrix, const u32* __restrict__ sample, const T* __restrict__ voxel_scale, T* out) {       \
    analysis<T>(voxels, ranges, image, matrix, sample, voxel_scale, out);                                              \
  }                                                                                                                    \
  SEGMENTS(T, SUFFIX, 1)                                                                                               \
  SEGMENTS(T, SUFFIX, 2)                                                                                               \
  SEGMENTS(T, SUFFIX, 3)                                                                                               \
  SEGMENTS(T, SUFFIX, 4)
FAMILY(float, f32)
FAMILY(double, f64)

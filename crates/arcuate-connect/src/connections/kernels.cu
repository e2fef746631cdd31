// Finds the two regions that each streamline connects, and computes the length of the streamline. Each thread
// processes one streamline. The operations and their order are those of `arcuate_core` on the CPU, so the GPU
// and the CPU give identical sums.
#include "cuda.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

// Parameters of the search for the region of an end point: affine mappings from RAS mm to voxels and from
// voxel offsets to mm, and the search radius.
struct Search {
  double to_voxels[12];
  double to_mm[9];
  double radius;
  double reach;
  int shape[3];
  unsigned steps;
  unsigned regions;
  unsigned unused;
};

// One candidate voxel of the search for a region: its offset from the voxel that contains the end point, and
// the distance between these two voxels.
struct Step {
  double far;
  int by[3];
  int unused;
};

// The range of one streamline's points in the array of the points of all streamlines. The memory layout is
// the same as in `arcuate_compute`.
struct StreamlineSpan {
  u64 begin, number;
  u32 points, seed;
};

__device__ __forceinline__ double apply(const double* m, double x, double y, double z)
{
  return m[0] * x + m[1] * y + m[2] * z;
}

// Returns 1 plus the matrix row of the region at a point, or 0 if there is no region.
__device__ u32 row_at(const Search& search, const u32* __restrict__ rows, const Step* __restrict__ steps,
                      const float* __restrict__ point)
{
  double offset[3];
  long long middle[3];
  for (u32 axis = 0; axis < 3; ++axis) {
    const double* m = search.to_voxels + 4 * axis;
    const double place = apply(m, point[0], point[1], point[2]) + m[3];
    const double rounded = floor(place + 0.5);
    // Points with a voxel coordinate of 10⁹ or more are outside the image. The condition is also true for
    // infinities and NaN.
    if (!(fabs(rounded) < 1e9)) return 0;
    offset[axis] = place - rounded;
    middle[axis] = static_cast<long long>(rounded);
  }
  const bool contained = search.radius == 0.0;
  double least = search.radius * search.radius;
  u64 first = 0;
  u32 best = 0;
  for (u32 n = 0; n < search.steps; ++n) {
    const double far = steps[n].far, beyond = far - search.reach;
    if (far > search.reach && beyond * beyond > least) break;
    const long long x = middle[0] + steps[n].by[0], y = middle[1] + steps[n].by[1], z = middle[2] + steps[n].by[2];
    if (x < 0 || y < 0 || z < 0 || x >= search.shape[0] || y >= search.shape[1] || z >= search.shape[2]) continue;
    const u64 index = static_cast<u64>(x)
                      + static_cast<u64>(search.shape[0]) * (static_cast<u64>(y) + static_cast<u64>(search.shape[1]) * z);
    const u32 row = rows[index];
    if (row == 0) continue;
    if (contained) return row;
    const double i = steps[n].by[0] - offset[0], j = steps[n].by[1] - offset[1], k = steps[n].by[2] - offset[2];
    const double a = apply(search.to_mm, i, j, k), b = apply(search.to_mm + 3, i, j, k), c = apply(search.to_mm + 6, i, j, k);
    const double square = a * a + b * b + c * c;
    if (square < least || (best != 0 && square == least && index < first)) {
      least = square;
      first = index;
      best = row;
    }
  }
  return best;
}

// Finds the matrix rows of the two regions that a streamline connects. `low` and `high` are 1 plus the
// smaller and the larger row. `parts` is the streamline's length in units of 1/65536 mm. Returns false if the
// streamline connects no two regions.
__device__ __forceinline__ bool joins(const Search& search, const StreamlineSpan& span, const float* __restrict__ positions,
                                      const u32* __restrict__ rows, const Step* __restrict__ steps, u32& low, u32& high,
                                      u64& parts)
{
  if (span.points < 2) return false;
  const u32 points = span.points;
  const float* at = positions + 3 * span.begin;
  const u32 one = row_at(search, rows, steps, at);
  const u32 other = one == 0 ? 0 : row_at(search, rows, steps, at + 3 * static_cast<u64>(points - 1));
  if (other == 0) return false;
  double length = 0.0;
  for (u32 point = 1; point < points; ++point, at += 3) {
    const double x = at[3] - at[0], y = at[4] - at[1], z = at[5] - at[2];
    length += sqrt(x * x + y * y + z * z);
  }
  low = one < other ? one : other;
  high = one < other ? other : one;
  parts = static_cast<u64>(floor(length * 65536.0 + 0.5));
  return true;
}

// Adds each streamline to the number and the total length of the streamlines between its two regions.
extern "C" __global__ void __launch_bounds__(128) connections_count(
    const Search search, u64 streamlines, const StreamlineSpan* __restrict__ spans, const float* __restrict__ positions,
    const u32* __restrict__ rows, const Step* __restrict__ steps, u64* counts, u64* lengths)
{
  const u64 n = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  u32 low, high;
  u64 parts;
  if (n >= streamlines || !joins(search, spans[n], positions, rows, steps, low, high, parts)) return;
  const u64 entry = static_cast<u64>(low - 1) * search.regions + high - 1;
  atomicAdd(&counts[entry], 1ull);
  atomicAdd(&lengths[entry], parts);
}

// Writes one number for each streamline, which states the two regions that the streamline connects. This
// kernel is used if there are too many regions for a table of all pairs. The upper 32 bits of the number are
// 1 plus the smaller matrix row, and the lower 32 bits are 1 plus the larger row. The number is 0 if the
// streamline connects no two regions.
extern "C" __global__ void __launch_bounds__(128) connections_pairs(
    const Search search, u64 streamlines, const StreamlineSpan* __restrict__ spans, const float* __restrict__ positions,
    const u32* __restrict__ rows, const Step* __restrict__ steps, u64* pairs, u64* lengths)
{
  const u64 n = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n >= streamlines) return;
  u32 low = 0, high = 0;
  u64 parts = 0;
  joins(search, spans[n], positions, rows, steps, low, high, parts);
  pairs[n] = static_cast<u64>(low) << 32 | high;
  lengths[n] = parts;
}

// Computes the nodes of the metric field of geodesic rays from diffusion tensors. This is the GPU
// implementation of values.rs, repair.rs, spline.rs and mod.rs, which describe the method. All files perform
// the same operations in the same order, so the field is bit-identical; change them together.
//
// The six elements of the tensors are stored in six separate arrays (planes) with one value per voxel.
// Neighbouring threads thus read and write neighbouring values.
#include "symmetric.cuh"
#include "warp.cuh"

// Constants of values.rs. They select the quantity computed for each voxel, the scaling of the inverse
// tensor, and which tensors are sharpened.
#define METRIC 0u
#define LOGARITHM 1u
#define SCALE_ONE 0u
#define SCALE_DETERMINANT 1u
#define SCALE_FACTORS 2u
#define SHARPEN_NONE 0u
#define SHARPEN_BELOW 1u

// Constants of repair.rs.
#define SMALLEST 0.01
#define LARGEST 1e6
#define CHUNK 1024u
#define SOUND 0u
#define ZERO 1u
#define INDEFINITE 2u
#define NOT_A_NUMBER 3u

// Constants of spline.rs.
#define POLE -0.2679491924311227
#define HORIZON 28

// Constant of mod.rs.
#define MARGIN 2

typedef unsigned char u8;

struct Recipe {
  double inverse_mean, gain, exponent, anisotropy;
  double to_mm[9];
  u32 sharpen, scale;
};

__device__ __forceinline__ bool is_finite(float x) { return fabsf(x) < __uint_as_float(0x7f800000u); }

__device__ __forceinline__ void read_tensor(const float* __restrict__ tensors, u64 voxel, float (&d)[6])
{
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const float2 pair = *reinterpret_cast<const float2*>(tensors + voxel * 6 + 2 * n);
    d[2 * n] = pair.x;
    d[2 * n + 1] = pair.y;
  }
}

// For each group (chunk) of consecutive voxels, computes the sum of the mean diffusivities above 0, and their
// number. One warp processes one chunk.
extern "C" __global__ void __launch_bounds__(128) geodesic_means(u64 voxels, const float* __restrict__ tensors,
                                                                 const u8* __restrict__ mask, double* sums, u32* counts)
{
  const u32 lane = threadIdx.x & 31u;
  const u64 chunk = (static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x) >> 5;
  if (chunk * CHUNK >= voxels) return;
  const double infinity = elementary_number(0x7ff0000000000000ull);
  double sum = 0;
  u32 count = 0;
#pragma unroll 8
  for (u32 n = 0; n < CHUNK / 32; ++n) {
    const u64 voxel = chunk * CHUNK + n * 32 + lane;
    if (voxel >= voxels) continue;
    const float2 pair = *reinterpret_cast<const float2*>(tensors + voxel * 6);
    const float third = tensors[voxel * 6 + 2];
    const double mean =
        (static_cast<double>(pair.x) + static_cast<double>(pair.y) + static_cast<double>(third)) / 3.0;
    if ((!mask || mask[voxel]) && mean > 0.0 && mean < infinity) {
      sum += mean;
      ++count;
    }
  }
  double total = 0;
  u32 all = 0;
  for (int n = 0; n < 32; ++n) {
    total += __shfl_sync(ALL, sum, n);
    all += __shfl_sync(ALL, count, n);
  }
  if (lane == 0) {
    sums[chunk] = total;
    counts[chunk] = all;
  }
}

// Computes the matrix Σ v_n e_n e_nᵀ from eigenvalues and eigenvectors.
__device__ __forceinline__ void rebuilt(const double (&values)[3], const double (&q)[3][3], double (&result)[6])
{
  const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
#pragma unroll
  for (int n = 0; n < 6; ++n) {
    const int a = rows[n], b = columns[n];
    const double weighted[3] = {values[0] * q[0][a], values[1] * q[1][a], values[2] * q[2][a]};
    const double others[3] = {q[0][b], q[1][b], q[2][b]};
    result[n] = dot(weighted, others);
  }
}

// Divides the tensor by the mean diffusivity of all tensors and makes it positive definite. Returns which
// repair was needed.
__device__ __forceinline__ u32 sound(const Recipe& recipe, const float (&d)[6], double (&relative)[6])
{
  bool finite = true, zero = true;
#pragma unroll
  for (int n = 0; n < 6; ++n) {
    finite = finite && is_finite(d[n]);
    zero = zero && d[n] == 0.0f;
  }
  if (!finite || zero) {
#pragma unroll
    for (int n = 0; n < 6; ++n) relative[n] = n < 3 ? 1.0 : 0.0;
    return finite ? ZERO : NOT_A_NUMBER;
  }
#pragma unroll
  for (int n = 0; n < 6; ++n) relative[n] = static_cast<double>(d[n]) * recipe.inverse_mean;
  const double less[6] = {relative[0] - SMALLEST, relative[1] - SMALLEST, relative[2] - SMALLEST,
                          relative[3],            relative[4],            relative[5]};
  double minors[6];
  const double determinant = adjugate(less, minors);
  const bool positive = less[0] > 0.0 && minors[2] > 0.0 && determinant > 0.0;
  if (positive && relative[0] + relative[1] + relative[2] < LARGEST) return SOUND;
  double values[3], q[3][3];
  eigensystem(relative, values, q);
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const double above = values[n] > SMALLEST ? values[n] : SMALLEST;
    values[n] = LARGEST > above ? above : LARGEST;
  }
  rebuilt(values, q, relative);
  return INDEFINITE;
}

// Returns the power to which a tensor is raised for sharpening. The power is 1 if the tensor is not
// sharpened.
__device__ __forceinline__ double power_of(const Recipe& recipe, const double (&tensor)[6])
{
  if (recipe.sharpen == SHARPEN_NONE) return 1.0;
  const double anisotropy = fractional_anisotropy(tensor);
  const bool sharpened =
      recipe.sharpen == SHARPEN_BELOW ? anisotropy < recipe.anisotropy : anisotropy >= recipe.anisotropy;
  return sharpened ? recipe.exponent : 1.0;
}

// Computes the eigenvectors of a tensor, and the logarithms of its eigenvalues raised to a power.
__device__ __forceinline__ void logarithms(const double (&tensor)[6], double power, double (&values)[3],
                                           double (&q)[3][3])
{
  eigensystem(tensor, values, q);
#pragma unroll
  for (int n = 0; n < 3; ++n) values[n] = power * elementary_ln(values[n]);
}

// Returns the logarithm of the factor that scales the inverse tensor. `values` are the logarithms of the eigenvalues.
__device__ __forceinline__ double shift_of(const Recipe& recipe, const double (&values)[3], double factor_of_voxel)
{
  return recipe.scale == SCALE_ONE           ? 0.0
         : recipe.scale == SCALE_DETERMINANT ? values[0] + values[1] + values[2]
                                             : factor_of_voxel;
}

__device__ __forceinline__ void metric(const Recipe& recipe, double power, double factor_of_voxel, double (&tensor)[6])
{
  double inverse[6];
  if (power != 1.0) {
    double values[3], q[3][3];
    logarithms(tensor, power, values, q);
    const double shift = shift_of(recipe, values, factor_of_voxel);
#pragma unroll
    for (int n = 0; n < 3; ++n) values[n] = elementary_exp(shift - values[n]);
    rebuilt(values, q, inverse);
  } else {
    const double determinant = adjugate(tensor, inverse);
    const double scale = recipe.scale == SCALE_ONE           ? 1.0
                         : recipe.scale == SCALE_DETERMINANT ? determinant
                                                             : elementary_exp(factor_of_voxel);
    const double factor = scale / determinant;
#pragma unroll
    for (int n = 0; n < 6; ++n) inverse[n] = inverse[n] * factor;
  }
  double columns[3][3], turned[3][3];
#pragma unroll
  for (int c = 0; c < 3; ++c) {
#pragma unroll
    for (int r = 0; r < 3; ++r) columns[c][r] = recipe.to_mm[3 * r + c];
    times(inverse, columns[c], turned[c]);
  }
  const int rows[6] = {0, 1, 2, 0, 0, 1}, others[6] = {0, 1, 2, 1, 2, 2};
#pragma unroll
  for (int n = 0; n < 6; ++n) tensor[n] = dot(columns[rows[n]], turned[others[n]]);
}

__device__ __forceinline__ void logarithm(const Recipe& recipe, double power, double factor_of_voxel,
                                          double (&tensor)[6])
{
  double values[3], q[3][3];
  logarithms(tensor, power, values, q);
  const double shift = shift_of(recipe, values, factor_of_voxel);
#pragma unroll
  for (int n = 0; n < 3; ++n) values[n] = values[n] - shift;
  rebuilt(values, q, tensor);
}

// Writes the metric of each voxel, or the logarithm of the tensor, to the six planes. If `counts` is not
// null, counts the repaired tensors of the mask.
template <u32 WHAT>
__device__ __forceinline__ void values(const Recipe& recipe, u64 voxels, const float* __restrict__ tensors,
                                       const double* __restrict__ factors, const u8* __restrict__ mask, double* planes,
                                       u32* counts)
{
  const u64 voxel = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  u32 found = SOUND;
  if (voxel < voxels) {
    float d[6];
    read_tensor(tensors, voxel, d);
    double tensor[6];
    found = sound(recipe, d, tensor);
    if (mask && !mask[voxel]) found = SOUND;
#pragma unroll
    for (int n = 0; n < 6; ++n) tensor[n] = tensor[n] * recipe.gain;
    const double power = power_of(recipe, tensor);
    const double factor = factors ? factors[voxel] : 0.0;
    if (WHAT == METRIC) {
      metric(recipe, power, factor, tensor);
    } else {
      logarithm(recipe, power, factor, tensor);
    }
#pragma unroll
    for (int n = 0; n < 6; ++n) planes[n * voxels + voxel] = tensor[n];
  }
  if (counts) {
#pragma unroll
    for (u32 kind = ZERO; kind <= NOT_A_NUMBER; ++kind) {
      const u32 all = __syncthreads_count(found == kind);
      if (threadIdx.x == 0 && all) atomicAdd(counts + kind - 1, all);
    }
  }
}

#define VALUES(WHAT)                                                                                                   \
  extern "C" __global__ void __launch_bounds__(256) geodesic_values_##WHAT(                                            \
      const Recipe recipe, u64 voxels, const float* __restrict__ tensors, const double* __restrict__ factors,          \
      const u8* __restrict__ mask, double* planes, u32* counts)                                                        \
  {                                                                                                                    \
    values<WHAT>(recipe, voxels, tensors, factors, mask, planes, counts);                                              \
  }

VALUES(0)
VALUES(1)

__device__ __forceinline__ u32 mirrored(u32 step, u32 n)
{
  const u32 period = 2 * (n - 1), within = step % period;
  return within < period - within ? within : period - within;
}

// Filters lines of n values along an image axis, one thread per line. Neighbouring values of a line are
// `stride` apart. Neighbouring threads filter neighbouring lines.
extern "C" __global__ void __launch_bounds__(128) geodesic_prefilter(u64 lines, u32 n, u64 stride, double* planes)
{
  const u64 line = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  double* values = planes + line / stride * stride * n + line % stride;
  const u32 together = 8;
  double room[together];
  double sum = values[0], power = POLE;
  for (u32 step = 1; step <= HORIZON; ++step) {
    sum += power * values[mirrored(step, n) * stride];
    power *= POLE;
  }
  double before = 6.0 * sum;
  values[0] = before;
  double last = before, but_last = before;
  for (u32 begin = 1; begin < n; begin += together) {
#pragma unroll
    for (u32 k = 0; k < together; ++k) {
      if (begin + k < n) room[k] = values[(begin + k) * stride];
    }
#pragma unroll
    for (u32 k = 0; k < together; ++k) {
      if (begin + k < n) {
        before = 6.0 * room[k] + POLE * before;
        values[(begin + k) * stride] = before;
        but_last = last;
        last = before;
      }
    }
  }
  double after = POLE / (POLE * POLE - 1.0) * (last + POLE * but_last);
  values[(n - 1) * stride] = after;
  for (u32 done = 1; done < n; done += together) {
#pragma unroll
    for (u32 k = 0; k < together; ++k) {
      if (done + k < n) room[k] = values[(n - 1 - done - k) * stride];
    }
#pragma unroll
    for (u32 k = 0; k < together; ++k) {
      if (done + k < n) {
        after = POLE * (after - room[k]);
        values[(n - 1 - done - k) * stride] = after;
      }
    }
  }
}

#define TILE 32u

// Reads `width` consecutive values of each of `count` lines from memory to a tile, which is shared memory of
// a warp. A line has n values. Neighbouring lanes read neighbouring values.
__device__ __forceinline__ void read_tile(double (&tile)[TILE][TILE + 1], u32 lane, u32 width, u32 count, u32 n,
                                          const double* from)
{
  if (lane < width) {
#pragma unroll 8
    for (u32 line = 0; line < count; ++line) tile[line][lane] = from[static_cast<u64>(line) * n + lane];
  }
  __syncwarp();
}

// Writes the tile of a warp (values of several lines in shared memory) back to memory, after all lanes have
// filtered their lines.
__device__ __forceinline__ void write_tile(const double (&tile)[TILE][TILE + 1], u32 lane, u32 width, u32 count, u32 n,
                                           double* to)
{
  __syncwarp();
  if (lane < width) {
#pragma unroll 8
    for (u32 line = 0; line < count; ++line) to[static_cast<u64>(line) * n + lane] = tile[line][lane];
  }
  __syncwarp();
}

// Filters lines of n contiguous values. A warp filters 32 lines. Their values pass through shared memory in
// tiles of some values per line.
extern "C" __global__ void __launch_bounds__(128) geodesic_prefilter_rows(u64 lines, u32 n, double* planes)
{
  __shared__ double tiles[4][TILE][TILE + 1];
  const u32 lane = threadIdx.x & 31u;
  double(&tile)[TILE][TILE + 1] = tiles[threadIdx.x >> 5];
  const u64 first = ((static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x) >> 5) * TILE;
  if (first >= lines) return;
  const u32 count = lines - first < TILE ? static_cast<u32>(lines - first) : TILE;
  double* values = planes + first * n;
  double before = 0, last = 0, but_last = 0;
  for (u32 begin = 0; begin < n; begin += TILE) {
    const u32 width = n - begin < TILE ? n - begin : TILE;
    read_tile(tile, lane, width, count, n, values + begin);
    if (lane < count) {
      u32 from = 0;
      if (begin == 0) {
        // The start of the filter needs a certain number of values (the horizon). The first tile has at least
        // this number of values per line, unless the whole line is shorter than the tile.
        double sum = tile[lane][0], power = POLE;
        for (u32 step = 1; step <= HORIZON; ++step) {
          sum += power * tile[lane][mirrored(step, n)];
          power *= POLE;
        }
        before = 6.0 * sum;
        tile[lane][0] = last = before;
        from = 1;
      }
      for (u32 k = from; k < width; ++k) {
        before = 6.0 * tile[lane][k] + POLE * before;
        tile[lane][k] = before;
        but_last = last;
        last = before;
      }
    }
    write_tile(tile, lane, width, count, n, values + begin);
  }
  double after = POLE / (POLE * POLE - 1.0) * (last + POLE * but_last);
  for (u32 tile_number = (n + TILE - 1) / TILE; tile_number-- > 0;) {
    const u32 begin = tile_number * TILE;
    const u32 width = n - begin < TILE ? n - begin : TILE;
    read_tile(tile, lane, width, count, n, values + begin);
    if (lane < count) {
      for (u32 k = width; k-- > 0;) {
        if (begin + k + 1 < n) after = POLE * (after - tile[lane][k]);
        tile[lane][k] = after;
      }
    }
    write_tile(tile, lane, width, count, n, values + begin);
  }
}

struct Lattice {
  u32 shape[3];
  // True if the image is mirrored at its borders. False if its outermost voxels are repeated there.
  u32 mirrors;
};

// Returns the voxel whose values are copied to a node. Nodes beyond the image copy a mirrored voxel or an
// outermost voxel.
__device__ __forceinline__ u64 voxel_of_node(const Lattice& lattice, u64 node, u32 (&place)[3])
{
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const int n = static_cast<int>(lattice.shape[axis]);
    const u64 padded = static_cast<u64>(n + 2 * MARGIN);
    const int at = static_cast<int>(axis < 2 ? node % padded : node) - MARGIN;
    node /= padded;
    int voxel = at < 0 ? 0 : at < n ? at : n - 1;
    if (lattice.mirrors && n > 1) {
      const int period = 2 * (n - 1);
      // A node is at most two voxels beyond the border of the image. That can be more than one period of the
      // mirrored image, if the period is 2 voxels.
      int within = at % period;
      within = within < 0 ? within + period : within;
      voxel = within < period - within ? within : period - within;
    }
    place[axis] = static_cast<u32>(voxel);
  }
  return place[0] + static_cast<u64>(lattice.shape[0]) * (place[1] + static_cast<u64>(lattice.shape[1]) * place[2]);
}

__device__ __forceinline__ u64 nodes_of(const Lattice& lattice)
{
  return static_cast<u64>(lattice.shape[0] + 2 * MARGIN) * (lattice.shape[1] + 2 * MARGIN) *
         (lattice.shape[2] + 2 * MARGIN);
}

__device__ __forceinline__ u64 voxels_of(const Lattice& lattice)
{
  return static_cast<u64>(lattice.shape[0]) * lattice.shape[1] * lattice.shape[2];
}

__device__ __forceinline__ void write_four(float* to, const double* from)
{
  *reinterpret_cast<float4*>(to) = make_float4(static_cast<float>(from[0]), static_cast<float>(from[1]),
                                               static_cast<float>(from[2]), static_cast<float>(from[3]));
}

__device__ __forceinline__ void write_four(double* to, const double* from)
{
  *reinterpret_cast<double2*>(to) = make_double2(from[0], from[1]);
  *reinterpret_cast<double2*>(to + 2) = make_double2(from[2], from[3]);
}

// Writes the row of numbers of each node, read from the planes of the node's voxel.
template <class T>
__device__ __forceinline__ void rows(const Lattice& lattice, const double* __restrict__ planes, T* rows)
{
  const u64 node = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (node >= nodes_of(lattice)) return;
  u32 place[3];
  const u64 voxel = voxel_of_node(lattice, node, place), voxels = voxels_of(lattice);
  double numbers[8];
#pragma unroll
  for (int n = 0; n < 8; ++n) numbers[n] = n < 6 ? planes[n * voxels + voxel] : 0.0;
  write_four(rows + node * 8, numbers);
  write_four(rows + node * 8 + 4, numbers + 4);
}

// Writes the rows of each node for the field of the thesis: the inverse of the metric, and the differences of
// the metric along each axis.
template <class T>
__device__ __forceinline__ void thesis_rows(const Lattice& lattice, const double* __restrict__ planes, T* rows)
{
  const u64 node = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (node >= nodes_of(lattice)) return;
  u32 place[3];
  const u64 voxel = voxel_of_node(lattice, node, place), voxels = voxels_of(lattice);
  double own[6], inverse[6], numbers[24];
#pragma unroll
  for (int n = 0; n < 6; ++n) own[n] = planes[n * voxels + voxel];
  const double factor = 1.0 / adjugate(own, inverse);
#pragma unroll
  for (int n = 0; n < 6; ++n) numbers[n] = inverse[n] * factor;
  u64 stride = 1;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const bool has_below = place[axis] > 0, has_above = place[axis] + 1 < lattice.shape[axis];
    const u64 below = has_below ? voxel - stride : voxel, above = has_above ? voxel + stride : voxel;
    const double steps = (has_below ? 1.0 : 0.0) + (has_above ? 1.0 : 0.0);
#pragma unroll
    for (int n = 0; n < 6; ++n) {
      numbers[6 * (axis + 1) + n] =
          steps == 0.0 ? 0.0 : (planes[n * voxels + above] - planes[n * voxels + below]) / steps;
    }
    stride *= lattice.shape[axis];
  }
#pragma unroll
  for (int n = 0; n < 24; n += 4) write_four(rows + node * 24 + n, numbers + n);
}

#define ROWS(T, SUFFIX)                                                                                                \
  extern "C" __global__ void __launch_bounds__(256) geodesic_rows_##SUFFIX(                                            \
      const Lattice lattice, const double* __restrict__ planes, T* nodes)                                              \
  {                                                                                                                    \
    rows<T>(lattice, planes, nodes);                                                                                   \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(256) geodesic_thesis_rows_##SUFFIX(                                     \
      const Lattice lattice, const double* __restrict__ planes, T* nodes)                                              \
  {                                                                                                                    \
    thesis_rows<T>(lattice, planes, nodes);                                                                            \
  }

ROWS(float, f32)
ROWS(double, f64)

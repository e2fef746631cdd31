// Points, and mappings from one voxel grid to another. This is the GPU implementation of
// arcuate_compute::voxel_mapping. Both files perform the same operations in the same order, so change them together.
#pragma once

typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned short u16;

#define NOWHERE 0xffffffffu

struct Vector {
  float x, y, z;
};

__device__ __forceinline__ float dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ __forceinline__ float nearest(float c) { return floorf(c + 0.5f); }

__device__ __forceinline__ Vector nearest(Vector p) { return {nearest(p.x), nearest(p.y), nearest(p.z)}; }

__device__ __forceinline__ Vector minus(Vector d) { return {-d.x, -d.y, -d.z}; }

__device__ __forceinline__ bool is_zero(Vector d) { return d.x == 0.0f && d.y == 0.0f && d.z == 0.0f; }

__device__ __forceinline__ bool inside(Vector v, const int* shape)
{
  return v.x >= 0.0f && v.y >= 0.0f && v.z >= 0.0f && v.x < static_cast<float>(shape[0])
         && v.y < static_cast<float>(shape[1]) && v.z < static_cast<float>(shape[2]);
}

__device__ __forceinline__ u32 index(Vector v, const int* shape)
{
  return static_cast<u32>(v.x)
         + static_cast<u32>(shape[0]) * (static_cast<u32>(v.y) + static_cast<u32>(shape[1]) * static_cast<u32>(v.z));
}

__device__ __forceinline__ Vector affine(const float* m, Vector p)
{
  return {m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3], m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7],
          m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11]};
}

// Returns the position p moved by the vector d after the matrix m has transformed d.
__device__ __forceinline__ Vector moved(const float* m, Vector p, Vector d)
{
  return {p.x + (m[0] * d.x + m[1] * d.y + m[2] * d.z), p.y + (m[3] * d.x + m[4] * d.y + m[5] * d.z),
          p.z + (m[6] * d.x + m[7] * d.y + m[8] * d.z)};
}

__device__ __forceinline__ Vector between(Vector one, Vector other, float part)
{
  return {one.x + part * (other.x - one.x), one.y + part * (other.y - one.y), one.z + part * (other.z - one.z)};
}

// Place of a point in a displacement field: the surrounding voxels, and the point's fractional position between them.
struct WarpCell {
  u32 below, above;
  // A point is between four rows of voxels along x, which differ in y and z. These are the offsets of the four rows in
  // the displacement field.
  u32 rows[4];
  float part[3];
};

template <class Lattice>
__device__ __forceinline__ WarpCell warp_cell(const Lattice& space, Vector p)
{
  const Vector at = affine(space.warp_affine, p);
  const float coordinates[3] = {at.x, at.y, at.z};
  u32 below[3], above[3];
  WarpCell cell;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const u32 most = static_cast<u32>(space.warp_shape[axis]) - 1;
    const float clamped = fminf(fmaxf(coordinates[axis], 0.0f), static_cast<float>(most));
    const float whole = floorf(clamped);
    below[axis] = static_cast<u32>(whole);
    above[axis] = below[axis] + 1 < most ? below[axis] + 1 : most;
    cell.part[axis] = clamped - whole;
  }
  const u32 nx = static_cast<u32>(space.warp_shape[0]), ny = static_cast<u32>(space.warp_shape[1]);
  cell.below = below[0];
  cell.above = above[0];
  cell.rows[0] = nx * (below[1] + ny * below[2]);
  cell.rows[1] = nx * (above[1] + ny * below[2]);
  cell.rows[2] = nx * (below[1] + ny * above[2]);
  cell.rows[3] = nx * (above[1] + ny * above[2]);
  return cell;
}

// Returns a point plus its interpolated displacement. `value` returns the displacement at the lower or the higher x of
// a row of voxels.
template <class Value>
__device__ __forceinline__ Vector displaced(Vector s, const WarpCell& cell, Value value)
{
  Vector along[4];
#pragma unroll
  for (int row = 0; row < 4; ++row) {
    const float4 one = value(row, 0), other = value(row, 1);
    along[row] = between({one.x, one.y, one.z}, {other.x, other.y, other.z}, cell.part[0]);
  }
  const Vector sum =
    between(between(along[0], along[1], cell.part[1]), between(along[2], along[3], cell.part[1]), cell.part[2]);
  return {s.x + sum.x, s.y + sum.y, s.z + sum.z};
}

// Maps a point to another voxel grid through the grid's affine map and displacement field.
template <class Lattice>
__device__ __forceinline__ Vector led_to(const Lattice& space, const float4* __restrict__ warps, Vector p)
{
  const Vector s = affine(space.affine, p);
  if (space.warp_shape[0] == 0) return s;
  const WarpCell cell = warp_cell(space, p);
  const float4* values = warps + space.warp_at;
  return displaced(s, cell, [&](int row, int side) { return values[(side == 0 ? cell.below : cell.above) + cell.rows[row]]; });
}

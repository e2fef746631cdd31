// Intersections of triangles with segments, like arcuate_core's FixedTriangle, and a search for nearby triangles in
// cells, like arcuate_compute::surface_cells. All decisions are signs of integers. CPU and GPU compute these signs
// without rounding, each with its own method.
#pragma once

#include "warp.cuh"
#include "ways.cuh"

typedef long long i64;

// A point in units of 2^-20 mm.
struct Fixed {
  int at[3];
};

// A triangle as stored in memory: its three corners and three tags (integers). In some kernels each corner has a tag,
// such as its matrix element. In other kernels each purpose of the triangle has a tag, such as its region.
struct Triangle {
  Fixed a, b, c;
  u32 tags[3];
};

#define LARGEST_MM 2047.0f
#define UNITS_OF_MM 1048576.0f

// If all coordinate differences are below 2^SMALL_BITS, their 3 x 3 determinant fits into two 64-bit words. A larger
// difference is split into two limbs, a low and a high part with fewer bits.
#define SMALL_BITS 25
#define HALF_BITS 26
#define LIMB_BITS 17

// Integer type of the difference between two coordinates. If the differences are small, one instruction multiplies two
// differences.
template <bool SMALL>
struct Difference {
  typedef int Number;
};

template <>
struct Difference<false> {
  typedef i64 Number;
};

template <bool SMALL>
using Number = typename Difference<SMALL>::Number;

__device__ __forceinline__ int sign_of(i64 number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }

__device__ __forceinline__ i64 high_limb(i64 number) { return number >> LIMB_BITS; }

__device__ __forceinline__ i64 low_limb(i64 number) { return number & ((1ll << LIMB_BITS) - 1); }

// Returns the sign of the sum of limbs[n] * 2^(n LIMB_BITS); the limbs can be integers of any size.
template <int LIMBS>
__device__ __forceinline__ int sign_of_limbs(i64* limbs)
{
  bool rest = false;
#pragma unroll
  for (int n = 0; n + 1 < LIMBS; ++n) {
    limbs[n + 1] += limbs[n] >> LIMB_BITS;
    rest = rest || low_limb(limbs[n]) != 0;
  }
  return limbs[LIMBS - 1] != 0 ? sign_of(limbs[LIMBS - 1]) : rest ? 1 : 0;
}

// Returns the sign of a b - c d, for coordinate differences a, b, c and d.
template <bool SMALL>
__device__ __forceinline__ int sign_of_area(Number<SMALL> a, Number<SMALL> b, Number<SMALL> c, Number<SMALL> d)
{
  if constexpr (SMALL) return sign_of(static_cast<i64>(a) * b - static_cast<i64>(c) * d);
  const i64 factors[4][2] = {{low_limb(a), high_limb(a)}, {low_limb(b), high_limb(b)}, {low_limb(c), high_limb(c)},
                             {low_limb(d), high_limb(d)}};
  i64 limbs[3] = {0, 0, 0};
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int n = 0; n < 2; ++n) limbs[m + n] += factors[0][m] * factors[1][n] - factors[2][m] * factors[3][n];
  }
  return sign_of_limbs<3>(limbs);
}

// Returns the sign of the determinant u . (v x w).
template <bool SMALL>
__device__ __forceinline__ int sign_of_volume(const Number<SMALL>* u, const Number<SMALL>* v, const Number<SMALL>* w)
{
  if constexpr (SMALL) {
    i64 high = 0, low = 0;
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      const int k = (n + 1) % 3, l = (n + 2) % 3;
      const i64 normal = static_cast<i64>(v[k]) * w[l] - static_cast<i64>(v[l]) * w[k];
      high += static_cast<i64>(u[n]) * static_cast<int>(normal >> HALF_BITS);
      low += static_cast<i64>(u[n]) * static_cast<int>(normal & ((1ll << HALF_BITS) - 1));
    }
    high += low >> HALF_BITS;
    return high != 0 ? sign_of(high) : (low & ((1ll << HALF_BITS) - 1)) != 0 ? 1 : 0;
  }
  i64 limbs[4] = {0, 0, 0, 0};
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const int k = (n + 1) % 3, l = (n + 2) % 3;
    i64 normal[3] = {0, 0, 0};
    const i64 factors[4][2] = {{low_limb(v[k]), high_limb(v[k])}, {low_limb(w[l]), high_limb(w[l])},
                               {low_limb(v[l]), high_limb(v[l])}, {low_limb(w[k]), high_limb(w[k])}};
#pragma unroll
    for (int one = 0; one < 2; ++one) {
#pragma unroll
      for (int other = 0; other < 2; ++other)
        normal[one + other] += factors[0][one] * factors[1][other] - factors[2][one] * factors[3][other];
    }
#pragma unroll
    for (int m = 0; m < 3; ++m) {
      limbs[m] += low_limb(u[n]) * normal[m];
      limbs[m + 1] += high_limb(u[n]) * normal[m];
    }
  }
  return sign_of_limbs<4>(limbs);
}

template <bool SMALL>
__device__ __forceinline__ void difference(const Fixed& to, const Fixed& from, Number<SMALL>* d)
{
#pragma unroll
  for (int n = 0; n < 3; ++n) d[n] = static_cast<Number<SMALL>>(to.at[n]) - from.at[n];
}

// Returns the side of a triangle's plane on which a point is: 1 or -1, or 0 if the point is in the plane.
template <bool SMALL>
__device__ __forceinline__ int side(const Triangle& t, const Fixed& point)
{
  Number<SMALL> u[3], v[3], w[3];
  difference<SMALL>(point, t.a, u);
  difference<SMALL>(t.b, t.a, v);
  difference<SMALL>(t.c, t.a, w);
  return sign_of_volume<SMALL>(u, v, w);
}

// Returns the side on which the line from p to q passes the directed line from a to b: 1 or -1. Returns 0 if both
// lines are in one plane.
template <bool SMALL>
__device__ __forceinline__ int passes(const Fixed& p, const Fixed& q, const Fixed& a, const Fixed& b)
{
  Number<SMALL> u[3], v[3], w[3];
  difference<SMALL>(q, p, u);
  difference<SMALL>(a, p, v);
  difference<SMALL>(b, p, w);
  return sign_of_volume<SMALL>(u, v, w);
}

// Returns the sign of the first component of the cross product v x w that is not 0.
template <bool SMALL>
__device__ __forceinline__ int first_sign(const Number<SMALL>* v, const Number<SMALL>* w)
{
  const int x = sign_of_area<SMALL>(v[1], w[2], v[2], w[1]);
  if (x != 0) return x;
  const int y = sign_of_area<SMALL>(v[2], w[0], v[0], w[2]);
  return y != 0 ? y : sign_of_area<SMALL>(v[0], w[1], v[1], w[0]);
}

// Like `side`, returns the side of a triangle's plane on which a point is, but after the point is moved by an
// infinitesimal vector (e, e^2, e^3). So the result is never 0 for a triangle with area. `moved_passes` does the same
// with `passes`.
template <bool SMALL>
__device__ __forceinline__ int moved_side(const Triangle& t, const Fixed& point)
{
  const int exact = side<SMALL>(t, point);
  if (exact != 0) return exact;
  Number<SMALL> v[3], w[3];
  difference<SMALL>(t.b, t.a, v);
  difference<SMALL>(t.c, t.a, w);
  return first_sign<SMALL>(v, w);
}

template <bool SMALL>
__device__ __forceinline__ int moved_passes(const Fixed& p, const Fixed& q, const Fixed& a, const Fixed& b)
{
  const int exact = passes<SMALL>(p, q, a, b);
  if (exact != 0) return exact;
  Number<SMALL> v[3], w[3];
  difference<SMALL>(q, p, v);
  difference<SMALL>(b, a, w);
  return first_sign<SMALL>(v, w);
}

// A triangle that is projected along a coordinate axis, which must not be parallel to the plane of the triangle.
// Results do not depend on the choice of the axis.
template <bool SMALL>
struct Flat {
  int x, y;
  // Orientation of the projected triangle; 0 if the triangle has no area.
  int turned;

  __device__ __forceinline__ explicit Flat(const Triangle& t)
  {
    Number<SMALL> v[3], w[3];
    difference<SMALL>(t.b, t.a, v);
    difference<SMALL>(t.c, t.a, w);
    turned = 0;
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      const int k = (n + 1) % 3, l = (n + 2) % 3;
      if (turned == 0) {
        turned = sign_of_area<SMALL>(v[k], w[l], v[l], w[k]);
        x = k;
        y = l;
      }
    }
  }

  // Returns the side of the line from a to b on which point c is. For an edge of the triangle, 1 is the inner side, -1
  // is the outer side, and 0 is on the line.
  __device__ __forceinline__ int turn(const Fixed& a, const Fixed& b, const Fixed& c) const
  {
    auto apart = [](const Fixed& to, const Fixed& from, int axis) {
      return static_cast<Number<SMALL>>(axis == 0 ? to.at[0] : axis == 1 ? to.at[1] : to.at[2])
             - (axis == 0 ? from.at[0] : axis == 1 ? from.at[1] : from.at[2]);
    };
    return turned * sign_of_area<SMALL>(apart(b, a, x), apart(c, a, y), apart(b, a, y), apart(c, a, x));
  }

  __device__ __forceinline__ bool holds(const Triangle& t, const Fixed& point) const
  {
    return turn(t.a, t.b, point) >= 0 && turn(t.b, t.c, point) >= 0 && turn(t.c, t.a, point) >= 0;
  }

  // Returns true if a segment in the triangle's plane touches the triangle. The segment's start point does not count.
  __device__ __forceinline__ bool is_met(const Triangle& t, const Fixed& p, const Fixed& q) const
  {
    if (holds(t, q)) return true;
    const Fixed* corners[4] = {&t.a, &t.b, &t.c, &t.a};
    bool is_apart = false, begins_on_it = true, leaves = false;
    int sides = 0;
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      const int before = turn(*corners[n], *corners[n + 1], p), behind = turn(*corners[n], *corners[n + 1], q);
      is_apart = is_apart || (before < 0 && behind < 0);
      begins_on_it = begins_on_it && before >= 0;
      leaves = leaves || (before <= 0 && behind < 0);
      sides += turn(p, q, *corners[n]);
    }
    if (is_apart || sides == 3 || sides == -3) return false;
    return !begins_on_it || !leaves;
  }
};

// Handles a segment in the plane of a triangle, which is rare. This function is not inlined, so that the common case
// needs fewer registers.
template <bool SMALL>
__device__ __noinline__ bool is_met_in_plane(Triangle t, Fixed p, Fixed q)
{
  const Flat<SMALL> flat(t);
  return flat.turned != 0 && flat.is_met(t, p, q);
}

// Returns true if the segment from p to q touches the triangle. The point p itself does not count.
template <bool SMALL>
__device__ __forceinline__ bool is_met(const Triangle& t, const Fixed& p, const Fixed& q)
{
  const int before = side<SMALL>(t, p), behind = side<SMALL>(t, q);
  if (before == 0) {
    if (behind != 0 || (p.at[0] == q.at[0] && p.at[1] == q.at[1] && p.at[2] == q.at[2])) return false;
    return is_met_in_plane<SMALL>(t, p, q);
  }
  if (before == behind) return false;
  const int ab = passes<SMALL>(p, q, t.a, t.b), bc = passes<SMALL>(p, q, t.b, t.c), ca = passes<SMALL>(p, q, t.c, t.a);
  return !((ab < 0 || bc < 0 || ca < 0) && (ab > 0 || bc > 0 || ca > 0));
}

// Returns true if the segment from p to q passes from one side of the triangle to the other.
template <bool SMALL>
__device__ __forceinline__ bool is_crossed(const Triangle& t, const Fixed& p, const Fixed& q)
{
  if (moved_side<SMALL>(t, p) == moved_side<SMALL>(t, q)) return false;
  const int first = moved_passes<SMALL>(p, q, t.a, t.b);
  return moved_passes<SMALL>(p, q, t.b, t.c) == first && moved_passes<SMALL>(p, q, t.c, t.a) == first;
}

template <bool SMALL>
__device__ __forceinline__ bool holds(const Triangle& t, const Fixed& point)
{
  if (side<SMALL>(t, point) != 0) return false;
  const Flat<SMALL> flat(t);
  return flat.turned != 0 && flat.holds(t, point);
}

// Exact tests for the rare cases that double precision cannot decide. They are not inlined, so that the common case
// needs fewer registers.
template <bool SMALL>
__device__ __noinline__ bool is_met_exactly(Triangle t, Fixed p, Fixed q)
{
  return is_met<SMALL>(t, p, q);
}

template <bool SMALL>
__device__ __noinline__ bool is_crossed_exactly(Triangle t, Fixed p, Fixed q)
{
  return is_crossed<SMALL>(t, p, q);
}

template <bool SMALL>
__device__ __noinline__ bool holds_exactly(Triangle t, Fixed point)
{
  return holds<SMALL>(t, point);
}

// Relation of the bounding boxes of a triangle and a segment. APART: the boxes do not touch. NEAR: the boxes touch.
// NEAR_AND_SMALL: the boxes touch, and each edge of the box around both is below 2^SMALL_BITS.
#define APART 0u
#define NEAR 1u
#define NEAR_AND_SMALL 2u

__device__ __forceinline__ u32 together(const Triangle& t, const Fixed& p, const Fixed& q)
{
  bool apart = false, small = true;
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const int low = min(min(t.a.at[n], t.b.at[n]), t.c.at[n]), high = max(max(t.a.at[n], t.b.at[n]), t.c.at[n]);
    const int begin = min(p.at[n], q.at[n]), end = max(p.at[n], q.at[n]);
    apart = apart || end < low || begin > high;
    // Unsigned subtraction is exact, since all differences of coordinates are below 2^32.
    small = small && static_cast<u32>(max(high, end)) - static_cast<u32>(min(low, begin)) < (1u << SMALL_BITS);
  }
  return apart ? APART : small ? NEAR_AND_SMALL : NEAR;
}

// Upper bound of the rounding error of the sums in `sides_of`. Each term is a product of three differences below
// 2^SMALL_BITS. The product of two such differences is exact.
#define UNCERTAIN 2147483648.0

struct Sides {
  // Signs for a triangle and a segment: the sides of the triangle's plane with the beginning and the end of the
  // segment. The other three are the sides on which the segment's line passes the edges of the triangle.
  bool begins_above, ends_above, first_above, second_above, third_above;
  // True if the estimates in double precision determine all five signs, and no sign is 0.
  bool are_known;
};

__device__ __forceinline__ void cross(const double* v, const double* w, double* product)
{
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const int k = (n + 1) % 3, l = (n + 2) % 3;
    product[n] = v[k] * w[l] - v[l] * w[k];
  }
}

__device__ __forceinline__ double dot(const double* v, const double* w) { return v[0] * w[0] + v[1] * w[1] + v[2] * w[2]; }

// Computes the five signs in `Sides` for a triangle and a segment whose common bounding box is small.
__device__ __forceinline__ Sides sides_of(const Triangle& t, const Fixed& p, const Fixed& q)
{
  // Vectors from the start of the segment to the segment's end and to the corners of the triangle, and the cross
  // products of the vectors to the corners.
  double to[3], a[3], b[3], c[3], ab[3], bc[3], ca[3];
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    to[n] = static_cast<double>(q.at[n] - p.at[n]);
    a[n] = static_cast<double>(t.a.at[n] - p.at[n]);
    b[n] = static_cast<double>(t.b.at[n] - p.at[n]);
    c[n] = static_cast<double>(t.c.at[n] - p.at[n]);
  }
  cross(a, b, ab);
  cross(b, c, bc);
  cross(c, a, ca);
  // The sum of the three cross products is the normal of the triangle's plane. `height` and `end` are the distances of
  // the segment's start and end from the plane, times the length of the normal.
  const double first = dot(to, ab), second = dot(to, bc), third = dot(to, ca), height = dot(a, bc);
  const double end = first + second + third - height;
  Sides sides;
  sides.begins_above = height < 0.0;
  sides.ends_above = end > 0.0;
  sides.first_above = first > 0.0;
  sides.second_above = second > 0.0;
  sides.third_above = third > 0.0;
  sides.are_known =
    fmin(fmin(fmin(fabs(first), fabs(second)), fmin(fabs(third), fabs(height))), fabs(end)) > UNCERTAIN;
  return sides;
}

// Converts a position in mm to fixed-point units.
__device__ __forceinline__ Fixed fixed_of(Vector mm)
{
  const float at[3] = {mm.x, mm.y, mm.z};
  Fixed point;
#pragma unroll
  for (int n = 0; n < 3; ++n) point.at[n] = static_cast<int>(rintf(fminf(fmaxf(at[n], -LARGEST_MM), LARGEST_MM) * UNITS_OF_MM));
  return point;
}

// Returns the index of the cell that contains a coordinate along an axis. The index can be outside the grid of cells.
template <class Cells>
__device__ __forceinline__ i64 along(const Cells& cells, int axis, int coordinate)
{
  return (static_cast<i64>(coordinate) - cells.least[axis]) >> cells.edge;
}

template <class Cells>
__device__ __forceinline__ u32 index_of(const Cells& cells, u32 x, u32 y, u32 z)
{
  return x + static_cast<u32>(cells.shape[0]) * (y + static_cast<u32>(cells.shape[1]) * z);
}

template <class Cells>
__device__ __forceinline__ u32 cell_of(const Cells& cells, const Fixed& point)
{
  u32 at[3];
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const i64 number = along(cells, n, point.at[n]);
    if (number < 0 || number >= cells.shape[n]) return NOWHERE;
    at[n] = static_cast<u32>(number);
  }
  return index_of(cells, at[0], at[1], at[2]);
}

// Returns true if a segment touches a triangle. The segment's start point does not count.
__device__ __forceinline__ bool has_contact(const Triangle& t, const Fixed& from, const Fixed& to)
{
  const u32 how = together(t, from, to);
  if (how == APART) return false;
  if (how == NEAR) return is_met_exactly<false>(t, from, to);
  const Sides sides = sides_of(t, from, to);
  if (!sides.are_known) return is_met_exactly<true>(t, from, to);
  return sides.begins_above != sides.ends_above && sides.first_above == sides.second_above
         && sides.second_above == sides.third_above;
}

// Returns true if a segment passes from one side of a triangle to the other.
__device__ __forceinline__ bool passes_through(const Triangle& t, const Fixed& from, const Fixed& to)
{
  const u32 how = together(t, from, to);
  if (how == APART) return false;
  if (how == NEAR) return is_crossed_exactly<false>(t, from, to);
  const Sides sides = sides_of(t, from, to);
  if (!sides.are_known) return is_crossed_exactly<true>(t, from, to);
  return sides.begins_above != sides.ends_above && sides.first_above == sides.second_above
         && sides.second_above == sides.third_above;
}

// Returns true if a triangle contains a point.
__device__ __forceinline__ bool has(const Triangle& t, const Fixed& point)
{
  const u32 how = together(t, point, point);
  if (how == APART) return false;
  return how == NEAR ? holds_exactly<false>(t, point) : holds_exactly<true>(t, point);
}

// Entry in the list of the triangles of a cell: the index of a triangle and its bounding box in 32 bits, like
// arcuate_compute::ListedTriangle.
struct alignas(8) ListedTriangle {
  u32 number, extent;
};

#define LAST_DIVISION 15
#define GUARDS 0x21084210u

// Returns the bounding box of a segment relative to a cell, in units of 2^division. A short segment is in the cell or
// near it, so coordinate differences between the segment and the cell fit into 32 bits.
template <class Cells>
__device__ __forceinline__ u32 reach_of(const Cells& cells, const int* cell, const Fixed& from, const Fixed& to, bool is_short)
{
  u32 reach = GUARDS;
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const int least = min(from.at[n], to.at[n]), most = max(from.at[n], to.at[n]);
    u32 low, high;
    if (is_short) {
      const u32 begin = static_cast<u32>(cells.least[n]) + (static_cast<u32>(cell[n]) << cells.edge) - static_cast<u32>(cells.near);
      low = (static_cast<u32>(least) - begin) >> cells.division;
      high = (static_cast<u32>(most) - begin) >> cells.division;
    } else {
      const i64 begin = cells.least[n] + (static_cast<i64>(cell[n]) << cells.edge) - cells.near;
      low = static_cast<u32>(max(min((least - begin) >> cells.division, static_cast<i64>(LAST_DIVISION)), 0ll));
      high = static_cast<u32>(max(min((most - begin) >> cells.division, static_cast<i64>(LAST_DIVISION)), 0ll));
    }
    reach |= min(high, static_cast<u32>(LAST_DIVISION)) << (5 * n)
             | (LAST_DIVISION - min(low, static_cast<u32>(LAST_DIVISION))) << (15 + 5 * n);
  }
  return reach;
}

// Returns true if the bounding box of a triangle in a cell's list and the bounding box of a segment overlap.
__device__ __forceinline__ bool may_meet(const ListedTriangle& listed, u32 reach)
{
  return ((reach - listed.extent) & GUARDS) == GUARDS;
}

// Calls `look` with each triangle of a cell whose bounding box overlaps the box of a segment.
template <class Cells, class Look>
__device__ __forceinline__ void each_in(const Cells& cells, const u32* __restrict__ first, const ListedTriangle* __restrict__ list,
                                        const Triangle* __restrict__ triangles, const int* cell, const Fixed& from,
                                        const Fixed& to, Look look)
{
  const u32 own = index_of(cells, static_cast<u32>(cell[0]), static_cast<u32>(cell[1]), static_cast<u32>(cell[2]));
  u32 n = first[own];
  const u32 end = first[own + 1];
  if (n == end) return;
  const u32 reach = reach_of(cells, cell, from, to, false);
  // Each lane first advances to its next candidate triangle, so that all lanes test their triangles at the same time.
  for (;;) {
    u32 number = NOWHERE;
    while (n < end && number == NOWHERE) {
      const ListedTriangle listed = list[n];
      if (may_meet(listed, reach)) number = listed.number;
      ++n;
    }
    if (number == NOWHERE) return;
    look(triangles[number]);
  }
}

// Cells whose listed triangles a segment may touch. For a short segment, this is only the cell that contains its end.
// For a longer segment, these are all cells of the segment's bounding box; some triangles are listed in several of
// these cells.
struct CellsOnWay {
  int begin[3], lengths[3];
  u32 count;
  bool is_short;

  // Computes the coordinates of cell number n of a segment's cells, and returns the index of the cell in the whole
  // grid.
  template <class Cells>
  __device__ __forceinline__ u32 cell(const Cells& cells, u32 n, int* cell) const
  {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) cell[axis] = begin[axis];
    // The slow integer divisions are needed only for long segments, which are rare, and not for their first cell.
    if (n > 0) {
      const u32 x = static_cast<u32>(lengths[0]), y = static_cast<u32>(lengths[1]);
      cell[0] += static_cast<int>(n % x);
      cell[1] += static_cast<int>(n / x % y);
      cell[2] += static_cast<int>(n / x / y);
    }
    return index_of(cells, static_cast<u32>(cell[0]), static_cast<u32>(cell[1]), static_cast<u32>(cell[2]));
  }
};

template <class Cells>
__device__ __forceinline__ CellsOnWay cells_on_way(const Cells& cells, const Fixed& from, const Fixed& to)
{
  CellsOnWay on_way;
  on_way.count = 1;
  on_way.is_short = true;
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const int apart = static_cast<int>(static_cast<u32>(to.at[n]) - static_cast<u32>(from.at[n]));
    const bool overflows = ((to.at[n] ^ from.at[n]) & (apart ^ to.at[n])) < 0;
    on_way.is_short = on_way.is_short && !overflows && apart <= cells.near && -cells.near <= apart;
  }
  if (on_way.is_short) {
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      const u32 number = (static_cast<u32>(to.at[n]) - static_cast<u32>(cells.least[n])) >> cells.edge;
      const bool is_there = to.at[n] >= cells.least[n] && number < static_cast<u32>(cells.shape[n]);
      on_way.begin[n] = static_cast<int>(number);
      on_way.lengths[n] = 1;
      if (!is_there) on_way.count = 0;
    }
    return on_way;
  }
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    const i64 low = along(cells, n, min(from.at[n], to.at[n])), high = along(cells, n, max(from.at[n], to.at[n]));
    on_way.begin[n] = static_cast<int>(max(low, 0ll));
    on_way.lengths[n] = static_cast<int>(max(min(high, static_cast<i64>(cells.shape[n]) - 1) - on_way.begin[n] + 1, 0ll));
    on_way.count *= static_cast<u32>(on_way.lengths[n]);
  }
  return on_way;
}

// Calls `look` with the triangles that a segment may touch. A triangle that is listed in several cells occurs several
// times.
template <class Cells, class Look>
__device__ __forceinline__ void each_near(const Cells& cells, const u32* __restrict__ first,
                                          const ListedTriangle* __restrict__ list, const Triangle* __restrict__ triangles,
                                          const Fixed& from, const Fixed& to, Look look)
{
  const CellsOnWay on_way = cells_on_way(cells, from, to);
  for (u32 n = 0; n < on_way.count; ++n) {
    int cell[3];
    on_way.cell(cells, n, cell);
    each_in(cells, first, list, triangles, cell, from, to, look);
  }
}

// Number of lanes of a warp that read the list of triangles of one cell together, and number of triangles that each
// lane reads at a time. Most lists have at most READERS * READ_AT_ONCE triangles.
#define READERS 8u
#define READ_AT_ONCE 2u
// Capacity of the queue of triangles that must be tested. The queue holds the triangles that a warp finds in one step,
// and fewer than 32 that can remain from the previous step.
#define QUEUED (32u * READ_AT_ONCE + 32u)

// A list of the triangles of a cell that must be searched for a segment: its start and length. It also has the
// segment's bounding box, the segment's number, and the lane to which the segment belongs.
struct alignas(16) ListToRead {
  u32 begin, length, reach, of;
};

// State of the search of a warp for triangles near its segments; each lane has up to `SEGMENTS` segments. The state
// holds the lists that remain to be searched and the triangles that remain to be tested. For each list and triangle, it
// holds the number and the lane of the segment.
template <u32 SEGMENTS>
struct Search {
  ListToRead lists[32 * SEGMENTS];
  u32 numbers[QUEUED], of[QUEUED];
};

// Returns the list of the triangles of one cell; `number` is the index of the cell among the cells that the segment may
// touch.
template <class Cells>
__device__ __forceinline__ ListToRead list_to_read(const Cells& cells, const u32* __restrict__ first, const CellsOnWay& on_way, u32 number,
                                                   const Fixed& from, const Fixed& to, u32 of)
{
  int cell[3];
  const u32 own = on_way.cell(cells, number, cell);
  ListToRead list;
  list.begin = first[own];
  list.length = first[own + 1] - list.begin;
  list.reach = reach_of(cells, cell, from, to, on_way.is_short);
  list.of = of;
  return list;
}

// Finds the triangles that the segments of a warp's lanes may touch. All lanes work together. READERS lanes search the
// list of each segment's cell. As soon as there are as many candidate triangles as lanes, each lane tests one triangle.
// Each lane has up to `segments` segments. `segment` sets the start and end of segment n of the lane, or returns false
// if the lane has no segment n. All lanes call `look` with the index of a triangle (or NOWHERE), the number of the
// segment, and the lane to which the segment belongs. All lanes must call this function.
template <u32 SEGMENTS, class Cells, class Segment, class Look>
__device__ __forceinline__ void look_together(const Cells& cells, const u32* __restrict__ first,
                                              const ListedTriangle* __restrict__ list, u32 lane, u32 segments, Search<SEGMENTS>& search,
                                              Segment segment, Look look)
{
  const u32 before = (1u << lane) - 1;
  // `several` is a bit set of this lane's segments that are in several cells. `seen` is the number of cells already
  // searched for the first of these segments.
  u32 several = 0, seen = 1;
  u32 lists = 0, queued = 0;
  auto put_list = [&](const ListToRead& own) {
    const u32 found = __ballot_sync(ALL, own.length > 0);
    if (own.length > 0) search.lists[lists + __popc(found & before)] = own;
    lists += __popc(found);
  };
  {
    // All lists of triangles are loaded before the first list is used, so that the memory accesses overlap.
    ListToRead own[SEGMENTS];
#pragma unroll
    for (u32 n = 0; n < SEGMENTS; ++n) {
      own[n].length = 0;
      Fixed from, to;
      if (n >= segments || !segment(n, from, to)) continue;
      const CellsOnWay on_way = cells_on_way(cells, from, to);
      if (on_way.count > 0) own[n] = list_to_read(cells, first, on_way, 0, from, to, n << 5 | lane);
      if (on_way.count > 1) several |= 1u << n;
    }
#pragma unroll
    for (u32 n = 0; n < SEGMENTS; ++n) put_list(own[n]);
  }
  for (;;) {
    __syncwarp();
    ListToRead own = {0, 0, 0, 0};
    u32 taken = 0, at = 0;
    bool goes_on = true;
    while (goes_on || queued > 0) {
      while (goes_on && queued < 32) {
        // Lanes that have finished a list of triangles take the next list.
        const u32 done = __ballot_sync(ALL, at >= own.length);
        if (done) {
          const u32 next = taken + __popc(done & ((1u << (lane & ~(READERS - 1))) - 1)) / READERS;
          if (done >> lane & 1) {
            own.length = 0;
            if (next < lists) own = search.lists[next];
            at = 0;
          }
          taken += __popc(done) / READERS;
        }
        ListedTriangle listed[READ_AT_ONCE];
#pragma unroll
        for (u32 n = 0; n < READ_AT_ONCE; ++n) {
          listed[n] = {0, 0};
          const u32 place = at + lane % READERS + n * READERS;
          if (place < own.length) listed[n] = list[own.begin + place];
        }
#pragma unroll
        for (u32 n = 0; n < READ_AT_ONCE; ++n) {
          const bool may = at + lane % READERS + n * READERS < own.length && may_meet(listed[n], own.reach);
          const u32 found = __ballot_sync(ALL, may);
          if (may) {
            const u32 place = queued + __popc(found & before);
            search.numbers[place] = listed[n].number;
            search.of[place] = own.of;
          }
          queued += __popc(found);
        }
        at += READ_AT_ONCE * READERS;
        goes_on = taken < lists || __any_sync(ALL, at < own.length);
      }
      __syncwarp();
      if (queued == 0) break;
      const u32 rest = queued > 32 ? queued - 32 : 0;
      const bool is_there = rest + lane < queued;
      const u32 code = is_there ? search.of[rest + lane] : 0;
      look(is_there ? search.numbers[rest + lane] : NOWHERE, code >> 5, code & 31);
      queued = rest;
      __syncwarp();
    }
    // The search continues with the other cells of segments that are in several cells.
    if (!__any_sync(ALL, several != 0)) break;
    ListToRead other;
    other.length = 0;
    lists = 0;
    if (several) {
      const u32 n = __ffs(static_cast<int>(several)) - 1;
      Fixed from, to;
      segment(n, from, to);
      const CellsOnWay on_way = cells_on_way(cells, from, to);
      other = list_to_read(cells, first, on_way, seen, from, to, n << 5 | lane);
      if (++seen == on_way.count) {
        seen = 1;
        several &= several - 1;
      }
    }
    put_list(other);
  }
}

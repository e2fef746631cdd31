//! Vectors of three components and symmetric 3 × 3 matrices of any number type. A symmetric matrix has the
//! elements xx, yy, zz, xy, xz and yz.
//!
//! Most functions exist in two roundings. The public functions use fused multiply-adds, like the GPU
//! implementation in `symmetric.cuh`, which gives the same bits. The functions with a parameter `FUSED` use
//! [`Operations::times_plus`] if it is false.

use crate::{Lanes, Operations, Real, Vector};

/// Computes a · b + c: with one rounding if `FUSED` is true, and with [`Operations::times_plus`] if not.
#[inline(always)]
pub(crate) fn multiply_add<N: Operations, const FUSED: bool>(a: N, b: N, c: N) -> N {
    if FUSED { a.fma(b, c) } else { a.times_plus(b, c) }
}

#[inline(always)]
pub(crate) fn dot_with<N: Operations, const FUSED: bool>(a: [N; 3], b: [N; 3]) -> N {
    multiply_add::<N, FUSED>(a[2], b[2], multiply_add::<N, FUSED>(a[1], b[1], a[0] * b[0]))
}

#[inline(always)]
pub(crate) fn times_with<N: Operations, const FUSED: bool>(s: &[N; 6], v: [N; 3]) -> [N; 3] {
    [
        dot_with::<N, FUSED>([s[0], s[3], s[4]], v),
        dot_with::<N, FUSED>([s[3], s[1], s[5]], v),
        dot_with::<N, FUSED>([s[4], s[5], s[2]], v),
    ]
}

#[inline(always)]
pub(crate) fn adjugate_with<N: Operations, const FUSED: bool>(s: &[N; 6]) -> ([N; 6], N) {
    let [xx, yy, zz, xy, xz, yz] = *s;
    let a = [
        multiply_add::<N, FUSED>(yy, zz, -(yz * yz)),
        multiply_add::<N, FUSED>(xx, zz, -(xz * xz)),
        multiply_add::<N, FUSED>(xx, yy, -(xy * xy)),
        multiply_add::<N, FUSED>(xz, yz, -(xy * zz)),
        multiply_add::<N, FUSED>(xy, yz, -(xz * yy)),
        multiply_add::<N, FUSED>(xy, xz, -(yz * xx)),
    ];
    let determinant = dot_with::<N, FUSED>([xx, xy, xz], [a[0], a[3], a[4]]);
    (a, determinant)
}

/// Computes two unit vectors that complete a unit vector to an orthonormal frame, with fused
/// multiply-adds. Source: Duff et al. 2017, "Building an orthonormal basis, revisited", Journal of Computer
/// Graphics Techniques 6(1).
#[inline(always)]
pub fn across<N: Operations>(v: [N; 3]) -> ([N; 3], [N; 3]) {
    across_with::<N, true>(v)
}

#[inline(always)]
pub(crate) fn across_with<N: Operations, const FUSED: bool>([x, y, z]: [N; 3]) -> ([N; 3], [N; 3]) {
    let one = x.known(1.0);
    let sign = z.if_reaches(x.known(0.0), one, -one);
    let a = -(one / (sign + z));
    let b = x * y * a;
    let signed = sign * x;
    (
        [multiply_add::<N, FUSED>(signed * x, a, one), sign * b, -signed],
        [b, multiply_add::<N, FUSED>(y * y, a, sign), -y],
    )
}

/// Computes the scalar product a · b, summed from the first component onwards, with fused multiply-adds.
#[inline(always)]
pub fn dot<N: Operations>(a: [N; 3], b: [N; 3]) -> N {
    dot_with::<N, true>(a, b)
}

/// Computes the product S v of a symmetric matrix and a vector, with fused multiply-adds.
#[inline(always)]
pub fn times<N: Operations>(s: &[N; 6], v: [N; 3]) -> [N; 3] {
    times_with::<N, true>(s, v)
}

/// Computes v_x², v_y², v_z², 2 v_x v_y, 2 v_x v_z and 2 v_y v_z. For a symmetric matrix S, these are the
/// weights of the six elements of S in vᵀ S v.
#[inline(always)]
pub fn products<N: Operations>(v: [N; 3]) -> [N; 6] {
    let (x2, y2) = (v[0] + v[0], v[1] + v[1]);
    [v[0] * v[0], v[1] * v[1], v[2] * v[2], x2 * v[1], x2 * v[2], y2 * v[2]]
}

/// Computes the sum of the elements of a symmetric matrix, each multiplied by its weight.
#[inline(always)]
pub fn weighted<N: Operations>(w: &[N; 6], s: &[N; 6]) -> N {
    let diagonal = w[2].fma(s[2], w[1].fma(s[1], w[0] * s[0]));
    w[5].fma(s[5], w[4].fma(s[4], w[3].fma(s[3], diagonal)))
}

/// Computes the adjugate of the symmetric matrix S, and the determinant of S.
#[inline(always)]
pub fn adjugate<N: Operations>(s: &[N; 6]) -> ([N; 6], N) {
    adjugate_with::<N, true>(s)
}

/// Computes the product M v. The matrix M is the same for all lanes, and each lane has its own vector v.
#[inline(always)]
pub fn transformed<T: Real, const W: usize>(m: &[[T; 3]; 3], v: Vector<T, W>) -> Vector<T, W> {
    let mut result = v;
    for r in 0..3 {
        result[r] = dot([Lanes([m[r][0]; W]), Lanes([m[r][1]; W]), Lanes([m[r][2]; W])], v);
    }
    result
}

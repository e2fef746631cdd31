//! Unsorted eigenvalues and eigenvectors of several symmetric matrices at once, in single or double
//! precision. The method is that of `arcuate_core::Deviator::eigensystem`, but with fused multiply-adds. GPUs
//! give the same bits, because `symmetric.cuh` performs the same operations; change both files together.

use super::{Lanes, Operations, Real, Symmetric, across, adjugate, dot, times};

/// The constant √¾, and the coefficients of the cubic polynomial that approximates cos(acos(t) / 3); see
/// `arcuate_core::Deviator`.
const START: [f64; 4] =
    [0.866_025_403_784_438_6, 1.0 / 6.0, -0.042_520_655_797_760_21, 0.009_828_585_346_654_955];

/// Computes the eigenvalues of a symmetric matrix, and the unit eigenvector of each.
#[inline(always)]
pub fn eigensystem<N: Operations>(matrix: &[N; 6]) -> ([N; 3], [[N; 3]; 3]) {
    let (zero, one, half) = (matrix[0].known(0.0), matrix[0].known(1.0), matrix[0].known(0.5));
    let (mean, mut part, spread) = deviator(matrix);
    let p = (spread * zero.known(1.0 / 6.0)).root();
    // The traceless matrix is divided by p, which is proportional to its norm. If p = 0, the traceless matrix
    // is 0 and is not divided.
    let scale = one / p.if_above(zero, p, one);
    for n in 0..6 {
        part[n] = part[n] * scale;
    }
    let cosine = half * adjugate(&part).1;
    let root = cosine_of_a_third(cosine.size().if_above(one, one, cosine.size()));
    let size = root + root;
    let apart_value = cosine.if_reaches(zero, size, -size);
    let mut shifted = part;
    for n in 0..3 {
        shifted[n] = part[n] - apart_value;
    }
    let apart = unit(longest_column(&adjugate(&shifted).0));
    let (u, v) = across(apart);
    let (bu, bv) = (times(&part, u), times(&part, v));
    let (uu, uv, vv) = (dot(u, bu), dot(u, bv), dot(v, bv));
    let (centre, difference) = (half * (uu + vv), half * (uu - vv));
    let radius = difference.fma(difference, uv * uv).root();
    let inverse = one / radius.if_above(zero, radius, one);
    let cos2 = radius.if_above(zero, difference * inverse, one);
    let sin2 = uv * inverse;
    let larger = half.fma(cos2.size(), half).root();
    let smaller = half * sin2 / larger;
    let cos = cos2.if_reaches(zero, larger, smaller);
    let sin = cos2.if_reaches(zero, smaller, larger);
    let (mut large, mut small) = (u, u);
    for n in 0..3 {
        large[n] = cos.fma(u[n], sin * v[n]);
        small[n] = cos.fma(v[n], -(sin * u[n]));
    }
    let values = [p.fma(apart_value, mean), p.fma(centre + radius, mean), p.fma(centre - radius, mean)];
    (values, [apart, large, small])
}

/// Computes the mean of the eigenvalues of a symmetric matrix, the traceless matrix, and the sum of the
/// squared elements of the traceless matrix. The traceless matrix is the symmetric matrix minus the mean on
/// its diagonal.
#[inline(always)]
fn deviator<N: Operations>(matrix: &[N; 6]) -> (N, [N; 6], N) {
    let mean = (matrix[0] + matrix[1] + matrix[2]) * matrix[0].known(1.0 / 3.0);
    let mut part = *matrix;
    for n in 0..3 {
        part[n] = matrix[n] - mean;
    }
    let off = dot([part[3], part[4], part[5]], [part[3], part[4], part[5]]);
    let diagonal = dot([part[0], part[1], part[2]], [part[0], part[1], part[2]]);
    (mean, part, off.known(2.0).fma(off, diagonal))
}

/// Computes the fractional anisotropy of a non-zero matrix.
#[inline(always)]
pub fn fractional_anisotropy<T: Real, const W: usize>(matrix: &Symmetric<T, W>) -> Lanes<T, W> {
    let (mean, _, spread) = deviator(matrix);
    let norm = (Lanes::all(3.0) * mean).fma(mean, spread);
    (Lanes::all(1.5) * spread / norm).root()
}

/// Computes cos(acos(t) / 3) for t between 0 and 1, by Newton's method.
#[inline(always)]
fn cosine_of_a_third<N: Operations>(t: N) -> N {
    let mut x = t.known(START[3]);
    for n in (0..3).rev() {
        x = x.fma(t, t.known(START[n]));
    }
    let steps = if t.is_double() { f64::NEWTON_STEPS } else { f32::NEWTON_STEPS };
    for _ in 0..steps {
        let square = x * x;
        x = (t.known(8.0) * square).fma(x, t) / t.known(12.0).fma(square, t.known(-3.0));
    }
    x
}

/// Returns the longest column of a matrix v vᵀ.
#[inline(always)]
fn longest_column<N: Operations>([xx, yy, zz, xy, xz, yz]: &[N; 6]) -> [N; 3] {
    let length = yy.if_above(*xx, *yy, *xx);
    let column = [yy.if_above(*xx, *xy, *xx), yy.if_above(*xx, *yy, *xy), yy.if_above(*xx, *yz, *xz)];
    [
        zz.if_above(length, *xz, column[0]),
        zz.if_above(length, *yz, column[1]),
        zz.if_above(length, *zz, column[2]),
    ]
}

#[inline(always)]
fn unit<N: Operations>(v: [N; 3]) -> [N; 3] {
    let scale = v[0].known(1.0) / dot(v, v).root();
    [v[0] * scale, v[1] * scale, v[2] * scale]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Random};

    /// Computes the largest difference between a matrix and its reconstruction from eigenvalues and
    /// eigenvectors, relative to the norm of the matrix.
    fn error<T: Real>(elements: [f64; 6]) -> f64 {
        let matrix = elements.map(|e| Lanes([T::of(e); 1]));
        let (values, vectors) = eigensystem(&matrix);
        let norm = elements.iter().map(|e| e * e).sum::<f64>().sqrt().max(1e-300);
        let mut worst = 0.0f64;
        for (n, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            let mut sum = 0.0;
            for k in 0..3 {
                sum += values[k].0[0].double() * vectors[k][a].0[0].double() * vectors[k][b].0[0].double();
            }
            worst = worst.max((sum - matrix[n].0[0].double()).abs() / norm);
        }
        worst
    }

    #[test]
    fn eigensystems_reconstruct_their_matrices() {
        let mut random = Random::new(1, Purpose::Resampling, 0);
        let (mut single, mut double) = (0.0f64, 0.0f64);
        for n in 0..20_000 {
            let mut elements: [f64; 6] = std::array::from_fn(|_| random.normal());
            match n % 4 {
                1 => elements = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0].map(|e: f64| e + 1e-7 * random.normal()),
                2 => elements[3..].fill(0.0),
                3 => elements = [2.0, 2.0, -1.0, 0.0, 0.0, 0.0].map(|e: f64| e + 1e-4 * random.normal()),
                _ => {}
            }
            single = single.max(error::<f32>(elements));
            double = double.max(error::<f64>(elements));
        }
        // The tolerance allows about twenty rounding errors.
        assert!(single < 2e-6 && double < 3e-15, "{single} {double}");
        assert!(error::<f32>([0.0; 6]) == 0.0);
    }
}

//! Eigenvalues and eigenvectors of symmetric 3 × 3 tensors, for one tensor or several at once. The code has
//! no branches and no trigonometric functions, only the operations +, −, ×, ÷ and √, which IEEE 754 rounds
//! identically on every processor.
//!
//! A tensor is its mean times the identity plus a traceless part B. The eigenvalues of B are 2p cos(φ +
//! 2πk/3), with 6p² = ‖B‖² and cos 3φ = det B / 2p³ (Smith 1961, doi:10.1145/355578.366316). The cosine of a
//! third of an angle is the root of a cubic equation, which Newton's method finds. For an eigenvalue λ with
//! eigenvector e, and the other eigenvalues μ and ν, the adjugate of B − λI is (λ − μ)(λ − ν) e eᵀ. The
//! longest column of this adjugate gives e most accurately.
//!
//! The code exists in two roundings. [`Deviator`] uses [`Operations::times_plus`]. [`eigensystem`] and
//! [`fractional_anisotropy`] use fused multiply-adds. GPUs give the same bits as these two functions, because
//! `symmetric.cuh` performs the same operations; change both files together.

use crate::Operations;
use crate::symmetric::{across_with, adjugate_with, dot_with, multiply_add, times_with};

/// Eigenvalues in descending order with their orthonormal eigenvectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Eigensystem<N = f64> {
    /// Eigenvalues λ₁ ≥ λ₂ ≥ λ₃ in mm²/s. Noise can make an eigenvalue negative.
    pub values: [N; 3],
    /// Unit eigenvectors e₁, e₂, e₃ with arbitrary signs.
    pub vectors: [[N; 3]; 3],
}

/// The mean diffusivity and the traceless part B of a diffusion tensor. Each element of the tensor must be 0,
/// or its cube must be a normal floating-point number. In double precision, all elements with a magnitude
/// from 1e-100 to 1e100 satisfy this condition. So elements that were computed in single precision always
/// satisfy it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviator<N = f64> {
    /// Mean diffusivity, MD = tr D / 3.
    pub mean: N,
    /// ‖B‖² = ‖D − MD·I‖², the sum of the squares of all nine elements of B.
    pub spread: N,
    /// The elements B11, B22, B33, B12, B13, B23.
    part: [N; 6],
}

/// The constant √¾ = cos 30°.
const SQRT_3_4: f64 = 0.866_025_403_784_438_6;
/// Two coefficients of the cubic polynomial that approximates cos(acos(t) / 3): 3(1 − √¾) − 2/6 − 1/9 and
/// 2(√¾ − 1) + 1/6 + 1/9.
const CUBIC: [f64; 2] = [-0.042_520_655_797_760_21, 0.009_828_585_346_654_955];

impl<N: Operations> Deviator<N> {
    /// Splits a tensor, given as D11, D22, D33, D12, D13, D23, into its mean and its traceless part.
    #[inline(always)]
    pub fn of(tensor: [N; 6]) -> Self {
        Self::with::<false>(&tensor)
    }

    #[inline(always)]
    fn with<const FUSED: bool>(tensor: &[N; 6]) -> Self {
        let mean = (tensor[0] + tensor[1] + tensor[2]) * tensor[0].known(1.0 / 3.0);
        let mut part = *tensor;
        for n in 0..3 {
            part[n] = tensor[n] - mean;
        }
        let off = dot_with::<N, FUSED>([part[3], part[4], part[5]], [part[3], part[4], part[5]]);
        let diagonal = dot_with::<N, FUSED>([part[0], part[1], part[2]], [part[0], part[1], part[2]]);
        let spread = multiply_add::<N, FUSED>(mean.known(2.0), off, diagonal);
        Self { mean, spread, part }
    }

    /// ‖D‖², the sum of the squares of all nine elements of the tensor D.
    #[inline(always)]
    pub fn norm_squared(&self) -> N {
        (self.mean.known(3.0) * self.mean).times_plus(self.mean, self.spread)
    }

    /// FA = √(3/2) · ‖B‖ / ‖D‖ (Basser and Pierpaoli 1996, doi:10.1006/jmrb.1996.0086). FA is between 0 and 1
    /// if no eigenvalue is negative. FA is 0 if all elements of the tensor are 0, or if an element is NaN.
    #[inline(always)]
    pub fn fractional_anisotropy(&self) -> N {
        let (norm, zero) = (self.norm_squared(), self.mean.known(0.0));
        let divisor = norm.if_above(zero, norm, norm.known(1.0));
        let square = norm.known(1.5) * self.spread / divisor;
        norm.if_above(zero, square.root(), zero)
    }

    /// Computes the eigenvalues and eigenvectors of the tensor. All results are NaN if an element of the
    /// tensor is NaN. The tensor that is rebuilt from the eigenvalues and eigenvectors has an error of a few
    /// rounding errors of the largest element.
    ///
    /// One eigenvalue of B is furthest from the other two. Its magnitude is 2p cos φ′ with φ′ of at most 30°,
    /// and it has the sign of det B. Its eigenvector is computed first, since it is well determined. The
    /// other two eigenvectors are those of a 2 × 2 matrix in the plane orthogonal to the first. Source: Eberly
    /// 2014, "A robust eigensolver for 3 × 3 symmetric matrices". So nearly equal eigenvalues lose no accuracy,
    /// and the eigenvectors are orthonormal even if eigenvalues are equal.
    #[inline(always)]
    pub fn eigensystem(&self) -> Eigensystem<N> {
        let ([apart, large, small], vectors, cosine) = self.unsorted::<false>();
        // If det B is not negative, the eigenvalue that is furthest from the others is the largest.
        let (zero, mut sorted) = (cosine.known(0.0), vectors);
        for axis in 0..3 {
            let [apart, large, small] = [vectors[0][axis], vectors[1][axis], vectors[2][axis]];
            sorted[0][axis] = cosine.if_reaches(zero, apart, large);
            sorted[1][axis] = cosine.if_reaches(zero, large, small);
            sorted[2][axis] = cosine.if_reaches(zero, small, apart);
        }
        let values = [
            cosine.if_reaches(zero, apart, large),
            cosine.if_reaches(zero, large, small),
            cosine.if_reaches(zero, small, apart),
        ];
        Eigensystem { values, vectors: sorted }
    }

    /// Computes the eigenvalue that is furthest from the other two, the larger and the smaller of the other
    /// two, their eigenvectors, and cos 3φ.
    #[inline(always)]
    fn unsorted<const FUSED: bool>(&self) -> ([N; 3], [[N; 3]; 3], N) {
        let (zero, one, half) = (self.mean.known(0.0), self.mean.known(1.0), self.mean.known(0.5));
        let p = self.size();
        // The following steps use the matrix B / p. If p = 0, B is 0 as well and is not divided.
        let scale = one / p.if_above(zero, p, one);
        let mut part = self.part;
        for n in 0..6 {
            part[n] = self.part[n] * scale;
        }
        let cosine = half * adjugate_with::<N, FUSED>(&part).1;
        // Double precision needs one Newton step more.
        let steps = if one.is_double() { 3 } else { 2 };
        let size = cosine.size();
        let root = cosine_of_a_third::<N, FUSED>(size.if_above(one, one, size), steps);
        let size = root + root;
        let apart_value = cosine.if_reaches(zero, size, -size);
        let mut shifted = part;
        for n in 0..3 {
            shifted[n] = part[n] - apart_value;
        }
        let apart = unit::<N, FUSED>(longest_column(adjugate_with::<N, FUSED>(&shifted).0));

        let (u, v) = across_with::<N, FUSED>(apart);
        let (bu, bv) = (times_with::<N, FUSED>(&part, u), times_with::<N, FUSED>(&part, v));
        let uu = dot_with::<N, FUSED>(u, bu);
        let uv = dot_with::<N, FUSED>(u, bv);
        let vv = dot_with::<N, FUSED>(v, bv);
        let (centre, difference) = (half * (uu + vv), half * (uu - vv));
        let radius = multiply_add::<N, FUSED>(difference, difference, uv * uv).root();
        // A rotation by the angle θ diagonalises the 2 × 2 matrix. The next two variables are cos 2θ and sin
        // 2θ. If the matrix is a multiple of the identity, θ is 0.
        let inverse = one / radius.if_above(zero, radius, one);
        let cos2 = radius.if_above(zero, difference * inverse, one);
        let sin2 = uv * inverse;
        // The half-angle formula gives the larger of |cos θ| and |sin θ|. The smaller of the two is computed
        // with sin 2θ = 2 sin θ cos θ.
        let larger = multiply_add::<N, FUSED>(half, cos2.size(), half).root();
        let smaller = half * sin2 / larger;
        let cos = cos2.if_reaches(zero, larger, smaller);
        let sin = cos2.if_reaches(zero, smaller, larger);
        let (mut large, mut small) = (u, u);
        for n in 0..3 {
            large[n] = multiply_add::<N, FUSED>(cos, u[n], sin * v[n]);
            // GPUs round the second product. A SIMD register, whose `times_plus` may be fused, rounds the
            // first one here.
            small[n] = if FUSED { cos.fma(v[n], -(sin * u[n])) } else { (-sin).times_plus(u[n], cos * v[n]) };
        }
        let values = [
            multiply_add::<N, FUSED>(p, apart_value, self.mean),
            multiply_add::<N, FUSED>(p, centre + radius, self.mean),
            multiply_add::<N, FUSED>(p, centre - radius, self.mean),
        ];
        (values, [apart, large, small], cosine)
    }

    /// Computes the projection matrix e₁e₁ᵀ onto the principal eigenvector e₁ (elements 11, 22, 33, 12, 13,
    /// 23) and the gap (λ₁ − λ₂)(λ₁ − λ₃) between the eigenvalues. Callers compare the gap with p² =
    /// [`spread`](Self::spread) / 6. The error of the projection is about 1e-13 for distinct eigenvalues and
    /// grows as 1e-16 (p / (λ₁ − λ₂))² as the two largest eigenvalues approach each other. If the gap is only
    /// rounding error, or NaN, there is no principal direction and the projection is meaningless.
    #[inline(always)]
    pub fn principal_projection(&self) -> ([N; 6], N) {
        let (one, two, half) = (self.mean.known(1.0), self.mean.known(2.0), self.mean.known(0.5));
        let p = self.size();
        let cosine = adjugate_with::<N, false>(&self.part).1 / (two * p * p * p);
        // With θ = acos r, cos(θ/2) is √((1 + r) / 2). A third of θ/2 is θ/6, and cos(θ/3) = 2 cos²(θ/6) − 1.
        // So the cubic equation is always solved in a range in which its slope is not small, even if the two
        // largest eigenvalues are equal.
        let half_angle = half.times_plus(cosine, half).within(0.0, 1.0).root();
        let root = cosine_of_a_third::<N, false>(half_angle, 2);
        let largest = two * p * (two * root).times_plus(root, -one);
        let mut shifted = self.part;
        for n in 0..3 {
            shifted[n] = self.part[n] - largest;
        }
        let mut adjugate = adjugate_with::<N, false>(&shifted).0;
        let gap = adjugate[0] + adjugate[1] + adjugate[2];
        let scale = one / gap;
        for n in 0..6 {
            adjugate[n] = adjugate[n] * scale;
        }
        (adjugate, gap)
    }

    /// The size p = ‖B‖ / √6 of the traceless part B of the tensor.
    #[inline(always)]
    fn size(&self) -> N {
        (self.spread.known(1.0 / 6.0) * self.spread).root()
    }
}

/// Computes the eigenvalues of a symmetric matrix, and the unit eigenvector of each, with fused multiply-adds.
/// The eigenvalue that is furthest from the other two comes first, then the larger and the smaller of the
/// other two. The matrix must satisfy the condition of [`Deviator`] in the precision of the numbers.
#[inline(always)]
pub fn eigensystem<N: Operations>(matrix: &[N; 6]) -> ([N; 3], [[N; 3]; 3]) {
    let (values, vectors, _) = Deviator::with::<true>(matrix).unsorted::<true>();
    (values, vectors)
}

/// Computes the fractional anisotropy of a non-zero matrix with fused multiply-adds.
#[inline(always)]
pub fn fractional_anisotropy<N: Operations>(matrix: &[N; 6]) -> N {
    let Deviator { mean, spread, .. } = Deviator::with::<true>(matrix);
    let norm = (mean.known(3.0) * mean).fma(mean, spread);
    (mean.known(1.5) * spread / norm).root()
}

/// Returns the longest column of the matrix v vᵀ of a vector v, which is v times the largest component of v.
/// The elements of the matrix are given in the order 11, 22, 33, 12, 13, 23.
#[inline(always)]
pub fn longest_column<N: Operations>([xx, yy, zz, xy, xz, yz]: [N; 6]) -> [N; 3] {
    let length = yy.if_above(xx, yy, xx);
    let column = [yy.if_above(xx, xy, xx), yy.if_above(xx, yy, xy), yy.if_above(xx, yz, xz)];
    [
        zz.if_above(length, xz, column[0]),
        zz.if_above(length, yz, column[1]),
        zz.if_above(length, zz, column[2]),
    ]
}

/// Computes cos(acos(t) / 3) for 0 ≤ t ≤ 1 with this number of Newton steps. This value is the root x of
/// 4x³ − 3x = t between √¾ and 1. In this range the slope 12x² − 3 is at least 6, so Newton's method always
/// converges.
#[inline(always)]
fn cosine_of_a_third<N: Operations, const FUSED: bool>(t: N, steps: usize) -> N {
    // The first estimate is a cubic polynomial of t, which has the exact values and slopes at t = 0 and t =
    // 1. The error of this estimate is at most 3e-4. One Newton step reduces the error to 1.1e-7, two steps
    // to 2e-14, and three steps to rounding errors.
    let mut x = multiply_add::<N, FUSED>(t.known(CUBIC[1]), t, t.known(CUBIC[0]));
    x = multiply_add::<N, FUSED>(x, t, t.known(1.0 / 6.0));
    x = multiply_add::<N, FUSED>(x, t, t.known(SQRT_3_4));
    for _ in 0..steps {
        let square = x * x;
        // Newton's step x − (4x³ − 3x − t) / (12x² − 3), written with a common denominator.
        let above = multiply_add::<N, FUSED>(t.known(8.0) * square, x, t);
        x = above / multiply_add::<N, FUSED>(t.known(12.0), square, t.known(-3.0));
    }
    x
}

#[inline(always)]
fn unit<N: Operations, const FUSED: bool>(v: [N; 3]) -> [N; 3] {
    let scale = v[0].known(1.0) / dot_with::<N, FUSED>(v, v).root();
    [v[0] * scale, v[1] * scale, v[2] * scale]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_numbers::TestNumbers;
    use crate::{Lanes, Real};

    #[test]
    fn a_third_of_an_angle() {
        for n in 0..=1000 {
            let t = f64::from(n) / 1000.0;
            let expected = (t.acos() / 3.0).cos();
            assert!((cosine_of_a_third::<_, false>(t, 2) - expected).abs() < 3e-14, "{t}");
            // The tolerance allows for the rounding errors of the seven operations of the last Newton step,
            // 1.1e-16 each.
            assert!((cosine_of_a_third::<_, false>(t, 3) - expected).abs() < 8e-16, "{t}");
        }
    }

    #[test]
    fn zero_tensors_have_eigenvectors_and_invalid_tensors_have_none() {
        let zero = Deviator::of([0.0; 6]).eigensystem();
        assert_eq!(zero.values, [0.0; 3]);
        for n in 0..3 {
            assert!((dot_with::<f64, false>(zero.vectors[n], zero.vectors[n]) - 1.0).abs() < 1e-15);
            assert!(dot_with::<f64, false>(zero.vectors[n], zero.vectors[(n + 1) % 3]).abs() < 1e-15);
        }
        for n in 0..6 {
            let mut elements = [1.0, 0.5, 0.2, 0.0, 0.0, 0.0];
            elements[n] = f64::NAN;
            let deviator = Deviator::of(elements);
            assert!(deviator.eigensystem().values.iter().all(|value| value.is_nan()));
            assert_eq!(deviator.fractional_anisotropy(), 0.0);
            assert!(deviator.principal_projection().1.is_nan());
        }
    }

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
        let mut random = TestNumbers::new();
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

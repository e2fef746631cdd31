//! Eigenvalues and eigenvectors of symmetric 3 × 3 tensors, for one tensor or several at once. The code has
//! no branches and no trigonometric functions, only the operations +, −, ×, ÷ and √, which IEEE 754 rounds
//! identically on every processor.
//!
//! A tensor is its mean times the identity plus a traceless part B. The eigenvalues of B are 2p cos(φ +
//! 2πk/3), with 6p² = ‖B‖² and cos 3φ = det B / 2p³ (Smith 1961, doi:10.1145/355578.366316). The cosine of a
//! third of an angle is the root of a cubic equation, which Newton's method finds. For an eigenvalue λ with
//! eigenvector e, and the other eigenvalues μ and ν, the adjugate of B − λI is (λ − μ)(λ − ν) e eᵀ. The
//! longest column of this adjugate gives e most accurately.

use crate::Arithmetic;
use std::array::from_fn;

/// Eigenvalues in descending order with their orthonormal eigenvectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Eigensystem<R = f64> {
    /// Eigenvalues λ₁ ≥ λ₂ ≥ λ₃ in mm²/s. Noise can make an eigenvalue negative.
    pub values: [R; 3],
    /// Unit eigenvectors e₁, e₂, e₃ with arbitrary signs.
    pub vectors: [[R; 3]; 3],
}

/// The mean diffusivity and the traceless part B of a diffusion tensor. Each element of the tensor must be 0,
/// or its cube must be a normal floating-point number. In double precision, all elements with a magnitude
/// from 1e-100 to 1e100 satisfy this condition. So elements that were computed in single precision always
/// satisfy it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviator<R = f64> {
    /// Mean diffusivity, MD = tr D / 3.
    pub mean: R,
    /// ‖B‖² = ‖D − MD·I‖², the sum of the squares of all nine elements of B.
    pub spread: R,
    diagonal: [R; 3],
    /// The off-diagonal elements B12, B13 and B23.
    off: [R; 3],
}

/// The constant √¾ = cos 30°.
const SQRT_3_4: f64 = 0.866_025_403_784_438_6;
/// Two coefficients of the cubic polynomial that approximates cos(acos(t) / 3): 3(1 − √¾) − 2/6 − 1/9 and
/// 2(√¾ − 1) + 1/6 + 1/9.
const CUBIC: [f64; 2] = [-0.042_520_655_797_760_21, 0.009_828_585_346_654_955];

impl<R: Arithmetic> Deviator<R> {
    /// Splits a tensor, given as D11, D22, D33, D12, D13, D23, into its mean and its traceless part.
    #[inline(always)]
    pub fn of([xx, yy, zz, xy, xz, yz]: [R; 6]) -> Self {
        let mean = xx.all(1.0 / 3.0) * (xx + yy + zz);
        let diagonal = [xx - mean, yy - mean, zz - mean];
        let off = [xy, xz, yz];
        let spread = mean.all(2.0).times_plus(dot(off, off), dot(diagonal, diagonal));
        Self { mean, spread, diagonal, off }
    }

    /// ‖D‖², the sum of the squares of all nine elements of the tensor D.
    #[inline(always)]
    pub fn norm_squared(&self) -> R {
        (self.mean.all(3.0) * self.mean).times_plus(self.mean, self.spread)
    }

    /// FA = √(3/2) · ‖B‖ / ‖D‖ (Basser and Pierpaoli 1996, doi:10.1006/jmrb.1996.0086). FA is between 0 and 1
    /// if no eigenvalue is negative. FA is 0 if all elements of the tensor are 0, or if an element is NaN.
    #[inline(always)]
    pub fn fractional_anisotropy(&self) -> R {
        let (norm, zero) = (self.norm_squared(), self.mean.all(0.0));
        let any = norm.above(zero);
        let square = norm.all(1.5) * self.spread / R::choose(any, norm, norm.all(1.0));
        R::choose(any, square.sqrt(), zero)
    }

    /// Computes the eigenvalues and eigenvectors of the tensor. All results are NaN if an element of the
    /// tensor is NaN. The tensor that is rebuilt from the eigenvalues and eigenvectors has an error of a few
    /// rounding errors of the largest element.
    ///
    /// One eigenvalue of B is furthest from the other two. Its magnitude is 2p cos φ′ with φ′ of at most 30°,
    /// and it has the sign of det B. Its eigenvector is computed first, since it is well determined. The
    /// other two eigenvectors are those of a 2 × 2 matrix in the plane orthogonal to the first (Eberly 2014,
    /// "A robust eigensolver for 3 × 3 symmetric matrices"). So nearly equal eigenvalues lose no accuracy,
    /// and the eigenvectors are orthonormal even if eigenvalues are equal.
    #[inline(always)]
    pub fn eigensystem(&self) -> Eigensystem<R> {
        let number = |value| self.mean.all(value);
        let (zero, one, half) = (number(0.0), number(1.0), number(0.5));
        let p = self.size();
        // The following steps use the matrix B / p. If p = 0, B is 0 as well and is not divided.
        let scale = one / R::choose(p.above(zero), p, one);
        let (diagonal, off) = (self.diagonal.map(|d| d * scale), self.off.map(|d| d * scale));
        let cosine = half * determinant(diagonal, off);
        let prolate = cosine.reaches(zero);
        let root = cosine_of_a_third::<_, 3>(cosine.abs().within(0.0, 1.0));
        let size = root + root;
        let apart_value = R::choose(prolate, size, -size);
        let apart = unit(longest_column(adjugate(diagonal.map(|d| d - apart_value), off)));

        let (u, v) = across(apart);
        let [xy, xz, yz] = off;
        let rows = [[diagonal[0], xy, xz], [xy, diagonal[1], yz], [xz, yz, diagonal[2]]];
        let (bu, bv) = (rows.map(|row| dot(row, u)), rows.map(|row| dot(row, v)));
        let (uu, uv, vv) = (dot(u, bu), dot(u, bv), dot(v, bv));
        let (centre, difference) = (half * (uu + vv), half * (uu - vv));
        let radius = difference.times_plus(difference, uv * uv).sqrt();
        // A rotation by the angle θ diagonalises the 2 × 2 matrix. The next two variables are cos 2θ and sin
        // 2θ. If the matrix is a multiple of the identity, θ is 0.
        let turns = radius.above(zero);
        let inverse = one / R::choose(turns, radius, one);
        let cos2 = R::choose(turns, difference * inverse, one);
        let sin2 = uv * inverse;
        // The half-angle formula gives the larger of |cos θ| and |sin θ|. The smaller of the two is computed
        // with sin 2θ = 2 sin θ cos θ.
        let larger = half.times_plus(cos2.abs(), half).sqrt();
        let smaller = half * sin2 / larger;
        let forward = cos2.reaches(zero);
        let (cos, sin) = (R::choose(forward, larger, smaller), R::choose(forward, smaller, larger));
        let large: [R; 3] = from_fn(|n| cos.times_plus(u[n], sin * v[n]));
        let small: [R; 3] = from_fn(|n| (-sin).times_plus(u[n], cos * v[n]));

        let either = |if_prolate, otherwise| R::choose(prolate, if_prolate, otherwise);
        let (high, low) = (centre + radius, centre - radius);
        let values = [either(apart_value, high), either(high, low), either(low, apart_value)];
        Eigensystem {
            values: values.map(|value| p.times_plus(value, self.mean)),
            vectors: [
                from_fn(|n| either(apart[n], large[n])),
                from_fn(|n| either(large[n], small[n])),
                from_fn(|n| either(small[n], apart[n])),
            ],
        }
    }

    /// Computes the projection matrix e₁e₁ᵀ onto the principal eigenvector e₁ (elements 11, 22, 33, 12, 13,
    /// 23) and the gap (λ₁ − λ₂)(λ₁ − λ₃) between the eigenvalues. Callers compare the gap with p² =
    /// [`spread`](Self::spread) / 6. The error of the projection is about 1e-13 for distinct eigenvalues and
    /// grows as 1e-16 (p / (λ₁ − λ₂))² as the two largest eigenvalues approach each other. If the gap is only
    /// rounding error, or NaN, there is no principal direction and the projection is meaningless.
    #[inline(always)]
    pub fn principal_projection(&self) -> ([R; 6], R) {
        let number = |value| self.mean.all(value);
        let (one, two, half) = (number(1.0), number(2.0), number(0.5));
        let p = self.size();
        let cosine = determinant(self.diagonal, self.off) / (two * p * p * p);
        // With θ = acos r, cos(θ/2) is √((1 + r) / 2). A third of θ/2 is θ/6, and cos(θ/3) = 2 cos²(θ/6) − 1.
        // So the cubic equation is always solved in a range in which its slope is not small, even if the two
        // largest eigenvalues are equal.
        let root = cosine_of_a_third::<_, 2>(half.times_plus(cosine, half).within(0.0, 1.0).sqrt());
        let largest = two * p * (two * root).times_plus(root, -one);
        let adjugate = adjugate(self.diagonal.map(|d| d - largest), self.off);
        let gap = adjugate[0] + adjugate[1] + adjugate[2];
        let scale = one / gap;
        (adjugate.map(|element| element * scale), gap)
    }

    /// The size p = ‖B‖ / √6 of the traceless part B of the tensor.
    #[inline(always)]
    fn size(&self) -> R {
        (self.spread.all(1.0 / 6.0) * self.spread).sqrt()
    }
}

/// Returns the longest column of the matrix v vᵀ of a vector v, which is v times the largest component of v.
/// The elements of the matrix are given in the order 11, 22, 33, 12, 13, 23.
#[inline(always)]
pub fn longest_column<R: Arithmetic>([xx, yy, zz, xy, xz, yz]: [R; 6]) -> [R; 3] {
    let longer = yy.above(xx);
    let length = R::choose(longer, yy, xx);
    let column = [R::choose(longer, xy, xx), R::choose(longer, yy, xy), R::choose(longer, yz, xz)];
    let longest = zz.above(length);
    [R::choose(longest, xz, column[0]), R::choose(longest, yz, column[1]), R::choose(longest, zz, column[2])]
}

/// Computes the adjugate of a symmetric matrix. The elements of both matrices have the order 11, 22, 33, 12,
/// 13, 23.
#[inline(always)]
fn adjugate<R: Arithmetic>([a, b, c]: [R; 3], [xy, xz, yz]: [R; 3]) -> [R; 6] {
    let minor = |p: R, q: R, r: R, s: R| p.times_plus(q, -(r * s));
    [
        minor(b, c, yz, yz),
        minor(a, c, xz, xz),
        minor(a, b, xy, xy),
        minor(xz, yz, xy, c),
        minor(xy, yz, xz, b),
        minor(xy, xz, yz, a),
    ]
}

#[inline(always)]
fn determinant<R: Arithmetic>(diagonal: [R; 3], off: [R; 3]) -> R {
    let adjugate = adjugate(diagonal, off);
    dot([diagonal[0], off[0], off[1]], [adjugate[0], adjugate[3], adjugate[4]])
}

/// Computes cos(acos(t) / 3) for 0 ≤ t ≤ 1. This value is the root x of 4x³ − 3x = t between √¾ and 1. In
/// this range the slope 12x² − 3 is at least 6, so Newton's method always converges.
#[inline(always)]
fn cosine_of_a_third<R: Arithmetic, const STEPS: usize>(t: R) -> R {
    let number = |value| t.all(value);
    // The first estimate is a cubic polynomial of t, which has the exact values and slopes at t = 0 and t =
    // 1. The error of this estimate is at most 3e-4. One Newton step reduces the error to 1.1e-7, two steps
    // to 2e-14, and three steps to rounding errors.
    let curve = number(CUBIC[1]).times_plus(t, number(CUBIC[0])).times_plus(t, number(1.0 / 6.0));
    let mut x = curve.times_plus(t, number(SQRT_3_4));
    for _ in 0..STEPS {
        let square = x * x;
        // Newton's step x − (4x³ − 3x − t) / (12x² − 3), written with a common denominator.
        x = (number(8.0) * square).times_plus(x, t) / number(12.0).times_plus(square, number(-3.0));
    }
    x
}

#[inline(always)]
fn dot<R: Arithmetic>(a: [R; 3], b: [R; 3]) -> R {
    a[2].times_plus(b[2], a[1].times_plus(b[1], a[0] * b[0]))
}

#[inline(always)]
fn unit<R: Arithmetic>(v: [R; 3]) -> [R; 3] {
    let scale = v[0].all(1.0) / dot(v, v).sqrt();
    v.map(|c| c * scale)
}

/// Computes two unit vectors that complete a unit vector to an orthonormal frame (Duff et al. 2017, "Building
/// an orthonormal basis, revisited", Journal of Computer Graphics Techniques 6(1)).
#[inline(always)]
fn across<R: Arithmetic>([x, y, z]: [R; 3]) -> ([R; 3], [R; 3]) {
    let one = x.all(1.0);
    let sign = R::choose(z.reaches(x.all(0.0)), one, -one);
    let a = -(one / (sign + z));
    let b = x * y * a;
    let signed = sign * x;
    ([(signed * x).times_plus(a, one), sign * b, -signed], [b, (y * y).times_plus(a, sign), -y])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_an_angle() {
        for n in 0..=1000 {
            let t = f64::from(n) / 1000.0;
            let expected = (t.acos() / 3.0).cos();
            assert!((cosine_of_a_third::<_, 2>(t) - expected).abs() < 3e-14, "{t}");
            // The tolerance allows for the rounding errors of the seven operations of the last Newton step,
            // 1.1e-16 each.
            assert!((cosine_of_a_third::<_, 3>(t) - expected).abs() < 8e-16, "{t}");
        }
    }

    #[test]
    fn zero_tensors_have_eigenvectors_and_invalid_tensors_have_none() {
        let zero = Deviator::of([0.0; 6]).eigensystem();
        assert_eq!(zero.values, [0.0; 3]);
        for n in 0..3 {
            assert!((dot(zero.vectors[n], zero.vectors[n]) - 1.0).abs() < 1e-15);
            assert!(dot(zero.vectors[n], zero.vectors[(n + 1) % 3]).abs() < 1e-15);
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
}

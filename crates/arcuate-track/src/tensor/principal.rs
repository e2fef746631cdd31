//! The principal eigenvector of a symmetric 3 × 3 tensor without a trigonometric function: only +, −, ×, ÷ and √, which
//! IEEE 754 rounds the same on every processor.
//!
//! With the mean m = tr D / 3, p² = ‖D − mI‖² / 6 and r = det(D − mI) / 2p³, the largest eigenvalue is
//! λ₁ = m + 2p·cos(acos(r) / 3) (Smith 1961, doi:10.1145/355578.366316). With θ = acos r, the half-angle t = cos(θ/2) =
//! √((1 + r) / 2) and u = cos(θ/6) obey 4u³ − 3u = t with u between √¾ and 1, where the slope 12u² − 3 is at least 6:
//! Newton's method always converges, also where eigenvalues meet. Then cos(θ/3) = 2u² − 1.
//!
//! The adjugate of D − λ₁I is (λ₁ − λ₂)(λ₁ − λ₃)·e₁e₁ᵀ: applied to any direction v it gives e₁, already turned to v's
//! side.

use crate::field::Elements;
use crate::lanes::{Flags, Lanes, Vector, both, dot};

/// √¾ = cos 30°.
const SQRT_3_4: f64 = 0.866_025_403_784_438_6;
/// 3(1 − √¾) − 2/6 − 1/9 and 2(√¾ − 1) + 1/6 + 1/9.
const CUBIC: [f64; 2] = [-0.042_520_655_797_760_21, 0.009_828_585_346_654_955];

/// Tensors come in single precision, 6e-8: a largest eigenvalue that stands out by less than this part of p, and a
/// direction that differs by less from a right angle, are rounding.
const RESOLUTION: f64 = 1e-6;

/// The projection e₁e₁ᵀ onto the principal direction, elements in the order of a tensor.
pub(super) struct Principal<const W: usize>(Elements<W>);

impl<const W: usize> Principal<W> {
    /// The flags are false where the fractional anisotropy is below `min_fa` or not a number, or where the two largest
    /// eigenvalues are equal, so that no direction is the principal one; the projection then means nothing.
    #[inline(always)]
    pub(super) fn of(tensor: &Elements<W>, min_fa: f64) -> (Self, Flags<W>) {
        let [xx, yy, zz, xy, xz, yz] = *tensor;
        let mean = (1.0 / 3.0) * (xx + yy + zz);
        let (a, b, c) = (xx - mean, yy - mean, zz - mean);
        let (xy2, xz2, yz2) = (xy * xy, xz * xz, yz * yz);
        let spread = a * a + b * b + c * c + 2.0 * (xy2 + xz2 + yz2);
        let norm = spread + 3.0 * mean * mean;
        // FA² = 3/2 · spread / norm, compared without a root.
        let enough = (1.5 * spread).reaches(min_fa * min_fa * norm);
        let p = ((1.0 / 6.0) * spread).sqrt();
        let determinant = a * (b * c - yz2) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
        let r = determinant / (2.0 * p * p * p);
        let shift = 2.0 * p * cosine_of_a_third(r);
        let (a, b, c) = (a - shift, b - shift, c - shift);
        let (u, v, w) = (b * c - yz2, a * c - xz2, a * b - xy2);
        let trace = u + v + w;
        // A zero tensor has 0 > 0 here.
        let single = trace.above(RESOLUTION * p * p);
        let scale = 1.0 / trace;
        let off = [xz * yz - xy * c, xy * yz - xz * b, xy * xz - yz * a];
        let projection = [u, v, w, off[0], off[1], off[2]].map(|element| element * scale);
        (Self(projection), both(enough, single))
    }

    /// The principal eigenvector on the side of a unit vector; the flags are false where they are at a right angle.
    #[inline(always)]
    pub(super) fn towards(&self, direction: Vector<W>) -> (Vector<W>, Flags<W>) {
        let projected = times(&self.0, direction);
        let cosine = dot(projected, projected).sqrt();
        let scale = 1.0 / cosine;
        (projected.map(|c| c * scale), cosine.above(Lanes::all(RESOLUTION)))
    }
}

impl Principal<1> {
    /// The principal eigenvector on the side of a vector that need not be near it.
    pub(super) fn on_side_of(&self, vector: [f64; 3]) -> [f64; 3] {
        let [xx, yy, zz, xy, xz, yz] = self.0.map(|element| element.0[0]);
        // The longest column of e₁e₁ᵀ.
        let column = if xx >= yy && xx >= zz {
            [xx, xy, xz]
        } else if yy >= zz {
            [xy, yy, yz]
        } else {
            [xz, yz, zz]
        };
        let inner = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let length = inner(column, column).sqrt();
        let signed = if inner(column, vector) < 0.0 { -length } else { length };
        column.map(|c| c / signed)
    }
}

/// cos(acos(r) / 3) for r between −1 and 1; rounding may take r a little beyond.
#[inline(always)]
fn cosine_of_a_third<const W: usize>(r: Lanes<W>) -> Lanes<W> {
    let t = (0.5 + 0.5 * r).within(0.0, 1.0).sqrt();
    // The cubic with the right values and slopes at t = 0 and 1 is within 3e-4, one step of Newton within 1.1e-7, two
    // within 2e-14.
    let mut u = SQRT_3_4 + t * (1.0 / 6.0 + t * (CUBIC[0] + CUBIC[1] * t));
    for _ in 0..2 {
        let u2 = u * u;
        // Newton's u − (4u³ − 3u − t) / (12u² − 3), over one denominator.
        u = (8.0 * u2 * u + t) / (12.0 * u2 - Lanes::all(3.0));
    }
    2.0 * u * u - Lanes::all(1.0)
}

/// A vector's direction; not a number for a vector of length 0.
#[inline(always)]
pub(super) fn unit<const W: usize>(v: Vector<W>) -> Vector<W> {
    let scale = 1.0 / dot(v, v).sqrt();
    v.map(|c| c * scale)
}

/// D v.
#[inline(always)]
pub(super) fn times<const W: usize>(tensor: &Elements<W>, v: Vector<W>) -> Vector<W> {
    let [xx, yy, zz, xy, xz, yz] = *tensor;
    [xx * v[0] + xy * v[1] + xz * v[2], xy * v[0] + yy * v[1] + yz * v[2], xz * v[0] + yz * v[1] + zz * v[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::vector;
    use arcuate_compute::{Purpose, Random};
    use arcuate_core::DiffusionTensor;

    fn inner(a: [f64; 3], b: [f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    fn normal(v: [f64; 3]) -> [f64; 3] {
        v.map(|c| c / inner(v, v).sqrt())
    }

    fn principal(tensor: [f64; 6], min_fa: f64) -> Option<Principal<1>> {
        let (principal, [found]) = Principal::of(&tensor.map(Lanes::all), min_fa);
        found.then_some(principal)
    }

    fn towards(principal: &Principal<1>, direction: [f64; 3]) -> Option<[f64; 3]> {
        let (found, [decided]) = principal.towards(vector(direction));
        decided.then(|| found.map(|c| c.0[0]))
    }

    #[test]
    fn a_third_of_an_angle() {
        let of = |r: f64| cosine_of_a_third(Lanes([r])).0[0];
        for n in -1000..=1000 {
            let r = f64::from(n) / 1000.0;
            let expected = (r.acos() / 3.0).cos();
            assert!((of(r) - expected).abs() < 1e-13, "{r}");
        }
        assert!((of(1.0 + 1e-9) - 1.0).abs() < 1e-15);
        assert!((of(-1.0 - 1e-9) - 0.5).abs() < 1e-15);
    }

    /// Σ λᵢ eᵢ eᵢᵀ in a random frame, with its e₁.
    fn tensor(values: [f64; 3], random: &mut Random) -> ([f64; 6], [f64; 3]) {
        let e1 = random.on_sphere();
        let other = random.on_sphere();
        let along = inner(e1, other);
        let e2 = normal(std::array::from_fn(|n| other[n] - along * e1[n]));
        let e3 =
            [e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2], e1[0] * e2[1] - e1[1] * e2[0]];
        let element = |r: usize, c: usize| {
            values[0] * e1[r] * e1[c] + values[1] * e2[r] * e2[c] + values[2] * e3[r] * e3[c]
        };
        ([element(0, 0), element(1, 1), element(2, 2), element(0, 1), element(0, 2), element(1, 2)], e1)
    }

    #[test]
    fn directions_of_tensors_of_every_shape() {
        let mut random = Random::new(3, Purpose::Resampling, 0);
        // Sticks, cigars, flat and nearly flat, weak, negative third eigenvalue; sizes from 1e-9 to 1e9.
        let spectra = [
            [1.0, 0.0, 0.0],
            [1.7, 0.3, 0.3],
            [1.7, 0.3, 0.1],
            [1.0, 0.99, 0.1],
            [1.0, 0.9, 0.8],
            [1.0, 0.2, -0.3],
        ];
        for size in [1e-9, 1e-3, 1.0, 1e9] {
            for spectrum in spectra {
                for _ in 0..200 {
                    let (d, e1) = tensor(spectrum.map(|value| value * size), &mut random);
                    let side = random.on_sphere();
                    let found = principal(d, 0.0).unwrap();
                    let sided = found.on_side_of(side);
                    assert!(inner(sided, side) >= 0.0);
                    // A gap of a hundredth costs two digits, the double root of the cubic two more.
                    assert!((inner(sided, e1).abs() - 1.0).abs() < 1e-12, "{spectrum:?} {sided:?} {e1:?}");
                    let near = normal(std::array::from_fn(|n| e1[n] + 0.5 * side[n]));
                    assert!((inner(towards(&found, near).unwrap(), e1) - 1.0).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn the_cutoff_is_fractional_anisotropy() {
        let mut random = Random::new(4, Purpose::Resampling, 0);
        for _ in 0..500 {
            let values = [random.uniform(), random.uniform(), random.uniform()];
            let (d, _) = tensor(values, &mut random);
            let fa = DiffusionTensor(d).fractional_anisotropy();
            assert!(principal(d, fa * (1.0 - 1e-9)).is_some());
            assert!(principal(d, fa * (1.0 + 1e-9)).is_none());
        }
    }

    #[test]
    fn nothing_and_not_a_number_have_no_direction() {
        assert!(principal([0.0; 6], 0.0).is_none());
        assert!(principal([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], 0.0).is_none());
        assert!(principal([1.0, 1.0, 0.0, 0.0, 0.0, 0.0], 0.0).is_none());
        for n in 0..6 {
            let mut tensor = [1.0, 0.5, 0.2, 0.0, 0.0, 0.0];
            tensor[n] = f64::NAN;
            assert!(principal(tensor, 0.0).is_none());
            tensor[n] = f64::INFINITY;
            assert!(principal(tensor, 0.0).is_none());
        }
        let stick = principal([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.0).unwrap();
        assert_eq!(towards(&stick, [0.0, 0.0, 1.0]), None);
        assert_eq!(towards(&stick, [-0.6, 0.0, 0.8]), Some([-1.0, 0.0, 0.0]));
    }

    #[test]
    fn lanes_do_not_see_each_other() {
        let mut random = Random::new(5, Purpose::Resampling, 0);
        let tensors: [[f64; 6]; 8] = std::array::from_fn(|_| tensor([1.7, 0.5, 0.2], &mut random).0);
        let side = random.on_sphere();
        let together: Elements<8> = std::array::from_fn(|n| Lanes(tensors.map(|t| t[n])));
        let (found, _) = Principal::of(&together, 0.1).0.towards(vector(side));
        for (n, tensor) in tensors.into_iter().enumerate() {
            let alone = towards(&principal(tensor, 0.1).unwrap(), side).unwrap();
            assert_eq!(alone, found.map(|c| c.0[n]));
        }
    }
}

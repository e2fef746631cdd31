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

/// √¾ = cos 30°.
const SQRT_3_4: f64 = 0.866_025_403_784_438_6;
/// 3(1 − √¾) − 2/6 − 1/9 and 2(√¾ − 1) + 1/6 + 1/9.
const CUBIC: [f64; 2] = [-0.042_520_655_797_760_21, 0.009_828_585_346_654_955];

/// Tensors come in single precision, 6e-8: a largest eigenvalue that stands out by less than this part of p, and a
/// direction that differs by less from a right angle, are rounding.
const RESOLUTION: f64 = 1e-6;

/// What is needed of a tensor with enough anisotropy.
pub(super) struct Principal {
    /// Adjugate of D − λ₁I, elements in the order of a tensor, over its trace: e₁e₁ᵀ.
    projection: Elements,
}

impl Principal {
    /// Nothing where the fractional anisotropy is below `min_fa` or not a number, or where the two largest eigenvalues are
    /// equal, so that no direction is the principal one.
    #[inline]
    pub(super) fn of(tensor: &Elements, min_fa: f64) -> Option<Self> {
        let [xx, yy, zz, xy, xz, yz] = *tensor;
        let mean = (xx + yy + zz) * (1.0 / 3.0);
        let (a, b, c) = (xx - mean, yy - mean, zz - mean);
        let (xy2, xz2, yz2) = (xy * xy, xz * xz, yz * yz);
        let spread = a * a + b * b + c * c + 2.0 * (xy2 + xz2 + yz2);
        let norm = spread + 3.0 * mean * mean;
        // FA² = 3/2 · spread / norm, compared without a root; a zero or NaN tensor fails.
        let enough = spread > 0.0 && 1.5 * spread >= min_fa * min_fa * norm;
        if !enough {
            return None;
        }
        let p = (spread * (1.0 / 6.0)).sqrt();
        let determinant = a * (b * c - yz2) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
        let r = determinant / (2.0 * p * p * p);
        let shift = 2.0 * p * cosine_of_a_third(r);
        let (a, b, c) = (a - shift, b - shift, c - shift);
        let (u, v, w) = (b * c - yz2, a * c - xz2, a * b - xy2);
        let trace = u + v + w;
        let single = trace > RESOLUTION * p * p;
        if !single {
            return None;
        }
        let scale = 1.0 / trace;
        let off = [xz * yz - xy * c, xy * yz - xz * b, xy * xz - yz * a];
        let projection = [u * scale, v * scale, w * scale, off[0] * scale, off[1] * scale, off[2] * scale];
        Some(Self { projection })
    }

    /// The principal eigenvector on the side of a unit vector; nothing where they are at a right angle.
    #[inline]
    pub(super) fn towards(&self, direction: [f64; 3]) -> Option<[f64; 3]> {
        let projected = times(&self.projection, direction);
        let cosine = dot(projected, projected).sqrt();
        (cosine > RESOLUTION).then(|| projected.map(|c| c / cosine))
    }

    /// The principal eigenvector on the side of a vector that need not be near it: from the longest column first.
    pub(super) fn on_side_of(&self, vector: [f64; 3]) -> [f64; 3] {
        let [xx, yy, zz, xy, xz, yz] = self.projection;
        let column = if xx >= yy && xx >= zz {
            [xx, xy, xz]
        } else if yy >= zz {
            [xy, yy, yz]
        } else {
            [xz, yz, zz]
        };
        let direction = unit(column);
        if dot(direction, vector) < 0.0 { direction.map(|c| -c) } else { direction }
    }
}

/// cos(acos(r) / 3) for r between −1 and 1; rounding may take r a little beyond.
#[inline]
fn cosine_of_a_third(r: f64) -> f64 {
    let t = (0.5 + 0.5 * r).clamp(0.0, 1.0).sqrt();
    // The cubic with the right values and slopes at t = 0 and 1 is within 3e-4, one step of Newton within 1.1e-7, two
    // within 2e-14.
    let mut u = SQRT_3_4 + t * (1.0 / 6.0 + t * (CUBIC[0] + t * CUBIC[1]));
    for _ in 0..2 {
        let u2 = u * u;
        u -= (u * (4.0 * u2 - 3.0) - t) / (12.0 * u2 - 3.0);
    }
    2.0 * u * u - 1.0
}

#[inline]
pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(super) fn unit(v: [f64; 3]) -> [f64; 3] {
    let scale = 1.0 / dot(v, v).sqrt();
    v.map(|c| c * scale)
}

/// D v.
#[inline]
pub(super) fn times(tensor: &Elements, v: [f64; 3]) -> [f64; 3] {
    let [xx, yy, zz, xy, xz, yz] = *tensor;
    [xx * v[0] + xy * v[1] + xz * v[2], xy * v[0] + yy * v[1] + yz * v[2], xz * v[0] + yz * v[1] + zz * v[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::{Purpose, Random};
    use arcuate_core::DiffusionTensor;

    #[test]
    fn a_third_of_an_angle() {
        for n in -1000..=1000 {
            let r = f64::from(n) / 1000.0;
            let expected = (r.acos() / 3.0).cos();
            assert!((cosine_of_a_third(r) - expected).abs() < 1e-13, "{r}");
        }
        assert_eq!(cosine_of_a_third(1.0 + 1e-9), 1.0);
        assert!((cosine_of_a_third(-1.0 - 1e-9) - 0.5).abs() < 1e-15);
    }

    /// Σ λᵢ eᵢ eᵢᵀ in a random frame, with its e₁.
    fn tensor(values: [f64; 3], random: &mut Random) -> (Elements, [f64; 3]) {
        let e1 = random.on_sphere();
        let other = random.on_sphere();
        let along = dot(e1, other);
        let e2 = unit(std::array::from_fn(|n| other[n] - along * e1[n]));
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
                    let found = Principal::of(&d, 0.0).unwrap().on_side_of(side);
                    assert!(dot(found, side) >= 0.0);
                    // A gap of a hundredth costs two digits, the cube root's double root two more.
                    assert!((dot(found, e1).abs() - 1.0).abs() < 1e-12, "{spectrum:?} {found:?} {e1:?}");
                    let near = unit(std::array::from_fn(|n| e1[n] + 0.5 * side[n]));
                    let found = Principal::of(&d, 0.0).unwrap().towards(near).unwrap();
                    assert!((dot(found, e1) - 1.0).abs() < 1e-12);
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
            assert!(Principal::of(&d, fa * (1.0 - 1e-9)).is_some());
            assert!(Principal::of(&d, fa * (1.0 + 1e-9)).is_none());
        }
    }

    #[test]
    fn nothing_and_not_a_number_have_no_direction() {
        assert!(Principal::of(&[0.0; 6], 0.0).is_none());
        assert!(Principal::of(&[1.0, 1.0, f64::NAN, 0.0, 0.0, 0.0], 0.0).is_none());
        assert!(Principal::of(&[1.0, 1.0, 0.0, 0.0, 0.0, 0.0], 0.0).is_none());
        let stick = Principal::of(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.0).unwrap();
        assert_eq!(stick.towards([0.0, 0.0, 1.0]), None);
        assert_eq!(stick.towards([-0.6, 0.0, 0.8]), Some([-1.0, 0.0, 0.0]));
    }
}

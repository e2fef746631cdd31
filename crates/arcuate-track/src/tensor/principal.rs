//! Principal eigenvector of a tensor, with the sign that continues the current direction of a streamline.
//!
//! The projection e₁e₁ᵀ, applied to any direction v, gives a multiple of the principal eigenvector e₁ on the
//! same side as v.

use crate::field::Elements;
use crate::lanes::{Flags, Vector, both};
use arcuate_numbers::{Deviator, Lanes, Operations, longest_column, vector3};

/// Relative tolerance for rounding, because tensors have single precision (6e-8). It applies to the gap
/// between the two largest eigenvalues of a tensor, relative to p (see [`Deviator`]). It also applies to the
/// cosine of the angle between two directions that are nearly perpendicular.
const RESOLUTION: f64 = 1e-6;

/// Projection e₁e₁ᵀ onto the principal direction of a tensor in each lane. Its elements are in the order of
/// tensor elements.
pub(super) struct Principal<const W: usize>(Elements<W>);

impl<const W: usize> Principal<W> {
    /// Computes the projections onto the principal directions of the tensors, and a flag for each lane. The
    /// flag is false if the fractional anisotropy is below `min_fa` or NaN. It is also false if the two
    /// largest eigenvalues are equal, so that there is no principal direction. The projection is then
    /// meaningless.
    #[inline(always)]
    pub(super) fn of(tensor: &Elements<W>, min_fa: f64) -> (Self, Flags<W>) {
        let deviator = Deviator::of(*tensor);
        // FA² = 3/2 · spread / norm. Comparing FA² needs no square root.
        let enough = (1.5 * deviator.spread).reaches(min_fa * min_fa * deviator.norm_squared());
        let (projection, gap) = deviator.principal_projection();
        // For a zero tensor this comparison is 0 > 0, which is false.
        let single = gap.above((1.0 / 6.0) * RESOLUTION * deviator.spread);
        (Self(projection), both(enough, single))
    }

    /// Returns the principal eigenvector with the sign for which its inner product with a unit vector is
    /// positive, and a flag for each lane. The flag is false if the two vectors are orthogonal.
    #[inline(always)]
    pub(super) fn towards(&self, direction: Vector<W>) -> (Vector<W>, Flags<W>) {
        let projected = vector3::times(self.0, direction);
        let cosine = vector3::dot(projected, projected).root();
        let scale = 1.0 / cosine;
        (projected.map(|c| c * scale), cosine.above(Lanes::all(RESOLUTION)))
    }
}

impl Principal<1> {
    /// Returns the principal eigenvector with the sign for which its inner product with a vector is positive.
    /// The two vectors can be nearly orthogonal.
    pub(super) fn on_side_of(&self, vector: [f64; 3]) -> [f64; 3] {
        let column = longest_column(self.0.map(|element| element.0[0]));
        let length = vector3::norm(column);
        let signed = if vector3::dot(column, vector) < 0.0 { -length } else { length };
        column.map(|c| c / signed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::vector;
    use arcuate_compute::{Purpose, Random};
    use arcuate_core::DiffusionTensor;
    use arcuate_numbers::vector3::{cross, dot as inner, unit as normal};

    fn principal(tensor: [f64; 6], min_fa: f64) -> Option<Principal<1>> {
        let (principal, [found]) = Principal::of(&tensor.map(Lanes::all), min_fa);
        found.then_some(principal)
    }

    fn towards(principal: &Principal<1>, direction: [f64; 3]) -> Option<[f64; 3]> {
        let (found, [decided]) = principal.towards(vector(direction));
        decided.then(|| found.map(|c| c.0[0]))
    }

    /// Returns the tensor Σ λᵢ eᵢ eᵢᵀ with random orthonormal eigenvectors eᵢ, together with e₁.
    fn tensor(values: [f64; 3], random: &mut Random) -> ([f64; 6], [f64; 3]) {
        let e1 = random.on_sphere();
        let other = random.on_sphere();
        let along = inner(e1, other);
        let e2 = normal(std::array::from_fn(|n| other[n] - along * e1[n]));
        let e3 = cross(e1, e2);
        let element = |r: usize, c: usize| {
            values[0] * e1[r] * e1[c] + values[1] * e2[r] * e2[c] + values[2] * e3[r] * e3[c]
        };
        ([element(0, 0), element(1, 1), element(2, 2), element(0, 1), element(0, 2), element(1, 2)], e1)
    }

    #[test]
    fn directions_of_tensors_of_every_shape() {
        let mut random = Random::new(3, Purpose::Resampling, 0);
        // The shapes of the tested tensors are: stick, cigars, flat, nearly flat, weakly anisotropic, and
        // negative third eigenvalue. Their sizes are 1e-9 to 1e9.
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
                    // A relative gap of 0.01 between two eigenvalues loses two digits of precision. The
                    // nearly double root of the cubic equation loses two more.
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
    fn zero_and_nan_tensors_have_no_direction() {
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
    fn lanes_are_independent() {
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

//! The spherical harmonic basis in which fibre orientation distributions are stored.

use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{Error, Result};
use std::f64::consts::PI;

/// The real, orthonormal spherical harmonics of even degree l up to a maximum, in MRtrix's convention (its
/// manual, "Spherical harmonics basis functions"; `tournier07` in DIPY with `legacy=False`). The functions
/// are Y_l0, √2 times the imaginary part of Y_l^|m| for m < 0, and √2 times the real part of Y_l^m for m > 0.
/// The functions Y_l^m include the Condon–Shortley phase (−1)^m.
///
/// Coefficients are ordered by the degree l, then by m from −l to l. The coefficient (l, m) has the index
/// l(l + 1)/2 + m. The integral of each squared function over the sphere is 1. Directions are unit vectors in
/// scanner axes. The functions have the same value in opposite directions.
#[derive(Debug, Clone)]
pub struct HarmonicBasis {
    harmonics: EvenHarmonics,
    order: usize,
    /// For each harmonic in the order of [`EvenHarmonics`], the harmonic's index in this basis, and the
    /// factor that converts its coefficient to this basis.
    places: Vec<(usize, f64)>,
}

impl HarmonicBasis {
    /// The highest supported degree. Files with more coefficients do not contain orientation distributions:
    /// the next even degree would need 630 gradient directions, which no acquisition has.
    pub const LARGEST_ORDER: usize = 32;

    /// Creates the basis up to degree `order` (ℓmax). Returns an error if `order` is odd or above
    /// [`LARGEST_ORDER`](Self::LARGEST_ORDER).
    pub fn new(order: usize) -> Result<Self> {
        if !order.is_multiple_of(2) || order > Self::LARGEST_ORDER {
            return Err(Error::usage(
                "harmonic order",
                format!("{order} is not a possible order of spherical harmonics"),
                format!("give an even number up to {}", Self::LARGEST_ORDER),
            ));
        }
        let harmonics = EvenHarmonics::new(order);
        let mut places = Vec::with_capacity(harmonics.count());
        for (m, _, steps) in harmonics.recurrences() {
            let phase = if m % 2 == 1 { -1.0 } else { 1.0 };
            for n in 0..=steps.len() {
                let degree = m.next_multiple_of(2) + 2 * n;
                let factor = phase * zonal_at_pole(degree);
                let middle = Self::zonal_index(degree);
                places.push((middle + m, factor));
                if m > 0 {
                    places.push((middle - m, factor));
                }
            }
        }
        Ok(Self { harmonics, order, places })
    }

    /// Creates the basis with this number of coefficients. Returns an error for the reasons that
    /// [`order_of_count`](Self::order_of_count) states.
    pub fn of_count(count: usize) -> Result<Self> {
        Self::new(Self::order_of_count(count)?)
    }

    /// Returns the number of harmonics of even degree up to `order`: (order + 1)(order + 2)/2.
    pub fn count_of_order(order: usize) -> usize {
        EvenHarmonics::count_up_to(order)
    }

    /// Returns the highest degree of a basis with `count` coefficients. Returns an error if no even degree
    /// gives this number of coefficients.
    pub fn order_of_count(count: usize) -> Result<usize> {
        (0..=Self::LARGEST_ORDER).step_by(2).find(|&order| Self::count_of_order(order) == count).ok_or_else(
            || {
                Error::invalid(
                    "spherical harmonics",
                    format!("{count} is not the number of spherical harmonic coefficients of an even order"),
                    "give 1, 6, 15, 28, 45, 66, … coefficients (order 0, 2, 4, 6, 8, 10, …)",
                )
            },
        )
    }

    /// Returns the index of the harmonic of degree l = `degree` with m = 0: l(l + 1)/2.
    pub fn zonal_index(degree: usize) -> usize {
        degree * (degree + 1) / 2
    }

    /// Returns the highest degree of the basis, ℓmax.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Returns the number of harmonics of the basis.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns the degree of each harmonic of the basis.
    pub fn degrees(&self) -> Vec<usize> {
        (0..=self.order).step_by(2).flat_map(|l| std::iter::repeat_n(l, 2 * l + 1)).collect()
    }

    /// Returns the values of all harmonics in one direction, which is a unit vector.
    pub fn evaluate(&self, direction: [f64; 3]) -> Vec<f64> {
        let mut values = vec![0.0; self.count()];
        for (value, (place, factor)) in self.harmonics.evaluate(direction).into_iter().zip(&self.places) {
            values[*place] = factor * value;
        }
        values
    }

    /// Returns the values of all harmonics in several directions. The value of a harmonic in a direction has
    /// the index `direction * count + harmonic`.
    pub fn matrix(&self, directions: &[[f64; 3]]) -> Vec<f64> {
        directions.iter().flat_map(|&direction| self.evaluate(direction)).collect()
    }

    /// Returns the harmonics in the normalisation of [`EvenHarmonics`]. For each of them, also returns its
    /// index in this basis and the factor that converts its coefficient.
    pub(crate) fn parts(&self) -> (&EvenHarmonics, &[(usize, f64)]) {
        (&self.harmonics, &self.places)
    }
}

/// Returns the value of Y_l0 in the direction z: √((2l + 1)/4π).
pub(crate) fn zonal_at_pole(degree: usize) -> f64 {
    ((2 * degree + 1) as f64 / (4.0 * PI)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Orientations;
    use arcuate_numbers::quadrature::half_gauss_legendre;
    use std::f64::consts::TAU;

    #[test]
    fn values_agree_with_mrtrix() {
        // The expected values are the output of `sh2amp` 3.0.3 in three directions, for an image whose voxels
        // each have one coefficient of 1.
        let directions = [[0.6, 0.64, 0.48], [0.48, -0.6, 0.64], [-0.64, 0.48, -0.6]];
        let expected = [
            [0.282095, 0.282095, 0.282095],
            [0.419539, -0.314654, -0.335631],
            [-0.335631, 0.419539, 0.314654],
            [-0.0973929, 0.0721616, 0.0252313],
            [-0.314654, -0.335631, -0.419539],
            [-0.0270952, -0.0707971, 0.0978923],
            [-0.0476797, 0.0934368, -0.13781],
            [-0.364553, 0.225127, 0.508982],
            [0.222649, -0.508809, -0.441811],
            [0.285113, -0.0341182, -0.092489],
            [-0.217289, -0.361361, -0.345284],
            [0.267293, 0.0272945, 0.123319],
            [-0.0143794, -0.114482, 0.128861],
            [0.442912, 0.461999, 0.191412],
            [-0.367593, -0.197126, -0.216148],
        ];
        let basis = HarmonicBasis::new(4).unwrap();
        let matrix = basis.matrix(&directions);
        for (index, row) in expected.iter().enumerate() {
            for (direction, value) in row.iter().enumerate() {
                // `sh2amp` prints six digits. It interpolates the values of harmonics from a table in single
                // precision.
                assert!((matrix[direction * 15 + index] - value).abs() < 2e-6, "{index} {direction}");
            }
        }
    }

    #[test]
    fn harmonics_are_orthonormal() {
        // The sphere is sampled at 17 equal steps about z and 10 nodes along z. Integrals over these points
        // are exact for products of harmonics up to degree 16.
        let basis = HarmonicBasis::new(8).unwrap();
        let count = basis.count();
        let mut integrals = vec![0.0; count * count];
        for (node, weight) in half_gauss_legendre(5) {
            for z in [node, -node] {
                for angle in (0..17).map(|n| TAU * f64::from(n) / 17.0) {
                    let radius = (1.0 - z * z).sqrt();
                    let values = basis.evaluate([radius * angle.cos(), radius * angle.sin(), z]);
                    for (n, integral) in integrals.iter_mut().enumerate() {
                        *integral += weight * TAU / 17.0 * values[n / count] * values[n % count];
                    }
                }
            }
        }
        for (n, integral) in integrals.into_iter().enumerate() {
            let expected = if n / count == n % count { 1.0 } else { 0.0 };
            assert!((integral - expected).abs() < 1e-13, "{n}: {integral}");
        }
    }

    #[test]
    fn the_number_of_harmonics_follows_from_the_degree() {
        let basis = HarmonicBasis::new(8).unwrap();
        assert_eq!((basis.count(), basis.order()), (45, 8));
        let degrees = basis.degrees();
        for l in [0, 2, 4, 6, 8] {
            let middle = HarmonicBasis::zonal_index(l);
            assert!(degrees[middle - l..=middle + l].iter().all(|&degree| degree == l));
            // In the direction z, only harmonics with m = 0 are not 0.
            let pole = basis.evaluate([0.0, 0.0, 1.0]);
            for m in 0..=l {
                let expected = if m == 0 { zonal_at_pole(l) } else { 0.0 };
                assert!(
                    (pole[middle + m] - expected).abs() < 1e-15
                        && (pole[middle - m] - expected).abs() < 1e-15
                );
            }
        }
    }

    #[test]
    fn invalid_orders_are_rejected() {
        for (count, order) in [(1, 0), (6, 2), (15, 4), (28, 6), (45, 8), (66, 10), (91, 12), (153, 16)] {
            assert_eq!(HarmonicBasis::order_of_count(count).unwrap(), order);
            assert_eq!(HarmonicBasis::of_count(count).unwrap().count(), count);
        }
        for count in [0, 2, 3, 10, 44, 46, usize::MAX] {
            let message = HarmonicBasis::order_of_count(count).unwrap_err().to_string();
            assert!(message.contains("not the number of spherical harmonic coefficients"), "{message}");
        }
        for order in [1, 3, 34, usize::MAX] {
            assert!(HarmonicBasis::new(order).is_err());
        }
        // The values of the harmonics do not depend on the maximum degree of the basis.
        let direction = Orientations::half_sphere(7).directions()[3];
        let (low, high) = (HarmonicBasis::new(4).unwrap(), HarmonicBasis::new(32).unwrap());
        for (a, b) in low.evaluate(direction).iter().zip(high.evaluate(direction)) {
            assert!((a - b).abs() < 1e-15);
        }
    }
}

//! The ground truth of a brain with realistic tissues: the response of each tissue by shell, the fibre orientations,
//! and the bias field of the image.

use crate::legendre_series::coefficients;
use crate::signal::{
    FLUID_DIFFUSIVITY, GREY_DIFFUSIVITY, GREY_S0, REAL_FLUID_S0, SPREAD, WHITE_S0, bundle_attenuation,
};
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{FiveTissues, GradientTable, Volume};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// Maximum degree of the harmonics of true orientations and responses.
const LARGEST_DEGREE: usize = 8;
/// Amplitude of the bias field around 1, and the distance in mm that changes its phase by one.
const BIAS: f64 = 0.2;
const BIAS_LENGTH: f64 = 45.0;

/// The ground truth of a brain with realistic tissues ([`PhantomOptions::tissues`](crate::PhantomOptions::tissues)).
/// Images have the grid of the series.
#[derive(Debug, Clone)]
pub struct TissueTruth {
    /// Cortical grey matter, sub-cortical grey matter (the nuclei), white matter, cerebrospinal fluid and pathological
    /// tissue, which is 0. Their sum is 1 in voxels with at least half of their volume in the head.
    pub five_tissues: FiveTissues,
    /// The factor of a voxel's signal before noise is added, at its centre (RAS mm): 1 + 0.2 sin((x + 0.7 y − 0.5 z) /
    /// 45 mm).
    pub bias: Volume<f32>,
    /// Density of the fibres of a voxel over directions u, as coefficients of MRtrix's harmonics up to degree 8 in
    /// scanner axes; [`EvenHarmonics::mrtrix_order`] gives their order. Each point adds its fraction of the voxel times
    /// Y_lm of its fibre direction, a delta function truncated at degree 8. Outside all bundles, it adds the density
    /// (1 + ½ P₂(u·n)) / 4π about the inward normal n. The first coefficient of pure white matter is 1/√4π.
    pub orientations: Volume<f32>,
    /// Signal of white matter with a single fibre direction, by shell, up to degree 8.
    pub white: TissueResponse,
    /// Signal of grey matter by shell, isotropic.
    pub grey: TissueResponse,
    /// Signal of cerebrospinal fluid by shell, isotropic.
    pub csf: TissueResponse,
}

/// The signal of a voxel filled with one tissue, in units of the image without bias.
#[derive(Debug, Clone, PartialEq)]
pub struct TissueResponse {
    /// b-value of each shell in s/mm², ascending, with 0 first if it exists.
    pub b_values: Vec<f64>,
    /// For each shell, the coefficients of the orthonormal harmonics Y_00, Y_20, … about the fibre direction: S(θ) =
    /// Σ_l c_l √((2l + 1)/4π) P_l(cos θ). All shells have the same number of coefficients.
    pub coefficients: Vec<Vec<f64>>,
}

impl TissueTruth {
    /// Memory per voxel during the computation, in single-precision values: coefficients in double and single
    /// precision, tissues and bias.
    pub(crate) const VALUES: usize = 3 * EvenHarmonics::count_up_to(LARGEST_DEGREE) + 6;

    /// Computes the responses of a gradient table's shells, and combines them with existing images.
    pub(crate) fn new(
        gradients: &GradientTable,
        five_tissues: FiveTissues,
        bias: Volume<f32>,
        orientations: Volume<f32>,
    ) -> Self {
        let b_values: Vec<f64> = gradients.shells().into_iter().map(|(b, _)| b).collect();
        let of = |degree: usize, signal: &dyn Fn(f64, f64) -> f64| TissueResponse {
            coefficients: b_values
                .iter()
                .map(|&b| {
                    let legendre = coefficients(degree, |cosine| signal(b, cosine * cosine));
                    let norm = |n: usize| (4.0 * PI / (4 * n + 1) as f64).sqrt();
                    // Rounding errors, such as all degrees without weighting, would need many digits in a file.
                    let least = 1e-13 * legendre[0];
                    let exact = |c: f64| if c.abs() < least { 0.0 } else { c };
                    legendre.into_iter().enumerate().map(|(n, c)| exact(c) * norm(n)).collect()
                })
                .collect(),
            b_values: b_values.clone(),
        };
        Self {
            five_tissues,
            bias,
            orientations,
            white: of(LARGEST_DEGREE, &|b, square| WHITE_S0 * bundle_attenuation(b, square)),
            grey: of(0, &|b, _| GREY_S0 * (-b * GREY_DIFFUSIVITY).exp()),
            csf: of(0, &|b, _| REAL_FLUID_S0 * (-b * FLUID_DIFFUSIVITY).exp()),
        }
    }
}

/// Returns the bias field at a point in RAS mm.
pub(crate) fn bias(p: Vector3<f64>) -> f64 {
    1.0 + BIAS * ((p.x + 0.7 * p.y - 0.5 * p.z) / BIAS_LENGTH).sin()
}

/// Sums of orientations as coefficients of MRtrix's harmonics.
pub(crate) struct OrientationSums {
    harmonics: EvenHarmonics,
    order: Vec<(usize, f64)>,
}

impl OrientationSums {
    pub(crate) fn new() -> Self {
        let harmonics = EvenHarmonics::new(LARGEST_DEGREE);
        Self { order: harmonics.mrtrix_order(), harmonics }
    }

    /// Returns the number of coefficients.
    pub(crate) fn count(&self) -> usize {
        self.order.len()
    }

    /// Adds a fraction of fibres along a unit vector.
    pub(crate) fn add_fibres(&self, share: f64, along: Vector3<f64>, sums: &mut [f64]) {
        let values = self.harmonics.evaluate(along.into());
        for (sum, (at, factor)) in sums.iter_mut().zip(&self.order) {
            *sum += share * factor * values[*at];
        }
    }

    /// Adds a fraction of the fibres outside all bundles, about a unit vector: degree 0 of a delta function's series
    /// and, because P₂ = 4π/5 Σ Y_2m(n) Y_2m, a multiple of degree 2.
    pub(crate) fn add_spread(&self, share: f64, inwards: Vector3<f64>, sums: &mut [f64]) {
        let values = self.harmonics.evaluate(inwards.into());
        for (n, (sum, (at, factor))) in sums.iter_mut().zip(&self.order).take(6).enumerate() {
            let part = if n == 0 { 1.0 } else { SPREAD / 5.0 };
            *sum += share * part * factor * values[*at];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bias_field_is_within_a_fifth() {
        let (mut least, mut most) = (f64::MAX, f64::MIN);
        for n in 0..1000 {
            let p = [120.0, 140.0, 110.0].map(f64::from);
            let part = |k: u32| f64::from(n * k % 101) / 101.0 - 0.5;
            let value = bias(Vector3::new(p[0] * part(7), p[1] * part(13), p[2] * part(29)));
            (least, most) = (least.min(value), most.max(value));
        }
        assert!(least > 0.799_999 && least < 0.81 && most < 1.200_001 && most > 1.19, "{least} {most}");
    }
}

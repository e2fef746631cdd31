//! The ground truth of a brain with realistic tissues: the response of each tissue for each shell, the fibre
//! orientations, and the bias field of the image.

use crate::legendre_series::coefficients;
use crate::signal::{
    FLUID_DIFFUSIVITY, GREY_DIFFUSIVITY, GREY_S0, REAL_FLUID_S0, SPREAD, WHITE_S0, bundle_attenuation,
};
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{FiveTissues, GradientTable, Volume};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// Maximum degree of the spherical harmonics that represent true fibre orientations and responses.
const LARGEST_DEGREE: usize = 8;
/// Amplitude of the bias field, whose mean is 1. The second constant is the distance in mm over which the
/// phase of the field changes by one radian.
const BIAS: f64 = 0.2;
const BIAS_LENGTH: f64 = 45.0;

/// The ground truth of a brain with realistic tissues
/// ([`PhantomOptions::tissues`](crate::PhantomOptions::tissues)). All images have the grid of the diffusion
/// data.
#[derive(Debug, Clone)]
pub struct TissueTruth {
    /// Fractions of five tissues in each voxel: cortical grey matter, sub-cortical grey matter (the nuclei),
    /// white matter, cerebrospinal fluid, and pathological tissue. The fraction of pathological tissue is 0.
    /// The sum is 1 in voxels that are at least half inside the head.
    pub five_tissues: FiveTissues,
    /// The bias field: the factor by which the signal of a voxel is multiplied before noise is added. For a
    /// voxel whose centre is at x, y, z (RAS mm), it is 1 + 0.2 sin((x + 0.7 y − 0.5 z) / 45 mm).
    pub bias: Volume<f32>,
    /// Density of the fibres in each voxel as a function of their direction u. The channels are the
    /// coefficients of MRtrix's spherical harmonics up to degree 8 in scanner axes, in the order of
    /// [`EvenHarmonics::mrtrix_order`]. A point in a bundle adds Y_lm of the fibre direction, a delta
    /// function truncated at degree 8, times the fraction of the voxel that the point represents. A point
    /// outside all bundles adds the density (1 + ½ P₂(u·n)) / 4π, where n is the inward normal of the brain
    /// surface. The first coefficient of a voxel of pure white matter is 1/√4π.
    pub orientations: Volume<f32>,
    /// The response of white matter with a single fibre direction, for each shell, up to degree 8.
    pub white: TissueResponse,
    /// The response of grey matter for each shell. It is isotropic.
    pub grey: TissueResponse,
    /// The response of cerebrospinal fluid for each shell. It is isotropic.
    pub csf: TissueResponse,
}

/// The response of a tissue: the signal of a voxel that contains only this tissue, in the unit of the image
/// without bias field.
#[derive(Debug, Clone, PartialEq)]
pub struct TissueResponse {
    /// b-value of each shell in s/mm², in ascending order. If there are measurements at b = 0, the first
    /// b-value is 0.
    pub b_values: Vec<f64>,
    /// For each shell, the coefficients c_l of the orthonormal spherical harmonics Y_00, Y_20, … about the
    /// fibre direction. The signal at the angle θ from the fibres is S(θ) = Σ_l c_l √((2l + 1)/4π) P_l(cos
    /// θ). All shells have the same number of coefficients.
    pub coefficients: Vec<Vec<f64>>,
}

impl TissueTruth {
    /// Memory per voxel during the computation, as a number of single-precision values. The memory contains
    /// coefficients in double and in single precision, five tissue fractions, and the bias field.
    pub(crate) const VALUES: usize = 3 * EvenHarmonics::count_up_to(LARGEST_DEGREE) + 6;

    /// Computes the responses of the tissues for the shells of a gradient table. Returns them together with
    /// the given images.
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
                    // Coefficients that are smaller than 1e-13 of the first one are rounding errors. Without
                    // diffusion weighting, this is the case for all degrees above 0. In a text file, such
                    // numbers would need many digits.
                    let minimum = 1e-13 * legendre[0];
                    let exact = |c: f64| if c.abs() < minimum { 0.0 } else { c };
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

/// Computes sums of fibre orientations, as coefficients of MRtrix's spherical harmonics.
pub(crate) struct OrientationSums {
    harmonics: EvenHarmonics,
    order: Vec<(usize, f64)>,
}

impl OrientationSums {
    pub(crate) fn new() -> Self {
        let harmonics = EvenHarmonics::new(LARGEST_DEGREE);
        Self { order: harmonics.mrtrix_order(), harmonics }
    }

    /// Returns the number of coefficients per voxel.
    pub(crate) fn count(&self) -> usize {
        self.order.len()
    }

    /// Adds a fraction of fibres along the unit vector `along` to the coefficients `sums`.
    pub(crate) fn add_fibres(&self, share: f64, along: Vector3<f64>, sums: &mut [f64]) {
        let values = self.harmonics.evaluate(along.into());
        for (sum, (at, factor)) in sums.iter_mut().zip(&self.order) {
            *sum += share * factor * values[*at];
        }
    }

    /// Adds a fraction of the fibres outside all bundles to the coefficients `sums`. These fibres are
    /// dispersed about a unit vector n. Their coefficient of degree 0 is that of a delta function. Because P₂
    /// = 4π/5 Σ Y_2m(n) Y_2m, their coefficients of degree 2 are a multiple of those of a delta function.
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
    fn the_bias_field_is_within_20_percent() {
        let (mut minimum, mut maximum) = (f64::MAX, f64::MIN);
        for n in 0..1000 {
            let p = [120.0, 140.0, 110.0].map(f64::from);
            let part = |k: u32| f64::from(n * k % 101) / 101.0 - 0.5;
            let value = bias(Vector3::new(p[0] * part(7), p[1] * part(13), p[2] * part(29)));
            (minimum, maximum) = (minimum.min(value), maximum.max(value));
        }
        assert!(
            minimum > 0.799_999 && minimum < 0.81 && maximum < 1.200_001 && maximum > 1.19,
            "{minimum} {maximum}"
        );
    }
}

//! Computes the signal of a small volume that contains one tissue. Diffusivities are in mm²/s, and signals in
//! arbitrary units. Relaxation is included in the S₀ of each tissue, its signal without diffusion weighting.

use crate::legendre_series::coefficients;
use arcuate_compute::{Purpose, Random};
use arcuate_core::GradientTable;
use nalgebra::Vector3;

/// S₀ of white matter (signal without diffusion weighting). The noise level is stated relative to this S₀.
pub(crate) const WHITE_S0: f64 = 1000.0;
/// S₀ of grey matter (signal without diffusion weighting). In T2-weighted images such as diffusion series,
/// grey matter is slightly brighter than white matter.
pub(crate) const GREY_S0: f64 = 1250.0;
/// S₀ of cerebrospinal fluid.
pub(crate) const FLUID_S0: f64 = 2600.0;
/// S₀ of cerebrospinal fluid in a brain with realistic tissues. It is 3.5 times the S₀ of white matter.
pub(crate) const REAL_FLUID_S0: f64 = 3500.0;
/// Diffusivity of grey matter in mm²/s. It is the same in all directions.
pub(crate) const GREY_DIFFUSIVITY: f64 = 0.8e-3;
/// Diffusivity of free water at body temperature in mm²/s.
pub(crate) const FLUID_DIFFUSIVITY: f64 = 3.0e-3;
/// Diffusivity along the fibres of a bundle in mm²/s, both inside and outside the axons.
const BUNDLE_ALONG: f64 = 1.7e-3;
/// Fraction of a bundle's signal that comes from inside the axons.
const INTRA_AXONAL: f64 = 0.5;
/// Diffusivity across the fibres outside the axons, in mm²/s. It is (1 − f) d∥, with the intra-axonal
/// fraction f and the diffusivity d∥ along the fibres (tortuosity model of Szafer et al. 1995).
const BUNDLE_ACROSS: f64 = (1.0 - INTRA_AXONAL) * BUNDLE_ALONG;
/// Diffusivities in mm²/s of white matter outside all bundles: along and across the axis of its diffusion
/// tensor. The tensor is slightly anisotropic (FA 0.12), and its axis is perpendicular to the cortex.
const BACKGROUND_ALONG: f64 = 0.85e-3;
const BACKGROUND_ACROSS: f64 = 0.70e-3;
/// Anisotropy of the fibre orientations outside all bundles. The density of fibres with the direction u is (1
/// + SPREAD · P₂(u·n)) / 4π, where n is the inward normal of the brain surface.
pub(crate) const SPREAD: f64 = 0.5;

/// Returns the attenuation of a bundle's signal. `b` is the b-value in s/mm², and `square` is the squared
/// cosine of the angle θ between fibres and gradient. The model consists of a stick inside the axons and a
/// zeppelin outside them (Alexander 2008, doi:10.1002/mrm.21646; Panagiotaki et al. 2012,
/// doi:10.1016/j.neuroimage.2011.09.081): f exp(−b d∥ cos²θ) + (1 − f) exp(−b d⊥ − b (d∥ − d⊥) cos²θ).
pub(crate) fn bundle_attenuation(b: f64, square: f64) -> f64 {
    INTRA_AXONAL * (-b * BUNDLE_ALONG * square).exp()
        + (1.0 - INTRA_AXONAL) * (-b * (BUNDLE_ACROSS + (BUNDLE_ALONG - BUNDLE_ACROSS) * square)).exp()
}

/// The signals of all tissues, for each measurement of a gradient table.
pub(crate) struct Signals<'a> {
    gradients: &'a GradientTable,
    /// The signal attenuation of the dispersed fibres outside all bundles, for each measurement. It is given
    /// by its coefficients of the Legendre polynomials P₀ and P₂. These fibres have the same response as
    /// those of the bundles. `None` without realistic tissues.
    spread: Option<Vec<[f64; 2]>>,
    /// Signal of grey matter for each measurement.
    pub(crate) grey: Vec<f64>,
    /// Signal of cerebrospinal fluid for each measurement.
    pub(crate) csf: Vec<f64>,
}

impl<'a> Signals<'a> {
    /// Computes the signals of the tissues. `real_tissues` is true for realistic tissues.
    pub(crate) fn new(gradients: &'a GradientTable, real_tissues: bool) -> Self {
        let free = |s0: f64, d: f64| gradients.b_values().iter().map(|b| s0 * (-b * d).exp()).collect();
        let fluid_s0 = if real_tissues { REAL_FLUID_S0 } else { FLUID_S0 };
        Self {
            gradients,
            spread: real_tissues.then(|| spread(gradients.b_values())),
            grey: free(GREY_S0, GREY_DIFFUSIVITY),
            csf: free(fluid_s0, FLUID_DIFFUSIVITY),
        }
    }

    /// Adds the signal of fibres along the unit vector `along`, multiplied by `share`, to `signal`. The
    /// signal of the fibres is S₀ times their [attenuation](bundle_attenuation).
    pub(crate) fn add_bundle(&self, share: f64, along: Vector3<f64>, signal: &mut [f64]) {
        self.add(share, along, signal, |_, b, square| bundle_attenuation(b, square));
    }

    /// Adds the signal of white matter outside all bundles, multiplied by `share`, to `signal`. It is the
    /// signal of a diffusion tensor whose axis is a unit vector. For realistic tissues, it is the signal of
    /// fibres that are dispersed about this vector.
    pub(crate) fn add_background(&self, share: f64, along: Vector3<f64>, signal: &mut [f64]) {
        match &self.spread {
            None => self.add(share, along, signal, |_, b, square| {
                (-b * (BACKGROUND_ACROSS + (BACKGROUND_ALONG - BACKGROUND_ACROSS) * square)).exp()
            }),
            Some(spread) => self.add(share, along, signal, |measurement, _, square| {
                let [even, second] = spread[measurement];
                even + second * (1.5 * square - 0.5)
            }),
        }
    }

    /// Adds the attenuation `attenuation(number, b, cos²θ)`, multiplied by a scale factor, to the signal of
    /// every measurement.
    fn add(
        &self,
        share: f64,
        along: Vector3<f64>,
        signal: &mut [f64],
        attenuation: impl Fn(usize, f64, f64) -> f64,
    ) {
        let table = self.gradients;
        for (n, ((sum, &b), d)) in signal.iter_mut().zip(table.b_values()).zip(table.directions()).enumerate()
        {
            let cosine = along.x * d[0] + along.y * d[1] + along.z * d[2];
            *sum += share * WHITE_S0 * attenuation(n, b, cosine * cosine);
        }
    }
}

/// Returns the coefficients of P₀ and P₂ of the signal attenuation of dispersed fibres, for each b-value. The
/// density of fibre directions is (1 + a P₂) / 4π about a central direction. If c_l are the coefficients of
/// fibres with a single direction, the results are c₀ and a c₂ / 5 (Funk–Hecke convolution).
fn spread(b_values: &[f64]) -> Vec<[f64; 2]> {
    let of = |b: &f64| {
        let legendre = coefficients(2, |cosine| bundle_attenuation(*b, cosine * cosine));
        [legendre[0], SPREAD * legendre[1] / 5.0]
    };
    b_values.iter().map(of).collect()
}

/// Adds Rician noise to the signals of a voxel (Gudbjartsson and Patz 1995, doi:10.1002/mrm.1910340618). A
/// noisy signal is the modulus of a complex number. Both parts of this number have normally distributed noise
/// with the standard deviation `level`. If `level` is 0, the signals do not change.
pub(crate) fn add_noise(level: f64, seed: u64, voxel: usize, signal: &mut [f64]) {
    if level > 0.0 {
        let mut random = Random::new(seed, Purpose::Noise, voxel as u64);
        for s in signal {
            let real = *s + level * random.normal();
            *s = real.hypot(level * random.normal());
        }
    }
}

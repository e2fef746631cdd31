//! What a small volume of one tissue measures. Diffusivities are in mm²/s, signals in arbitrary units; relaxation is
//! part of each tissue's S₀.

use arcuate_compute::{Purpose, Random};
use arcuate_core::GradientTable;
use nalgebra::Vector3;

/// S₀ of white matter; the noise level is stated relative to it.
pub(crate) const WHITE_S0: f64 = 1000.0;
/// S₀ of grey matter, somewhat brighter in the T2-weighted images that diffusion series are.
pub(crate) const GREY_S0: f64 = 1250.0;
/// S₀ of cerebrospinal fluid.
pub(crate) const FLUID_S0: f64 = 2600.0;
/// Diffusivity of grey matter, the same in all directions.
pub(crate) const GREY_DIFFUSIVITY: f64 = 0.8e-3;
/// Diffusivity of free water at body temperature.
pub(crate) const FLUID_DIFFUSIVITY: f64 = 3.0e-3;
/// Diffusivity along the fibres of a bundle, inside and outside the axons.
const BUNDLE_ALONG: f64 = 1.7e-3;
/// Share of a bundle's signal from inside its axons.
const INTRA_AXONAL: f64 = 0.5;
/// Diffusivity across the fibres outside the axons: (1 − f) d∥, the tortuosity of Szafer et al. 1995.
const BUNDLE_ACROSS: f64 = (1.0 - INTRA_AXONAL) * BUNDLE_ALONG;
/// White matter outside all bundles: slightly anisotropic (FA 0.12) towards the cortex.
const BACKGROUND_ALONG: f64 = 0.85e-3;
const BACKGROUND_ACROSS: f64 = 0.70e-3;

/// Signals of all measurements of one gradient table.
pub(crate) struct Signals<'a> {
    gradients: &'a GradientTable,
    /// Signal of grey matter for each measurement.
    pub(crate) grey: Vec<f64>,
    /// Signal of cerebrospinal fluid for each measurement.
    pub(crate) fluid: Vec<f64>,
}

impl<'a> Signals<'a> {
    pub(crate) fn new(gradients: &'a GradientTable) -> Self {
        let free = |s0: f64, d: f64| gradients.b_values().iter().map(|b| s0 * (-b * d).exp()).collect();
        Self { gradients, grey: free(GREY_S0, GREY_DIFFUSIVITY), fluid: free(FLUID_S0, FLUID_DIFFUSIVITY) }
    }

    /// Adds `share` of the signal of fibres along a unit vector: a stick inside the axons and a zeppelin outside
    /// (Alexander 2008, doi:10.1002/mrm.21646; Panagiotaki et al. 2012, doi:10.1016/j.neuroimage.2011.09.081),
    /// S = S₀ [f exp(−b d∥ cos²θ) + (1 − f) exp(−b d⊥ − b (d∥ − d⊥) cos²θ)].
    pub(crate) fn add_bundle(&self, share: f64, along: Vector3<f64>, signal: &mut [f64]) {
        self.add(share, along, signal, |b, square| {
            INTRA_AXONAL * (-b * BUNDLE_ALONG * square).exp()
                + (1.0 - INTRA_AXONAL)
                    * (-b * (BUNDLE_ACROSS + (BUNDLE_ALONG - BUNDLE_ACROSS) * square)).exp()
        });
    }

    /// Adds `share` of the signal of white matter outside all bundles: a tensor around a unit vector.
    pub(crate) fn add_background(&self, share: f64, along: Vector3<f64>, signal: &mut [f64]) {
        self.add(share, along, signal, |b, square| {
            (-b * (BACKGROUND_ACROSS + (BACKGROUND_ALONG - BACKGROUND_ACROSS) * square)).exp()
        });
    }

    /// `attenuation(b, cos²θ)` for every measurement.
    fn add(
        &self,
        share: f64,
        along: Vector3<f64>,
        signal: &mut [f64],
        attenuation: impl Fn(f64, f64) -> f64,
    ) {
        let table = self.gradients;
        for ((sum, &b), d) in signal.iter_mut().zip(table.b_values()).zip(table.directions()) {
            let cosine = along.x * d[0] + along.y * d[1] + along.z * d[2];
            *sum += share * WHITE_S0 * attenuation(b, cosine * cosine);
        }
    }
}

/// Turns the signals of a voxel into the length of a complex number with normal noise of this standard deviation in
/// both parts: Rician (Gudbjartsson and Patz 1995, doi:10.1002/mrm.1910340618). No noise for a level of 0.
pub(crate) fn add_noise(level: f64, seed: u64, voxel: usize, signal: &mut [f64]) {
    if level > 0.0 {
        let mut random = Random::new(seed, Purpose::Noise, voxel as u64);
        for s in signal {
            let real = *s + level * random.normal();
            *s = real.hypot(level * random.normal());
        }
    }
}

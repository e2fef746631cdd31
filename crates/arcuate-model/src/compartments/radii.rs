//! Radii of axons.

use arcuate_core::{Error, Result};

/// Radii above this, in m, are none of axons, and the sums over the roots would need more of them.
pub(super) const LARGEST_RADIUS: f64 = 1e-4;

/// A gamma distribution of cylinder radii, by number: density ∝ rᵏ⁻¹ exp(−r/θ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GammaRadii {
    /// κ; the mean radius is κθ and its variance κθ².
    pub shape: f64,
    /// θ, in m.
    pub scale: f64,
}

impl GammaRadii {
    /// Fails unless 0 < κ ≤ 1000 (a narrower distribution is one radius), θ > 0, and the volume-weighted mean radius,
    /// (κ + 2)θ, is 50 µm at most.
    pub fn check(&self) -> Result<()> {
        let Self { shape, scale } = *self;
        if shape > 0.0 && shape <= 1000.0 && scale > 0.0 && (shape + 2.0) * scale <= 0.5 * LARGEST_RADIUS {
            return Ok(());
        }
        let problem = format!("shape {shape} and scale {} µm make no radii of axons", scale * 1e6);
        let advice = "give a shape of 0 to 1000 and a scale such that (shape + 2) × scale is 50 µm at most";
        Err(Error::invalid("gamma distribution of radii", problem, advice))
    }
}

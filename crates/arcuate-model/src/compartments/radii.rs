//! The distribution of the radii of axons.

use arcuate_core::{Error, Result};

/// Largest plausible axon radius, in m. For larger radii, the sums in [`super::cylinder`] would also need
/// more than 200 roots.
pub(super) const LARGEST_RADIUS: f64 = 1e-4;

/// A gamma distribution of cylinder radii r, which counts cylinders (not their volume): density ∝ rᵏ⁻¹
/// exp(−r/θ), with the shape k = κ and the scale θ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GammaRadii {
    /// The shape κ of the gamma distribution. With the scale θ, the mean radius is κθ, and the variance is
    /// κθ².
    pub shape: f64,
    /// The scale θ, in m.
    pub scale: f64,
}

impl GammaRadii {
    /// Returns an error unless the shape κ is above 0 and at most 1000, and the scale θ is above 0. Also
    /// returns an error unless the volume-weighted mean radius (κ + 2)θ is at most 50 µm. A distribution with
    /// κ > 1000 is so narrow that it equals a single radius.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        let Self { shape, scale } = *self;
        if shape > 0.0 && shape <= 1000.0 && scale > 0.0 && (shape + 2.0) * scale <= 0.5 * LARGEST_RADIUS {
            return Ok(());
        }
        let problem =
            format!("the shape {shape} and the scale {} µm do not give possible radii of axons", scale * 1e6);
        let advice = "give a shape of 0 to 1000 and a scale such that (shape + 2) × scale is 50 µm at most";
        Err(Error::invalid("gamma distribution of radii", problem, advice))
    }
}

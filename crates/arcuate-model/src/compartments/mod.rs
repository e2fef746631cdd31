//! Forward models of diffusion MRI: the signal of a tissue compartment for one diffusion weighting (b-value
//! and pulse timing).
//!
//! All quantities are in SI units: b in s/m², diffusivities in m²/s, lengths in m, times in s, gradients in
//! T/m. (Gradient tables have b in s/mm²; [`Weighting::shells`] converts b.) Signals are attenuations: 1 at b
//! = 0.
//!
//! The compartments and their names ("stick", "zeppelin", "astrosticks" and so on) are those of Panagiotaki et al.,
//! NeuroImage 59:2241 (2012), doi:10.1016/j.neuroimage.2011.09.081.

pub(crate) mod bessel;
mod cylinder;
mod models;
mod radii;
#[cfg(test)]
mod tests;
mod weighting;

pub use models::{Compartments, Model, ModelKind, ModelOptions};
pub use radii::GammaRadii;
pub use weighting::Weighting;

use arcuate_core::{Error, PulseTiming, Result};
use radii::LARGEST_RADIUS;

/// Largest plausible diffusivity of tissue: 1e-7 m²/s. For comparison, free water at 37 °C has 3.0e-9 m²/s.
const LARGEST_DIFFUSIVITY: f64 = 1e-7;

/// A tissue compartment with one kind of diffusion. Diffusivities are in m²/s, lengths in m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Compartment {
    /// Sticks: water diffuses along a line only, and the signal is S = exp(−b d cos²θ). θ is the angle
    /// between stick and gradient. This is the anisotropic part of equation 1 of Behrens et al., Magn. Reson.
    /// Med. 50:1077 (2003), doi:10.1002/mrm.10609.
    Stick {
        /// The diffusivity d along the stick.
        diffusivity: f64,
    },
    /// A cylinder: diffusion is free along the axis, and restricted by the wall across the axis. The signal
    /// uses the Gaussian-phase approximation of Van Gelderen et al., J. Magn. Reson. B 103:255 (1994),
    /// doi:10.1006/jmrb.1994.1038. The timing of the gradient pulses must be known.
    Cylinder {
        /// The intrinsic diffusivity d of the water in the cylinder.
        diffusivity: f64,
        /// The radius R of the cylinder, in m. A cylinder with R = 0 is a stick.
        radius: f64,
    },
    /// Cylinders with gamma-distributed radii r, each weighted by its volume (∝ r²). This is the model
    /// AxCaliber of Assaf et al., Magn. Reson. Med. 59:1347 (2008), doi:10.1002/mrm.21577. The timing of the
    /// gradient pulses must be known.
    GammaCylinders {
        /// The intrinsic diffusivity d of the water in the cylinders.
        diffusivity: f64,
        /// The distribution of the cylinder radii. The distribution counts cylinders, not their volume.
        radii: GammaRadii,
    },
    /// A zeppelin: diffusion with an axially symmetric tensor, S = exp(−b (d∥ cos²θ + d⊥ sin²θ)). θ is the
    /// angle between the tensor's axis and the gradient.
    Zeppelin {
        /// The diffusivity d∥ along the axis.
        parallel: f64,
        /// The diffusivity d⊥ across the axis.
        perpendicular: f64,
    },
    /// A ball: free diffusion with the diffusivity d, S = exp(−b d).
    Ball {
        /// The diffusivity d.
        diffusivity: f64,
    },
    /// Astrosticks: sticks with uniformly distributed orientations. The signal is S = √π erf(√(bd)) /
    /// (2√(bd)).
    Astrosticks {
        /// The diffusivity d along each stick.
        diffusivity: f64,
    },
    /// A dot: immobile water, S = 1.
    Dot,
}

impl Compartment {
    /// Creates a zeppelin with the perpendicular diffusivity d⊥ of the tortuosity model. Impermeable parallel
    /// cylinders fill the fraction f = `filled` (0 to 1) of the volume: d⊥ = d∥ (1 − f), Szafer et al., Magn.
    /// Reson. Med. 33:697 (1995), doi:10.1002/mrm.1910330516.
    pub fn tortuous_zeppelin(parallel: f64, filled: f64) -> Result<Self> {
        if !(0.0..=1.0).contains(&filled) {
            let problem = format!("the intra-axonal fraction {filled} is not from 0 to 1");
            return Err(Error::invalid("zeppelin", problem, "give an intra-axonal fraction from 0 to 1"));
        }
        let zeppelin = Self::Zeppelin { parallel, perpendicular: parallel * (1.0 - filled) };
        zeppelin.check()?;
        Ok(zeppelin)
    }

    /// Returns the compartment's name for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stick { .. } => "stick",
            Self::Cylinder { .. } => "cylinder",
            Self::GammaCylinders { .. } => "cylinders of gamma-distributed radii",
            Self::Zeppelin { .. } => "zeppelin",
            Self::Ball { .. } => "ball",
            Self::Astrosticks { .. } => "astrosticks",
            Self::Dot => "dot",
        }
    }

    /// Returns whether the signal of the compartment is independent of the gradient direction.
    pub fn is_isotropic(&self) -> bool {
        matches!(self, Self::Ball { .. } | Self::Astrosticks { .. } | Self::Dot)
    }

    /// Returns whether the signal depends on the pulses' amplitude |G|, separation Δ and duration δ, and not
    /// only on the b-value.
    pub fn needs_timing(&self) -> bool {
        matches!(self, Self::Cylinder { .. } | Self::GammaCylinders { .. })
    }

    /// Returns an error for implausible parameters of a compartment: negative or non-finite values,
    /// diffusivities above 1e-7 m²/s, or radii above 100 µm.
    pub fn check(&self) -> Result<()> {
        let diffusivity = |d: f64| {
            if (0.0..=LARGEST_DIFFUSIVITY).contains(&d) {
                return Ok(());
            }
            let problem = format!("the diffusivity {} µm²/ms is not possible for water", d * 1e9);
            Err(Error::invalid(
                self.name(),
                problem,
                "give a diffusivity from 0 to 100 µm²/ms (free water: \
                                                      3)",
            ))
        };
        let radius = |r: f64| {
            if (0.0..=LARGEST_RADIUS).contains(&r) {
                return Ok(());
            }
            let problem = format!("the radius {} µm is not possible for an axon", r * 1e6);
            Err(Error::invalid(self.name(), problem, "give a radius from 0 to 100 µm"))
        };
        match *self {
            Self::Stick { diffusivity: d }
            | Self::Ball { diffusivity: d }
            | Self::Astrosticks { diffusivity: d } => diffusivity(d),
            Self::Cylinder { diffusivity: d, radius: r } => diffusivity(d).and_then(|()| radius(r)),
            Self::GammaCylinders { diffusivity: d, radii } => {
                diffusivity(d)?;
                radii.check()
            }
            Self::Zeppelin { parallel, perpendicular } => {
                diffusivity(parallel).and_then(|()| diffusivity(perpendicular))
            }
            Self::Dot => Ok(()),
        }
    }

    /// Returns the signal of the compartment for one diffusion weighting, as a function of the gradient
    /// direction. Everything that does not depend on the direction is computed once, such as the sums over
    /// roots for a cylinder and the integral over radii.
    ///
    /// Returns the errors of [`check`](Self::check) and [`Weighting::check`]. Also returns an error if the
    /// compartment needs the timing of the pulses, and a weighting with b > 0 has no timing.
    pub fn attenuation(&self, weighting: &Weighting) -> Result<Attenuation> {
        self.check()?;
        weighting.check()?;
        let b = weighting.b;
        if b == 0.0 {
            return Ok(Attenuation::constant(1.0));
        }
        Ok(match *self {
            Self::Stick { diffusivity } => Attenuation::gaussian(b * diffusivity, 0.0),
            Self::Zeppelin { parallel, perpendicular } => {
                Attenuation::gaussian(b * parallel, b * perpendicular)
            }
            Self::Ball { diffusivity } => Attenuation::constant((-b * diffusivity).exp()),
            Self::Astrosticks { diffusivity } => Attenuation::constant(powder_average(b * diffusivity)),
            Self::Dot => Attenuation::constant(1.0),
            Self::Cylinder { diffusivity, radius } => {
                let across = cylinder::perpendicular_exponent(diffusivity, radius, self.timing(weighting)?);
                Attenuation::gaussian(b * diffusivity, across)
            }
            Self::GammaCylinders { diffusivity, radii } => Attenuation {
                parallel: b * diffusivity,
                perpendicular: cylinder::gamma_exponents(
                    diffusivity,
                    radii.shape,
                    radii.scale,
                    self.timing(weighting)?,
                ),
            },
        })
    }

    /// Returns the signal of the compartment for one diffusion weighting. `cosine` is the cosine of the angle
    /// between the compartment's axis and the gradient. For an isotropic compartment, any cosine is valid.
    /// Evaluates [`attenuation`](Self::attenuation) at one direction, with the same errors.
    pub fn signal(&self, weighting: &Weighting, cosine: f64) -> Result<f64> {
        Ok(self.attenuation(weighting)?.at(cosine))
    }

    fn timing<'a>(&self, weighting: &'a Weighting) -> Result<&'a PulseTiming> {
        weighting.timing.as_ref().ok_or_else(|| {
            let problem = "it needs the timing of the gradient pulses, which the weighting lacks";
            Error::invalid(self.name(), problem, "also give the gradient amplitude |G| and the times Δ and δ")
        })
    }
}

/// The signal of a compartment for one diffusion weighting, as an even function of the cosine of the angle
/// between the compartment's axis and the gradient.
#[derive(Debug, Clone, PartialEq)]
pub struct Attenuation {
    /// The exponent b d∥: −ln of the signal if the gradient is along the axis.
    parallel: f64,
    /// Pairs of a weight and an exponent (−ln of a signal) for a gradient across the axis. The signal across
    /// the axis is the weighted sum of the exponentials. The sum of the weights is the signal if all
    /// exponents are 0.
    perpendicular: Vec<(f64, f64)>,
}

impl Attenuation {
    fn gaussian(parallel: f64, perpendicular: f64) -> Self {
        Self { parallel, perpendicular: vec![(1.0, perpendicular)] }
    }

    fn constant(value: f64) -> Self {
        Self { parallel: 0.0, perpendicular: vec![(value, 0.0)] }
    }

    /// Returns the signal for the cosine (−1 to 1) of the angle between the compartment's axis and the
    /// gradient.
    pub fn at(&self, cosine: f64) -> f64 {
        let along = cosine * cosine;
        // The square of the sine is computed as (1 − cos)(1 + cos). For small angles, 1 − cos² would lose
        // digits by cancellation.
        let across = (1.0 - cosine) * (1.0 + cosine);
        let part = |&(weight, exponent): &(f64, f64)| weight * (-exponent * across).exp();
        (-self.parallel * along).exp() * self.perpendicular.iter().map(part).sum::<f64>()
    }
}

/// Returns ∫₀¹ exp(−x c²) dc = √π erf(√x) / (2√x): the signal of a stick, averaged over all directions.
fn powder_average(x: f64) -> f64 {
    // The next term of the power series in x is x³/42.
    if x < 1e-5 {
        return 1.0 - x / 3.0 + x * x / 10.0;
    }
    let root = x.sqrt();
    0.5 * std::f64::consts::PI.sqrt() * arcuate_numbers::special::erf(root) / root
}

//! The largest concentration of orientation distributions.

/// The largest concentration κ of a distribution of orientations. It corresponds to an orientation dispersion
/// index of 0.01.
pub(crate) const LARGEST_CONCENTRATION: f64 = 64.0;

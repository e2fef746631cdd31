//! How far distributions of orientations may be concentrated.

/// The largest concentration: orientation dispersion index 0.01.
pub(crate) const LARGEST_CONCENTRATION: f64 = 64.0;

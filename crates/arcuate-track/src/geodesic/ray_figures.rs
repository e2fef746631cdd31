//! Figures of a run that only geodesic tracking has.

use super::connect::TargetSummary;
use super::energy_drift::EnergyDrift;

/// Results that only geodesic tracking has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RayFigures {
    /// Drift of the energy of all rays.
    pub drift: EnergyDrift,
    /// Summary of each target, if only connections to targets are kept. The accepted streamlines are in the same order:
    /// for each target the `kept` ones, or one nearest approach if no ray reaches the target and
    /// [`TargetSummary::nearest_mm`] is present.
    pub targets: Vec<TargetSummary>,
}

//! Results of a run that only geodesic tracking has, such as the drift of the energy.

use super::connect::TargetSummary;
use super::energy_drift::EnergyDrift;

/// Results that only geodesic tracking has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RayFigures {
    /// Drift of the energy of all rays.
    pub drift: EnergyDrift,
    /// Summary of each target, if only connections to targets are kept. The accepted streamlines are in the
    /// order of the targets. Each target has [`TargetSummary::kept`] streamlines. If no ray reaches the
    /// target, it has one streamline: the nearest approach, if [`TargetSummary::nearest_mm`] is present.
    pub targets: Vec<TargetSummary>,
}

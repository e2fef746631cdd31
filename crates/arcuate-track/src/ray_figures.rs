//! Selection and results of geodesic rays. Runs with other sources of directions have the same types, so that this
//! module does not depend on geodesic tracking.

use crate::energy_drift::EnergyDrift;

/// Name of the data with the connectivity of rays. The value of a point is the connectivity from the seed to
/// this point; at the seed, it is the value of the initial direction. The value of a streamline is its
/// Euclidean length divided by its geodesic length.
pub const CONNECTIVITY: &str = "cm";
/// Name of the data with the length of each streamline, in mm along its steps.
pub const LENGTH: &str = "length";
/// Name of the data with the drift of each streamline: the largest |E / E₀ − 1|. Here E = ẋᵀGẋ is the energy
/// and E₀ is the energy at the seed. An exact geodesic keeps its energy.
pub const DRIFT: &str = "drift";

/// Criteria that decide which of the geodesic rays that reach a target are kept.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Selection {
    /// Number of strongest rays that are kept for each target (`--best`). `None`: all rays.
    pub best: Option<usize>,
    /// Minimum connectivity of a ray that is kept (`--min-connectivity`).
    pub min_connectivity: Option<f64>,
    /// True if rays that enter a target through the same voxel are reduced to the strongest of them
    /// (`--one-per-voxel`).
    pub one_per_voxel: bool,
}

/// Summary of the geodesic rays that reach a target.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetSummary {
    /// Name of the target.
    pub name: String,
    /// Number of rays that reach the target.
    pub reached: u64,
    /// Number of connections to the target that are kept.
    pub kept: u64,
    /// Maximum connectivity of the rays that reach the target; `None` if no ray reaches it.
    pub strongest: Option<f64>,
    /// If no ray reaches the target: the smallest distance in mm from a ray to the centre of a voxel of the
    /// target. The ray with this distance, up to its nearest point, is in the group "NAME (nearest
    /// approach)". `None` if a ray reaches the target.
    pub nearest_mm: Option<f64>,
}

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

//! Storage for the points of rays that the CPU follows.

use super::outcome::Outcome;
use arcuate_core::Point;

/// Maximum number of rays that are followed together.
pub(super) const MAX_LANES: usize = 16;

/// Points of geodesic rays, in the order in which each SIMD lane reached them, and the position of each ray's
/// points in memory. The memory is reused for further rays, because a new allocation takes a third of the
/// tracking time.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    pub(super) lanes: [Track; MAX_LANES],
    /// SIMD lane in which each ray was followed, and index of its first point in the list of this lane.
    pub(super) begins: Vec<(usize, usize)>,
}

/// Consecutive points that one lane reached, and the connectivity at each point.
#[derive(Debug, Clone, Default)]
pub(super) struct Track {
    pub(super) points: Vec<Point>,
    pub(super) connectivity: Vec<f32>,
}

impl Tracks {
    /// Returns the points of a ray.
    pub(super) fn points(&self, ray: usize, outcome: &Outcome) -> &[Point] {
        let (lane, begin) = self.begins[ray];
        &self.lanes[lane].points[begin..begin + outcome.points as usize]
    }

    /// Returns the connectivity at each point of a ray; empty if it was not measured.
    pub(super) fn connectivity(&self, ray: usize, outcome: &Outcome) -> &[f32] {
        let (lane, begin) = self.begins[ray];
        self.lanes[lane].connectivity.get(begin..begin + outcome.points as usize).unwrap_or_default()
    }

    /// Removes all points, but keeps the memory for other rays.
    pub(super) fn clear(&mut self, rays: usize) {
        for track in &mut self.lanes {
            track.points.clear();
            track.connectivity.clear();
        }
        self.begins.clear();
        self.begins.resize(rays, (0, 0));
    }
}

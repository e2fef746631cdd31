//! Where the processor keeps the points of rays while it follows them.

use super::outcome::Outcome;
use arcuate_core::Point;

/// Rays side by side, at most.
pub(super) const MOST_LANES: usize = 16;

/// The points of rays, as each lane came to them, and where those of each ray are. Memory for the next rays too: to ask for
/// it anew takes a third of the time of following them.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    pub(super) lanes: [Track; MOST_LANES],
    /// Lane and first point of each ray.
    pub(super) begins: Vec<(usize, usize)>,
}

/// Points one after the other, and the connectivity at each.
#[derive(Debug, Clone, Default)]
pub(super) struct Track {
    pub(super) points: Vec<Point>,
    pub(super) connectivity: Vec<f32>,
}

impl Tracks {
    /// The points of a ray.
    pub(super) fn points(&self, ray: usize, outcome: &Outcome) -> &[Point] {
        let (lane, begin) = self.begins[ray];
        &self.lanes[lane].points[begin..begin + outcome.points as usize]
    }

    /// The connectivity at each of them, where it is measured.
    pub(super) fn connectivity(&self, ray: usize, outcome: &Outcome) -> &[f32] {
        let (lane, begin) = self.begins[ray];
        self.lanes[lane].connectivity.get(begin..begin + outcome.points as usize).unwrap_or_default()
    }

    /// Makes room for other rays.
    pub(super) fn clear(&mut self, rays: usize) {
        for track in &mut self.lanes {
            track.points.clear();
            track.connectivity.clear();
        }
        self.begins.clear();
        self.begins.resize(rays, (0, 0));
    }
}

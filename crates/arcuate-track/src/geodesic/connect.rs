//! Finds the rays that connect their seeds with targets, and ranks these connections.

use super::marks::Targets;
use super::options::LengthLimits;
use super::outcome::Hit;
use super::rays::Batch;
use crate::energy_drift::EnergyDrift;
use crate::ray_figures::{Selection, TargetSummary};
use crate::summary::TrackSummary;
use arcuate_core::{Tractogram, longest_of, shortest_of};
use std::collections::BTreeMap;

/// Connections from seeds to targets that were found.
#[derive(Debug)]
pub struct Connections {
    /// Streamlines from the seed to their first point in the target, grouped by target and sorted from
    /// strongest to weakest connectivity. Each target has a group. Data of each point: `cm`, the connectivity
    /// from the seed to the point. Data of each streamline: `cm` (connectivity), `length` in mm and `drift`
    /// (relative change of the energy).
    pub tractogram: Tractogram,
    /// Summary of all geodesic rays. The numbers of streamlines and points, and the lengths, are those of the
    /// kept connections.
    pub summary: TrackSummary,
    /// Drift of the energy along all geodesic rays.
    pub drift: EnergyDrift,
    /// Summary of each target, in the order of the targets.
    pub targets: Vec<TargetSummary>,
}

/// A ray that reaches a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) ray: u64,
    /// Number of the ray's first point in the target; the seed has number 0.
    pub(super) point: u32,
    pub(super) connectivity: f32,
    voxel: u64,
}

impl Candidate {
    pub(super) fn nearest(ray: u64, point: u32, connectivity: f32) -> Self {
        Self { ray, point, connectivity, voxel: 0 }
    }

    /// Orders rays that reach a target by descending connectivity, then by the number of the ray.
    fn rank(&self, other: &Self) -> std::cmp::Ordering {
        other.connectivity.total_cmp(&self.connectivity).then(self.ray.cmp(&other.ray))
    }
}

/// The rays with the highest connectivity found so far, for each target.
pub(super) struct Ranking<'a> {
    targets: &'a Targets,
    selection: Selection,
    lengths: LengthLimits,
    found: Vec<Found>,
}

#[derive(Default)]
struct Found {
    reached: u64,
    strongest: Option<f32>,
    candidates: Vec<Candidate>,
    by_voxel: BTreeMap<u64, Candidate>,
}

impl<'a> Ranking<'a> {
    /// Creates a ranking of the rays that reach targets. Only connections whose length is within the limits
    /// are ranked.
    pub(super) fn new(targets: &'a Targets, selection: Selection, lengths: LengthLimits) -> Self {
        let found = targets.names().iter().map(|_| Found::default()).collect();
        Self { targets, selection, lengths, found }
    }

    /// Adds a batch of rays to the ranking. `first` is the number of the first ray of the batch.
    pub(super) fn take(&mut self, first: u64, batch: &Batch) {
        let mut hits = batch.hits.clone();
        // If a ray enters the same target several times, only the first entry counts.
        hits.sort_by_key(|hit| (hit.ray, hit.target, hit.point));
        hits.dedup_by_key(|hit| (hit.ray, hit.target));
        for hit in &hits {
            self.add(first, hit);
        }
    }

    fn add(&mut self, first: u64, hit: &Hit) {
        let Some(found) = self.found.get_mut(hit.target as usize - 1) else { return };
        found.reached += 1;
        found.strongest =
            Some(found.strongest.map_or(hit.connectivity, |maximum| maximum.max(hit.connectivity)));
        let LengthLimits { min, max, .. } = self.lengths;
        if !(shortest_of(min)..=longest_of(max)).contains(&f64::from(hit.length)) {
            return;
        }
        if self.selection.min_connectivity.is_some_and(|minimum| f64::from(hit.connectivity) < minimum) {
            return;
        }
        let ray = first + u64::from(hit.ray);
        let candidate =
            Candidate { ray, point: hit.point, connectivity: hit.connectivity, voxel: hit.voxel() };
        if self.selection.one_per_voxel {
            let best = found.by_voxel.entry(candidate.voxel).or_insert(candidate);
            if candidate.rank(best).is_lt() {
                *best = candidate;
            }
            return;
        }
        found.candidates.push(candidate);
        if let Some(best) = self.selection.best
            && found.candidates.len() >= best.saturating_mul(2).saturating_add(1024)
        {
            found.candidates.sort_by(Candidate::rank);
            found.candidates.truncate(best);
        }
    }

    /// Returns the summary of each target, and the target's strongest rays in descending order of
    /// connectivity. The number of kept streamlines in the summary is not set yet.
    pub(super) fn finish(self) -> Vec<(TargetSummary, Vec<Candidate>)> {
        let Self { targets, selection, found, .. } = self;
        let finish = |(name, found): (&String, Found)| {
            let mut candidates = found.candidates;
            candidates.extend(found.by_voxel.into_values());
            candidates.sort_by(Candidate::rank);
            candidates.truncate(selection.best.unwrap_or(usize::MAX));
            let summary = TargetSummary {
                name: name.clone(),
                reached: found.reached,
                kept: 0,
                strongest: found.strongest.map(f64::from),
                nearest_mm: None,
            };
            (summary, candidates)
        };
        targets.names().iter().zip(found).map(finish).collect()
    }
}

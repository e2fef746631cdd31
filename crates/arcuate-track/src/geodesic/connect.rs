//! Which rays connect their seeds with targets, and which of those connections are the strongest.

use super::marks::Targets;
use super::outcome::{Drift, Hit};
use super::rays::Batch;
use crate::summary::TrackSummary;
use arcuate_core::Tractogram;
use std::collections::BTreeMap;

/// Which of the rays that reach a target are kept.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Selection {
    /// So many of each target, the strongest (`--best`). `None`: all.
    pub best: Option<usize>,
    /// Those of at least this connectivity (`--min-connectivity`).
    pub min_connectivity: Option<f64>,
    /// Of the rays that enter a target by the same voxel, the strongest alone (`--one-per-voxel`).
    pub one_per_voxel: bool,
}

/// The connections that were found.
#[derive(Debug)]
pub struct Connections {
    /// From the seed to the first point in the target, target after target, the strongest first. At each point `cm`, the
    /// connectivity from the seed to there; of each streamline `cm`, `length` in mm and `drift`; a group for each target.
    pub tractogram: Tractogram,
    /// Of all rays; streamlines, points and lengths are those of the connections.
    pub summary: TrackSummary,
    /// Of all rays.
    pub drift: Drift,
    /// Of each target, in order.
    pub targets: Vec<TargetSummary>,
}

/// How a target was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetSummary {
    /// Its name.
    pub name: String,
    /// Rays that reach it.
    pub reached: u64,
    /// Streamlines kept.
    pub kept: u64,
    /// The largest connectivity of a ray that reaches it.
    pub strongest: Option<f64>,
    /// Where no ray does: how near one comes to the centre of one of its voxels, in mm. That ray, up to there, is in the group
    /// "NAME (nearest approach)".
    pub nearest_mm: Option<f64>,
}

/// A ray that reaches a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) ray: u64,
    /// Number of the point where it does.
    pub(super) point: u32,
    pub(super) connectivity: f32,
    voxel: u64,
}

impl Candidate {
    pub(super) fn nearest(ray: u64, point: u32, connectivity: f32) -> Self {
        Self { ray, point, connectivity, voxel: 0 }
    }

    /// Strongest first, then by number.
    fn rank(&self, other: &Self) -> std::cmp::Ordering {
        other.connectivity.total_cmp(&self.connectivity).then(self.ray.cmp(&other.ray))
    }
}

/// The best rays so far, of each target.
pub(super) struct Ranking<'a> {
    targets: &'a Targets,
    selection: Selection,
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
    pub(super) fn new(targets: &'a Targets, selection: Selection) -> Self {
        Self { targets, selection, found: targets.names().iter().map(|_| Found::default()).collect() }
    }

    /// Takes a batch whose first ray has this number.
    pub(super) fn take(&mut self, first: u64, batch: &Batch) {
        let mut hits = batch.hits.clone();
        // Of a ray that comes back to a target the first time counts.
        hits.sort_by_key(|hit| (hit.ray, hit.target, hit.point));
        hits.dedup_by_key(|hit| (hit.ray, hit.target));
        for hit in &hits {
            self.add(first, hit);
        }
    }

    fn add(&mut self, first: u64, hit: &Hit) {
        let Some(found) = self.found.get_mut(hit.target as usize - 1) else { return };
        found.reached += 1;
        found.strongest = Some(found.strongest.map_or(hit.connectivity, |most| most.max(hit.connectivity)));
        if self.selection.min_connectivity.is_some_and(|least| f64::from(hit.connectivity) < least) {
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

    /// Of each target its summary, but for what is kept, and its best rays, the strongest first.
    pub(super) fn finish(self) -> Vec<(TargetSummary, Vec<Candidate>)> {
        let Self { targets, selection, found } = self;
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

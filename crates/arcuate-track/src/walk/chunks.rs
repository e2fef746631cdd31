//! Tracking of streamlines on the CPU. The numbers of the streamlines are divided into chunks, which threads
//! process in parallel.
//!
//! This module works with any direction field.

use super::streamline::Walk;
use super::trail::Trail;
use crate::direction_field::DirectionField;
use crate::driver::{Batch, Follow, chunks};
use crate::samples::counts::{Counters, StreamlineVoxels};
use crate::space::affine;
use crate::summary::{Outcome, TrackSummary};
use arcuate_core::{Control, Point, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Number of streamlines that a thread tracks at a time.
pub(crate) const CHUNK: u64 = 256;

impl<F: DirectionField> Walk<'_, F> {
    /// Creates the memory for tracking a streamline. With anatomical constraints, points are always recorded,
    /// because back-tracking starts from earlier points.
    fn trail(&self, points: bool) -> Trail {
        Trail::new(points || self.region_grids.anatomy.is_some())
    }

    /// Tracks streamlines, and adds the voxel visits of the accepted ones to `counters`, if there are any.
    /// Returns an error if `control` cancels the run.
    pub(crate) fn count(
        &self,
        numbers: Range<u64>,
        counters: Option<&Counters>,
        control: &Control,
    ) -> Result<TrackSummary> {
        let chunk = |numbers: Range<u64>| -> Result<TrackSummary> {
            let (mut trail, mut once) = (self.trail(false), StreamlineVoxels::default());
            let mut summary = TrackSummary::default();
            for number in numbers {
                control.check()?;
                let outcome = self.follow(number, &mut trail);
                summary.add(&outcome);
                if outcome.is_accepted()
                    && let Some(counters) = counters
                {
                    counters.add(&outcome, &trail, self.seed_of(number), &mut once);
                }
            }
            Ok(summary)
        };
        chunks(numbers, CHUNK).map(chunk).try_reduce(TrackSummary::default, |mut one, other| {
            one.merge(&other);
            Ok(one)
        })
    }

    /// Tracks streamlines and returns them in the order of their numbers. `points` is true if their points
    /// are needed. Returns an error if `control` cancels the run.
    pub(crate) fn batches(&self, numbers: Range<u64>, points: bool, control: &Control) -> Result<Vec<Batch>> {
        let chunk = |numbers: Range<u64>| -> Result<Batch> {
            let mut trail = self.trail(points);
            let mut batch = Batch { first: numbers.start, offsets: vec![0], ..Batch::default() };
            for number in numbers {
                control.check()?;
                let outcome = self.follow(number, &mut trail);
                if outcome.is_accepted() {
                    if points {
                        self.add_points(&outcome, &trail, &mut batch);
                    }
                    if !self.region_grids.targets.is_empty() {
                        batch.targets.extend_from_slice(trail.passage.targets_passed());
                    }
                }
                batch.outcomes.push(outcome);
            }
            Ok(batch)
        };
        chunks(numbers, CHUNK).map(chunk).collect()
    }

    fn add_points(&self, outcome: &Outcome, trail: &Trail, batch: &mut Batch) {
        let to_mm = |&p: &[f32; 3]| affine(&self.to_mm, p);
        if outcome.points[0] > 0 {
            batch.positions.extend(trail.points[0].iter().rev().map(to_mm));
        }
        if outcome.points[1] > 0 {
            // The first half already contains the seed.
            let first = usize::from(outcome.points[0] > 0);
            batch.positions.extend(trail.points[1][first..].iter().map(to_mm));
        }
        batch.offsets.push(batch.positions.len() as u64);
    }

    /// Counts the voxel visits of streamlines that are known to be accepted. Returns an error if `control`
    /// cancels the run.
    pub(crate) fn count_these(&self, numbers: &[u64], counters: &Counters, control: &Control) -> Result<()> {
        numbers.par_chunks(CHUNK as usize).try_for_each(|numbers| {
            let (mut trail, mut once) = (self.trail(false), StreamlineVoxels::default());
            for &number in numbers {
                control.check()?;
                let outcome = self.follow(number, &mut trail);
                counters.add(&outcome, &trail, self.seed_of(number), &mut once);
            }
            Ok(())
        })
    }
}

/// Number of streamlines per block.
const BLOCK: u64 = 1 << 14;
/// Maximum memory in bytes for the points of a block of streamlines, if all streamlines have the maximum
/// length.
const BYTES_IN_ORDER: u64 = 1 << 31;

/// Tracks streamlines in the order of their numbers until `control` cancels the run.
pub(crate) struct InOrder<'a, F> {
    pub(crate) walk: &'a Walk<'a, F>,
    pub(crate) control: &'a Control,
}

impl<F: DirectionField> Follow for InOrder<'_, F> {
    fn follow(&self, numbers: Range<u64>, points: bool) -> Result<Vec<Batch>> {
        self.walk.batches(numbers, points, self.control)
    }

    fn maximum(&self) -> u64 {
        self.walk.most_of(BLOCK)
    }

    fn target_bits(&self) -> (&[usize], usize) {
        self.walk.region_grids.target_bits()
    }
}

impl<F: DirectionField> Walk<'_, F> {
    /// Returns the number of streamlines to track at a time, at most `maximum`, if they are delivered in order.
    pub(crate) fn most_of(&self, maximum: u64) -> u64 {
        let most_bytes = 2 * u64::from(self.limits.points) * size_of::<Point>() as u64;
        maximum.min(BYTES_IN_ORDER / most_bytes).max(CHUNK)
    }
}

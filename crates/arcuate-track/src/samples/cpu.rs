//! Streamlines on the processor: numbers in chunks over the threads.

use super::counts::{Counters, Once};
use super::walk::{Field, Trail};
use crate::driver::Batch;
use crate::space::affine;
use crate::summary::{Outcome, TrackSummary};
use rayon::prelude::*;
use std::ops::Range;

/// Streamlines that a thread follows at a time.
pub(super) const CHUNK: u64 = 256;

impl Field<'_> {
    /// Follows streamlines and counts the accepted ones, where something is to be counted.
    pub(super) fn count(&self, numbers: Range<u64>, counters: Option<&Counters>) -> TrackSummary {
        let chunk = |numbers: Range<u64>| {
            let (mut trail, mut once) = (Trail::new(false), Once::default());
            let mut summary = TrackSummary::default();
            for number in numbers {
                let outcome = self.walk(number, &mut trail);
                summary.add(&outcome);
                if outcome.is_accepted()
                    && let Some(counters) = counters
                {
                    counters.add(&outcome, &trail, self.seed_of(number), &mut once);
                }
            }
            summary
        };
        chunks(numbers).map(chunk).reduce(TrackSummary::default, |mut one, other| {
            one.merge(&other);
            one
        })
    }

    /// Follows streamlines in their order, with or without their points.
    pub(super) fn batches(&self, numbers: Range<u64>, points: bool) -> Vec<Batch> {
        let chunk = |numbers: Range<u64>| {
            let mut trail = Trail::new(points);
            let mut batch = Batch { first: numbers.start, offsets: vec![0], ..Batch::default() };
            for number in numbers {
                let outcome = self.walk(number, &mut trail);
                if points && outcome.is_accepted() {
                    self.add_points(&outcome, &trail, &mut batch);
                }
                batch.outcomes.push(outcome);
            }
            batch
        };
        chunks(numbers).map(chunk).collect()
    }

    fn add_points(&self, outcome: &Outcome, trail: &Trail, batch: &mut Batch) {
        let to_mm = |&p: &[f32; 3]| affine(&self.course.to_mm, p);
        if outcome.points[0] > 0 {
            batch.positions.extend(trail.points[0].iter().rev().map(to_mm));
        }
        if outcome.points[1] > 0 {
            // The seed is the end of the first half already.
            let first = usize::from(outcome.points[0] > 0);
            batch.positions.extend(trail.points[1][first..].iter().map(to_mm));
        }
        batch.offsets.push(batch.positions.len() as u64);
    }

    /// Counts streamlines that are known to be accepted.
    pub(super) fn count_these(&self, numbers: &[u64], counters: &Counters) {
        numbers.par_chunks(CHUNK as usize).for_each(|numbers| {
            let (mut trail, mut once) = (Trail::new(false), Once::default());
            for &number in numbers {
                let outcome = self.walk(number, &mut trail);
                counters.add(&outcome, &trail, self.seed_of(number), &mut once);
            }
        });
    }
}

fn chunks(numbers: Range<u64>) -> impl IndexedParallelIterator<Item = Range<u64>> {
    let count = (numbers.end - numbers.start).div_ceil(CHUNK) as usize;
    (0..count).into_par_iter().map(move |n| {
        let begin = numbers.start + n as u64 * CHUNK;
        begin..numbers.end.min(begin + CHUNK)
    })
}

//! Streamlines on the processor: numbers in chunks over the threads.

use super::counts::{Counters, Once};
use super::summary::SampleSummary;
use super::walk::{Fate, Field, Outcome, Trail, affine};
use arcuate_core::Point;
use rayon::prelude::*;
use std::ops::Range;

/// Streamlines that a thread follows at a time.
pub(super) const CHUNK: u64 = 256;

/// What consecutive numbers came to: an outcome each, and the points of the accepted ones in the same order.
///
/// A streamline runs from the far end of its first half through the seed to the far end of the second.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) first: u64,
    pub(super) outcomes: Vec<Outcome>,
    pub(super) offsets: Vec<u64>,
    pub(super) positions: Vec<Point>,
}

impl Field<'_> {
    /// Follows streamlines and counts the accepted ones, where something is to be counted.
    pub(super) fn count(&self, numbers: Range<u64>, counters: Option<&Counters>) -> SampleSummary {
        let chunk = |numbers: Range<u64>| {
            let (mut trail, mut once) = (Trail::new(false), Once::default());
            let mut summary = SampleSummary::default();
            for number in numbers {
                let outcome = self.walk(number, &mut trail);
                summary.add(&outcome);
                if outcome.fate == Fate::Accepted
                    && let Some(counters) = counters
                {
                    counters.add(&outcome, &trail, self.seed_of(number), &mut once);
                }
            }
            summary
        };
        chunks(numbers).map(chunk).reduce(SampleSummary::default, |mut one, other| {
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
                if points && outcome.fate == Fate::Accepted {
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

//! Rays among regions. A ray goes its way whatever it meets, so that what regions make of it can be seen once it has been
//! followed: it is followed once more, as far as it may go, and so has the length, the connectivity and the drift of that.

use super::outcome::{AVOIDED, ENDED_BY_AVOIDING, EXITED, Outcome, PASSED_NO_WAYPOINTS, STOPPED, points_of};
use super::rays::{Batch, FollowRays};
use super::starts::Start;
use crate::constraints::{Lattices, Passage, Trip};
use crate::summary::{Rejection, Termination};
use arcuate_core::{Point, Result, StreamlineBatch, narrow};
use rayon::prelude::*;

/// What follows rays among regions.
pub(super) struct Constrained<'a> {
    pub(super) inner: &'a dyn FollowRays,
    pub(super) lattices: &'a Lattices,
    /// Whether each ray is judged alone, not both ways of a direction together.
    pub(super) alone: bool,
}

/// What regions make of a ray.
#[derive(Debug, Clone, Copy)]
struct Limit {
    steps: u32,
    /// Why it ends, as it was followed first, and as regions have it.
    ending: u32,
}

/// Rays whose points are in memory at a time.
const PART: usize = 1 << 14;

impl FollowRays for Constrained<'_> {
    fn follow(&self, starts: &[Start], ways: usize, points: bool) -> Result<Vec<Batch>> {
        let mut limited = starts.to_vec();
        let mut endings = Vec::with_capacity(starts.len());
        for (starts, limited) in starts.chunks(PART).zip(limited.chunks_mut(PART)) {
            for (start, limit) in limited.iter_mut().zip(self.limits(starts, ways)?) {
                start.steps = limit.steps;
                endings.push(limit.ending);
            }
        }
        let mut batches = self.inner.follow(&limited, ways, points)?;
        let outcomes = batches.iter_mut().flat_map(|batch| &mut batch.outcomes);
        outcomes.zip(endings).for_each(|(outcome, ending)| outcome.ending = ending);
        Ok(batches)
    }

    fn most_rays(&self) -> u64 {
        self.inner.most_rays()
    }
}

impl Constrained<'_> {
    fn limits(&self, starts: &[Start], ways: usize) -> Result<Vec<Limit>> {
        let batches = self.inner.follow(starts, 1, true)?;
        let rays: Vec<(Outcome, &[Point])> = batches.iter().flat_map(lines).collect();
        let together = if self.alone { 1 } else { ways };
        let judge = |passage: &mut Passage, (rays, starts): (&[(Outcome, &[Point])], &[Start])| {
            self.judge(passage, rays, starts)
        };
        let limits = rays.par_chunks(together).zip(starts.par_chunks(together));
        let limits: Vec<Vec<Limit>> = limits.map_init(Passage::default, judge).collect();
        Ok(limits.concat())
    }

    /// The ways of a direction, or one of them.
    fn judge(&self, passage: &mut Passage, rays: &[(Outcome, &[Point])], starts: &[Start]) -> Vec<Limit> {
        passage.begin(self.lattices);
        let trips: Vec<Trip> =
            rays.iter().map(|(_, line)| Trip::along(passage, self.lattices, line.iter())).collect();
        let judged = passage.judge(self.lattices);
        let rejection = match judged {
            Ok(_) | Err(Rejection::TooShort) => 0,
            Err(Rejection::Avoided) => AVOIDED,
            Err(_) => PASSED_NO_WAYPOINTS,
        };
        let kept = judged.unwrap_or([false; 2]);
        let limit = |(n, ((outcome, line), start)): (usize, (&(Outcome, &[Point]), &Start))| {
            let trip = trips[n];
            let why = match trip.end {
                Some(Termination::Stop) => STOPPED,
                Some(Termination::Exit) => EXITED,
                Some(_) => ENDED_BY_AVOIDING,
                None => 0,
            };
            let steps = match trip.end {
                _ if line.is_empty() => start.steps,
                _ if !kept[n] => 0,
                Some(_) => narrow::<u32>(trip.points) - 1,
                None => start.steps,
            };
            Limit { steps, ending: outcome.ending | why | if line.is_empty() { 0 } else { rejection } }
        };
        rays.iter().zip(starts).enumerate().map(limit).collect()
    }
}

/// What each ray of a batch came to, and its points; none of a ray that never left its seed.
fn lines(batch: &Batch) -> impl Iterator<Item = (Outcome, &[Point])> {
    let mut streamlines = StreamlineBatch::new(&batch.offsets, &batch.positions).iter();
    batch.outcomes.iter().map(move |&outcome| {
        let line = if points_of(&[outcome]) > 0 { streamlines.next() } else { None };
        (outcome, line.unwrap_or_default())
    })
}

//! Rays in blocks, and what becomes of the blocks.

use super::cuda::{self, OnGpus};
use super::options::Settings;
use super::packet::{Course, Followed, Goals, follow};
use super::prepared::Prepared;
use super::rays::{Batch, Follow, RayTimes, RayTiming, measures_of, points_of, steps_of};
use super::starts::{Start, Starts};
use super::tracks::Tracks;
use arcuate_compute::numbers::Real;
use arcuate_core::Result;
use rayon::prelude::*;
use std::ops::Range;
use std::panic::resume_unwind;
use std::time::Instant;

impl Default for RayTiming {
    fn default() -> Self {
        Self {
            connectivity: false,
            repeats: 5,
            block_threads: cuda::THREADS,
            steps_between_sorts: cuda::STEPS,
        }
    }
}

/// Rays that a thread follows at a time: enough that lanes which run out of rays before the others are few.
const CHUNK: usize = 128;

/// The processor.
pub(super) struct Processor<'a, T: Real> {
    pub(super) field: &'a Prepared<'a, T>,
    pub(super) settings: &'a Settings,
    pub(super) goals: &'a Goals,
    pub(super) connectivity: bool,
}

impl<T: Real> Processor<'_, T> {
    pub(super) fn time(&self, starts: &[Start], repeats: usize) -> Result<RayTimes> {
        let mut times = RayTimes { seconds: Vec::new(), steps: 0 };
        for _ in 0..repeats {
            let begun = Instant::now();
            let batches = self.follow(starts, 1, true)?;
            times.seconds.push(begun.elapsed().as_secs_f64());
            times.steps = steps_of(batches.iter().flat_map(|batch| &batch.outcomes));
        }
        Ok(times)
    }
}

impl<T: Real> Follow for Processor<'_, T> {
    fn follow(&self, starts: &[Start], ways: usize, points: bool) -> Result<Vec<Batch>> {
        let Self { field, settings, goals, connectivity } = *self;
        let (nodes, frame) = (field.nodes(), &field.plan.frame);
        let course = Course { nodes, frame, settings, goals, points, connectivity };
        let chunk = |tracks: &mut Tracks, starts: &[Start]| {
            let Followed { outcomes, hits } = follow(&course, starts, tracks);
            let mut batch = Batch { offsets: vec![0], hits, ..Batch::default() };
            if points {
                let all: u64 = outcomes.chunks(ways).map(points_of).sum();
                batch.positions.reserve_exact(all as usize);
                batch.connectivity.reserve_exact(if connectivity { all as usize } else { 0 });
                for (n, rays) in outcomes.chunks(ways).enumerate().filter(|(_, rays)| points_of(rays) > 0) {
                    let first = n * ways;
                    if let Some(back) = rays.get(1) {
                        batch.positions.extend(tracks.points(first + 1, back)[1..].iter().rev());
                        let measures = tracks.connectivity(first + 1, back);
                        batch.connectivity.extend(measures.iter().skip(1).rev());
                    }
                    batch.positions.extend_from_slice(tracks.points(first, &rays[0]));
                    batch.connectivity.extend_from_slice(tracks.connectivity(first, &rays[0]));
                    batch.offsets.push(batch.positions.len() as u64);
                    batch.measures.push(measures_of(rays));
                }
            }
            batch.outcomes = outcomes;
            batch
        };
        Ok(starts.par_chunks(CHUNK).map_init(Tracks::default, chunk).collect())
    }

    fn most_rays(&self) -> u64 {
        1 << 15
    }
}

/// GPUs, and the processor for what they fail at, which follows the same rays to the bit.
pub(super) struct WithFallback<'a, T: Real> {
    pub(super) gpus: OnGpus<'a, T>,
    pub(super) processor: Processor<'a, T>,
}

impl<T: Real> Follow for WithFallback<'_, T> {
    fn follow(&self, starts: &[Start], ways: usize, points: bool) -> Result<Vec<Batch>> {
        let field = self.processor.field;
        if !field.machines().is_empty() {
            match self.gpus.follow(starts, ways, points) {
                Err(error) => field.fall_back(error)?,
                done => return done,
            }
        }
        self.processor.follow(starts, ways, points)
    }

    fn most_rays(&self) -> u64 {
        self.gpus.most_rays()
    }
}

/// Points that a block is expected to have: 200 MB at 12 bytes.
const BLOCK_POINTS: f64 = (1 << 24) as f64;
/// Follows all rays and hands each block, in order, to `take`, with the number of its first ray; the next block is followed
/// meanwhile. The cut into blocks changes no ray.
pub(super) fn in_blocks(
    starts: &Starts,
    follower: &dyn Follow,
    settings: &Settings,
    points: bool,
    mut take: impl FnMut(u64, Vec<Batch>) -> Result<()>,
) -> Result<()> {
    let fitting = (BLOCK_POINTS / settings.expected_steps) as u64;
    let most = follower.most_rays();
    let block = if points { fitting.clamp(CHUNK as u64, most) } else { most };
    // Whole seeds' directions: both ways of one belong together, and ways are a power of two.
    let block = block.next_multiple_of(CHUNK as u64);
    let range = |begin: u64| begin..starts.count().min(begin + block);
    let follow = |range: Range<u64>| -> Result<Vec<Batch>> {
        let block: Vec<Start> = range.into_par_iter().map(|ray| starts.start(ray)).collect();
        follower.follow(&block, starts.ways(), points)
    };
    let mut begin = 0;
    let mut ready = follow(range(begin))?;
    while !ready.is_empty() {
        let next = range(begin + block);
        // In a thread of its own, not one of the pool: who waits for GPUs must not keep the pool from the copies they wait for.
        let listener = tracing::dispatcher::get_default(Clone::clone);
        let follow_next = || follow(next.clone());
        let in_thread = || tracing::dispatcher::with_default(&listener, follow_next);
        let (taken, following) = std::thread::scope(|scope| {
            let thread =
                (!next.is_empty()).then(|| std::thread::Builder::new().spawn_scoped(scope, in_thread));
            let taken = take(begin, ready);
            let following = match thread {
                Some(Ok(thread)) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // Where a thread cannot be had, the one follows the other.
                Some(Err(_)) => follow_next(),
                None => Ok(Vec::new()),
            };
            (taken, following)
        });
        taken?;
        ready = following?;
        begin += block;
    }
    Ok(())
}

//! Follows geodesic rays in blocks and passes on the results.

use super::constrained::Constrained;
use super::cuda::{self, OnGpus};
use super::options::{LengthLimits, Settings};
use super::outcome::{line_of, measures_of, points_of, steps_of};
use super::packet::{Followed, Goals, SharedRunData, follow};
use super::prepared::Prepared;
use super::rays::{Batch, FollowRays, RayData, RayTimes, RayTiming};
use super::starts::{Start, Starts};
use super::tracks::Tracks;
use crate::EnergyDrift;
use crate::constraints::RegionGrids;
use crate::driver::{self, Follow, RangeConsumer, double_buffered};
use arcuate_core::{Control, Result};
use arcuate_numbers::Real;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
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

/// Number of rays that a thread follows at a time. With many rays, SIMD lanes are seldom idle at the end.
const CHUNK: usize = 128;

/// Follows rays on the CPU.
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
            let started = Instant::now();
            let batches = self.follow(starts, 1, true)?;
            times.seconds.push(started.elapsed().as_secs_f64());
            times.steps = steps_of(batches.iter().flat_map(|batch| &batch.outcomes));
        }
        Ok(times)
    }
}

impl<T: Real> FollowRays for Processor<'_, T> {
    fn follow(&self, starts: &[Start], sides: usize, points: bool) -> Result<Vec<Batch>> {
        let Self { field, settings, goals, connectivity } = *self;
        let (nodes, frame) = (field.nodes(), &field.plan.frame);
        let course = SharedRunData { nodes, frame, settings, goals, points, connectivity };
        let chunk = |tracks: &mut Tracks, starts: &[Start]| {
            let Followed { outcomes, hits } = follow(&course, starts, tracks);
            let mut batch = Batch { offsets: vec![0], hits, ..Batch::default() };
            if points {
                let all: u64 = outcomes.chunks(sides).map(points_of).sum();
                batch.positions.reserve_exact(all as usize);
                batch.connectivity.reserve_exact(if connectivity { all as usize } else { 0 });
                for (n, rays) in outcomes.chunks(sides).enumerate().filter(|(_, rays)| points_of(rays) > 0) {
                    let first = n * sides;
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

    fn max_rays(&self) -> u64 {
        1 << 15
    }
}

/// Follows rays on GPUs. If they fail, the CPU follows the same rays with bit-identical results.
pub(super) struct WithFallback<'a, T: Real> {
    pub(super) gpus: OnGpus<'a, T>,
    pub(super) processor: Processor<'a, T>,
}

impl<T: Real> FollowRays for WithFallback<'_, T> {
    fn follow(&self, starts: &[Start], sides: usize, points: bool) -> Result<Vec<Batch>> {
        let field = self.processor.field;
        if !field.machines().is_empty() {
            match self.gpus.follow(starts, sides, points) {
                Err(error) => field.fall_back(error)?,
                done => return done,
            }
        }
        self.processor.follow(starts, sides, points)
    }

    fn max_rays(&self) -> u64 {
        self.gpus.max_rays()
    }
}

/// Expected number of streamline points in a block: 200 MB at 12 bytes per point.
const BLOCK_POINTS: f64 = (1 << 24) as f64;

/// All rays of a run, and the device that follows them.
pub(super) struct Rays<'a> {
    pub(super) starts: &'a Starts<'a>,
    pub(super) follower: &'a dyn FollowRays,
    pub(super) settings: &'a Settings,
    /// Regions for points in RAS mm, if there are any.
    pub(super) regions: Option<&'a RegionGrids>,
    /// Limits of the length of a streamline. `None` if each ray is a streamline of its own.
    pub(super) lengths: Option<LengthLimits>,
    /// True if the limits apply to each ray alone. False if they apply to the streamline of the two rays in
    /// opposite directions from a seed.
    pub(super) alone: bool,
    /// Drift of the energy along the rays that form streamlines.
    pub(super) drift: Mutex<EnergyDrift>,
}

impl Rays<'_> {
    fn follow(&self, rays: Range<u64>, points: bool) -> Result<Vec<Batch>> {
        let block: Vec<Start> = rays.into_par_iter().map(|ray| self.starts.start(ray)).collect();
        let (inner, sides) = (self.follower, self.starts.sides());
        let Self { regions, lengths, alone, .. } = *self;
        Constrained { inner, regions, lengths, alone }.follow(&block, sides, points)
    }

    /// Follows all rays without storing their points. `take` receives each block in order, with the number of
    /// its first ray, while the next block is followed. The size of the blocks does not affect the rays.
    pub(super) fn in_blocks(
        &self,
        control: &Control,
        take: impl FnMut(u64, &[Batch]) -> Result<()>,
    ) -> Result<()> {
        let mut blocks =
            Blocks { next: 0, count: self.starts.count(), maximum: self.follower.max_rays(), take };
        double_buffered(&mut blocks, control, &|rays| self.follow(rays, false))
    }
}

/// The two rays that start in opposite directions form one streamline and are one attempt.
impl Follow for Rays<'_> {
    fn follow(&self, attempts: Range<u64>, points: bool) -> Result<Vec<driver::Batch>> {
        let sides = self.starts.sides();
        let rays = attempts.start * sides as u64..attempts.end * sides as u64;
        let mut first = attempts.start;
        let as_lines = |batch: Batch| {
            let outcomes: Vec<_> = batch.outcomes.chunks(sides).map(line_of).collect();
            let mut drift = self.drift.lock().unwrap_or_else(PoisonError::into_inner);
            batch.outcomes.iter().for_each(|outcome| outcome.add_to(&mut drift));
            let RayData { per_point, per_streamline } = RayData::new(batch.connectivity, &batch.measures)?;
            let Batch { offsets, positions, targets, .. } = batch;
            let batch =
                driver::Batch { first, outcomes, offsets, positions, targets, per_point, per_streamline };
            first += batch.outcomes.len() as u64;
            Ok(batch)
        };
        Rays::follow(self, rays, points)?.into_iter().map(as_lines).collect()
    }

    fn target_bits(&self) -> (&[usize], usize) {
        self.regions.map_or((&[], 0), RegionGrids::target_bits)
    }

    fn maximum(&self) -> u64 {
        let fitting = (BLOCK_POINTS / self.settings.expected_steps) as u64;
        // The number of rays is rounded up to a multiple of the number that a thread follows at a time.
        let rays = fitting.clamp(CHUNK as u64, self.follower.max_rays()).next_multiple_of(CHUNK as u64);
        rays / self.starts.sides() as u64
    }
}

/// Divides the rays of a run into blocks, and passes the finished blocks on.
struct Blocks<F> {
    next: u64,
    count: u64,
    maximum: u64,
    take: F,
}

impl<F: FnMut(u64, &[Batch]) -> Result<()>> RangeConsumer for Blocks<F> {
    type Block = Vec<Batch>;

    fn next(&mut self, _: u64) -> Range<u64> {
        let begin = self.next;
        // A block contains all rays of each of its directions, because the number of rays per direction is a
        // power of two.
        self.next = self.count.min(begin + self.maximum.next_multiple_of(CHUNK as u64));
        begin..self.next
    }

    fn take(&mut self, rays: Range<u64>, block: Vec<Batch>) -> Result<bool> {
        (self.take)(rays.start, &block).map(|()| false)
    }
}

//! The run: seeds in blocks over the threads, streamlines out in the order of their seeds.

mod cpu;
mod fact;
mod principal;
mod steps;
mod tracker;

use crate::field::TensorField;
use crate::options::{Settings, TrackOptions, warn_of_long_step};
use crate::seeds::{SeedPlan, Seeds};
use crate::summary::TrackSummary;
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Result, StreamlineBatch, StreamlineSink, Volume};
use rayon::prelude::*;
use std::ops::Range;
use tracker::{Batch, Seed, Tracker};

/// Follows streamlines through a field of diffusion tensors, each from its seed, and hands them to `sink` in batches,
/// in the order of their seeds.
///
/// `tensor` has six channels, D11 D22 D33 D12 D13 D23 in scanner axes, in any unit; a voxel with a value that is not a
/// number stops the streamlines that need it. Its affine may be oblique, flipped and anisotropic. Points go out in RAS
/// mm.
///
/// The result depends on the tensors, the seeds and the options alone, bit for bit, not on the number of threads:
/// random seeds and first directions come from [`Purpose::Seeding`] with the number of the seed. At most two blocks of
/// streamlines are held at a time.
///
/// `progress` is told, after each batch, how much is done and of how much: accepted streamlines with
/// [`TrackOptions::select`], tried seeds without.
///
/// Fails on options that make no sense, on masks without a voxel or on another grid, on tensors of another number of
/// channels, and where the sink does.
pub fn track_tensor(
    tensor: &Volume<f32>,
    seeds: &Seeds,
    options: &TrackOptions,
    device: &Device,
    sink: &mut dyn StreamlineSink,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<TrackSummary> {
    device.computes_on_the_cpu("tensor tracking");
    let settings = options.settings(tensor.grid())?;
    if let Some(step) = options.step_mm {
        warn_of_long_step(step, tensor.grid());
    }
    let plan = SeedPlan::new(seeds)?;
    let field = TensorField::new(tensor, options.mask.as_ref())?;
    let run = Run { plan, seed: options.seed, tracker: Tracker { field: &field, settings } };
    let mut emission = Emission {
        sink,
        progress,
        wanted: options.select,
        seeds: run.plan.count(),
        summary: TrackSummary::default(),
    };

    let mut blocks = Blocks::new(&settings, run.plan.count());
    let mut ready = run.block(blocks.next(&emission.summary, options.select));
    // One block is tracked by the threads while this one hands over the block before.
    while !ready.is_empty() {
        let range = blocks.next(&emission.summary, options.select);
        let mut following = Vec::new();
        let mut done = Ok(false);
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| following = run.block(range));
            done = emission.hand_over(&ready);
        });
        if done? {
            break;
        }
        ready = following;
    }
    let summary = emission.summary;
    if let Some(wanted) = options.select.filter(|&wanted| summary.streamlines < wanted) {
        tracing::warn!(
            "all {} seeds gave {} of {wanted} streamlines; more seeds, a lower cutoff or a shorter minimum length \
             would give more",
            summary.seeds,
            summary.streamlines
        );
    }
    Ok(summary)
}

/// Seeds that a thread follows at a time, and streamlines (at most) that the sink gets at a time. Enough that the lanes
/// which run out of seeds before the last streamline of a chunk ends are few.
const CHUNK: u64 = 512;

/// Points of the longest possible streamlines in a block: 192 MB at 12 bytes; usual ones are several times shorter.
const BLOCK_POINTS: f64 = (1 << 24) as f64;

/// What does not change during a run.
struct Run<'a> {
    plan: SeedPlan<'a>,
    seed: u64,
    tracker: Tracker<'a>,
}

impl Run<'_> {
    fn block(&self, seeds: Range<u64>) -> Vec<Batch> {
        let chunks = (seeds.end - seeds.start).div_ceil(CHUNK);
        let chunk = |n: u64| {
            let begin = seeds.start + n * CHUNK;
            self.chunk(begin..seeds.end.min(begin + CHUNK))
        };
        (0..chunks).into_par_iter().map(chunk).collect()
    }

    fn chunk(&self, numbers: Range<u64>) -> Batch {
        let seed = |number| {
            let mut random = Random::new(self.seed, Purpose::Seeding, number);
            let position = self.plan.position(number, &mut random);
            Seed { position, hemisphere: random.on_sphere() }
        };
        let seeds: Vec<Seed> = numbers.map(seed).collect();
        self.tracker.track(&seeds)
    }
}

/// How many seeds to follow at a time. The cut into blocks changes what is thrown away at the end of a run that stops
/// at a number of streamlines, never the streamlines.
struct Blocks {
    next: u64,
    seeds: u64,
    largest: u64,
}

impl Blocks {
    fn new(settings: &Settings, seeds: u64) -> Self {
        let threads = rayon::current_num_threads() as u64;
        let fitting = (BLOCK_POINTS / (settings.max_length / settings.step + 1.0)) as u64;
        // Enough chunks to even out their lengths over the threads, as far as they fit.
        let largest = (16 * threads * CHUNK).min(fitting.max(1));
        Self { next: 0, seeds, largest }
    }

    fn next(&mut self, so_far: &TrackSummary, wanted: Option<u64>) -> Range<u64> {
        let mut size = self.largest.min(self.seeds - self.next);
        if let Some(wanted) = wanted {
            // As many as are still missing at the rate seen so far, and a few more; streamlines under way are counted
            // at that rate too.
            let rate = (so_far.streamlines as f64 + 1.0) / (so_far.seeds as f64 + 1.0);
            let under_way = (self.next - so_far.seeds) as f64 * rate;
            let missing = ((wanted - so_far.streamlines) as f64 - under_way).max(0.0);
            size = size.min((1.05 * missing / rate) as u64 + CHUNK);
        }
        let begin = self.next;
        self.next += size;
        begin..self.next
    }
}

/// Hands batches over, in order, and counts.
struct Emission<'a> {
    sink: &'a mut dyn StreamlineSink,
    progress: &'a (dyn Fn(u64, u64) + Sync),
    wanted: Option<u64>,
    seeds: u64,
    summary: TrackSummary,
}

impl Emission<'_> {
    /// Whether the wanted number of streamlines is reached: what comes later does not count.
    fn hand_over(&mut self, block: &[Batch]) -> Result<bool> {
        for batch in block {
            let before = self.summary.streamlines;
            for outcome in &batch.outcomes {
                self.summary.add(outcome);
                if Some(self.summary.streamlines) == self.wanted {
                    break;
                }
            }
            let accepted = (self.summary.streamlines - before) as usize;
            if accepted > 0 {
                let offsets = &batch.offsets[..=accepted];
                let positions = &batch.positions[..batch.offsets[accepted] as usize];
                self.sink.take(StreamlineBatch::new(offsets, positions))?;
            }
            match self.wanted {
                Some(wanted) => (self.progress)(self.summary.streamlines, wanted),
                None => (self.progress)(self.summary.seeds, self.seeds),
            }
            if Some(self.summary.streamlines) == self.wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

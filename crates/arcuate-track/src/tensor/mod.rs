//! Deterministic tracking through tensors: what follows the seeds of a block, over the threads.

mod cpu;
mod fact;
mod journey;
mod principal;
mod steps;
mod tracker;

use crate::constraints::{Constraints, Lattices, Reach, in_mm};
use crate::driver::{Batch, CHUNK, Follow, chunks};
use crate::field::TensorField;
use crate::options::{TrackOptions, warn_of_lengths};
use crate::outputs::{Delivery, SampleOutputs, SampleTracks, Tracker as _};
use crate::seeds::{SeedPlan, Seeds};
use crate::summary::TrackSummary;
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Control, Grid, Mask, Result, StreamlineSink, Volume};
use rayon::prelude::*;
use std::ops::Range;
use tracker::{Seed, Tracker};

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
/// `control` is told, after each batch, how much is done and of how much: accepted streamlines with
/// [`TrackOptions::select`], tried seeds without. Once it is cancelled the sink gets nothing more.
///
/// Fails on options that make no sense, on masks without a voxel or on another grid, on tensors of another number of
/// channels, where the sink does, and where `control` ends it.
pub fn track_tensor(
    tensor: &Volume<f32>,
    seeds: &Seeds,
    options: &TrackOptions,
    device: &Device,
    sink: &mut dyn StreamlineSink,
    control: &Control,
) -> Result<TrackSummary> {
    device.computes_on_the_cpu("tensor tracking");
    let outputs = SampleOutputs { sink: Some(sink), ..SampleOutputs::default() };
    let tracker = TensorTracker { tensor, options };
    Ok(tracker.track(seeds, &options.constraints, outputs, control)?.summary)
}

/// Tensors with the options of runs through them, on the processor. The constraints of the options are replaced by those of a run.
pub struct TensorTracker<'a> {
    tensor: &'a Volume<f32>,
    options: &'a TrackOptions,
}

impl<'a> TensorTracker<'a> {
    /// Follows the tensors of an image, in the order and axes of [`track_tensor`].
    pub fn new(tensor: &'a Volume<f32>, options: &'a TrackOptions) -> Self {
        Self { tensor, options }
    }
}

impl crate::outputs::Tracker for TensorTracker<'_> {
    fn count(&self, seeds: &Seeds) -> Result<u64> {
        Ok(SeedPlan::new(seeds, self.tensor.grid())?.count())
    }

    fn track(
        &self,
        seeds: &Seeds,
        constraints: &Constraints,
        outputs: SampleOutputs<'_>,
        control: &Control,
    ) -> Result<SampleTracks> {
        let Self { tensor, options } = *self;
        let settings = options.settings(tensor.grid())?;
        let TrackOptions { step_mm, min_length_mm, max_length_mm, seed, select, .. } = *options;
        warn_of_lengths(step_mm, min_length_mm.unwrap_or(0.0), max_length_mm, tensor.grid(), control);
        let plan = SeedPlan::new(seeds, tensor.grid())?;
        let field = TensorField::new(tensor, options.mask.as_ref())?;
        let lattices = placed(constraints, options.mask.as_ref(), tensor.grid(), settings.step)?;
        let tracker = Tracker { field: &field, settings, lattices: lattices.as_ref() };
        let follower = Follower { plan, seed, tracker };
        let plan = &follower.plan;
        let delivery = Delivery {
            follower: &follower,
            all: plan.count(),
            select,
            advice: "more seeds, a lower cutoff or a shorter minimum length",
            seeds: plan.seeds(),
            seed_of: &|number| plan.seed_of(number, &mut Random::new(seed, Purpose::Seeding, number)),
            followed_by: "the processor".to_owned(),
            control,
        };
        delivery.deliver(outputs)
    }
}

/// The regions as points in RAS mm see them, where there are any; fails where streamlines cannot pass those that they must.
fn placed(
    constraints: &Constraints,
    mask: Option<&Mask>,
    grid: &Grid,
    step_mm: f64,
) -> Result<Option<Lattices>> {
    if constraints.is_empty() {
        return Ok(None);
    }
    let lattices = in_mm(constraints)?;
    let holds = |voxel: usize| mask.is_none_or(|mask| mask.contains(voxel));
    if let Some(anatomy) = &lattices.anatomy {
        let held = (0..grid.len()).filter(|&voxel| mask.is_some() && holds(voxel));
        anatomy.check(held.map(|voxel| grid.centre(voxel).map(|c| c as f32)))?;
    }
    Reach::in_mm(grid, step_mm, &holds, |reach| reach.check(constraints, &lattices))?;
    Ok(Some(lattices))
}

/// Points of the longest possible streamlines in a block: 192 MB at 12 bytes; usual ones are several times shorter.
const BLOCK_POINTS: f64 = (1 << 24) as f64;

/// What follows seeds.
struct Follower<'a> {
    plan: SeedPlan<'a>,
    seed: u64,
    tracker: Tracker<'a>,
}

impl Follow for Follower<'_> {
    fn follow(&self, seeds: Range<u64>, _: bool) -> Result<Vec<Batch>> {
        Ok(chunks(seeds, CHUNK).map(|seeds| self.chunk(seeds)).collect())
    }

    fn most(&self) -> u64 {
        let threads = rayon::current_num_threads() as u64;
        let settings = &self.tracker.settings;
        let fitting = (BLOCK_POINTS / (settings.max_length / settings.step + 1.0)) as u64;
        // Enough chunks to even out their lengths over the threads, as far as they fit.
        (16 * threads * CHUNK).min(fitting.max(1))
    }

    fn target_bits(&self) -> (&[usize], usize) {
        self.tracker.lattices.map_or((&[], 0), Lattices::target_bits)
    }
}

impl Follower<'_> {
    fn chunk(&self, numbers: Range<u64>) -> Batch {
        let seed = |number| {
            let mut random = Random::new(self.seed, Purpose::Seeding, number);
            // One that is nowhere lies outside.
            let position = self.plan.position(number, &mut random).unwrap_or([f64::NAN; 3]);
            Seed { position, hemisphere: random.on_sphere() }
        };
        let first = numbers.start;
        let seeds: Vec<Seed> = numbers.map(seed).collect();
        Batch { first, ..self.tracker.track(&seeds) }
    }
}

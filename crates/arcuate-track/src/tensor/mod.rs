//! Deterministic tracking through diffusion tensors.

mod both_halves;
mod cpu;
mod fact;
mod principal;
mod steps;
mod tracker;

use crate::constraints::{Constraints, ReachableSpace, RegionGrids, in_mm};
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

/// Tracks streamlines through a field of diffusion tensors, one per seed.
///
/// `tensor` is an image with six channels, D11 D22 D33 D12 D13 D23 in scanner axes, in any unit. Streamlines
/// stop where they need a voxel with NaN. The affine of the image can be oblique, flipped and anisotropic.
/// The streamlines go to `sink` in batches, in the order of their seeds, in RAS mm.
///
/// The result depends only on the tensors, the seeds and the options. It is bit-identical for any number of
/// threads, because random seeds and first directions depend only on [`Purpose::Seeding`] and the number of
/// the seed. At most two blocks of streamlines are in memory.
///
/// `control` receives the progress after each batch. If [`TrackOptions::select`] is set, the progress is the
/// number of accepted streamlines. If not, it is the number of seeds. After cancellation, `sink` gets no more
/// streamlines.
///
/// # Errors
/// Returns an error if options are invalid, if a mask is empty or on another grid, or if the image does not have
/// six channels. Also returns an error if the sink fails or if `control` cancels the run.
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

/// Tracks streamlines through a tensor image with one set of options, on the CPU. The constraints in the
/// options are ignored, because each run has its own constraints.
pub struct TensorTracker<'a> {
    tensor: &'a Volume<f32>,
    options: &'a TrackOptions,
}

impl<'a> TensorTracker<'a> {
    /// Creates a tracker for a tensor image, which has the channels and axes that [`track_tensor`] describes.
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
        let region_grids = placed(constraints, options.mask.as_ref(), tensor.grid(), settings.step)?;
        let tracker = Tracker { field: &field, settings, region_grids: region_grids.as_ref() };
        let follower = Follower { plan, seed, tracker };
        let plan = &follower.plan;
        let delivery = Delivery {
            follower: &follower,
            all: plan.count(),
            attempts_per_seed: 1,
            select,
            advice: "more seeds, a lower cutoff or a shorter minimum length",
            seeds: plan.seeds(),
            seed_of: &|number| plan.seed_of(number, &mut Random::new(seed, Purpose::Seeding, number)),
            device_name: "the processor".to_owned(),
            control,
        };
        delivery.deliver(outputs)
    }
}

/// Prepares the regions for points in RAS mm; `None` if there are no regions. Returns an error if streamlines
/// cannot pass the waypoints.
fn placed(
    constraints: &Constraints,
    mask: Option<&Mask>,
    grid: &Grid,
    step_mm: f64,
) -> Result<Option<RegionGrids>> {
    if constraints.is_empty() {
        return Ok(None);
    }
    let region_grids = in_mm(constraints)?;
    let holds = |voxel: usize| mask.is_none_or(|mask| mask.contains(voxel));
    if let Some(anatomy) = &region_grids.anatomy {
        let held = (0..grid.len()).filter(|&voxel| mask.is_some() && holds(voxel));
        anatomy.check(held.map(|voxel| grid.centre(voxel).map(|c| c as f32)))?;
    }
    ReachableSpace::in_mm(grid, step_mm, &holds, |reach| reach.check(constraints, &region_grids))?;
    Ok(Some(region_grids))
}

/// Maximum number of points in a block of streamlines if all have the maximum length: 192 MB at 12 bytes per
/// point. Usual streamlines are several times shorter.
const BLOCK_POINTS: f64 = (1 << 24) as f64;

/// Tracks ranges of seeds.
struct Follower<'a> {
    plan: SeedPlan<'a>,
    seed: u64,
    tracker: Tracker<'a>,
}

impl Follow for Follower<'_> {
    fn follow(&self, seeds: Range<u64>, _: bool) -> Result<Vec<Batch>> {
        Ok(chunks(seeds, CHUNK).map(|seeds| self.chunk(seeds)).collect())
    }

    fn maximum(&self) -> u64 {
        let threads = rayon::current_num_threads() as u64;
        let settings = &self.tracker.settings;
        let fitting = (BLOCK_POINTS / (settings.max_length / settings.step + 1.0)) as u64;
        // A block of streamlines has enough chunks to balance the load of the threads. The memory limits the
        // number of chunks.
        (16 * threads * CHUNK).min(fitting.max(1))
    }

    fn target_bits(&self) -> (&[usize], usize) {
        self.tracker.region_grids.map_or((&[], 0), RegionGrids::target_bits)
    }
}

impl Follower<'_> {
    fn chunk(&self, numbers: Range<u64>) -> Batch {
        let seed = |number| {
            let mut random = Random::new(self.seed, Purpose::Seeding, number);
            // A seed whose position cannot be computed counts as outside the image.
            let position = self.plan.position(number, &mut random).unwrap_or([f64::NAN; 3]);
            Seed { position, hemisphere: random.on_sphere() }
        };
        let first = numbers.start;
        let seeds: Vec<Seed> = numbers.map(seed).collect();
        Batch { first, ..self.tracker.track(&seeds) }
    }
}

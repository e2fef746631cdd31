//! Streamlines through fibre orientation distributions.

mod below_zero;
mod candidates;
mod constants;
mod course;
mod cuda;
mod engine;
mod fields;
mod harmonics;
mod image;
mod kernels;
mod options;
pub(crate) mod shared;

pub use below_zero::BelowZero;
pub use image::FodImage;
pub use options::{FodMethod, FodOptions};

use crate::constraints::Constraints;
use crate::direction_field::DirectionField;
use crate::outputs::{SampleOutputs, SampleTracks, Tracker};
use crate::samples::followed::Followed;
use crate::seeds::{SeedPlan, Seeds};
use crate::summary::TrackSummary;
use crate::walk::{InOrder, WalkOptions, WalkRule, deliver, with_walk};
use arcuate_compute::Device;
use arcuate_core::{Control, Result, StreamlineSink};
use engine::{Engine, PROCESSOR};
use fields::{Arcs, Distributions, Peaks, Steps};

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct FodTracks {
    /// What became of the streamlines.
    pub summary: TrackSummary,
    /// What followed them, in words.
    pub followed_by: String,
}

/// Follows streamlines through fibre orientation distributions, each in both directions from its seed, and hands them to `sink`
/// in batches, in the order of their seeds, in RAS mm.
///
/// GPUs follow arcs where there are no regions, from points and from voxels that are evenly drawn; all else is the
/// processor's, and [`FodTracks::followed_by`] says so.
///
/// The result depends on the image, the seeds, the regions and the options alone, bit for bit: not on the number of threads, nor on the
/// device.
/// `control` is told how much is done and of how much: accepted streamlines with [`FodOptions::select`], tried seeds without.
///
/// Fails on options that make no sense, on empty regions, on conditions that nothing can meet, on seeds none of which has a
/// distribution, where the sink does, and where `control` ends it.
pub fn track_fod(
    image: &FodImage,
    seeds: &Seeds,
    constraints: &Constraints,
    options: &FodOptions,
    device: &Device,
    sink: &mut dyn StreamlineSink,
    control: &Control,
) -> Result<FodTracks> {
    let outputs = SampleOutputs { sink: Some(sink), ..SampleOutputs::default() };
    let tracks = FodTracker { image, options, device }.track(seeds, constraints, outputs, control)?;
    Ok(FodTracks { summary: tracks.summary, followed_by: tracks.followed_by })
}

/// Distributions with the options of runs through them.
pub struct FodTracker<'a> {
    image: &'a FodImage,
    options: &'a FodOptions,
    device: &'a Device,
}

impl<'a> FodTracker<'a> {
    /// Follows the distributions of an image on a device.
    pub fn new(image: &'a FodImage, options: &'a FodOptions, device: &'a Device) -> Self {
        Self { image, options, device }
    }
}

impl Tracker for FodTracker<'_> {
    fn count(&self, seeds: &Seeds) -> Result<u64> {
        Ok(SeedPlan::new(seeds, self.image.grid())?.count())
    }

    fn track(
        &self,
        seeds: &Seeds,
        constraints: &Constraints,
        outputs: SampleOutputs<'_>,
        control: &Control,
    ) -> Result<SampleTracks> {
        let Self { image, options, device } = *self;
        let walk = options.walk(image.grid())?;
        let select = walk.select;
        let angle = options.max_angle().to_radians();
        let single = |table: [[f64; 3]; candidates::CANDIDATES]| table.map(|d| d.map(|c| c as f32));
        let of = Distributions {
            image,
            cutoff: options.min_amplitude as f32,
            begin: options.seed_amplitude.unwrap_or(options.min_amplitude) as f32,
            everywhere: candidates::cone(0.0).into_iter().map(single).collect(),
        };
        match options.method {
            FodMethod::Arcs => {
                let rows = image.grid().inverse().rows();
                let to_voxels = std::array::from_fn(|n| (rows[n / 3][n % 3] * walk.step_mm) as f32);
                let (tables, arch) = (candidates::arcs(angle.cos()), pulp::Arch::new());
                let field = Arcs { of, tables, to_voxels, arch };
                let walk = WalkOptions { rule: WalkRule::Arc, ..walk };
                with_walk(&field, seeds, constraints, &walk, control, |walk| {
                    let engine = Engine::new(walk, options.seed, device, control)?;
                    deliver(walk, &engine, &engine.followed_by, select, outputs, control)
                })
            }
            FodMethod::Steps => {
                let tables = candidates::cone(angle.cos()).into_iter().map(single).collect();
                on_processor(&Steps { of, tables }, seeds, constraints, &walk, outputs, control)
            }
            FodMethod::Peaks => {
                let walk = WalkOptions { min_cosine: angle.cos(), ..walk };
                on_processor(&Peaks { of }, seeds, constraints, &walk, outputs, control)
            }
        }
    }
}

/// Streamlines that the processor alone follows.
fn on_processor<F: DirectionField>(
    field: &F,
    seeds: &Seeds,
    constraints: &Constraints,
    options: &WalkOptions,
    outputs: SampleOutputs<'_>,
    control: &Control,
) -> Result<SampleTracks> {
    with_walk(field, seeds, constraints, options, control, |walk| {
        deliver(walk, &InOrder { walk, control }, PROCESSOR, options.select, outputs, control)
    })
}

#[cfg(test)]
mod tests;

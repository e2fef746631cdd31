//! Tracking through fibre orientation distributions (FODs).

mod below_zero;
mod candidates;
mod constants;
mod cuda;
mod engine;
mod fields;
mod harmonics;
mod hemisphere;
mod image;
mod kernels;
mod options;
mod partial_sums;
mod run_parameters;
pub(crate) mod shared;

pub use below_zero::BelowZero;
pub use image::FodImage;
pub use options::{FodMethod, FodOptions};

use crate::constraints::Constraints;
use crate::direction_field::DirectionField;
use crate::outputs::{SampleOutputs, SampleTracks, Tracker};
use crate::samples::followed::KernelOutcome;
use crate::seeds::{SeedPlan, Seeds};
use crate::summary::TrackSummary;
use crate::walk::{InOrder, WalkOptions, WalkRule, deliver, with_walk};
use arcuate_compute::Device;
use arcuate_core::{Control, Result, StreamlineSink};
use engine::{Engine, PROCESSOR};
use fields::{Arcs, Distributions, Peaks, Steps};

/// Result of tracking through FODs.
#[derive(Debug, Clone, PartialEq)]
pub struct FodTracks {
    /// Counts of accepted, rejected and terminated streamlines.
    pub summary: TrackSummary,
    /// Name of the device that tracked the streamlines.
    pub device_name: String,
}

/// Tracks streamlines through fibre orientation distributions (FODs), in both directions from each seed. The
/// streamlines go to `sink` in batches, in the order of their seeds, in RAS mm.
///
/// GPUs support tracking along arcs without regions, from points or from uniformly drawn voxels. Everything
/// else is tracked on the CPU. [`FodTracks::device_name`] is the name of the device that tracked.
///
/// The result depends only on the image, the seeds, the regions and the options. It is bit-identical for any
/// number of threads and on any device. `control` receives the progress. If [`FodOptions::select`] is set,
/// the progress is the number of accepted streamlines. If not, it is the number of seeds.
///
/// # Errors Returns an error if options are invalid, if a region is empty, or if no streamline can meet the
/// constraints. Also returns an error if no seed is in a voxel with an FOD, if the sink fails, or if
/// `control` cancels the run.
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
    Ok(FodTracks { summary: tracks.summary, device_name: tracks.device_name })
}

/// Tracks streamlines through an FOD image with one set of options.
pub struct FodTracker<'a> {
    image: &'a FodImage,
    options: &'a FodOptions,
    device: &'a Device,
}

impl<'a> FodTracker<'a> {
    /// Creates a tracker for an FOD image on a device.
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
        let of = Distributions {
            image,
            cutoff: options.min_amplitude as f32,
            begin: options.seed_amplitude.unwrap_or(options.min_amplitude) as f32,
            everywhere: candidates::cone(0.0),
            arch: arcuate_numbers::Arch::new(),
        };
        match options.method {
            FodMethod::Arcs => {
                let rows = image.grid().inverse().rows();
                let to_voxels = std::array::from_fn(|n| (rows[n / 3][n % 3] * walk.step_mm) as f32);
                let field = Arcs { of, tables: candidates::arcs(angle.cos()), to_voxels };
                let walk = WalkOptions { rule: WalkRule::Arc, ..walk };
                with_walk(&field, seeds, constraints, &walk, control, |walk| {
                    let engine = Engine::new(walk, options.seed, device, control)?;
                    deliver(walk, &engine, &engine.device_name, select, outputs, control)
                })
            }
            FodMethod::Steps => {
                let tables = candidates::cone(angle.cos());
                on_processor(&Steps { of, tables }, seeds, constraints, &walk, outputs, control)
            }
            FodMethod::Peaks => {
                let walk = WalkOptions { min_cosine: angle.cos(), ..walk };
                on_processor(&Peaks { of }, seeds, constraints, &walk, outputs, control)
            }
        }
    }
}

/// Tracks streamlines on the CPU.
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

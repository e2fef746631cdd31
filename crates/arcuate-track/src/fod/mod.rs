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
use crate::samples::followed::Followed;
use crate::seeds::Seeds;
use crate::summary::TrackSummary;
use crate::walk::{WalkOptions, WalkRule, in_order, track, with_walk};
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
    let walk = options.walk(image.grid())?;
    let angle = options.max_angle().to_radians();
    let single = |table: [[f64; 3]; candidates::CANDIDATES]| table.map(|d| d.map(|c| c as f32));
    let of = Distributions {
        image,
        cutoff: options.min_amplitude as f32,
        begin: options.seed_amplitude.unwrap_or(options.min_amplitude) as f32,
        everywhere: candidates::cone(0.0).into_iter().map(single).collect(),
    };
    let summary = match options.method {
        FodMethod::Arcs => {
            let rows = image.grid().inverse().rows();
            let to_voxels = std::array::from_fn(|n| (rows[n / 3][n % 3] * walk.step_mm) as f32);
            let (tables, arch) = (candidates::arcs(angle.cos()), pulp::Arch::new());
            let field = Arcs { of, tables, to_voxels, arch };
            let walk_options = WalkOptions { rule: WalkRule::Arc, ..walk };
            return with_walk(&field, seeds, constraints, &walk_options, control, |walk| {
                let engine = Engine::new(walk, options.seed, device, control)?;
                let summary = in_order(walk, &engine, &walk_options, sink, control)?;
                Ok(FodTracks { summary, followed_by: engine.followed_by })
            });
        }
        FodMethod::Steps => {
            let tables = candidates::cone(angle.cos()).into_iter().map(single).collect();
            track(&Steps { of, tables }, seeds, constraints, &walk, sink, control)?
        }
        FodMethod::Peaks => {
            let walk = WalkOptions { min_cosine: angle.cos(), ..walk };
            track(&Peaks { of }, seeds, constraints, &walk, sink, control)?
        }
    };
    Ok(FodTracks { summary, followed_by: PROCESSOR.to_owned() })
}

#[cfg(test)]
mod tests;

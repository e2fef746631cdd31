//! Streamlines through fibre orientation distributions.

mod candidates;
mod fields;
mod harmonics;
mod image;
mod options;

pub use image::FodImage;
pub use options::{FodMethod, FodOptions};

use crate::constraints::Constraints;
use crate::seeds::Seeds;
use crate::summary::TrackSummary;
use crate::walk::{WalkRule, track};
use arcuate_core::{Control, Result, StreamlineSink};
use fields::{Arcs, Distributions, Peaks, Steps};

/// Follows streamlines through fibre orientation distributions, each in both directions from its seed, and hands them to `sink`
/// in batches, in the order of their seeds, in RAS mm.
///
/// The result depends on the image, the seeds, the regions and the options alone, bit for bit, not on the number of threads.
/// `control` is told how much is done and of how much: accepted streamlines with [`FodOptions::select`], tried seeds without.
///
/// Fails on options that make no sense, on empty regions, on conditions that nothing can meet, on seeds none of which has a
/// distribution, where the sink does, and where `control` ends it.
pub fn track_fod(
    image: &FodImage,
    seeds: &Seeds,
    constraints: &Constraints,
    options: &FodOptions,
    sink: &mut dyn StreamlineSink,
    control: &Control,
) -> Result<TrackSummary> {
    let walk = options.walk(image.grid())?;
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
            track(
                &field,
                seeds,
                constraints,
                &crate::walk::WalkOptions { rule: WalkRule::Arc, ..walk },
                sink,
                control,
            )
        }
        FodMethod::Steps => {
            let tables = candidates::cone(angle.cos()).into_iter().map(single).collect();
            track(&Steps { of, tables }, seeds, constraints, &walk, sink, control)
        }
        FodMethod::Peaks => {
            let walk = crate::walk::WalkOptions { min_cosine: angle.cos(), ..walk };
            track(&Peaks { of }, seeds, constraints, &walk, sink, control)
        }
    }
}

#[cfg(test)]
mod tests;

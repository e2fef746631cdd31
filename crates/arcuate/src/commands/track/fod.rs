//! `arcuate track fod`.

use super::anatomy::RandomAnatomyArgs;
use super::propagation::Fod;
use super::tracking::{Differences, Tracking};
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::stages;
use arcuate_track::{ConstraintUnit, FodMethod, FodOptions};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Tracking through fibre orientation distributions
///
/// Reads fibre orientation distributions (FODs) of white matter from `arcuate fit csd` or MRtrix's dwi2fod:
/// coefficients of spherical harmonics in MRtrix's basis and order. The same random seed gives the same
/// streamlines at any number of threads and on any device.
#[derive(Debug, Args)]
pub(crate) struct TrackFod {
    /// Image of the fibre orientation distributions (FODs) of white matter
    ///
    /// The image has 6, 15, 28 or 45 volumes, which are the coefficients of spherical harmonics of degree 2,
    /// 4, 6 or 8.
    fod: PathBuf,
    #[command(flatten)]
    tracking: Tracking<Fod>,
    #[command(flatten)]
    anatomy: RandomAnatomyArgs,
    #[command(flatten)]
    rules: TrackingArgs,
}

/// The options that distributions alone have.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
struct TrackingArgs {
    /// Method: rule by which a streamline finds its next direction
    #[arg(long, value_enum, default_value_t = MethodArg::Arcs)]
    method: MethodArg,
    /// Mask image of the voxels to process
    ///
    /// Streamlines terminate where they leave this mask.
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodArg {
    /// Draw the next arc, with a probability proportional to the FOD amplitudes along the arc (second order,
    /// as MRtrix's iFOD2)
    Arcs,
    /// Draw the next straight step, with a probability proportional to the FOD amplitude in its direction
    /// (first order, as MRtrix's iFOD1)
    Steps,
    /// Step along the FOD peak that is nearest to the last direction (deterministic, as MRtrix's SD_STREAM)
    Peaks,
}

impl Typed for TrackFod {
    type Work = stages::TrackFod;

    fn typed(&self) -> Result<stages::TrackFod> {
        self.anatomy.require_chance(!matches!(self.rules.method, MethodArg::Peaks))?;
        let differences = Differences {
            anatomy: self.anatomy.file(),
            interface: self.anatomy.seed_interface(),
            judged_by: ConstraintUnit::Whole,
            preset: None,
        };
        Ok(stages::TrackFod {
            fod: self.fod.clone(),
            mask: self.rules.mask.clone(),
            options: self.rules.options(),
            tracking: self.tracking.typed(differences)?,
        })
    }
}

impl TrackingArgs {
    /// Returns the options for the library that do not come from files.
    fn options(&self) -> FodOptions {
        FodOptions {
            method: match self.method {
                MethodArg::Arcs => FodMethod::Arcs,
                MethodArg::Steps => FodMethod::Steps,
                MethodArg::Peaks => FodMethod::Peaks,
            },
            ..FodOptions::default()
        }
    }
}

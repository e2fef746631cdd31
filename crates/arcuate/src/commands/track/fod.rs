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
/// Reads white-matter FODs from `arcuate fit csd` or MRtrix's dwi2fod: spherical harmonic coefficients in
/// MRtrix's basis and order. The same random seed gives the same streamlines at any number of threads and on
/// any device.
#[derive(Debug, Args)]
pub(crate) struct TrackFod {
    /// White-matter FOD image with 6, 15, 28 or 45 volumes
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
    /// Method
    ///
    /// The method is the rule by which a streamline finds its next direction.
    #[arg(long, value_enum, default_value_t = MethodArg::Arcs)]
    method: MethodArg,
    /// Mask image of the voxels to process
    ///
    /// Streamlines terminate outside this mask.
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodArg {
    /// Second order, as iFOD2: arcs, drawn with probability proportional to the FOD amplitudes along them
    Arcs,
    /// First order, as iFOD1: straight steps, drawn with probability proportional to the FOD amplitude
    Steps,
    /// Deterministic, as SD_STREAM: straight steps along the FOD peak nearest to the last direction
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

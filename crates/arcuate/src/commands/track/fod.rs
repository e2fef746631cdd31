//! `arcuate track fod`.

use super::anatomy::RandomAnatomyArgs;
use super::constraints::{ConstraintArgs, TargetArgs};
use super::seeds::SeedArgs;
use super::spaces::SpaceArgs;
use crate::references;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::constraint_files::ConstraintFiles;
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::track_fod::REFERENCES;
use arcuate_track::{FodMethod, FodOptions, JudgedBy};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Tracking through fibre orientation distributions
///
/// Follows what `arcuate fit csd` or MRtrix's dwi2fod wrote: coefficients of spherical harmonics in MRtrix's basis and order, of white
/// matter. The same random seed gives the same streamlines at any number of threads and on any device. Output: .tck, .trk or .trx.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct TrackFod {
    /// Image of the distributions, of white matter; 6, 15, 28 or 45 volumes
    fod: PathBuf,
    /// Where the result goes; a tractogram (.tck, .trk, .trx, .tck.gz, .trk.gz)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    tracking: TrackingArgs,
    #[command(flatten)]
    constraints: ConstraintArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    anatomy: RandomAnatomyArgs,
    #[command(flatten)]
    spaces: SpaceArgs,
}

/// How streamlines go on and where they end.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
struct TrackingArgs {
    /// Method, of those that the command has; how a streamline finds its way
    #[arg(long, value_enum, default_value_t = MethodArg::Arcs)]
    method: MethodArg,
    /// Step in mm; at most two voxels, half a voxel for arcs and 0.1 voxel for steps and peaks by default
    #[arg(long, value_name = "MM")]
    step: Option<f64>,
    /// Largest turn from step to step, in degrees; up to 90, of arcs 45, of steps 15, of peaks 60 by default
    #[arg(long, value_name = "DEGREES")]
    angle: Option<f64>,
    /// Streamlines end where no way on has this amplitude
    #[arg(long, value_name = "AMPLITUDE", default_value_t = FodOptions::default().min_amplitude)]
    min_amplitude: f64,
    /// Seeds need at least this amplitude; that of --min-amplitude by default
    #[arg(long, value_name = "AMPLITUDE")]
    seed_amplitude: Option<f64>,
    /// Shortest streamline, in mm; shorter ones are left out
    #[arg(long, value_name = "MM", default_value_t = FodOptions::default().min_length_mm)]
    min_length: f64,
    /// Longest streamline, in mm; longer ones are left out
    #[arg(long, value_name = "MM", default_value_t = FodOptions::default().max_length_mm)]
    max_length: f64,
    /// Mask of the voxels that count; streamlines end outside
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodArg {
    /// Arcs, each drawn by the amplitudes along it: of second order, as iFOD2
    Arcs,
    /// Straight steps drawn by their amplitudes: of first order, as iFOD1
    Steps,
    /// Straight steps along the nearest peak, without chance, as SD_STREAM
    Peaks,
}

impl Typed for TrackFod {
    type Work = stages::TrackFod;

    fn typed(&self) -> Result<stages::TrackFod> {
        self.constraints.check()?;
        self.anatomy.require_chance(!matches!(self.tracking.method, MethodArg::Peaks))?;
        Ok(stages::TrackFod {
            mask: self.tracking.mask.clone(),
            seeds: self.anatomy.source(&self.seeds),
            seed_number: self.seeds.number(),
            constraints: ConstraintFiles {
                anatomy: self.anatomy.file(),
                ..self.constraints.files_with(self.targets.files(), JudgedBy::Whole)
            },
            space: self.spaces.space(),
            options: FodOptions { select: self.seeds.select(), ..self.tracking.options() },
            ..stages::TrackFod::new(&self.fod, &self.out)
        })
    }
}

impl TrackingArgs {
    /// The options of the library, but what is in files.
    fn options(&self) -> FodOptions {
        FodOptions {
            method: match self.method {
                MethodArg::Arcs => FodMethod::Arcs,
                MethodArg::Steps => FodMethod::Steps,
                MethodArg::Peaks => FodMethod::Peaks,
            },
            step_mm: self.step,
            max_angle_degrees: self.angle,
            min_amplitude: self.min_amplitude,
            seed_amplitude: self.seed_amplitude,
            min_length_mm: self.min_length,
            max_length_mm: self.max_length,
            ..FodOptions::default()
        }
    }
}

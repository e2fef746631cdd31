//! `arcuate track fod`.

use super::anatomy::RandomAnatomyArgs;
use super::constraints::{ConstraintArgs, TargetArgs};
use super::propagation::{Fod, PropagationArgs};
use super::seeds::SeedArgs;
use super::spaces::SpaceArgs;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::constraint_files::ConstraintFiles;
use arcuate_pipeline::stages;
use arcuate_track::{FodMethod, FodOptions, JudgedBy};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Tracking through fibre orientation distributions
///
/// Follows what `arcuate fit csd` or MRtrix's dwi2fod wrote: coefficients of spherical harmonics in MRtrix's basis and order, of white
/// matter. The same random seed gives the same streamlines at any number of threads and on any device. Output: .tck, .trk or .trx.
#[derive(Debug, Args)]
pub(crate) struct TrackFod {
    /// Image of the distributions, of white matter; 6, 15, 28 or 45 volumes
    fod: PathBuf,
    /// Output: tractogram (.tck, .trk, .trx, .tck.gz, .trk.gz)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    propagation: PropagationArgs<Fod>,
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
    /// Method; how a streamline finds its way
    #[arg(long, value_enum, default_value_t = MethodArg::Arcs)]
    method: MethodArg,
    /// Mask of the voxels to process; streamlines end outside
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
            options: FodOptions {
                select: self.seeds.select(),
                ..self.propagation.propagation().of_fods(&self.tracking.options())
            },
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
            ..FodOptions::default()
        }
    }
}

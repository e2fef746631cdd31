//! `arcuate track bootstrap`.

use super::Sampled;
use crate::commands::track::parts::parted;
use crate::commands::track::propagation;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use crate::typed_options::{CommandOptions, typed};
use arcuate_core::Result;
use arcuate_model::Resampling;
use arcuate_pipeline::stages;
use clap::{ArgMatches, Args, ValueEnum};
use std::path::PathBuf;

/// Probabilistic tracking through tensors refitted to resampled residuals
///
/// First, the tensor of each voxel is fitted to the measured signal. Then the tensor is refitted --replicates
/// times. Each refit uses the signal that the first fit predicts, plus the residuals of the first fit in
/// another order or with other signs. In this way, each refit simulates a repeated scan. The principal
/// direction of the refitted tensor is a sample, and its fractional anisotropy (FA) is the fibre fraction.
/// Options and results are those of `arcuate track samples`.
#[derive(Debug, Args)]
pub(crate) struct TrackBootstrap {
    /// Diffusion series: a 4-D image of all measurements
    dwi: PathBuf,
    /// Mask image of the voxels to process
    ///
    /// Streamlines terminate where they leave this mask. [default: the brain, as `arcuate mask` finds it in
    /// the series]
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Number of refitted tensors (simulated repeated scans) per voxel
    #[arg(long, value_name = "N", default_value_t = stages::TrackBootstrap::REPLICATES)]
    replicates: usize,
    /// Rule that gives each measurement a residual of the first fit, for a refit
    #[arg(long, value_enum, default_value_t = ResamplingArg::Residuals)]
    resampling: ResamplingArg,
    #[command(flatten)]
    gradients: GradientOptions,
    #[command(flatten)]
    sampled: Sampled<propagation::Bootstrap>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum ResamplingArg {
    /// Each measurement gets the residual of a measurement that is drawn at random, with replacement
    Residuals,
    /// Each measurement keeps its own residual, but with a random sign (wild bootstrap)
    Signs,
}

impl CommandOptions for stages::TrackBootstrap {
    const COMMAND: &'static str = "track bootstrap";

    fn of(matches: &ArgMatches) -> Result<Self> {
        typed::<TrackBootstrap>(matches)?.typed()
    }
}

impl Typed for TrackBootstrap {
    type Work = stages::TrackBootstrap;

    fn typed(&self) -> Result<stages::TrackBootstrap> {
        let (rules, tracking) = self.sampled.typed()?;
        Ok(stages::TrackBootstrap {
            series: self.gradients.series(&self.dwi),
            mask: self.mask.clone(),
            replicates: self.replicates,
            resampling: match self.resampling {
                ResamplingArg::Residuals => Resampling::Residuals,
                ResamplingArg::Signs => Resampling::Signs,
            },
            rules,
            tracking,
        })
    }
}

parted!(TrackBootstrap);

//! `arcuate track bootstrap`.

use super::Sampled;
use crate::commands::track::propagation;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_model::Resampling;
use arcuate_pipeline::stages;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Probabilistic tracking through tensors refitted to resampled residuals
///
/// In each voxel the tensor is fitted to the measured signal. Then it is refitted --replicates times, to the
/// predicted signal plus the residuals of the first fit in another order or with other signs. Each refit
/// simulates a repeated scan. Its principal direction is a sample, and its FA is the fibre fraction. Options
/// and results are those of `arcuate track samples`.
#[derive(Debug, Args)]
pub(crate) struct TrackBootstrap {
    /// Diffusion series: a 4-D image with one volume per measurement
    dwi: PathBuf,
    /// Mask image of the voxels to process
    ///
    /// Streamlines terminate outside this mask. [default: the brain mask found in the series]
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Number of repeated tensor fits per voxel
    #[arg(long, value_name = "N", default_value_t = stages::TrackBootstrap::REPLICATES)]
    replicates: usize,
    /// Rule that assigns a residual to each measurement of a repeated tensor fit
    #[arg(long, value_enum, default_value_t = ResamplingArg::Residuals)]
    resampling: ResamplingArg,
    #[command(flatten)]
    gradients: GradientOptions,
    #[command(flatten)]
    sampled: Sampled<propagation::Bootstrap>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum ResamplingArg {
    /// Each measurement gets the residual of a random measurement, drawn with replacement
    Residuals,
    /// Each measurement keeps its own residual, with a random sign (wild bootstrap)
    Signs,
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

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

/// Probabilistic tracking through tensors that are refitted to resampled residuals
///
/// In every voxel the tensor is fitted to the measured signal, then --replicates times to what it predicts with the residuals of
/// that fit in another order or sign: as if the scan had been repeated. The principal directions are the samples, FA the
/// fraction. Options and results are those of `arcuate track samples`.
#[derive(Debug, Args)]
pub(crate) struct TrackBootstrap {
    /// Diffusion series, 4-D
    dwi: PathBuf,
    /// Mask of the voxels to process; streamlines end outside; found in the series by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Refits of each voxel
    #[arg(long, value_name = "N", default_value_t = stages::TrackBootstrap::REPLICATES)]
    replicates: usize,
    /// What a measurement gets as its residual
    #[arg(long, value_enum, default_value_t = ResamplingArg::Residuals)]
    resampling: ResamplingArg,
    #[command(flatten)]
    gradients: GradientOptions,
    #[command(flatten)]
    sampled: Sampled<propagation::Bootstrap>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum ResamplingArg {
    /// That of any measurement, with replacement
    Residuals,
    /// Its own, with a sign drawn at random (wild bootstrap)
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

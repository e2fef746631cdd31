//! `arcuate track samples`.

use super::Sampled;
use crate::commands::track::propagation;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::stages;
use clap::Args;
use std::path::PathBuf;

/// Streamlines of one region, or of the whole brain.
#[derive(Debug, Args)]
pub(crate) struct TrackSamples {
    /// Folder of samples: X.bedpostX, or a result of `arcuate fit` with --method mcmc
    pub(super) samples: PathBuf,
    /// Names of the orientation and fraction maps of each fibre, in a fit's folder
    ///
    /// Give ORIENTATION=FRACTION for each fibre, separated by commas. The names are those of the model's
    /// parameters. [default: n=f for a model with one fibre, n1=f1,n2=f2,… for a model with several fibres]
    #[arg(long, value_name = "NAME=FRACTION", value_delimiter = ',')]
    pub(super) fibres: Vec<String>,
    /// Mask image of the voxels to process
    ///
    /// Streamlines terminate where they leave this mask. [default: nodif_brain_mask for a bedpostX folder;
    /// for other folders, all voxels with samples]
    #[arg(long, value_name = "FILE")]
    pub(super) mask: Option<PathBuf>,
    #[command(flatten)]
    pub(super) sampled: Sampled<propagation::Samples>,
}

impl Typed for TrackSamples {
    type Work = stages::TrackSamples;

    fn typed(&self) -> Result<stages::TrackSamples> {
        let (rules, tracking) = self.sampled.typed()?;
        Ok(stages::TrackSamples {
            samples: self.samples.clone(),
            fibres: self.fibres.clone(),
            mask: self.mask.clone(),
            rules,
            tracking,
        })
    }
}

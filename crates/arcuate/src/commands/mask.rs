use crate::references;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::stages::FindMask;
use arcuate_pipeline::stages::mask::REFERENCES;
use clap::Args;
use std::path::PathBuf;

/// Find the brain in a diffusion series
///
/// Median filter and Otsu's threshold on the mean b = 0 and the mean weighted image, largest component, holes filled.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Mask {
    /// Diffusion series, 4-D
    dwi: PathBuf,
    /// Where the result goes; an image, 1 inside the brain, 0 outside
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    gradients: GradientOptions,
}

impl Typed for Mask {
    type Work = FindMask;

    fn typed(&self) -> Result<FindMask> {
        Ok(FindMask::new(self.gradients.series(&self.dwi), &self.out))
    }
}

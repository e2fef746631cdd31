use crate::meanings;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::stages::FindMask;
use clap::Args;
use std::path::PathBuf;

/// Find the brain in a diffusion series
///
/// Applies a median filter and Otsu's threshold to the mean b = 0 image and to the mean weighted image. Then
/// keeps the largest connected component and fills its holes.
#[derive(Debug, Args)]
pub(crate) struct Mask {
    #[arg(help = meanings::DWI)]
    dwi: PathBuf,
    /// Output: mask image with the value 1 in the brain and 0 outside
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

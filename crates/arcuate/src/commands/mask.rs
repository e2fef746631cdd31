use crate::context::Context;
use crate::output::require_file;
use crate::references;
use crate::series::{GradientOptions, Series};
use arcuate_core::Result;
use clap::Args;
use std::path::PathBuf;

pub(crate) const REFERENCES: &[&str] =
    &["Otsu N (1979) A threshold selection method from gray-level histograms. doi:10.1109/TSMC.1979.4310076"];

/// Find the brain in a diffusion series
///
/// Median filter and Otsu's threshold on the mean b = 0 and the mean weighted image, largest component, holes filled.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Mask {
    /// Diffusion series, 4-D
    dwi: PathBuf,
    /// Image to write: 1 inside the brain, 0 outside
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    gradients: GradientOptions,
}

impl Mask {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        require_file(&self.out, &self.gradients.files(&self.dwi), context.force)?;
        let series = context.step("read the series", |_| Series::read(&self.dwi, &self.gradients))?;
        let mask = context.step("find the brain", |_| series.mask(None))?;
        arcuate_io::write_image(&self.out, &mask.to_volume(), &arcuate_io::WriteOptions::default())?;
        context.say(format_args!("{} voxels inside", mask.count()));
        Ok(())
    }
}

use crate::context::Context;
use crate::output::require_file_and_record;
use crate::output_files::{Kind, OutputFile};
use crate::record::{self, Record};
use crate::references;
use crate::series::GradientOptions;
use crate::stage_command::StageCommand;
use arcuate_core::Result;
use arcuate_pipeline::caller::Caller;
use clap::Args;
use std::borrow::Cow;
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
    /// Where the result goes; an image, 1 inside the brain, 0 outside
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    gradients: GradientOptions,
}

/// A mask that was found.
pub(crate) fn output_file(name: impl Into<Cow<'static, str>>) -> OutputFile {
    OutputFile::shown(name, "Brain mask", Kind::Mask)
        .with_caption("What was taken for brain: everything else was left out.")
}

impl StageCommand for Mask {
    fn outputs(&self) -> Vec<PathBuf> {
        vec![self.out.clone(), record::beside(&self.out)]
    }

    fn check(&self, context: &Context) -> Result<()> {
        context.series(&self.dwi, &self.gradients).map(|_| ())
    }

    fn run(&self, context: &Context) -> Result<()> {
        require_file_and_record(&self.out, &self.gradients.files(&self.dwi), context)?;
        let series = context.series(&self.dwi, &self.gradients)?;
        let mask = context.step("find the brain", |_| series.mask(None))?;
        arcuate_io::write_image(&self.out, &mask.to_volume(), &context.image_options())?;
        let mut record = Record::new("Brain mask", vec![output_file(record::name_of(&self.out))], context);
        record.add_inputs(&series.files, context)?;
        series.note(&mut record);
        note_volume(&mask, &mut record);
        record.done(
            "The brain was found in a diffusion series: voxels that are bright without and with weighting.",
        );
        record.cite(REFERENCES);
        record.write_beside(&self.out, context)?;
        context.say(format_args!("{} voxels inside", mask.count()));
        Ok(())
    }
}

/// Names of key figures that `run` repeats.
pub(crate) const VOLUME: &str = "volume of the mask";

/// Notes how large the mask is.
pub(crate) fn note_volume(mask: &arcuate_core::Mask, record: &mut Record) {
    record.figure("voxels in the brain mask", mask.count());
    let cubic_mm = mask.grid().affine().determinant().abs() * mask.count() as f64;
    record.measure(VOLUME, 1e-3 * cubic_mm, "cm³").key();
}

//! Finds the brain in a diffusion series.

use super::work::Work;
use crate::job::Job;
use crate::output::require_file_and_record;
use crate::output_files::{Kind, OutputFile};
use crate::record::{self, Record};
use crate::series::Weighting;
use crate::series_file::SeriesFile;
use arcuate_core::{Mask, Result, VoxelCounts};
use arcuate_io::write_image;
use std::borrow::Cow;
use std::path::PathBuf;

/// The papers to cite.
pub const REFERENCES: &[&str] =
    &["Otsu N (1979) A threshold selection method from gray-level histograms. doi:10.1109/TSMC.1979.4310076"];

/// Name that the record of a command uses for the volume of the mask. The record of `arcuate run` contains
/// this value, too.
pub const VOLUME: &str = "volume of the mask";

/// Finds a brain mask in a diffusion series, with [`Series::mask`](crate::series::Series::mask).
#[derive(Debug, Clone, PartialEq)]
pub struct FindMask {
    /// The diffusion series.
    pub series: SeriesFile,
    /// Output image of the mask: 1 inside the brain, 0 outside.
    pub out: PathBuf,
}

/// Returns the output file of a mask.
pub fn output_file(name: impl Into<Cow<'static, str>>) -> OutputFile {
    OutputFile::shown(name, "Brain mask", Kind::Mask)
        .with_caption("The voxels of the brain. All other voxels are excluded.")
        .with_content("1 in the brain, 0 elsewhere")
}

/// Adds the number of voxels and the volume of a mask to the record.
pub fn note_volume(mask: &Mask, record: &mut Record) {
    record.figure("voxels in the brain mask", mask.count());
    let cubic_mm = mask.grid().affine().determinant().abs() * mask.count() as f64;
    record.measure(VOLUME, 1e-3 * cubic_mm, "cm³").key();
}

impl FindMask {
    /// Creates a brain mask of a series.
    pub fn new(series: SeriesFile, out: impl Into<PathBuf>) -> Self {
        Self { series, out: out.into() }
    }

    /// Finds and writes the mask.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<Mask> {
        require_file_and_record(&self.out, &self.series.files(), job)?;
        let series = self.series.read_signals(Weighting::Needed, job)?;
        let mask = job.step("find the brain", || series.mask(None))?;
        write_image(&self.out, &mask.to_volume(), &job.image_options())?;
        let mut record = Record::new("Brain mask", vec![output_file(record::name_of(&self.out))], job);
        record.add_inputs(&series.files, job)?;
        series.note(&mut record);
        note_volume(&mask, &mut record);
        record.voxel_counts("", &VoxelCounts::of_series(&series.dwi, &mask));
        record.done(
            "The brain was found in a diffusion series: voxels that are bright without and with weighting.",
        );
        record.cite(REFERENCES);
        record.write_next_to(&self.out, job)?;
        job.show_message(format!("{} voxels inside", mask.count()));
        Ok(mask)
    }
}

impl Work for FindMask {
    fn outputs(&self) -> Vec<PathBuf> {
        vec![self.out.clone(), record::companion_path(&self.out)]
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.series.read_signals(Weighting::Needed, job).map(|_| ())
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

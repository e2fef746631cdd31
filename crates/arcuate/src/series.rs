//! Options that state the diffusion weighting (b-values and directions) of a series.

use crate::meanings;
use crate::table_reading::TableReading;
use arcuate_core::{GradientTable, SignedAxes};
use arcuate_pipeline::series_file::SeriesFile;
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use arcuate_pipeline::series::GradientSource;

/// Sources of the diffusion weighting of a series.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Diffusion weighting")]
pub(crate) struct GradientOptions {
    /// File of b-values in FSL's format, in s/mm²
    ///
    /// [default: .bval, .bvals or bvals next to the series]
    #[arg(long, value_name = "FILE", requires = "bvec")]
    pub(crate) bval: Option<PathBuf>,
    /// File of gradient directions in FSL's format, along the image axes
    ///
    /// If the determinant of the image's affine matrix is positive, the x values in this file are along the
    /// negative x axis of the image. [default: .bvec, .bvecs or bvecs next to the series]
    #[arg(long, value_name = "FILE", requires = "bval")]
    pub(crate) bvec: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::GRADIENTS,
        long_help = meanings::with(
            meanings::GRADIENTS,
            "The file is MRtrix's table (columns x y z b, directions in scanner axes), a Camino .scheme, or \
             a .prtcl. Use it instead of --bval and --bvec."
        ),
        value_name = "FILE",
        conflicts_with = "bval"
    )]
    pub(crate) gradients: Option<PathBuf>,
    /// Largest b-value of a measurement that counts as b = 0, in s/mm²
    #[arg(long, value_name = "B", default_value_t = GradientTable::DEFAULT_B0_THRESHOLD)]
    pub(crate) b0_threshold: f64,
    /// Axes of the gradient table along the image axes, such as -x,y,z or y,x,z
    ///
    /// Use this option if the check of the gradient table reports reversed or exchanged axes. `-x,y,z`
    /// reverses the x axis, and `y,x,z` exchanges the x and y axes. [default: x,y,z]
    #[arg(long, value_name = "AXES", value_parser = signed_axes, allow_hyphen_values = true)]
    pub(crate) gradient_axes: Option<SignedAxes>,
    #[command(flatten)]
    pub(crate) reading: TableReading,
}

fn signed_axes(text: &str) -> std::result::Result<SignedAxes, String> {
    SignedAxes::parse(text).map_err(|error| error.problem().to_owned())
}

impl GradientOptions {
    /// Converts the options to the type that the library uses.
    pub(crate) fn source(&self) -> GradientSource {
        GradientSource {
            fsl: self.bval.clone().zip(self.bvec.clone()).map(<[PathBuf; 2]>::from),
            table: self.gradients.clone(),
            reading: self.reading.with_threshold(Some(self.b0_threshold)),
            axes: self.gradient_axes.unwrap_or_default(),
        }
    }

    /// Returns the series at `path` with these options, in the type that the library uses.
    pub(crate) fn series(&self, path: &Path) -> SeriesFile {
        SeriesFile { path: path.to_owned(), gradients: self.source() }
    }

    /// Returns the options as command-line arguments.
    pub(crate) fn words(&self) -> Vec<(&'static str, OsString)> {
        let files = [("bval", &self.bval), ("bvec", &self.bvec), ("gradients", &self.gradients)];
        let mut words: Vec<(&str, OsString)> =
            files.into_iter().filter_map(|(name, file)| Some((name, file.clone()?.into()))).collect();
        if self.b0_threshold.total_cmp(&GradientTable::DEFAULT_B0_THRESHOLD).is_ne() {
            words.push(("b0-threshold", self.b0_threshold.to_string().into()));
        }
        words.extend(self.gradient_axes.map(|axes| ("gradient-axes", axes.to_string().into())));
        words.extend(self.reading.words());
        words
    }
}

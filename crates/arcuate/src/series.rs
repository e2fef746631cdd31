//! What people say of the diffusion weighting of a series.

use crate::table_reading::TableReading;
use arcuate_core::{GradientTable, SignedAxes};
use arcuate_pipeline::series_file::SeriesFile;
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use arcuate_pipeline::series::{GradientSource, KeptSeries, Series, Weighting};

/// Where the diffusion weighting of a series comes from.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Diffusion weighting")]
pub(crate) struct GradientOptions {
    /// FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    #[arg(long, value_name = "FILE", requires = "bvec")]
    pub(crate) bval: Option<PathBuf>,
    /// FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series
    /// with ending .bvec (or .bvecs), or called bvecs
    #[arg(long, value_name = "FILE", requires = "bval")]
    pub(crate) bvec: Option<PathBuf>,
    /// Gradient table in one file; in place of --bval and --bvec: MRtrix's (x y z b, scanner axes), a Camino .scheme, or a
    /// .prtcl
    #[arg(long, value_name = "FILE", conflicts_with = "bval")]
    pub(crate) gradients: Option<PathBuf>,
    /// Measurements with b up to this many s/mm² count as b = 0
    #[arg(long, value_name = "B", default_value_t = GradientTable::DEFAULT_B0_THRESHOLD)]
    pub(crate) b0_threshold: f64,
    /// Which axes of the table's directions those of the image are, where a check says that they are not what they seem: -x,y,z where the
    /// first is reversed, y,x,z where two are exchanged
    #[arg(long, value_name = "AXES", value_parser = signed_axes, allow_hyphen_values = true)]
    pub(crate) gradient_axes: Option<SignedAxes>,
    #[command(flatten)]
    pub(crate) reading: TableReading,
}

fn signed_axes(text: &str) -> std::result::Result<SignedAxes, String> {
    SignedAxes::parse(text).map_err(|error| error.problem().to_owned())
}

impl GradientOptions {
    /// The same for the library.
    pub(crate) fn source(&self) -> GradientSource {
        GradientSource {
            fsl: self.bval.clone().zip(self.bvec.clone()).map(<[PathBuf; 2]>::from),
            table: self.gradients.clone(),
            reading: self.reading.with_threshold(Some(self.b0_threshold)),
            axes: self.gradient_axes.unwrap_or_default(),
        }
    }

    /// The series at `path`, for the library.
    pub(crate) fn series(&self, path: &Path) -> SeriesFile {
        SeriesFile { path: path.to_owned(), gradients: self.source() }
    }

    /// The same options as words of a command line.
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

//! Options of the COMMIT evaluation.

use super::fit::CommitFit;
use super::model::CommitModel;
use crate::map_format::MapFormat;
use crate::precision::Precision;
use crate::series_file::SeriesFile;
use arcuate_core::{Error, Orientations, PeakFrame, Result};
use arcuate_evaluate::commit::{Directions, SegmentOptions};
use arcuate_io::read_triples;
use std::path::PathBuf;

/// Maximum number of orientations of a response table. Neighbouring orientations are 2.2° apart. The number is smaller
/// if the table would have more than [`ROWS_OF_A_TABLE`] rows.
const ORIENTATIONS_OF_A_TABLE: usize = 4096;
const ROWS_OF_A_TABLE: usize = 60_000;

/// The signal that COMMIT explains.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CommitSignal {
    /// The signal is a diffusion series.
    Series(SeriesFile),
    /// A 3-D map, for a model of a scalar map.
    Map(PathBuf),
}

/// Orientations for which responses are computed.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub enum CommitOrientations {
    /// Exact responses if they need at most three times the multiplications of a table, otherwise a table. The table
    /// has the directions of the dictionary if there is one.
    #[default]
    Auto,
    /// Exact responses by spherical harmonics, without a table.
    Exact,
    /// A table of this number of evenly distributed orientations.
    Number(usize),
    /// A table of the orientations in a text file, x y z in scanner axes.
    File(PathBuf),
}

/// Normalisation of the signal and of the columns of the linear system.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
#[derive(Debug, Clone, PartialEq)]
pub struct CommitNormalisation {
    /// True if every b = 0 measurement is replaced by the mean of all b = 0 measurements.
    pub merge_b0s: bool,
    /// True if the signal of each voxel is divided by the mean of its b = 0 measurements.
    pub normalise_signal: bool,
    /// True if each response, and the lengths of each streamline, are divided by their norm. The reported weights are
    /// per mm in both cases.
    pub normalise_kernels: bool,
    /// True if the mean over measurements is subtracted from the signal of each voxel and from each response.
    pub demean: bool,
    /// Minimum of a voxel's mean b = 0 signal, as a fraction of the mean over the mask. Voxels that do not exceed this
    /// value are excluded.
    pub minimum_b0: f64,
}

impl Default for CommitNormalisation {
    fn default() -> Self {
        Self {
            merge_b0s: false,
            normalise_signal: true,
            normalise_kernels: true,
            demean: false,
            minimum_b0: 0.0,
        }
    }
}

/// A dictionary that `trk2dictionary.run` of `dmri-commit` wrote. It contains the streamlines and peaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DictionaryFiles {
    /// Folder of the dictionary.
    pub folder: PathBuf,
    /// Text file of the directions that the dictionary refers to by number: x y z along the axes of the image.
    pub directions: PathBuf,
}

/// Evaluates a tractogram with COMMIT (Convex Optimization Modeling for Microstructure Informed Tractography). COMMIT
/// estimates the contribution of each streamline, of the surrounding tissue and of free water to the signal.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluateCommit {
    /// The tractogram. It is optional if there is a dictionary.
    pub tracts: Option<PathBuf>,
    /// The signal to explain.
    pub signal: CommitSignal,
    /// Folder of the results.
    pub out: PathBuf,
    /// Mask of the voxels to evaluate. Default: all voxels that streamlines pass.
    pub mask: Option<PathBuf>,
    /// Directions of the extra-axonal compartments: an image of 1 to 5 peaks per voxel, or a folder of samples, whose
    /// mean orientation of each fibre is used. Without peaks there are no extra-axonal compartments.
    pub peaks: Option<PathBuf>,
    /// Coordinate axes of the peaks. Default: scanner axes. If the option is not set and streamlines follow the peaks
    /// better in other axes, an error is returned.
    pub peaks_frame: Option<PeakFrame>,
    /// Minimum length of a peak, as a fraction of the longest peak of its voxel. Shorter peaks are ignored.
    pub peak_threshold: f64,
    /// Confidence weight of each voxel: a 3-D map of numbers that are 0 or more.
    pub confidence: Option<PathBuf>,
    /// Orientations for which responses are computed.
    pub orientations: CommitOrientations,
    /// Floating-point precision of the computation.
    pub precision: Precision,
    /// True if the predicted series is written.
    pub predicted: bool,
    /// True if the output files of `dmri-commit` 2.4 are written, too.
    pub compat: bool,
    /// Format of the maps.
    pub format: MapFormat,
    /// Normalisation of the signal and of the columns of the linear system.
    pub normalisation: CommitNormalisation,
    /// Streamlines and peaks from a dictionary of `dmri-commit`.
    pub dictionary: Option<DictionaryFiles>,
    /// Options for dividing streamlines into segments.
    pub segments: SegmentOptions,
    /// The signal model.
    pub model: CommitModel,
    /// Options of the solver.
    pub fit: CommitFit,
}

impl CommitOrientations {
    /// Returns how the directions of segments and peaks are treated. `numbered` are the directions of a dictionary.
    /// `axial` is the number of table rows for each orientation.
    ///
    /// # Errors
    /// Returns an error if the number of orientations is out of range, or if the file of orientations cannot be read.
    #[doc(hidden)]
    pub fn directions(&self, numbered: Option<&Orientations>, axial: usize) -> Result<Directions> {
        Ok(match (self, numbered) {
            (Self::Exact, _) => Directions::Exact,
            (Self::Auto, Some(numbered)) => Directions::Auto(numbered.clone()),
            (Self::Auto, None) => {
                let count = ORIENTATIONS_OF_A_TABLE.min(ROWS_OF_A_TABLE / axial);
                Directions::Auto(Orientations::half_sphere(count))
            }
            (&Self::Number(count), _) => {
                if !(6..=1 << 16).contains(&count) {
                    let problem = format!("{count} orientations are not possible for a table");
                    return Err(Error::usage("‘orientations’", problem, "give 6 to 65536, or exact"));
                }
                Directions::Table(Orientations::half_sphere(count))
            }
            (Self::File(path), _) => {
                let directions = read_triples(path, "a direction, x y z in scanner axes")?;
                Directions::Table(Orientations::new(&directions).map_err(|e| e.about(path.display()))?)
            }
        })
    }

    /// Returns the file of the orientations, if they come from a file.
    pub(super) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::File(path) => Some(path.clone()),
            _ => None,
        }
    }
}

impl EvaluateCommit {
    /// Creates an evaluation of a tractogram with a series, without peaks and with default options.
    pub fn new(tracts: impl Into<PathBuf>, series: SeriesFile, out: impl Into<PathBuf>) -> Self {
        Self {
            tracts: Some(tracts.into()),
            signal: CommitSignal::Series(series),
            out: out.into(),
            mask: None,
            peaks: None,
            peaks_frame: None,
            peak_threshold: 0.1,
            confidence: None,
            orientations: CommitOrientations::default(),
            precision: Precision::default(),
            predicted: false,
            compat: false,
            format: MapFormat::default(),
            normalisation: CommitNormalisation::default(),
            dictionary: None,
            segments: SegmentOptions::default(),
            model: CommitModel::default(),
            fit: CommitFit::default(),
        }
    }
}

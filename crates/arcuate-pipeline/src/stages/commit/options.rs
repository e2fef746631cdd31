//! What is asked for.

use super::fit::CommitFit;
use super::model::CommitModel;
use crate::map_format::MapFormat;
use crate::precision::Precision;
use crate::series_file::SeriesFile;
use arcuate_core::{Error, Orientations, PeakFrame, Result};
use arcuate_evaluate::commit::{Directions, SegmentOptions};
use arcuate_io::read_triples;
use std::path::PathBuf;

/// Orientations of a table where the harmonics would be more numbers than the samples: neighbours are 2.2° apart. Fewer
/// where many responses would make more rows than a table has.
const ORIENTATIONS_OF_A_TABLE: usize = 4096;
const ROWS_OF_A_TABLE: usize = 60_000;

/// The signal that is explained.
#[derive(Debug, Clone, PartialEq)]
pub enum CommitSignal {
    /// That of a diffusion series.
    Series(SeriesFile),
    /// A 3-D map, of the model that is of one.
    Map(PathBuf),
}

/// Orientations that responses are tabulated for.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum CommitOrientations {
    /// Exact unless that takes over three times the arithmetic; else a table, of the directions of a dictionary where there is
    /// one.
    #[default]
    Auto,
    /// No table, but spherical harmonics.
    Exact,
    /// So many, spread evenly.
    Number(usize),
    /// Those of a text file, x y z in scanner axes.
    File(PathBuf),
}

/// What is done to the signal and to the columns of the problem.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
#[derive(Debug, Clone, PartialEq)]
pub struct CommitNormalisation {
    /// Whether all b = 0 measurements are replaced by their mean.
    pub merge_b0s: bool,
    /// Whether the signal of a voxel is divided by the mean of its b = 0 measurements.
    pub normalise_signal: bool,
    /// Whether each response and the lengths of each streamline are divided by their norm; weights are per mm in any case.
    pub normalise_kernels: bool,
    /// Whether their mean is subtracted from the signal of a voxel and from each response.
    pub demean: bool,
    /// Voxels are left out whose mean b = 0 signal is not above this fraction of the mean over the mask.
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

/// What `trk2dictionary.run` of `dmri-commit` wrote: streamlines and peaks are taken from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DictionaryFiles {
    /// Its folder.
    pub folder: PathBuf,
    /// The directions that its numbers stand for: a text file, x y z along the axes of the image.
    pub directions: PathBuf,
}

/// Streamlines are weighed by Convex Optimization Modeling for Microstructure Informed Tractography: how much of the signal each
/// streamline, the tissue around it and free water explain together.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluateCommit {
    /// The tractogram; may be left out beside a dictionary.
    pub tracts: Option<PathBuf>,
    /// The signal that is explained.
    pub signal: CommitSignal,
    /// The folder of the results.
    pub out: PathBuf,
    /// The mask of the voxels that count; all that streamlines pass by default.
    pub mask: Option<PathBuf>,
    /// Directions of the extra-axonal compartments: 1 to 5 peaks a voxel, or a folder of samples, for the mean orientation of each
    /// fibre. Without it there are none of these.
    pub peaks: Option<PathBuf>,
    /// The axes that peaks are along; the scanner's by default. Where streamlines follow them better in others, that is an error
    /// unless it is said.
    pub peaks_frame: Option<PeakFrame>,
    /// Peaks shorter than this fraction of the longest of their voxel are left out.
    pub peak_threshold: f64,
    /// How much each voxel counts, 3-D, numbers of 0 or more.
    pub confidence: Option<PathBuf>,
    /// Orientations that responses are tabulated for.
    pub orientations: CommitOrientations,
    /// Precision of the arithmetic.
    pub precision: Precision,
    /// Whether the series that the model predicts is written.
    pub predicted: bool,
    /// Whether the files of `dmri-commit` 2.4 are written too.
    pub compat: bool,
    /// The format of the maps.
    pub format: MapFormat,
    /// What is done to the signal and to the columns of the problem.
    pub normalisation: CommitNormalisation,
    /// Streamlines and peaks of `dmri-commit`.
    pub dictionary: Option<DictionaryFiles>,
    /// How streamlines become segments.
    pub segments: SegmentOptions,
    /// The signal model.
    pub model: CommitModel,
    /// How amounts are found.
    pub fit: CommitFit,
}

impl CommitOrientations {
    /// How directions are treated. `numbered` are those of a dictionary; `axial` is the number of responses that a table would have of
    /// each orientation.
    ///
    /// # Errors
    /// Where there are too few or too many, and where their file cannot be read.
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
                    let problem = format!("{count} orientations do not make a table");
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

    /// Their file, where they are in one.
    pub(super) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::File(path) => Some(path.clone()),
            _ => None,
        }
    }
}

impl EvaluateCommit {
    /// The usual evaluation of a tractogram by a series, without peaks, into a folder.
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

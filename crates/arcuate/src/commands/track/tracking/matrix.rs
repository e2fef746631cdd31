//! Options for connectivity matrices, for which streamlines are counted during tracking.

use arcuate_core::{Measure, Result};
use arcuate_pipeline::regions::RegionFile;
use arcuate_pipeline::tracked_matrix::{MatrixFormat, MatrixKind, MatrixRequest, read_region_list};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Options of a connectivity matrix of the seeds and regions that streamlines pass.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connectivity matrix during tracking, in a folder")]
pub(super) struct MatrixOptions {
    /// Count a connectivity matrix of voxels, vertices or regions during tracking
    ///
    /// Writes matrix_counts and similar files. The tables matrix_rows.tsv and matrix_columns.tsv describe the
    /// rows and columns of the matrix. For each voxel or vertex, these tables list its position x y z, the
    /// number of its file, and its number in that file. A symmetric matrix has one table for both.
    #[arg(long, value_enum)]
    matrix: Option<MatrixArg>,
    /// Masks and surfaces whose voxels and vertices are the matrix columns
    ///
    /// This option is for --matrix pairs, whose rows are the voxels and vertices of --targets. [default: the
    /// second file of --targets; if there is only one, the same elements as the rows]
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = crate::commands::track::constraints::region_files(), requires = "matrix")]
    target_columns: Vec<RegionFile>,
    /// Regions for --matrix network, in which streamlines begin
    ///
    /// The files are masks, label images or surfaces, or text files that list such files.
    #[arg(
        long,
        value_name = "FILES",
        value_delimiter = ',',
        requires = "matrix",
        conflicts_with_all = ["seed_mask", "seed_points", "seed_surfaces", "seed_cifti", "seeds", "seed_anywhere"]
    )]
    seed_list: Vec<PathBuf>,
    /// Quantities to write for each matrix entry (pair of row and column)
    ///
    /// `count` is the number of streamlines, which is always written. `length` is the mean path length in mm
    /// from the seed to the element of the column. With --matrix pairs, `length` is the mean path length
    /// between the elements of the row and the column. `by-length` is the number of streamlines times their
    /// mean length. [default: count]
    #[arg(long, value_name = "MEASURE,…", value_delimiter = ',', value_enum, requires = "matrix")]
    measure: Vec<MeasureArg>,
    /// File formats of the connectivity matrix
    ///
    /// [default: npz]
    #[arg(long, value_name = "FORMAT,…", value_delimiter = ',', value_enum, requires = "matrix")]
    matrix_format: Vec<FormArg>,
    /// Resume an interrupted run of the same data and options
    ///
    /// With this option, a run saves its state in the result folder about every minute. The interrupted run
    /// must also have been started with this option. It can be used with --matrix seeds and --matrix targets.
    #[arg(long, requires = "matrix", conflicts_with_all = ["labels"])]
    resume: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum MatrixArg {
    /// Matrix of seeds by seeds: counts the streamlines from the seed of the row that pass the seed of the
    /// column
    Seeds,
    /// Matrix of seeds by targets: counts the streamlines from the seed of the row that pass the column's
    /// voxel or vertex of --targets; targets have no other results
    Targets,
    /// Matrix of targets by targets: counts the streamlines from any seed that pass both the row's voxel or
    /// vertex (of --targets) and the column's (of --target-columns)
    Pairs,
    /// Matrix of regions by regions, which --seed-list gives: counts the streamlines from the region of the
    /// row that pass the region of the column
    Network,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum MeasureArg {
    Count,
    Length,
    ByLength,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum FormArg {
    /// SciPy's sparse matrix (.npz, compressed sparse rows)
    Npz,
    /// FSL's text format (.dot), with the coordinates of rows and columns in separate files
    Dot,
    /// CIFTI-2's dense matrix (.dconn.nii), with every entry
    Dconn,
}

impl MatrixArg {
    fn kind(self) -> MatrixKind {
        match self {
            Self::Seeds => MatrixKind::Seeds,
            Self::Targets => MatrixKind::Targets,
            Self::Pairs => MatrixKind::Pairs,
            Self::Network => MatrixKind::Network,
        }
    }
}

impl MeasureArg {
    /// Returns the measure that is computed in addition to the count.
    fn measure(self) -> Option<Measure> {
        match self {
            Self::Count => None,
            Self::Length => Some(Measure::MeanLength),
            Self::ByLength => Some(Measure::Sum("length".to_owned())),
        }
    }
}

impl FormArg {
    fn form(self) -> MatrixFormat {
        match self {
            Self::Npz => MatrixFormat::Npz,
            Self::Dot => MatrixFormat::Dot,
            Self::Dconn => MatrixFormat::Dconn,
        }
    }
}

/// Interval between two saves of the intermediate state.
const EVERY: Duration = Duration::from_secs(60);

impl MatrixOptions {
    /// Returns the interval between two saves, or `None` without `--resume`.
    pub(super) fn resume(&self) -> Option<Duration> {
        self.resume.then_some(EVERY)
    }

    /// Returns true if targets are masks whose voxels and vertices are separate columns.
    pub(super) fn accepts_targets(&self) -> bool {
        self.matrix.is_some_and(|matrix| matrix.kind().accepts_targets())
    }

    /// Returns the requested matrix, if any.
    pub(super) fn request(&self, targets: &[RegionFile]) -> Result<Option<MatrixRequest>> {
        let Some(matrix) = self.matrix else { return Ok(None) };
        let mut measures: Vec<Measure> = Vec::new();
        for measure in self.measure.iter().filter_map(|measure| measure.measure()) {
            if !measures.contains(&measure) {
                measures.push(measure);
            }
        }
        let mut forms: Vec<MatrixFormat> = Vec::new();
        for form in self.matrix_format.iter().map(|form| form.form()) {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        if forms.is_empty() {
            forms.push(MatrixFormat::Npz);
        }
        let (seed_list, lists) = read_region_list(&self.seed_list)?;
        Ok(Some(MatrixRequest {
            kind: matrix.kind(),
            targets: targets.to_vec(),
            target_columns: self.target_columns.clone(),
            seed_list,
            lists,
            measures,
            forms,
        }))
    }
}

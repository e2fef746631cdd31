//! The matrices of connections that are counted while streamlines are followed, and their files.

use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile};
use crate::record::{Record, name_of};
use arcuate_connect::between_and_within;
use arcuate_core::{ConnectivityMatrix, ElementKind, Measure, Result};
use arcuate_io::{npz_files, write_axis_csv, write_matrix_csv, write_matrix_npy};
use std::path::{Path, PathBuf};

const REGIONS: &str = "connectome_regions.csv";

/// What sparse matrices are of.
const MEASURES: [Measure; 2] = [Measure::Count, Measure::MeanLength];

/// What a matrix is of, for the report.
fn matrix(quantity: &'static str, circle: bool) -> Kind {
    Kind::Matrix { quantity: quantity.into(), regions: REGIONS.into(), circle }
}

/// The output files of counts and lengths.
///
/// The matrix that `as_circle` is drawn as a circle too: that of weights, where there are any, is instead.
pub(super) fn output_files(as_circle: bool) -> Vec<OutputFile> {
    let counts = matrix("streamlines", as_circle);
    vec![
        OutputFile::shown("connectome_counts.csv", "Streamlines between regions", counts)
            .with_caption("Number of streamlines between two regions."),
        OutputFile::file("connectome_counts.npy", "Number of streamlines between two regions, NumPy"),
        OutputFile::shown(
            "connectome_lengths.csv",
            "Length of connections",
            matrix("mean length, mm", false),
        )
        .with_caption("Mean length of the streamlines between two regions."),
        OutputFile::file("connectome_lengths.npy", "Their mean length, mm, NumPy"),
        OutputFile::file(REGIONS, "Which region each row is"),
    ]
}

/// The files of these measures in SciPy's format, of which `out` is the common beginning of the names, and of the regions.
pub(super) fn sparse_files(out: &Path) -> Vec<PathBuf> {
    npz_files(out, &MEASURES, ElementKind::Region, None).expect("words that are names of files")
}

/// What these files are.
pub(super) fn sparse_output_files(out: &Path) -> Vec<OutputFile> {
    let title = |measure: &Measure| match measure {
        Measure::Count => "Number of streamlines between two regions, SciPy",
        Measure::Weight => "Sum of their weights, SciPy",
        _ => "Their mean length, mm, SciPy",
    };
    let titles = MEASURES.iter().map(title).chain(["Which region each row is"]);
    let names = sparse_files(out).into_iter().map(|file| name_of(&file));
    names.zip(titles).map(|(name, title)| OutputFile::file(name, title)).collect()
}

/// Notes how many of all streamlines are connections and how many only touch one region, and says so.
pub(super) fn note(matrix: &ConnectivityMatrix, streamlines: u64, record: &mut Record) -> String {
    let (between, within) = between_and_within(matrix);
    let regions = matrix.rows().len();
    record.figure("streamlines that join two regions", between).key();
    record.figure("streamlines with both ends in one region", within);
    record.figure("regions", regions).key();
    format!(
        "{between} of {streamlines} streamlines join two of {regions} regions; {within} have both ends in one"
    )
}

/// Writes counts and lengths, and which region each row is.
pub(super) fn write(folder: &OutputFolder, matrix: &ConnectivityMatrix) -> Result<()> {
    write_measure(folder, matrix, &Measure::Count)?;
    write_measure(folder, matrix, &Measure::MeanLength)?;
    write_axis_csv(&folder.file(REGIONS), matrix.rows())
}

/// Writes a measure as CSV and NumPy.
fn write_measure(folder: &OutputFolder, matrix: &ConnectivityMatrix, measure: &Measure) -> Result<()> {
    let name = measure.word();
    write_matrix_csv(&folder.file(&format!("connectome_{name}.csv")), matrix, measure)?;
    write_matrix_npy(&folder.file(&format!("connectome_{name}.npy")), matrix, measure)
}

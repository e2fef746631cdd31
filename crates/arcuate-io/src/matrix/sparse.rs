//! Writes connectivity matrices in SciPy's format for sparse matrices (compressed sparse rows).

use super::axis::axis_tsv;
use super::dense::values;
use crate::endings::has_ending;
use crate::npy::NpzWriter;
use crate::{AtomicFile, finish_together};
use arcuate_core::{ConnectivityMatrix, ElementKind, Error, Measure, Result, narrow};
use std::path::{Path, PathBuf};

/// Returns true if a file name has the ending of SciPy's format for sparse matrices.
pub fn is_npz_name(path: &Path) -> bool {
    has_ending(path, &[".npz"])
}

/// Returns the paths of the files that [`write_matrix_npz`] writes for the name `out`, in order. The first
/// files have the measures (`out_counts.npz`). The tables that describe rows and columns follow,
/// `out_rows.tsv` and `out_columns.tsv`. If `columns` is `None`, the matrix is symmetric and has only one
/// table, `out_regions.tsv`.
///
/// Returns an error if the name of a measure cannot be part of a file name.
pub fn npz_files<'a>(
    out: &Path,
    measures: impl IntoIterator<Item = &'a Measure>,
    rows: ElementKind,
    columns: Option<ElementKind>,
) -> Result<Vec<PathBuf>> {
    let stem = out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let sibling = |word: &str, ending: &str| out.with_file_name(format!("{stem}_{word}.{ending}"));
    let mut files = Vec::new();
    for measure in measures {
        let word = measure.word();
        if word.contains(|c: char| c.is_control() || "/\\:".contains(c)) {
            let problem = format!("the name `{word}` of a measure cannot be part of a file name");
            return Err(Error::invalid("measures of a matrix", problem, "give the measure another name"));
        }
        files.push(sibling(&word, "npz"));
    }
    if columns.is_some() {
        files.extend(["rows", "columns"].map(|word| sibling(word, "tsv")));
    } else {
        files.push(sibling(rows.plural(), "tsv"));
    }
    Ok(files)
}

/// Writes a connectivity matrix for SciPy. Each measure has its own file, which `scipy.sparse.load_npz` reads
/// (compressed sparse rows, float64). All these files have entries at the same rows and columns. Tables in
/// the same folder describe what the rows and columns represent. [`npz_files`] lists all files; they appear
/// together.
///
/// For a symmetric matrix, the entries above and below the diagonal are written. The additional array
/// `symmetry` in the file is `symmetric` or `general`. A sparse matrix is written with the entries that it
/// stores. A dense matrix is written with the entries for which at least one measure is not 0.
pub fn write_matrix_npz(out: &Path, matrix: &ConnectivityMatrix) -> Result<()> {
    let columns = (!matrix.is_symmetric()).then(|| matrix.columns().kind());
    let measures: Vec<&Measure> = matrix.measures().collect();
    let files = npz_files(out, measures.iter().copied(), matrix.rows().kind(), columns)?;
    let (of_measures, of_axes) = files.split_at(measures.len());
    let stored = Stored::new(matrix);
    let mut complete = Vec::new();
    for (path, measure) in of_measures.iter().zip(measures) {
        complete.push(write_one(path, &stored, values(path, matrix, measure)?)?);
    }
    for (path, axis) in of_axes.iter().zip([matrix.rows(), matrix.columns()]) {
        complete.push(axis_tsv(path, axis)?);
    }
    finish_together(complete)
}

/// Returns the paths of the files that [`write_measure_npz`] writes: `path`, and the tables that describe
/// rows and columns.
pub(crate) fn measure_files(path: &Path, matrix: &ConnectivityMatrix) -> Result<Vec<PathBuf>> {
    let columns = (!matrix.is_symmetric()).then(|| matrix.columns().kind());
    let tables = npz_files(path, [], matrix.rows().kind(), columns)?;
    Ok(std::iter::once(path.to_owned()).chain(tables).collect())
}

/// Writes one measure of a connectivity matrix for SciPy to the file `path`, with the tables that describe
/// rows and columns, like [`write_matrix_npz`].
pub(crate) fn write_measure_npz(path: &Path, matrix: &ConnectivityMatrix, measure: &Measure) -> Result<()> {
    let stored = Stored::new(matrix);
    let mut complete = vec![write_one(path, &stored, values(path, matrix, measure)?)?];
    let files = measure_files(path, matrix)?;
    for (path, axis) in files[1..].iter().zip([matrix.rows(), matrix.columns()]) {
        complete.push(axis_tsv(path, axis)?);
    }
    finish_together(complete)
}

/// The entries of a matrix that are written: `offsets` has the index of the first entry of each row.
/// `columns` has the column of each entry, and `entries` the index of its value in the matrix.
struct Stored<'a> {
    matrix: &'a ConnectivityMatrix,
    offsets: Vec<u64>,
    columns: Vec<u32>,
    entries: Vec<usize>,
}

impl<'a> Stored<'a> {
    fn new(matrix: &'a ConnectivityMatrix) -> Self {
        let all: Vec<&[f64]> = matrix.measures().filter_map(|measure| matrix.values(measure)).collect();
        let is_sparse = matrix.pattern().is_some();
        let (mut offsets, mut columns, mut entries) = (vec![0], Vec::new(), Vec::new());
        let whole = matrix.whole_rows();
        for row in 0..matrix.rows().len() {
            for (column, entry) in whole.row(row) {
                if is_sparse || all.iter().any(|values| values[entry] != 0.0) {
                    columns.push(narrow::<u32>(column));
                    entries.push(entry);
                }
            }
            offsets.push(columns.len() as u64);
        }
        Self { matrix, offsets, columns, entries }
    }
}

/// Returns the word (`symmetric` or `general`) with which a file states whether its matrix is symmetric.
pub(super) fn symmetry(is_symmetric: bool) -> &'static str {
    if is_symmetric { "symmetric" } else { "general" }
}

fn write_one(path: &Path, stored: &Stored<'_>, values: &[f64]) -> Result<AtomicFile> {
    let mut archive = NpzWriter::create(path)?;
    let [rows, columns] = stored.matrix.shape();
    // As in SciPy, the offsets of rows and the indices of columns have the same integer type.
    let maximum = stored.columns.len().max(columns).max(rows);
    if i32::try_from(maximum).is_ok() {
        archive.numbers("indices", stored.columns.iter().map(|&column| narrow::<i32>(column)))?;
        archive.numbers("indptr", stored.offsets.iter().map(|&offset| narrow::<i32>(offset)))?;
    } else {
        archive.numbers("indices", stored.columns.iter().map(|&column| i64::from(column)))?;
        archive.numbers("indptr", stored.offsets.iter().map(|&offset| offset as i64))?;
    }
    archive.word("format", "csr")?;
    archive.numbers("shape", [rows, columns].into_iter().map(|n| n as i64))?;
    archive.numbers("data", stored.entries.iter().map(|&entry| values[entry]))?;
    archive.word("symmetry", symmetry(stored.matrix.is_symmetric()))?;
    archive.complete()
}

//! Matrices as SciPy's compressed sparse rows: to write.

use super::axis::axis_tsv;
use super::dense::values;
use crate::npy::NpzWriter;
use crate::{AtomicFile, finish_together};
use arcuate_core::{ConnectivityMatrix, ElementKind, Error, Measure, Result, narrow};
use std::path::{Path, PathBuf};

/// Whether a name is that of a matrix in SciPy's format.
pub fn is_npz_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npz"))
}

/// The files that [`write_matrix_npz`] writes for the name `out`, in their order: one for each measure (`out_counts.npz`), then
/// what the rows are and, unless the matrix is symmetric (`columns` is nothing), what the columns are (`out_regions.tsv`, or
/// `out_rows.tsv` and `out_columns.tsv`).
///
/// Fails where the word of a measure cannot be part of the name of a file.
pub fn npz_files<'a>(
    out: &Path,
    measures: impl IntoIterator<Item = &'a Measure>,
    rows: ElementKind,
    columns: Option<ElementKind>,
) -> Result<Vec<PathBuf>> {
    let stem = out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let beside = |word: &str, ending: &str| out.with_file_name(format!("{stem}_{word}.{ending}"));
    let mut files = Vec::new();
    for measure in measures {
        let word = measure.word();
        if word.contains(|c: char| c.is_control() || "/\\:".contains(c)) {
            let problem = format!("`{word}` cannot be part of the name of a file");
            return Err(Error::invalid("measures of a matrix", problem, "give it another name"));
        }
        files.push(beside(&word, "npz"));
    }
    if columns.is_some() {
        files.extend(["rows", "columns"].map(|word| beside(word, "tsv")));
    } else {
        files.push(beside(rows.plural(), "tsv"));
    }
    Ok(files)
}

/// Writes a matrix for SciPy: for each measure a file that `scipy.sparse.load_npz` reads (compressed sparse rows, float64), with
/// the same entries in all of them, and beside them what rows and columns are, as tables.
/// [`npz_files`] are the files; they appear together.
///
/// Of a symmetric matrix both halves are there; a further array in the file, `symmetry`, says `symmetric`, or else `general`.
/// Entries are those that are stored; of a dense matrix those that any measure has other than 0.
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

/// The files that [`write_measure_npz`] writes: `path`, and the tables of what its rows and columns are.
pub(super) fn measure_files(path: &Path, matrix: &ConnectivityMatrix) -> Result<Vec<PathBuf>> {
    let columns = (!matrix.is_symmetric()).then(|| matrix.columns().kind());
    let tables = npz_files(path, [], matrix.rows().kind(), columns)?;
    Ok(std::iter::once(path.to_owned()).chain(tables).collect())
}

/// Writes one measure of a matrix for SciPy under this name, and beside it what rows and columns are, as
/// [`write_matrix_npz`] does of all measures.
pub(super) fn write_measure_npz(path: &Path, matrix: &ConnectivityMatrix, measure: &Measure) -> Result<()> {
    let stored = Stored::new(matrix);
    let mut complete = vec![write_one(path, &stored, values(path, matrix, measure)?)?];
    let files = measure_files(path, matrix)?;
    for (path, axis) in files[1..].iter().zip([matrix.rows(), matrix.columns()]) {
        complete.push(axis_tsv(path, axis)?);
    }
    finish_together(complete)
}

/// The entries to be written: where rows begin, and of each its column and its place among the values.
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

/// The symmetry of a matrix, as its file says it.
pub(super) fn symmetry(is_symmetric: bool) -> &'static str {
    if is_symmetric { "symmetric" } else { "general" }
}

fn write_one(path: &Path, stored: &Stored<'_>, values: &[f64]) -> Result<AtomicFile> {
    let mut archive = NpzWriter::create(path)?;
    let [rows, columns] = stored.matrix.shape();
    // SciPy's own choice: both kinds of indices have one type.
    let most = stored.columns.len().max(columns).max(rows);
    if i32::try_from(most).is_ok() {
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

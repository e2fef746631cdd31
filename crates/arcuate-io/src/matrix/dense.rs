//! Writes and reads dense connectivity matrices as text and as NumPy arrays.

use crate::AtomicFile;
use crate::npy::NpyWriter;
use crate::text_file::for_each_line;
use arcuate_core::{ConnectivityMatrix, Error, Measure, Result};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Writes one measure of a connectivity matrix (such as the number of streamlines) as text. The file has one
/// line per row, numbers separated by commas, and *no* line of headings. `tck2connectome` writes the same
/// format. `numpy.loadtxt(…, delimiter=",")`, nilearn's connectome plots and MATLAB's `readmatrix` read it.
/// For a symmetric matrix, the elements above and below the diagonal are written.
///
/// [`write_axis_csv`](crate::write_axis_csv) writes what the rows and columns represent. Each number has
/// enough digits that reading it gives the same number. Returns an error if the matrix does not have this
/// measure.
pub fn write_matrix_csv(path: &Path, matrix: &ConnectivityMatrix, measure: &Measure) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let mut text = String::new();
    for_rows(path, matrix, measure, |row| {
        text.clear();
        for (column, value) in row.iter().enumerate() {
            let separator = if column == 0 { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{value}");
        }
        text.push('\n');
        file.write_all(text.as_bytes()).map_err(|e| Error::write(path, e))
    })?;
    file.finish()
}

/// Writes one measure of a connectivity matrix (such as the number of streamlines) for NumPy (`numpy.load`),
/// as a float64 array of rows × columns. For a symmetric matrix, the elements above and below the diagonal
/// are written. Returns an error if the matrix does not have this measure.
pub fn write_matrix_npy(path: &Path, matrix: &ConnectivityMatrix, measure: &Measure) -> Result<()> {
    let mut file = NpyWriter::create(path, &matrix.shape())?;
    for_rows(path, matrix, measure, |row| file.write(row))?;
    file.finish()
}

/// Calls the function `take` with each row of the matrix, in order.
fn for_rows(
    path: &Path,
    matrix: &ConnectivityMatrix,
    measure: &Measure,
    mut take: impl FnMut(&[f64]) -> Result<()>,
) -> Result<()> {
    let values = values(path, matrix, measure)?;
    let whole = matrix.whole_rows();
    let [rows, columns] = matrix.shape();
    let mut places = vec![0.0; columns];
    for row in 0..rows {
        whole.fill(row, values, &mut places);
        take(&places)?;
    }
    Ok(())
}

/// Returns the values of one measure of the matrix, or an error if the matrix does not have this measure.
pub(super) fn values<'a>(
    path: &Path,
    matrix: &'a ConnectivityMatrix,
    measure: &Measure,
) -> Result<&'a [f64]> {
    matrix.values(measure).ok_or_else(|| {
        let problem = format!("the matrix has no {}", measure.word());
        Error::invalid(path.display(), problem, "choose a measure that the connectivity matrix has")
    })
}

/// Reads a matrix from text with one line per row and commas between the numbers. Returns the number of rows,
/// the number of columns, and the values row by row. Returns an error if a word is not a number, or if two
/// lines have different numbers of values.
pub fn read_matrix_csv(path: &Path) -> Result<([usize; 2], Vec<f64>)> {
    let damaged = |problem: String| Error::invalid(path.display(), problem, "make the matrix again");
    let (mut rows, mut columns, mut values) = (0, None, Vec::new());
    for_each_line(path, |_, line| {
        rows += 1;
        let before = values.len();
        for word in line.split(',') {
            let value = word.trim().parse::<f64>();
            let shown = || word.chars().take(20).flat_map(char::escape_debug).collect::<String>();
            values.push(
                value
                    .map_err(|_| damaged(format!("line {rows} has `{}`, which is not a number", shown())))?,
            );
        }
        let here = values.len() - before;
        let expected = *columns.get_or_insert(here);
        if here != expected {
            return Err(damaged(format!("line {rows} has {here} numbers, the first has {expected}")));
        }
        Ok(())
    })?;
    Ok(([rows, columns.unwrap_or(0)], values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Axis, ElementKind, SparsePattern};

    fn axis(n: u64) -> Axis {
        Axis::new(ElementKind::Region, (1..=n).collect(), Vec::new()).unwrap()
    }

    #[test]
    fn both_halves_are_written_and_read_back() {
        let odd = 0.1 + 0.2;
        let dense = ConnectivityMatrix::dense(
            axis(2),
            None,
            vec![
                (Measure::Count, vec![0.0, 12.0, 3.0]),
                (Measure::MeanLength, vec![0.0, 31.25, 4.0]),
                (Measure::Weight, vec![0.0, odd, 1e-9]),
            ],
        );
        let pattern = SparsePattern { offsets: vec![0, 1, 2], columns: vec![1, 1] };
        let sparse = ConnectivityMatrix::sparse(
            axis(2),
            None,
            pattern,
            vec![
                (Measure::Count, vec![12.0, 3.0]),
                (Measure::MeanLength, vec![31.25, 4.0]),
                (Measure::Weight, vec![odd, 1e-9]),
            ],
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        for matrix in [dense.unwrap(), sparse.unwrap()] {
            for (measure, text) in
                [(Measure::Count, "0,12\n12,3\n"), (Measure::MeanLength, "0,31.25\n31.25,4\n")]
            {
                write_matrix_csv(&path, &matrix, &measure).unwrap();
                assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            }
            write_matrix_csv(&path, &matrix, &Measure::Weight).unwrap();
            assert_eq!(read_matrix_csv(&path).unwrap(), ([2, 2], vec![0.0, odd, odd, 1e-9]));
            let error = write_matrix_csv(&path, &matrix, &Measure::Sum("fa".into())).unwrap_err();
            assert_eq!(error.problem(), "the matrix has no sum_fa");
            write_matrix_npy(&path, &matrix, &Measure::Weight).unwrap();
            let by_pieces = std::fs::read(&path).unwrap();
            crate::write_npy(&path, &[2, 2], &[0.0, odd, odd, 1e-9]).unwrap();
            assert!(std::fs::read(&path).unwrap() == by_pieces);
        }
    }

    #[test]
    fn damaged_text_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        for (text, problem) in [
            (&b"1,2\n3\n"[..], "line 2 has 1 numbers, the first has 2"),
            (b"1,x\n", "line 1 has `x`, which is not a number"),
            (b"1,\n", "line 1 has ``, which is not a number"),
            (b"\n", "line 1 has ``, which is not a number"),
            (b"1,\xff\n", "it is not UTF-8 text: line 1 has the byte 0xFF"),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read_matrix_csv(&path).unwrap_err().problem(), problem);
        }
        std::fs::write(&path, "").unwrap();
        assert_eq!(read_matrix_csv(&path).unwrap(), ([0, 0], vec![]));
        std::fs::write(&path, "1, 2,3\r\n").unwrap();
        assert_eq!(read_matrix_csv(&path).unwrap(), ([1, 3], vec![1.0, 2.0, 3.0]));
    }
}

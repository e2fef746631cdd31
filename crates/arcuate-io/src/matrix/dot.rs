//! Reads and writes FSL's text format for sparse matrices (`.dot`), which MATLAB's `spconvert` reads, too.
//! Each line has the row, the column and the value of one matrix entry, ordered by column. Rows and columns
//! are counted from 1. The last line has the number of rows, the number of columns, and 0.

use super::entries::{axis, coordinate_files, coordinates, damaged, in_order};
use super::names::measure_of;
use crate::image_errors::too_large;
use crate::memory::tried;
use crate::plain_file::open_file;
use crate::{AtomicFile, finish_together};
use arcuate_core::{Axis, ConnectivityMatrix, Error, Measure, Result, is_file_or_link, narrow};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Maximum length of a line in bytes.
const LONGEST_LINE: u64 = 1 << 12;

/// Reads a matrix with the measure that its name states.
pub(crate) fn read(path: &Path) -> Result<ConnectivityMatrix> {
    read_dot(path, measure_of(path))
}

/// Returns the paths of the files of coordinates that belong to a matrix.
pub(crate) fn companions(path: &Path) -> Vec<PathBuf> {
    coordinate_files(path, &path.file_stem().unwrap_or_default().to_string_lossy()).into()
}

/// Reads a matrix in FSL's text format. If the file `coords_for_NAME` exists in the folder of the matrix, the
/// voxels or vertices of the rows are read from it. The voxels or vertices of the columns are read from
/// `tract_space_coords_for_NAME`. If this second file does not exist and the matrix is square, its columns
/// represent the same voxels or vertices as its rows.
///
/// The allocated memory grows with the number of lines. Without a file of coordinates, at most 2²⁴ rows and
/// columns are accepted. Returns an error if a line does not describe a matrix entry, if an entry is beyond
/// the size of the matrix, or if an entry is repeated.
pub fn read_dot(path: &Path, measure: Measure) -> Result<ConnectivityMatrix> {
    let (shape, entries, values) = lines(path)?;
    let [rows, columns] = axes(path, shape)?;
    let (pattern, order) = in_order(path, shape[0], &entries)?;
    let values = order.into_iter().map(|n| values[n]).collect();
    let read = ConnectivityMatrix::sparse(rows, Some(columns), pattern, vec![(measure, values)]);
    read.map_err(|e| e.about(path.display()))
}

fn axes(path: &Path, [rows, columns]: [usize; 2]) -> Result<[Axis; 2]> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let [of_rows, of_columns] = coordinate_files(path, &name);
    let rows = axis(path, &of_rows, rows)?;
    // If the rows and the columns of a matrix are the same seeds, FSL writes only one file of coordinates.
    let same = !is_file_or_link(&of_columns) && rows.len() == columns;
    let columns = if same { rows.clone() } else { axis(path, &of_columns, columns)? };
    Ok([rows, columns])
}

type Lines = ([usize; 2], Vec<(u32, u32)>, Vec<f64>);

/// Reads the numbers of rows and columns of the matrix, and its entries in the order of the file. In the
/// result, rows and columns are counted from 0.
fn lines(path: &Path) -> Result<Lines> {
    let mut reader = BufReader::new(open_file(path)?);
    let (mut entries, mut values) = (Vec::new(), Vec::new());
    // A line whose value is 0 states the size of the matrix if it is the last line of the file.
    let mut size: Option<[usize; 2]> = None;
    let (mut line, mut number) = (Vec::new(), 0u64);
    loop {
        line.clear();
        let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.map_err(|e| Error::read(path, e))? == 0 {
            break;
        }
        number += 1;
        let wrong = || damaged(path, format!("line {number} is not row, column and value of an entry"));
        let text = std::str::from_utf8(&line).map_err(|_| wrong())?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let (row, column, value) = match words[..] {
            [] => continue,
            [row, column, value] => (row, column, value.parse::<f64>().map_err(|_| wrong())?),
            _ => return Err(wrong()),
        };
        let index = |word: &str| word.parse::<u64>().ok().filter(|&n| n <= Axis::MOST as u64);
        let (Some(row), Some(column), true) = (index(row), index(column), value.is_finite()) else {
            return Err(wrong());
        };
        if value == 0.0 {
            size = Some([row as usize, column as usize]);
            continue;
        }
        if row == 0 || column == 0 {
            return Err(wrong());
        }
        size = None;
        let room = tried(|| entries.try_reserve(1).is_ok() && values.try_reserve(1).is_ok());
        if !room {
            return Err(too_large(path, entries.len().saturating_mul(32)));
        }
        entries.push((narrow::<u32>(row) - 1, narrow::<u32>(column) - 1));
        values.push(value);
    }
    let Some(size) = size else {
        return Err(damaged(path, "its last line does not state the numbers of rows and columns"));
    };
    let beyond = entries.iter().find(|(row, column)| *row as usize >= size[0] || *column as usize >= size[1]);
    if let Some((row, column)) = beyond {
        let problem = format!(
            "it has an entry in row {}, column {}, and is {} × {}",
            row + 1,
            column + 1,
            size[0],
            size[1]
        );
        return Err(damaged(path, problem));
    }
    Ok((size, entries, values))
}

/// Returns the paths of the files that [`write_dot`] writes: the matrix, and the files with the coordinates
/// of its rows and columns if they have coordinates.
pub fn dot_files(path: &Path, matrix: &ConnectivityMatrix) -> Vec<PathBuf> {
    let columns = Some(matrix.columns()).filter(|columns| *columns != matrix.rows());
    let beside = beside(path, matrix.rows(), columns).map(|(file, _)| file);
    std::iter::once(path.to_owned()).chain(beside).collect()
}

/// Returns the paths and the texts of the coordinate files of a matrix, which are in the folder of the
/// matrix. `columns` is `None` if the columns represent the same elements as the rows.
fn beside<'a>(
    path: &Path,
    rows: &'a Axis,
    columns: Option<&'a Axis>,
) -> impl Iterator<Item = (PathBuf, String)> + use<'a> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let files = coordinate_files(path, &name);
    let axes = [Some(rows), columns];
    files.into_iter().zip(axes).filter_map(|(file, axis)| Some((file, coordinates(axis?)?)))
}

/// Writes the coordinate files into the folder of a matrix. The caller renames them to their final names.
/// `columns` is `None` if the columns represent the same elements as the rows.
pub(super) fn dot_coordinates(path: &Path, rows: &Axis, columns: Option<&Axis>) -> Result<Vec<AtomicFile>> {
    let write = |(path, text): (PathBuf, String)| {
        let mut file = AtomicFile::create(&path)?;
        file.write_all(text.as_bytes()).map_err(|e| Error::write(&path, e))?;
        Ok(file)
    };
    beside(path, rows, columns).map(write).collect()
}

/// Writes one measure of a connectivity matrix with all digits. For a symmetric matrix, the entries above and
/// below the diagonal are written. Entries that are 0 are skipped, as in FSL. If the names of rows and
/// columns are coordinates, they are written to files in the same folder, which [`read_dot`] reads.
pub fn write_dot(path: &Path, matrix: &ConnectivityMatrix, measure: &Measure) -> Result<()> {
    let values = super::dense::values(path, matrix, measure)?;
    let [rows, columns] = matrix.shape();
    let whole = matrix.whole_rows();
    // The file lists the entries column by column, but the matrix stores them by row. The entries of each
    // column are therefore counted first, and then put in this order.
    let mut first = vec![0usize; columns + 1];
    let stored = |row| whole.row(row).filter(|&(_, entry)| values[entry] != 0.0);
    for row in 0..rows {
        stored(row).for_each(|(column, _)| first[column + 1] += 1);
    }
    for column in 0..columns {
        first[column + 1] += first[column];
    }
    let mut next = first.clone();
    let mut by_column = vec![(0u32, 0usize); first[columns]];
    for row in 0..rows {
        for (column, entry) in stored(row) {
            by_column[next[column]] = (narrow::<u32>(row), entry);
            next[column] += 1;
        }
    }
    let mut file = AtomicFile::create(path)?;
    let failed = |e| Error::write(path, e);
    for column in 0..columns {
        for &(row, entry) in &by_column[first[column]..first[column + 1]] {
            writeln!(file, "{}  {}  {}", row + 1, column + 1, values[entry]).map_err(failed)?;
        }
    }
    writeln!(file, "{rows}  {columns}  0").map_err(failed)?;
    let mut complete = vec![file];
    let columns = Some(matrix.columns()).filter(|columns| *columns != matrix.rows());
    complete.extend(dot_coordinates(path, matrix.rows(), columns)?);
    finish_together(complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<ConnectivityMatrix> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.dot");
        std::fs::write(&path, text).unwrap();
        read_dot(&path, Measure::Count)
    }

    #[test]
    fn matrices_and_coordinates_survive_a_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fdt_matrix2.dot");
        let beside = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        // FSL writes the matrix entries column by column, with two spaces between the numbers.
        beside("fdt_matrix2.dot", "2  1  0.5\n1  2  7\n2  4  12\n2  4  0\n");
        beside("coords_for_fdt_matrix2", "10  20  30  0  1  \n11  20  30  0  2  \n");
        beside("tract_space_coords_for_fdt_matrix2", "1  1  1\n2  1  1\n3  1  1\n4  1  1\n");
        let matrix = read_dot(&path, Measure::Count).unwrap();
        assert_eq!(matrix.shape(), [2, 4]);
        assert_eq!(matrix.values(&Measure::Count), Some(&[7.0, 0.5, 12.0][..]));
        assert_eq!(matrix.pattern().unwrap().columns, [1, 0, 3]);
        assert_eq!((matrix.rows().name(1), matrix.columns().name(2)), (Some("11 20 30 0 2"), Some("3 1 1")));
        let again = folder.path().join("b.dot");
        assert_eq!(dot_files(&again, &matrix).len(), 3);
        write_dot(&again, &matrix, &Measure::Count).unwrap();
        assert_eq!(std::fs::read_to_string(&again).unwrap(), "2  1  0.5\n1  2  7\n2  4  12\n2  4  0\n");
        assert_eq!(read_dot(&again, Measure::Count).unwrap(), matrix);
    }

    #[test]
    fn square_matrices_have_one_coordinate_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.dot");
        let names = ["1 2 3 0 5", "4 5 6 0 7"].map(str::to_owned).to_vec();
        let axis = Axis::new(arcuate_core::ElementKind::Element, vec![0, 1], names).unwrap();
        let matrix =
            ConnectivityMatrix::dense(axis.clone(), None, vec![(Measure::Count, vec![0.0, 3.0, 1e-7])])
                .unwrap();
        write_dot(&path, &matrix, &Measure::Count).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "2  1  3\n1  2  3\n2  2  0.0000001\n2  2  0\n");
        assert!(!folder.path().join("tract_space_coords_for_m").exists());
        let read = read_dot(&path, Measure::Count).unwrap();
        assert_eq!((read.rows(), read.columns()), (&axis, &axis));
        assert_eq!(read.get(&Measure::Count, 1, 1), Some(1e-7));
        assert!(write_dot(&path, &matrix, &Measure::Weight).is_err());
    }

    #[test]
    fn damaged_text_is_rejected() {
        let many = format!("1  1  1\n1  {}  2\n", u64::MAX);
        for (text, problem) in [
            (&b""[..], "its last line does not state the numbers of rows and columns"),
            (b"1  1  1\n", "its last line does not state the numbers of rows and columns"),
            (b"1  1\n", "line 1 is not row, column and value of an entry"),
            (b"0  1  1\n1 1 0\n", "line 1 is not row, column and value of an entry"),
            (b"1  1  nan\n1 1 0\n", "line 1 is not row, column and value of an entry"),
            (b"\n1  -1  2\n1 1 0\n", "line 2 is not row, column and value of an entry"),
            (b"1  1  \xff\n1 1 0\n", "line 1 is not row, column and value of an entry"),
            (many.as_bytes(), "line 2 is not row, column and value of an entry"),
            (b"3  1  1\n2 2 0\n", "it has an entry in row 3, column 1, and is 2 × 2"),
            (b"1  2  1\n1  2  3\n2 2 0\n", "row 1, column 2 is there twice"),
        ] {
            assert_eq!(read(text).unwrap_err().problem(), problem, "{:?}", String::from_utf8_lossy(text));
        }
        assert_eq!(read(b"0 0 0\n").unwrap().shape(), [0, 0]);
        assert_eq!(read(b"1 1 2\r\n9 9 0\r\n3 3 0\r\n").unwrap().shape(), [3, 3]);
        assert!(read(&vec![b'1'; 1 << 14]).is_err());
    }

    #[test]
    fn coordinates_must_match_the_matrix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.dot");
        std::fs::write(&path, "2 2 0\n").unwrap();
        for (text, problem) in [
            ("1 2 3\n", "it has 1 lines for 2 elements"),
            ("1 2 3\n1 2 3\n1 2 3\n1 2 3\n", "it has more than 2 lines for 2 elements"),
            ("1 2 3\n1 2\n", "line 2 holds no three or five whole numbers"),
            ("1 2 3\n1 2 0.5\n", "line 2 holds no three or five whole numbers"),
        ] {
            std::fs::write(folder.path().join("coords_for_m"), text).unwrap();
            assert_eq!(read_dot(&path, Measure::Count).unwrap_err().problem(), problem);
        }
    }
}

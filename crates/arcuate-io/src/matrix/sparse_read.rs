//! Reads connectivity matrices in SciPy's format for sparse matrices (compressed sparse rows).

use super::axis::read_axis_tsv;
use super::entries::unknown_axis;
use super::names::{measure_of, stems};
use crate::image_errors::too_large;
use crate::memory::reserve;
use crate::npy::{Header, MAX_HEADER};
use crate::plain_file::open_file;
use arcuate_core::{
    Axis, ConnectivityMatrix, ElementKind, Error, Measure, Result, SparsePattern, is_file_or_link, narrow,
};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

const ADVICE: &str = "save it with scipy.sparse.save_npz as float64, in the format csr";

/// Reads a sparse matrix that SciPy has written in the format `csr` (`scipy.sparse.save_npz`, compressed or
/// not). The result is a connectivity matrix with one measure, whose rows and columns represent the elements
/// in `rows` and `columns`. `columns` is `None` for a symmetric matrix. Numbers may have any real number
/// type. The columns within a row may be in any order.
///
/// Returns an error if the file is damaged or in another format, or if its numbers of rows and columns are
/// not those of `rows` and `columns`. An error is also returned if an entry is repeated, or if the matrix
/// should be symmetric but is not.
pub fn read_matrix_npz(
    path: &Path,
    rows: Axis,
    columns: Option<Axis>,
    measure: Measure,
) -> Result<ConnectivityMatrix> {
    let shape = [rows.len(), columns.as_ref().map_or(rows.len(), Axis::len)];
    let (pattern, values) = Archive::open(path)?.entries(shape)?;
    let (pattern, values) =
        if columns.is_none() { upper_half(path, &pattern, &values)? } else { (pattern, values) };
    let read = ConnectivityMatrix::sparse(rows, columns, pattern, vec![(measure, values)]);
    read.map_err(|e| e.about(path.display()).advise(ADVICE))
}

/// Reads a matrix with the tables in its folder that describe the rows and columns.
pub(crate) fn read_with_tables(path: &Path) -> Result<ConnectivityMatrix> {
    let (rows, columns) = axes(path)?;
    read_matrix_npz(path, rows, columns, measure_of(path))
}

/// Returns the paths of the tables that describe the rows and columns if they exist.
pub(crate) fn tables(path: &Path) -> Vec<PathBuf> {
    let words = || ["rows", "columns"].into_iter().chain(ElementKind::ALL.iter().map(|kind| kind.plural()));
    let of_stem = |(stem, _)| words().map(move |word| format!("{stem}_{word}.tsv"));
    stems(path).into_iter().flat_map(of_stem).map(|name| path.with_file_name(name)).collect()
}

/// Reads what the rows and columns of a SciPy matrix represent. The result for the columns is `None` if the
/// matrix is symmetric.
fn axes(path: &Path) -> Result<(Axis, Option<Axis>)> {
    for (stem, _) in stems(path) {
        let sibling = |word: &str| path.with_file_name(format!("{stem}_{word}.tsv"));
        let [rows, columns] = ["rows", "columns"].map(sibling);
        if is_file_or_link(&rows) || is_file_or_link(&columns) {
            // If no table describes the rows (or columns), only their number is known.
            let [count_of_rows, count_of_columns] = npz_shape(path)?;
            let axis = |table: &Path, count: usize| {
                if is_file_or_link(table) { read_axis_tsv(table) } else { unknown_axis(path, count) }
            };
            return Ok((axis(&rows, count_of_rows)?, Some(axis(&columns, count_of_columns)?)));
        }
        let both =
            ElementKind::ALL.iter().map(|kind| sibling(kind.plural())).find(|path| is_file_or_link(path));
        if let Some(both) = both {
            return Ok((read_axis_tsv(&both)?, None));
        }
    }
    let [rows, columns] = npz_shape(path)?;
    Ok((unknown_axis(path, rows)?, Some(unknown_axis(path, columns)?)))
}

/// Reads the number of rows and the number of columns of a sparse matrix of SciPy.
fn npz_shape(path: &Path) -> Result<[usize; 2]> {
    let mut archive = Archive::open(path)?;
    let shape = archive.whole("shape", 2)?;
    let [rows, columns] = [shape[0], shape[1]].map(|n| usize::try_from(n).ok().filter(|&n| n <= Axis::MOST));
    match (rows, columns) {
        (Some(rows), Some(columns)) => Ok([rows, columns]),
        _ => Err(archive.invalid(format!("the matrix has {} × {} entries", shape[0], shape[1]))),
    }
}

/// An array of integers or floating-point numbers.
enum Numbers {
    Whole(Vec<i64>),
    Real(Vec<f64>),
}

struct Archive<'a> {
    path: &'a Path,
    archive: ZipArchive<BufReader<File>>,
}

impl<'a> Archive<'a> {
    fn open(path: &'a Path) -> Result<Self> {
        let archive = ZipArchive::new(BufReader::new(open_file(path)?)).map_err(|e| {
            let problem = format!("the file is not a zip archive, or the archive is incomplete ({e})");
            Error::invalid(path.display(), problem, "copy the file again")
        })?;
        Ok(Self { path, archive })
    }

    fn invalid(&self, problem: String) -> Error {
        Error::invalid(self.path.display(), problem, ADVICE)
    }

    /// Reads the entries of a matrix with `shape` rows and columns. In the result, the columns of each row
    /// are in ascending order.
    fn entries(mut self, shape: [usize; 2]) -> Result<(SparsePattern, Vec<f64>)> {
        let format = self.word("format")?;
        if format != "csr" {
            let shown: String = format.chars().take(20).flat_map(char::escape_debug).collect();
            return Err(self.invalid(format!("the format of the matrix is `{shown}`, not `csr`")));
        }
        let there = self.whole("shape", 2)?;
        if there != shape.map(|n| n as i64) {
            let problem = format!(
                "the matrix has {} × {} entries, but its axes have {} × {}",
                there[0], there[1], shape[0], shape[1]
            );
            return Err(Error::invalid(
                self.path.display(),
                problem,
                "give the axes that belong to this matrix",
            ));
        }
        let offsets = self.whole("indptr", shape[0] + 1)?;
        let count = offsets[shape[0]];
        let maximum = shape[0].saturating_mul(shape[1]);
        let count = usize::try_from(count).ok().filter(|&count| count <= maximum && offsets[0] == 0);
        let (Some(count), true) = (count, offsets.is_sorted()) else {
            return Err(self.invalid("its indptr does not cut its entries into rows".to_owned()));
        };
        let columns = self.whole("indices", count)?;
        let values = match self.numbers("data", count)? {
            Numbers::Real(values) => values,
            Numbers::Whole(values) => values.into_iter().map(|value| value as f64).collect(),
        };
        let offsets: Vec<usize> = offsets.into_iter().map(|offset| offset as usize).collect();
        let mut entries: Vec<(i64, f64)> = columns.into_iter().zip(values).collect();
        for row in offsets.windows(2) {
            entries[row[0]..row[1]].sort_by_key(|&(column, _)| column);
        }
        let column = |&(column, _): &(i64, f64)| u32::try_from(column).ok();
        let columns: Option<Vec<u32>> = entries.iter().map(column).collect();
        let Some(columns) = columns else {
            return Err(self.invalid("it has an entry in no column".to_owned()));
        };
        let pattern = SparsePattern { offsets, columns };
        pattern.check(shape[0], Some(shape[1])).map_err(|e| e.about(self.path.display()).advise(ADVICE))?;
        Ok((pattern, entries.into_iter().map(|(_, value)| value).collect()))
    }

    /// Reads an array that consists of a single text.
    fn word(&mut self, name: &str) -> Result<String> {
        let path = self.path;
        let (header, mut rest) = self.begin(name)?;
        let bytes = header.kind().strip_prefix('S').and_then(|length| length.parse::<u64>().ok());
        // NumPy stores Python texts with four bytes per character.
        let wide = header.kind().strip_prefix('U').and_then(|length| length.parse::<u64>().ok());
        let mut text = Vec::new();
        let maximum = bytes.or(wide.map(|length| length.saturating_mul(4))).unwrap_or(0).min(MAX_HEADER);
        rest.by_ref().take(maximum).read_to_end(&mut text).map_err(|e| unreadable(path, name, &e))?;
        text.retain(|&byte| byte != 0);
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Reads an array of `count` integers.
    fn whole(&mut self, name: &str, count: usize) -> Result<Vec<i64>> {
        match self.numbers(name, count)? {
            Numbers::Whole(numbers) => Ok(numbers),
            Numbers::Real(_) => {
                Err(self.invalid(format!("the values of {name} in the matrix file are not whole numbers")))
            }
        }
    }

    /// Reads the numbers of a one-dimensional NumPy array, which must have `count` elements.
    fn numbers(&mut self, name: &str, count: usize) -> Result<Numbers> {
        let path = self.path;
        let invalid = |problem: String| Error::invalid(path.display(), problem, ADVICE);
        let (header, mut rest) = self.begin(name)?;
        let shape: Vec<&str> = header.shape().collect();
        if shape != [count.to_string()] {
            return Err(invalid(format!("its {name} are ({}), not {count} numbers", header.shape)));
        }
        let number = match (header.kind(), header.is_big_endian()) {
            ("f8", false) => Number::Real(8, |b| f64::from_le_bytes(first(b))),
            ("f8", true) => Number::Real(8, |b| f64::from_be_bytes(first(b))),
            ("f4", false) => Number::Real(4, |b| f64::from(f32::from_le_bytes(first(b)))),
            ("f4", true) => Number::Real(4, |b| f64::from(f32::from_be_bytes(first(b)))),
            ("i8", false) => Number::Whole(8, |b| i64::from_le_bytes(first(b))),
            ("i8", true) => Number::Whole(8, |b| i64::from_be_bytes(first(b))),
            ("i4", false) => Number::Whole(4, |b| i64::from(i32::from_le_bytes(first(b)))),
            ("i4", true) => Number::Whole(4, |b| i64::from(i32::from_be_bytes(first(b)))),
            ("i2", false) => Number::Whole(2, |b| i64::from(i16::from_le_bytes(first(b)))),
            ("i2", true) => Number::Whole(2, |b| i64::from(i16::from_be_bytes(first(b)))),
            ("u4", false) => Number::Whole(4, |b| i64::from(u32::from_le_bytes(first(b)))),
            ("u4", true) => Number::Whole(4, |b| i64::from(u32::from_be_bytes(first(b)))),
            ("u2", false) => Number::Whole(2, |b| i64::from(u16::from_le_bytes(first(b)))),
            ("u2", true) => Number::Whole(2, |b| i64::from(u16::from_be_bytes(first(b)))),
            ("i1", _) => Number::Whole(1, |b| i64::from(i8::from_le_bytes(first(b)))),
            ("u1" | "b1", _) => Number::Whole(1, |b| i64::from(b[0])),
            (kind, _) => {
                let shown: String = kind.chars().take(20).flat_map(char::escape_debug).collect();
                return Err(invalid(format!("its {name} are of type `{shown}`")));
            }
        };
        let numbers = match number {
            Number::Whole(size, of) => Numbers::Whole(read(path, name, &mut rest, count, size, of)?),
            Number::Real(size, of) => Numbers::Real(read(path, name, &mut rest, count, size, of)?),
        };
        // Reading beyond the last byte makes the zip library verify the checksum.
        match rest.read(&mut [0]) {
            Ok(0) => Ok(numbers),
            Ok(_) => Err(invalid(format!("its {name} are longer than their header says"))),
            Err(error) => Err(unreadable(path, name, &error)),
        }
    }

    /// Reads the header of a NumPy array. Also returns a reader that is at the first byte after the header.
    fn begin(&mut self, name: &str) -> Result<(Header, impl Read + '_)> {
        let path = self.path;
        let entry = self.archive.by_name(&format!("{name}.npy")).map_err(|e| {
            let problem = format!("the entry {name} of the matrix file cannot be read ({e})");
            Error::invalid(path.display(), problem, ADVICE)
        })?;
        let mut entry = BufReader::new(entry);
        let mut start = vec![0; 10];
        entry.read_exact(&mut start).map_err(|e| unreadable(path, name, &e))?;
        // In versions of the NumPy format after 1.0, the length of the header takes two more bytes.
        if start[6] > 1 {
            start.resize(12, 0);
            entry.read_exact(&mut start[10..]).map_err(|e| unreadable(path, name, &e))?;
        }
        let length = start[8..].iter().rev().fold(0u64, |length, &byte| length << 8 | u64::from(byte));
        if length <= MAX_HEADER {
            let text = entry.by_ref().take(length).read_to_end(&mut start);
            text.map_err(|e| unreadable(path, name, &e))?;
        }
        let header = Header::parse(&start);
        let header = header.map_err(|e| {
            Error::invalid(
                path.display(),
                format!("the entry {name} of the matrix file is not an array: {e}"),
                ADVICE,
            )
        })?;
        Ok((header, entry))
    }
}

/// The number type of a NumPy array: integer or floating point, and its size in bytes.
enum Number {
    Whole(usize, fn(&[u8]) -> i64),
    Real(usize, fn(&[u8]) -> f64),
}

/// Returns the first `N` bytes of `bytes` as an array, from which a number is decoded.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|n| bytes[n])
}

/// Reads `count` numbers of `size` bytes each. Memory is allocated only for numbers that have been read.
fn read<T>(
    path: &Path,
    name: &str,
    from: &mut impl Read,
    count: usize,
    size: usize,
    of: fn(&[u8]) -> T,
) -> Result<Vec<T>> {
    const AT_ONCE: usize = 1 << 16;
    let mut numbers = Vec::new();
    let mut block = vec![0; AT_ONCE.min(count) * size];
    while numbers.len() < count {
        let here = AT_ONCE.min(count - numbers.len());
        let bytes = &mut block[..here * size];
        from.read_exact(bytes).map_err(|e| unreadable(path, name, &e))?;
        if numbers.capacity() < numbers.len() + here {
            let more = here.max(numbers.len()).min(count - numbers.len());
            reserve(&mut numbers, more).map_err(|_| too_large(path, count.saturating_mul(size_of::<T>())))?;
        }
        numbers.extend(bytes.chunks_exact(size).map(of));
    }
    Ok(numbers)
}

fn unreadable(path: &Path, name: &str, error: &std::io::Error) -> Error {
    let problem = match error.kind() {
        std::io::ErrorKind::UnexpectedEof => format!("the entry {name} of the matrix file ends early"),
        _ => format!("the entry {name} of the matrix file cannot be read ({error})"),
    };
    Error::invalid(path.display(), problem, "copy the file again")
}

/// Returns the entries of a symmetric matrix that are on or above the diagonal. Returns an error if the
/// matrix is not symmetric.
fn upper_half(path: &Path, whole: &SparsePattern, values: &[f64]) -> Result<(SparsePattern, Vec<f64>)> {
    let rows = whole.offsets.len() - 1;
    let of_row = |row: usize| whole.offsets[row]..whole.offsets[row + 1];
    let mirrored = |row: usize, column: u32, value: f64| {
        let other = of_row(column as usize);
        let place = whole.columns[other.clone()].binary_search(&narrow::<u32>(row)).ok()?;
        Some(values[other.start + place].to_bits() == value.to_bits())
    };
    let mut upper = (SparsePattern { offsets: vec![0], columns: Vec::new() }, Vec::new());
    for row in 0..rows {
        for entry in of_row(row) {
            let (column, value) = (whole.columns[entry], values[entry]);
            if mirrored(row, column, value) != Some(true) {
                let problem = format!(
                    "the matrix is not symmetric: row {row}, column {column} (counted from 0) has the value \
                     {value}, but row {column}, column {row} has another value"
                );
                return Err(Error::invalid(
                    path.display(),
                    problem,
                    "read the matrix as one with different rows and columns",
                ));
            }
            if column as usize >= row {
                upper.0.columns.push(column);
                upper.1.push(value);
            }
        }
        upper.0.offsets.push(upper.0.columns.len());
    }
    Ok(upper)
}

#[cfg(test)]
mod tests;

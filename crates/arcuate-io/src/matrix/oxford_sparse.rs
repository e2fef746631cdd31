//! Reads and writes FSL's matrix format with three files ("Oxford sparse"), which `probtrackx2 --omatrix4`
//! writes. `NAME_1.mtx` is a text with the numbers of rows and columns. `NAME_2.mtx` has the number of
//! entries of each column. `NAME_3.mtx` has the row (counted from 0) and a code of each entry, ordered by
//! column. All numbers are 64-bit little-endian integers.
//!
//! The code of an entry is the number n · 2³² + 1001² · p₁ + 1001 · p₂ + d. Here n is the number of
//! streamlines of the entry. Among every thousand of these streamlines, p₁ followed the first fibre of a
//! voxel and p₂ the second. Their mean distance is d in mm, up to 1000.

use super::entries::{axis, coordinate_files, damaged, in_order};
use crate::endings::{split_ending, without_ending};
use crate::image_errors::too_large;
use crate::memory::reserve;
use crate::plain_file::PlainFile;
use crate::text_table::read_numbers;
use crate::{AtomicFile, finish_together};
use arcuate_core::{Axis, ConnectivityMatrix, Error, Measure, Result, narrow};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The factor by which the numbers p₁, p₂ and d of a code differ in their place value.
const STEP: u64 = 1001;

/// Returns the measures that a matrix in this format has: numbers of streamlines, mean distances, and the
/// fractions of streamlines along the first and the second fibre.
fn measures() -> [Measure; 4] {
    let fibre = |n: usize| Measure::Mean(format!("fibre_{n}"));
    [Measure::Count, Measure::MeanLength, fibre(1), fibre(2)]
}

/// Returns the paths of the three files of a matrix; `path` is one of them. Returns `None` if `path` does not
/// have the name of such a file.
pub fn oxford_sparse_files(path: &Path) -> Option<[PathBuf; 3]> {
    let name = path.file_name()?.to_str()?;
    let (stem, ending) = split_ending(name, &["_1.mtx", "_2.mtx", "_3.mtx"])?;
    Some([1, 2, 3].map(|n| path.with_file_name(format!("{stem}_{n}{}", &ending[2..]))))
}

/// Returns the paths of the three files and of the files of coordinates that belong to a matrix.
pub(crate) fn companions(path: &Path) -> Vec<PathBuf> {
    let Some(files) = oxford_sparse_files(path) else { return Vec::new() };
    let coordinates = coordinate_files(path, &stem(&files[0]));
    files.into_iter().chain(coordinates).collect()
}

/// Returns the common beginning of the names of the three files, from the name of the first file.
fn stem(first: &Path) -> String {
    let name = first.file_name().unwrap_or_default().to_string_lossy();
    without_ending(&name, &["_1.mtx"]).to_owned()
}

/// Reads a matrix; `path` is one of its three files. The measures are numbers of streamlines, mean distances
/// in mm (`lengths`), and the fractions of streamlines along the first and the second fibre (`mean_fibre_1`,
/// `mean_fibre_2`). If the file `tract_space_coords_for_NAME` exists in the folder of the matrix, the
/// coordinates of the rows are read from it. The coordinates of the columns are read from `coords_for_NAME`.
///
/// The sizes of the files are compared with the numbers of rows and entries that the files state, before
/// memory is allocated.
pub fn read_oxford_sparse(path: &Path) -> Result<ConnectivityMatrix> {
    let files = oxford_sparse_files(path).ok_or_else(|| {
        let advice = "give a file that ends in _1.mtx, _2.mtx or _3.mtx";
        Error::usage(
            path.display(),
            "the name is not the name of one of the three .mtx files of a matrix",
            advice,
        )
    })?;
    let [first, second, third] = &files;
    let size = |number: f64| {
        let whole = number.fract() == 0.0 && (0.0..=Axis::MOST as f64).contains(&number);
        whole.then_some(number as usize)
    };
    let sizes: Option<Vec<usize>> = read_numbers(first)?.into_iter().map(size).collect();
    let Some([rows, columns]) = sizes.as_deref().and_then(|sizes| <[usize; 2]>::try_from(sizes).ok()) else {
        return Err(damaged(first, "it does not state the numbers of rows and columns"));
    };
    let counts = words(second, columns as u64)?;
    let total = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
    let total = total.filter(|&total| total <= u64::MAX / 16);
    let total = total.ok_or_else(|| damaged(second, "its columns have more entries than any file"))?;
    let pairs = words(third, 2 * total)?;
    let mut entries: Vec<(u32, u32)> = Vec::new();
    reserve(&mut entries, total as usize).map_err(|_| too_large(third, total as usize * 8))?;
    let mut at = 0;
    for (column, &count) in counts.iter().enumerate() {
        for pair in pairs[2 * at..2 * (at + count as usize)].chunks_exact(2) {
            if pair[0] >= rows as u64 {
                let problem = format!("it has an entry in row {} of {rows}", pair[0] as i64);
                return Err(damaged(third, problem));
            }
            entries.push((narrow::<u32>(pair[0]), narrow::<u32>(column)));
        }
        at += count as usize;
    }
    let [of_columns, of_rows] = coordinate_files(first, &stem(first));
    let axes = [axis(first, &of_rows, rows)?, axis(first, &of_columns, columns)?];
    let (pattern, order) = in_order(third, rows, &entries)?;
    let field = |of: fn(u64) -> f64| order.iter().map(|&n| of(pairs[2 * n + 1])).collect::<Vec<f64>>();
    let share = |code: u64, place: u64| (code & 0xffff_ffff) / place % STEP;
    if let Some(&n) = order.iter().find(|&&n| {
        let code = pairs[2 * n + 1];
        (code & 0xffff_ffff) >= STEP * STEP * STEP || share(code, STEP * STEP) + share(code, STEP) > 1000
    }) {
        return Err(damaged(third, format!("{} is the code of no entry", pairs[2 * n + 1] as i64)));
    }
    let values = [
        field(|code| (code >> 32) as f64),
        field(|code| ((code & 0xffff_ffff) % STEP) as f64),
        field(|code| ((code & 0xffff_ffff) / (STEP * STEP)) as f64 / 1000.0),
        field(|code| ((code & 0xffff_ffff) / STEP % STEP) as f64 / 1000.0),
    ];
    let [rows, columns] = axes;
    let values = measures().into_iter().zip(values).collect();
    ConnectivityMatrix::sparse(rows, Some(columns), pattern, values).map_err(|e| e.about(first.display()))
}

/// Reads `count` 64-bit numbers. The file must contain nothing else.
fn words(path: &Path, count: u64) -> Result<Vec<u64>> {
    let file = PlainFile::open(path)?;
    if Some(file.size()) != count.checked_mul(8) {
        let problem = format!("it has {} bytes for {count} numbers of 8 bytes", file.size());
        return Err(damaged(path, problem));
    }
    let bytes = file.bytes(0, file.size() as usize)?;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    Ok(bytes.chunks_exact(8).map(word).collect())
}

/// Writes a connectivity matrix that has numbers of streamlines to three files; `path` is one of them. Mean
/// streamline lengths are written as distances in whole mm, at most 1000. The measures `mean_fibre_1` and
/// `mean_fibre_2` are written as the fractions of the two fibres. If the matrix does not have these measures,
/// all streamlines are assigned to the first fibre.
///
/// Returns an error if the matrix has no numbers of streamlines, or if such a number is not an integer below
/// 2³¹.
pub fn write_oxford_sparse(path: &Path, matrix: &ConnectivityMatrix) -> Result<()> {
    let [first, second, third] = oxford_sparse_files(path).ok_or_else(|| {
        let advice = "use a file name that ends in _1.mtx";
        Error::usage(
            path.display(),
            "the name is not the name of one of the three .mtx files of a matrix",
            advice,
        )
    })?;
    let [counts, lengths, one, two] = measures().map(|measure| matrix.values(&measure));
    let counts = counts.ok_or_else(|| damaged(path, "the matrix has no counts"))?;
    let [rows, columns] = matrix.shape();
    let whole = matrix.whole_rows();
    let mut by_column: Vec<Vec<(u64, u64)>> = vec![Vec::new(); columns];
    for row in 0..rows {
        for (column, entry) in whole.row(row).filter(|&(_, entry)| counts[entry] != 0.0) {
            let count = counts[entry];
            if count.fract() != 0.0 || !(0.0..2_147_483_648.0).contains(&count) {
                let advice = "write another format";
                return Err(Error::invalid(path.display(), format!("{count} is not a count"), advice));
            }
            let thousandths = |values: Option<&[f64]>, without: f64| {
                (values.map_or(without, |values| values[entry]) * 1000.0).round().clamp(0.0, 1000.0) as u64
            };
            let p1 = thousandths(one, 1.0);
            let p2 = thousandths(two, 0.0).min(1000 - p1);
            let distance = lengths.map_or(0.0, |lengths| lengths[entry]).round().clamp(0.0, 1000.0) as u64;
            let code = ((count as u64) << 32) + (p1 * STEP + p2) * STEP + distance;
            by_column[column].push((row as u64, code));
        }
    }
    let mut files = Vec::new();
    let mut write = |path: &Path, bytes: &[u8]| -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(bytes).map_err(|e| Error::write(path, e))?;
        files.push(file);
        Ok(())
    };
    write(&first, format!("{rows}\n{columns}\n").as_bytes())?;
    let counts: Vec<u8> = by_column.iter().flat_map(|column| (column.len() as u64).to_le_bytes()).collect();
    write(&second, &counts)?;
    let entries = by_column.iter().flatten().flat_map(|&(row, code)| [row, code]);
    write(&third, &entries.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())?;
    finish_together(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(folder: &Path) -> ConnectivityMatrix {
        // The matrix of this test has one entry in column 0 (row 2), no entry in column 1, and two entries in
        // column 2 (rows 0 and 1).
        let code = |count: u64, p1: u64, p2: u64, d: u64| (count << 32) + p1 * 1001 * 1001 + p2 * 1001 + d;
        let entries = [[2, code(3, 600, 400, 57)], [0, code(1, 0, 0, 1000)], [1, code(70_000, 1000, 0, 0)]];
        let bytes: Vec<u8> = entries.concat().into_iter().flat_map(u64::to_le_bytes).collect();
        std::fs::write(folder.join("m_1.mtx"), "3\n3\n").unwrap();
        let counts: Vec<u8> = [1u64, 0, 2].into_iter().flat_map(u64::to_le_bytes).collect();
        std::fs::write(folder.join("m_2.mtx"), counts).unwrap();
        std::fs::write(folder.join("m_3.mtx"), bytes).unwrap();
        read_oxford_sparse(&folder.join("m_2.mtx")).unwrap()
    }

    #[test]
    fn codes_survive_a_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tract_space_coords_for_m"), "1 2 3\n4 5 6\n7 8 9\n").unwrap();
        let matrix = matrix(folder.path());
        let get = |measure: &Measure| {
            [(0, 2), (1, 2), (2, 0), (1, 1)].map(|(row, column)| matrix.get(measure, row, column).unwrap())
        };
        let [count, length, one, two] = measures();
        assert_eq!(get(&count), [1.0, 70_000.0, 3.0, 0.0]);
        assert_eq!(get(&length), [1000.0, 0.0, 57.0, 0.0]);
        assert_eq!((get(&one), get(&two)), ([0.0, 1.0, 0.6, 0.0], [0.0, 0.0, 0.4, 0.0]));
        assert_eq!((matrix.rows().name(1), matrix.columns().name(1)), (Some("4 5 6"), None));
        write_oxford_sparse(&folder.path().join("n_1.mtx"), &matrix).unwrap();
        for n in 1..4 {
            let read = |name: &str| std::fs::read(folder.path().join(format!("{name}_{n}.mtx"))).unwrap();
            assert_eq!(read("m"), read("n"));
        }
    }

    #[test]
    fn damaged_files_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        matrix(folder.path());
        let at = |n: usize| folder.path().join(format!("m_{n}.mtx"));
        let whole = [1, 2, 3].map(|n| std::fs::read(at(n)).unwrap());
        let mut far = whole[2].clone();
        far[0] = 3;
        let mut twice = whole[2].clone();
        twice[32] = 0;
        let mut odd = whole[2].clone();
        odd[12..16].copy_from_slice(&[0xff; 4]);
        odd[8..12].copy_from_slice(&[0xff; 4]);
        for (n, bytes, problem) in [
            (1, b"3\n".to_vec(), "it does not state the numbers of rows and columns"),
            (1, b"3\n0.5\n".to_vec(), "it does not state the numbers of rows and columns"),
            (1, b"3\n99999999999\n".to_vec(), "it does not state the numbers of rows and columns"),
            (1, b"3\n4\n".to_vec(), "it has 24 bytes for 4 numbers of 8 bytes"),
            (2, vec![0xff; 24], "its columns have more entries than any file"),
            (3, whole[2][..40].to_vec(), "it has 40 bytes for 6 numbers of 8 bytes"),
            (3, far, "it has an entry in row 3 of 3"),
            (3, twice, "row 1, column 3 is there twice"),
            (3, odd, "-1 is the code of no entry"),
        ] {
            std::fs::write(at(n), bytes).unwrap();
            assert_eq!(read_oxford_sparse(&at(1)).unwrap_err().problem(), problem);
            std::fs::write(at(n), &whole[n - 1]).unwrap();
        }
        assert!(read_oxford_sparse(Path::new("a.mtx")).is_err());
        let counts = vec![(Measure::Count, vec![0.5])];
        let half = ConnectivityMatrix::dense(Axis::unknown(1).unwrap(), None, counts).unwrap();
        assert!(write_oxford_sparse(&at(1), &half).is_err());
    }
}

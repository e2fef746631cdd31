//! Orders the entries of a sparse matrix, and reads what its rows and columns represent from FSL's files of
//! coordinates.

use crate::image_errors::too_large;
use crate::memory::reserve;
use crate::text_file::for_each_line;
use arcuate_core::{Axis, ElementKind, Error, Result, SparsePattern, is_file_or_link};
use std::path::{Path, PathBuf};

pub(super) fn damaged(path: &Path, problem: impl Into<String>) -> Error {
    Error::invalid(path.display(), problem, "make the matrix again")
}

/// Sorts the entries of a matrix by row and column. The second result lists, for each sorted entry, the index
/// that the entry had before. Returns an error if an entry is repeated, or if the number of rows that a file
/// states exceeds the available memory.
pub(super) fn in_order(
    path: &Path,
    rows: usize,
    entries: &[(u32, u32)],
) -> Result<(SparsePattern, Vec<usize>)> {
    let mut offsets: Vec<usize> = Vec::new();
    reserve(&mut offsets, rows + 1).map_err(|_| too_large(path, rows.saturating_mul(8)))?;
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_unstable_by_key(|&n| entries[n]);
    if let Some(pair) = order.windows(2).find(|pair| entries[pair[0]] == entries[pair[1]]) {
        let (row, column) = entries[pair[0]];
        return Err(damaged(
            path,
            format!("row {}, column {} is there twice", row + 1, u64::from(column) + 1),
        ));
    }
    offsets.push(0);
    let mut at = 0;
    for row in 0..rows {
        while order.get(at).is_some_and(|&n| entries[n].0 as usize == row) {
            at += 1;
        }
        offsets.push(at);
    }
    let columns = order.iter().map(|&n| entries[n].1).collect();
    Ok((SparsePattern { offsets, columns }, order))
}

/// Maximum number of rows or columns of a matrix if no file describes them. A damaged file can state any
/// number in a few bytes.
const MAX_UNDESCRIBED: usize = 1 << 24;

/// Creates the description of rows or columns of which only the number is known. Returns an error if this
/// number is larger than in any undamaged file.
pub(super) fn unknown_axis(path: &Path, count: usize) -> Result<Axis> {
    if count > MAX_UNDESCRIBED {
        let problem =
            format!("the matrix has {count} rows or columns, and no file next to the matrix describes them");
        return Err(Error::invalid(
            path.display(),
            problem,
            "add FSL's files with the coordinates of rows and columns",
        ));
    }
    Axis::unknown(count)
}

/// The beginnings of the names of coordinate files; the name of the matrix follows.
const COORDINATES: [&str; 2] = ["coords_for_", "tract_space_coords_for_"];

/// Returns the paths of the files with the coordinates of the rows and columns of FSL's matrix `name`. They
/// are in the folder of the matrix: `coords_for_NAME` and `tract_space_coords_for_NAME`.
pub(super) fn coordinate_files(path: &Path, name: &str) -> [PathBuf; 2] {
    COORDINATES.map(|before| path.with_file_name(format!("{before}{name}")))
}

/// Reads the coordinates of the rows or columns of a matrix from `file`, and uses them as the names of these
/// rows or columns. If `file` does not exist, only their number is known. Each line has `x y z`. The number
/// of the region of interest, and the number of the voxel or vertex in that region, may follow. Returns an
/// error if the number of lines is not `count`. `path` is the matrix file.
pub(super) fn axis(path: &Path, file: &Path, count: usize) -> Result<Axis> {
    if !is_file_or_link(file) {
        return unknown_axis(path, count);
    }
    let mut names = Vec::new();
    let other = |lines: &str| damaged(file, format!("it has {lines} lines for {count} elements"));
    for_each_line(file, |_, line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            return Ok(());
        }
        if !is_place(&words) {
            let problem = format!("line {} holds no three or five whole numbers", names.len() + 1);
            return Err(damaged(file, problem));
        }
        names.push(words.join(" "));
        if names.len() > count { Err(other(&format!("more than {count}"))) } else { Ok(()) }
    })?;
    if names.len() != count {
        return Err(other(&names.len().to_string()));
    }
    Axis::new(ElementKind::Element, (0..count as u64).collect(), names)
}

fn is_place(words: &[&str]) -> bool {
    [3, 5].contains(&words.len())
        && words.iter().all(|word| word.parse::<f64>().is_ok_and(|n| n.fract() == 0.0))
}

/// Returns the text of the coordinate file for the rows or columns of a matrix. Returns `None` if the name of
/// a row or column is not a coordinate.
pub(super) fn coordinates(axis: &Axis) -> Option<String> {
    let mut text = String::new();
    for place in 0..axis.len() {
        let words: Vec<&str> = axis.name(place)?.split(' ').collect();
        if !is_place(&words) {
            return None;
        }
        text.push_str(&words.join("  "));
        text.push_str("  \n");
    }
    (!text.is_empty()).then_some(text)
}

use crate::{Error, Result, narrow};

/// Positions of the stored entries of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Pattern {
    Dense,
    Sparse(SparsePattern),
}

/// The rows and columns of the stored entries of a sparse matrix (compressed sparse rows, CSR).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparsePattern {
    /// For each row of the matrix, the index of its first stored entry. One more number at the end is the
    /// number of stored entries.
    pub offsets: Vec<usize>,
    /// The column of each stored entry of the matrix. The entries are sorted by row, and by column within a
    /// row.
    pub columns: Vec<u32>,
}

/// Number of entries that a dense matrix stores before a row.
pub(super) fn dense_offset(row: usize, columns: usize, is_symmetric: bool) -> usize {
    // In a symmetric matrix, row r stores `columns` − r entries.
    if is_symmetric { row * columns - row * row.saturating_sub(1) / 2 } else { row * columns }
}

impl SparsePattern {
    /// Returns an error if this pattern of stored entries does not fit a matrix with the given numbers of
    /// rows and columns. `columns` is `None` for a symmetric matrix.
    pub fn check(&self, rows: usize, columns: Option<usize>) -> Result<()> {
        let fail = |problem: String| {
            let advice = "give where each row begins among the entries, and the columns of these, ascending within a row";
            Err(Error::invalid("pattern of a matrix", problem, advice))
        };
        if self.offsets.len() != rows.saturating_add(1) {
            return fail(format!("{} offsets for {rows} rows", self.offsets.len()));
        }
        let ends = self.columns.len();
        if self.offsets[0] != 0 || self.offsets[rows] != ends || !self.offsets.is_sorted() {
            return fail(format!("its rows do not share its {ends} entries"));
        }
        for row in 0..rows {
            let of_row = &self.columns[self.row(row)];
            let (first, end) = if let Some(columns) = columns { (0, columns) } else { (row, rows) };
            if !of_row.iter().all(|&column| (first..end).contains(&(column as usize))) {
                return fail(format!("row {row} has an entry outside of columns {first} to {end}"));
            }
            if !of_row.is_sorted_by(|a, b| a < b) {
                return fail(format!("the columns of row {row} do not ascend"));
            }
        }
        Ok(())
    }

    /// Range of the indices of the stored entries of one row of the matrix.
    pub(super) fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.offsets[row]..self.offsets[row + 1]
    }

    /// Index of the stored entry in one row and column of the matrix; `None` if the matrix does not store
    /// this entry.
    pub(super) fn entry(&self, row: usize, column: usize) -> Option<usize> {
        let of_row = self.row(row);
        let place = self.columns[of_row.clone()].binary_search(&narrow::<u32>(column)).ok()?;
        Some(of_row.start + place)
    }
}

use crate::{Error, Result, narrow};

/// Which entries are stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Pattern {
    Dense,
    Sparse(SparsePattern),
}

/// Which entries of a sparse matrix are stored: compressed rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparsePattern {
    /// Where each row begins among the entries, and where the last one ends: rows + 1 numbers.
    pub offsets: Vec<usize>,
    /// The column of each entry, ascending within a row.
    pub columns: Vec<u32>,
}

/// The entries of a dense matrix that stand before those of a row.
pub(super) fn dense_offset(row: usize, columns: usize, is_symmetric: bool) -> usize {
    // Row r of a symmetric one has columns - r entries.
    if is_symmetric { row * columns - row * row.saturating_sub(1) / 2 } else { row * columns }
}

impl SparsePattern {
    /// Fails where it is no pattern of so many rows and columns, or of a symmetric matrix where the number of columns is
    /// nothing.
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

    /// The entries of a row.
    pub(super) fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.offsets[row]..self.offsets[row + 1]
    }

    /// The entry in a row and a column, where there is one.
    pub(super) fn entry(&self, row: usize, column: usize) -> Option<usize> {
        let of_row = self.row(row);
        let place = self.columns[of_row.clone()].binary_search(&narrow::<u32>(column)).ok()?;
        Some(of_row.start + place)
    }
}

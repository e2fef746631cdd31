use super::connectivity::ConnectivityMatrix;
use super::pattern::{Pattern, SparsePattern, dense_offset};
use crate::narrow;

/// Access to complete rows of a matrix. Rows of a symmetric matrix include the entries below the diagonal.
///
/// For a sparse symmetric matrix, this type stores an index of the entries below the diagonal: 8 bytes per
/// row and 12 bytes per entry.
#[derive(Debug)]
pub struct WholeRows<'a> {
    matrix: &'a ConnectivityMatrix,
    below: Option<Below>,
}

/// The entries below the diagonal of a sparse symmetric matrix, as compressed sparse rows. Each entry has the
/// index of its mirror entry above the diagonal, which holds the value.
#[derive(Debug)]
struct Below {
    pattern: SparsePattern,
    entries: Vec<usize>,
}

impl Below {
    fn new(above: &SparsePattern) -> Self {
        let rows = above.offsets.len() - 1;
        let is_below = |row: usize, entry: usize| above.columns[entry] as usize != row;
        let mut offsets = vec![0; rows + 1];
        for row in 0..rows {
            for entry in above.row(row).filter(|&entry| is_below(row, entry)) {
                offsets[above.columns[entry] as usize + 1] += 1;
            }
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        let mut next = offsets.clone();
        let (mut columns, mut entries) = (vec![0; offsets[rows]], vec![0; offsets[rows]]);
        // The entries above the diagonal are visited by ascending row. So the mirrored entries of each row
        // below the diagonal have ascending columns.
        for row in 0..rows {
            for entry in above.row(row).filter(|&entry| is_below(row, entry)) {
                let place = &mut next[above.columns[entry] as usize];
                (columns[*place], entries[*place]) = (narrow::<u32>(row), entry);
                *place += 1;
            }
        }
        Self { pattern: SparsePattern { offsets, columns }, entries }
    }
}

impl ConnectivityMatrix {
    /// Gives access to complete rows of the matrix. Rows of a symmetric matrix include the entries below the
    /// diagonal.
    #[doc(hidden)]
    pub fn whole_rows(&self) -> WholeRows<'_> {
        let below = self.pattern().filter(|_| self.is_symmetric()).map(Below::new);
        WholeRows { matrix: self, below }
    }
}

impl WholeRows<'_> {
    /// The stored entries of one row, in ascending order of columns. Each entry has its column, and the index
    /// of its value in [`values`](ConnectivityMatrix::values).
    ///
    /// # Panics
    /// Panics if `row` is out of range.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let [rows, columns] = self.matrix.shape();
        assert!(row < rows, "row {row} of {rows}");
        let is_symmetric = self.matrix.is_symmetric();
        let (dense, sparse) = match &self.matrix.pattern {
            Pattern::Dense => (0..columns, None),
            Pattern::Sparse(pattern) => (0..0, Some(pattern)),
        };
        let offset = dense_offset(row, columns, is_symmetric);
        let dense = dense.map(move |column| match is_symmetric {
            true if column < row => (column, dense_offset(column, columns, true) + row - column),
            true => (column, offset + column - row),
            false => (column, offset + column),
        });
        let below = self.below.iter().flat_map(move |below| {
            below.pattern.row(row).map(|n| (below.pattern.columns[n] as usize, below.entries[n]))
        });
        let own = sparse
            .into_iter()
            .flat_map(move |pattern| pattern.row(row).map(|entry| (pattern.columns[entry] as usize, entry)));
        dense.chain(below).chain(own)
    }

    /// Writes the values of a measure in one row of the matrix to `places`, one value per column; 0 for
    /// entries that are not stored. `values` are the values of the measure for all stored entries of the
    /// matrix.
    ///
    /// # Panics
    /// Panics if `row` is out of range or `places` does not have one element per column.
    pub fn fill(&self, row: usize, values: &[f64], places: &mut [f64]) {
        assert_eq!(places.len(), self.matrix.columns().len(), "a place for each column");
        places.fill(0.0);
        for (column, entry) in self.row(row) {
            places[column] = values[entry];
        }
    }
}

use super::axis::Axis;
use super::measure::Measure;
use super::pattern::{Pattern, SparsePattern, dense_offset};
use crate::{Error, Result};

/// A connectivity matrix. Its rows represent the elements of one axis, such as regions, and its columns the
/// elements of another axis. Each entry has a value for one or several [`Measure`]s, such as the number of
/// streamlines. The matrix is rectangular if the axes differ. A *symmetric* matrix has one axis for rows and
/// columns, and stores only entries with row ≤ column. A *dense* matrix stores all entries. A *sparse* matrix
/// stores only the entries of its pattern (compressed rows); all other entries are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectivityMatrix {
    rows: Axis,
    /// The axis of the columns; `None` for a symmetric matrix, whose columns represent the same elements as
    /// its rows.
    columns: Option<Axis>,
    pub(super) pattern: Pattern,
    /// For each measure, the value of each stored entry, row by row.
    values: Vec<(Measure, Vec<f64>)>,
}

impl ConnectivityMatrix {
    /// Creates a dense matrix. Each measure has rows × columns values, row by row. If `columns` is `None`,
    /// the matrix is symmetric. Then each measure has n (n + 1) / 2 values: for each row, the entries from
    /// the diagonal onwards.
    ///
    /// Returns an error if a measure occurs twice, or if the number of values of a measure does not match the
    /// lengths of the axes.
    pub fn dense(rows: Axis, columns: Option<Axis>, values: Vec<(Measure, Vec<f64>)>) -> Result<Self> {
        let entries = Self::dense_entries(rows.len(), columns.as_ref().map(Axis::len));
        let matrix = Self { rows, columns, pattern: Pattern::Dense, values };
        matrix.check_values(entries)?;
        Ok(matrix)
    }

    /// Creates a sparse matrix. Each measure has one value for each stored entry of the matrix, which
    /// `pattern` lists. If `columns` is `None`, the matrix is symmetric, and its pattern has only entries
    /// with row ≤ column.
    ///
    /// Returns an error if the pattern of stored entries does not fit the axes, or if a measure occurs twice.
    /// It is also an error if a measure does not have one value for each stored entry.
    #[doc(hidden)]
    pub fn sparse(
        rows: Axis,
        columns: Option<Axis>,
        pattern: SparsePattern,
        values: Vec<(Measure, Vec<f64>)>,
    ) -> Result<Self> {
        pattern.check(rows.len(), columns.as_ref().map(Axis::len))?;
        let entries = pattern.columns.len();
        let matrix = Self { rows, columns, pattern: Pattern::Sparse(pattern), values };
        matrix.check_values(Some(entries))?;
        Ok(matrix)
    }

    /// Number of entries that a dense matrix stores. `columns` is `None` for a symmetric matrix. Returns
    /// `None` if the number overflows.
    pub fn dense_entries(rows: usize, columns: Option<usize>) -> Option<usize> {
        match columns {
            Some(columns) => rows.checked_mul(columns),
            None => rows.checked_mul(rows + 1).map(|twice| twice / 2),
        }
    }

    /// The axis of the matrix rows.
    pub fn rows(&self) -> &Axis {
        &self.rows
    }

    /// The axis of the matrix columns.
    pub fn columns(&self) -> &Axis {
        self.columns.as_ref().unwrap_or(&self.rows)
    }

    /// Number of rows and number of columns of the matrix.
    pub fn shape(&self) -> [usize; 2] {
        [self.rows.len(), self.columns().len()]
    }

    /// Returns whether the matrix is symmetric: rows and columns are the same axis, and connections have no
    /// direction.
    pub fn is_symmetric(&self) -> bool {
        self.columns.is_none()
    }

    /// The rows and columns of the stored entries of a sparse matrix; `None` for a dense matrix.
    #[doc(hidden)]
    pub fn pattern(&self) -> Option<&SparsePattern> {
        match &self.pattern {
            Pattern::Dense => None,
            Pattern::Sparse(pattern) => Some(pattern),
        }
    }

    /// The measures of which the matrix has values, in the order of storage.
    pub fn measures(&self) -> impl Iterator<Item = &Measure> {
        self.values.iter().map(|(measure, _)| measure)
    }

    /// The values of the measure `measure`, one for each stored entry, row by row. `None` if the matrix does
    /// not have this measure.
    pub fn values(&self, measure: &Measure) -> Option<&[f64]> {
        self.values.iter().find(|(there, _)| there == measure).map(|(_, values)| values.as_slice())
    }

    /// The value of a measure in one row and column of the matrix; 0 if the entry is not stored. `None` if
    /// the matrix does not have this measure.
    ///
    /// # Panics
    /// Panics if `row` or `column` is out of range.
    pub fn get(&self, measure: &Measure, row: usize, column: usize) -> Option<f64> {
        let [rows, columns] = self.shape();
        assert!(row < rows && column < columns, "({row}, {column}) of {rows} × {columns}");
        let (row, column) =
            if self.is_symmetric() { (row.min(column), row.max(column)) } else { (row, column) };
        let values = self.values(measure)?;
        let entry = match &self.pattern {
            Pattern::Dense => Some(self.dense_entry(row, column)),
            Pattern::Sparse(pattern) => pattern.entry(row, column),
        };
        Some(entry.map_or(0.0, |entry| values[entry]))
    }

    /// Index of the value that a dense matrix stores for a row and column. If the matrix is symmetric, the
    /// row must not exceed the column.
    fn dense_entry(&self, row: usize, column: usize) -> usize {
        let is_symmetric = self.is_symmetric();
        dense_offset(row, self.columns().len(), is_symmetric)
            + if is_symmetric { column - row } else { column }
    }

    /// Two sums of a measure: the sum over the diagonal entries, and the sum over all other stored entries,
    /// in the order of storage. In a symmetric matrix, each pair of elements is counted once. `None` if the
    /// matrix does not have this measure.
    pub fn sums(&self, measure: &Measure) -> Option<[f64; 2]> {
        let values = self.values(measure)?;
        let mut sums = [0.0; 2];
        let mut add = |row: usize, column: usize, value: f64| sums[usize::from(row != column)] += value;
        match &self.pattern {
            Pattern::Dense => {
                let mut values = values.iter();
                for row in 0..self.rows.len() {
                    let first = if self.is_symmetric() { row } else { 0 };
                    (first..self.columns().len())
                        .zip(&mut values)
                        .for_each(|(column, &v)| add(row, column, v));
                }
            }
            Pattern::Sparse(pattern) => {
                for row in 0..self.rows.len() {
                    for entry in pattern.row(row) {
                        add(row, pattern.columns[entry] as usize, values[entry]);
                    }
                }
            }
        }
        Some(sums)
    }

    fn check_values(&self, entries: Option<usize>) -> Result<()> {
        for (n, (measure, values)) in self.values.iter().enumerate() {
            if Some(values.len()) != entries {
                let problem = format!(
                    "{} {} do not match the shape of the matrix, {:?}",
                    values.len(),
                    measure.word(),
                    self.shape()
                );
                return Err(Error::invalid(
                    "matrix",
                    problem,
                    "give one value for each stored entry of the matrix",
                ));
            }
            if self.values[..n].iter().any(|(other, _)| other == measure) {
                let problem = format!("it has {} twice", measure.word());
                return Err(Error::invalid("matrix", problem, "give each measure once"));
            }
        }
        Ok(())
    }
}

use super::axis::Axis;
use super::measure::Measure;
use super::pattern::{Pattern, SparsePattern, dense_offset};
use crate::{Error, Result};

/// How streamlines, or what else is counted, join the elements of two axes: one or several [`Measure`]s over the same
/// entries. Rectangular where the axes differ. Of a *symmetric* matrix, whose axes are one, only entries with row ≤ column
/// are stored. *Dense*, it stores all of these; *sparse*, those that its pattern names (compressed rows), and all others are
/// 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectivityMatrix {
    rows: Axis,
    /// Nothing where it is symmetric: then they are the rows.
    columns: Option<Axis>,
    pub(super) pattern: Pattern,
    /// For each measure a value for each stored entry, row after row.
    values: Vec<(Measure, Vec<f64>)>,
}

impl ConnectivityMatrix {
    /// A dense matrix. The values of each measure are rows × columns numbers, row after row; of a symmetric matrix
    /// (`columns` is nothing) n (n + 1) / 2: of each row those from the diagonal on.
    ///
    /// Fails on a measure that is there twice, and on another number of values.
    pub fn dense(rows: Axis, columns: Option<Axis>, values: Vec<(Measure, Vec<f64>)>) -> Result<Self> {
        let entries = Self::dense_entries(rows.len(), columns.as_ref().map(Axis::len));
        let matrix = Self { rows, columns, pattern: Pattern::Dense, values };
        matrix.check_values(entries)?;
        Ok(matrix)
    }

    /// A sparse matrix. The values of each measure are one number for each entry of the pattern; of a symmetric matrix
    /// (`columns` is nothing) the pattern holds entries with row ≤ column only.
    ///
    /// Fails on a pattern that does not fit the axes, on a measure that is there twice, and on another number of values.
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

    /// How many entries a dense matrix stores, of so many rows and columns; a symmetric one where these are nothing. Nothing
    /// where that is no number of this machine.
    pub fn dense_entries(rows: usize, columns: Option<usize>) -> Option<usize> {
        match columns {
            Some(columns) => rows.checked_mul(columns),
            None => rows.checked_mul(rows + 1).map(|twice| twice / 2),
        }
    }

    /// What the rows are.
    pub fn rows(&self) -> &Axis {
        &self.rows
    }

    /// What the columns are.
    pub fn columns(&self) -> &Axis {
        self.columns.as_ref().unwrap_or(&self.rows)
    }

    /// Rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        [self.rows.len(), self.columns().len()]
    }

    /// Whether rows and columns are one axis, and what joins a to b joins b to a.
    pub fn is_symmetric(&self) -> bool {
        self.columns.is_none()
    }

    /// Which entries a sparse matrix stores; nothing of a dense one.
    pub fn pattern(&self) -> Option<&SparsePattern> {
        match &self.pattern {
            Pattern::Dense => None,
            Pattern::Sparse(pattern) => Some(pattern),
        }
    }

    /// The measures that it has, in their order.
    pub fn measures(&self) -> impl Iterator<Item = &Measure> {
        self.values.iter().map(|(measure, _)| measure)
    }

    /// The values of a measure, one for each stored entry, row after row; nothing where it has none.
    pub fn values(&self, measure: &Measure) -> Option<&[f64]> {
        self.values.iter().find(|(there, _)| there == measure).map(|(_, values)| values.as_slice())
    }

    /// The value of a measure in a row and a column, 0 where nothing is stored; nothing where it has no such measure.
    ///
    /// # Panics
    /// Where there is no such row or column.
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

    /// The number of the entry of a dense matrix in this row and column, of a symmetric one with row ≤ column.
    fn dense_entry(&self, row: usize, column: usize) -> usize {
        let is_symmetric = self.is_symmetric();
        dense_offset(row, self.columns().len(), is_symmetric)
            + if is_symmetric { column - row } else { column }
    }

    /// The sums of the values of a measure on the diagonal and of those beside it, of which a symmetric matrix counts each pair
    /// once; nothing where it has no such measure. In the order of the stored entries.
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
                let problem =
                    format!("{} {} do not fill it ({:?})", values.len(), measure.word(), self.shape());
                return Err(Error::invalid("matrix", problem, "give a value for each entry that is stored"));
            }
            if self.values[..n].iter().any(|(other, _)| other == measure) {
                let problem = format!("it has {} twice", measure.word());
                return Err(Error::invalid("matrix", problem, "give each measure once"));
            }
        }
        Ok(())
    }
}

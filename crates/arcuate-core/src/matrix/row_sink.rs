use super::axis::Axis;
use super::connectivity::ConnectivityMatrix;
use super::measure::Measure;
use super::pattern::SparsePattern;
use crate::{Result, narrow};

/// Receives a connectivity matrix row by row while the matrix is computed. Examples of receivers are a file
/// writer and [`CollectedRows`].
pub trait MatrixRowSink: Send {
    /// Receives the stored entries of one row of a matrix: their columns, in ascending order, and for each
    /// measure one value per column. Rows arrive in ascending order. Rows without entries may be omitted.
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()>;
}

/// Collects matrix rows as a sparse matrix in memory. A stored entry needs 4 bytes, and 8 more bytes for each
/// measure.
#[derive(Debug, Clone)]
pub struct CollectedRows {
    rows: Axis,
    columns: Axis,
    pattern: SparsePattern,
    values: Vec<(Measure, Vec<f64>)>,
}

impl CollectedRows {
    /// Creates an empty matrix with these axes and measures, which can receive rows.
    pub fn new(rows: Axis, columns: Axis, measures: Vec<Measure>) -> Self {
        let values = measures.into_iter().map(|measure| (measure, Vec::new())).collect();
        Self { rows, columns, pattern: SparsePattern { offsets: vec![0], columns: Vec::new() }, values }
    }

    /// Returns the complete matrix, or an error if a row did not fit the matrix.
    pub fn finish(self) -> Result<ConnectivityMatrix> {
        let Self { rows, columns, mut pattern, values } = self;
        let offsets = pattern.offsets.len().max(rows.len() + 1);
        pattern.offsets.resize(offsets, pattern.columns.len());
        ConnectivityMatrix::sparse(rows, Some(columns), pattern, values)
    }
}

impl MatrixRowSink for CollectedRows {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        let before = self.pattern.columns.len();
        self.pattern.offsets.resize(row + 1, before);
        self.pattern.columns.extend(columns);
        self.pattern.offsets.push(self.pattern.columns.len());
        for ((_, all), values) in self.values.iter_mut().zip(values) {
            all.extend(values);
        }
        Ok(())
    }
}

impl ConnectivityMatrix {
    /// Passes all rows of the matrix to `sink`. Rows of a symmetric matrix include the entries below the
    /// diagonal. Rows of a dense matrix include only the entries for which at least one measure is not 0.
    #[doc(hidden)]
    pub fn pass_rows(&self, sink: &mut dyn MatrixRowSink) -> Result<()> {
        let all: Vec<&[f64]> = self.measures().filter_map(|measure| self.values(measure)).collect();
        let whole = self.whole_rows();
        let mut columns = Vec::new();
        let mut values = vec![Vec::new(); all.len()];
        for row in 0..self.rows().len() {
            columns.clear();
            values.iter_mut().for_each(Vec::clear);
            for (column, entry) in whole.row(row) {
                if self.pattern().is_some() || all.iter().any(|of| of[entry] != 0.0) {
                    columns.push(narrow::<u32>(column));
                    values.iter_mut().zip(&all).for_each(|(values, of)| values.push(of[entry]));
                }
            }
            sink.take_row(row, &columns, &values)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ElementKind;

    fn axis(n: u64) -> Axis {
        Axis::new(ElementKind::Voxel, (0..n).collect(), Vec::new()).unwrap()
    }

    #[test]
    fn collected_rows_form_the_original_matrix() {
        let mut rows = CollectedRows::new(axis(4), axis(3), vec![Measure::Count, Measure::MeanLength]);
        rows.take_row(1, &[0, 2], &[vec![3.0, 1.0], vec![5.0, 6.5]]).unwrap();
        rows.take_row(2, &[], &[vec![], vec![]]).unwrap();
        rows.take_row(3, &[1], &[vec![2.0], vec![7.0]]).unwrap();
        let matrix = rows.finish().unwrap();
        let counts = |row| [0, 1, 2].map(|column| matrix.get(&Measure::Count, row, column).unwrap());
        assert_eq!([0, 1, 2, 3].map(counts), [[0.0; 3], [3.0, 0.0, 1.0], [0.0; 3], [0.0, 2.0, 0.0]]);
        assert_eq!(matrix.get(&Measure::MeanLength, 1, 2), Some(6.5));
        let mut again = CollectedRows::new(axis(4), axis(3), vec![Measure::Count, Measure::MeanLength]);
        matrix.pass_rows(&mut again).unwrap();
        assert_eq!(again.finish().unwrap(), matrix);
        // The received rows have the entries above and below the diagonal of a symmetric matrix. They have no
        // zero entries of a dense matrix.
        let counts = vec![(Measure::Count, vec![0.0, 4.0, 0.0, 1.0, 0.0, 0.0])];
        let symmetric = ConnectivityMatrix::dense(axis(3), None, counts).unwrap();
        let mut whole = CollectedRows::new(axis(3), axis(3), vec![Measure::Count]);
        symmetric.pass_rows(&mut whole).unwrap();
        let whole = whole.finish().unwrap();
        assert_eq!(whole.pattern().unwrap().columns, [1, 0, 1]);
        assert_eq!(whole.values(&Measure::Count), Some(&[4.0, 4.0, 1.0][..]));
        // A row or column index beyond the axis does not fit the matrix.
        for (row, column) in [(0, 3), (4, 0)] {
            let mut rows = CollectedRows::new(axis(4), axis(3), vec![Measure::Count]);
            rows.take_row(row, &[column], &[vec![1.0]]).unwrap();
            assert!(rows.finish().is_err());
        }
    }
}

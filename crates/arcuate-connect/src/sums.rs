//! Sums over the connections between the elements of two axes. A connectivity matrix is created from these
//! sums.

use arcuate_core::{Axis, ConnectivityMatrix, Error, Measure, Result, SparsePattern, narrow};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

/// Adds up the number of streamlines, and other measures, for each pair of elements of two axes. Sums of
/// integers ([`u64`]) do not depend on the order of the streamlines. Sums of [`f64`] numbers are computed in
/// the order of the streamlines.
///
/// Dense sums exist for every pair of elements, from the beginning. Sparse sums exist only for connected
/// pairs. Both give the same matrix, but they store different entries.
#[derive(Debug, Clone)]
pub struct MatrixSums<T> {
    rows: Axis,
    /// The axis of the matrix columns. `None` if the matrix is symmetric.
    columns: Option<Axis>,
    /// Measures in addition to the number of streamlines.
    measures: Vec<Measure>,
    places: Places,
    counts: Vec<u64>,
    /// For each measure, the sums of all pairs. The sum of a pair has the same index as the number of
    /// streamlines of this pair.
    sums: Vec<Vec<T>>,
}

/// The index of each pair of elements in the vectors of sums.
#[derive(Debug, Clone)]
enum Places {
    /// The sums have the order of the entries of a dense matrix.
    Dense,
    /// The sums have the order in which the (row, column) pairs first occurred.
    Sparse(HashMap<(u32, u32), usize>),
}

/// The sums of one matrix row and column, as integers. They can be added to the sums of other streamlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntrySum {
    /// Index of the row.
    pub row: u32,
    /// Index of the column.
    pub column: u32,
    /// Number of streamlines between row and column.
    pub count: u64,
    /// Total length of these streamlines. The unit depends on the counter: a fraction of a millimetre, or a
    /// step. The length is 0 if lengths are not summed.
    pub length: u64,
}

/// A number that can be summed.
pub trait Summand: Copy + Default + std::ops::AddAssign {}

impl Summand for f64 {}
impl Summand for u64 {}

/// The host memory that sums need. It can be reported before the work begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumsMemory {
    /// All pairs of elements have sums. Their memory is allocated at the beginning.
    Dense {
        /// Number of pairs of elements. All pairs have sums.
        pairs: u64,
        /// Number of bytes for all pairs.
        bytes: u64,
    },
    /// Only connected pairs of elements have sums. The memory of the sums grows with the number of connected
    /// pairs.
    Sparse {
        /// Number of pairs of elements, most of which are not connected.
        pairs: u64,
        /// Maximum number of bytes per connected pair.
        bytes_of_a_pair: u64,
    },
}

impl fmt::Display for SumsMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dense { pairs, bytes } => {
                write!(f, "sums of {pairs} pairs take {bytes} bytes of the host's memory")
            }
            Self::Sparse { pairs, bytes_of_a_pair } => write!(
                f,
                "sums take up to {bytes_of_a_pair} bytes of the host's memory for each of {pairs} pairs that is joined"
            ),
        }
    }
}

impl SumsMemory {
    /// Computes the memory of the sums for a matrix with `rows` rows and `columns` columns. In addition to
    /// the number of streamlines, each pair of elements has `measures` sums of 8 bytes. The matrix is
    /// symmetric if `columns` is `None`. All pairs have sums if these need at most `most_dense_bytes`.
    pub fn of(rows: usize, columns: Option<usize>, measures: usize, most_dense_bytes: u64) -> Self {
        let pairs = match columns {
            Some(columns) => rows as u128 * columns as u128,
            None => rows as u128 * (rows as u128 + 1) / 2,
        };
        let numbers = 8 * (measures as u128 + 1);
        // An axis of the matrix has at most 2³² elements, so that the number of pairs fits in 64 bits.
        let count = pairs as u64;
        match u64::try_from(pairs * numbers) {
            Ok(bytes) if bytes <= most_dense_bytes => Self::Dense { pairs: count, bytes },
            // The number of bytes per connected pair has three parts. First, 16 bytes of a hash table entry
            // and one byte of control data, divided by the load of the table (7/16 to 7/8). Second, the
            // vectors of sums, which double their size when they are full. Third, the finished matrix, which
            // exists at the same time: a sorted list, a column, and the values.
            _ => Self::Sparse { pairs: count, bytes_of_a_pair: 39 + 3 * numbers as u64 + 20 },
        }
    }
}

impl<T: Summand> MatrixSums<T> {
    /// Creates empty sums. `measures` lists the measures in addition to the number of streamlines, which
    /// every matrix has. The matrix is symmetric if `columns` is `None`. All pairs of elements have sums if
    /// these need at most `most_dense_bytes`.
    ///
    /// Returns an error if there is no memory for the sums of all pairs.
    pub fn new(
        rows: Axis,
        columns: Option<Axis>,
        measures: Vec<Measure>,
        most_dense_bytes: u64,
    ) -> Result<Self> {
        let memory =
            SumsMemory::of(rows.len(), columns.as_ref().map(Axis::len), measures.len(), most_dense_bytes);
        let mut sums = vec![Vec::new(); measures.len()];
        let mut counts = Vec::new();
        let places = match memory {
            SumsMemory::Dense { pairs, bytes } => {
                let none = |_| no_memory(&memory);
                // The code first tries to allocate all memory in one allocation. With several smaller
                // allocations, some systems would grant each of them, and terminate the program when it uses
                // the memory.
                let mut all = Vec::<u8>::new();
                all.try_reserve_exact(bytes as usize).map_err(none)?;
                // Compilers remove unused allocations. `black_box` prevents this.
                drop(std::hint::black_box(all));
                fill(&mut counts, pairs as usize).map_err(none)?;
                sums.iter_mut().try_for_each(|sums| fill(sums, pairs as usize)).map_err(none)?;
                Places::Dense
            }
            SumsMemory::Sparse { .. } => Places::Sparse(HashMap::new()),
        };
        Ok(Self { rows, columns, measures, places, counts, sums })
    }

    /// Returns the host memory of the sums.
    pub fn memory(&self) -> SumsMemory {
        let maximum = if self.is_dense() { u64::MAX } else { 0 };
        SumsMemory::of(self.rows.len(), self.columns.as_ref().map(Axis::len), self.measures.len(), maximum)
    }

    /// Returns true if each pair of elements has a sum from the beginning.
    pub fn is_dense(&self) -> bool {
        matches!(self.places, Places::Dense)
    }

    /// Returns the axis of the rows.
    pub fn rows(&self) -> &Axis {
        &self.rows
    }

    /// Adds `count` streamlines to a matrix row and column. If the matrix is symmetric, row and column may be
    /// exchanged. `values` has, for each measure, the total value of these streamlines.
    ///
    /// Returns an error if there is no memory for the sum of another pair of elements.
    ///
    /// # Panics
    /// Panics if `row` or `column` is outside the matrix, or if `values` does not have one value per measure.
    #[inline]
    pub fn add(&mut self, row: usize, column: usize, count: u64, values: &[T]) -> Result<()> {
        let place = self.place(row, column)?;
        self.counts[place] += count;
        assert_eq!(values.len(), self.sums.len(), "one number for each measure");
        for (sums, &value) in self.sums.iter_mut().zip(values) {
            sums[place] += value;
        }
        Ok(())
    }

    fn place(&mut self, row: usize, column: usize) -> Result<usize> {
        let rows = self.rows.len();
        let columns = self.columns.as_ref().map_or(rows, Axis::len);
        assert!(row < rows && column < columns, "({row}, {column}) of {rows} × {columns}");
        let is_symmetric = self.columns.is_none();
        let (row, column) = if is_symmetric { (row.min(column), row.max(column)) } else { (row, column) };
        let places = match &mut self.places {
            // The index of a pair is the number of entries of earlier rows plus the position in this row. In
            // a symmetric matrix, each row begins at the diagonal.
            Places::Dense if is_symmetric => {
                return Ok(row * columns - row * row.saturating_sub(1) / 2 + column - row);
            }
            Places::Dense => return Ok(row * columns + column),
            Places::Sparse(places) => places,
        };
        let next = self.counts.len();
        let mut room = places.try_reserve(1).is_ok() && self.counts.try_reserve(1).is_ok();
        match places.entry((narrow::<u32>(row), narrow::<u32>(column))) {
            Entry::Occupied(there) => Ok(*there.get()),
            Entry::Vacant(empty) => {
                room &= self.sums.iter_mut().all(|sums| sums.try_reserve(1).is_ok());
                if !room {
                    let problem = format!(
                        "there is not enough memory for the matrix entries of more than {next} connected \
                         pairs"
                    );
                    return Err(Error::invalid("connectome", problem, "give coarser regions"));
                }
                empty.insert(next);
                self.counts.push(0);
                self.sums.iter_mut().for_each(|sums| sums.push(T::default()));
                Ok(next)
            }
        }
    }

    /// Resets all sums to 0.
    pub fn clear(&mut self) {
        match &mut self.places {
            Places::Dense => {
                self.counts.fill(0);
                self.sums.iter_mut().for_each(|sums| sums.fill(T::default()));
            }
            Places::Sparse(places) => {
                places.clear();
                self.counts.clear();
                self.sums.iter_mut().for_each(Vec::clear);
            }
        }
    }

    /// Returns the matrix with the number of streamlines and the other measures. `value` is a function that
    /// converts the sum of a measure to the measure's unit. If the measure is a mean, the result is divided
    /// by the number of streamlines. Pairs without streamlines have the value 0.
    pub fn finish(self, value: impl Fn(&Measure, T) -> f64) -> Result<ConnectivityMatrix> {
        let Self { rows, columns, measures, places, counts, sums } = self;
        let of = |measure: &Measure, sum: T, count: u64| match count {
            0 => 0.0,
            _ if measure.is_mean() => value(measure, sum) / count as f64,
            _ => value(measure, sum),
        };
        let ordered: Option<Vec<((u32, u32), usize)>> = match places {
            Places::Dense => None,
            Places::Sparse(places) => {
                let mut ordered: Vec<_> = places.into_iter().collect();
                ordered.sort_unstable();
                Some(ordered)
            }
        };
        let order = || ordered.iter().flatten().map(|&(_, place)| place);
        let gather = |of_place: &dyn Fn(usize) -> f64| -> Vec<f64> {
            if ordered.is_some() {
                order().map(of_place).collect()
            } else {
                (0..counts.len()).map(of_place).collect()
            }
        };
        let mut values = vec![(Measure::Count, gather(&|place| counts[place] as f64))];
        for (measure, sums) in measures.into_iter().zip(sums) {
            let of_pairs = gather(&|place| of(&measure, sums[place], counts[place]));
            values.push((measure, of_pairs));
        }
        let Some(ordered) = ordered else { return ConnectivityMatrix::dense(rows, columns, values) };
        let mut offsets = vec![0; rows.len() + 1];
        for &((row, _), _) in &ordered {
            offsets[row as usize + 1] += 1;
        }
        for row in 0..rows.len() {
            offsets[row + 1] += offsets[row];
        }
        let pattern = SparsePattern { offsets, columns: ordered.iter().map(|&((_, c), _)| c).collect() };
        ConnectivityMatrix::sparse(rows, columns, pattern, values)
    }
}

impl MatrixSums<u64> {
    /// Returns the sums of all connected pairs, sorted by row and column. The field `length` of an entry is
    /// the sum of the first measure.
    pub fn entries(&self) -> Vec<EntrySum> {
        let [rows, columns] = [&self.rows, self.columns.as_ref().unwrap_or(&self.rows)].map(Axis::len);
        let first = |row: usize| if self.columns.is_none() { row } else { 0 };
        let entry = |(row, column): (u32, u32), place: usize| EntrySum {
            row,
            column,
            count: self.counts[place],
            length: self.sums.first().map_or(0, |sums| sums[place]),
        };
        match &self.places {
            Places::Dense => {
                let pairs = (0..rows).flat_map(|row| {
                    (first(row)..columns).map(move |c| (narrow::<u32>(row), narrow::<u32>(c)))
                });
                pairs
                    .zip(0..)
                    .map(|(pair, place)| entry(pair, place))
                    .filter(|entry| entry.count > 0)
                    .collect()
            }
            Places::Sparse(places) => {
                let mut entries: Vec<EntrySum> =
                    places.iter().map(|(&pair, &place)| entry(pair, place)).collect();
                entries.sort_unstable_by_key(|entry| (entry.row, entry.column));
                entries
            }
        }
    }

    /// Adds an entry of other sums with the same rows, columns and measures. The length of the entry is added
    /// to every measure.
    ///
    /// Returns an error if the row or column of the entry is not in this matrix, or if there is no memory for
    /// another pair.
    pub fn add_entry(&mut self, entry: EntrySum) -> Result<()> {
        let EntrySum { row, column, count, length } = entry;
        let (row, column) = (row as usize, column as usize);
        if row >= self.rows.len() || column >= self.columns.as_ref().unwrap_or(&self.rows).len() {
            return Err(no_entry(entry));
        }
        let place = self.place(row, column)?;
        self.counts[place] += count;
        self.sums.iter_mut().for_each(|sums| sums[place] += length);
        Ok(())
    }
}

/// Returns an error which states that the row or column of an entry is not in the matrix.
pub(crate) fn no_entry(EntrySum { row, column, .. }: EntrySum) -> Error {
    let problem = format!("row {row} of the matrix has no entry in column {column}");
    Error::invalid("sums of a matrix", problem, "give sums of matrices with the same rows and columns")
}

/// Appends zeros to a vector. Returns an error if there is no memory for them.
fn fill<T: Copy + Default>(
    values: &mut Vec<T>,
    count: usize,
) -> std::result::Result<(), std::collections::TryReserveError> {
    values.try_reserve_exact(count)?;
    values.resize(count, T::default());
    Ok(())
}

fn no_memory(memory: &SumsMemory) -> Error {
    Error::invalid("connectome", format!("{memory}, which is not available"), "give coarser regions")
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::ElementKind;

    fn axis(n: u64) -> Axis {
        Axis::new(ElementKind::Region, (1..=n).collect(), Vec::new()).unwrap()
    }

    fn whole(matrix: &ConnectivityMatrix, measure: &Measure) -> Vec<Vec<f64>> {
        let [rows, columns] = matrix.shape();
        let row = |row| (0..columns).map(|column| matrix.get(measure, row, column).unwrap()).collect();
        (0..rows).map(row).collect()
    }

    /// A matrix row, a matrix column, a number of streamlines, and the values to add.
    type Added = (usize, usize, u64, [f64; 2]);

    fn both(rows: u64, columns: Option<u64>, added: &[Added]) -> [ConnectivityMatrix; 2] {
        [u64::MAX, 0].map(|most_dense_bytes| {
            let measures = vec![Measure::MeanLength, Measure::Sum("fa".into())];
            let mut sums =
                MatrixSums::new(axis(rows), columns.map(axis), measures, most_dense_bytes).unwrap();
            // After `clear`, the sums of this streamline must be 0.
            if rows > 0 && columns != Some(0) {
                sums.add(0, 0, 7, &[1.0, 1.0]).unwrap();
            }
            sums.clear();
            for (row, column, count, values) in added {
                sums.add(*row, *column, *count, values).unwrap();
            }
            sums.finish(|_, sum| sum).unwrap()
        })
    }

    #[test]
    fn dense_and_sparse_symmetric_sums_agree() {
        let added =
            [(0, 2, 1, [10.0, 0.5]), (2, 0, 1, [30.0, 0.25]), (1, 1, 1, [4.0, 1.0]), (2, 1, 2, [10.0, 0.0])];
        let [dense, sparse] = both(3, None, &added);
        assert!(dense.pattern().is_none() && sparse.pattern().is_some_and(|p| p.columns == [2, 1, 2]));
        for matrix in [dense, sparse] {
            assert!(matrix.is_symmetric());
            assert_eq!(whole(&matrix, &Measure::Count), [[0.0, 0.0, 2.0], [0.0, 1.0, 2.0], [2.0, 2.0, 0.0]]);
            let lengths = whole(&matrix, &Measure::MeanLength);
            assert_eq!(lengths, [[0.0, 0.0, 20.0], [0.0, 4.0, 5.0], [20.0, 5.0, 0.0]]);
            let sums = whole(&matrix, &Measure::Sum("fa".into()));
            assert_eq!(sums, [[0.0, 0.0, 0.75], [0.0, 1.0, 0.0], [0.75, 0.0, 0.0]]);
        }
    }

    #[test]
    fn entries_of_partial_runs_add_up() {
        for columns in [None, Some(4)] {
            for most_dense_bytes in [u64::MAX, 0] {
                let none = || {
                    MatrixSums::new(axis(3), columns.map(axis), vec![Measure::MeanLength], most_dense_bytes)
                        .unwrap()
                };
                let (mut whole, mut parts) = (none(), [none(), none()]);
                for (n, (row, column, length)) in
                    [(0, 2, 5), (2, 1, 7), (2, 2, 1), (0, 2, 9)].into_iter().enumerate()
                {
                    whole.add(row, column, 1, &[length]).unwrap();
                    parts[n % 2].add(row, column, 1, &[length]).unwrap();
                }
                let mut sum = none();
                for part in &parts {
                    assert_eq!(part.entries().len(), 2);
                    part.entries().into_iter().try_for_each(|entry| sum.add_entry(entry)).unwrap();
                }
                assert_eq!(sum.entries(), whole.entries());
                let entry = sum.entries()[0];
                assert_eq!((entry.row, entry.column, entry.count, entry.length), (0, 2, 1 + 1, 14));
                assert!(sum.add_entry(EntrySum { row: 3, ..entry }).is_err());
                assert!(sum.add_entry(EntrySum { column: 4, ..entry }).is_err());
                let [a, b] = [sum, whole].map(|sums| sums.finish(|_, length| length as f64).unwrap());
                assert_eq!(whole_of(&a), whole_of(&b));
            }
        }
    }

    fn whole_of(matrix: &ConnectivityMatrix) -> [Vec<Vec<f64>>; 2] {
        [Measure::Count, Measure::MeanLength].map(|measure| whole(matrix, &measure))
    }

    #[test]
    fn dense_and_sparse_rectangular_sums_agree() {
        for matrix in both(2, Some(3), &[(1, 0, 1, [2.0, 1.0]), (0, 1, 3, [6.0, 1.0]), (1, 0, 1, [4.0, 1.0])])
        {
            assert_eq!(whole(&matrix, &Measure::Count), [[0.0, 3.0, 0.0], [2.0, 0.0, 0.0]]);
            assert_eq!(whole(&matrix, &Measure::MeanLength), [[0.0, 2.0, 0.0], [3.0, 0.0, 0.0]]);
        }
    }

    #[test]
    fn sums_of_no_element_and_of_one_element() {
        for matrix in both(0, None, &[]) {
            assert_eq!(matrix.shape(), [0, 0]);
        }
        for matrix in both(2, Some(0), &[]) {
            assert_eq!(matrix.shape(), [2, 0]);
        }
        for matrix in both(1, None, &[(0, 0, 1, [8.0, 2.0])]) {
            assert_eq!(whole(&matrix, &Measure::MeanLength), [[8.0]]);
        }
    }

    #[test]
    fn memory_is_known_before_summation() {
        let dense = SumsMemory::of(84, None, 2, 1 << 30);
        assert_eq!(dense, SumsMemory::Dense { pairs: 3570, bytes: 3570 * 24 });
        assert_eq!(dense.to_string(), "sums of 3570 pairs take 85680 bytes of the host's memory");
        let sparse = SumsMemory::of(100_000, Some(7), 1, 1 << 20);
        assert_eq!(sparse, SumsMemory::Sparse { pairs: 700_000, bytes_of_a_pair: 107 });
        assert_eq!(
            sparse.to_string(),
            "sums take up to 107 bytes of the host's memory for each of 700000 pairs that is joined"
        );
        for (maximum, expected) in [(85_680, true), (85_679, false)] {
            let sums = MatrixSums::<u64>::new(axis(84), None, vec![Measure::MeanLength; 2], maximum).unwrap();
            assert_eq!(sums.is_dense(), expected);
            assert_eq!(sums.memory(), SumsMemory::of(84, None, 2, maximum));
        }
        // The requested memory is larger than the memory of any machine.
        let wide = || axis(1 << 22);
        let error =
            MatrixSums::<f64>::new(wide(), None, vec![Measure::Weight; 1 << 16], u64::MAX).unwrap_err();
        assert!(error.to_string().contains("which is not available; "), "{error}");
    }
}

//! Counters of streamlines. They count one matrix row after the other, into a table in memory or into a
//! sparse matrix file of FSL.

use super::options::LengthMeasures;
use super::text::{OF_ENTRIES, significant};
use arcuate_compute::cuda::{CudaResult, Gpu};
use arcuate_compute::{DeviceStreamlineSink, StreamlineBatchOnGpu};
use arcuate_connect::{PassedElements, RowCounter, SeedRows};
use arcuate_core::{Error, MatrixRowSink, Measure, Result, StreamlineBatch, StreamlineSink, narrow};
use arcuate_io::AtomicFile;
use std::io::Write;
use std::path::Path;

impl LengthMeasures {
    /// Returns the quantities that are computed in addition to the number of streamlines.
    pub(super) fn measures(self) -> Vec<Measure> {
        let sum = self.corrected.then(|| Measure::Sum("length".to_owned()));
        sum.into_iter().chain(self.means.then_some(Measure::MeanLength)).collect()
    }

    /// Returns two indices into the list of computed quantities: the one that is written as matrix, and the
    /// one with mean path lengths. Index 0 is the number of streamlines.
    fn places(self) -> (usize, Option<usize>) {
        let sum = usize::from(self.corrected);
        (sum, self.means.then_some(sum + 1))
    }
}

/// A sparse matrix file that is written row by row. If mean path lengths are requested, they have a second
/// file.
pub(super) struct DotFile {
    /// The file of the matrix. If mean path lengths are requested, their file follows.
    files: Vec<AtomicFile>,
    places: Vec<usize>,
    shape: [usize; 2],
    /// True if the matrix is symmetric. Only its entries above the diagonal are then written.
    is_symmetric: bool,
}

impl DotFile {
    pub(super) fn create(
        path: &Path,
        lengths: &Path,
        measures: LengthMeasures,
        shape: [usize; 2],
        is_symmetric: bool,
    ) -> Result<Self> {
        let (value, means) = measures.places();
        let mut files = vec![AtomicFile::create(path)?];
        if means.is_some() {
            files.push(AtomicFile::create(lengths)?);
        }
        let places = std::iter::once(value).chain(means).collect();
        Ok(Self { files, places, shape, is_symmetric })
    }

    /// Writes the size of the matrix as last line. This completes the file.
    pub(super) fn finish(self) -> Result<()> {
        let [rows, columns] = self.shape;
        for mut file in self.files {
            writeln!(file, "{rows}  {columns}  0").map_err(|error| Error::write(file.path(), error))?;
            file.finish()?;
        }
        Ok(())
    }
}

impl MatrixRowSink for DotFile {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        for (file, &place) in self.files.iter_mut().zip(&self.places) {
            for (&column, &value) in columns.iter().zip(&values[place]) {
                if value == 0.0 || self.is_symmetric && column as usize <= row {
                    continue;
                }
                let (row, column) = (row + 1, u64::from(column) + 1);
                writeln!(file, "{row}  {column}  {}", significant(value, OF_ENTRIES))
                    .map_err(|error| Error::write(file.path(), error))?;
            }
        }
        Ok(())
    }
}

/// A table in memory.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// Number that the counters give to the first row of this table. If it is not 0, it is the number of
    /// columns.
    first: usize,
    columns: usize,
    places: (usize, Option<usize>),
    values: Vec<f64>,
    means: Option<Vec<f64>>,
}

impl Table {
    pub(super) fn new(first: usize, [rows, columns]: [usize; 2], measures: LengthMeasures) -> Self {
        let places = measures.places();
        let zeros = vec![0.0; rows * columns];
        Self { first, columns, places, means: places.1.map(|_| zeros.clone()), values: zeros }
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns.max(1))
    }

    pub(super) fn mean_rows(&self) -> Option<impl Iterator<Item = &[f64]>> {
        self.means.as_ref().map(|means| means.chunks_exact(self.columns.max(1)))
    }

    /// Returns the values of one column of the table in a range of rows.
    pub(super) fn column(&self, column: usize, rows: std::ops::Range<usize>) -> Vec<f64> {
        rows.map(|row| self.values[row * self.columns + column]).collect()
    }

    pub(super) fn mean_column(&self, column: usize, rows: std::ops::Range<usize>) -> Option<Vec<f64>> {
        let means = self.means.as_ref()?;
        Some(rows.map(|row| means[row * self.columns + column]).collect())
    }
}

impl MatrixRowSink for Table {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        let begin = (row - self.first) * self.columns;
        let (value, means) = self.places;
        for (n, &column) in columns.iter().enumerate() {
            let place = begin + column as usize;
            self.values[place] = values[value][n];
            if let (Some(own), Some(means)) = (&mut self.means, means) {
                own[place] = values[means][n];
            }
        }
        Ok(())
    }
}

/// Destination of the rows of a counter.
pub(super) enum Rows {
    InMemory(Table),
    IntoFile(DotFile),
}

impl MatrixRowSink for Rows {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        match self {
            Self::InMemory(table) => table.take_row(row, columns, values),
            Self::IntoFile(file) => file.take_row(row, columns, values),
        }
    }
}

/// States whether a voxel or vertex that is at the seed of a streamline is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeedElements {
    /// The rows and the columns of the matrix are the same elements. In each row, the element of this row is
    /// not counted.
    NotItsOwn,
    /// The voxel of the seed counts.
    Counts,
    /// The voxel of the seed is not counted. All voxels and vertices that the streamline passes later are
    /// counted.
    DoesNotCount,
}

/// A table or matrix for which streamlines are counted row by row.
pub(super) struct Counted {
    met: PassedElements,
    seeds: SeedRows,
    rows: usize,
    is_square: bool,
    measures: LengthMeasures,
    /// Minimum length of streamlines in mm. Shorter streamlines are not counted.
    pub(super) least_mm: f64,
    pub(super) out: Rows,
}

/// Assignment of seeds to matrix rows. Either each seed has its own row, or all seeds of a region have one
/// row, or all seeds have the same row.
pub(super) struct RowsOfSeeds {
    pub(super) each: u32,
    pub(super) of: Option<Vec<u32>>,
    /// Number of matrix rows. If `of` is `None`, this is the number of seeds.
    pub(super) count: usize,
}

impl Counted {
    /// Creates the counter of a table that is kept in memory.
    pub(super) fn table(
        met: PassedElements,
        rows: RowsOfSeeds,
        of_seed: SeedElements,
        measures: LengthMeasures,
    ) -> Self {
        // The counter excludes the column with the same number as the row, because it is the seed itself.
        // Here, rows are numbered after the last column, so that no column is excluded.
        let first = if of_seed == SeedElements::DoesNotCount { met.len() } else { 0 };
        let shape = [rows.count, met.len()];
        let out = Rows::InMemory(Table::new(first, shape, measures));
        Self::new(met, rows, of_seed, measures, out)
    }

    /// Creates the counter of a table or matrix. `out` receives the completed rows.
    pub(super) fn new(
        met: PassedElements,
        rows: RowsOfSeeds,
        of_seed: SeedElements,
        measures: LengthMeasures,
        out: Rows,
    ) -> Self {
        let first = if of_seed == SeedElements::DoesNotCount { narrow::<u32>(met.len()) } else { 0 };
        let of = match rows.of {
            Some(of) => Some(of.into_iter().map(|row| row + first).collect()),
            None if first > 0 => Some((first..first + narrow::<u32>(rows.count)).collect()),
            None => None,
        };
        let seeds = SeedRows { each: u64::from(rows.each), rows: of };
        let is_square = of_seed != SeedElements::Counts;
        Self { met, seeds, rows: rows.count + first as usize, is_square, measures, least_mm: 0.0, out }
    }

    /// Sets the minimum length in mm of the streamlines that are counted.
    pub(super) fn of_at_least(self, least_mm: f64) -> Self {
        Self { least_mm, ..self }
    }

    /// Returns the row counter of the library. `step_mm` is the step length of the streamlines.
    pub(super) fn counter(&mut self, step_mm: f64) -> Result<RowCounter<'_>> {
        let Self { met, seeds, rows, is_square, measures, out, .. } = self;
        RowCounter::new(met, seeds.clone(), *rows, *is_square, &measures.measures(), step_mm, out)
    }

    pub(super) fn into_table(self) -> Option<Table> {
        match self.out {
            Rows::InMemory(table) => Some(table),
            Rows::IntoFile(_) => None,
        }
    }
}

/// Several row counters, each of which receives all streamlines, on the CPU or on a GPU.
#[derive(Default)]
pub(super) struct Counters<'a>(pub(super) Vec<RowCounter<'a>>);

impl Counters<'_> {
    pub(super) fn finish(self) -> Result<()> {
        self.0.into_iter().try_for_each(|counter| counter.finish().map(|_| ()))
    }
}

impl StreamlineSink for Counters<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.0.iter_mut().try_for_each(|counter| counter.take(batch))
    }
}

impl DeviceStreamlineSink for Counters<'_> {
    fn begin_on(&mut self, gpu: &Gpu) -> CudaResult<Option<u64>> {
        let mut maximum = None;
        for counter in &mut self.0 {
            maximum = [maximum, counter.begin_on(gpu)?].into_iter().flatten().min();
        }
        Ok(maximum)
    }

    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()> {
        self.0.iter_mut().try_for_each(|counter| counter.take_on_gpu(batch.clone()))
    }

    fn done_below(&mut self, number: u64) -> Result<()> {
        self.0.iter_mut().try_for_each(|counter| counter.done_below(number))
    }

    fn collect(&mut self) -> Result<()> {
        self.0.iter_mut().try_for_each(DeviceStreamlineSink::collect)
    }

    fn forget(&mut self) {
        self.0.iter_mut().for_each(DeviceStreamlineSink::forget);
    }
}

/// Passes only streamlines of at least a minimum length to `sink`. As in FSL, the length of a streamline is
/// its number of points times the step length.
pub(super) struct MinimumLength<S> {
    pub(super) sink: S,
    pub(super) least_mm: f64,
    pub(super) step_mm: f64,
}

impl<S: StreamlineSink> StreamlineSink for MinimumLength<S> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        if self.least_mm == 0.0 {
            return self.sink.take(batch);
        }
        // The tolerance of a thousandth of a step allows for the rounding error of the division.
        let minimum = self.least_mm / self.step_mm - 1e-3;
        let is_long = |n: usize| batch.streamline(n).len() as f64 >= minimum;
        let mut begin = 0;
        while begin < batch.len() {
            let is_long_enough = is_long(begin);
            let end = (begin..batch.len()).find(|&n| is_long(n) != is_long_enough).unwrap_or(batch.len());
            if is_long_enough {
                self.sink.take(batch.part(begin..end))?;
            }
            begin = end;
        }
        Ok(())
    }
}

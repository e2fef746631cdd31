//! Matrices in which each row counts the streamlines of one seed, or of one region of seeds.

use super::counted_rows::{CountedRows, Values};
use super::elements::{Passed, PassedElements, Prepared, Rules};
use super::measures::Measures;
use super::rows_on_gpu::RowsOnGpu;
use super::seed_rows::{RowEntry, SeedRows};
use arcuate_compute::cuda::{CudaResult, Gpu, Stream, on_each};
use arcuate_compute::element_rows::{ElementNeeds, ElementRows};
use arcuate_compute::{DeviceStreamlineSink, StreamlineBatchOnGpu};
use arcuate_core::{Error, MatrixRowSink, Measure, Result, SeedOf, StreamlineBatch, StreamlineSink, narrow};
use rayon::prelude::*;
use std::ops::Range;

/// Counts, for each seed or region of seeds (matrix row), how many of its streamlines pass each element
/// (matrix column). Also adds up the lengths of the paths from the seed to the element.
///
/// On the host, the counter receives streamlines in the order of their seeds ([`StreamlineBatch::seeds`]). On
/// GPUs, it receives one group of seeds after the other, and within a group the streamlines in any order
/// ([`DeviceStreamlineSink::done_below`]). A complete row is passed to a [`MatrixRowSink`].
///
/// The host has one row in memory, with 20 bytes per column. GPUs have the rows of the current group of seeds
/// in memory, with 6 bytes per column, or 16 if lengths are summed. The sums are integers, so that they do
/// not depend on the device or the order of the streamlines.
pub struct RowCounter<'a> {
    columns: Prepared<'a>,
    seeds: SeedRows,
    /// Number of rows of the matrix.
    rows: usize,
    is_square: bool,
    measures: Measures,
    sink: &'a mut dyn MatrixRowSink,
    row: Row,
    at: usize,
    /// The receiver of the rows (`sink`) already has all rows with an index below this number.
    given: usize,
    /// Number of rows that the receiver of the rows (`sink`) already had when a GPU failed. These rows are
    /// counted again, but they are not passed on again.
    known: usize,
    taken: u64,
    entries: u64,
    gpus: Vec<RowsOnGpu>,
    /// Rows that are passed to the receiver of the rows (`sink`) while the GPUs already count the next rows.
    waiting: Option<Waiting>,
    /// The error that the receiver of the rows (`sink`) returned, if it did not accept a row.
    refusal: Option<Error>,
}

/// The matrix row that is being counted.
struct Row {
    counts: Vec<u64>,
    steps: Vec<u64>,
    /// The columns of this row in which the number of streamlines is not 0.
    met: Vec<u32>,
}

impl Row {
    fn add(&mut self, RowEntry { column, count, steps }: RowEntry) {
        let place = column as usize;
        if self.counts[place] == 0 {
            self.met.push(column);
        }
        self.counts[place] += count;
        self.steps[place] += steps;
    }

    fn take(&mut self) -> Vec<RowEntry> {
        self.met.sort_unstable();
        let Self { counts, steps, met } = self;
        let entry = |column: u32| {
            let place = column as usize;
            let (count, steps) = (std::mem::take(&mut counts[place]), std::mem::take(&mut steps[place]));
            RowEntry { column, count, steps }
        };
        met.drain(..).map(entry).collect()
    }
}

impl<'a> RowCounter<'a> {
    /// Creates an empty counter of a matrix with `rows` rows. If `is_square` is true, rows and columns have
    /// the same elements. The following do not count then: the seed point, the element of the seed itself,
    /// and the other elements of the triangles that contain this element. If `is_square` is false, the voxel
    /// that contains the seed point counts. `measures` lists the measures in addition to the number of
    /// streamlines: the mean or the sum of path lengths, for streamlines with steps of `step_mm`.
    ///
    /// Returns an error if `measures` contains a measure that is not a mean or a sum of lengths.
    pub fn new(
        columns: &'a PassedElements,
        seeds: SeedRows,
        rows: usize,
        is_square: bool,
        measures: &[Measure],
        step_mm: f64,
        sink: &'a mut dyn MatrixRowSink,
    ) -> Result<Self> {
        let measures = Measures::new(measures, step_mm)?;
        let count = columns.len();
        let row = Row { counts: vec![0; count], steps: vec![0; count], met: Vec::new() };
        let columns = Prepared::new(columns, step_mm)?;
        let (at, given, known, taken, entries, gpus) = (0, 0, 0, 0, 0, Vec::new());
        Ok(Self {
            columns,
            seeds,
            rows,
            is_square,
            measures,
            sink,
            row,
            at,
            given,
            known,
            taken,
            entries,
            gpus,
            waiting: None,
            refusal: None,
        })
    }

    /// Returns the number of received streamlines.
    pub fn streamlines(&self) -> u64 {
        self.taken
    }

    /// Returns true if GPUs can count all elements. Only the CPU supports regions that are the inside of
    /// surfaces.
    pub fn has_kernel(&self) -> bool {
        self.columns.elements.has_kernel()
    }

    /// Passes all matrix rows that have been counted to the receiver of the rows. Before this call, the
    /// counter must have received all streamlines of the seeds so far.
    ///
    /// Returns an error if the sink fails.
    pub fn pause(&mut self) -> Result<()> {
        self.pass_waiting_rows(usize::MAX)?;
        self.pass_current_row()
    }

    /// Passes the last matrix row to the receiver of the rows. Returns the number of non-zero entries of the
    /// matrix.
    pub fn finish(mut self) -> Result<u64> {
        self.pass_current_row()?;
        Ok(self.entries)
    }

    fn pass_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        self.sink.take_row(row, columns, values)?;
        self.given = row + 1;
        self.entries += columns.len() as u64;
        Ok(())
    }

    /// Passes the current row to the sink.
    fn pass_current_row(&mut self) -> Result<()> {
        let entries = self.row.take();
        if entries.is_empty() {
            return Ok(());
        }
        let columns: Vec<u32> = entries.iter().map(|entry| entry.column).collect();
        self.pass_row(self.at, &columns, &self.measures.values(&entries.iter().copied()))
    }

    /// Makes the matrix row `row` the current row. If another row was current, passes that row to the
    /// receiver of the rows first.
    fn go_to(&mut self, row: usize) -> Result<()> {
        if row != self.at {
            self.pass_current_row()?;
            self.at = row;
        }
        Ok(())
    }

    fn row_of(&self, seed: SeedOf) -> Result<usize> {
        let row = self.seeds.row(seed.number).filter(|&row| row >= self.at && row < self.rows);
        row.ok_or_else(|| {
            let problem = format!(
                "the seed of streamline {} is not a row of the matrix, or is not in the order of the rows",
                seed.number
            );
            Error::invalid(
                "streamlines",
                problem,
                "give the streamlines of all seeds, in the order of the \
                                                    seeds",
            )
        })
    }

    /// Returns the index of a GPU in `gpus`. If the GPU is not in this list, it is added.
    fn place_of(&mut self, gpu: &Gpu) -> CudaResult<usize> {
        if let Some(known) = self.gpus.iter().position(|there| there.gpu() == gpu) {
            return Ok(known);
        }
        self.begin_on(gpu)?;
        Ok(self.gpus.len() - 1)
    }

    /// Fetches the matrix rows that the GPUs have counted. The rows contain the streamlines whose number is
    /// below `below`.
    fn take_counted(&mut self, below: u64) -> Result<()> {
        self.pass_waiting_rows(usize::MAX)?;
        let seeds = &self.seeds;
        let brought = on_each(self.gpus.iter_mut(), |_, gpu| Ok(gpu.bring(seeds)?))?;
        let blocks: Vec<CountedRows> = brought.into_iter().flatten().collect();
        let Some(first) = blocks.iter().map(CountedRows::first).min() else { return Ok(()) };
        let end = blocks.iter().map(CountedRows::end).max().unwrap_or(first);
        self.waiting = Some(Waiting { blocks, rows: first..end, below });
        Ok(())
    }

    /// Passes at most `maximum` of the waiting matrix rows to the receiver of the rows.
    fn pass_waiting_rows(&mut self, maximum: usize) -> Result<()> {
        let Some(mut waiting) = self.waiting.take() else { return Ok(()) };
        let end = waiting.rows.end.min(waiting.rows.start.saturating_add(maximum));
        for begin in (waiting.rows.start..end).step_by(ROWS_TOGETHER) {
            self.pass_range(&waiting, begin..end.min(begin + ROWS_TOGETHER))?;
        }
        waiting.rows.start = end;
        if waiting.rows.is_empty() {
            for (gpu, block) in self.gpus.iter_mut().zip(waiting.blocks) {
                gpu.take_back(block);
            }
        } else {
            self.waiting = Some(waiting);
        }
        Ok(())
    }

    fn pass_range(&mut self, waiting: &Waiting, rows: Range<usize>) -> Result<()> {
        let (seeds, measures, at) = (&self.seeds, &self.measures, self.at);
        let Waiting { blocks, below, .. } = waiting;
        let found: Vec<FoundRow<'_>> = rows
            .clone()
            .into_par_iter()
            .map(|row| {
                // If a matrix row is complete, it can go directly to the receiver of the rows.
                if row != at && seeds.is_complete(row, *below) {
                    FoundRow::Whole(CountedRows::values(blocks, row, measures))
                } else {
                    FoundRow::Part(CountedRows::entries(blocks, row))
                }
            })
            .collect();
        for (row, found) in rows.zip(found) {
            match found {
                FoundRow::Whole((columns, _)) if columns.is_empty() => {}
                FoundRow::Whole((columns, values)) => {
                    self.pass_current_row()?;
                    self.pass_row(row, &columns, &values)?;
                }
                FoundRow::Part(entries) if entries.is_empty() => {}
                FoundRow::Part(entries) => {
                    self.go_to(row)?;
                    for entry in entries {
                        self.row.add(entry);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Matrix rows that GPUs have counted, but that have not yet been passed to the receiver of the rows. They
/// contain the streamlines whose number is below `below`.
struct Waiting {
    blocks: Vec<CountedRows>,
    rows: Range<usize>,
    below: u64,
}

/// Number of waiting matrix rows that the threads of the CPU process in parallel.
const ROWS_TOGETHER: usize = 256;
/// Initial size of the list of elements that one segment of a streamline passes through its triangles. Most
/// segments pass no element.
const OF_TRIANGLES: usize = 1;

/// The entries of one matrix row that GPUs have counted.
enum FoundRow<'a> {
    /// The row is complete.
    Whole(Values<'a>),
    /// The matrix row may get more entries from further streamlines.
    Part(Vec<RowEntry>),
}

impl StreamlineSink for RowCounter<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        if batch.seeds.len() != batch.len() {
            let problem = "the streamlines have no seed numbers";
            return Err(Error::invalid(
                "streamlines",
                problem,
                "give the streamlines together with the number of the seed of each streamline",
            ));
        }
        let (columns, seeds, is_square, known) = (&self.columns, &self.seeds, self.is_square, self.known);
        let met = |n: usize| {
            let SeedOf { number, point } = batch.seeds[n];
            let row = seeds.row(number);
            if row.is_some_and(|row| row < known) {
                return Vec::new();
            }
            let own = row.filter(|_| is_square).map(narrow::<u32>);
            columns.met_by(batch.streamline(n), point as usize, Rules { with_seed: !is_square, own })
        };
        let found: Vec<Vec<Passed>> = (0..batch.len()).into_par_iter().with_min_len(16).map(met).collect();
        for (&seed, found) in batch.seeds.iter().zip(found) {
            let row = self.row_of(seed)?;
            self.go_to(row)?;
            for Passed { element, steps } in found {
                self.row.add(RowEntry { column: element, count: 1, steps: u64::from(steps.unsigned_abs()) });
            }
        }
        self.taken += batch.len() as u64;
        Ok(())
    }
}

impl DeviceStreamlineSink for RowCounter<'_> {
    fn begin_on(&mut self, gpu: &Gpu) -> CudaResult<Option<u64>> {
        let on_gpu = RowsOnGpu::new(
            gpu,
            &self.columns,
            &self.seeds,
            self.rows,
            self.is_square,
            self.measures.len() > 0,
        )?;
        let maximum = on_gpu.most_streamlines();
        self.gpus.push(on_gpu);
        Ok(Some(maximum))
    }

    fn element_needs(&self) -> Option<ElementNeeds> {
        let elements = self.columns.elements;
        let triangles = self.columns.cells.is_some();
        let at_point = elements.lattices.len() + if triangles { OF_TRIANGLES } else { 0 };
        let needs = ElementNeeds { at_point, triangles, steps: self.measures.len() > 0 };
        self.has_kernel().then_some(needs)
    }

    fn rows_on(&mut self, stream: &Stream, numbers: Range<u64>) -> CudaResult<Option<ElementRows<'_>>> {
        let place = self.place_of(stream.gpu())?;
        self.gpus[place].rows(stream, numbers, &self.seeds).map(Some)
    }

    fn counted_in_rows(&mut self, streamlines: u64) {
        self.taken += streamlines;
    }

    fn meanwhile(&mut self) -> bool {
        if self.refusal.is_none() {
            self.refusal = self.pass_waiting_rows(ROWS_TOGETHER).err();
        }
        self.refusal.is_none() && self.waiting.is_some()
    }

    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()> {
        let place = self.place_of(batch.gpu())?;
        self.gpus[place].count(&batch, &self.seeds)?;
        self.taken += batch.spans.len() as u64;
        self.meanwhile();
        Ok(())
    }

    fn done_below(&mut self, tries: u64) -> Result<()> {
        match self.refusal.take() {
            Some(refusal) => Err(refusal),
            None => self.take_counted(tries),
        }
    }

    fn collect(&mut self) -> Result<()> {
        self.pass_waiting_rows(usize::MAX)?;
        self.gpus.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.gpus.clear();
        (self.waiting, self.refusal) = (None, None);
        // The receiver of the rows keeps the rows that it already has, because counting these rows again
        // gives the same values.
        self.row.take();
        (self.known, self.at, self.taken) = (self.given, 0, 0);
    }
}

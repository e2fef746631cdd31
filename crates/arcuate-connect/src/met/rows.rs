//! Matrices whose rows are where streamlines begin.

use super::elements::{Met, MetElements, Rules};
use super::measures::Measures;
use arcuate_core::{Error, MatrixRowSink, Measure, Result, SeedOf, StreamlineBatch, StreamlineSink};
use rayon::prelude::*;

/// Which row a streamline counts in.
#[derive(Debug, Clone)]
pub struct SeedRows {
    /// How many streamlines in a row begin at one seed.
    pub each: u64,
    /// The row of each seed, ascending; nothing where each seed is a row.
    pub rows: Option<Vec<u32>>,
}

impl SeedRows {
    fn row(&self, streamline: u64) -> Option<usize> {
        let seed = streamline.checked_div(self.each)?;
        match &self.rows {
            Some(rows) => rows.get(usize::try_from(seed).ok()?).map(|&row| row as usize),
            None => usize::try_from(seed).ok(),
        }
    }
}

/// Counts, for each seed (or region of seeds), the streamlines from there that meet each of some elements, and how long their ways
/// to it are.
///
/// Streamlines come in the order of their seeds ([`StreamlineBatch::seeds`]); a row goes to a [`MatrixRowSink`] once the next one
/// begins. So it holds one row: 20 bytes for each column. Sums are whole numbers.
pub struct RowCounter<'a> {
    columns: &'a MetElements,
    seeds: SeedRows,
    is_square: bool,
    measures: Measures,
    sink: &'a mut dyn MatrixRowSink,
    row: Row,
    at: usize,
    taken: u64,
    entries: u64,
}

/// The row that is being counted.
struct Row {
    counts: Vec<u64>,
    steps: Vec<u64>,
    /// The columns that have a count.
    met: Vec<u32>,
}

impl<'a> RowCounter<'a> {
    /// No streamline yet. In a matrix that `is_square` rows and columns are the same: a seed neither meets its own element nor
    /// others at a triangle that has it, and that it lies in an element does not count; else it does, for voxels. `measures` are
    /// what is measured beside the count: mean lengths, or the sums of lengths, of ways of so many steps of `step_mm`.
    ///
    /// Fails on other measures.
    pub fn new(
        columns: &'a MetElements,
        seeds: SeedRows,
        is_square: bool,
        measures: &[Measure],
        step_mm: f64,
        sink: &'a mut dyn MatrixRowSink,
    ) -> Result<Self> {
        let measures = Measures::new(measures, step_mm)?;
        let count = columns.len();
        let row = Row { counts: vec![0; count], steps: vec![0; count], met: Vec::new() };
        Ok(Self { columns, seeds, is_square, measures, sink, row, at: 0, taken: 0, entries: 0 })
    }

    /// Streamlines that came.
    pub fn streamlines(&self) -> u64 {
        self.taken
    }

    /// Hands the last row over; answers how many entries the matrix has.
    pub fn finish(mut self) -> Result<u64> {
        self.hand_over()?;
        Ok(self.entries)
    }

    fn hand_over(&mut self) -> Result<()> {
        let Row { counts, steps, met } = &mut self.row;
        if met.is_empty() {
            return Ok(());
        }
        met.sort_unstable();
        let of = |column: &u32| (counts[*column as usize], steps[*column as usize]);
        let mut values = vec![met.iter().map(|column| of(column).0 as f64).collect::<Vec<f64>>()];
        for measure in &self.measures.all {
            let value = |(count, steps)| self.measures.value(measure, steps, count);
            values.push(met.iter().map(|column| value(of(column))).collect());
        }
        self.sink.take_row(self.at, met, &values)?;
        self.entries += met.len() as u64;
        for column in met.drain(..) {
            counts[column as usize] = 0;
            steps[column as usize] = 0;
        }
        Ok(())
    }

    fn row_of(&self, seed: SeedOf) -> Result<usize> {
        let row = self.seeds.row(seed.number).filter(|&row| row >= self.at);
        row.ok_or_else(|| {
            let problem =
                format!("streamline {} is not of a seed of the matrix, or comes too late", seed.number);
            Error::invalid("streamlines", problem, "give those of all seeds, in their order")
        })
    }
}

impl StreamlineSink for RowCounter<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        if batch.seeds.len() != batch.len() {
            let problem = "nothing says which seeds they come from";
            return Err(Error::invalid("streamlines", problem, "give some that were followed from seeds"));
        }
        let (columns, seeds, is_square) = (self.columns, &self.seeds, self.is_square);
        let met = |n: usize| {
            let SeedOf { number, point } = batch.seeds[n];
            let own = seeds.row(number).filter(|_| is_square).map(|row| row as u32);
            columns.met_by(batch.streamline(n), point as usize, Rules { with_seed: !is_square, own })
        };
        let found: Vec<Vec<Met>> = (0..batch.len()).into_par_iter().with_min_len(16).map(met).collect();
        for (&seed, found) in batch.seeds.iter().zip(found) {
            let row = self.row_of(seed)?;
            if row != self.at {
                self.hand_over()?;
                self.at = row;
            }
            for Met { element, steps } in found {
                let place = element as usize;
                if self.row.counts[place] == 0 {
                    self.row.met.push(element);
                }
                self.row.counts[place] += 1;
                self.row.steps[place] += u64::from(steps.unsigned_abs());
            }
        }
        self.taken += batch.len() as u64;
        Ok(())
    }
}

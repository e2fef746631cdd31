//! Counters of matrices during tracking: row by row, or all entries at once.

use arcuate_compute::DeviceStreamlineSink;
use arcuate_connect::{EntrySum, PairCounter, RowCounter};
use arcuate_core::{MatrixRowSink, Result, StreamlineBatch, StreamlineSink};

/// Counter of a matrix.
pub enum MatrixCounter<'a> {
    /// Counts row by row.
    Rows(Box<RowCounter<'a>>),
    /// Counts all entries, and passes them to the sink at the end.
    Pairs(Box<PairCounter<'a>>, &'a mut dyn MatrixRowSink),
}

impl StreamlineSink for MatrixCounter<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        match self {
            Self::Rows(counter) => counter.take(batch),
            Self::Pairs(counter, _) => counter.take(batch),
        }
    }
}

impl MatrixCounter<'_> {
    /// Checks whether the matrix can be counted on GPUs.
    pub fn has_kernel(&self) -> bool {
        matches!(self, Self::Rows(counter) if counter.has_kernel())
    }

    /// Returns the counter on GPUs, for streamlines that are tracked there. Returns `None` if the counter has
    /// no GPU kernel.
    pub fn on_gpus(&mut self) -> Option<&mut dyn DeviceStreamlineSink> {
        match self {
            Self::Rows(counter) if counter.has_kernel() => Some(counter.as_mut()),
            _ => None,
        }
    }

    /// Passes on the rows of the seeds that are finished. A matrix of pairs has no finished rows yet.
    pub fn pause(&mut self) -> Result<()> {
        match self {
            Self::Rows(counter) => counter.pause(),
            Self::Pairs(..) => Ok(()),
        }
    }

    /// Finishes the counter of one part of the streamlines. Remaining rows of seeds are passed on. For pairs,
    /// `take` receives the sums, which the caller adds to those of the other parts.
    pub fn finish_part(self, take: &mut dyn FnMut(EntrySum) -> Result<()>) -> Result<()> {
        match self {
            Self::Rows(counter) => counter.finish().map(|_| ()),
            Self::Pairs(counter, _) => counter.tell_entries(take),
        }
    }

    /// Passes on the remaining rows, and returns the number of entries that were written.
    pub fn finish(self) -> Result<u64> {
        match self {
            Self::Rows(counter) => counter.finish(),
            Self::Pairs(counter, files) => {
                let mut counted = CountedRows { files, entries: 0 };
                counter.pass_rows(&mut counted)?;
                Ok(counted.entries)
            }
        }
    }
}

/// Counts the entries that pass to `files`.
struct CountedRows<'a> {
    files: &'a mut dyn MatrixRowSink,
    entries: u64,
}

impl MatrixRowSink for CountedRows<'_> {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        self.entries += columns.len() as u64;
        self.files.take_row(row, columns, values)
    }
}

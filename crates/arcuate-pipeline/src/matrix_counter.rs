//! Counters that fill a connectivity matrix during tracking, either row by row or all entries at once.

use arcuate_compute::DeviceStreamlineSink;
use arcuate_connect::{EntrySum, PairCounter, RowCounter};
use arcuate_core::{MatrixRowSink, Result, StreamlineBatch, StreamlineSink};

/// Counter of a matrix.
pub enum MatrixCounter<'a> {
    /// Counts row by row.
    Rows(Box<RowCounter<'a>>),
    /// Counts all entries of the matrix at once, and passes its rows to the sink at the end.
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
    /// Checks whether this counter has a GPU kernel.
    pub fn has_kernel(&self) -> bool {
        matches!(self, Self::Rows(counter) if counter.has_kernel())
    }

    /// Returns the counter of streamlines that are tracked on GPUs and stay in their memory. Returns `None`
    /// if the counter has no GPU kernel.
    pub fn on_gpus(&mut self) -> Option<&mut dyn DeviceStreamlineSink> {
        match self {
            Self::Rows(counter) if counter.has_kernel() => Some(counter.as_mut()),
            _ => None,
        }
    }

    /// Passes the finished matrix rows (those of finished seeds) to the files of the matrix. A matrix of
    /// pairs of voxels or vertices has no finished rows before the end of tracking.
    pub fn pause(&mut self) -> Result<()> {
        match self {
            Self::Rows(counter) => counter.pause(),
            Self::Pairs(..) => Ok(()),
        }
    }

    /// Finishes the counter of a part of a run (one of several jobs that divide the streamlines). If rows are
    /// seeds, the remaining rows are passed to the files of the matrix. If the matrix counts pairs, `take`
    /// receives the sum of each entry, which the caller adds to the sums of the other parts.
    pub fn finish_part(self, take: &mut dyn FnMut(EntrySum) -> Result<()>) -> Result<()> {
        match self {
            Self::Rows(counter) => counter.finish().map(|_| ()),
            Self::Pairs(counter, _) => counter.for_each_entry_sum(take),
        }
    }

    /// Passes the remaining matrix rows to the files of the matrix. Returns the number of nonzero entries
    /// that were written.
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

/// Counts the matrix entries that are passed to `files`.
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

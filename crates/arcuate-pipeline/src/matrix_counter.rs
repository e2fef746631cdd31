//! What counts matrices while streamlines are tracked, row by row or all at once.

use arcuate_compute::DeviceStreamlineSink;
use arcuate_connect::{EntrySum, PairCounter, RowCounter};
use arcuate_core::{MatrixRowSink, Result, StreamlineBatch, StreamlineSink};

/// Counts a matrix.
pub enum MatrixCounter<'a> {
    /// Row by row.
    Rows(Box<RowCounter<'a>>),
    /// All of it, into files at the end.
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
    /// Whether it can be counted in GPUs.
    pub fn has_kernel(&self) -> bool {
        matches!(self, Self::Rows(counter) if counter.has_kernel())
    }

    /// What counts in GPUs where streamlines are followed there; nothing where they have no kernel for it.
    pub fn on_gpus(&mut self) -> Option<&mut dyn DeviceStreamlineSink> {
        match self {
            Self::Rows(counter) if counter.has_kernel() => Some(counter.as_mut()),
            _ => None,
        }
    }

    /// Hands over the rows of seeds that have been followed; of pairs none is done.
    pub fn pause(&mut self) -> Result<()> {
        match self {
            Self::Rows(counter) => counter.pause(),
            Self::Pairs(..) => Ok(()),
        }
    }

    /// Hands over what is left where there are rows of seeds, which others follow; else tells the sums of pairs, to be added to those of
    /// other streamlines.
    pub fn finish_part(self, take: &mut dyn FnMut(EntrySum) -> Result<()>) -> Result<()> {
        match self {
            Self::Rows(counter) => counter.finish().map(|_| ()),
            Self::Pairs(counter, _) => counter.tell_entries(take),
        }
    }

    /// Hands over what is left; answers how many entries were written.
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

/// Counts entries on their way.
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

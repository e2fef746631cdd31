//! Numbers of streamlines and points that an encoder (which converts them to sparse coefficients) has
//! received.

use arcuate_core::{Error, Result, StreamlineBatch};

/// Numbers of the streamlines and of their points that were received so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) streamlines: usize,
    pub(super) points: u64,
}

impl Counts {
    /// Adds the numbers of streamlines and points of a batch. Returns the number of the batch's first
    /// streamline in the tractogram. Returns an error if the number of streamlines exceeds 32 bits.
    pub(super) fn add(&mut self, batch: StreamlineBatch<'_>) -> Result<usize> {
        let first = self.streamlines;
        self.streamlines += batch.len();
        self.points += batch.points().len() as u64;
        if u32::try_from(self.streamlines).is_err() {
            let problem = "more than 4,294,967,295 streamlines";
            return Err(Error::invalid("tractogram", problem, "evaluate it in parts"));
        }
        Ok(first)
    }
}

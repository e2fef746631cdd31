//! Which rows streamlines count in, and what is counted there.

/// Which row a streamline counts in.
#[derive(Debug, Clone)]
pub struct SeedRows {
    /// How many streamlines in a row begin at one seed.
    pub each: u64,
    /// The row of each seed, ascending; nothing where each seed is a row.
    pub rows: Option<Vec<u32>>,
}

impl SeedRows {
    pub(super) fn row(&self, streamline: u64) -> Option<usize> {
        self.row_of_seed(streamline.checked_div(self.each)?)
    }

    fn row_of_seed(&self, seed: u64) -> Option<usize> {
        match &self.rows {
            Some(rows) => rows.get(usize::try_from(seed).ok()?).map(|&row| row as usize),
            None => usize::try_from(seed).ok(),
        }
    }

    /// Whether no streamline from this number on is of a row.
    pub(super) fn is_complete(&self, row: usize, below: u64) -> bool {
        let seeds = match &self.rows {
            Some(rows) => rows.partition_point(|&of| of as usize <= row) as u64,
            None => row as u64 + 1,
        };
        seeds.checked_mul(self.each).is_some_and(|end| end <= below)
    }
}

/// A column of a row: streamlines, and the steps of their ways together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowEntry {
    pub(super) column: u32,
    pub(super) count: u64,
    pub(super) steps: u64,
}

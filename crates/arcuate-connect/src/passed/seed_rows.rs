//! Assignment of streamlines to matrix rows, and the type of the entries of these rows.

/// Assigns each streamline to a matrix row, by the seed of the streamline.
#[derive(Debug, Clone)]
pub struct SeedRows {
    /// Number of streamlines of each seed. They have consecutive numbers.
    pub each: u64,
    /// The matrix row of each seed, in ascending order. `None` if each seed has its own row.
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

    /// Returns the number of the first streamline, starting at `streamline`, with which a new matrix row
    /// begins.
    pub fn row_from(&self, streamline: u64) -> u64 {
        let seed = streamline.div_ceil(self.each.max(1));
        let begins = match &self.rows {
            // Finds the first seed whose row differs from the row of the seed before it.
            Some(rows) => match usize::try_from(seed).ok().and_then(|seed| rows.get(seed.checked_sub(1)?)) {
                Some(before) => rows.partition_point(|row| row <= before) as u64,
                None => seed,
            },
            None => seed,
        };
        begins.saturating_mul(self.each.max(1))
    }

    /// Returns true if a matrix row is complete after all streamlines with numbers below `below` have been
    /// counted.
    pub(super) fn is_complete(&self, row: usize, below: u64) -> bool {
        let seeds = match &self.rows {
            Some(rows) => rows.partition_point(|&of| of as usize <= row) as u64,
            None => row as u64 + 1,
        };
        seeds.checked_mul(self.each).is_some_and(|end| end <= below)
    }
}

/// A non-zero entry of a matrix row: its column, the number of streamlines, and the total number of steps of
/// their paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowEntry {
    pub(super) column: u32,
    pub(super) count: u64,
    pub(super) steps: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_with_their_first_seed() {
        let seeds = SeedRows { each: 10, rows: None };
        assert_eq!([0, 1, 10, 11].map(|n| seeds.row_from(n)), [0, 10, 10, 20]);
        let regions = SeedRows { each: 10, rows: Some(vec![0, 0, 0, 1, 3, 3]) };
        assert_eq!([0, 1, 20, 30, 31, 41, 60].map(|n| regions.row_from(n)), [0, 30, 30, 30, 40, 60, 60]);
    }
}

//! Random numbers that are reproducible from a seed and a case number: SplitMix64 (Steele, Lea, Flood 2014).

/// A stream of random numbers.
pub(super) struct Random {
    state: u64,
}

impl Random {
    /// Creates the stream of a case. It depends only on the two numbers.
    pub(super) fn of_case(seed: u64, case: u64) -> Self {
        let mut first = Self { state: seed };
        Self { state: first.next() ^ case.wrapping_mul(0xd6e8_feb8_6659_fd93) }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// Returns `true` with probability 1 / `n`.
    pub(super) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of several items.
    ///
    /// # Panics
    /// Panics if there are none.
    pub(super) fn one_of<'a, T>(&mut self, several: &'a [T]) -> &'a T {
        &several[self.below(several.len())]
    }
}

//! Random numbers for the tests of this crate, which is below the crate with the counter-based generator.

/// The generator SplitMix64 (Steele et al. 2014, doi:10.1145/2660193.2660195).
pub(crate) struct TestNumbers(u64);

impl TestNumbers {
    pub(crate) fn new() -> Self {
        Self(1)
    }

    /// Returns a number between 0 and 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// Returns a number of the normal distribution, by the method of Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

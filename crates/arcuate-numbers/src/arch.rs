//! The instruction set of the processor for SIMD loops.

/// The instruction set for which the feature `one-width` compiles loops: AVX2 with fused multiply-add.
#[derive(Debug, Clone, Copy)]
pub struct Arch(pulp::x86::V3);

impl Arch {
    /// Returns the instruction set.
    ///
    /// # Panics
    /// Panics if the processor does not have it. A program with the feature `one-width` only runs on processors like that of
    /// the machine that builds it.
    #[inline(always)]
    #[expect(
        clippy::expect_used,
        reason = "`cargo xtask demo` sets the feature `one-width` only on a processor with AVX2"
    )]
    pub fn new() -> Self {
        Self(pulp::x86::V3::try_new().expect("this program was built for processors with AVX2"))
    }

    /// Runs an operation with the vectors of the instruction set.
    #[inline(always)]
    pub fn dispatch<Op: pulp::WithSimd>(self, op: Op) -> Op::Output {
        pulp::Simd::vectorize(self.0, op)
    }
}

impl Default for Arch {
    fn default() -> Self {
        Self::new()
    }
}

//! Of which kind the numbers are that the bulk of the arithmetic is done with.

/// Precision of the bulk of the arithmetic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    #[default]
    Single,
    /// 64 bits.
    Double,
}

//! Floating-point precision of the main computations.

/// Floating-point precision of the main computations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Precision {
    /// Single precision (32 bits).
    #[default]
    Single,
    /// Double precision (64 bits).
    Double,
}

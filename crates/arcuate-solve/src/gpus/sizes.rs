//! Lengths of a solver's vectors.

/// The numbers that determine the lengths of a solver's vectors on one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Data of this GPU.
    pub rows: usize,
    /// Unknowns.
    pub columns: usize,
    /// See [`SplitOperator::norms_on`](super::SplitOperator::norms_on).
    pub norms: usize,
    /// See [`SplitOperator::raw_sums`](super::SplitOperator::raw_sums).
    pub raw_sums: Option<usize>,
    /// Number of GPUs that share the work.
    pub gpus: usize,
}

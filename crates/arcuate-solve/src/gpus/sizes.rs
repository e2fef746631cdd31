//! The numbers that determine how long the vectors of a solver on a GPU are.

/// The numbers that determine how long the vectors of a solver on one GPU are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Number of data on this GPU.
    pub rows: usize,
    /// Number of unknowns.
    pub columns: usize,
    /// Number of pairs of squared norms that a product writes, as described at
    /// [`SplitOperator::norms_on`](super::SplitOperator::norms_on).
    pub norms: usize,
    /// Number of raw sums of a product Aᵀ y, as described at
    /// [`SplitOperator::raw_sums`](super::SplitOperator::raw_sums).
    pub raw_sums: Option<usize>,
    /// Number of GPUs that share the work.
    pub gpus: usize,
}

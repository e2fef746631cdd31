//! The numbers that determine the lengths of a solver's vectors on a GPU.

/// The numbers that determine the lengths of a solver's vectors on one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Number of data on this GPU.
    pub rows: usize,
    /// Number of unknowns.
    pub columns: usize,
    /// Number of pairs of norms, as described at [`SplitOperator::norms_on`](super::SplitOperator::norms_on).
    pub norms: usize,
    /// Number of raw sums, as described at [`SplitOperator::raw_sums`](super::SplitOperator::raw_sums).
    pub raw_sums: Option<usize>,
    /// Number of GPUs that share the work.
    pub gpus: usize,
}

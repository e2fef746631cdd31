//! How long the vectors of a solver are.

/// The numbers that decide how long a solver's vectors on one GPU are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Data of this GPU.
    pub rows: usize,
    /// Unknowns.
    pub columns: usize,
    /// As [`SplitOperator::norms_on`](super::SplitOperator::norms_on).
    pub norms: usize,
    /// As [`SplitOperator::raw_sums`](super::SplitOperator::raw_sums).
    pub raw_sums: Option<usize>,
    /// GPUs that share the work.
    pub gpus: usize,
}

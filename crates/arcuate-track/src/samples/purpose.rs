//! Why streamlines are followed.

use super::counts::Counters;
use arcuate_compute::element_rows::ElementNeeds;

/// What streamlines are followed for.
#[derive(Clone, Copy)]
pub(super) struct Purpose<'a> {
    /// Where accepted ones are counted, if anything is.
    pub(super) counters: Option<&'a Counters>,
    /// What becomes of them in GPUs.
    pub(super) giving: Giving,
    /// How many a GPU follows at a time at most.
    pub(super) in_flight: Option<u32>,
    /// Number of the first.
    pub(super) first: u64,
}

/// What becomes of accepted streamlines in a GPU, beside what is counted of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Giving {
    /// Nothing.
    Nothing,
    /// They are put side by side and given away.
    Streamlines,
    /// They count in rows of a matrix.
    Rows(ElementNeeds),
}

//! Why streamlines are followed.

use super::counts::Counters;

/// What streamlines are followed for.
#[derive(Clone, Copy)]
pub(super) struct Purpose<'a> {
    /// Where accepted ones are counted, if anything is.
    pub(super) counters: Option<&'a Counters>,
    /// Whether they will be given away in GPUs.
    pub(super) gathers: bool,
    /// How many a GPU follows at a time at most.
    pub(super) in_flight: Option<u32>,
    /// Number of the first.
    pub(super) first: u64,
}

//! Requested outputs of a tracking run.

use super::counts::Counters;
use arcuate_compute::element_rows::ElementNeeds;

/// Requested outputs of a tracking run through orientation samples, on the GPUs or the CPU.
#[derive(Clone, Copy)]
pub(super) struct RequestedOutputs<'a> {
    /// Counters of accepted streamlines, if anything is counted.
    pub(super) counters: Option<&'a Counters>,
    /// Delivery of accepted streamlines on the GPUs.
    pub(super) on_accept: OnAccept,
    /// Maximum number of streamlines that each GPU tracks at a time.
    pub(super) in_flight: Option<u32>,
    /// Number of the first streamline of the run.
    pub(super) first: u64,
}

/// How accepted streamlines are delivered on a GPU, in addition to being counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnAccept {
    /// Streamlines are not delivered.
    Nothing,
    /// Accepted streamlines are gathered in GPU memory and given to a sink.
    Streamlines,
    /// Accepted streamlines are counted in the rows of a connectivity matrix.
    Rows(ElementNeeds),
}

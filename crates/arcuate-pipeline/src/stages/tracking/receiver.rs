//! Receivers of streamlines for products.

use super::part_folder::SavedPart;
use super::part_head::Head;
use crate::output::OutputFolder;
use arcuate_compute::DeviceStreamlineSink;
use arcuate_core::{ConnectivityMatrix, Result, StreamlineLengths, StreamlineSink};
use arcuate_track::SampleTracks;

/// Receives streamlines for a product.
pub(super) trait Receiver {
    /// Returns the sink of the streamlines.
    fn sink(&mut self) -> Sink<'_>;

    /// Writes the results that are complete, such as finished matrix rows. The run can be interrupted after
    /// this call.
    fn pause(&mut self) -> Result<()> {
        Ok(())
    }

    /// Adds the saved results of one part of a divided run to the product.
    fn add_part(&mut self, part: &SavedPart) -> Result<()>;

    /// Saves the results of the product, if this job computes one part of a divided run.
    fn keep_part(self: Box<Self>, folder: &OutputFolder, head: &mut Head) -> Result<()>;

    /// Completes the product and returns the results.
    fn finish(self: Box<Self>, tracks: &SampleTracks) -> Result<ReceiverResult>;
}

/// A sink of streamlines.
pub(super) enum Sink<'s> {
    Host(&'s mut dyn StreamlineSink),
    /// A receiver of streamlines that can also use streamlines in GPU memory.
    Device(&'s mut dyn DeviceStreamlineSink),
}

/// Result of a receiver.
pub(super) enum ReceiverResult {
    Nothing,
    /// Lengths of the streamlines that were written. The second value is the mean over the streamlines of a
    /// quantity, if the source of directions defines such a quantity.
    Lengths(StreamlineLengths, Option<f64>),
    /// Number of nonzero entries of a connectivity matrix, whose rows were already passed to its files.
    Entries(u64),
    /// A connectome, and the number of streamlines that were counted in it.
    Connectome(ConnectivityMatrix, u64),
}

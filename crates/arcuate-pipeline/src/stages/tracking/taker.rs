//! Receivers of streamlines for products.

use super::part_folder::SavedPart;
use super::part_head::Head;
use crate::output::OutputFolder;
use arcuate_compute::DeviceStreamlineSink;
use arcuate_core::{ConnectivityMatrix, Result, StreamlineLengths, StreamlineSink};
use arcuate_track::SampleTracks;

/// Receives streamlines for a product.
pub(super) trait Taker {
    /// Returns the sink of the streamlines.
    fn sink(&mut self) -> Sink<'_>;

    /// Passes on the results that are complete, because the run may be interrupted here.
    fn pause(&mut self) -> Result<()> {
        Ok(())
    }

    /// Adds the saved results of one part of the run to the product.
    fn add_part(&mut self, part: &SavedPart) -> Result<()>;

    /// Saves the results of this part of the run.
    fn keep_part(self: Box<Self>, folder: &OutputFolder, head: &mut Head) -> Result<()>;

    /// Completes the product and returns the results.
    fn finish(self: Box<Self>, tracks: &SampleTracks) -> Result<Taken>;
}

/// A sink of streamlines.
pub(super) enum Sink<'s> {
    Host(&'s mut dyn StreamlineSink),
    /// A sink that can also receive streamlines in GPU memory.
    Device(&'s mut dyn DeviceStreamlineSink),
}

/// Result of a receiver.
pub(super) enum Taken {
    Nothing,
    /// Lengths of the streamlines that were written, and the mean of a data column if the source names one.
    Lengths(StreamlineLengths, Option<f64>),
    /// Number of entries of a matrix whose rows are already in its files.
    Entries(u64),
    /// A connectome, and the number of streamlines that were counted.
    Connectome(ConnectivityMatrix, u64),
}

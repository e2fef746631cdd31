//! What takes streamlines for a product.

use super::part_folder::SavedPart;
use super::part_head::Head;
use crate::output::OutputFolder;
use arcuate_compute::DeviceStreamlineSink;
use arcuate_core::{ConnectivityMatrix, Result, StreamlineLengths, StreamlineSink};

/// Takes streamlines for a product.
pub(super) trait Taker {
    /// The sink of the streamlines.
    fn sink(&mut self) -> Sink<'_>;

    /// Hands over what is complete.
    fn pause(&mut self) -> Result<()> {
        Ok(())
    }

    /// Takes what a part of the run has kept.
    fn add_part(&mut self, part: &SavedPart) -> Result<()>;

    /// Keeps what this part of the run came to.
    fn keep_part(self: Box<Self>, folder: &OutputFolder, head: &mut Head) -> Result<()>;

    /// Ends the product's part of the run.
    fn finish(self: Box<Self>) -> Result<Taken>;
}

/// A sink of streamlines.
pub(super) enum Sink<'s> {
    Host(&'s mut dyn StreamlineSink),
    /// One that takes them in a GPU, too.
    Device(&'s mut dyn DeviceStreamlineSink),
}

/// What a taker has found.
pub(super) enum Taken {
    Nothing,
    /// Lengths of the streamlines that were written.
    Lengths(StreamlineLengths),
    /// Entries of a matrix whose rows are in its files.
    Entries(u64),
    /// A connectome, of so many streamlines.
    Connectome(ConnectivityMatrix, u64),
}

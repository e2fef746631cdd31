//! Interface of a product. A product is a kind of result that tracking writes, such as streamlines, a map or
//! a matrix.

use super::field::Source;
use super::options::Tracking;
use super::part_folder::SavedParts;
use super::parts::Saved;
use super::receiver::{Receiver, ReceiverResult};
use super::run_inputs::RunInputs;
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use crate::row_journal::RowJournal;
use arcuate_core::Result;
use arcuate_track::SampleTracks;

/// A requested product.
pub(super) trait Product {
    /// Returns the files that the product writes into a folder of results. The names of maps have the NIfTI
    /// extension.
    fn files(&self) -> Vec<OutputFile>;

    /// Returns an error if this kind of result cannot be written together with other options.
    fn check(&self, _job: &Job) -> Result<()> {
        Ok(())
    }

    /// Returns the name of the file in which a part of a divided run saves this product. Returns `None` if
    /// the product is computed from the results that every part saves.
    fn file_of_part(&self) -> Option<&'static str> {
        None
    }

    /// Prepares to receive streamlines.
    fn open<'a>(&'a self, opening: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>>;
}

/// Data that products need when they prepare to receive streamlines.
pub(super) struct Opening<'a> {
    pub(super) tracking: &'a Tracking,
    pub(super) source: &'a Source<'a>,
    pub(super) run_inputs: &'a RunInputs,
    /// Folder of the results; `None` if the result is a file.
    pub(super) folder: Option<&'a OutputFolder>,
    /// State that an interrupted run saved, if the run saves its state.
    pub(super) saved: Option<&'a Saved>,
    /// Parts to merge.
    pub(super) parts: Option<&'a SavedParts>,
    /// True if this job computes one part of a divided run, whose results are merged later.
    pub(super) is_part: bool,
    pub(super) job: &'a Job,
}

/// A product that is being computed.
pub(super) trait Open {
    /// Returns the receiver of the streamlines. Returns `None` if the product needs only numbers that the
    /// tracker itself counts.
    fn receiver(&mut self) -> Result<Option<Box<dyn Receiver + '_>>> {
        Ok(None)
    }

    /// Returns the data that are needed to save the state of the run and to continue later. Returns `None` if
    /// the product does not allow this.
    fn resumable(&self) -> Option<Resumable> {
        None
    }

    /// Returns the next streamline, from number `streamline` on, at which a run can be divided into parts.
    /// `of_each` is the number of streamlines that start at each seed position.
    fn cut(&self, streamline: u64, _of_each: u64) -> u64 {
        streamline
    }

    /// Writes the remaining results of the product, and adds figures and messages to `report`.
    fn finish(self: Box<Self>, received: ReceiverResult, report: &mut Report<'_>) -> Result<()>;
}

/// A connectivity matrix whose rows are seeds. Its rows are finished one after the other, so the run can save
/// its state.
pub(super) struct Resumable {
    pub(super) seeds: u64,
    /// Number of start positions of each seed.
    pub(super) each: u64,
    pub(super) journal: RowJournal,
}

/// The record of the run and the messages for the user, to which products add figures and texts.
pub(super) struct Report<'a> {
    pub(super) record: &'a mut Record,
    /// Messages for the user.
    pub(super) lines: &'a mut Vec<String>,
    pub(super) tracks: &'a SampleTracks,
    pub(super) opening: &'a Opening<'a>,
}

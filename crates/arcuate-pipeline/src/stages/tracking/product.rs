//! Interface between a product of tracking and the driver.

use super::asked::Tracking;
use super::field::Source;
use super::ground::Ground;
use super::part_folder::SavedParts;
use super::parts::Saved;
use super::taker::{Taken, Taker};
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use crate::row_journal::RowJournal;
use arcuate_core::Result;
use arcuate_track::SampleTracks;

/// A requested product.
pub(super) trait Product {
    /// Returns the product's files in a folder of results. Names of maps have the NIfTI extension.
    fn files(&self) -> Vec<OutputFile>;

    /// Returns an error if the product contradicts other options.
    fn check(&self, _job: &Job) -> Result<()> {
        Ok(())
    }

    /// Returns the file in which a part of a run saves the product, or `None` if the product is computed from the
    /// results that every part saves.
    fn file_of_part(&self) -> Option<&'static str> {
        None
    }

    /// Prepares to receive streamlines.
    fn open<'a>(&'a self, opening: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>>;
}

/// Data that products need when they are opened.
pub(super) struct Opening<'a> {
    pub(super) tracking: &'a Tracking,
    pub(super) source: &'a Source<'a>,
    pub(super) ground: &'a Ground,
    /// Folder of the results; `None` if the result is a file.
    pub(super) folder: Option<&'a OutputFolder>,
    /// State that was saved before the run was interrupted.
    pub(super) saved: Option<&'a Saved>,
    /// Parts to merge.
    pub(super) parts: Option<&'a SavedParts>,
    /// True if this run is a part, whose results are merged later.
    pub(super) is_part: bool,
    pub(super) job: &'a Job,
}

/// A product that is being computed.
pub(super) trait Open {
    /// Returns the receiver of streamlines, or `None` if the tracker itself counts what the product needs.
    fn taker(&mut self) -> Result<Option<Box<dyn Taker + '_>>> {
        Ok(None)
    }

    /// Returns how the run can be interrupted and resumed, or `None` if it cannot.
    fn resumable(&self) -> Option<Resumable> {
        None
    }

    /// Returns the smallest number, at least `streamline`, at which the streamlines of a run can be split into parts.
    /// At each seed position `of_each` streamlines start.
    fn cut(&self, streamline: u64, _of_each: u64) -> u64 {
        streamline
    }

    /// Writes the remaining results and adds them to the report.
    fn finish(self: Box<Self>, taken: Taken, report: &mut Report<'_>) -> Result<()>;
}

/// A matrix whose rows are seeds, which are finished one after the other.
pub(super) struct Resumable {
    pub(super) seeds: u64,
    /// Number of start positions of each seed.
    pub(super) each: u64,
    pub(super) journal: RowJournal,
}

/// The record and the messages to which products add their results.
pub(super) struct Report<'a> {
    pub(super) record: &'a mut Record,
    /// Messages for the user.
    pub(super) said: &'a mut Vec<String>,
    pub(super) tracks: &'a SampleTracks,
    pub(super) opening: &'a Opening<'a>,
}

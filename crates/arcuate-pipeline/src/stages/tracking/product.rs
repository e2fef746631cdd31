//! What a product of tracking is to the driver.

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

/// A product that is asked for.
pub(super) trait Product {
    /// Its files in a folder of results, maps with the ending of NIfTI.
    fn files(&self) -> Vec<OutputFile>;

    /// Fails on what does not go together.
    fn check(&self, _job: &Job) -> Result<()> {
        Ok(())
    }

    /// The file in which a part of a run keeps it; nothing if it is made of what all parts keep.
    fn file_of_part(&self) -> Option<&'static str> {
        None
    }

    /// Gets ready to take streamlines.
    fn open<'a>(&'a self, opening: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>>;
}

/// What products are opened with.
pub(super) struct Opening<'a> {
    pub(super) tracking: &'a Tracking,
    pub(super) source: &'a Source<'a>,
    pub(super) ground: &'a Ground,
    /// The folder of results; nothing if the result is a file.
    pub(super) folder: Option<&'a OutputFolder>,
    /// What was saved before the run was interrupted.
    pub(super) saved: Option<&'a Saved>,
    /// Parts that are merged.
    pub(super) parts: Option<&'a SavedParts>,
    /// Whether this is a part of a run, which keeps what is merged later.
    pub(super) is_part: bool,
    pub(super) job: &'a Job,
}

/// A product that is being made.
pub(super) trait Open {
    /// What takes streamlines for it; nothing if the tracker counts what it needs.
    fn taker(&mut self) -> Result<Option<Box<dyn Taker + '_>>> {
        Ok(None)
    }

    /// How a run can be interrupted and continued, if it can.
    fn resumable(&self) -> Option<Resumable> {
        None
    }

    /// The least number of a streamline from `streamline` on at which a run can be cut into parts.
    fn cut(&self, streamline: u64) -> u64 {
        streamline
    }

    /// Writes what is not written yet, and reports.
    fn finish(self: Box<Self>, taken: Taken, report: &mut Report<'_>) -> Result<()>;
}

/// Rows of seeds, which are done one after the other.
pub(super) struct Resumable {
    pub(super) seeds: u64,
    /// Streamlines of each.
    pub(super) each: u64,
    pub(super) journal: RowJournal,
}

/// What products report to.
pub(super) struct Report<'a> {
    pub(super) record: &'a mut Record,
    /// Lines for the user.
    pub(super) said: &'a mut Vec<String>,
    pub(super) tracks: &'a SampleTracks,
    pub(super) opening: &'a Opening<'a>,
}

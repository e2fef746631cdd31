//! The products of tracking, one file each: which files they are, what they need, what takes streamlines for them, and what is written
//! and reported at the end.

mod anatomy;
mod connectome;
mod matrix;
mod outlines;
mod streamlines;
mod target_counts;
mod visits;

pub(in crate::stages) use anatomy::ANATOMY;
pub(super) use connectome::{sparse_files, sparse_output_files};
pub(super) use matrix::check_resume;

use super::asked::Tracking;
use super::field::Source;
use super::ground::Ground;
use super::part_folder::{SavedPart, SavedParts};
use super::part_head::Head;
use super::parts::Saved;
use super::product_names::ProductName;
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use crate::row_journal::RowJournal;
use arcuate_compute::DeviceStreamlineSink;
use arcuate_core::{ConnectivityMatrix, Result, StreamlineLengths, StreamlineSink};
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

/// What products report to.
pub(super) struct Report<'a> {
    pub(super) record: &'a mut Record,
    /// Lines for the user.
    pub(super) said: &'a mut Vec<String>,
    pub(super) tracks: &'a SampleTracks,
    pub(super) opening: &'a Opening<'a>,
}

/// All products that are asked for.
pub(super) fn of(tracking: &Tracking) -> Vec<Box<dyn Product + '_>> {
    let written = tracking.written();
    let mut all: Vec<Box<dyn Product + '_>> = Vec::new();
    if tracking.counts_visits() {
        all.push(Box::new(visits::VisitMaps { tracking }));
    }
    if written.contains(&ProductName::TargetCounts) {
        all.push(Box::new(target_counts::TargetCounts { tracking }));
    }
    if written.iter().any(|product| *product != ProductName::Streamlines) {
        all.push(Box::new(anatomy::Backdrop { tracking }));
    }
    if written.contains(&ProductName::Streamlines) {
        all.push(Box::new(streamlines::Streamlines { tracking }));
    }
    if let Some(request) = &tracking.matrix {
        all.push(Box::new(matrix::Matrix { request, tracking }));
    }
    if let Some(regions) = &tracking.regions {
        all.push(Box::new(connectome::Connectome { regions, tracking }));
    }
    all
}

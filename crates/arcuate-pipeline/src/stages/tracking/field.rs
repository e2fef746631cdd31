//! What streamlines follow: the interface between a source of tracking and the driver that all sources share.

use crate::record::Record;
use arcuate_compute::Device;
use arcuate_core::{Grid, Mask, Result, StreamlineLengths, Volume};
use arcuate_io::is_image_name;
use arcuate_track::{SampleTracks, Tracker};
use std::path::{Path, PathBuf};

/// What the driver knows of a source before the source is read.
pub(crate) struct Source<'a> {
    /// The title of the record and the report.
    pub(crate) title: &'static str,
    /// The input.
    pub(crate) path: &'a Path,
    /// All files that are read.
    pub(crate) files: Vec<PathBuf>,
    /// Publications.
    pub(crate) references: &'static [&'static str],
    /// What maps are seen on.
    pub(crate) backdrop: &'static str,
    /// How streamlines were followed, for a sentence.
    pub(crate) followed: &'static str,
    /// What errors of the library call the data.
    pub(crate) data: &'static [&'static str],
    /// Everything that was asked for.
    pub(crate) choices: String,
}

impl Source<'_> {
    /// One of the images of the source.
    pub(crate) fn image(&self) -> Option<&Path> {
        self.files.iter().map(PathBuf::as_path).find(|path| is_image_name(path))
    }
}

/// A source that was read, with the options of the run.
pub(crate) trait Field {
    /// The grid of the voxels.
    fn grid(&self) -> &Grid;

    /// Length of a step, in mm.
    fn step_mm(&self) -> f64;

    /// The options of the run, as text that differs for other options.
    fn options(&self) -> String;

    /// The voxels in which streamlines begin; if seeds are chosen in another way, all voxels.
    fn seed_voxels(&self, are_chosen: bool) -> Result<Mask>;

    /// What the user should know of these voxels.
    fn describe_seeds(&self, _voxels: &Mask) -> Option<String> {
        None
    }

    /// The image on which maps are seen.
    fn backdrop(&self) -> Result<Volume<f32>>;

    /// Whether more streamlines of the same place can differ, so that a number of streamlines is reached by repeating listed seeds.
    fn repeats_seeds(&self) -> bool {
        true
    }

    /// Whether GPUs can follow streamlines.
    fn has_gpu_tracker(&self) -> bool {
        true
    }

    /// What follows the streamlines.
    fn tracker<'a>(&'a self, device: &'a Device) -> Result<Box<dyn Tracker + 'a>>;

    /// Warns of results that are probably wrong.
    ///
    /// # Errors
    /// If there is no streamline and no seeds were chosen.
    fn check(&self, tracks: &SampleTracks, are_chosen: bool) -> Result<()>;

    /// Notes choices, figures and tables. `lengths` are those of streamlines that are written.
    fn note(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>, record: &mut Record);

    /// Lines for the user about what was done.
    fn describe(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>) -> Vec<String>;
}

//! Interface between a source of tracking and the driver that all sources share.

use crate::output_files::Picture;
use crate::record::Record;
use arcuate_compute::Device;
use arcuate_core::{Columns, Grid, Mask, Result, StreamlineLengths, Volume};
use arcuate_io::is_image_name;
use arcuate_track::{SampleTracks, Tracker};
use std::path::{Path, PathBuf};

/// Description of a source before it is read.
pub(crate) struct Source<'a> {
    /// Title of the record and of the report.
    pub(crate) title: &'static str,
    /// Input file or folder of the source.
    pub(crate) path: &'a Path,
    /// All files of the source that are read.
    pub(crate) files: Vec<PathBuf>,
    /// Papers to cite.
    pub(crate) references: &'static [&'static str],
    /// Title of the background image of maps.
    pub(crate) backdrop: &'static str,
    /// Description of how streamlines were followed, as part of a sentence.
    pub(crate) followed: &'static str,
    /// Names of the data in errors of the library.
    pub(crate) data: &'static [&'static str],
    /// All options as text, for the identity of the run.
    pub(crate) choices: String,
}

impl Source<'_> {
    /// Returns one of the images of the source.
    pub(crate) fn image(&self) -> Option<&Path> {
        self.files.iter().map(PathBuf::as_path).find(|path| is_image_name(path))
    }
}

/// Data of streamlines in addition to their points.
pub(crate) struct StreamlineData {
    /// Empty columns with the names of the data per point.
    pub(crate) per_point: Columns,
    /// Empty columns with the names of the data per streamline.
    pub(crate) per_streamline: Columns,
    /// How the report shows the streamlines.
    pub(crate) picture: Picture,
    /// Name of a data column, and of the figure that reports the mean of this column.
    pub(crate) mean: (&'static str, &'static str),
}

/// A source that was read, with the options of the run.
pub(crate) trait Field {
    /// Returns the voxel grid of the source.
    fn grid(&self) -> &Grid;

    /// Returns the length of a step, in mm.
    fn step_mm(&self) -> f64;

    /// Returns the options of the run as a text that differs if an option differs.
    fn options(&self) -> String;

    /// Returns the default seed voxels, or, if the user selected seeds, all voxels.
    fn seed_voxels(&self, are_chosen: bool) -> Result<Mask>;

    /// Describes the default seed voxels for the user.
    fn describe_seeds(&self, _voxels: &Mask) -> Option<String> {
        None
    }

    /// Returns the background image of maps.
    fn backdrop(&self) -> Result<Volume<f32>>;

    /// Checks whether repeated streamlines from the same place can differ. Only then can listed seeds be repeated to
    /// reach a number of streamlines.
    fn repeats_seeds(&self) -> bool {
        true
    }

    /// Returns the number of streamlines that start at the same seed position, one for each initial direction.
    fn of_each_seed(&self) -> u64 {
        1
    }

    /// Checks whether all steps have the same length.
    fn has_even_steps(&self) -> bool {
        true
    }

    /// Describes the data that streamlines have in addition to their points. `None` if they have no such data.
    fn streamline_data(&self) -> Option<StreamlineData> {
        None
    }

    /// Checks whether GPUs can follow the streamlines.
    fn has_gpu_tracker(&self) -> bool {
        true
    }

    /// Returns the tracker that follows the streamlines.
    fn tracker<'a>(&'a self, device: &'a Device) -> Result<Box<dyn Tracker + 'a>>;

    /// Warns of results that are probably wrong.
    ///
    /// # Errors
    /// Returns an error if there is no streamline and the user did not select the seeds.
    fn check(&self, tracks: &SampleTracks, are_chosen: bool) -> Result<()>;

    /// Adds options, figures and tables to the record. `lengths` are those of the written streamlines.
    fn note(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>, record: &mut Record);

    /// Returns messages about the results for the user.
    fn describe(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>) -> Vec<String>;
}

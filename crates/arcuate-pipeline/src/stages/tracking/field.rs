//! Interface between a source of directions, such as tensors or FODs, and the part of tracking that is the
//! same for all sources.

use crate::output_files::Picture;
use crate::record::Record;
use arcuate_compute::Device;
use arcuate_core::{Columns, Grid, Mask, Result, StreamlineLengths, Volume};
use arcuate_io::is_image_name;
use arcuate_track::{SampleTracks, Tracker};
use std::path::{Path, PathBuf};

/// Description of a source of directions, such as a tensor image, before it is read.
pub(crate) struct Source<'a> {
    /// Title of the record and of the report.
    pub(crate) title: &'static str,
    /// Input file or folder of the source.
    pub(crate) path: &'a Path,
    /// All files that the source is read from.
    pub(crate) files: Vec<PathBuf>,
    /// Papers to cite.
    pub(crate) references: &'static [&'static str],
    /// Title of the background image of maps.
    pub(crate) backdrop: &'static str,
    /// Text about how streamlines were followed, as part of a sentence in the record.
    pub(crate) followed: &'static str,
    /// Names that the data of the source have in errors of the library.
    pub(crate) data: &'static [&'static str],
    /// All options as text, from which the identity of the run is computed.
    pub(crate) choices: String,
}

impl Source<'_> {
    /// Returns one of the image files of the source.
    pub(crate) fn image(&self) -> Option<&Path> {
        self.files.iter().map(PathBuf::as_path).find(|path| is_image_name(path))
    }
}

/// The data that streamlines have in addition to their points, such as a value per streamline.
pub(crate) struct StreamlineData {
    /// Names of the data with one value per point, each with an empty list of values.
    pub(crate) per_point: Columns,
    /// Names of the data with one value per streamline, each with an empty list of values.
    pub(crate) per_streamline: Columns,
    /// How the report shows the streamlines.
    pub(crate) picture: Picture,
    /// Name of the data (one value per streamline) whose mean over the streamlines is added to the record,
    /// and name that the record uses for this mean.
    pub(crate) mean: (&'static str, &'static str),
}

/// A source of directions that was read, with the options of the run.
pub(crate) trait Field {
    /// Returns the voxel grid of the source.
    fn grid(&self) -> &Grid;

    /// Returns the step length of streamlines, in mm.
    fn step_mm(&self) -> f64;

    /// Returns the options of the run as text. If an option differs, the text differs.
    fn options(&self) -> String;

    /// Returns the voxels in which streamlines start if the user selects no seeds. If `are_chosen` is true
    /// (the user selected seeds), returns all voxels that can be used.
    fn seed_voxels(&self, are_chosen: bool) -> Result<Mask>;

    /// Returns a text about the voxels in which streamlines start if the user selects no seeds.
    fn describe_seeds(&self, _voxels: &Mask) -> Option<String> {
        None
    }

    /// Returns the background image of maps.
    fn backdrop(&self) -> Result<Volume<f32>>;

    /// Checks whether streamlines that start at the same place can differ. If they can, seeds from a list are
    /// used several times to reach the requested number of streamlines.
    fn repeats_seeds(&self) -> bool {
        true
    }

    /// Returns the number of streamlines that start at each seed position. There is one streamline for each
    /// initial direction.
    fn of_each_seed(&self) -> u64 {
        1
    }

    /// Checks whether all steps of streamlines have the same length.
    fn has_even_steps(&self) -> bool {
        true
    }

    /// Describes the data that streamlines have in addition to their points. Returns `None` if they have no
    /// such data.
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
    /// Returns an error if no streamline was accepted and the user did not select the seeds.
    fn check(&self, tracks: &SampleTracks, are_chosen: bool) -> Result<()>;

    /// Adds options, figures and tables to the record. `lengths` are the lengths of the written streamlines,
    /// if streamlines were written.
    fn note(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>, record: &mut Record);

    /// Returns messages for the user about the results.
    fn describe(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>) -> Vec<String>;
}

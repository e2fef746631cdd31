//! Options of anatomically constrained tracking.

use arcuate_core::{Error, Result};
use arcuate_pipeline::anatomy_file::AnatomyFile;
use clap::Args;
use std::path::PathBuf;

/// Options of the tissues in which streamlines may terminate.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Anatomy")]
pub(super) struct AnatomyArgs {
    /// Five-tissue-type (5TT) image for anatomically-constrained tracking
    ///
    /// The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen. It must be in the space of the masks,
    /// but its voxel grid can be another one. With this image, streamlines terminate in grey matter.
    /// Streamlines that terminate in white matter, or that enter cerebrospinal fluid (CSF), are rejected.
    #[arg(long, value_name = "FILE")]
    five_tissues: Option<PathBuf>,
    /// Do not cut off the ends of streamlines that are in the cortex
    ///
    /// By default, a streamline that terminates in the cortex is cut at the boundary of grey and white
    /// matter.
    #[arg(long, requires = "five_tissues")]
    no_cropping: bool,
    /// Begin streamlines at the boundary of grey and white matter in --five-tissues
    #[arg(
        long,
        requires = "five_tissues",
        conflicts_with_all = ["seed_mask", "seed_points", "seed_weights"],
        help_heading = "Seeds"
    )]
    seed_interface: bool,
}

/// Options of tissues for tracking with random steps, where another attempt may end elsewhere.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Anatomy")]
pub(super) struct RandomAnatomyArgs {
    #[command(flatten)]
    anatomy: AnatomyArgs,
    /// Track half of a streamline again if this half terminates in the wrong tissue
    ///
    /// Tracking restarts at a point shortly before the end of this half, up to 100 times. Without this
    /// option, a streamline that terminates in a wrong tissue is rejected at once.
    #[arg(long, requires = "five_tissues")]
    back_tracking: bool,
}

impl RandomAnatomyArgs {
    /// Returns the 5TT image and its settings for the library; `None` if `--five-tissues` is not given.
    pub(super) fn file(&self) -> Option<AnatomyFile> {
        self.anatomy.file().map(|file| AnatomyFile { back_track: self.back_tracking, ..file })
    }

    /// Returns an error if `--back-tracking` is given and no step is random.
    pub(super) fn require_chance(&self, has_chance: bool) -> Result<()> {
        if self.back_tracking && !has_chance {
            let problem = "tracking has no random steps, so another attempt would terminate at the same \
                           point";
            return Err(Error::usage("--back-tracking", problem, "leave it out"));
        }
        Ok(())
    }

    /// Returns true if seeds are at the interface of grey and white matter.
    pub(super) fn seed_interface(&self) -> bool {
        self.anatomy.seed_interface
    }
}

impl AnatomyArgs {
    /// Returns the 5TT image and its settings for the library; `None` if `--five-tissues` is not given.
    pub(super) fn file(&self) -> Option<AnatomyFile> {
        let crop_at_interface = !self.no_cropping;
        self.five_tissues.as_ref().map(|path| AnatomyFile { crop_at_interface, ..AnatomyFile::new(path) })
    }

    /// Returns true if seeds are at the interface of grey and white matter.
    pub(super) fn seed_interface(&self) -> bool {
        self.seed_interface
    }
}

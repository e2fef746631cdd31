//! The options of tissues that streamlines heed.

use arcuate_core::{Error, Result};
use arcuate_pipeline::anatomy_file::AnatomyFile;
use clap::Args;
use std::path::PathBuf;

/// Where streamlines may end.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Anatomy")]
pub(super) struct AnatomyArgs {
    /// Five-tissue-type (5TT) image for anatomically-constrained tracking; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of masks: they end in grey
    /// matter, and those that end in white matter or come into fluid are left out
    #[arg(long, value_name = "FILE")]
    five_tissues: Option<PathBuf>,
    /// Leave ends in the cortex where the last step leads; else they are moved back to where it meets white matter
    #[arg(long, requires = "five_tissues")]
    no_cropping: bool,
    /// Begin where grey and white matter meet, by the fractions of --five-tissues
    #[arg(
        long,
        requires = "five_tissues",
        conflicts_with_all = ["seed_mask", "seed_points"],
        help_heading = "Seeds"
    )]
    seed_interface: bool,
}

/// The same where steps are drawn at random, so that another attempt may end elsewhere.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Anatomy")]
pub(super) struct RandomAnatomyArgs {
    #[command(flatten)]
    anatomy: AnatomyArgs,
    /// Follow halves of streamlines that end wrongly again, from a little before, up to 100 times; else such streamlines are left out at
    /// once
    #[arg(long, requires = "five_tissues")]
    back_tracking: bool,
}

impl RandomAnatomyArgs {
    /// The same for the library.
    pub(super) fn file(&self) -> Option<AnatomyFile> {
        self.anatomy.file().map(|file| AnatomyFile { back_track: self.back_tracking, ..file })
    }

    /// Fails where no step is drawn.
    pub(super) fn require_chance(&self, has_chance: bool) -> Result<()> {
        if self.back_tracking && !has_chance {
            let problem = "no step is drawn at random, and another attempt would end where the first did";
            return Err(Error::usage("--back-tracking", problem, "leave it out"));
        }
        Ok(())
    }

    /// Whether streamlines begin at the interface.
    pub(super) fn seed_interface(&self) -> bool {
        self.anatomy.seed_interface
    }
}

impl AnatomyArgs {
    /// The same for the library.
    pub(super) fn file(&self) -> Option<AnatomyFile> {
        let crop_at_interface = !self.no_cropping;
        self.five_tissues.as_ref().map(|path| AnatomyFile { crop_at_interface, ..AnatomyFile::new(path) })
    }

    /// Whether streamlines begin at the interface.
    pub(super) fn seed_interface(&self) -> bool {
        self.seed_interface
    }
}

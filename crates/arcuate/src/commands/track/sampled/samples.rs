//! `arcuate track samples`.

use super::args::SeedFraction;
use super::{REFERENCES, Source, Tracking};
use crate::context::Context;
use crate::references;
use crate::stage_command::StageCommand;
use arcuate_core::Result;
use arcuate_pipeline::orientation_files::{FibreFiles, SampleFiles};
use arcuate_pipeline::sample_folder::SampleFolder;
use arcuate_track::OrientationTable;
use clap::Args;
use std::path::PathBuf;

/// Probabilistic tracking through samples of fibre orientations
///
/// Each streamline draws a sample at every step; where many pass, a connection is likely. Reads what bedpostX writes, and
/// what `arcuate fit MODEL --method mcmc` does. With a folder as --out: visits.nii.gz (accepted streamlines through each
/// voxel, each once, on the lattice of the seeds' mask), visits_normalised.nii.gz (in parts of all of them) and, as wished,
/// lengths, seeds_to_NAME.nii.gz and the streamlines. With a tractogram as --out, defaults are those of a whole brain: seeds in
/// white matter, less sharp turns, a shortest length. The same seed gives the same streamlines at any number of threads.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct TrackSamples {
    /// Folder of samples: X.bedpostX, or that of a fit with --method mcmc
    samples: PathBuf,
    /// In the folder of a fit: the orientation and the fraction of each fibre, NAME=FRACTION, with commas between fibres.
    /// n=f, or n1=f1,n2=f2, … by default
    #[arg(long, value_name = "NAME=FRACTION", value_delimiter = ',')]
    fibres: Vec<String>,
    /// Mask of the voxels that count; by default nodif_brain_mask of bedpostX, or where the fit has samples
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    #[command(flatten)]
    tracking: Tracking,
    #[command(flatten)]
    seed_fraction: SeedFraction,
}

impl StageCommand for TrackSamples {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, context: &Context) -> Result<()> {
        self.seed_fraction.check()?;
        self.tracking.check(None, context)
    }

    fn run(&self, context: &Context) -> Result<()> {
        self.seed_fraction.check()?;
        let SampleFolder { fibres, mask } =
            SampleFolder::find(&self.samples, &self.fibres, self.mask.as_deref())?;
        let files = fibres.iter().flat_map(FibreFiles::all).chain(mask.clone()).collect();
        let source = Source {
            title: "Tracking through samples",
            path: &self.samples,
            files,
            seed_fraction: Some(&self.seed_fraction),
            references: &[],
            fraction: "Part of the signal that is of fibres",
        };
        let read = || OrientationTable::new(&SampleFiles::new(fibres, mask.as_deref())?);
        self.tracking.run(&source, read, context)
    }
}

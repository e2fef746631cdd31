//! Options shared by all sources of tracking.

mod matrix;
mod products;
mod regions;
mod seeds;

pub(super) use seeds::surface_files;

use super::constraints::{ConstraintArgs, TargetArgs};
use super::propagation::{Followed, PropagationArgs};
use super::spaces::SpaceArgs;
use arcuate_core::Result;
use arcuate_pipeline::anatomy_file::AnatomyFile;
use arcuate_pipeline::constraint_files::ConstraintFiles;
use arcuate_pipeline::stages::tracking::{self, Extent, PartOf, Preset, SampleSeeds};
use arcuate_track::ConstraintUnit;
use clap::Args;
use matrix::MatrixOptions;
use products::MapArgs;
use regions::RegionArgs;
use seeds::SeedArgs;
use std::path::PathBuf;

/// Options of tracking and of its products, for all sources.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Tracking<S: Followed> {
    /// Output: folder, or one file if only one product is written
    ///
    /// The file is a .tck, .trk or .trx for streamlines, a .nii.gz for visits (the number of streamlines per
    /// voxel), and an .npz for the connectome of --labels.
    #[arg(long, value_name = "FOLDER|FILE")]
    pub(super) out: PathBuf,
    /// Part of the streamlines that this job computes, such as 2/8 (second of eight)
    ///
    /// The part is saved in the folder OUT.parts, where OUT is the name in --out. If all parts exist, the
    /// same command without --part, or `arcuate merge`, merges them. The merged result is bit-identical to
    /// the result of one run without parts. This option cannot be used with --select.
    #[arg(long, value_name = "N/OF", value_parser = part)]
    part: Option<PartOf>,
    #[command(flatten)]
    pub(super) seeds: SeedArgs,
    #[command(flatten)]
    pub(super) constraints: ConstraintArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    pub(super) spaces: SpaceArgs,
    #[command(flatten)]
    pub(super) propagation: PropagationArgs<S>,
    #[command(flatten)]
    pub(super) products: MapArgs,
    #[command(flatten)]
    matrix: MatrixOptions,
    /// Label image: the number of the region in each voxel, 0 for no region
    ///
    /// The label image must be in the space of the fibre orientations. The command counts the accepted
    /// streamlines between each pair of regions, and writes connectome_counts (numbers of streamlines) and
    /// connectome_lengths (mean lengths). With --out NAME.npz, these files are NAME_counts.npz and
    /// NAME_lengths.npz. The streamlines themselves need not be stored.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    #[command(flatten)]
    regions: RegionArgs,
}

fn part(word: &str) -> std::result::Result<PartOf, String> {
    let advice = "give the number of this part, counted from 1, and the number of all parts, such as 2/8";
    word.parse::<PartOf>().map_err(|_| advice.to_owned())
}

/// Settings that differ between sources.
pub(super) struct Differences {
    /// The 5TT image, if any.
    pub(super) anatomy: Option<AnatomyFile>,
    /// True if streamlines start at the interface of grey and white matter.
    pub(super) interface: bool,
    /// The unit that regions accept or reject by default.
    pub(super) judged_by: ConstraintUnit,
    /// Preset with the defaults of another program.
    pub(super) preset: Option<Preset>,
}

impl<S: Followed> Tracking<S> {
    /// Converts the options to the type of the library. Returns an error if options contradict each other.
    pub(super) fn typed(&self, differences: Differences) -> Result<tracking::Tracking> {
        let Differences { anatomy, interface, judged_by, preset } = differences;
        self.constraints.check()?;
        self.seeds.check(S::KIND)?;
        // If the targets are the columns of a connectivity matrix, they are counted only for this matrix.
        let targets = if self.matrix.accepts_targets() { &[] } else { self.targets.files() };
        Ok(tracking::Tracking {
            out: self.out.clone(),
            products: self.products.products(),
            seeds: SampleSeeds { interface, ..self.seeds.seeds() },
            constraints: ConstraintFiles { anatomy, ..self.constraints.files_with(targets, judged_by) },
            space: self.spaces.space(),
            preset,
            propagation: self.propagation.propagation().clone(),
            maps: self.products.maps(),
            connections: None,
            regions: self.labels.as_deref().map(|labels| self.regions.regions(labels)),
            matrix: self.matrix.request(self.targets.files())?,
            resume: self.matrix.resume(),
            extent: self.part.map_or(Extent::Whole, Extent::Part),
        })
    }
}

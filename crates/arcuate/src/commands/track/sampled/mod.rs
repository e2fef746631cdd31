//! Probabilistic tracking: `arcuate track samples`, `track peaks`, `track bootstrap` and what they share. Where orientations come from differs;
//! seeds, regions, propagation and results do not.

mod args;
mod bootstrap;
mod matrix;
mod peaks;
mod protocols;
mod regions;
mod samples;

pub(crate) use bootstrap::TrackBootstrap;
pub(crate) use peaks::TrackPeaks;
pub(crate) use protocols::{SamplesOrProtocols, TrackSamplesOrProtocols};
pub(crate) use samples::TrackSamples;

use super::anatomy::RandomAnatomyArgs;
use super::constraints::{ConstraintArgs, TargetArgs};
use super::propagation::{PropagationArgs, Samples};
use super::spaces::SpaceArgs;
use arcuate_core::Result;
use arcuate_pipeline::constraint_files::ConstraintFiles;
use arcuate_pipeline::stages::sampled::{Extent, PartOf, SampleSeeds, SampledTracking};
use arcuate_track::JudgedBy;
use args::{MapArgs, SeedArgs, SeedFraction, TrackingArgs};
use clap::Args;
use matrix::MatrixOptions;
use regions::RegionArgs;
use std::path::PathBuf;

/// What all sources of orientations are followed with.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Tracking {
    /// Output: folder, or a file if one product is written: streamlines .tck .trk .trx, visits .nii.gz, --labels .npz
    #[arg(long, value_name = "FOLDER|FILE")]
    out: PathBuf,
    /// Follow only a part of the streamlines, 2/8 the second of eight, and keep it in the folder with the name of --out and .parts; once all
    /// are there, the same command without this, or arcuate merge, makes the result, with the bits of one run. Not with --select
    #[arg(long, value_name = "N/OF", value_parser = part)]
    part: Option<PartOf>,
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    constraints: ConstraintArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    anatomy: RandomAnatomyArgs,
    #[command(flatten)]
    spaces: SpaceArgs,
    #[command(flatten)]
    propagation: PropagationArgs<Samples>,
    #[command(flatten)]
    rules: TrackingArgs,
    #[command(flatten)]
    maps: MapArgs,
    #[command(flatten)]
    matrix: MatrixOptions,
    /// Image of region numbers, 0 for none; in the space of the orientations: also count the accepted streamlines between
    /// its regions (connectome_counts, connectome_lengths; NAME_counts.npz and NAME_lengths.npz with --out NAME.npz). Streamlines
    /// need not be stored for that
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    #[command(flatten)]
    regions: RegionArgs,
}

fn part(word: &str) -> std::result::Result<PartOf, String> {
    word.parse::<PartOf>().map_err(|_| "give its number from 1 on and of how many, 2/8 say".to_owned())
}

impl Tracking {
    /// The same for the library; fails on options that do not go together.
    fn typed(&self, fraction: Option<&SeedFraction>) -> Result<SampledTracking> {
        self.constraints.check()?;
        let seeds = self.seeds.seeds();
        // Targets that are columns of a matrix are counted there alone.
        let targets = if self.matrix.takes_targets() { &[] } else { self.targets.files() };
        let least_fraction = fraction.and_then(|fraction| fraction.seed_fraction);
        Ok(SampledTracking {
            out: self.out.clone(),
            seeds: SampleSeeds { least_fraction, interface: self.anatomy.seed_interface(), ..seeds },
            constraints: ConstraintFiles {
                anatomy: self.anatomy.file(),
                ..self.constraints.files_with(targets, JudgedBy::Half)
            },
            space: self.spaces.space(),
            propagation: self.propagation.propagation().clone(),
            rules: self.rules.rules(),
            products: self.maps.products(),
            maps: self.maps.maps(),
            regions: self.labels.as_deref().map(|labels| self.regions.regions(labels)),
            matrix: self.matrix.request(self.targets.files())?,
            resume: self.matrix.resume(),
            extent: self.part.map_or(Extent::Whole, Extent::Part),
        })
    }
}

//! `arcuate track samples --protocols`: tracks many bundles in one run.

use super::Sampled;
use super::samples::TrackSamples;
use crate::commands::track::parts::{Parted, no_parts, of_parts};
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::constraint_files::ConstraintFiles;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::Work;
use arcuate_pipeline::stages::sampled::{SampleRules, TractMap};
use arcuate_pipeline::surface_files::SurfacePart;
use arcuate_track::ConstraintUnit;
use clap::Args;
use clap::builder::{StringValueParser, TypedValueParser};
use std::path::PathBuf;

/// Probabilistic tracking through samples of fibre orientations
///
/// At every step, a streamline draws one sample of the fibre orientations. A connection is likely if many
/// streamlines pass along it. Reads the results of bedpostX and of `arcuate fit MODEL --method mcmc`.
/// --products chooses the files to write. Neither --products nor the name of --out changes a streamline. Maps
/// have the voxel grid of the seed mask. With --preset probtrackx, the options have the defaults of FSL's
/// probtrackx2. The same random seed gives the same streamlines at any number of threads.
#[derive(Debug, Args)]
pub(crate) struct TrackSamplesOrProtocols {
    #[command(flatten)]
    samples: TrackSamples,
    #[command(flatten)]
    protocols: ProtocolArgs,
}

/// Options that protocols set themselves, and options that have no meaning for their results.
const INSTEAD: [&str; 20] = [
    "part",
    "seed_mask",
    "seed_points",
    "seed_surfaces",
    "seed_cifti",
    "seed_grid",
    "seed_weights",
    "seeds",
    "seed_interface",
    "select",
    "seed_cutoff",
    "loop_check",
    "waypoints",
    "waypoint_condition",
    "waypoints_in_order",
    "waypoints_one_way",
    "judged_by",
    "targets",
    "matrix",
    "labels",
];

/// Many tracts, each by the masks of its protocol.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tracts by protocols")]
#[group(skip)]
struct ProtocolArgs {
    /// Folder of tract protocols: masks that define tracts, all tracked in one run
    ///
    /// The folder has either XTRACT's layout or a file protocols.toml. XTRACT's layout is the file
    /// structureList and, for each tract, a folder with the masks seed, target (or target1, target2, …),
    /// stop, exclude and invert. The results also have XTRACT's layout: tracts/NAME/densityNorm.nii.gz and
    /// similar files. In addition, the command writes tracts.nii.gz (number of the strongest tract in each
    /// voxel) and tracts.tsv.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = INSTEAD, conflicts_with = "format")]
    protocols: Option<PathBuf>,
    /// Names of the tracts of --protocols to track, separated by commas
    ///
    /// [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires = "protocols")]
    tracts: Vec<String>,
    /// Images whose values are summarised in each tract of --protocols
    ///
    /// The file tracts.tsv lists the mean, median and standard deviation of each image in each tract. The
    /// images must be in the space of the scan.
    #[arg(long, value_name = "NAME=FILE,…", value_delimiter = ',', value_parser = tract_maps(), requires = "protocols")]
    tract_maps: Vec<TractMap>,
    /// Surface files of the cortex, for a connectivity blueprint of --protocols
    ///
    /// Streamlines begin at the vertices of these surfaces, which must be in the space of the scan. The
    /// result blueprint.dscalar.nii has, for each vertex, the proportion of each tract in the connections of
    /// this vertex.
    #[arg(
        long,
        value_name = "FILES",
        value_delimiter = ',',
        value_parser = crate::commands::track::tracking::surface_files(),
        requires = "protocols"
    )]
    blueprint: Vec<SurfacePart>,
}

fn tract_maps() -> impl TypedValueParser<Value = TractMap> {
    let of = |written: String| match written.split_once('=') {
        Some((name, path)) if !path.is_empty() && is_name(name) => {
            Ok(TractMap { name: name.to_owned(), path: path.into() })
        }
        _ => Err("give NAME=FILE, such as fa=dti_FA.nii.gz".to_owned()),
    };
    StringValueParser::new().try_map(of)
}

/// Returns true if a text can be part of a column name.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
}

/// The requested work: tracking with samples, or tracking by protocols.
pub(crate) enum SamplesOrProtocols {
    Samples(Box<stages::TrackSamples>),
    Protocols(Box<stages::TrackProtocols>),
}

impl SamplesOrProtocols {
    fn work(&self) -> &dyn Work {
        match self {
            Self::Samples(work) => work.as_ref(),
            Self::Protocols(work) => work.as_ref(),
        }
    }
}

impl Work for SamplesOrProtocols {
    fn outputs(&self) -> Vec<PathBuf> {
        self.work().outputs()
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.work().check(job)
    }

    fn run(&self, job: &Job) -> Result<()> {
        self.work().run(job)
    }
}

impl Parted for TrackSamplesOrProtocols {
    fn merged(&self) -> Result<(PathBuf, Box<dyn Work>)> {
        match self.typed()? {
            SamplesOrProtocols::Samples(mut work) => Ok((of_parts(&mut work.tracking), work)),
            SamplesOrProtocols::Protocols(_) => Err(no_parts("tracts by protocols have none")),
        }
    }
}

impl Typed for TrackSamplesOrProtocols {
    type Work = SamplesOrProtocols;

    fn typed(&self) -> Result<SamplesOrProtocols> {
        let Self { samples, protocols } = self;
        let Some(folder) = &protocols.protocols else {
            return Ok(SamplesOrProtocols::Samples(Box::new(samples.typed()?)));
        };
        let TrackSamples { samples, fibres, mask, sampled } = samples;
        let Sampled { tracking, anatomy, rules } = sampled;
        let (lengths, threshold) = tracking.products.of_protocols()?;
        Ok(SamplesOrProtocols::Protocols(Box::new(stages::TrackProtocols {
            fibres: fibres.clone(),
            mask: mask.clone(),
            tracts: protocols.tracts.clone(),
            space: tracking.spaces.space(),
            of_all: ConstraintFiles {
                anatomy: anatomy.file(),
                ..tracking.constraints.files_with(&[], ConstraintUnit::Half)
            },
            propagation: tracking.propagation.propagation().clone(),
            rules: rules.rules_from(&SampleRules::of_protocols()),
            per_seed: tracking.seeds.each(),
            jitter: tracking.seeds.jitter(),
            lengths,
            threshold,
            maps: protocols.tract_maps.clone(),
            blueprint: protocols.blueprint.clone(),
            ..stages::TrackProtocols::new(samples, folder, &tracking.out)
        })))
    }
}

//! The options of the command.

use super::share::Share;
use super::stage_commands::definition;
use crate::map_format::MapOptions;
use crate::references;
use crate::series::GradientOptions;
use arcuate_pipeline::run::{self, Stage};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// From a diffusion series to an evaluated tractogram and a report, in one command
///
/// Does what these commands do, one after the other, with their defaults: mask, fit tensor, then by what was measured response, fit csd
/// and track fod, or fit ball-2-sticks by Markov chains and track samples, or track tensor (or geodesic), evaluate, density, connectome (with --labels), and makes a report of all of
/// it. --dry-run prints them as they would be typed; they give the
/// same files. A recipe sets any of their options.
#[derive(Debug, Args)]
#[command(
    after_long_help = references::help(&references()),
    override_usage = "arcuate run [OPTIONS] <DWI> --out <FOLDER>\n       arcuate run --show-recipe"
)]
pub(crate) struct Run {
    /// Diffusion series, 4-D
    #[arg(required_unless_present = "show_recipe")]
    pub(super) dwi: Option<PathBuf>,
    /// Where the result goes; a folder
    #[arg(long, value_name = "FOLDER", required_unless_present = "show_recipe")]
    pub(super) out: Option<PathBuf>,
    /// Mask of the voxels that count; found in the series by default
    #[arg(long, value_name = "FILE")]
    pub(super) mask: Option<PathBuf>,
    /// Image of region numbers, 0 for none; adds a connectome
    #[arg(long, value_name = "FILE")]
    pub(super) labels: Option<PathBuf>,
    /// Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table
    #[arg(long, value_name = "FILE", requires = "labels")]
    pub(super) label_names: Option<PathBuf>,
    /// Stop at this many streamlines; 50000 by default. Not for --tracking geodesic, which has a streamline for each
    /// of its seeds
    #[arg(long, value_name = "N")]
    pub(super) select: Option<u64>,
    /// What streamlines follow; by default distributions where several shells have 28 directions or one has 45 at
    /// 2000 s/mm², samples from 15 directions on, tensors else
    #[arg(long, value_name = "SOURCE", value_enum)]
    pub(super) tracking: Option<Tracking>,
    /// Five-tissue-type image that streamlines heed; of `arcuate 5tt` or 5ttgen, on any lattice, in the space of masks: they end in grey
    /// matter, and those that end in white matter or come into fluid are left out
    #[arg(long, value_name = "FILE")]
    pub(super) five_tissues: Option<PathBuf>,
    /// How streamlines are evaluated; by default commit where distributions or samples are followed, life else
    #[arg(long, value_name = "METHOD", value_enum)]
    pub(super) evaluate: Option<Evaluation>,
    /// Options of the stages: a TOML file with a table for each, such as [track.tensor], whose keys are the names of its
    /// options
    #[arg(long, value_name = "FILE")]
    pub(super) recipe: Option<PathBuf>,
    /// Print a recipe of all options with their defaults
    #[arg(long)]
    pub(super) show_recipe: bool,
    /// Print the commands that this run stands for, and do nothing
    #[arg(long = "dry-run")]
    pub(super) only_print: bool,
    /// Do only a share of the run, so that several machines work on one scan; prepare for all that comes before its streamlines are
    /// followed, then 1/8 to 8/8 for these, at the same time; without this what is left, which merges them. With --tracking samples, and
    /// seeds or per-seed in [track.samples] of the recipe
    #[arg(long, value_name = "prepare|N/OF", conflicts_with_all = ["show_recipe", "only_print"])]
    pub(super) share: Option<Share>,
    /// Image that the report shows maps and streamlines on, such as a T1 that lies where the scan does (in the scanner's
    /// millimetres); FA and the mean b = 0 image of the scan by default
    #[arg(long, value_name = "IMAGE")]
    pub(super) anatomy: Option<PathBuf>,
    #[command(flatten)]
    pub(super) maps: MapOptions,
    #[command(flatten)]
    pub(super) gradients: GradientOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Tracking {
    /// Fibre orientation distributions, by constrained spherical deconvolution
    Distributions,
    /// Diffusion tensors, along their principal directions
    Tensor,
    /// Diffusion tensors, along shortest paths
    Geodesic,
    /// Samples of the posteriors of two fibres in every voxel, by Markov chains
    Samples,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Evaluation {
    /// Linear Fascicle Evaluation
    Life,
    /// Convex Optimization Modeling for Microstructure Informed Tractography
    Commit,
    /// Not at all
    None,
}

impl From<Tracking> for run::Tracking {
    fn from(tracking: Tracking) -> Self {
        match tracking {
            Tracking::Distributions => Self::Distributions,
            Tracking::Tensor => Self::Tensor,
            Tracking::Geodesic => Self::Geodesic,
            Tracking::Samples => Self::Samples,
        }
    }
}

impl From<Evaluation> for run::Evaluation {
    fn from(evaluation: Evaluation) -> Self {
        match evaluation {
            Evaluation::Life => Self::Life,
            Evaluation::Commit => Self::Commit,
            Evaluation::None => Self::None,
        }
    }
}

/// The papers behind all stages: those of their own help.
pub(crate) fn references() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for stage in Stage::ALL {
        for reference in references::of_command(&definition(stage)) {
            if !all.contains(&reference) {
                all.push(reference);
            }
        }
    }
    all
}

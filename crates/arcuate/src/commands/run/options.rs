//! Options of `arcuate run`.

use super::share::Share;
use crate::map_format::MapOptions;
use crate::meanings;
use crate::series::GradientOptions;
use arcuate_pipeline::run;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Run the pipeline from a diffusion series to an evaluated tractogram and a report
///
/// Runs these commands with their defaults: mask, fit tensor, reconstruction and tracking by --tracking, evaluate,
/// density, and connectome if --labels is given. Writes a report of all results. --dry-run prints the commands, which
/// write the same files. A recipe sets any of their options.
#[derive(Debug, Args)]
#[command(override_usage = "arcuate run [OPTIONS] <DWI> --out <FOLDER>\n       arcuate run --show-recipe")]
pub(crate) struct Run {
    #[arg(help = meanings::DWI, required_unless_present = "show_recipe")]
    pub(super) dwi: Option<PathBuf>,
    /// Output: folder for the results
    #[arg(long, value_name = "FOLDER", required_unless_present = "show_recipe")]
    pub(super) out: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::MASK,
        long_help = meanings::with(meanings::MASK, "[default: the brain, found in the series]"),
        value_name = "FILE"
    )]
    pub(super) mask: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::LABELS,
        long_help = meanings::with(meanings::LABELS, "Adds a connectome."),
        value_name = "FILE"
    )]
    pub(super) labels: Option<PathBuf>,
    #[arg(long, help = meanings::LABEL_NAMES, value_name = "FILE", requires = "labels")]
    pub(super) label_names: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::SELECT,
        long_help = meanings::with(meanings::SELECT, "Not for --tracking geodesic. [default: 50000]"),
        value_name = "N"
    )]
    pub(super) select: Option<u64>,
    #[arg(
        long,
        help = meanings::TRACKING,
        long_help = meanings::with(
            meanings::TRACKING,
            "[default: distributions for multi-shell data with at least 28 directions or one shell with at least 45 \
             directions at b ≥ 2000 s/mm²; otherwise samples for at least 15 directions; otherwise tensor]"
        ),
        value_name = "SOURCE",
        value_enum
    )]
    pub(super) tracking: Option<Tracking>,
    #[arg(
        long,
        help = meanings::FIVE_TISSUES,
        long_help = meanings::with(
            meanings::FIVE_TISSUES,
            "The image is the output of `arcuate 5tt` or of MRtrix's 5ttgen, in the space of the diffusion \
             series. Streamlines terminate in grey matter. Streamlines that terminate in white matter or \
             enter CSF are rejected."
        ),
        value_name = "FILE"
    )]
    pub(super) five_tissues: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::EVALUATE,
        long_help = meanings::with(
            meanings::EVALUATE,
            "[default: commit for distributions and samples, otherwise life]"
        ),
        value_name = "METHOD",
        value_enum
    )]
    pub(super) evaluate: Option<Evaluation>,
    #[arg(long, help = meanings::RECIPE, value_name = "FILE")]
    pub(super) recipe: Option<PathBuf>,
    /// Print a recipe (TOML file) with all options and their defaults
    #[arg(long)]
    pub(super) show_recipe: bool,
    /// Print the commands of the run, and do nothing
    #[arg(long = "dry-run")]
    pub(super) only_print: bool,
    #[arg(
        long,
        help = meanings::SHARE,
        long_help = meanings::with(
            meanings::SHARE,
            "This option needs --tracking samples, and a recipe with `seeds` or `per-seed` in \
             [track.samples]. First run the command with --share prepare, then with --share 1/8 to 8/8 in \
             parallel, then without --share, which merges the shares."
        ),
        value_name = "prepare|N/OF",
        conflicts_with_all = ["show_recipe", "only_print"]
    )]
    pub(super) share: Option<Share>,
    #[arg(
        long,
        help = meanings::ANATOMY,
        long_help = meanings::with(
            meanings::ANATOMY,
            "For example a T1 image in the space of the scan. [default: FA and the mean b = 0 image]"
        ),
        value_name = "IMAGE"
    )]
    pub(super) anatomy: Option<PathBuf>,
    #[command(flatten)]
    pub(super) maps: MapOptions,
    #[command(flatten)]
    pub(super) gradients: GradientOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Tracking {
    /// Fibre orientation distributions from constrained spherical deconvolution
    Distributions,
    /// Principal directions of diffusion tensors
    Tensor,
    /// Shortest paths through diffusion tensors
    Geodesic,
    /// Posterior samples of two fibres per voxel
    Samples,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Evaluation {
    /// Linear Fascicle Evaluation
    Life,
    /// Convex Optimization Modeling for Microstructure Informed Tractography
    Commit,
    /// No evaluation
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

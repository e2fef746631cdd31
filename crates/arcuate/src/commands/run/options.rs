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
/// Runs these commands with their defaults: mask, fit tensor, the reconstruction and tracking that --tracking
/// selects, evaluate, density, and, if --labels is given, connectome. Then writes a report of all results.
/// With --dry-run, prints these commands, which write the same files if they are called one by one. A recipe
/// file (--recipe) sets options of these commands.
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
        long_help = meanings::with(meanings::MASK, "[default: the brain that `arcuate mask` finds]"),
        value_name = "FILE"
    )]
    pub(super) mask: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::LABELS,
        long_help = meanings::with(
            meanings::LABELS,
            "If this option is given, the run also writes a connectome: the matrix of streamlines between \
             the regions."
        ),
        value_name = "FILE"
    )]
    pub(super) labels: Option<PathBuf>,
    #[arg(long, help = meanings::LABEL_NAMES, value_name = "FILE", requires = "labels")]
    pub(super) label_names: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::SELECT,
        long_help = meanings::with(
            meanings::SELECT,
            "This option cannot be used with --tracking geodesic. [default: 50000]"
        ),
        value_name = "N"
    )]
    pub(super) select: Option<u64>,
    #[arg(
        long,
        help = meanings::TRACKING,
        long_help = meanings::with(
            meanings::TRACKING,
            "The default depends on the gradient directions, of which opposite ones count once. The default \
             is `distributions` if several shells have at least 28 directions in total, or if one shell has \
             at least 45 directions at b ≥ 2000 s/mm². If not, the default is `samples` if a shell has at \
             least 15 directions, and `tensor` if no shell has 15. [default: distributions, samples or \
             tensor]"
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
             series. With this image, streamlines terminate in grey matter. Streamlines that terminate in \
             white matter, or that enter cerebrospinal fluid (CSF), are rejected."
        ),
        value_name = "FILE"
    )]
    pub(super) five_tissues: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::EVALUATE,
        long_help = meanings::with(
            meanings::EVALUATE,
            "[default: commit with --tracking distributions and samples; life with --tracking tensor and \
             geodesic]"
        ),
        value_name = "METHOD",
        value_enum
    )]
    pub(super) evaluate: Option<Evaluation>,
    #[arg(long, help = meanings::RECIPE, value_name = "FILE")]
    pub(super) recipe: Option<PathBuf>,
    /// Print a recipe (TOML file) with all options of the commands and their defaults
    #[arg(long)]
    pub(super) show_recipe: bool,
    /// Print the commands that the run consists of, but do not run them
    #[arg(long = "dry-run")]
    pub(super) only_print: bool,
    #[arg(
        long,
        help = meanings::SHARE,
        long_help = meanings::with(
            meanings::SHARE,
            "Shares divide the tracking of one run over several jobs. First run the command with --share \
             prepare, which computes everything before tracking. Then run it with --share 1/8 to --share \
             8/8, at the same time. Then run it without --share, which merges the shares. This option needs \
             --tracking samples, and a recipe with `seeds` or `per-seed` in [track.samples]."
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
            "For example, give a T1-weighted image in the space of the scan. [default: the fractional \
             anisotropy (FA) and the mean b = 0 image]"
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
    /// Fibre orientation distributions (FODs), which constrained spherical deconvolution estimates
    Distributions,
    /// Principal directions of the diffusion tensors: one fibre per voxel
    Tensor,
    /// Directions of shortest paths (geodesics) through the diffusion tensors
    Geodesic,
    /// Random samples of the orientations of two fibres per voxel, drawn from the posterior distribution
    Samples,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Evaluation {
    /// Evaluate with LiFE (Linear Fascicle Evaluation), as `arcuate evaluate life` does
    Life,
    /// Evaluate with COMMIT (Convex Optimization Modeling for Microstructure Informed Tractography)
    Commit,
    /// Do not evaluate the streamlines
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

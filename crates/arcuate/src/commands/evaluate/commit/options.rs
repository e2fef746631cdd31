//! The options of the command.

use super::fit::FitArgs;
use super::model::ModelArgs;
use crate::map_format::MapOptions;
use crate::peak_frame::FrameArg;
use crate::precision::Precision;
use crate::references;
use crate::series::GradientOptions;
use arcuate_evaluate::commit::SegmentOptions;
use arcuate_pipeline::stages::commit::REFERENCES;
use clap::Args;
use std::path::PathBuf;

/// Convex Optimization Modeling for Microstructure Informed Tractography: how much of the signal each streamline, the
/// tissue around it and free water explain together
///
/// Writes commit_weights.txt (one row per streamline, 0 where unsupported; signal per mm), tracks_weighted.trx (all
/// streamlines, weights as dps/commit_weights), tracks_supported.trx (those above 0), maps of the compartments
/// (commit_intra, _extra, _isotropic: signal at b = 0; …_fraction: over their sum), of the errors (commit_rmse, _nrmse)
/// and of the segments in each voxel, and commit_trace.csv.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct EvaluateCommit {
    /// Tractogram
    #[arg(value_name = "TRACKS", required_unless_present = "dictionary")]
    pub(super) tractogram: Option<PathBuf>,
    /// Diffusion series, 4-D
    #[arg(long, value_name = "FILE", required_unless_present = "scalar_map")]
    pub(super) dwi: Option<PathBuf>,
    /// The map of --model scalar-map, 3-D
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "dwi", "bval", "bvec", "gradients", "b0_threshold", "b_step", "big_delta", "small_delta", "echo_time", "min_b0",
        ]
    )]
    pub(super) scalar_map: Option<PathBuf>,
    /// Where the result goes; a folder
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: PathBuf,
    /// Mask of the voxels that count; all that streamlines pass by default
    #[arg(long, value_name = "FILE")]
    pub(super) mask: Option<PathBuf>,
    /// Directions of the extra-axonal compartments: 1 to 5 peaks a voxel, 4-D; or a folder of samples, X.bedpostX or that of a
    /// fit with --method mcmc, for the mean orientation of each fibre. Without it there are none of these
    #[arg(long, value_name = "FILE")]
    pub(super) peaks: Option<PathBuf>,
    /// Axes that the peaks are along; the scanner's (MRtrix; the default), the image's voxel axes, or FSL's (x negated
    /// where the affine's determinant is positive). Where streamlines follow them better in others, that is an error
    /// unless this option is given
    #[arg(long, value_enum, requires = "peaks")]
    pub(super) peaks_frame: Option<FrameArg>,
    /// Leave out peaks shorter than this fraction of the longest of their voxel
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1, requires = "peaks")]
    pub(super) peak_threshold: f64,
    /// How much each voxel counts, 3-D, numbers of 0 or more
    #[arg(long, value_name = "FILE")]
    pub(super) confidence: Option<PathBuf>,
    /// Orientations that responses are tabulated for; a number of them, a text file of directions (scanner axes), exact (no
    /// table, but spherical harmonics), or auto: exact unless that takes over three times the arithmetic, else 4,096, or those
    /// of --dictionary
    #[arg(long, value_name = "WHICH", default_value = "auto")]
    pub(super) orientations: String,
    /// Precision of the arithmetic
    #[arg(long, value_enum, default_value_t = Precision::Single)]
    pub(super) precision: Precision,
    /// Write the series that the model predicts; commit_signal.nii.gz
    #[arg(long)]
    pub(super) predicted: bool,
    /// Also write the files of dmri-commit 2.4 into Results_<Model>
    #[arg(long)]
    pub(super) compat: bool,
    #[command(flatten)]
    pub(super) maps: MapOptions,
    #[command(flatten)]
    pub(super) normalisation: NormalisationArgs,
    #[command(flatten)]
    pub(super) dictionary: DictionaryArgs,
    #[command(flatten)]
    pub(super) segments: SegmentArgs,
    #[command(flatten)]
    pub(super) gradients: GradientOptions,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    #[command(flatten)]
    pub(super) fit: FitArgs,
}

/// Options of a dictionary.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Dictionary of dmri-commit")]
pub(super) struct DictionaryArgs {
    /// Folder that trk2dictionary.run of dmri-commit wrote: streamlines and peaks are taken from it, and the
    /// tractogram, where one is named, only goes into the results
    #[arg(
        long,
        value_name = "FOLDER",
        requires = "dictionary_directions",
        conflicts_with_all = [
            "peaks", "peaks_frame", "peak_threshold", "min_length", "max_length", "min_segment", "blur_core_extent",
            "blur_gauss_extent", "blur_gauss_min", "blur_spacing",
        ]
    )]
    pub(super) dictionary: Option<PathBuf>,
    /// The directions that the numbers of the dictionary stand for: a text file, x y z along the axes of the image,
    /// one a line, as numpy.savetxt(FILE, amico.lut.load_directions(500)) writes it
    #[arg(long, value_name = "FILE", requires = "dictionary")]
    pub(super) dictionary_directions: Option<PathBuf>,
}

/// Options of the signal.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Normalisation")]
pub(super) struct NormalisationArgs {
    /// Replace all b = 0 measurements by their mean
    #[arg(long)]
    pub(super) merge_b0: bool,
    /// Do not divide the signal of a voxel by the mean of its b = 0 measurements
    #[arg(long)]
    pub(super) no_normalise_signal: bool,
    /// Do not divide each response and the lengths of each streamline by their norm, with which the solver needs fewer
    /// iterations, and penalties count short and long streamlines alike; weights are per mm in any case
    #[arg(long)]
    pub(super) no_normalise_kernels: bool,
    /// Subtract their mean from the signal of a voxel and from each response
    #[arg(long)]
    pub(super) demean: bool,
    /// Leave out voxels whose mean b = 0 signal is not above this fraction of the mean over the mask
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0)]
    pub(super) min_b0: f64,
}

/// Options of segments.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Segments")]
pub(super) struct SegmentArgs {
    /// Shortest streamline, in mm; shorter ones get no weight
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    pub(super) min_length: f64,
    /// Longest streamline, in mm; longer ones get no weight
    #[arg(long, value_name = "MM", default_value_t = f64::INFINITY)]
    pub(super) max_length: f64,
    /// Pieces of a streamline in a voxel no longer than this (mm) are left out
    #[arg(long, value_name = "MM", default_value_t = SegmentOptions::default().minimum_segment)]
    pub(super) min_segment: f64,
    /// Share the contribution of a streamline among parallel copies up to this far from it (mm), all alike
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    pub(super) blur_core_extent: f64,
    /// Width of a border around those in which copies count less and less (mm)
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    pub(super) blur_gauss_extent: f64,
    /// What the outermost copies count, relative to the core
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1)]
    pub(super) blur_gauss_min: f64,
    /// Distance between copies (mm)
    #[arg(long, value_name = "MM", default_value_t = 0.25)]
    pub(super) blur_spacing: f64,
}

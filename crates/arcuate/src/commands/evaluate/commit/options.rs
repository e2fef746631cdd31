//! Options of `arcuate evaluate commit`.

use super::fit::FitArgs;
use super::model::ModelArgs;
use crate::map_format::MapOptions;
use crate::meanings;
use crate::peak_frame::FrameArg;
use crate::precision::Precision;
use crate::series::GradientOptions;
use arcuate_evaluate::commit::SegmentOptions;
use clap::Args;
use std::path::PathBuf;

/// Weight streamlines by COMMIT, with the tissue around them and free water
///
/// Convex Optimization Modeling for Microstructure Informed Tractography. Writes commit_weights.txt (one row per
/// streamline, 0 if unsupported; signal per mm), tracks_weighted.trx (all streamlines, weights as dps/commit_weights),
/// tracks_supported.trx (weights above 0) and commit_trace.csv. Writes maps of the compartments (commit_intra, _extra,
/// _isotropic: signal at b = 0; …_fraction: divided by their sum), of the errors (commit_rmse, _nrmse) and of the
/// segments per voxel.
#[derive(Debug, Args)]
pub(crate) struct EvaluateCommit {
    #[arg(help = meanings::TRACTOGRAM, value_name = "TRACKS", required_unless_present = "dictionary")]
    pub(super) tractogram: Option<PathBuf>,
    #[arg(long, help = meanings::DWI, value_name = "FILE", required_unless_present = "scalar_map")]
    pub(super) dwi: Option<PathBuf>,
    /// Map of --model scalar-map, 3-D
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "dwi", "bval", "bvec", "gradients", "b0_threshold", "b_step", "big_delta", "small_delta", "echo_time", "min_b0",
        ]
    )]
    pub(super) scalar_map: Option<PathBuf>,
    /// Output: folder for the weights and maps
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: PathBuf,
    #[arg(
        long,
        help = meanings::MASK,
        long_help = meanings::with(meanings::MASK, "[default: all voxels that streamlines pass]"),
        value_name = "FILE"
    )]
    pub(super) mask: Option<PathBuf>,
    /// Directions of the extra-axonal compartments: an image or a folder
    ///
    /// An image is 4-D and has 1 to 5 peaks per voxel. A folder contains samples of fibre orientations:
    /// X.bedpostX, or a fit with --method mcmc. Then the mean orientation of each fibre is used. [default: no
    /// extra-axonal compartments]
    #[arg(long, value_name = "FILE")]
    pub(super) peaks: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::PEAKS_FRAME,
        long_help = meanings::with(
            meanings::PEAKS_FRAME,
            "`fsl` means image axes, with x negated if the determinant of the affine is positive. If the \
             streamlines agree better with the peaks in other axes, the command stops with an error unless \
             this option is given. [default: scanner]"
        ),
        value_enum,
        requires = "peaks"
    )]
    pub(super) peaks_frame: Option<FrameArg>,
    /// Ignore peaks shorter than this fraction of the longest peak in the voxel
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1, requires = "peaks")]
    pub(super) peak_threshold: f64,
    /// 3-D image of the weight of each voxel in the fit, 0 or larger
    #[arg(long, value_name = "FILE")]
    pub(super) confidence: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::ORIENTATIONS,
        long_help = meanings::with(
            meanings::ORIENTATIONS,
            "The value is a number of orientations, a text file of directions (scanner axes), `exact` \
             (spherical harmonics, no table), or `auto`. `auto` selects `exact`, unless it takes more than \
             three times the arithmetic of a table. Then it selects 4096 orientations, or those of \
             --dictionary."
        ),
        value_name = "WHICH",
        default_value = "auto"
    )]
    pub(super) orientations: String,
    #[arg(long, help = meanings::PRECISION, value_enum, default_value_t = Precision::Single)]
    pub(super) precision: Precision,
    #[arg(
        long,
        help = meanings::PREDICTED,
        long_help = meanings::with(meanings::PREDICTED, "Writes commit_signal.nii.gz.")
    )]
    pub(super) predicted: bool,
    /// Also write the files that dmri-commit 2.4 writes, into Results_<Model>
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
    /// Folder that trk2dictionary.run of dmri-commit wrote
    ///
    /// Streamlines and peaks are read from it. If a tractogram is given, it is only copied to the results.
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
    /// Text file of the dictionary's directions: x y z per line, in image axes
    ///
    /// As numpy.savetxt(FILE, amico.lut.load_directions(500)) writes it.
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
    /// Do not divide the signal of a voxel by its mean b = 0 signal
    #[arg(long)]
    pub(super) no_normalise_signal: bool,
    /// Do not divide responses and streamline lengths by their norms
    ///
    /// With normalisation (without this option), the solver needs fewer iterations, and penalties treat short
    /// and long streamlines alike. Weights are per mm in both cases.
    #[arg(long)]
    pub(super) no_normalise_kernels: bool,
    /// From the signal of each voxel and each response, subtract its mean
    #[arg(long)]
    pub(super) demean: bool,
    /// Ignore voxels with less than this fraction of the mean b = 0 signal
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0)]
    pub(super) min_b0: f64,
}

/// Options of segments.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Segments")]
pub(super) struct SegmentArgs {
    #[arg(
        long,
        help = meanings::MIN_LENGTH,
        long_help = meanings::with(meanings::MIN_LENGTH, "Shorter streamlines get no weight."),
        value_name = "MM",
        default_value_t = 0.0
    )]
    pub(super) min_length: f64,
    #[arg(
        long,
        help = meanings::MAX_LENGTH,
        long_help = meanings::with(meanings::MAX_LENGTH, "Longer streamlines get no weight."),
        value_name = "MM",
        default_value_t = f64::INFINITY
    )]
    pub(super) max_length: f64,
    /// Ignore segments of a streamline in a voxel up to this length (mm)
    #[arg(long, value_name = "MM", default_value_t = SegmentOptions::default().minimum_segment)]
    pub(super) min_segment: f64,
    /// Distance from a streamline within which its blur copies have full weight (mm)
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    pub(super) blur_core_extent: f64,
    /// Width of the zone around the core in which weights of blur copies decrease (mm)
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    pub(super) blur_gauss_extent: f64,
    /// Weight of the outermost blur copies of a streamline, relative to the core
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1)]
    pub(super) blur_gauss_min: f64,
    /// Distance between the blur copies of a streamline (mm)
    #[arg(long, value_name = "MM", default_value_t = 0.25)]
    pub(super) blur_spacing: f64,
}

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
/// COMMIT is Convex Optimization Modeling for Microstructure Informed Tractography. Writes commit_weights.txt
/// with one row per streamline, in units of the signal per mm; the weight is 0 if the signal does not support
/// the streamline. Writes tracks_weighted.trx with all streamlines (weights as dps/commit_weights), and
/// tracks_supported.trx with the streamlines whose weight is above 0. Writes commit_trace.csv with the
/// iterations of the solver. Writes maps of the signal of each compartment at b = 0 (commit_intra,
/// commit_extra, commit_isotropic). Writes maps of this signal divided by the sum of all compartments
/// (commit_intra_fraction and so on). Also writes maps of the errors of the fit (commit_rmse, commit_nrmse)
/// and of the number of segments per voxel.
#[derive(Debug, Args)]
pub(crate) struct EvaluateCommit {
    #[arg(help = meanings::TRACTOGRAM, value_name = "TRACKS", required_unless_present = "dictionary")]
    pub(super) tractogram: Option<PathBuf>,
    #[arg(long, help = meanings::DWI, value_name = "FILE", required_unless_present = "scalar_map")]
    pub(super) dwi: Option<PathBuf>,
    /// 3-D map of the values that --model scalar-map explains
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "dwi", "bval", "bvec", "gradients", "b0_threshold", "b_step", "big_delta", "small_delta", "echo_time", "min_b0",
        ]
    )]
    pub(super) scalar_map: Option<PathBuf>,
    /// Output: folder for the streamline weights and the maps
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: PathBuf,
    #[arg(
        long,
        help = meanings::MASK,
        long_help = meanings::with(meanings::MASK, "[default: all voxels that streamlines pass]"),
        value_name = "FILE"
    )]
    pub(super) mask: Option<PathBuf>,
    /// Directions of the extra-axonal compartments: an image of peaks, or a folder
    ///
    /// An image of peaks is 4-D and has 1 to 5 peaks per voxel. A folder contains samples of fibre
    /// orientations: X.bedpostX, or a result of `arcuate fit` with --method mcmc. From a folder, the mean
    /// orientation of each fibre is used. [default: no extra-axonal compartments]
    #[arg(long, value_name = "FILE")]
    pub(super) peaks: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::PEAKS_FRAME,
        long_help = meanings::with(
            meanings::PEAKS_FRAME,
            "`scanner` means scanner axes, and `image` voxel axes. `fsl` means voxel axes, with x negated if \
             the determinant of the image's affine matrix is positive. If streamlines agree clearly better \
             with the peaks in other axes, the command stops with an error. If this option is given, the \
             command only prints a warning. [default: scanner]"
        ),
        value_enum,
        requires = "peaks"
    )]
    pub(super) peaks_frame: Option<FrameArg>,
    /// Ignore peaks shorter than this fraction of the longest peak in the voxel
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1, requires = "peaks")]
    pub(super) peak_threshold: f64,
    /// 3-D image with the weight of each voxel in the fit, 0 or larger
    ///
    /// Without this option, all voxels have the weight 1.
    #[arg(long, value_name = "FILE")]
    pub(super) confidence: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::ORIENTATIONS,
        long_help = meanings::with(
            meanings::ORIENTATIONS,
            "The value is a number of orientations, a text file with one direction x y z per line (scanner \
             axes), `exact` or `auto`. `exact` computes the response for the exact direction of each \
             segment by spherical harmonics, without a table. If `exact` takes more than three times the \
             arithmetic of a table, `auto` uses a table of 4096 orientations, or of the orientations of \
             --dictionary. If not, `auto` uses `exact`."
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
        long_help = meanings::with(
            meanings::PREDICTED,
            "Writes the predicted series as commit_signal.nii.gz."
        )
    )]
    pub(super) predicted: bool,
    /// Also write the files of dmri-commit 2.4, into a folder Results_<Model>
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
    /// Folder of a dictionary that trk2dictionary.run of dmri-commit wrote
    ///
    /// The segments of streamlines and the peaks are read from this folder. If a tractogram is also given,
    /// its streamlines are only copied to the results.
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
    /// numpy.savetxt(FILE, amico.lut.load_directions(500)) writes such a file.
    #[arg(long, value_name = "FILE", requires = "dictionary")]
    pub(super) dictionary_directions: Option<PathBuf>,
}

/// Options of the signal.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Normalisation")]
pub(super) struct NormalisationArgs {
    /// In each voxel, replace all b = 0 measurements by their mean
    #[arg(long)]
    pub(super) merge_b0: bool,
    /// Do not divide the signal of each voxel by its mean b = 0 signal
    ///
    /// Without the division, voxels with a large signal count more in the fit.
    #[arg(long)]
    pub(super) no_normalise_signal: bool,
    /// Do not scale the matrix columns of compartments and streamlines to equal norms
    ///
    /// By default, each response is divided by its root-mean-square norm, and the segment lengths of each
    /// streamline by the root of the sum of their squares per voxel. With this scaling, the solver needs
    /// fewer iterations, and penalties treat short and long streamlines alike. The weights in the results are
    /// per mm in both cases.
    #[arg(long)]
    pub(super) no_normalise_kernels: bool,
    /// Subtract the mean over measurements from each voxel's signal and each response
    #[arg(long)]
    pub(super) demean: bool,
    /// Ignore voxels whose b = 0 signal is below this fraction of the mean over voxels
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
        long_help = meanings::with(meanings::MIN_LENGTH, "Shorter streamlines get the weight 0."),
        value_name = "MM",
        default_value_t = 0.0
    )]
    pub(super) min_length: f64,
    #[arg(
        long,
        help = meanings::MAX_LENGTH,
        long_help = meanings::with(meanings::MAX_LENGTH, "Longer streamlines get the weight 0."),
        value_name = "MM",
        default_value_t = f64::INFINITY
    )]
    pub(super) max_length: f64,
    /// Ignore segments (parts of a streamline in a voxel) up to this length, in mm
    #[arg(long, value_name = "MM", default_value_t = SegmentOptions::default().minimum_segment)]
    pub(super) min_segment: f64,
    /// Distance from a streamline within which its copies have full weight, in mm
    ///
    /// To blur a streamline, the model replaces it by parallel copies. This distance is the radius of their
    /// core.
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    pub(super) blur_core_extent: f64,
    /// Width of the zone around the core in which weights of copies decrease, in mm
    ///
    /// To blur a streamline, the model replaces it by parallel copies. --blur-core-extent is the radius of
    /// their core. Around the core, the weights of the copies decrease like a Gaussian function.
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    pub(super) blur_gauss_extent: f64,
    /// Weight of the outermost copies of a blurred streamline, relative to the core
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1)]
    pub(super) blur_gauss_min: f64,
    /// Distance between the parallel copies of a blurred streamline, in mm
    #[arg(long, value_name = "MM", default_value_t = 0.25)]
    pub(super) blur_spacing: f64,
}

//! Meanings of options that several commands share: the first line of their help, defined in one place.

pub(crate) const ANATOMY: &str = "Background image of maps and streamlines in the report";
pub(crate) const ASSIGNMENT: &str = "Rule that assigns streamlines to regions";
pub(crate) const ASSIGNMENT_RADIUS: &str = "Search radius for a region, in mm";
pub(crate) const DWI: &str = "Diffusion series, 4-D";
pub(crate) const EVALUATE: &str = "Evaluation of the streamlines";
pub(crate) const FIVE_TISSUES: &str = "Five-tissue-type (5TT) image for anatomically-constrained tracking";
pub(crate) const FOV: &str = "Field of view in mm";
pub(crate) const GRADIENTS: &str = "Gradient table in one file";
pub(crate) const ITERATIONS: &str = "Largest number of iterations";
pub(crate) const JSON: &str = "Print JSON";
pub(crate) const LABELS: &str = "Image of region numbers, 0 for none";
pub(crate) const LABEL_NAMES: &str = "Region names: FreeSurfer's colour table or MRtrix's labelconvert table";
pub(crate) const LAMBDA: &str = "Strength of the penalty";
pub(crate) const LIKE: &str = "Image whose voxel grid the output has";
pub(crate) const MASK: &str = "Mask of the voxels to process";
pub(crate) const MAX_B: &str = "Largest b-value to fit, in s/mm²";
pub(crate) const MAX_LENGTH: &str = "Longest streamline, in mm";
pub(crate) const MEASURE: &str = "Measures of each matrix entry";
pub(crate) const MESH_SPACE: &str =
    "Coordinate space of the surface; replaces the space that the file states";
pub(crate) const METHOD: &str = "Method";
pub(crate) const MIN_LENGTH: &str = "Shortest streamline, in mm";
pub(crate) const NAMES: &str = "Naming scheme of the maps";
pub(crate) const NEAREST: &str = "Use the nearest voxel, without interpolation";
pub(crate) const ORDER: &str = "Largest degree of the spherical harmonics, an even number";
pub(crate) const ORIENTATIONS: &str = "Orientations for which responses are tabulated";
pub(crate) const PEAKS_FRAME: &str = "Axes of the peaks";
pub(crate) const PER_SEED: &str = "Number of streamlines per seed";
pub(crate) const PRECISION: &str = "Arithmetic precision";
pub(crate) const PREDICTED: &str = "Write the predicted series";
pub(crate) const RECIPE: &str = "Recipe: TOML file with options of the stages, such as [track.tensor]";
pub(crate) const REFERENCE: &str = "Image that defines the space of the file";
pub(crate) const REGULARISE: &str = "Penalty that regularises the result";
pub(crate) const RESUME: &str = "Resume an interrupted run of the same data and options";
pub(crate) const SELECT: &str = "Stop at this many streamlines";
pub(crate) const SHARE: &str = "Share of the run to compute: prepare, or one share such as 1/8";
pub(crate) const SHELLS: &str = "Shells to use, by their b-values in s/mm²";
pub(crate) const SIGMA: &str = "Standard deviation of the noise";
pub(crate) const SIZE: &str = "Number of voxels along each axis";
pub(crate) const SNR: &str = "Signal-to-noise ratio, 0 for no noise";
pub(crate) const SOLVER: &str = "Solver";
pub(crate) const TARGETS: &str = "Target regions";
pub(crate) const TENSOR_ORDER: &str = "Order and axes of the six volumes of the tensor image";
pub(crate) const TOLERANCE: &str = "Relative tolerance at which iterations stop";
pub(crate) const TRACKING: &str = "Field that streamlines follow";
pub(crate) const TRACTOGRAM: &str = "Tractogram (.tck, .trk, .trx)";
pub(crate) const TRACTOGRAMS: &str = "Tractograms (.tck, .trk, .trx)";
pub(crate) const WEIGHTS: &str = "Weights of the streamlines: a text file with one number each";

/// Returns a meaning followed by the details of one command.
pub(crate) fn with(meaning: &str, details: &str) -> String {
    format!("{meaning}\n\n{details}")
}

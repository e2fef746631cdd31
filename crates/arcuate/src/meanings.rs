//! Meanings of options that several commands have. A meaning is the first line in the help of the option, and
//! is defined only here.

pub(crate) const ANATOMY: &str = "Background image under the maps and streamlines in the report";
pub(crate) const ASSIGNMENT: &str = "Rule that decides which regions a streamline connects";
pub(crate) const ASSIGNMENT_RADIUS: &str = "Largest distance from a streamline's end to its region, in mm";
pub(crate) const DWI: &str = "Diffusion series: a 4-D image of all measurements";
pub(crate) const EVALUATE: &str = "Method that evaluates the streamlines against the measured signal";
pub(crate) const FIVE_TISSUES: &str = "Five-tissue-type (5TT) image for anatomically-constrained tracking";
pub(crate) const FOV: &str = "Field of view in mm";
pub(crate) const GRADIENTS: &str = "Gradient table in one file, with b-values and directions";
pub(crate) const ITERATIONS: &str = "Largest number of iterations of the solver";
pub(crate) const JSON: &str = "Print the result as JSON";
pub(crate) const LABELS: &str = "Label image: the number of the region in each voxel, 0 for no region";
pub(crate) const LABEL_NAMES: &str = "File of region names: FreeSurfer's colour table or MRtrix's \
                                      labelconvert table";
pub(crate) const LAMBDA: &str = "Strength λ of the penalty that --regularise selects";
pub(crate) const LIKE: &str = "Image whose voxel grid the output gets";
pub(crate) const MASK: &str = "Mask image of the voxels to process";
pub(crate) const MAX_B: &str = "Largest b-value to fit, in s/mm²";
pub(crate) const MAX_LENGTH: &str = "Largest length of a streamline, in mm";
pub(crate) const MEASURE: &str = "Quantities to write for each matrix entry (pair of row and column)";
pub(crate) const MESH_SPACE: &str =
    "Coordinate space of the surface files; replaces the space that they state";
pub(crate) const MIN_LENGTH: &str = "Smallest length of a streamline, in mm";
pub(crate) const NAMES: &str = "Naming scheme for the files of the maps";
pub(crate) const NEAREST: &str = "Use the nearest voxel at each point, without interpolation";
pub(crate) const ORDER: &str = "Largest degree of the spherical harmonics (an even number)";
pub(crate) const ORIENTATIONS: &str = "Fibre orientations for which the table of responses is computed";
pub(crate) const PEAKS_FRAME: &str = "Axes of the x, y and z components of the peaks";
pub(crate) const PER_SEED: &str = "Number of streamlines that begin at each seed";
pub(crate) const PRECISION: &str = "Floating-point precision: single (32 bits) or double (64 bits)";
pub(crate) const PREDICTED: &str = "Also write the signal that the model predicts";
pub(crate) const RECIPE: &str = "Recipe: TOML file with options of the commands, such as [track.tensor]";
pub(crate) const REFERENCE: &str = "Image that defines the coordinate space of the file";
pub(crate) const REGULARISE: &str = "Penalty that is added to the misfit, to regularise the result";
pub(crate) const RESUME: &str = "Resume an interrupted run of the same data and options";
pub(crate) const SELECT: &str = "Stop after this many streamlines";
pub(crate) const SHARE: &str = "Share of the run that this job computes: prepare, or N/OF such as 1/8";
pub(crate) const SHELLS: &str = "Shells to use, listed by their b-values in s/mm²";
pub(crate) const SIGMA: &str = "Standard deviation of the noise";
pub(crate) const SIZE: &str = "Number of voxels of the image along each axis";
pub(crate) const SNR: &str = "Signal-to-noise ratio (SNR), or 0 for data without noise";
pub(crate) const SOLVER: &str = "Algorithm that solves for the weights";
pub(crate) const TARGETS: &str = "Target regions, in which passing streamlines are counted";
pub(crate) const TENSOR_ORDER: &str = "Order and axes of the tensor elements in the six volumes of the image";
pub(crate) const TOLERANCE: &str = "Relative tolerance at which the iterations of the solver stop";
pub(crate) const TRACKING: &str = "Field of fibre directions that streamlines follow";
pub(crate) const TRACTOGRAM: &str = "Tractogram: file of streamlines (.tck, .trk or .trx)";
pub(crate) const TRACTOGRAMS: &str = "Tractograms: files of streamlines (.tck, .trk or .trx)";
pub(crate) const WEIGHTS: &str = "Text file with one weight (number) per streamline";

/// Returns the help of an option: the meaning that several commands share, then the details for one command.
pub(crate) fn with(meaning: &str, details: &str) -> String {
    format!("{meaning}\n\n{details}")
}

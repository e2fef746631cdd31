//! Names of files that one stage writes and another reads. Those of maps end in the [format](crate::map_format) of the run.

/// The mask of the brain.
pub const MASK: &str = "mask.nii.gz";
/// The tensors, in a folder of the tensor fit.
pub const TENSOR: &str = "tensor.nii.gz";
/// Fractional anisotropy, beside them.
pub const FRACTIONAL_ANISOTROPY: &str = "fa.nii.gz";
/// The principal direction, beside them.
pub const PRINCIPAL_DIRECTION: &str = "principal_direction.nii.gz";
/// All rays, in a folder of geodesic tracking.
pub const RAYS: &str = "rays.trx";
/// LiFE's weights of streamlines, in its folder.
pub const LIFE_WEIGHTS: &str = "life_weights.txt";
/// COMMIT's weights of streamlines, in its folder.
pub const COMMIT_WEIGHTS: &str = "commit_weights.txt";

/// The folder of the tensor fit, in that of the run.
pub const TENSORS: &str = "tensor";
/// Streamlines that follow tensors or samples, in the folder of the run.
pub const TRACTS: &str = "tracks.trx";
/// What else stages write into the folder of a run.
pub(super) const SAMPLES: &str = "ball-2-sticks";
pub(super) const RESPONSES: &str = "responses";
/// The distributions, in the folder of the run.
pub const DISTRIBUTIONS: &str = "csd";
/// Those of white matter, in that folder.
pub const WHITE_MATTER_FOD: &str = "wm_fod.nii.gz";
/// Their peaks, beside them.
pub const PEAKS: &str = "peaks.nii.gz";
pub(super) const GEODESICS: &str = "geodesic";
/// LiFE's folder, in that of the run.
pub const LIFE: &str = "life";
pub(super) const COMMIT: &str = "commit";
pub(super) const DENSITY: &str = "track_density.nii.gz";
pub(super) const CONNECTOME: &str = "connectome";

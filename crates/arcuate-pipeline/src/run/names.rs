//! Names of files that one stage of a run writes and another stage reads. The file name ending of a map
//! depends on the [image format](crate::map_format) of the run.

/// Brain mask.
pub const MASK: &str = "mask.nii.gz";
/// File of the diffusion tensors, in the folder of the tensor fit.
pub const TENSOR: &str = "tensor.nii.gz";
/// File of the map of fractional anisotropy, in the folder of the tensor fit.
pub const FRACTIONAL_ANISOTROPY: &str = "fa.nii.gz";
/// File of the map of the principal direction of the tensor, in the folder of the tensor fit.
pub const PRINCIPAL_DIRECTION: &str = "principal_direction.nii.gz";
/// File of all streamlines of geodesic tracking, in the folder of geodesic tracking.
pub const RAYS: &str = "streamlines.trx";
/// File of the weights that LiFE gives to streamlines, in the folder of LiFE.
pub const LIFE_WEIGHTS: &str = "life_weights.txt";
/// File of the weights that COMMIT gives to streamlines, in the folder of COMMIT.
pub const COMMIT_WEIGHTS: &str = "commit_weights.txt";

/// Folder of the tensor fit, in the folder of the run.
pub const TENSORS: &str = "tensor";
/// File of the streamlines, in the folder of the run, for all tracking methods except geodesic tracking.
pub const TRACTS: &str = "tracks.trx";
/// Names of the folders and files that the other stages write into the folder of the run.
pub(super) const SAMPLES: &str = "ball-2-sticks";
pub(super) const RESPONSES: &str = "responses";
/// Folder of the fibre orientation distributions, in the folder of the run.
pub const DISTRIBUTIONS: &str = "csd";
/// File of the fibre orientation distributions of white matter, in the folder [`DISTRIBUTIONS`].
pub const WHITE_MATTER_FOD: &str = "wm_fod.nii.gz";
/// File of the peaks of the fibre orientation distributions, in the folder [`DISTRIBUTIONS`].
pub const PEAKS: &str = "peaks.nii.gz";
pub(super) const GEODESICS: &str = "geodesic";
/// Folder of the results of LiFE, in the folder of the run.
pub const LIFE: &str = "life";
/// Folder of the results of COMMIT, in the folder of the run.
pub const COMMIT: &str = "commit";
pub(super) const DENSITY: &str = "track_density.nii.gz";
pub(super) const CONNECTOME: &str = "connectome";

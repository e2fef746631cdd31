//! Names of files that one stage writes and another stage reads. The ending of a map depends on the
//! [format](crate::map_format) of the run.

/// Brain mask.
pub const MASK: &str = "mask.nii.gz";
/// Tensors, in the folder of the tensor fit.
pub const TENSOR: &str = "tensor.nii.gz";
/// Fractional anisotropy, in the folder of the tensor fit.
pub const FRACTIONAL_ANISOTROPY: &str = "fa.nii.gz";
/// Principal direction of the tensor, in the folder of the tensor fit.
pub const PRINCIPAL_DIRECTION: &str = "principal_direction.nii.gz";
/// All rays, in the folder of geodesic tracking.
pub const RAYS: &str = "streamlines.trx";
/// Weights of the streamlines by LiFE, in its folder.
pub const LIFE_WEIGHTS: &str = "life_weights.txt";
/// Weights of the streamlines by COMMIT, in its folder.
pub const COMMIT_WEIGHTS: &str = "commit_weights.txt";

/// Folder of the tensor fit, in the folder of the run.
pub const TENSORS: &str = "tensor";
/// Streamlines of tensor or sample tracking, in the folder of the run.
pub const TRACTS: &str = "tracks.trx";
/// Folders and files that other stages write into the folder of the run.
pub(super) const SAMPLES: &str = "ball-2-sticks";
pub(super) const RESPONSES: &str = "responses";
/// Folder of the fibre orientation distributions, in the folder of the run.
pub const DISTRIBUTIONS: &str = "csd";
/// Fibre orientation distributions of white matter, in the folder [`DISTRIBUTIONS`].
pub const WHITE_MATTER_FOD: &str = "wm_fod.nii.gz";
/// Peaks of the fibre orientation distributions, in the folder [`DISTRIBUTIONS`].
pub const PEAKS: &str = "peaks.nii.gz";
pub(super) const GEODESICS: &str = "geodesic";
/// Folder of LiFE, in the folder of the run.
pub const LIFE: &str = "life";
/// Folder of COMMIT, in the folder of the run.
pub const COMMIT: &str = "commit";
pub(super) const DENSITY: &str = "track_density.nii.gz";
pub(super) const CONNECTOME: &str = "connectome";

//! Signal models of diffusion MRI that are fitted in every voxel or combined for COMMIT, and brain masks.
//!
//! - [`fit_tensor`]: the diffusion tensor by iterated weighted least squares; [`tensor_maps`]: FA, MD, AD, RD,
//!   eigenvalues, eigenvectors and colours; [`tensor_shape`]: linearity, planarity, sphericity and mode;
//!   [`tensors_in_order`]: tensors of other programs.
//! - [`compartments`]: forward models, from sticks to cylinders with distributed radii, and their combinations for
//!   COMMIT.
//! - [`brain_mask`]: a brain mask from the series itself; [`scan_quality`]: mean images, noise, and outlier
//!   measurements.
//! - `fit`, `language` and `models` (feature `models`): any signal model in the model language, its fit, and Markov
//!   chains of its parameters.

// Some functions have no caller without signal models.
#![cfg_attr(not(feature = "models"), allow(dead_code))]

mod brain_mask;
pub mod compartments;
#[cfg(feature = "models")]
mod directions;
#[cfg(feature = "models")]
pub mod fit;
mod gradient_axes;
#[cfg(feature = "models")]
pub mod language;
mod median;
#[cfg(feature = "models")]
pub mod models;
mod morphology;
mod otsu;
mod quality;
#[cfg(feature = "models")]
mod special;
mod tensor;
mod unlike_volumes;

pub use brain_mask::{MaskOptions, brain_mask};
#[cfg(feature = "models")]
pub use directions::{average_directions, averaged_for};
pub use gradient_axes::{AxesCheck, check_axes};
pub use quality::{DroppedSlice, ScanQuality, mean_unweighted, noise_at_b0, scan_quality};
pub use tensor::{
    BootstrapOptions, BootstrapTensors, ClippedTensorFit, FirstWeights, ImpossibleTensors, Measurements,
    Repairs, Resampling, TensorFit, TensorMaps, TensorOptions, TensorOrder, TensorShape, bootstrap_tensors,
    check_tensor_fit, fit_clipped_tensor, fit_tensor, indefinite_share, tensor_maps, tensor_shape,
    tensors_in_order,
};
pub use unlike_volumes::UnlikeVolume;

//! Signal models fitted in every voxel, and brain masks.
//!
//! - [`fit_tensor`]: the diffusion tensor by iterated weighted least squares; [`tensor_maps`]: FA, MD, AD, RD,
//!   eigenvalues, eigenvectors and colours from it.

mod elementary;
mod tensor;

pub use tensor::{Repairs, TensorFit, TensorMaps, TensorOptions, fit_tensor, tensor_maps};

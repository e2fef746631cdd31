//! Fibre orientation distributions: how much of a voxel's fibres runs in each direction, by spherical deconvolution.
//!
//! - [`HarmonicBasis`]: the spherical harmonics that distributions are stored in.
//! - [`Response`]: the signal of one fibre population or tissue, which is deconvolved.

mod basis;
mod response;

pub use basis::HarmonicBasis;
pub use response::Response;

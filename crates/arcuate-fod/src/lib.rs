//! Fibre orientation distributions: how much of a voxel's fibres runs in each direction, by spherical deconvolution.
//!
//! - [`HarmonicBasis`]: the spherical harmonics that distributions are stored in.
//! - [`Response`]: the signal of one fibre population or tissue, which is deconvolved.
//! - [`SingleShell`]: constrained spherical deconvolution of one shell, with a soft constraint.
//! - [`MultiTissue`]: that of several shells into several tissues, with a hard one.
//! - [`estimate`]: responses from the series itself.
//! - [`check_responses`]: whether responses can be what they are given as.
//! - [`normalise_tissues`]: intensities of tissues on one scale.
//! - [`PeakFinder`]: the peaks of distributions.

mod basis;
mod cone;
mod dense;
pub mod estimate;
mod multi_tissue;
mod normalise;
mod on_gpus;
mod peaks;
mod response;
mod response_checks;
mod shells;
mod single_shell;
mod smooth;
mod usable;
mod volumes;
mod voxels;

pub use basis::HarmonicBasis;
pub use multi_tissue::{MultiTissue, MultiTissueScratch, Tissue};
pub use normalise::{NormaliseOptions, Normalised, normalise_tissues};
pub use peaks::{Peak, PeakFinder, PeakScratch};
pub use response::Response;
pub use response_checks::{
    FEWEST_VOXELS, OfTissue, TissueKind, check_responses, check_responses_of_series, check_voxels,
};
pub use shells::{DEFAULT_LARGEST_ORDER, check_directions, largest_number_of_tissues, order_of_directions};
pub use single_shell::{SingleShell, SingleShellOptions, SingleShellScratch};
pub use voxels::{Distributions, VoxelFit};

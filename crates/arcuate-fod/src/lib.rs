//! Fibre orientation distributions (FODs): the amount of fibres in each direction of a voxel, by spherical
//! deconvolution.
//!
//! - [`HarmonicBasis`]: the spherical harmonics in which distributions are stored.
//! - [`Response`]: the signal of one fibre population or tissue, used for deconvolution.
//! - [`SingleShell`]: constrained spherical deconvolution of one shell, with a soft constraint of
//!   non-negativity.
//! - [`MultiTissue`]: constrained spherical deconvolution of several shells into several tissues, with a hard
//!   constraint of non-negativity.
//! - [`estimate`]: estimation of responses from the series that will be deconvolved.
//! - [`check_responses`]: plausibility checks of responses.
//! - [`normalise_tissues`]: multi-tissue intensity normalisation.
//! - [`PeakFinder`]: peaks of distributions.

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
    LabelledResponse, MIN_VOXELS, TissueKind, check_responses, check_responses_of_series, check_voxels,
};
pub use shells::{DEFAULT_LARGEST_ORDER, check_directions, largest_number_of_tissues};
pub use single_shell::{SingleShell, SingleShellOptions, SingleShellScratch};
pub use voxels::{Distributions, VoxelFit};

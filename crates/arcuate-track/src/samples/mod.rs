//! Probabilistic tracking. Each step draws a fibre orientation from posterior samples, peaks or refitted
//! tensors.
//!
//! A streamline depends only on its number, which determines its starting point and the drawn orientations.
//! Therefore the result does not depend on threads, chunks or devices. An accepted streamline can be tracked
//! once more instead of being stored.
//!
//! The orientations, the options and the counters of visits are always compiled, because other sources of directions use
//! them. The trackers need the feature `samples`.

mod constants;
pub(crate) mod counts;
#[cfg(feature = "samples")]
mod cuda;
#[cfg(feature = "samples")]
mod engine;
#[cfg(feature = "samples")]
mod field;
pub(crate) mod followed;
#[cfg(feature = "samples")]
mod grid_parameters;
#[cfg(feature = "samples")]
mod kernels;
#[cfg(feature = "samples")]
mod memory;
mod options;
mod orientations;
#[cfg(feature = "samples")]
mod purpose;
mod saved;
#[cfg(feature = "samples")]
mod scratch;
pub(crate) mod shared;
#[cfg(feature = "samples")]
mod tracker;

pub use counts::VisitMap;
pub use options::{InitialFibre, SampleIntegrator, SampleOptions};
pub use orientations::{Fibre, OrientationSource, OrientationTable};
// The table of kernels names these types.
#[cfg(feature = "samples")]
pub use tracker::{SampleRuns, SampleTracker, track_samples};
#[cfg(feature = "samples")]
use {
    arcuate_compute::StreamlineSpan,
    arcuate_compute::element_rows::{ElementGrid, ElementTriangle as Triangle},
    arcuate_compute::surface_cells::ListedTriangle,
    followed::KernelOutcome,
    grid_parameters::GridParameters,
};

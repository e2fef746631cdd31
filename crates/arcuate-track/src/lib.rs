//! Streamline tractography through diffusion tensors, orientation distributions, posterior samples and
//! user-defined direction fields.
//!
//! [`track_tensor`] follows the principal directions of tensors. [`track_fod`] follows fibre orientation
//! distributions. [`track_samples`] draws a posterior sample of the orientation at each step, and counts how
//! many streamlines pass each voxel. [`Geodesics`] follows geodesics, the shortest paths in a metric made
//! from tensors. [`track`] follows a [`DirectionField`] that the caller provides.
//!
//! All functions take the same [`Seeds`] and [`Constraints`] and report their counts in a [`TrackSummary`].
//! Streamlines are passed to a [`StreamlineSink`](arcuate_core::StreamlineSink) in batches, in the order of
//! their seeds. The same random seed gives bit-identical streamlines for any number of threads and on any
//! device. A run holds only a few batches in memory.

// Some functions that tracking through samples and geodesic tracking share with the other sources have no caller without these
// features.
#![cfg_attr(not(all(feature = "geodesic", feature = "samples")), allow(dead_code, unused_imports))]

mod anatomy;
mod constraints;
mod direction_field;
mod driver;
mod energy_drift;
mod field;
mod fod;
#[cfg(feature = "geodesic")]
mod geodesic;
mod gpus;
mod lanes;
mod options;
mod outputs;
mod ray_figures;
mod rule;
mod samples;
mod seeds;
mod space;
mod summary;
mod tensor;
mod visits;
mod walk;

pub use anatomy::Anatomy;
pub use arcuate_core::Mapping;
pub use constraints::{
    ConstraintUnit, Constraints, PlacedConstraints, Region, RegionShape, RegionTest, StreamlineCut,
    WaypointCondition,
};
pub use direction_field::{DirectionField, Draws};
pub use energy_drift::EnergyDrift;
pub use fod::{BelowZero, FodImage, FodMethod, FodOptions, FodTracker, FodTracks, track_fod};
#[cfg(feature = "geodesic")]
pub use geodesic::{
    Connections, DEFAULT_TOLERANCE, Directions, Field, GeodesicIntegrator, GeodesicOptions, GeodesicTracker,
    Geodesics, Metric, PreparationTimes, RayTimes, RayTiming, Repairs, SharpenedSide, Sharpening, Targets,
};
pub use options::{AtMaxLength, Curvature, Integrator, Method, TrackOptions};
pub use outputs::{SampleOutputs, SampleTracks, Tracker};
pub use ray_figures::{CONNECTIVITY, DRIFT, LENGTH, RayFigures, Selection, TargetSummary};
pub use samples::{
    Fibre, InitialFibre, OrientationSource, OrientationTable, SampleIntegrator, SampleOptions, VisitMap,
};
#[cfg(feature = "samples")]
pub use samples::{SampleRuns, SampleTracker, track_samples};
pub use seeds::{Jitter, SEEDS_PER_STREAMLINE, Seeds};
pub use summary::{Rejection, Rejections, Termination, Terminations, TrackSummary};
pub use tensor::{TensorTracker, track_tensor};
pub use walk::{WalkOptions, WalkRule, track};

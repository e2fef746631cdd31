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

mod anatomy;
mod constraints;
mod direction_field;
mod driver;
mod field;
mod fod;
mod geodesic;
mod gpus;
mod lanes;
mod options;
mod outputs;
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
pub use fod::{BelowZero, FodImage, FodMethod, FodOptions, FodTracker, FodTracks, track_fod};
pub use geodesic::{
    CONNECTIVITY, Connections, DEFAULT_TOLERANCE, DRIFT, Directions, EnergyDrift, Field, GeodesicIntegrator,
    GeodesicOptions, GeodesicTracker, Geodesics, LENGTH, Metric, PreparationTimes, RayFigures, RayTimes,
    RayTiming, Repairs, Selection, SharpenedSide, Sharpening, TargetSummary, Targets,
};
pub use options::{AtMaxLength, Curvature, Integrator, Method, TrackOptions};
pub use outputs::{SampleOutputs, SampleTracks, Tracker};
pub use samples::{
    Fibre, InitialFibre, OrientationSource, OrientationTable, SampleIntegrator, SampleOptions, SampleRuns,
    SampleTracker, VisitMap, track_samples,
};
pub use seeds::{Jitter, SEEDS_PER_STREAMLINE, Seeds};
pub use summary::{Rejection, Rejections, Termination, Terminations, TrackSummary};
pub use tensor::{TensorTracker, track_tensor};
pub use walk::{WalkOptions, WalkRule, track};

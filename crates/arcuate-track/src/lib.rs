//! Streamline propagation: through tensors, samples of orientations, and any field of directions.
//!
//! [`track_tensor`] follows principal directions: seeds and options go in, streamlines come out in batches, in the order of
//! their seeds, to whatever [`StreamlineSink`](arcuate_core::StreamlineSink) is given. [`Geodesics`] follows shortest paths, every
//! one into such a sink, with data at its points, or the best between regions. [`track_samples`] draws an orientation at every
//! step, and counts where streamlines pass. [`track`] follows a [`DirectionField`] of your own.
//!
//! All take the same [`Seeds`] and [`Constraints`], and say in a [`TrackSummary`] what became of them. The same seed number gives
//! the same streamlines, bit for bit, at any number of threads and on any device, and of what is handed over a run never holds
//! more than a few blocks.

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
    Constraints, JudgedBy, PlacedConstraints, Region, RegionShape, RegionTest, StreamlineCut,
    WaypointCondition,
};
pub use direction_field::{DirectionField, Draws};
pub use fod::{BelowZero, FodImage, FodMethod, FodOptions, FodTracker, FodTracks, track_fod};
pub use geodesic::{
    CONNECTIVITY, Connections, DEFAULT_TOLERANCE, DRIFT, Directions, Drift, Field, GeodesicIntegrator,
    GeodesicOptions, Geodesics, LENGTH, Metric, PreparationTimes, RayTimes, RayTiming, Repairs, Selection,
    SharpenedSide, Sharpening, TargetSummary, Targets,
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

//! Streamline propagation through tensor fields.
//!
//! [`track_tensor`] is the whole of it: seeds and options go in, streamlines come out in batches, in the order of
//! their seeds, to whatever [`VisitSink`](arcuate_core::VisitSink) is given. The same seed number gives the same
//! streamlines, bit for bit, at any number of threads, and a run never holds more than a few blocks of them.

mod field;
mod geodesic;
mod lanes;
mod options;
mod seeds;
mod summary;
mod tensor;

pub use geodesic::{
    Connections, DEFAULT_TOLERANCE, Directions, Endings, Field, GeodesicIntegrator, GeodesicOptions,
    GeodesicSummary, Geodesics, Metric, PreparationTimes, RayMeasures, RaySink, RayTimes, RayTiming, Rays,
    Repairs, Selection, SharpenedSide, Sharpening, TargetSummary, Targets,
};
pub use options::{Curvature, Integrator, Method, TrackOptions};
pub use seeds::{SEEDS_PER_STREAMLINE, Seeds};
pub use summary::{Rejections, Terminations, TrackSummary};
pub use tensor::track_tensor;

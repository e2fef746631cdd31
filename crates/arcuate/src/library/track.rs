//! Tracking: streamlines through tensors, fibre orientation distributions, samples of orientations, and geodesics.
//!
//! ```
//! use arcuate::compute::Device;
//! use arcuate::core::{Control, Tractogram};
//! use arcuate::model::{TensorOptions, fit_tensor};
//! use arcuate::phantom::{PhantomOptions, default_gradients, simulate};
//! use arcuate::track::{Seeds, TrackOptions, track_tensor};
//!
//! let options = PhantomOptions { voxel_size_mm: 4.0, ..PhantomOptions::default() };
//! let brain = simulate(&default_gradients(12, 1000.0, 1)?, &options)?;
//! let fit = fit_tensor(&brain.dwi, &brain.gradients, &brain.brain_mask, &Device::Cpu, &TensorOptions::default())?;
//!
//! // Tracks until 20 streamlines are accepted.
//! let seeds = Seeds::random_until(brain.brain_mask.clone(), 20);
//! let options = TrackOptions { mask: Some(brain.brain_mask), select: Some(20), ..TrackOptions::default() };
//! let mut tracks = Tractogram::new();
//! let summary =
//!     track_tensor(&fit.tensor, &seeds, &options, &Device::Cpu, &mut tracks, &Control::default())?;
//! assert_eq!(tracks.len(), 20);
//! assert!(summary.seeds >= 20);
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_track::{
    Anatomy, AtMaxLength, BelowZero, ConstraintUnit, Constraints, Curvature, EnergyDrift, FodImage,
    FodMethod, FodOptions, FodTracks, InitialFibre, Integrator, Jitter, Method, RayFigures, Region,
    RegionShape, RegionTest, Rejection, Rejections, SampleIntegrator, SampleOptions, SampleTracks, Seeds,
    Selection, TargetSummary, Termination, Terminations, TrackOptions, TrackSummary, VisitMap,
    WaypointCondition, track_fod, track_tensor,
};
#[cfg(feature = "geodesic")]
#[doc(inline)]
pub use arcuate_track::{
    Directions, Field, GeodesicIntegrator, GeodesicOptions, Metric, SharpenedSide, Sharpening,
};

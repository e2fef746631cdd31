//! Fits of signal models, and Markov chains of their parameters.
//!
//! ```
//! use arcuate::compute::Device;
//! use arcuate::model::fit::{FitOptions, fit_models};
//! use arcuate::model::models::model;
//! use arcuate::phantom::{PhantomOptions, default_gradients, simulate};
//!
//! let options = PhantomOptions { voxel_size_mm: 8.0, ..PhantomOptions::default() };
//! let brain = simulate(&default_gradients(12, 1000.0, 1)?, &options)?;
//! let models = [model("ball-1-stick")?];
//! let fits =
//!     fit_models(&models, &brain.dwi, &brain.gradients, &brain.brain_mask, &Device::Cpu, &FitOptions::default())?;
//! assert_eq!(fits.len(), 1);
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_model::fit::{
    AtBounds, AtConstraint, BoundsMethod, Criterion, FitMap, FitOptions, MeasurementColumn, ModelFit,
    ModelMeasurements, Obstacle, Override, OverrideKind, Source, Status, check_models, fit_models,
    predicted_series,
};

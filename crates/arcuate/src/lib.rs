//! Arcuate turns diffusion MRI measurements into evaluated connections of the brain.
//!
//! This crate is the door to the library: one module per step, each a crate of its own.
//!
//! ```no_run
//! use arcuate::{compute::Device, io, model, track};
//! use std::path::Path;
//!
//! # fn main() -> arcuate::core::Result<()> {
//! let dwi = io::read_volume(Path::new("dwi.nii.gz"))?;
//! let gradients = io::fsl_gradients::read(
//!     Path::new("dwi.bval"),
//!     Path::new("dwi.bvec"),
//!     dwi.grid().affine(),
//!     Some(dwi.channels()),
//! )?
//! .table(&io::GradientReading::with_threshold(50.0))?;
//! let mask = model::brain_mask(&dwi, &gradients, &model::MaskOptions::default())?;
//! let fit = model::fit_tensor(&dwi, &gradients, &mask, &Device::Cpu, &model::TensorOptions::default())?;
//! # Ok(())
//! # }
//! ```

pub use arcuate_compute as compute;
pub use arcuate_connect as connect;
pub use arcuate_core as core;
pub use arcuate_evaluate as evaluate;
pub use arcuate_io as io;
pub use arcuate_model as model;
pub use arcuate_phantom as phantom;
pub use arcuate_report as report;
pub use arcuate_solve as solve;
pub use arcuate_track as track;

//! Signal models fitted in every voxel: search, Levenberg–Marquardt, and what of several models a voxel supports.

mod begin;
mod candidates;
mod cascade;
mod cpu;
mod cuda;
mod emit;
mod interpreter;
mod kernels;
mod levenberg_marquardt;
mod linear;
mod models;
mod plan;
mod predict;
mod protocol;
mod results;
mod schedule;
mod search;
mod stage;
mod uncertainty;
mod voxels;
mod wishes;

pub use emit::kernel_sources;
// Kernels name them as those of their parent module.
pub use cascade::check_starts;
use cuda::{BeginNumber, FitPlan};
pub use plan::{FitOptions, ModelMeasurements, Source, Wish, WishFor};
pub use predict::{Prediction, predicted_signals};
pub use protocol::MeasurementColumn;
pub use results::{Criterion, FitMap, ModelFit, best_models, check_models, fit_models, identifiability};
pub use stage::{BoundsMethod, Status};
pub use uncertainty::Identifiability;

//! Signal models fitted in every voxel: search, Levenberg–Marquardt, and what of several models a voxel supports.

mod alike;
mod begin;
mod candidates;
mod cascade;
mod cpu;
mod criteria;
mod cuda;
mod device_memory;
mod dispersion_series;
mod elementary;
mod emit;
mod error_maps;
mod interpreter;
mod kernels;
mod levenberg_marquardt;
mod linear;
mod lots;
mod models;
mod normal_equations;
mod placement;
mod plan;
mod predict;
mod protocol;
mod results;
mod schedule;
mod search;
mod series;
mod stage;
mod transform;
mod trial_step;
mod uncertainty;
mod unknowns;
mod voxels;
mod wishes;

pub use cascade::check_starts;
pub use criteria::{Criterion, best_models};
pub use emit::kernel_sources;
// Kernels name them as those of their parent module.
use cuda::{BeginNumber, FitPlan};
pub use plan::{FitOptions, ModelMeasurements, Source, Wish, WishFor};
pub use predict::{Prediction, predicted_signals};
pub use protocol::MeasurementColumn;
pub use results::{FitMap, ModelFit};
pub use series::{check_models, fit_models, identifiability};
pub use stage::{BoundsMethod, Status};
pub use uncertainty::Identifiability;

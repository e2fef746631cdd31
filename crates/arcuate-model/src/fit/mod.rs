//! Fits signal models in every voxel by a grid search and Levenberg–Marquardt, and compares models.

/// Evaluates an expression in code that is compiled for the SIMD instructions of the processor.
macro_rules! with_simd {
    ($value:expr) => {
        with_simd!(pulp::Arch::new(), $value)
    };
    ($arch:expr, $value:expr) => {
        $arch.dispatch($crate::fit::Inlined(
            #[inline(always)]
            || $value,
        ))
    };
}

/// A closure that is inlined into SIMD code. `pulp` calls closures as `FnOnce`. The compiler then adds a function
/// around most closures, which is not inlined and has no SIMD instructions.
struct Inlined<F>(F);

impl<R, F: FnMut() -> R> pulp::WithSimd for Inlined<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) -> R {
        (self.0)()
    }
}

mod active_constraints;
mod arithmetic;
mod begin;
mod bingham_series;
mod candidates;
mod cascade;
mod constraints;
mod cpu;
mod criteria;
mod cuda;
mod curved_constraints;
mod deviations;
mod dispersion_series;
mod elementary;
mod error_maps;
mod evaluation;
mod feasibility;
mod interchangeable;
mod interpreter;
mod levenberg_marquardt;
mod linear;
mod minimiser;
mod normal_equations;
mod obstacle;
mod on_gpus;
mod options;
mod overrides;
mod placement;
mod plan;
mod planning;
mod predict;
mod predicted_series;
mod progress;
mod protocol;
mod results;
pub mod sample;
mod schedule;
mod scratch;
mod search;
mod series;
mod stage;
mod status;
mod transform;
mod trial_step;
mod uncertainty;
mod unknowns;
mod voxels;
mod warnings;
pub(crate) mod written;

pub use active_constraints::AtConstraint;
pub use cascade::check_starts;
pub use criteria::{Criterion, best_models, lowest};
pub use deviations::in_scanner_axes;
pub use obstacle::Obstacle;
pub use options::{FitOptions, ModelMeasurements, Override, OverrideKind, Source};
pub use predict::{Prediction, predicted_signals};
pub use predicted_series::predicted_series;
pub use protocol::MeasurementColumn;
pub use results::{AtBounds, FitMap, ModelFit};
pub use series::{check_models, fit_models, identifiability, written_kernels};
pub use stage::BoundsMethod;
pub use status::Status;
pub use uncertainty::Identifiability;
pub use warnings::warn_of_guesses;

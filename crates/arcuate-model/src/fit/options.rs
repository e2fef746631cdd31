//! Options of a fit.

use super::protocol::MeasurementColumn;
use super::stage::BoundsMethod;
use crate::tensor::Measurements;
use arcuate_core::{Control, Error, GradientTable, Result, Volume};

/// Options of [`fit_models`](super::fit_models) and of chains.
#[derive(Debug, Clone, Default)]
pub struct FitOptions {
    /// The measurements to fit.
    pub measurements: ModelMeasurements,
    /// The method that keeps parameters within bounds.
    pub bounds: BoundsMethod,
    /// Maximum number of evaluations of the signal per voxel in each Levenberg–Marquardt stage; 0 for the default.
    pub evaluations: u32,
    /// Whether to compute in `f32` instead of `f64`, on CPU and GPUs.
    pub single_precision: bool,
    /// Whether to stop after the model's last search. Parameters that are not searched keep their starting values.
    pub search_alone: bool,
    /// Whether to compute standard errors.
    pub standard_errors: bool,
    /// Overrides of the models' parameters. They apply to all models with such a parameter.
    pub overrides: Vec<Override>,
    /// Additional numbers per measurement.
    pub columns: Vec<MeasurementColumn>,
    /// Additional numbers per voxel, by their names in the models, in the models' units.
    pub maps: Vec<(String, Volume<f32>)>,
    /// Gradient deviation of every voxel: nine channels, L in column-major order and scanner axes. The gradient of a
    /// measurement is (1 + L) g there, and b grows with the square of its length.
    /// [`in_scanner_axes`](super::in_scanner_axes) converts FSL's deviations.
    pub gradient_deviations: Option<Volume<f32>>,
    /// Receives progress (in voxels; for chains, voxels of every chain) and warnings, and can cancel the work.
    pub control: Control,
}

/// The measurements that a model is fitted to.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ModelMeasurements {
    /// All measurements.
    #[default]
    All,
    /// Measurements with b up to this value in s/mm².
    UpTo(f64),
    /// The shells with these b-values, and b = 0.
    Shells(Vec<f64>),
}

impl ModelMeasurements {
    /// Returns the indices of the measurements, in ascending order.
    ///
    /// # Errors
    /// Returns an error if there is no such shell or weighting, or if the table does not state the weighting of
    /// measurements.
    pub fn of(&self, gradients: &GradientTable) -> Result<Vec<usize>> {
        let by = match self {
            Self::All => None,
            Self::UpTo(_) => Some("‘max_b’"),
            Self::Shells(_) => Some("‘shells’"),
        };
        if let (Some(subject), false) = (by, gradients.is_known()) {
            let problem = "the series has no gradient table";
            return Err(Error::usage(
                subject,
                problem,
                "remove it, or give ‘bval’ and ‘bvec’, or ‘gradients’",
            ));
        }
        match self {
            Self::All => Measurements::All,
            Self::UpTo(b) => Measurements::UpTo(*b),
            Self::Shells(shells) => Measurements::Shells(shells.clone()),
        }
        .of(gradients)
    }
}

/// An override of a parameter.
#[derive(Debug, Clone)]
pub struct Override {
    /// The name of the parameter.
    pub parameter: String,
    /// The change.
    pub what: OverrideKind,
}

/// The kind of an override.
#[derive(Debug, Clone)]
pub enum OverrideKind {
    /// The parameter is known and has these values.
    Fixed(Source),
    /// The parameter keeps its starting value.
    Kept,
    /// The parameter is fitted, starting at these values.
    StartingAt(Source),
    /// The parameter is fitted, although the model fixes it.
    Free,
}

/// Values of a parameter, in its unit.
#[derive(Debug, Clone)]
pub enum Source {
    /// The same in all voxels.
    Number(f64),
    /// A value for each voxel; three values for an orientation.
    Map(Box<Volume<f32>>),
}

//! Options of a fit.

use super::protocol::MeasurementColumn;
use super::stage::BoundsMethod;
use crate::tensor::Measurements;
use arcuate_core::{Control, Error, GradientTable, Result, Volume};

/// Options of [`fit_models`](super::fit_models) and of chains.
#[derive(Debug, Clone, Default)]
pub struct FitOptions {
    /// The measurements to which the models are fitted.
    pub measurements: ModelMeasurements,
    /// The method that keeps parameters within bounds.
    pub bounds: BoundsMethod,
    /// Maximum number of evaluations of the signal per voxel in each Levenberg–Marquardt stage. 0 selects the
    /// default.
    pub evaluations: u32,
    /// True if the fit computes in `f32` instead of `f64`, on CPU and GPUs.
    pub single_precision: bool,
    /// True if the fit stops after the model's last search. Parameters that are not searched keep their
    /// starting values.
    pub search_alone: bool,
    /// True if standard errors are computed.
    pub standard_errors: bool,
    /// Overrides of the models' parameters. Each override applies to all models with a parameter of this
    /// name.
    pub overrides: Vec<Override>,
    /// Additional numbers per measurement that the models use.
    pub columns: Vec<MeasurementColumn>,
    /// Additional numbers per voxel that the models use, by their names and in the units of the models.
    pub maps: Vec<(String, Volume<f32>)>,
    /// Gradient deviation L of every voxel: nine channels, in column-major order and scanner axes. A voxel's
    /// gradient is (1 + L) g, and its b grows with the square of the length of (1 + L) g.
    /// [`in_scanner_axes`](super::in_scanner_axes) converts FSL's deviations.
    pub gradient_deviations: Option<Volume<f32>>,
    /// Receives progress and warnings, and can cancel the work. Progress is in voxels; for chains, each voxel
    /// counts once per chain.
    pub control: Control,
}

/// The measurements that a model is fitted to.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum ModelMeasurements {
    /// All measurements of the series.
    #[default]
    All,
    /// Measurements whose b is at most this value in s/mm².
    UpTo(f64),
    /// Measurements of the shells with these b-values, and measurements at b = 0.
    Shells(Vec<f64>),
}

impl ModelMeasurements {
    /// Returns the indices of the measurements, in ascending order.
    ///
    /// # Errors
    /// Returns an error if the table has no such shell or weighting, or if it has no b-values.
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
                "remove this option, or give ‘bval’ and ‘bvec’, or ‘gradients’",
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

/// A change of a parameter by the user.
#[derive(Debug, Clone)]
pub struct Override {
    /// The name of the parameter.
    pub parameter: String,
    /// The kind of the override.
    pub what: OverrideKind,
}

/// The kind of an override.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum OverrideKind {
    /// The parameter is fixed at these values.
    Fixed(Source),
    /// The parameter is fixed at its starting value.
    Kept,
    /// The parameter is fitted and starts at these values.
    StartingAt(Source),
    /// The parameter is fitted, although the model fixes it.
    Free,
}

/// Values of a parameter, in its unit.
#[derive(Debug, Clone)]
pub enum Source {
    /// The same value in all voxels.
    Number(f64),
    /// An image with one value per voxel, or three for an orientation.
    Map(Box<Volume<f32>>),
}

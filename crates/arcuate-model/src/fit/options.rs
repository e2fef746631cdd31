//! What users ask of a fit.

use super::protocol::MeasurementColumn;
use super::stage::BoundsMethod;
use crate::tensor::Measurements;
use arcuate_core::{Control, Error, GradientTable, Result, Volume};

/// How models are fitted.
#[derive(Debug, Clone, Default)]
pub struct FitOptions {
    /// The measurements that are fitted.
    pub measurements: ModelMeasurements,
    /// How bounds are kept.
    pub bounds: BoundsMethod,
    /// Evaluations of the signal in a voxel at most, by each Levenberg–Marquardt stage; 0 for the usual number.
    pub evaluations: u32,
    /// Whether single precision suffices: sums and functions are then of f32, on the processor and on GPUs.
    pub single_precision: bool,
    /// Whether a fit ends with the last of its model's searches: what that does not search stays where it starts.
    pub search_alone: bool,
    /// Whether standard errors are wanted.
    pub standard_errors: bool,
    /// What is to be otherwise than the models say, of all models that have such a parameter.
    pub wishes: Vec<Wish>,
    /// Numbers of every measurement.
    pub columns: Vec<MeasurementColumn>,
    /// Numbers of every voxel, by what models call them, in the units that these say.
    pub maps: Vec<(String, Volume<f32>)>,
    /// How gradients deviate from the table in every voxel, where they do: nine channels, L column by column in scanner axes. A
    /// measurement has the gradient (1 + L) g there, and b is larger by the square of its length
    /// ([`in_scanner_axes`](super::in_scanner_axes) turns those of FSL).
    pub gradient_deviations: Option<Volume<f32>>,
    /// Who is told how far fits, or chains, are (voxels, of chains those of every chain), may end them, and hears their warnings.
    pub control: Control,
}

/// Which measurements a model is fitted to.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ModelMeasurements {
    /// All.
    #[default]
    All,
    /// Those with b up to this many s/mm².
    UpTo(f64),
    /// The shells of these b-values, and b = 0.
    Shells(Vec<f64>),
}

impl ModelMeasurements {
    /// Numbers of the measurements, ascending.
    ///
    /// # Errors
    /// Where there is no such shell or weighting, and where it is not known how measurements are weighted.
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
                "leave it out, or give ‘bval’ and ‘bvec’, or ‘gradients’",
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

/// Something about a parameter that is to be otherwise.
#[derive(Debug, Clone)]
pub struct Wish {
    /// The parameter.
    pub parameter: String,
    /// What is wished.
    pub what: WishFor,
}

/// What can be wished.
#[derive(Debug, Clone)]
pub enum WishFor {
    /// It is known.
    Fixed(Source),
    /// It stays where the model has it start.
    Kept,
    /// It is fitted from there.
    StartingAt(Source),
    /// It is fitted, though the model has it fixed.
    Free,
}

/// Where values come from, in the parameter's unit.
#[derive(Debug, Clone)]
pub enum Source {
    /// The same in all voxels.
    Number(f64),
    /// A value of each voxel, three of an orientation.
    Map(Box<Volume<f32>>),
}

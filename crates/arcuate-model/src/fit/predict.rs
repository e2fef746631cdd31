//! Predicts the signals of a model.

use super::dispersion_series::SeriesLength;
use super::interpreter::Row;
use super::options::FitOptions;
use super::plan::{ModelPlan, Pipeline};
use super::protocol::{MeasurementColumn, Protocol};
use super::results::ModelFit;
use super::schedule::Schedule;
use super::uncertainty::Information;
use super::unknowns::Unknown;
use crate::language::{Input, Model, ModelProgram, Role};
use arcuate_core::{Error, GradientTable, Result};
use arcuate_numbers::Lanes;

/// Predicts the signals of a model for the measurements of a gradient table, in double precision.
#[derive(Debug, Clone)]
pub struct Prediction {
    program: ModelProgram,
    protocol: Protocol,
    settings: Vec<f64>,
    factors: Vec<f64>,
    unknowns: Vec<Unknown>,
    derivatives: Schedule,
}

impl Prediction {
    /// Prepares a model for predictions. Its fixed parameters have their default values.
    ///
    /// # Errors
    /// Returns an error if the model needs maps. Also returns an error if the model needs a number per
    /// measurement that is missing.
    pub fn new(model: &Model, gradients: &GradientTable, columns: &[MeasurementColumn]) -> Result<Self> {
        if let Some(map) = model.maps().first() {
            let problem =
                format!("the model {} needs this map, which a prediction does not have", model.name());
            return Err(Error::usage(map.name(), problem, "predict with a model that needs no maps"));
        }
        let all: Vec<usize> = (0..gradients.len()).collect();
        let protocol = Protocol::new(gradients, &all, model, columns)?;
        let mut program = model.program(&model.own_roles())?;
        protocol.check(&program)?;
        protocol.weigh(&mut program);
        let (mut settings, mut factors) = (Vec::new(), Vec::new());
        for (parameter, (role, _)) in model.parameters().iter().zip(&program.places) {
            let factor = parameter.unit().factor();
            match role {
                Role::Free => factors.extend(vec![factor; parameter.numbers()]),
                _ => settings.push(parameter.start_number().unwrap_or(0.0) * factor),
            }
        }
        let parameters: Vec<usize> = (0..model.parameters().len()).collect();
        let unknowns = program.unknowns(model, &parameters);
        let derivatives = Schedule::new(&program, &protocol, &settings, &unknowns, SeriesLength::Double)?;
        Ok(Self { program, protocol, settings, factors, unknowns, derivatives })
    }

    /// Returns the predicted signal of every measurement. `numbers` contains the values of the fitted
    /// parameters, in the order and the units of the model.
    ///
    /// # Panics
    /// Panics if `numbers` does not have one value per fitted number of the model.
    pub fn signals(&self, numbers: &[f64]) -> Vec<f64> {
        signals(&self.program, &self.protocol, &self.settings, &self.in_base_units(numbers), &[])
    }

    fn in_base_units(&self, numbers: &[f64]) -> Vec<f64> {
        let expected = self.factors.len();
        assert_eq!(numbers.len(), expected, "a number for each parameter, three for each orientation");
        numbers.iter().zip(&self.factors).map(|(number, factor)| number * factor).collect()
    }

    /// Returns the Cramér–Rao bound: the smallest possible standard errors of an unbiased fit with Gaussian
    /// noise. `noise` is the standard deviation of this noise. The result has one value per fitted number, in
    /// the unit of the number, and one angle in radians per orientation. A value is infinite if the
    /// measurements do not determine the parameter.
    ///
    /// # Panics
    /// Panics if `numbers` does not have one value per fitted number of the model.
    pub fn standard_errors(&self, numbers: &[f64], noise: f64) -> Vec<f64> {
        let rows: Vec<Row<f64>> = self.in_base_units(numbers).into_iter().map(Lanes::all).collect();
        let usable = vec![Lanes::all(1.0); self.protocol.len()];
        let left_out = vec![Lanes::all(0.0); self.unknowns.len()];
        let information = Information::new(&self.derivatives, &self.unknowns, self.protocol.len());
        let variances = information.variances(&rows, &[], &usable, &left_out);
        let noise = noise / self.protocol.noise_factor();
        let error = |variance: &Row<f64>| noise * variance.0[0].sqrt();
        let mut errors: Vec<f64> = Vec::new();
        for (unknown, variance) in self.unknowns.iter().zip(&variances) {
            match *unknown {
                Unknown::Number(n) => errors.push(error(variance) / self.factors[usize::from(n)]),
                Unknown::Turn { vector: 0, .. } => errors.push(error(variance)),
                // The standard error of an orientation is one angle. It combines the errors of the two
                // rotations that change the orientation.
                Unknown::Turn { .. } => {
                    if let Some(angle) = errors.last_mut() {
                        *angle = angle.hypot(error(variance));
                    }
                }
            }
        }
        errors
    }
}

/// Predicts the signals of fitted models in some voxels. Returns, for each voxel and model, the signal of
/// every fitted measurement in double precision. The signals are computed from the maps of the fits and from
/// the parameter values that the options fix.
///
/// `models`, `gradients` and `options` must be the arguments of the earlier call of
/// [`fit_models`](super::fit_models), and `fits` must be its result.
/// [`ModelMeasurements::of`](super::ModelMeasurements::of) returns the fitted measurements. In a voxel
/// without a fit, all parameters are taken as 0.
///
/// # Errors
/// Returns the errors of [`check_models`](super::check_models).
pub fn predicted_signals(
    models: &[Model],
    fits: &[ModelFit],
    gradients: &GradientTable,
    options: &FitOptions,
    voxels: &[usize],
) -> Result<Vec<Vec<Vec<f64>>>> {
    let pipeline = Pipeline::<f64>::new(models, gradients, options)?;
    let of_model = |place: usize, fit: &ModelFit, voxel: usize| {
        let (plan, protocol) = (&pipeline.plans[place], &pipeline.protocols[place]);
        let (numbers, maps) = (numbers_of(plan, fit, voxel), plan.maps_of(&[voxel]));
        signals(&plan.program, protocol, &plan.settings, &numbers, &maps)
    };
    let of_voxel = |&voxel: &usize| {
        let of_models = pipeline.requested.iter().zip(fits);
        of_models.map(|(&place, fit)| of_model(place, fit, voxel)).collect()
    };
    Ok(voxels.iter().map(of_voxel).collect())
}

/// Returns the fitted parameter values of a voxel in base units, from the maps of a fit.
pub(super) fn numbers_of(plan: &ModelPlan<f64>, fit: &ModelFit, voxel: usize) -> Vec<f64> {
    let mut numbers = vec![f64::NAN; plan.program.free_numbers];
    for (parameter, (role, first)) in plan.model.parameters().iter().zip(&plan.program.places) {
        let map = fit.maps.iter().find(|map| map.name == parameter.name());
        let (Role::Free, Some(map)) = (role, map) else { continue };
        for (number, value) in numbers[*first..].iter_mut().zip(map.volume.voxel(voxel)) {
            *number = f64::from(*value) * parameter.unit().factor();
        }
    }
    numbers
}

/// Predicts the signal of every measurement in a voxel. Parameter values and maps are in base units.
fn signals(
    program: &ModelProgram,
    protocol: &Protocol,
    settings: &[f64],
    numbers: &[f64],
    maps: &[f64],
) -> Vec<f64> {
    let of_measurement = |m: usize| {
        let values = program.program.evaluate(|input| match input {
            Input::Parameter(n) => numbers[usize::from(n)],
            Input::Setting(n) => settings[usize::from(n)],
            Input::Measurement(n) => protocol.value(m, n),
            Input::Map(n) => maps[usize::from(n)],
            Input::Across { .. } => f64::NAN,
        });
        values[program.predicted.index()]
    };
    (0..protocol.len()).map(of_measurement).collect()
}

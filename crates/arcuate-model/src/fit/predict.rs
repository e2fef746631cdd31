//! The signal that a model predicts.

use super::protocol::{MeasurementColumn, Protocol};
use crate::language::{Input, Model, ModelProgram, Role};
use arcuate_core::{Error, GradientTable, Result};

/// A model on a gradient table, ready to predict signals in double precision.
#[derive(Debug, Clone)]
pub struct Prediction {
    program: ModelProgram,
    protocol: Protocol,
    settings: Vec<f64>,
    factors: Vec<f64>,
}

impl Prediction {
    /// A model whose fixed parameters are where it has them.
    ///
    /// # Errors
    /// Where the model needs maps, or numbers of measurements that are not there.
    pub fn new(model: &Model, gradients: &GradientTable, columns: &[MeasurementColumn]) -> Result<Self> {
        if let Some(map) = model.maps().first() {
            let problem = format!("the model {} needs this map, and a prediction has none", model.name());
            return Err(Error::usage(map.name(), problem, "predict with a model that needs no maps"));
        }
        let all: Vec<usize> = (0..gradients.len()).collect();
        let protocol = Protocol::new(gradients, &all, model, columns)?;
        let program = model.program(&model.own_roles())?;
        protocol.check(&program)?;
        let (mut settings, mut factors) = (Vec::new(), Vec::new());
        for (parameter, (role, _)) in model.parameters().iter().zip(&program.places) {
            let factor = parameter.unit().factor();
            match role {
                Role::Free => factors.extend(vec![factor; parameter.numbers()]),
                _ => settings.push(parameter.start_number().unwrap_or(0.0) * factor),
            }
        }
        Ok(Self { program, protocol, settings, factors })
    }

    /// The signal of every measurement for the numbers of the parameters that are fitted, in their order and units.
    ///
    /// # Panics
    /// For another number of numbers.
    pub fn signals(&self, numbers: &[f64]) -> Vec<f64> {
        assert_eq!(
            numbers.len(),
            self.factors.len(),
            "a number for each parameter, three for each orientation"
        );
        let of_measurement = |m: usize| {
            let values = self.program.program.evaluate(|input| match input {
                Input::Parameter(n) => numbers[usize::from(n)] * self.factors[usize::from(n)],
                Input::Setting(n) => self.settings[usize::from(n)],
                Input::Measurement(n) => self.protocol.value(m, n),
                Input::Map(_) | Input::Across { .. } => f64::NAN,
            });
            values[self.program.signal.index()]
        };
        (0..self.protocol.len()).map(of_measurement).collect()
    }
}

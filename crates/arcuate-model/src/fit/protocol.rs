//! The protocol of a series: for each measurement, the numbers that models use (b and so on) in base units.

use crate::language::{Input, MEASURED, Model, ModelProgram, Node, OWN_COLUMNS, Range};
use arcuate_core::{Error, GradientTable, Result, narrow};

/// The numbers of every measurement that models use, such as the b-value b and the gradient direction g.
#[derive(Debug, Clone)]
pub(crate) struct Protocol {
    /// All numbers, one measurement after the other.
    values: Vec<f64>,
    columns: usize,
    /// The weights that multiply the measured and the predicted signals. `None` if all weights are 1.
    weights: Option<Weights>,
}

/// Weights of averaged measurements, each of which is the average of a different number of acquired
/// measurements.
#[derive(Debug, Clone)]
struct Weights {
    /// The weight of each averaged measurement, divided by the weight of the first one.
    of_measurements: Vec<f64>,
    /// Square root of the number of acquired measurements in the first averaged measurement.
    of_first: f64,
    /// Index of the weight among the numbers of a measurement (b, g and so on).
    column: u16,
}

impl Weights {
    /// Computes the weights of averaged measurements. The noise of an average of n measurements is smaller by
    /// a factor of √n.
    fn new(counts: &[usize], column: u16) -> Self {
        let of_first = (counts[0] as f64).sqrt();
        let of_measurements = counts.iter().map(|&count| (count as f64).sqrt() / of_first).collect();
        Self { of_measurements, of_first, column }
    }
}

/// A column that the user provides, with one number per measurement, for example the echo time.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasurementColumn {
    /// The number's name in the model.
    pub name: String,
    /// One value for each measurement of the series, in the model's unit.
    pub values: Vec<f64>,
}

/// Number of leading values in each measurement's numbers: b and the three components of the gradient
/// direction g.
const WEIGHTING: usize = 4;

/// Returns an error that the gradient table is missing. `why` is the reason why a gradient table is needed.
pub(super) fn without_table(why: &str) -> Error {
    let problem = format!("{why}, but there is no gradient table");
    Error::invalid("gradient table", problem, "give ‘bval’ and ‘bvec’, or ‘gradients’")
}

impl Protocol {
    /// Collects the numbers of the measurements with the indices `used`: those of the gradient table, and the
    /// columns that the model needs in addition.
    pub(crate) fn new(
        gradients: &GradientTable,
        used: &[usize],
        model: &Model,
        columns: &[MeasurementColumn],
    ) -> Result<Self> {
        let per_unit = 1e-3; // Converts s/mm² to ms/µm².
        let mut brought = Vec::new();
        for known in model.measurements() {
            let Some(column) = columns.iter().find(|column| column.name == known.name()) else {
                let problem =
                    format!("the model {} needs a value of this column for every measurement", model.name());
                let advice =
                    format!("give ‘column’ {}=FILE, a file with one number per measurement", known.name());
                return Err(Error::usage(known.name(), problem, advice));
            };
            if column.values.len() != gradients.len() {
                let problem = format!(
                    "the column has {} numbers, but there are {} measurements",
                    column.values.len(),
                    gradients.len()
                );
                return Err(Error::invalid(&column.name, problem, "give one number for each measurement"));
            }
            let bounds = known.bounds();
            if let Some(n) = column.values.iter().position(|value| !value.is_finite()) {
                let problem =
                    format!("number {} (counted from 1) of the column is {}", n + 1, column.values[n]);
                return Err(Error::invalid(&column.name, problem, "give one finite number per measurement"));
            }
            if let Some(outside) = column.values.iter().find(|value| !bounds.contains(**value)) {
                let problem =
                    format!("the value {outside} {} is outside the bounds of the model", known.unit());
                return Err(Error::invalid(
                    &column.name,
                    problem,
                    "check the values in the file and their unit",
                ));
            }
            brought.push((known.unit().factor(), &column.values));
        }
        let others = usize::from(OWN_COLUMNS) + brought.len();
        let used_counts = |counts: &[usize]| used.iter().map(|&m| counts[m]).collect::<Vec<usize>>();
        let weights = gradients
            .averaged()
            .map(|counts| Weights::new(&used_counts(counts), OWN_COLUMNS + narrow::<u16>(brought.len())));
        let columns = others + usize::from(weights.is_some());
        let mut values = Vec::with_capacity(columns * used.len());
        for (n, &m) in used.iter().enumerate() {
            let timing = gradients.timings().map(|timings| timings[m]);
            let of = |part: fn(&arcuate_core::PulseTiming) -> f64| timing.as_ref().map_or(f64::NAN, part);
            if gradients.is_known() {
                values.push(per_unit * gradients.b_values()[m]);
                values.extend(gradients.directions()[m]);
            } else {
                values.extend([f64::NAN; 4]);
            }
            // The times of the pulses are converted from s to ms, and their amplitude from T/m to T/µm.
            values.push(1e3 * of(|timing| timing.separation));
            values.push(1e3 * of(|timing| timing.duration));
            values.push(1e3 * of(|timing| timing.echo_time));
            values.push(1e-6 * of(|timing| timing.amplitude));
            values.extend(brought.iter().map(|(factor, column)| factor * column[m]));
            values.extend(weights.as_ref().map(|weights| weights.of_measurements[n]));
        }
        Ok(Self { values, columns, weights })
    }

    /// Returns an error if the model uses a number per measurement, such as the echo time, that the gradient
    /// table does not have.
    pub(crate) fn check(&self, program: &ModelProgram) -> Result<()> {
        for node in program.program.reachable(&[program.signal]) {
            let Node::Input(Input::Measurement(column)) = program.program.node(node) else { continue };
            if self.len() > 0 && self.value(0, column).is_nan() {
                if usize::from(column) < WEIGHTING {
                    let name = if column == 0 { MEASURED[0].0 } else { "g" };
                    return Err(without_table(&format!("the model needs `{name}`")));
                }
                let name = MEASURED[usize::from(column) + 1 - WEIGHTING].0;
                let problem = format!("the model needs `{name}`, which the gradient table does not have");
                let advice =
                    "give a table with timings: a Camino .scheme of version STEJSKALTANNER, or a .prtcl";
                return Err(Error::invalid("gradient table", problem, advice));
            }
        }
        Ok(())
    }

    /// Multiplies the signal that the model predicts by the weights of the measurements.
    pub(super) fn weigh(&self, program: &mut ModelProgram) {
        if let Some(weights) = &self.weights {
            program.weigh(weights.column);
        }
    }

    /// Returns the weight of each measurement. Returns `None` if all weights are 1.
    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|weights| &weights.of_measurements[..])
    }

    /// Returns the standard deviation of the noise of one acquired measurement, divided by the standard
    /// deviation of the noise of a weighted signal.
    pub(crate) fn noise_factor(&self) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights.of_first)
    }

    /// Returns the number of different measurement conditions (combinations of b, g and so on). Several
    /// averages at b = 0 count once, because they do not help to determine another unknown.
    pub(super) fn conditions(&self) -> usize {
        if self.weights.is_none() {
            return self.len();
        }
        let rows: Vec<Vec<u64>> = self
            .values
            .chunks_exact(self.columns)
            .map(|row| row.iter().map(|n| n.to_bits()).collect())
            .collect();
        rows.iter().enumerate().filter(|(n, row)| !rows[..*n].contains(row)).count()
    }

    /// Returns the number of measurements.
    pub(crate) fn len(&self) -> usize {
        self.values.len() / self.columns
    }

    /// Returns one number of a measurement, such as b. `column` is the index of this number among the numbers
    /// of the measurement.
    pub(crate) fn value(&self, measurement: usize, column: u16) -> f64 {
        self.values[measurement * self.columns + usize::from(column)]
    }

    /// Returns the smallest and the largest value of one number per measurement, such as b, over all
    /// measurements. `column` is the index of this number.
    pub(crate) fn range(&self, column: u16) -> Range {
        let of_column = (0..self.len()).map(|m| self.value(m, column));
        let (low, high) = of_column
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low <= high { Range::new(low, high) } else { Range::ALL }
    }
}

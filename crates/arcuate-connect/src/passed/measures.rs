//! Measures of the streamlines that pass an element: the number of streamlines, and the lengths of their
//! paths from the seed to the element.

use super::seed_rows::RowEntry;
use arcuate_core::{Error, Measure, Result};

/// The measures of a matrix in addition to the number of streamlines, and the step size of the streamlines in
/// mm. The sums of numbers of steps are integers, so that results do not depend on the order of the
/// streamlines.
#[derive(Debug, Clone)]
pub(super) struct Measures {
    pub(super) all: Vec<Measure>,
    step_mm: f64,
}

impl Measures {
    /// Returns an error if a measure is neither a mean nor a sum of lengths, or if the step size is invalid.
    pub(super) fn new(measures: &[Measure], step_mm: f64) -> Result<Self> {
        let of_lengths = |measure: &Measure| match measure {
            Measure::MeanLength => true,
            Measure::Sum(name) => name == "length",
            _ => false,
        };
        if let Some(other) = measures.iter().find(|measure| !of_lengths(measure)) {
            let problem = format!(
                "the measure {} of a streamline is not known while streamlines are tracked",
                other.word()
            );
            return Err(Error::invalid(
                "measures of a matrix",
                problem,
                "as measure, choose the mean length of the streamlines or the sum of their lengths",
            ));
        }
        if !(step_mm > 0.0 && step_mm.is_finite()) {
            let problem = format!("the step length {step_mm} mm is not above 0");
            return Err(Error::usage("‘step_mm’", problem, "give a length above 0 mm"));
        }
        Ok(Self { all: measures.to_vec(), step_mm })
    }

    /// Returns the number of measures of the matrix. The number of streamlines does not count as a measure
    /// here.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the length in mm of a path that consists of this number of steps.
    pub(super) fn length(&self, steps: u64) -> f64 {
        steps as f64 * self.step_mm
    }

    /// Returns the value of a measure for a matrix entry. The entry has `count` streamlines, whose paths from
    /// the seed to the element have `steps` steps in total.
    pub(super) fn value(&self, measure: &Measure, steps: u64, count: u64) -> f64 {
        let length = self.length(steps);
        if measure.is_mean() { length / count as f64 } else { length }
    }

    /// Returns, for each measure, its value in each of the given matrix entries. The first measure is the
    /// number of streamlines.
    pub(super) fn values(&self, entries: &(impl Iterator<Item = RowEntry> + Clone)) -> Vec<Vec<f64>> {
        let mut values = vec![entries.clone().map(|entry| entry.count as f64).collect::<Vec<f64>>()];
        for measure in &self.all {
            let value = |entry: RowEntry| self.value(measure, entry.steps, entry.count);
            values.push(entries.clone().map(value).collect());
        }
        values
    }
}

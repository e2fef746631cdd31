//! The combinations of parameter values that a grid search evaluates.

use super::begin::StartValue;
use super::constraints::LinearRow;
use super::curved_constraints::CurvedConstraints;
use crate::language::{Form, Model, ModelProgram, Role};
use arcuate_core::{Error, Orientations, Result, narrow};
use arcuate_numbers::Real;

/// Maximum number of combinations of parameter values that a grid search evaluates.
const MOST: usize = 200_000;

/// The combinations of a grid search.
#[derive(Debug, Clone)]
pub(crate) struct Candidates<T> {
    /// The indices of the parameter values that the grid search sets. A combination has its values in this
    /// order.
    pub(crate) searched: Vec<u16>,
    /// The parameter values of all combinations, one combination after the other.
    pub(crate) values: Vec<T>,
    /// For each combination of parameter values, a number that is equal for combinations with the same
    /// orientations. If a grid search keeps several starts, these starts have different orientations.
    pub(crate) groups: Vec<u32>,
    /// Number of best combinations that the search keeps as starts for the next stages of the fit.
    pub(crate) keep: usize,
}

impl<T: Real> Candidates<T> {
    /// Returns all combinations of the grid values of these parameters that satisfy the constraints.
    /// Parameters that are not searched have the values of `start_values`. Returns `None` if all parameters to
    /// search are fixed.
    pub(crate) fn new(
        (model, program): (&Model, &ModelProgram),
        start_values: &[StartValue<T>],
        parameters: &[usize],
        keep: u8,
        (constraints, curved): (&[LinearRow<T>], Option<&CurvedConstraints>),
        rests: &dyn Fn(u16) -> bool,
    ) -> Result<Option<Self>> {
        let is_searched = |&n: &usize| {
            let (role, first) = program.places[n];
            role == Role::Free && parameters.contains(&n) && !rests(narrow::<u16>(first))
        };
        let of_model = model.parameters();
        let (orientations, numbers): (Vec<usize>, Vec<usize>) = (0..of_model.len())
            .filter(is_searched)
            .partition(|&n| matches!(of_model[n].form(), Form::Orientation { .. }));
        if orientations.is_empty() && numbers.is_empty() {
            return Ok(None);
        }
        let mut searched = Vec::new();
        let mut combinations: Vec<(u32, Vec<f64>)> = vec![(0, Vec::new())];
        // Combinations with the same orientations are contiguous.
        for &n in orientations.iter().chain(&numbers) {
            let (parameter, first) = (&of_model[n], program.places[n].1);
            let values: Vec<Vec<f64>> = match parameter.form() {
                Form::Number { grid, .. } => {
                    grid.iter().map(|value| vec![value * parameter.unit().factor()]).collect()
                }
                Form::Orientation { grid } => {
                    Orientations::half_sphere(*grid).directions().iter().map(|d| d.to_vec()).collect()
                }
            };
            searched.extend((first..first + parameter.numbers()).map(narrow::<u16>));
            if combinations.len() * values.len() > MOST {
                let problem =
                    format!("the grid search would try more than {MOST} combinations of parameter values");
                let advice = "give grids fewer values, or search in two stages";
                return Err(Error::invalid(model.name(), problem, advice));
            }
            let makes_groups = orientations.is_empty() || parameter.numbers() == 3;
            let longer = |(group, combination): &(u32, Vec<f64>)| {
                let (group, combination, count) = (*group, combination.clone(), narrow::<u32>(values.len()));
                let longer = move |(n, value): (usize, &Vec<f64>)| {
                    let group = if makes_groups { group * count + narrow::<u32>(n) } else { group };
                    (group, [&combination[..], value].concat())
                };
                values.iter().enumerate().map(longer).collect::<Vec<_>>()
            };
            combinations = combinations.iter().flat_map(longer).collect();
        }
        let start = |place: usize| match start_values[place] {
            StartValue::Value(value) => value.double(),
            StartValue::One => 1.0,
            _ => 0.0,
        };
        let starts: Vec<f64> = (0..program.free_numbers).map(start).collect();
        combinations.retain(|(_, combination)| {
            let mut numbers = starts.clone();
            for (place, value) in searched.iter().zip(combination) {
                numbers[usize::from(*place)] = *value;
            }
            let is_met = curved.is_none_or(|curved| curved.broken(|place| numbers[place]).is_empty());
            is_met
                && constraints.iter().all(|row| {
                    let sum: f64 = row.weights.iter().zip(&numbers).map(|(w, x)| w.double() * x).sum();
                    let slack = row.offset.double() + sum;
                    if row.is_equality { slack.abs() < 1e-6 } else { slack >= -1e-6 }
                })
        });
        Ok(Some(Self {
            searched,
            groups: combinations.iter().map(|(group, _)| *group).collect(),
            values: combinations.into_iter().flat_map(|(_, values)| values).map(T::of).collect(),
            keep: usize::from(keep),
        }))
    }
}

impl<T: Copy> Candidates<T> {
    /// Returns the number of combinations.
    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Returns the values of a combination.
    pub(crate) fn values(&self, candidate: usize) -> &[T] {
        &self.values[candidate * self.searched.len()..][..self.searched.len()]
    }

    /// Writes the parameter values of a combination to the parameter values of a voxel.
    pub(crate) fn put(&self, candidate: usize, numbers: &mut [T]) {
        for (&number, &value) in self.searched.iter().zip(self.values(candidate)) {
            numbers[usize::from(number)] = value;
        }
    }
}

//! Linear constraints of a model, in base units and in the precision of the fit (single or double). The GPU
//! kernels use the same constraints. `curved_constraints.rs` computes nonlinear constraints.

use crate::language::{ConstraintValue, Input, ModelProgram};
use arcuate_core::narrow;
use arcuate_numbers::Real;

/// A linear constraint on the fitted values. For an equality, the value offset + Σ weights · (fitted values)
/// must be 0. For an inequality, this value must be at least 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinearRow<T> {
    /// The factor of each fitted value of the model in the constraint.
    pub(crate) weights: Vec<T>,
    pub(crate) offset: T,
    pub(crate) is_equality: bool,
}

/// A constraint that is not linear, at the parameter values before a step.
#[derive(Debug, Clone)]
pub(super) struct CurvedRow<N> {
    /// A value that must be 0 for an equality, and at least 0 for an inequality.
    pub(super) slack: N,
    /// The derivatives of the slack with respect to all unknowns.
    pub(super) derivatives: Vec<N>,
    pub(super) is_equality: bool,
}

/// Returns the linear constraints of a model, each with the weights of the fitted values. If at least one
/// constraint of the model is not linear, returns an empty list.
pub(super) fn constraints<T: Real>(program: &ModelProgram, settings: &[f64]) -> Vec<LinearRow<T>> {
    let inputs: Vec<Input> = (0..narrow::<u16>(program.free_numbers)).map(Input::Parameter).collect();
    if program.constraints.iter().any(|constraint| !constraint.is_linear) {
        return Vec::new();
    }
    let row = |constraint: &ConstraintValue| {
        let mut graph = program.program.clone();
        let gradient = graph.gradient(constraint.value, &inputs);
        let values = graph.evaluate(|input| match input {
            Input::Setting(n) => settings[usize::from(n)],
            _ => 0.0,
        });
        LinearRow {
            weights: gradient.iter().map(|id| T::of(values[id.index()])).collect(),
            offset: T::of(values[constraint.value.index()]),
            is_equality: constraint.is_equality,
        }
    };
    program.constraints.iter().map(row).collect()
}

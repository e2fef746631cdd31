//! All constraints of a model that has at least one nonlinear constraint. The code here checks whether
//! parameter values satisfy these constraints, and projects parameter values back to them after a step. The
//! linear constraints of such a model are included, so that steps satisfy all constraints together.
//!
//! First, a step of the fit is deflected by the tangents of the constraints at its start, as for linear
//! constraints. Newton steps along the gradients of the constraints then project the end of the step back to
//! the constraints (gradient projection, Rosen 1961, doi:10.1137/0109044). Distances are measured in the
//! metric of the normal equations' diagonal. If the projection fails, the step is rejected, and the next step
//! is shorter.

use super::constraints::CurvedRow;
use super::dispersion_series::SeriesLength;
use super::interpreter::{Interpreter, Row};
use super::protocol::Protocol;
use super::schedule::Schedule;
use super::unknowns::Unknown;
use crate::language::{Id, Input, ModelProgram, Program};
use arcuate_core::{Result, narrow};
use arcuate_numbers::{Lanes, Operations, Real};

/// Largest violation of a constraint that is accepted at the start of a fit, in the base unit of the
/// constraint.
const SLACK: f64 = 1e-6;
/// Largest violation of a constraint that is accepted after a step of the fit, as a fraction of 1 plus the
/// size of the compared values.
const TOLERANCE: f64 = 1e-6;
/// Largest violation of a constraint that is accepted after a step in single precision. Rounding errors in
/// single precision exceed [`TOLERANCE`].
const SINGLE_TOLERANCE: f64 = 1e-5;
/// Number of Newton steps that project parameter values back to the constraints. Each step squares the
/// remaining error.
const RETURNS: usize = 6;

/// The constraints of a model with at least one nonlinear constraint, as a program that computes their
/// values.
#[derive(Debug, Clone)]
pub(crate) struct CurvedConstraints {
    program: Program,
    values: Vec<(Id, bool)>,
    settings: Vec<f64>,
}

impl CurvedConstraints {
    /// Returns the constraints of a model. If all constraints are linear, returns `None`.
    pub(crate) fn new(program: &ModelProgram, settings: &[f64]) -> Option<Self> {
        program.constraints.iter().any(|constraint| !constraint.is_linear).then(|| Self {
            program: program.program.clone(),
            values: program.constraints.iter().map(|of| (of.value, of.is_equality)).collect(),
            settings: settings.to_vec(),
        })
    }

    /// Returns the indices of the constraints that the given values of the fitted parameters violate.
    pub(crate) fn broken(&self, number: impl Fn(usize) -> f64) -> Vec<usize> {
        let values = self.program.evaluate(|input| match input {
            Input::Parameter(n) => number(usize::from(n)),
            Input::Setting(n) => self.settings[usize::from(n)],
            _ => f64::NAN,
        });
        let is_met = |(id, is_equality): &(Id, bool)| {
            let slack = values[id.index()];
            if *is_equality { slack.abs() <= SLACK } else { slack >= -SLACK }
        };
        (0..self.values.len()).filter(|n| !is_met(&self.values[*n])).collect()
    }

    /// Returns whether at least one constraint depends on the fitted value with this index.
    pub(crate) fn has(&self, number: usize) -> bool {
        let roots: Vec<Id> = self.values.iter().map(|(id, _)| *id).collect();
        let own = |id: &Id| {
            let input = Input::Parameter(narrow::<u16>(number));
            matches!(self.program.node(*id), crate::language::Node::Input(of) if of == input)
        };
        self.program.reachable(&roots).iter().any(own)
    }
}

/// The constraints of a model for one stage of the fit, with their derivatives with respect to the unknowns
/// of the stage.
#[derive(Debug, Clone)]
pub(crate) struct CurvedStage {
    /// The operations that compute, for each constraint, its slack and the derivatives of the slack with
    /// respect to all unknowns. The slack must be 0 for an equality, and at least 0 for an inequality.
    schedule: Schedule,
    equalities: Vec<bool>,
}

impl CurvedStage {
    pub(super) fn new(
        program: &ModelProgram,
        protocol: &Protocol,
        settings: &[f64],
        unknowns: &[Unknown],
        length: SeriesLength,
    ) -> Result<Self> {
        let (mut graph, mut roots) = (program.program.clone(), Vec::new());
        for constraint in &program.constraints {
            roots.push(constraint.value);
            roots.extend(program.derivatives(&mut graph, constraint.value, unknowns));
        }
        let schedule = Schedule::of_roots(&graph, &roots, protocol, settings, length)?;
        let equalities = program.constraints.iter().map(|constraint| constraint.is_equality).collect();
        Ok(Self { schedule, equalities })
    }
}

/// Evaluates the constraints of a model for one stage of the fit, in sixteen voxels at once.
pub(super) struct Curves<T: Real> {
    interpreter: Interpreter<T>,
    rows: Vec<CurvedRow<Row<T>>>,
}

impl<T: Real> Curves<T> {
    pub(super) fn new(stage: &CurvedStage, unknowns: usize) -> Self {
        let zero = Lanes::all(0.0);
        let row = |is_equality: &bool| CurvedRow {
            slack: zero,
            derivatives: vec![zero; unknowns],
            is_equality: *is_equality,
        };
        Self {
            interpreter: Interpreter::new(&stage.schedule, 1),
            rows: stage.equalities.iter().map(row).collect(),
        }
    }

    /// Evaluates the slacks of all constraints and the derivatives of these slacks. Returns one row for each
    /// constraint.
    pub(super) fn evaluate(&mut self, numbers: &[Row<T>]) -> &[CurvedRow<Row<T>>] {
        self.interpreter.set_inputs(&[], numbers, &[], &[]);
        self.interpreter.blocks(&[], |of, block| {
            let values = self
                .rows
                .iter_mut()
                .flat_map(|row| std::iter::once(&mut row.slack).chain(&mut row.derivatives));
            values.enumerate().for_each(|(n, value)| *value = of.result(n, &block)[0]);
        });
        &self.rows
    }

    /// Returns by how much a constraint is violated, with the sign of its slack. The result is 0 if the
    /// constraint is satisfied.
    fn missing(&self, constraint: usize) -> Row<T> {
        let CurvedRow { slack, is_equality, .. } = self.rows[constraint];
        if is_equality { slack } else { slack.smaller(Lanes::all(0.0)) }
    }

    /// Projects parameter values back to the constraints, by the shortest path in units of the unknowns'
    /// `scales`. An unknown with a scale of 0 does not move, and no unknown passes its bounds. The result is
    /// above 0 in voxels where the projection failed.
    pub(super) fn bring_back(
        &mut self,
        unknowns: &[Unknown],
        bounds: &[[T; 2]],
        scales: &[Row<T>],
        numbers: &mut [Row<T>],
    ) -> Row<T> {
        let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
        for _ in 0..RETURNS {
            self.evaluate(numbers);
            for constraint in 0..self.rows.len() {
                let mut square = zero;
                for i in 0..unknowns.len() {
                    let scaled = scales[i] * self.rows[constraint].derivatives[i];
                    square = scaled.fma(scaled, square);
                }
                let factor = self.missing(constraint) / square.if_above(zero, square, one);
                let factor = square.if_above(zero, factor, zero);
                for (i, unknown) in unknowns.iter().enumerate() {
                    let Unknown::Number(n) = *unknown else { continue };
                    let [low, high] = bounds[i].map(|bound| Lanes([bound; super::interpreter::WIDTH]));
                    let change = factor * (scales[i] * scales[i]) * self.rows[constraint].derivatives[i];
                    let number = &mut numbers[usize::from(n)];
                    let moved = (*number - change).larger(low).smaller(high);
                    *number = change.size().if_above(zero, moved, *number);
                }
            }
        }
        self.evaluate(numbers);
        let tolerance = if T::NAME == f32::NAME { SINGLE_TOLERANCE } else { TOLERANCE };
        let mut failed = zero;
        for constraint in 0..self.rows.len() {
            let mut size = one;
            for (i, unknown) in unknowns.iter().enumerate() {
                if let Unknown::Number(n) = *unknown {
                    size = size + (self.rows[constraint].derivatives[i] * numbers[usize::from(n)]).size();
                }
            }
            let missing = self.missing(constraint).size();
            failed = missing.if_above(size * Lanes::all(tolerance), one, failed);
            // If the slack of a constraint is NaN, the constraint is not satisfied.
            failed = Lanes::all(f64::MAX).if_reaches(missing, failed, one);
        }
        failed
    }
}

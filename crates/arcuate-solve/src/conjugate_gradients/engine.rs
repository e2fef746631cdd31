//! The iteration, over whoever holds the vectors.

use super::{QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule};
use crate::{Outcome, Real};
use std::time::Instant;

/// Sums over x, the residual r and the right side b after a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    /// ‖r‖².
    pub(super) residual: f64,
    /// xᵀb.
    pub(super) x_right_side: f64,
    /// xᵀr.
    pub(super) x_residual: f64,
    /// ‖x‖².
    pub(super) x_squared: f64,
}

impl From<[f64; 4]> for Sums {
    fn from([residual, x_right_side, x_residual, x_squared]: [f64; 4]) -> Self {
        Self { residual, x_right_side, x_residual, x_squared }
    }
}

/// What holds x, r and the direction p, and does products.
pub(super) trait Engine<T> {
    type Error;

    /// x is where to start, or 0; r = b − (AᵀA + λWᵀW) x, p = r. With the sums ‖b‖².
    fn begin(&mut self, start: Option<&[T]>) -> Result<(f64, Sums), Self::Error>;

    /// x and r go along p as far as the objective falls, and p is turned; nothing where p is no way down: then nothing moves.
    fn step(&mut self) -> Result<Option<Sums>, Self::Error>;

    /// ‖Wx‖².
    fn penalty(&mut self, sums: &Sums) -> Result<f64, Self::Error>;

    /// x.
    fn unknowns(self) -> Result<Vec<T>, Self::Error>;
}

pub(super) fn minimise<T: Real, E: Engine<T>>(
    problem: &QuadraticProblem<'_, T>,
    mut engine: E,
    start: Option<&[T]>,
    rule: &ResidualRule,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> Result<QuadraticSolution<T>, E::Error> {
    let started = Instant::now();
    let before = usize::from(start.is_some());
    let (size, mut sums) = engine.begin(start)?;
    let mut trace = Vec::new();
    let mut outcome = Outcome::IterationLimit;
    for iteration in 0.. {
        let point = QuadraticPoint {
            iteration,
            products: before + iteration,
            // With Nx = b − r, ½xᵀNx − bᵀx + ½‖y‖² is ½(‖y‖² − xᵀb − xᵀr).
            objective: 0.5 * (problem.data_squared - sums.x_right_side - sums.x_residual),
            residual: if sums.residual == 0.0 { 0.0 } else { (sums.residual / size).sqrt() },
            elapsed: started.elapsed(),
        };
        trace.push(point);
        let goes_on = watch(&point);
        if !point.residual.is_finite() {
            outcome = Outcome::PrecisionLimit;
            break;
        }
        let explained = match rule.misfit {
            None => false,
            Some(enough) => {
                let penalty = if problem.lambda == 0.0 { 0.0 } else { engine.penalty(&sums)? };
                2.0 * point.objective - problem.lambda * penalty <= enough
            }
        };
        if point.residual <= rule.tolerance || explained {
            outcome = Outcome::Converged;
            break;
        }
        if !goes_on || iteration == rule.iterations {
            break;
        }
        let Some(after) = engine.step()? else {
            outcome = Outcome::PrecisionLimit;
            break;
        };
        sums = after;
    }
    let last = trace.last().copied().expect("the start is noted");
    let penalty = engine.penalty(&sums)?;
    Ok(QuadraticSolution {
        objective: last.objective,
        residual: last.residual,
        misfit: 2.0 * last.objective - problem.lambda * penalty,
        penalty,
        unknowns: engine.unknowns()?,
        outcome,
        trace,
    })
}

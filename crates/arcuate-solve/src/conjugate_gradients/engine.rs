//! The iteration of the method of conjugate gradients, in a form that does not depend on the device.

use super::misfit::Progress;
use super::sums::Sums;
use super::{QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule};
use crate::{Outcome, Real};
use std::time::Instant;

/// The vectors of the method of conjugate gradients on a device: the unknowns x, the residual r and the
/// search direction p. The device also computes the products with the operator.
pub(super) trait Engine<T> {
    type Error;

    /// Sets x to `start`, or to 0 if there is no `start`. Sets the residual r = b − (AᵀA + λWᵀW) x and the
    /// search direction p = r. Returns ‖b‖² for the right side b, and the sums over these vectors.
    fn begin(&mut self, start: Option<&[T]>) -> Result<(f64, Sums), Self::Error>;

    /// Moves x along the search direction p to the minimum of the objective, and updates the residual r and
    /// p. If the objective does not decrease along p, returns `None` and changes nothing.
    fn step(&mut self) -> Result<Option<Sums>, Self::Error>;

    /// Returns the penalty ‖Wx‖² (without λ).
    fn penalty(&mut self, sums: &Sums) -> Result<f64, Self::Error>;

    /// Returns a copy of the unknowns x.
    fn copy(&self) -> Result<Vec<T>, Self::Error>;

    /// Returns the unknowns x.
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
    let mut progress = Progress::begin(problem, start.is_some(), &sums);
    let mut outcome = Outcome::IterationLimit;
    for iteration in 0.. {
        let point = QuadraticPoint {
            iteration,
            products: before + iteration,
            objective: progress.objective(),
            residual: if sums.residual == 0.0 { 0.0 } else { (sums.residual / size).sqrt() },
            elapsed: started.elapsed(),
        };
        progress.trace.push(point);
        let continues = watch(&point);
        if !point.residual.is_finite() {
            outcome = Outcome::PrecisionLimit;
            break;
        }
        let explained = match rule.misfit {
            None => false,
            Some(enough) => {
                let penalty = if problem.lambda == 0.0 { 0.0 } else { engine.penalty(&sums)? };
                progress.explains(enough, penalty, || engine.copy())?
            }
        };
        if point.residual <= rule.tolerance || explained {
            outcome = Outcome::Converged;
            break;
        }
        if !continues || iteration == rule.iterations {
            break;
        }
        let Some(after) = engine.step()? else {
            outcome = Outcome::PrecisionLimit;
            break;
        };
        sums = after;
        progress.advance(&sums);
    }
    let residual = progress.trace.last().map_or(f64::NAN, |point| point.residual);
    let penalty = engine.penalty(&sums)?;
    // The vectors on the device are freed before the misfit is computed, because the product with the
    // operator may need their memory.
    let unknowns = engine.unknowns()?;
    let misfit = progress.finish(penalty, &unknowns);
    Ok(QuadraticSolution {
        objective: progress.objective(),
        residual,
        misfit: misfit.value,
        misfit_resolution: misfit.resolution,
        penalty,
        unknowns,
        outcome,
        trace: progress.trace,
    })
}

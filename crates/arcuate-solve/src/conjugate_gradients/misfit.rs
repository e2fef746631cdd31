//! Computes the objective and the misfit ‖y − Ax‖², during the iteration of conjugate gradients and at its
//! end.
//!
//! A step of length α decreases ‖y − Ax‖² + λ‖Wx‖² by α‖r‖², with the residual r of the normal equations. The
//! objective is therefore known without a product with A. However, it is computed as a difference of numbers
//! that are as large as ‖y‖². If the model explains most of the data, this difference consists only of
//! rounding errors. In that case, the misfit is computed from the residual y − Ax, which needs one product
//! with A.

use super::sums::Sums;
use super::{QuadraticPoint, QuadraticProblem};
use crate::{Real, vector};

/// Estimated rounding error of a difference of sums. Its unit is the machine precision times the largest of
/// the sums. It includes the rounding errors of Aᵀy, of products with AᵀA and of the recurrence.
const DIFFERENCE: f64 = 64.0;
/// Estimated rounding error of a product Ax. Its unit is the machine precision times ‖y‖. Exact Fourier sums
/// on a GPU have errors of up to 10 in this unit.
const PRODUCT: f64 = 16.0;
/// Minimum ratio of a difference of sums to its rounding error. If the ratio is larger, four digits of the
/// difference are correct, and it is used as the misfit.
const CLEAR: f64 = 1e4;

/// A misfit ‖y − Ax‖² and its resolution. A misfit below the resolution would be rounding error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Misfit {
    pub(super) value: f64,
    pub(super) resolution: f64,
}

/// The objective during the iteration of conjugate gradients, and the value from which it was computed.
pub(super) struct Progress<'p, 'a, T> {
    problem: &'p QuadraticProblem<'a, T>,
    /// The current value of ‖y − Ax‖² + λ‖Wx‖², which is twice the objective.
    twice: f64,
    /// The value of ‖y − Ax‖² + λ‖Wx‖² from which the decreases of all steps were subtracted. The rounding
    /// errors of the current value are proportional to it.
    from: f64,
    /// The iteration history, beginning with the start.
    pub(super) trace: Vec<QuadraticPoint>,
}

impl<'p, 'a, T: Real> Progress<'p, 'a, T> {
    pub(super) fn begin(problem: &'p QuadraticProblem<'a, T>, has_start: bool, sums: &Sums) -> Self {
        let all = problem.data_squared;
        // The normal equations have the matrix N and the right side b. If Nx = b − r, the expression
        // xᵀNx − 2bᵀx + ‖y‖² equals ‖y‖² − xᵀb − xᵀr.
        let twice = if has_start { all - sums.x_right_side - sums.x_residual } else { all };
        Self { problem, twice, from: all, trace: Vec::new() }
    }

    /// Updates the objective after a step.
    pub(super) fn advance(&mut self, sums: &Sums) {
        self.twice -= sums.decrease;
    }

    /// Returns the objective ½‖y − Ax‖² + ½λ‖Wx‖².
    pub(super) fn objective(&self) -> f64 {
        0.5 * self.twice
    }

    /// Returns true if the misfit ‖y − Ax‖² is at most `enough`. `penalty` is ‖Wx‖². If rounding errors could
    /// change the answer, the misfit is computed by a product of A with `x`.
    pub(super) fn explains<E>(
        &mut self,
        enough: f64,
        penalty: f64,
        x: impl FnOnce() -> Result<Vec<T>, E>,
    ) -> Result<bool, E> {
        let rounding = self.rounding();
        let misfit = self.difference(penalty);
        let Some(data) = self.problem.data else { return Ok(misfit <= enough) };
        if misfit > enough + rounding || enough > CLEAR * rounding {
            return Ok(misfit <= enough);
        }
        Ok(self.measure(data, penalty, &x()?) <= enough)
    }

    /// Computes the misfit ‖y − Ax‖² of the final x, and corrects the objectives in the iteration history.
    /// `penalty` is ‖Wx‖².
    pub(super) fn finish(&mut self, penalty: f64, x: &[T]) -> Misfit {
        let (misfit, rounding) = (self.difference(penalty), self.rounding());
        let from_steps = Misfit { value: misfit, resolution: rounding };
        let Some(data) = self.problem.data else { return from_steps };
        if misfit > CLEAR * rounding {
            return from_steps;
        }
        let unit = PRODUCT * T::epsilon().double();
        let resolution = unit * unit * self.problem.data_squared;
        Misfit { value: self.measure(data, penalty, x), resolution }
    }

    /// Returns the misfit ‖y − Ax‖², computed from the decreases of the objective in all steps.
    fn difference(&self, penalty: f64) -> f64 {
        self.twice - self.weighted(penalty)
    }

    /// Returns the weighted penalty λ‖Wx‖².
    fn weighted(&self, penalty: f64) -> f64 {
        if self.problem.lambda == 0.0 { 0.0 } else { self.problem.lambda * penalty }
    }

    /// Returns the maximum rounding error of the misfit ‖y − Ax‖² if it is computed from the decreases of the
    /// objective.
    fn rounding(&self) -> f64 {
        DIFFERENCE * T::epsilon().double() * self.from
    }

    /// Computes the misfit ‖y − Ax‖² between `data` (y) and a product of A with x.
    fn measure(&mut self, data: &[T], penalty: f64, x: &[T]) -> f64 {
        let mut image = vec![T::zero(); data.len()];
        self.problem.operator.forward(x, &mut image);
        vector::subtract(&mut image, data);
        let misfit = vector::norm_squared(&image);
        let twice = misfit + self.weighted(penalty);
        let correction = 0.5 * (twice - self.twice);
        self.trace.iter_mut().for_each(|point| point.objective += correction);
        (self.twice, self.from) = (twice, twice);
        misfit
    }
}

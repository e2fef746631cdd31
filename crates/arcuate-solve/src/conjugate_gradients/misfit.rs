//! The objective and the misfit ‖y − Ax‖² while the iteration runs and at its end.
//!
//! A step of length α decreases ‖y − Ax‖² + λ‖Wx‖² by α‖r‖², so that the objective is known without a product with A. It is a
//! difference of numbers as large as ‖y‖², however: what is left of them when most of the data are explained is their rounding.
//! Where that matters the misfit is the norm of the residual y − Ax itself, which costs one product with A.

use super::sums::Sums;
use super::{QuadraticPoint, QuadraticProblem};
use crate::{Real, vector};

/// Rounding of a difference of sums, in units of the precision times the largest of them: of Aᵀy, of AᵀA and of the recurrence.
const DIFFERENCE: f64 = 64.0;
/// Rounding of a product Ax in units of the precision times ‖y‖: exact Fourier sums of a GPU have up to 10 of them.
const PRODUCT: f64 = 16.0;
/// How many times larger than its rounding a difference is that stands for the misfit: four digits are then right.
const CLEAR: f64 = 1e4;

/// A misfit, and the size below which it would be nothing but rounding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Misfit {
    pub(super) value: f64,
    pub(super) resolution: f64,
}

/// How far the iteration is.
pub(super) struct Progress<'p, 'a, T> {
    problem: &'p QuadraticProblem<'a, T>,
    /// ‖y − Ax‖² + λ‖Wx‖², as it is known.
    twice: f64,
    /// The number that decreases were subtracted from: their rounding is relative to it.
    from: f64,
    /// Every iteration, the start first.
    pub(super) trace: Vec<QuadraticPoint>,
}

impl<'p, 'a, T: Real> Progress<'p, 'a, T> {
    pub(super) fn begin(problem: &'p QuadraticProblem<'a, T>, has_start: bool, sums: &Sums) -> Self {
        let all = problem.data_squared;
        // With Nx = b − r, xᵀNx − 2bᵀx + ‖y‖² is ‖y‖² − xᵀb − xᵀr.
        let twice = if has_start { all - sums.x_right_side - sums.x_residual } else { all };
        Self { problem, twice, from: all, trace: Vec::new() }
    }

    /// Goes on by a step.
    pub(super) fn advance(&mut self, sums: &Sums) {
        self.twice -= sums.decrease;
    }

    /// ½‖y − Ax‖² + ½λ‖Wx‖².
    pub(super) fn objective(&self) -> f64 {
        0.5 * self.twice
    }

    /// Whether ‖y − Ax‖² is at most `enough`, with ‖Wx‖² = `penalty`. Where rounding could decide, the product with `x` does.
    pub(super) fn explains<E>(
        &mut self,
        enough: f64,
        penalty: f64,
        x: impl FnOnce() -> Result<Vec<T>, E>,
    ) -> Result<bool, E> {
        let rounding = self.rounding();
        let misfit = self.difference(penalty);
        if self.problem.data.is_none() || misfit > enough + rounding || enough > CLEAR * rounding {
            return Ok(misfit <= enough);
        }
        Ok(self.measure(penalty, &x()?) <= enough)
    }

    /// The misfit of x, with ‖Wx‖² = `penalty`; objectives are corrected by it.
    pub(super) fn finish(&mut self, penalty: f64, x: &[T]) -> Misfit {
        let (misfit, rounding) = (self.difference(penalty), self.rounding());
        if self.problem.data.is_none() || misfit > CLEAR * rounding {
            return Misfit { value: misfit, resolution: rounding };
        }
        let unit = PRODUCT * T::epsilon().double();
        let resolution = unit * unit * self.problem.data_squared;
        Misfit { value: self.measure(penalty, x), resolution }
    }

    /// ‖y − Ax‖² by what the steps decreased it.
    fn difference(&self, penalty: f64) -> f64 {
        self.twice - self.weighted(penalty)
    }

    /// λ‖Wx‖².
    fn weighted(&self, penalty: f64) -> f64 {
        if self.problem.lambda == 0.0 { 0.0 } else { self.problem.lambda * penalty }
    }

    /// By how much a difference may be wrong.
    fn rounding(&self) -> f64 {
        DIFFERENCE * T::epsilon().double() * self.from
    }

    /// ‖y − Ax‖² by a product with A.
    ///
    /// # Panics
    /// If the problem has no data.
    fn measure(&mut self, penalty: f64, x: &[T]) -> f64 {
        let data = self.problem.data.expect("data of the problem");
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

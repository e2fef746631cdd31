//! Least squares with a quadratic penalty by conjugate gradients, and how much of the penalty to take.

mod choice;
mod cpu;
mod cuda;
mod engine;
mod kernels;
#[cfg(test)]
mod tests;

pub use choice::{CurvePoint, DISCREPANCY_SOLVES, PenaltyChoice, by_discrepancy, by_l_curve};
pub use cuda::gradients_bytes;

use crate::{LinearOperator, Outcome, Real, vector};
use cpu::CpuEngine;
use cuda::CudaEngine;
use engine::minimise;
use std::sync::OnceLock;
use std::time::Duration;

/// The problem min ½‖y − Ax‖² + ½λ‖Wx‖², by its normal equations (AᵀA + λWᵀW) x = Aᵀy. Complex vectors are interleaved
/// reals.
pub struct QuadraticProblem<'a, T> {
    operator: &'a dyn LinearOperator<T>,
    /// y, where Aᵀy was not given.
    data: Option<&'a [T]>,
    /// Aᵀy, once the host asks for it.
    right_side: OnceLock<Vec<T>>,
    /// ‖y‖².
    data_squared: f64,
    penalty: Option<&'a dyn LinearOperator<T>>,
    lambda: f64,
}

impl<T> Clone for QuadraticProblem<'_, T>
where
    T: Clone,
{
    fn clone(&self) -> Self {
        Self {
            operator: self.operator,
            data: self.data,
            right_side: self.right_side.clone(),
            data_squared: self.data_squared,
            penalty: self.penalty,
            lambda: self.lambda,
        }
    }
}

impl<'a, T: Real> QuadraticProblem<'a, T> {
    /// Of A and y, without penalty. One product with Aᵀ, when it is first needed; one more where a GPU makes it for itself and the
    /// host asks for it later.
    ///
    /// # Panics
    /// Where `data` does not have the operator's number of rows.
    pub fn new(operator: &'a dyn LinearOperator<T>, data: &'a [T]) -> Self {
        assert_eq!(data.len(), operator.rows(), "data and operator do not fit");
        let data_squared = vector::norm_squared(data);
        let right_side = OnceLock::new();
        Self { operator, data: Some(data), right_side, data_squared, penalty: None, lambda: 0.0 }
    }

    /// Of A, Aᵀy and ‖y‖² that are there already, without penalty.
    ///
    /// # Panics
    /// Where the right side does not have the operator's number of columns.
    pub fn from_right_side(
        operator: &'a dyn LinearOperator<T>,
        right_side: Vec<T>,
        data_squared: f64,
    ) -> Self {
        assert_eq!(right_side.len(), operator.columns(), "right side and operator do not fit");
        let right_side = OnceLock::from(right_side);
        Self { operator, data: None, right_side, data_squared, penalty: None, lambda: 0.0 }
    }

    /// The same with λ and W; without W it is the identity.
    ///
    /// # Panics
    /// Where λ is negative or not finite, or W does not have as many columns as A.
    #[must_use]
    pub fn with_penalty(self, lambda: f64, penalty: Option<&'a dyn LinearOperator<T>>) -> Self {
        assert!(lambda >= 0.0 && lambda.is_finite(), "a penalty is a number of 0 or more");
        let columns = penalty.map_or(self.operator.columns(), LinearOperator::columns);
        assert_eq!(columns, self.operator.columns(), "penalty and operator do not fit");
        Self { penalty, lambda, ..self }
    }

    /// The same with another λ.
    ///
    /// # Panics
    /// Where λ is negative or not finite.
    #[must_use]
    pub fn with_lambda(self, lambda: f64) -> Self {
        let penalty = self.penalty;
        self.with_penalty(lambda, penalty)
    }

    /// Aᵀy.
    pub fn right_side(&self) -> &[T] {
        self.right_side.get_or_init(|| {
            let mut right_side = vec![T::zero(); self.operator.columns()];
            self.operator.adjoint(self.data.unwrap_or_default(), &mut right_side);
            right_side
        })
    }

    fn unknowns(&self) -> usize {
        self.operator.columns()
    }

    /// ‖y‖².
    pub fn data_squared(&self) -> f64 {
        self.data_squared
    }

    /// out = (AᵀA + λWᵀW) x; `scratch` is as long as x.
    fn apply(&self, x: &[T], out: &mut [T], scratch: &mut [T]) {
        self.operator.normal(x, out);
        if self.lambda == 0.0 {
            return;
        }
        match self.penalty {
            None => vector::add_multiple(out, self.lambda, x),
            Some(penalty) => {
                penalty.normal(x, scratch);
                vector::add_multiple(out, self.lambda, scratch);
            }
        }
    }

    /// ‖Wx‖².
    fn penalty_of(&self, x: &[T]) -> f64 {
        match self.penalty {
            None => vector::norm_squared(x),
            Some(penalty) => {
                let mut image = vec![T::zero(); penalty.rows()];
                penalty.forward(x, &mut image);
                vector::norm_squared(&image)
            }
        }
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResidualRule {
    /// Stop when the residual of the normal equations has fallen to this fraction of the right side:
    /// ‖Aᵀy − (AᵀA + λWᵀW) x‖ ≤ tolerance · ‖Aᵀy‖.
    pub tolerance: f64,
    /// Stop when the data are explained to ‖y − Ax‖² ≤ this, as by their noise alone (Morozov's discrepancy principle): what
    /// further iterations fit is noise.
    pub misfit: Option<f64>,
    /// Stop after this many iterations in any case.
    pub iterations: usize,
}

impl Default for ResidualRule {
    fn default() -> Self {
        Self { tolerance: 1e-4, misfit: None, iterations: 100 }
    }
}

/// A minimiser, as far as it was taken.
#[derive(Debug, Clone)]
pub struct QuadraticSolution<T> {
    /// x.
    pub unknowns: Vec<T>,
    /// ½‖y − Ax‖² + ½λ‖Wx‖².
    pub objective: f64,
    /// ‖Aᵀy − (AᵀA + λWᵀW) x‖ / ‖Aᵀy‖.
    pub residual: f64,
    /// ‖y − Ax‖², from products with AᵀA: within rounding of ‖y‖².
    pub misfit: f64,
    /// ‖Wx‖².
    pub penalty: f64,
    /// Why the solver stopped: [`Outcome::Converged`] where the tolerance or the misfit was reached.
    pub outcome: Outcome,
    /// One entry per iteration, the start first.
    pub trace: Vec<QuadraticPoint>,
}

/// One iteration of [`conjugate_gradients`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuadraticPoint {
    /// Iterations done.
    pub iteration: usize,
    /// Products with AᵀA done.
    pub products: usize,
    /// ½‖y − Ax‖² + ½λ‖Wx‖².
    pub objective: f64,
    /// ‖Aᵀy − (AᵀA + λWᵀW) x‖ / ‖Aᵀy‖.
    pub residual: f64,
    /// Time since the start.
    pub elapsed: Duration,
}

/// Conjugate gradients on the normal equations (Hestenes and Stiefel 1952, doi:10.6028/jres.049.044), with the operator's own
/// `normal`: one product with AᵀA an iteration, none with A or Aᵀ.
///
/// Where the problem's operator and its penalty have their `normal` on a GPU, all vectors stay there; where that fails, it is done
/// again on the processor, with one warning, and `watch` sees it from its start.
///
/// Vectors are in the precision `T`, sums in double precision. The objective falls with every iteration; where rounding
/// lets it fall no further, or curvature is lost, the solver ends with [`Outcome::PrecisionLimit`]. `watch` sees every
/// iteration, the start and the last one too; where it returns `false` the solver stops as at its iteration limit.
///
/// # Panics
/// Where `start` does not have the operator's number of columns.
pub fn conjugate_gradients<T: Real>(
    problem: &QuadraticProblem<'_, T>,
    start: Option<&[T]>,
    rule: &ResidualRule,
    mut watch: impl FnMut(&QuadraticPoint) -> bool,
) -> QuadraticSolution<T> {
    let penalty_is_there = problem.penalty.is_none_or(|penalty| penalty.device_normal().is_some());
    if let Some(operator) = problem.operator.device_normal().filter(|_| penalty_is_there) {
        let on_gpu = CudaEngine::new(problem, operator);
        match on_gpu.and_then(|engine| minimise(problem, engine, start, rule, &mut watch)) {
            Ok(solution) => return solution,
            Err(error) => operator.retreat(&error),
        }
    }
    let Ok(solution) = minimise(problem, CpuEngine::new(problem), start, rule, &mut watch);
    solution
}

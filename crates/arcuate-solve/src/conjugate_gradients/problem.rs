//! The problem, the stopping rule, and the solution.

use crate::{LinearOperator, Outcome, Real, vector};
use std::sync::OnceLock;
use std::time::Duration;

/// The problem min ½‖y − Ax‖² + ½λ‖Wx‖², by its normal equations (AᵀA + λWᵀW) x = Aᵀy. Complex vectors are interleaved
/// reals.
pub struct QuadraticProblem<'a, T> {
    pub(super) operator: &'a dyn LinearOperator<T>,
    /// y, unless Aᵀy was given.
    pub(super) data: Option<&'a [T]>,
    /// Aᵀy, once the host needs it.
    pub(super) right_side: OnceLock<Vec<T>>,
    /// ‖y‖².
    pub(super) data_squared: f64,
    pub(super) penalty: Option<&'a dyn LinearOperator<T>>,
    pub(super) lambda: f64,
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
    /// Creates a problem from A and y, without penalty. It computes one product with Aᵀ when first needed,
    /// and another one if a GPU computes it for itself and the host needs it later.
    ///
    /// # Panics
    /// Panics if `data` does not have the operator's number of rows.
    pub fn new(operator: &'a dyn LinearOperator<T>, data: &'a [T]) -> Self {
        assert_eq!(data.len(), operator.rows(), "data and operator do not fit");
        let data_squared = vector::norm_squared(data);
        let right_side = OnceLock::new();
        Self { operator, data: Some(data), right_side, data_squared, penalty: None, lambda: 0.0 }
    }

    /// Creates a problem from A, Aᵀy and ‖y‖², without penalty.
    ///
    /// # Panics
    /// Panics if the right side does not have the operator's number of columns.
    pub fn from_right_side(
        operator: &'a dyn LinearOperator<T>,
        right_side: Vec<T>,
        data_squared: f64,
    ) -> Self {
        assert_eq!(right_side.len(), operator.columns(), "right side and operator do not fit");
        let right_side = OnceLock::from(right_side);
        Self { operator, data: None, right_side, data_squared, penalty: None, lambda: 0.0 }
    }

    /// Adds a penalty with λ and W; without W it is the identity.
    ///
    /// # Panics
    /// Panics if λ is negative or not finite, or if W does not have as many columns as A.
    #[must_use]
    pub fn with_penalty(self, lambda: f64, penalty: Option<&'a dyn LinearOperator<T>>) -> Self {
        assert!(lambda >= 0.0 && lambda.is_finite(), "a penalty is a number of 0 or more");
        let columns = penalty.map_or(self.operator.columns(), LinearOperator::columns);
        assert_eq!(columns, self.operator.columns(), "penalty and operator do not fit");
        Self { penalty, lambda, ..self }
    }

    /// Changes λ.
    ///
    /// # Panics
    /// Panics if λ is negative or not finite.
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

    pub(super) fn unknowns(&self) -> usize {
        self.operator.columns()
    }

    /// ‖y‖².
    pub fn data_squared(&self) -> f64 {
        self.data_squared
    }

    /// out = (AᵀA + λWᵀW) x; `scratch` is as long as x.
    pub(super) fn apply(&self, x: &[T], out: &mut [T], scratch: &mut [T]) {
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
    pub(super) fn penalty_of(&self, x: &[T]) -> f64 {
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

/// The stopping rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResidualRule {
    /// Stop when the residual of the normal equations has fallen to this fraction of the right side:
    /// ‖Aᵀy − (AᵀA + λWᵀW) x‖ ≤ tolerance · ‖Aᵀy‖.
    pub tolerance: f64,
    /// Stop if ‖y − Ax‖² is at most this, the noise of the data (Morozov's discrepancy principle). Further
    /// iterations would fit noise.
    pub misfit: Option<f64>,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl Default for ResidualRule {
    fn default() -> Self {
        Self { tolerance: 1e-4, misfit: None, iterations: 100 }
    }
}

/// The approximate minimiser.
#[derive(Debug, Clone)]
pub struct QuadraticSolution<T> {
    /// x.
    pub unknowns: Vec<T>,
    /// ½‖y − Ax‖² + ½λ‖Wx‖².
    pub objective: f64,
    /// ‖Aᵀy − (AᵀA + λWᵀW) x‖ / ‖Aᵀy‖.
    pub residual: f64,
    /// ‖y − Ax‖². It is computed from the residual y − Ax by one product with A, unless the decrease of the
    /// objective gives four digits. Without data ([`QuadraticProblem::from_right_side`]) it is always that
    /// decrease.
    pub misfit: f64,
    /// Resolution of the misfit: a smaller value is rounding error and only an upper bound. It is about
    /// (2e-6)² ‖y‖² in single precision and (4e-15)² ‖y‖² in double precision.
    pub misfit_resolution: f64,
    /// ‖Wx‖².
    pub penalty: f64,
    /// The reason for stopping: [`Outcome::Converged`] if the tolerance or the misfit was reached.
    pub outcome: Outcome,
    /// One entry per iteration, beginning with the start.
    pub trace: Vec<QuadraticPoint>,
}

/// One iteration of [`conjugate_gradients`](super::conjugate_gradients).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuadraticPoint {
    /// Iterations done.
    pub iteration: usize,
    /// Products with AᵀA done.
    pub products: usize,
    /// ½‖y − Ax‖² + ½λ‖Wx‖². During the iteration its rounding error is relative to ½‖y‖²; in the trace of a
    /// solution it is corrected by the [misfit](QuadraticSolution::misfit).
    pub objective: f64,
    /// ‖Aᵀy − (AᵀA + λWᵀW) x‖ / ‖Aᵀy‖.
    pub residual: f64,
    /// Time since the start.
    pub elapsed: Duration,
}

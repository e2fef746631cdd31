//! A least squares problem with a quadratic penalty, the rule that stops the solver, and the solution.

use crate::{LinearOperator, Outcome, Real, SolverOperator, vector};
use std::sync::OnceLock;
use std::time::Duration;

/// The problem min ½‖y − Ax‖² + ½λ‖Wx‖², which is solved by its normal equations (AᵀA + λWᵀW) x = Aᵀy.
/// Complex vectors are stored as real numbers (real part, imaginary part, …).
pub struct QuadraticProblem<'a, T> {
    pub(super) operator: &'a dyn SolverOperator<T>,
    /// The data y. `None` if the problem was created from Aᵀy instead of y.
    pub(super) data: Option<&'a [T]>,
    /// The right side Aᵀy of the normal equations in CPU memory. It is computed when the CPU first needs it.
    pub(super) right_side: OnceLock<Vec<T>>,
    /// The squared norm ‖y‖² of the data.
    pub(super) data_squared: f64,
    pub(super) penalty: Option<&'a dyn SolverOperator<T>>,
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
    /// Creates a problem from A and y, without a penalty. The product Aᵀy is computed when it is first
    /// needed. If a GPU has computed it in its own memory and the CPU needs it later, it is computed again.
    ///
    /// # Panics
    ///
    /// Panics if `data` does not have one element per row of the operator.
    pub fn new(operator: &'a dyn SolverOperator<T>, data: &'a [T]) -> Self {
        assert_eq!(data.len(), operator.rows(), "data and operator do not fit");
        let data_squared = vector::norm_squared(data);
        let right_side = OnceLock::new();
        Self { operator, data: Some(data), right_side, data_squared, penalty: None, lambda: 0.0 }
    }

    /// Creates a problem from A, Aᵀy and ‖y‖² instead of y, without a penalty.
    ///
    /// # Panics
    ///
    /// Panics if the right side Aᵀy does not have one element per column of the operator.
    pub fn from_right_side(
        operator: &'a dyn SolverOperator<T>,
        right_side: Vec<T>,
        data_squared: f64,
    ) -> Self {
        assert_eq!(right_side.len(), operator.columns(), "right side and operator do not fit");
        let right_side = OnceLock::from(right_side);
        Self { operator, data: None, right_side, data_squared, penalty: None, lambda: 0.0 }
    }

    /// Adds the penalty ½λ‖Wx‖² with the weight λ and the operator W. If W is `None`, it is the identity.
    ///
    /// # Panics
    ///
    /// Panics if λ is negative or not finite, or if W and A have different numbers of columns.
    #[must_use]
    pub fn with_penalty(self, lambda: f64, penalty: Option<&'a dyn SolverOperator<T>>) -> Self {
        assert!(lambda >= 0.0 && lambda.is_finite(), "a penalty is a number of 0 or more");
        let columns = penalty.map_or(self.operator.columns(), LinearOperator::columns);
        assert_eq!(columns, self.operator.columns(), "penalty and operator do not fit");
        Self { penalty, lambda, ..self }
    }

    /// Changes the weight λ of the penalty.
    ///
    /// # Panics
    ///
    /// Panics if λ is negative or not finite.
    #[must_use]
    pub fn with_lambda(self, lambda: f64) -> Self {
        let penalty = self.penalty;
        self.with_penalty(lambda, penalty)
    }

    /// Returns the right side Aᵀy of the normal equations.
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

    /// Returns the squared norm ‖y‖² of the data.
    pub fn data_squared(&self) -> f64 {
        self.data_squared
    }
}

/// The stopping rule of conjugate gradients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResidualRule {
    /// Relative tolerance. The solver stops if the residual of the normal equations is small compared with
    /// their right side: ‖Aᵀy − (AᵀA + λWᵀW) x‖ ≤ tolerance · ‖Aᵀy‖.
    pub tolerance: f64,
    /// The misfit ‖y − Ax‖² that the noise of the data causes. If the misfit of x is at most this value, the
    /// solver stops (Morozov's discrepancy principle), because further iterations would fit noise.
    pub misfit: Option<f64>,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl Default for ResidualRule {
    fn default() -> Self {
        Self { tolerance: 1e-4, misfit: None, iterations: 100 }
    }
}

/// The approximate minimiser, the reason for stopping, and the iteration history.
#[derive(Debug, Clone)]
pub struct QuadraticSolution<T> {
    /// The unknowns x at the end.
    pub unknowns: Vec<T>,
    /// The objective ½‖y − Ax‖² + ½λ‖Wx‖².
    pub objective: f64,
    /// The norm of the residual of the normal equations, divided by the norm of their right side: ‖Aᵀy −
    /// (AᵀA + λWᵀW) x‖ / ‖Aᵀy‖.
    pub residual: f64,
    /// The misfit ‖y − Ax‖². If the decreases of the objective give four digits of the misfit, it is computed
    /// from them. If not, it is computed from the residual y − Ax by one product with A. If the problem has
    /// no data ([`QuadraticProblem::from_right_side`]), it is always computed from the decreases.
    pub misfit: f64,
    /// Resolution of the misfit. If the misfit is below the resolution, it consists of rounding errors, and
    /// is only an upper bound of the true misfit. The resolution is about (2e-6)² ‖y‖² in single precision
    /// and (4e-15)² ‖y‖² in double precision.
    pub misfit_resolution: f64,
    /// The penalty ‖Wx‖² (without λ).
    pub penalty: f64,
    /// The reason for stopping. It is [`Outcome::Converged`] if the solver reached the tolerance, or the
    /// misfit that the noise causes.
    pub outcome: Outcome,
    /// The iteration history: one entry per iteration, beginning with the start.
    pub trace: Vec<QuadraticPoint>,
}

/// One iteration of [`conjugate_gradients`](super::conjugate_gradients).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuadraticPoint {
    /// Number of iterations so far.
    pub iteration: usize,
    /// Number of products with AᵀA so far.
    pub products: usize,
    /// The objective ½‖y − Ax‖² + ½λ‖Wx‖². During the iteration, its rounding error is proportional to ½‖y‖².
    /// In the history of a returned solution, the error is corrected with the
    /// [misfit](QuadraticSolution::misfit).
    pub objective: f64,
    /// The norm of the residual of the normal equations, divided by the norm of their right side: ‖Aᵀy −
    /// (AᵀA + λWᵀW) x‖ / ‖Aᵀy‖.
    pub residual: f64,
    /// Time since the start of the solver.
    pub elapsed: Duration,
}

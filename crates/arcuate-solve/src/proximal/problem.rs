//! The problem, the stopping rule, and the solution.

use super::regulariser::Regulariser;
use crate::{LinearOperator, Outcome, Real};
use std::time::Duration;

/// The problem min ½‖y − Ax‖² + Σ_i λ_i |x_i| + Σ_g λ_g ‖x_g‖₂, optionally over x ≥ 0.
pub struct ProximalProblem<'a, T> {
    pub(crate) operator: &'a dyn LinearOperator<T>,
    pub(crate) data: &'a [T],
    pub(crate) regulariser: &'a Regulariser,
    /// Unknowns that stay 0.
    pub(crate) fixed: Option<&'a [bool]>,
}

impl<T> Clone for ProximalProblem<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ProximalProblem<'_, T> {}

impl<'a, T: Real> ProximalProblem<'a, T> {
    /// Creates a problem from A, y and R.
    ///
    /// # Panics
    /// Panics if `data` does not have the operator's number of rows, or `regulariser` its number of columns.
    pub fn new(operator: &'a dyn LinearOperator<T>, data: &'a [T], regulariser: &'a Regulariser) -> Self {
        assert_eq!(data.len(), operator.rows(), "data and operator do not fit");
        assert_eq!(regulariser.columns(), operator.columns(), "regulariser and operator do not fit");
        Self { operator, data, regulariser, fixed: None }
    }

    /// Holds the unknowns whose flag is set at 0.
    ///
    /// # Panics
    /// Panics unless there is one flag for each unknown.
    #[must_use]
    pub fn with_fixed(self, fixed: &'a [bool]) -> Self {
        assert_eq!(fixed.len(), self.operator.columns(), "flags and operator do not fit");
        Self { fixed: Some(fixed), ..self }
    }
}

/// The stopping rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GapRule {
    /// Stop when the [`DualityGap`](super::DualityGap) is at most this fraction of the objective (or of its
    /// rounding at x = 0, if the data are explained to the last digit). Single precision can reach about 10⁻⁷
    /// of ½‖y‖², which may be more than this. The solver then stops with [`Outcome::PrecisionLimit`] and
    /// reports its gap; the objective is much closer to the minimum than the gap. `None`: use the gradient
    /// mapping.
    pub gap: Option<f64>,
    /// If no gap is requested or available: stop when the gradient mapping ‖x − prox(x − t∇f(x))‖ / t is at
    /// most this fraction of its value at x = 0.
    pub gradient_mapping: f64,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl Default for GapRule {
    fn default() -> Self {
        Self { gap: Some(1e-5), gradient_mapping: 1e-6, iterations: 5000 }
    }
}

/// The approximate minimiser.
#[derive(Debug, Clone)]
pub struct ProximalSolution<T> {
    /// The unknowns.
    pub weights: Vec<T>,
    /// ½‖y − Ax‖² + R(x).
    pub objective: f64,
    /// Upper bound of the objective minus the minimum, if available ([`DualityGap`](super::DualityGap)).
    pub duality_gap: Option<f64>,
    /// ‖x − prox(x − t∇f(x))‖ / t for the last step length t, divided by its value at x = 0; 0 at the
    /// optimum.
    pub gradient_mapping: f64,
    /// The reason why the solver stopped.
    pub outcome: Outcome,
    /// One entry per iteration, beginning with the start.
    pub trace: Vec<ProximalPoint>,
}

/// One iteration of [`fista`](super::fista).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProximalPoint {
    /// Iterations done.
    pub iteration: usize,
    /// Products with A or Aᵀ done.
    pub products: usize,
    /// ½‖y − Ax‖² + R(x).
    pub objective: f64,
    /// The duality gap, if this iteration computed it and it is available.
    pub gap: Option<f64>,
    /// The gradient mapping divided by that at x = 0, if this iteration computed it.
    pub gradient_mapping: Option<f64>,
    /// Step length t of the next trial.
    pub step: f64,
    /// Number of non-zero unknowns.
    pub support: usize,
    /// Whether the momentum was reset in this iteration.
    pub restarted: bool,
    /// Time since the start.
    pub elapsed: Duration,
}

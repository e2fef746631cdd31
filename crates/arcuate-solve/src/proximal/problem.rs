//! The penalised least squares problem, the stopping rule, and the solution.

use super::regulariser::Regulariser;
use crate::{LinearOperator, Outcome, Real};
use std::time::Duration;

/// The problem min ½‖y − Ax‖² + Σ_i λ_i |x_i| + Σ_g λ_g ‖x_g‖₂, optionally over x ≥ 0.
pub struct ProximalProblem<'a, T> {
    pub(crate) operator: &'a dyn LinearOperator<T>,
    pub(crate) data: &'a [T],
    pub(crate) regulariser: &'a Regulariser,
    /// Flags of the unknowns that stay 0.
    pub(crate) fixed: Option<&'a [bool]>,
}

impl<T> Clone for ProximalProblem<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ProximalProblem<'_, T> {}

impl<'a, T: Real> ProximalProblem<'a, T> {
    /// Creates a problem from the operator A, the data y and the penalty R.
    ///
    /// # Panics
    /// Panics if `data` does not have the operator's number of rows, or `regulariser` its number of columns.
    pub fn new(operator: &'a dyn LinearOperator<T>, data: &'a [T], regulariser: &'a Regulariser) -> Self {
        assert_eq!(data.len(), operator.rows(), "data and operator do not fit");
        assert_eq!(regulariser.columns(), operator.columns(), "regulariser and operator do not fit");
        Self { operator, data, regulariser, fixed: None }
    }

    /// Fixes the unknowns whose flag is set at 0.
    ///
    /// # Panics
    /// Panics unless there is one flag for each unknown.
    #[must_use]
    pub fn with_fixed(self, fixed: &'a [bool]) -> Self {
        assert_eq!(fixed.len(), self.operator.columns(), "flags and operator do not fit");
        Self { fixed: Some(fixed), ..self }
    }
}

/// The stopping rule of FISTA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GapRule {
    /// Largest allowed [`DualityGap`](super::DualityGap) as a fraction of the objective. If the data are
    /// explained to the last digit, it is a fraction of the objective's rounding error at x = 0. Single
    /// precision can reach about 10⁻⁷ of ½‖y‖², which may be more than this. The solver then stops with
    /// [`Outcome::PrecisionLimit`] and reports its gap; the objective is much closer to the minimum than the
    /// gap. With `None`, the gradient mapping decides.
    pub gap: Option<f64>,
    /// Largest allowed gradient mapping ‖x − prox(x − t∇f(x))‖ / t, as a fraction of its value at x = 0. It
    /// decides if no gap is requested or available.
    pub gradient_mapping: f64,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl Default for GapRule {
    fn default() -> Self {
        Self { gap: Some(1e-5), gradient_mapping: 1e-6, iterations: 5000 }
    }
}

/// The approximate minimiser, and how it was reached.
#[derive(Debug, Clone)]
pub struct ProximalSolution<T> {
    /// The unknowns x at the end.
    pub weights: Vec<T>,
    /// The objective ½‖y − Ax‖² + R(x).
    pub objective: f64,
    /// Upper bound of the objective minus its minimum, if available ([`DualityGap`](super::DualityGap)).
    pub duality_gap: Option<f64>,
    /// The gradient mapping ‖x − prox(x − t∇f(x))‖ / t for the last step length t, divided by its value at x
    /// = 0. It is 0 at the optimum.
    pub gradient_mapping: f64,
    /// The reason why the solver stopped.
    pub outcome: Outcome,
    /// The iteration history: one entry per iteration, beginning with the start.
    pub trace: Vec<ProximalPoint>,
}

/// One iteration of [`fista`](super::fista).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProximalPoint {
    /// Number of iterations so far.
    pub iteration: usize,
    /// Number of products with A or Aᵀ so far.
    pub products: usize,
    /// The objective ½‖y − Ax‖² + R(x).
    pub objective: f64,
    /// The duality gap, if it was computed in this iteration and is available.
    pub gap: Option<f64>,
    /// The gradient mapping divided by its value at x = 0, if it was computed in this iteration.
    pub gradient_mapping: Option<f64>,
    /// Step length t of the next step.
    pub step: f64,
    /// Number of non-zero unknowns.
    pub support: usize,
    /// True if the momentum was reset in this iteration.
    pub restarted: bool,
    /// Time since the start of the solver.
    pub elapsed: Duration,
}

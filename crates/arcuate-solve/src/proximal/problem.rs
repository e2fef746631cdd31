//! The problem of penalised least squares, the rule that stops the solver, and the solution.

use super::regulariser::Regulariser;
use crate::{Outcome, Real, SolverOperator};
use std::time::Duration;

/// The problem min ½‖y − Ax‖² + Σ_i λ_i |x_i| + Σ_g λ_g ‖x_g‖₂ over the unknowns x, with penalties on
/// unknowns i and groups g. Optionally, x ≥ 0 is required.
pub struct ProximalProblem<'a, T> {
    pub(crate) operator: &'a dyn SolverOperator<T>,
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
    ///
    /// Panics if `data` does not have one element per row of the operator, or if `regulariser` does not have
    /// one per column.
    pub fn new(operator: &'a dyn SolverOperator<T>, data: &'a [T], regulariser: &'a Regulariser) -> Self {
        assert_eq!(data.len(), operator.rows(), "data and operator do not fit");
        assert_eq!(regulariser.columns(), operator.columns(), "regulariser and operator do not fit");
        Self { operator, data, regulariser, fixed: None }
    }

    /// Fixes those unknowns at 0 whose flag is true.
    ///
    /// # Panics
    ///
    /// Panics if there is not one flag for each unknown.
    #[must_use]
    pub fn with_fixed(self, fixed: &'a [bool]) -> Self {
        assert_eq!(fixed.len(), self.operator.columns(), "flags and operator do not fit");
        Self { fixed: Some(fixed), ..self }
    }
}

/// The stopping rule of FISTA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GapRule {
    /// Largest allowed duality gap ([`DualityGap`](super::DualityGap)) as a fraction of the objective. If the
    /// data are explained to the last digit, it is a fraction of the rounding error that the objective has at
    /// x = 0. Single precision can reach a gap of about 10⁻⁷ of ½‖y‖², which may be more than the allowed
    /// gap. The solver then stops with [`Outcome::PrecisionLimit`] and reports the gap that it reached. The
    /// objective is much closer to the minimum than this gap. If this field is `None`, the gradient mapping
    /// decides when the solver stops.
    pub gap: Option<f64>,
    /// Largest allowed norm of the gradient mapping ‖x − prox(x − t∇f(x))‖ / t, as a fraction of its value at
    /// x = 0. The gradient mapping decides when the solver stops if no duality gap is requested or available.
    pub gradient_mapping: f64,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl Default for GapRule {
    fn default() -> Self {
        Self { gap: Some(1e-5), gradient_mapping: 1e-6, iterations: 5000 }
    }
}

/// The approximate minimiser, the reason for stopping, and the iteration history.
#[derive(Debug, Clone)]
pub struct ProximalSolution<T> {
    /// The unknowns x at the end.
    pub weights: Vec<T>,
    /// The objective ½‖y − Ax‖² + R(x).
    pub objective: f64,
    /// Upper bound of the difference between the objective and its minimum
    /// ([`DualityGap`](super::DualityGap)). `None` if no bound is available.
    pub duality_gap: Option<f64>,
    /// The norm of the gradient mapping ‖x − prox(x − t∇f(x))‖ / t for the last step length t, divided by its
    /// value at x = 0. It is 0 at the optimum.
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
    /// Number of products with A or Aᵀ that the solver has computed so far.
    pub products: usize,
    /// The objective ½‖y − Ax‖² + R(x).
    pub objective: f64,
    /// The duality gap in this iteration. `None` if it was not computed or is not available.
    pub gap: Option<f64>,
    /// The norm of the gradient mapping in this iteration, divided by its value at x = 0. `None` if it was
    /// not computed.
    pub gradient_mapping: Option<f64>,
    /// Step length t of the next step.
    pub step: f64,
    /// Number of non-zero unknowns.
    pub support: usize,
    /// True if the momentum of the solver was reset in this iteration.
    pub restarted: bool,
    /// Time since the start of the solver.
    pub elapsed: Duration,
}

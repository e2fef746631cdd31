//! The problem, when to stop, and what comes out.

use super::regulariser::Regulariser;
use crate::{LinearOperator, Outcome, Real};
use std::time::Duration;

/// The problem min ½‖y − Ax‖² + Σ_i λ_i |x_i| + Σ_g λ_g ‖x_g‖₂, over x ≥ 0 where asked for.
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
    /// Of A, y and R.
    ///
    /// # Panics
    /// Where `data` does not have the operator's number of rows, or `regulariser` its number of columns.
    pub fn new(operator: &'a dyn LinearOperator<T>, data: &'a [T], regulariser: &'a Regulariser) -> Self {
        assert_eq!(data.len(), operator.rows(), "data and operator do not fit");
        assert_eq!(regulariser.columns(), operator.columns(), "regulariser and operator do not fit");
        Self { operator, data, regulariser, fixed: None }
    }

    /// The same with some unknowns held at 0: those whose flag is set.
    ///
    /// # Panics
    /// Where there is not one flag for each unknown.
    #[must_use]
    pub fn with_fixed(self, fixed: &'a [bool]) -> Self {
        assert_eq!(fixed.len(), self.operator.columns(), "flags and operator do not fit");
        Self { fixed: Some(fixed), ..self }
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GapRule {
    /// Stop when the [`DualityGap`](super::DualityGap) is at most this fraction of the objective (or of its rounding at x = 0, where the
    /// data are explained to the last digit). Single precision can reach about 10⁻⁷ of ½‖y‖², which may be more than
    /// this; the solver then ends with [`Outcome::PrecisionLimit`] and states the gap it has. The objective itself is
    /// much nearer to the minimum than the gap says. None: the gradient mapping decides.
    pub gap: Option<f64>,
    /// Where no gap is asked for or can be had: stop when the gradient mapping ‖x − prox(x − t∇f(x))‖ / t has fallen to
    /// this fraction of what it is at x = 0.
    pub gradient_mapping: f64,
    /// Stop after this many iterations in any case.
    pub iterations: usize,
}

impl Default for GapRule {
    fn default() -> Self {
        Self { gap: Some(1e-5), gradient_mapping: 1e-6, iterations: 5000 }
    }
}

/// A minimiser, as far as it was taken.
#[derive(Debug, Clone)]
pub struct ProximalSolution<T> {
    /// The unknowns.
    pub weights: Vec<T>,
    /// ½‖y − Ax‖² + R(x).
    pub objective: f64,
    /// What the objective can at most be above the minimum, where it can be told ([`DualityGap`](super::DualityGap)).
    pub duality_gap: Option<f64>,
    /// ‖x − prox(x − t∇f(x))‖ / t for the last step length t, over the same at x = 0; 0 at the optimum.
    pub gradient_mapping: f64,
    /// Why the solver stopped.
    pub outcome: Outcome,
    /// One entry per iteration, the start first.
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
    /// The duality gap, where this iteration computed it and it can be told.
    pub gap: Option<f64>,
    /// The gradient mapping over that at x = 0, where this iteration computed it.
    pub gradient_mapping: Option<f64>,
    /// Length t that the next step tries.
    pub step: f64,
    /// Number of unknowns that are not 0.
    pub support: usize,
    /// Whether the momentum was given up on the way here.
    pub restarted: bool,
    /// Time since the start.
    pub elapsed: Duration,
}

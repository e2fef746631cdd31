//! Non-negative least squares: the problem, its solution, and the solvers.

mod elimination;
mod methods;
mod minimise;
mod safeguard;
mod small;
mod solver_state;
#[cfg(test)]
mod tests;
mod vectors;

pub use methods::Method;
pub use minimise::NonNegativeElement;
pub use small::SmallNonNegative;
pub(crate) use vectors::{LAYOUT, kernels};

use crate::{Real, SolverOperator, vector};
use std::time::Duration;

/// The problem min ½‖y − Aw‖² + λ Σ w over w ≥ 0.
///
/// For w ≥ 0, the L1 norm of w is the sum of its elements. The penalty λ Σ w therefore adds λ to every
/// element of the gradient, and does not change the curvature.
pub struct NonNegativeLeastSquares<'a, T> {
    pub(crate) operator: &'a dyn SolverOperator<T>,
    pub(crate) data: &'a [T],
    pub(crate) l1: f64,
    /// Flags of the unknowns that stay 0.
    pub(crate) fixed: Option<&'a [bool]>,
}

impl<T> Clone for NonNegativeLeastSquares<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for NonNegativeLeastSquares<'_, T> {}

impl<'a, T: Real> NonNegativeLeastSquares<'a, T> {
    /// Creates a problem from A and y, without a penalty.
    ///
    /// # Panics
    ///
    /// Panics if `data` does not have one element per row of the operator.
    pub fn new(operator: &'a dyn SolverOperator<T>, data: &'a [T]) -> Self {
        assert_eq!(data.len(), operator.rows(), "data and operator do not fit");
        Self { operator, data, l1: 0.0, fixed: None }
    }

    /// Returns the number of unknowns.
    pub fn columns(&self) -> usize {
        self.operator.columns()
    }

    /// Adds the penalty λ Σ w. λ is in the unit of Aᵀy.
    ///
    /// # Panics
    ///
    /// Panics if λ is negative or not finite.
    #[must_use]
    pub fn with_l1(self, l1: f64) -> Self {
        assert!(l1 >= 0.0 && l1.is_finite(), "a penalty is a number of 0 or more");
        Self { l1, ..self }
    }

    /// Fixes those unknowns at 0 whose flag is true. The solution is then the same as without their columns.
    ///
    /// # Panics
    ///
    /// Panics if there is not one flag for each unknown.
    #[must_use]
    pub fn with_fixed(self, fixed: &'a [bool]) -> Self {
        assert_eq!(fixed.len(), self.operator.columns(), "flags and operator do not fit");
        Self { fixed: Some(fixed), ..self }
    }

    /// Returns λ_max = max(Aᵀy), or 0 if this maximum is negative. If λ ≥ λ_max, the solution is w = 0. This
    /// method computes one product with Aᵀ.
    pub fn largest_useful_l1(&self) -> f64 {
        let mut gradient = vec![T::zero(); self.operator.columns()];
        self.operator.adjoint(self.data, &mut gradient);
        vector::clear(&mut gradient, self.fixed);
        gradient.iter().fold(0.0, |largest, g| largest.max(g.double()))
    }
}

/// The rule that determines when a non-negative solver stops. The solver minimises ½‖y − Aw‖² + λ Σ w over w
/// ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingRule {
    /// Relative tolerance. The solver stops if the norm of the projected gradient is at most this fraction of
    /// its value at w = 0: ‖∇̃f(w)‖ ≤ tolerance · ‖∇̃f(0)‖. At the optimum, the projected gradient is 0.
    pub tolerance: f64,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl Default for StoppingRule {
    fn default() -> Self {
        Self { tolerance: 1e-4, iterations: 500 }
    }
}

/// The reason why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The solver converged, because the projected gradient or another criterion was small enough.
    Converged,
    /// The solver reached the maximum number of iterations.
    IterationLimit,
    /// The solver stopped, because no step decreases the objective further in this floating-point precision.
    PrecisionLimit,
}

/// The approximate minimiser of ½‖y − Aw‖² + λ Σ w over w ≥ 0. If the solver converged, its weights are the
/// last ones. If not, they are the weights with the lowest objective.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The weights w, which are all ≥ 0.
    pub weights: Vec<T>,
    /// The objective ½‖y − Aw‖² + λ Σ w. It is computed from a residual that was recomputed at the end.
    pub objective: f64,
    /// The norm of the projected gradient at the end, divided by its norm at w = 0: ‖∇̃f(w)‖ / ‖∇̃f(0)‖. It
    /// is infinite if w = 0 is the optimum and the solver did not reach it.
    pub projected_gradient: f64,
    /// The reason why the solver stopped.
    pub outcome: Outcome,
    /// The iteration history of the solver.
    pub trace: Trace,
}

/// The iteration history of a solver.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The points of the iteration history: one per iteration, beginning with the start.
    pub points: Vec<TracePoint>,
}

/// One iteration of a solver.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TracePoint {
    /// Number of iterations so far.
    pub iteration: usize,
    /// Number of products with A or Aᵀ that the solver has computed so far.
    pub products: usize,
    /// The objective ½‖y − Aw‖² + λ Σ w in this iteration.
    pub objective: f64,
    /// The relative projected gradient ‖∇̃f(w)‖ / ‖∇̃f(0)‖.
    pub projected_gradient: f64,
    /// Number of weights above 0.
    pub positive: usize,
    /// Time since the start of the solver.
    pub elapsed: Duration,
}

//! Non-negative least squares: the problem, what the solvers say of it, and the two places where they run.
//!
//! A solver is written once, over an [`Engine`](engine::Engine): the vectors and the few things that are done with
//! them, on the processor ([`cpu`]) or on GPUs ([`cuda`]).

mod constants;
mod course;
mod cpu;
mod cuda;
mod engine;
mod kernels;
mod methods;
mod minimise;
#[cfg(test)]
mod tests;

pub(crate) use cuda::largest_share;
pub use methods::Method;
pub use minimise::NonNegativeElement;

use crate::{LinearOperator, Real};
use std::time::Duration;

/// The problem min ½‖y − Aw‖² + λ Σ w over w ≥ 0.
///
/// Where w cannot be negative its L1 norm is its sum: the penalty adds λ to every component of the gradient and leaves
/// the curvature as it is.
pub struct NonNegativeLeastSquares<'a, T> {
    pub(crate) operator: &'a dyn LinearOperator<T>,
    pub(crate) data: &'a [T],
    pub(crate) l1: f64,
    /// Unknowns that stay 0.
    pub(crate) fixed: Option<&'a [bool]>,
}

impl<T> Clone for NonNegativeLeastSquares<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for NonNegativeLeastSquares<'_, T> {}

impl<'a, T: Real> NonNegativeLeastSquares<'a, T> {
    /// Without penalty: A and y.
    ///
    /// # Panics
    /// Where `data` does not have the operator's number of rows.
    pub fn new(operator: &'a dyn LinearOperator<T>, data: &'a [T]) -> Self {
        assert_eq!(data.len(), operator.rows(), "data and operator do not fit");
        Self { operator, data, l1: 0.0, fixed: None }
    }

    /// Number of unknowns.
    pub fn columns(&self) -> usize {
        self.operator.columns()
    }

    /// With the penalty λ Σ w, in the unit of Aᵀy.
    ///
    /// # Panics
    /// Where λ is negative or not finite.
    #[must_use]
    pub fn with_l1(self, l1: f64) -> Self {
        assert!(l1 >= 0.0 && l1.is_finite(), "a penalty is a number of 0 or more");
        Self { l1, ..self }
    }

    /// The same with some unknowns held at 0, those whose flag is set: as if their columns were not there.
    ///
    /// # Panics
    /// Where there is not one flag for each unknown.
    #[must_use]
    pub fn with_fixed(self, fixed: &'a [bool]) -> Self {
        assert_eq!(fixed.len(), self.operator.columns(), "flags and operator do not fit");
        Self { fixed: Some(fixed), ..self }
    }

    /// λ_max = max(Aᵀy), 0 where that is negative: from here on w = 0 is the solution. One product.
    pub fn largest_useful_l1(&self) -> f64 {
        let mut gradient = vec![T::zero(); self.operator.columns()];
        self.operator.adjoint(self.data, &mut gradient);
        self.hold(&mut gradient);
        gradient.iter().fold(0.0, |largest, g| largest.max(g.double()))
    }

    /// Sets what belongs to unknowns that stay 0 to 0.
    pub(crate) fn hold(&self, values: &mut [T]) {
        for (value, _) in values.iter_mut().zip(self.fixed.unwrap_or_default()).filter(|(_, fixed)| **fixed) {
            *value = T::zero();
        }
    }
}

/// When to stop minimising ½‖y − Aw‖² + λ Σ w over w ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingRule {
    /// Stop when the projected gradient has fallen to this fraction of what it is at w = 0: ‖∇̃f(w)‖ ≤ tolerance ·
    /// ‖∇̃f(0)‖. Where it is 0, w is optimal.
    pub tolerance: f64,
    /// Stop after this many iterations in any case.
    pub iterations: usize,
}

impl Default for StoppingRule {
    fn default() -> Self {
        Self { tolerance: 1e-4, iterations: 500 }
    }
}

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The projected gradient is small enough.
    Converged,
    /// The number of iterations was used up.
    IterationLimit,
    /// No step lowers the objective further in this precision.
    PrecisionLimit,
}

/// A minimiser of ½‖y − Aw‖² + λ Σ w over w ≥ 0, as far as it was taken: the last weights where the solver converged,
/// else those of the lowest objective seen.
#[derive(Debug, Clone)]
pub struct Solution<T> {
    /// The unknowns, all ≥ 0.
    pub weights: Vec<T>,
    /// ½‖y − Aw‖² + λ Σ w, from a residual computed afresh.
    pub objective: f64,
    /// ‖∇̃f(w)‖ / ‖∇̃f(0)‖ at the end; infinite where w = 0 is the optimum and was not reached.
    pub projected_gradient: f64,
    /// Why the solver stopped.
    pub outcome: Outcome,
    /// What happened on the way.
    pub trace: Trace,
}

/// The course of a solver.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// One entry per iteration, the start first.
    pub points: Vec<TracePoint>,
}

/// One iteration of a solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracePoint {
    /// Iterations done.
    pub iteration: usize,
    /// Products with A or Aᵀ done.
    pub products: usize,
    /// ½‖y − Aw‖² + λ Σ w.
    pub objective: f64,
    /// ‖∇̃f(w)‖ / ‖∇̃f(0)‖.
    pub projected_gradient: f64,
    /// Number of unknowns above 0.
    pub positive: usize,
    /// Time since the start.
    pub elapsed: Duration,
}

//! The state of the iteration, which all solvers for non-negative least squares have.

use super::safeguard::Safeguard;
use super::vectors::{StepNorms, Vectors};
use super::{Outcome, Solution, StoppingRule, Trace, TracePoint};
use crate::Real;
use crate::engine::Products;
use std::time::Instant;

/// The state of a non-negative solver: its objective, its convergence, the best weights so far, and the
/// safeguard against growing objectives.
pub(crate) struct SolverState<T, E> {
    pub(crate) vectors: Vectors<T, E>,
    pub(crate) products: usize,
    l1: f64,
    /// True if the residual and the gradient were computed from the weights. False if they were updated by
    /// addition.
    fresh: bool,
    /// The lowest objective so far. It is kept because a step may increase the objective.
    best: f64,
    trace: Trace,
    gradient_at_zero: f64,
    safeguard: Safeguard,
    started: Instant,
}

impl<T: Real, E: Products<T>> SolverState<T, E> {
    pub(super) fn new(engine: E, l1: f64, start: &[T]) -> Result<Self, E::Error> {
        let started = Instant::now();
        // At w = 0, only negative components of the gradient can change w. The other components would make w
        // negative, so they are not free.
        let mut vectors = Vectors::new(engine, l1)?;
        let gradient_at_zero = vectors.facts.projected_gradient.sqrt();
        let mut products = 1;
        let start: Vec<T> = start.iter().map(|&w| w.max(T::zero())).collect();
        if !start.iter().all(num_traits::Zero::is_zero) {
            vectors.set_weights(&start)?;
            vectors.recompute()?;
            products += 2;
        }
        vectors.keep_window()?;
        let mut course = Self {
            vectors,
            products,
            l1,
            fresh: true,
            best: f64::INFINITY,
            trace: Trace::default(),
            gradient_at_zero,
            safeguard: Safeguard::new(0.0),
            started,
        };
        course.safeguard = Safeguard::new(course.objective());
        Ok(course)
    }

    fn objective(&self) -> f64 {
        let misfit = 0.5 * self.vectors.facts.residual;
        if self.l1 > 0.0 { misfit + self.l1 * self.vectors.facts.weights } else { misfit }
    }

    /// Returns the norm of the projected gradient, divided by its norm at w = 0: ‖∇̃f(w)‖ / ‖∇̃f(0)‖. It is 0
    /// if w is optimal.
    fn projected_gradient(&self) -> f64 {
        let norm = self.vectors.facts.projected_gradient.sqrt();
        // If w = 0 is the optimum, both norms of the projected gradient may be 0.
        if norm == 0.0 { 0.0 } else { norm / self.gradient_at_zero }
    }

    /// Computes residual and gradient from the weights. It needs two products.
    pub(crate) fn recompute(&mut self) -> Result<(), E::Error> {
        self.vectors.recompute()?;
        self.products += 2;
        self.fresh = true;
        Ok(())
    }

    /// Takes a step along the gradient, and updates the residual and the gradient. This function computes one
    /// product with A and one with Aᵀ.
    pub(crate) fn step(&mut self, length: f64) -> Result<StepNorms, E::Error> {
        let norms = self.vectors.step(length)?;
        self.products += 2;
        self.fresh = false;
        Ok(norms)
    }

    /// Adds the current objective and projected gradient to the iteration history.
    pub(crate) fn note(&mut self, iteration: usize) -> Result<TracePoint, E::Error> {
        let point = TracePoint {
            iteration,
            products: self.products,
            objective: self.objective(),
            projected_gradient: self.projected_gradient(),
            positive: self.vectors.facts.positive,
            elapsed: self.started.elapsed(),
        };
        self.trace.points.push(point);
        if point.objective < self.best {
            self.best = point.objective;
            self.vectors.keep_best()?;
        }
        Ok(point)
    }

    /// Returns true if the stopping rule is met. The current state must already be in the iteration history,
    /// and its gradient must have been computed from the weights.
    pub(crate) fn converged(&mut self, point: &TracePoint, rule: &StoppingRule) -> Result<bool, E::Error> {
        let met = point.projected_gradient <= rule.tolerance;
        if met && !self.fresh {
            self.recompute()?;
            return Ok(self.projected_gradient() <= rule.tolerance);
        }
        Ok(met)
    }

    /// Returns the factor by which the safeguard multiplies the next step (β in the paper of Kim, Sra and
    /// Dhillon 2013). If the safeguard must be checked in this iteration, the check is done first.
    pub(crate) fn next_scale(&mut self, iteration: usize) -> Result<f64, E::Error> {
        if Safeguard::is_due(iteration) {
            let promised = self.vectors.promised()?;
            let objective = self.objective();
            if self.safeguard.accepts(objective, promised) {
                self.vectors.keep_window()?;
            }
        }
        Ok(self.safeguard.scale)
    }

    pub(super) fn finish(mut self, outcome: Outcome) -> Result<Solution<T>, E::Error> {
        if outcome != Outcome::Converged && self.best < f64::INFINITY {
            self.vectors.restore_best()?;
            self.fresh = false;
        }
        if !self.fresh {
            self.recompute()?;
        }
        Ok(Solution {
            objective: self.objective(),
            projected_gradient: self.projected_gradient(),
            weights: self.vectors.weights()?,
            outcome,
            trace: self.trace,
        })
    }
}

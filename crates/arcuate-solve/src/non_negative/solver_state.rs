//! The state of the iteration, which all solvers for non-negative least squares have.

use super::engine::{Engine, Facts, StepNorms};
use super::{Outcome, Solution, StoppingRule, Trace, TracePoint};
use crate::Real;
use std::time::Instant;

/// The state of a non-negative solver: its objective, its convergence, the best weights so far, and the
/// safeguard against growing objectives.
pub(crate) struct SolverState<E> {
    pub(crate) engine: E,
    pub(crate) products: usize,
    l1: f64,
    /// True if the residual and the gradient were computed from the weights. False if they were updated by
    /// addition.
    fresh: bool,
    facts: Facts,
    /// The lowest objective so far. It is kept because a step may increase the objective.
    best: f64,
    trace: Trace,
    gradient_at_zero: f64,
    safeguard: Safeguard,
    started: Instant,
}

/// The safeguard of Kim, Sra and Dhillon (2013, their Algorithm 2). A Barzilai–Borwein step may increase the
/// objective. The safeguard compares the objective at the start and at the end of a window of iterations. The
/// objective must have decreased by a fraction σ of the decrease that the gradient at the window's start
/// predicts. If it has not, all later steps are multiplied by η.
struct Safeguard {
    scale: f64,
    objective: f64,
}

impl Safeguard {
    /// Number of iterations in a window, which is the interval between two checks of the safeguard (M in the
    /// paper of Kim, Sra and Dhillon 2013).
    const WINDOW: usize = 20;
    /// Fraction of the predicted decrease that the objective must have decreased by (σ in the paper of Kim,
    /// Sra and Dhillon 2013).
    const DECREASE: f64 = 0.01;
    /// Factor by which later steps are multiplied if the objective has not decreased enough (η in the paper
    /// of Kim, Sra and Dhillon 2013).
    const SHRINK: f64 = 0.9;
}

impl<E> SolverState<E> {
    pub(super) fn new<T: Real>(mut engine: E, l1: f64, start: &[T]) -> Result<Self, E::Error>
    where
        E: Engine<T>,
    {
        let started = Instant::now();
        engine.begin()?;
        // At w = 0, only negative components of the gradient can change w. The other components would make w
        // negative, so they are not free.
        let mut facts = engine.facts()?;
        let gradient_at_zero = facts.projected_gradient.sqrt();
        let mut products = 1;
        let start: Vec<T> = start.iter().map(|&w| w.max(T::zero())).collect();
        if !start.iter().all(num_traits::Zero::is_zero) {
            engine.set_weights(&start)?;
            engine.recompute()?;
            products += 2;
            facts = engine.facts()?;
        }
        engine.keep_window()?;
        let mut course = Self {
            engine,
            products,
            l1,
            fresh: true,
            facts,
            best: f64::INFINITY,
            trace: Trace::default(),
            gradient_at_zero,
            safeguard: Safeguard { scale: 1.0, objective: 0.0 },
            started,
        };
        course.safeguard.objective = course.objective();
        Ok(course)
    }

    fn objective(&self) -> f64 {
        let misfit = 0.5 * self.facts.residual;
        if self.l1 > 0.0 { misfit + self.l1 * self.facts.weights } else { misfit }
    }

    /// Returns the norm of the projected gradient, divided by its norm at w = 0: ‖∇̃f(w)‖ / ‖∇̃f(0)‖. It is 0
    /// if w is optimal.
    fn projected_gradient(&self) -> f64 {
        let norm = self.facts.projected_gradient.sqrt();
        // If w = 0 is the optimum, both norms of the projected gradient may be 0.
        if norm == 0.0 { 0.0 } else { norm / self.gradient_at_zero }
    }

    /// Computes residual and gradient from the weights. It needs two products.
    pub(crate) fn recompute<T>(&mut self) -> Result<(), E::Error>
    where
        E: Engine<T>,
    {
        self.engine.recompute()?;
        self.products += 2;
        self.fresh = true;
        self.facts = self.engine.facts()?;
        Ok(())
    }

    /// Takes a step along the gradient, and updates the residual and the gradient. This function computes one
    /// product with A and one with Aᵀ.
    pub(crate) fn step<T>(&mut self, length: f64) -> Result<StepNorms, E::Error>
    where
        E: Engine<T>,
    {
        let norms = self.engine.step(length)?;
        self.products += 2;
        self.fresh = false;
        self.facts = self.engine.facts()?;
        Ok(norms)
    }

    /// Adds the current objective and projected gradient to the iteration history.
    pub(crate) fn note<T>(&mut self, iteration: usize) -> Result<TracePoint, E::Error>
    where
        E: Engine<T>,
    {
        let point = TracePoint {
            iteration,
            products: self.products,
            objective: self.objective(),
            projected_gradient: self.projected_gradient(),
            positive: self.facts.positive,
            elapsed: self.started.elapsed(),
        };
        self.trace.points.push(point);
        if point.objective < self.best {
            self.best = point.objective;
            self.engine.keep_best()?;
        }
        Ok(point)
    }

    /// Returns true if the stopping rule is met. The current state must already be in the iteration history,
    /// and its gradient must have been computed from the weights.
    pub(crate) fn converged<T>(&mut self, point: &TracePoint, rule: &StoppingRule) -> Result<bool, E::Error>
    where
        E: Engine<T>,
    {
        let met = point.projected_gradient <= rule.tolerance;
        if met && !self.fresh {
            self.recompute()?;
            return Ok(self.projected_gradient() <= rule.tolerance);
        }
        Ok(met)
    }

    /// Returns the factor by which the safeguard multiplies the next step (β in the paper of Kim, Sra and
    /// Dhillon 2013). If the safeguard must be checked in this iteration, the check is done first.
    pub(crate) fn next_scale<T>(&mut self, iteration: usize) -> Result<f64, E::Error>
    where
        E: Engine<T>,
    {
        if iteration > 0 && iteration.is_multiple_of(Safeguard::WINDOW) {
            let promised = self.engine.promised()?;
            let objective = self.objective();
            if self.safeguard.objective - objective >= Safeguard::DECREASE * promised {
                self.engine.keep_window()?;
                self.safeguard.objective = objective;
            } else {
                self.safeguard.scale *= Safeguard::SHRINK;
            }
        }
        Ok(self.safeguard.scale)
    }

    pub(super) fn finish<T>(mut self, outcome: Outcome) -> Result<Solution<T>, E::Error>
    where
        E: Engine<T>,
    {
        if outcome != Outcome::Converged && self.best < f64::INFINITY {
            self.engine.restore_best()?;
            self.fresh = false;
        }
        if !self.fresh {
            self.recompute()?;
        }
        Ok(Solution {
            objective: self.objective(),
            projected_gradient: self.projected_gradient(),
            weights: self.engine.weights()?,
            outcome,
            trace: self.trace,
        })
    }
}

use crate::{LinearOperator, Real, vector};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// The problem min ½‖y − Aw‖² + λ Σ w over w ≥ 0.
///
/// Where w cannot be negative its L1 norm is its sum: the penalty adds λ to every component of the gradient and leaves
/// the curvature as it is.
#[derive(Debug)]
pub struct NonNegativeLeastSquares<'a, T, A> {
    pub(crate) operator: &'a A,
    pub(crate) data: &'a [T],
    pub(crate) l1: f64,
}

impl<T, A> Clone for NonNegativeLeastSquares<'_, T, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, A> Copy for NonNegativeLeastSquares<'_, T, A> {}

impl<'a, T: Real, A: LinearOperator<T>> NonNegativeLeastSquares<'a, T, A> {
    /// Without penalty: A and y.
    ///
    /// # Panics
    /// Where `data` does not have the operator's number of rows.
    pub fn new(operator: &'a A, data: &'a [T]) -> Self {
        assert_eq!(data.len(), operator.rows(), "data and operator do not fit");
        Self { operator, data, l1: 0.0 }
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

    /// λ_max = max(Aᵀy), 0 where that is negative: from here on w = 0 is the solution. One product.
    pub fn largest_useful_l1(&self) -> f64 {
        let mut gradient = vec![T::zero(); self.operator.columns()];
        self.operator.adjoint(self.data, &mut gradient);
        gradient.iter().fold(0.0, |largest, g| largest.max(g.wide()))
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

/// A minimiser of ½‖y − Aw‖² + λ Σ w over w ≥ 0, as far as it was taken: the last weights where the solver converged, else
/// those of the lowest objective seen.
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

/// The state that non-negative solvers share: weights, residual r = Aw − y, gradient g = Aᵀr + λ and their account.
pub(crate) struct State<'a, T, A> {
    pub(crate) problem: NonNegativeLeastSquares<'a, T, A>,
    pub(crate) weights: Vec<T>,
    pub(crate) residual: Vec<T>,
    pub(crate) gradient: Vec<T>,
    pub(crate) products: usize,
    /// Whether residual and gradient were computed from the weights, not carried along by addition.
    fresh: bool,
    /// The lowest objective so far and its weights: steps may raise it.
    best: (f64, Vec<T>),
    trace: Trace,
    gradient_at_zero: f64,
    started: Instant,
}

impl<'a, T: Real, A: LinearOperator<T>> State<'a, T, A> {
    pub(crate) fn new(problem: &NonNegativeLeastSquares<'a, T, A>, start: &[T]) -> Self {
        let NonNegativeLeastSquares { operator, data, .. } = *problem;
        assert_eq!(start.len(), operator.columns(), "start and operator do not fit");
        let started = Instant::now();
        let mut gradient = vec![T::zero(); start.len()];
        operator.adjoint(data, &mut gradient);
        for g in &mut gradient {
            *g = T::of(problem.l1 - g.wide());
        }
        // At w = 0 the gradient is λ − Aᵀy, and only its negative components can move w.
        let at_zero: f64 = gradient.iter().map(|g| if g.wide() > 0.0 { 0.0 } else { g.wide().powi(2) }).sum();
        let weights: Vec<T> = start.iter().map(|&w| w.max(T::zero())).collect();
        let mut state = Self {
            problem: *problem,
            weights,
            residual: vec![T::zero(); data.len()],
            gradient,
            products: 1,
            fresh: true,
            best: (f64::INFINITY, Vec::new()),
            trace: Trace::default(),
            gradient_at_zero: at_zero.sqrt(),
            started,
        };
        if state.weights.iter().all(num_traits::Zero::is_zero) {
            // No product needed: r = −y, and the gradient is there.
            for (r, &y) in state.residual.iter_mut().zip(data) {
                *r = -y;
            }
        } else {
            state.recompute();
        }
        state
    }

    /// Residual and gradient from the weights, two products.
    pub(crate) fn recompute(&mut self) {
        let NonNegativeLeastSquares { operator, data, l1 } = self.problem;
        operator.forward(&self.weights, &mut self.residual);
        vector::subtract(&mut self.residual, data);
        operator.adjoint(&self.residual, &mut self.gradient);
        if l1 > 0.0 {
            for g in &mut self.gradient {
                *g = T::of(g.wide() + l1);
            }
        }
        self.products += 2;
        self.fresh = true;
    }

    /// Residual and gradient after a step of which `image` and `change` are A and AᵀA times it.
    pub(crate) fn carry(&mut self, image: &[T], change: &[T]) {
        vector::add(&mut self.residual, image);
        vector::add(&mut self.gradient, change);
        self.fresh = false;
    }

    /// Whether the rule is met at a point just noted — by a gradient computed from the weights.
    pub(crate) fn converged(&mut self, point: &TracePoint, rule: &StoppingRule) -> bool {
        let met = point.projected_gradient <= rule.tolerance;
        if met && !self.fresh {
            self.recompute();
            return self.projected_gradient() <= rule.tolerance;
        }
        met
    }

    pub(crate) fn objective(&self) -> f64 {
        let misfit = 0.5 * vector::norm_squared(&self.residual);
        let l1 = self.problem.l1;
        if l1 > 0.0 { misfit + l1 * vector::sum(&self.weights) } else { misfit }
    }

    /// ‖∇̃f(w)‖ / ‖∇̃f(0)‖, 0 where w is optimal.
    pub(crate) fn projected_gradient(&self) -> f64 {
        let pieces: Vec<f64> = self
            .gradient
            .par_chunks(vector::PIECE)
            .zip(self.weights.par_chunks(vector::PIECE))
            .map(|(g, w)| g.iter().zip(w).map(|(&g, &w)| free(g, w).wide().powi(2)).sum())
            .collect();
        let norm = pieces.iter().sum::<f64>().sqrt();
        // Where w = 0 is the optimum both norms may be 0.
        if norm == 0.0 { 0.0 } else { norm / self.gradient_at_zero }
    }

    /// Notes the present state; returns objective and projected gradient.
    pub(crate) fn note(&mut self, iteration: usize) -> TracePoint {
        let point = TracePoint {
            iteration,
            products: self.products,
            objective: self.objective(),
            projected_gradient: self.projected_gradient(),
            positive: self.weights.iter().filter(|w| **w > T::zero()).count(),
            elapsed: self.started.elapsed(),
        };
        self.trace.points.push(point);
        if point.objective < self.best.0 {
            self.best.0 = point.objective;
            self.best.1.clone_from(&self.weights);
        }
        point
    }

    pub(crate) fn finish(mut self, outcome: Outcome) -> Solution<T> {
        if outcome != Outcome::Converged && !self.best.1.is_empty() {
            std::mem::swap(&mut self.weights, &mut self.best.1);
            self.fresh = false;
        }
        if !self.fresh {
            self.recompute();
        }
        Solution {
            objective: self.objective(),
            projected_gradient: self.projected_gradient(),
            weights: self.weights,
            outcome,
            trace: self.trace,
        }
    }
}

/// The component of the subspace gradient: 0 where the weight is 0 and the gradient would push it below. (Replacing
/// all negative components by zeros, as some accounts of the algorithm say, makes it stall.)
pub(crate) fn free<T: Real>(gradient: T, weight: T) -> T {
    if weight.is_zero() && gradient > T::zero() { T::zero() } else { gradient }
}

/// The safeguard of Kim, Sra and Dhillon (2013, their Algorithm 2): Barzilai–Borwein steps may raise the objective,
/// but over a window it must fall by a fraction σ of what the gradient at the window's start promised; where it has
/// not, all later steps shrink by η.
pub(crate) struct Safeguard<T> {
    scale: f64,
    weights: Vec<T>,
    gradient: Vec<T>,
    objective: f64,
}

impl<T: Real> Safeguard<T> {
    /// Iterations between two looks (M in the paper).
    const WINDOW: usize = 20;
    /// Fraction of the promised decrease (σ).
    const DECREASE: f64 = 0.01;
    /// Factor of later steps (η).
    const SHRINK: f64 = 0.9;

    pub(crate) fn new<A: LinearOperator<T>>(state: &State<'_, T, A>) -> Self {
        Self {
            scale: 1.0,
            weights: state.weights.clone(),
            gradient: state.gradient.clone(),
            objective: state.objective(),
        }
    }

    /// Factor (β) of the next step, after a look at the state where one is due.
    pub(crate) fn next_scale<A: LinearOperator<T>>(
        &mut self,
        iteration: usize,
        state: &State<'_, T, A>,
    ) -> f64 {
        if iteration > 0 && iteration.is_multiple_of(Self::WINDOW) {
            let promised: f64 = self
                .gradient
                .iter()
                .zip(&self.weights)
                .zip(&state.weights)
                .map(|((g, old), new)| g.wide() * (old.wide() - new.wide()))
                .sum();
            let objective = state.objective();
            if self.objective - objective >= Self::DECREASE * promised {
                self.weights.copy_from_slice(&state.weights);
                self.gradient.copy_from_slice(&state.gradient);
                self.objective = objective;
            } else {
                self.scale *= Self::SHRINK;
            }
        }
        self.scale
    }
}

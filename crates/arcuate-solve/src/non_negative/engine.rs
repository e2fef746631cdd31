//! The solvers' common course: what they ask of the place where the vectors are, and the account they keep.

use super::{NonNegativeLeastSquares, Outcome, Solution, StoppingRule, Trace, TracePoint, cpu, cuda};
use crate::{LinearOperator, Real};
use arcuate_compute::fall_back;
use std::time::Instant;

/// Where the vectors of a solver live: weights w ≥ 0, residual r = Aw − y, gradient g = Aᵀr + λ.
///
/// Sums come back in `f64`, so that the choices of a solver are the same wherever it runs, up to rounding.
pub(crate) trait Engine<T> {
    /// What can go wrong.
    type Error;

    /// w = 0, r = −y, g = λ − Aᵀy; one product.
    fn begin(&mut self) -> Result<(), Self::Error>;

    /// Sets w, without r and g.
    fn set_weights(&mut self, weights: &[T]) -> Result<(), Self::Error>;

    /// r and g from w; two products.
    fn recompute(&mut self) -> Result<(), Self::Error>;

    /// Where r and g stand.
    fn facts(&mut self) -> Result<Facts, Self::Error>;

    /// w ← [w − length · g]₊, and r and g carried along by addition; two products.
    fn step(&mut self, length: f64) -> Result<StepNorms, Self::Error>;

    /// d = the free part of g, Ad, and where `curvature` is asked for AᵀAd on the free components; one or two
    /// products.
    fn descent(&mut self, curvature: bool) -> Result<DescentNorms, Self::Error>;

    /// w ← [w − length · d]₊, without r and g.
    fn move_along_descent(&mut self, length: f64) -> Result<(), Self::Error>;

    /// Keeps a copy of w as the best so far.
    fn keep_best(&mut self) -> Result<(), Self::Error>;

    /// Sets w to the best so far, without r and g.
    fn restore_best(&mut self) -> Result<(), Self::Error>;

    /// Keeps copies of w and g for [`promised`](Self::promised).
    fn keep_window(&mut self) -> Result<(), Self::Error>;

    /// ⟨g, w − w now⟩ for the copies kept.
    fn promised(&mut self) -> Result<f64, Self::Error>;

    /// The weights.
    fn weights(&mut self) -> Result<Vec<T>, Self::Error>;
}

/// Sums over the vectors of an engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// ‖r‖².
    pub(crate) residual: f64,
    /// Σ w.
    pub(crate) weights: f64,
    /// ‖∇̃f(w)‖², over the components that are free.
    pub(crate) projected_gradient: f64,
    /// Number of weights above 0.
    pub(crate) positive: usize,
}

/// Of a step s: ‖s‖², ‖As‖², and ‖AᵀAs‖² over the components that moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepNorms {
    pub(crate) taken: f64,
    pub(crate) image: f64,
    pub(crate) change: f64,
}

/// Of a direction d: ‖d‖², ‖Ad‖², and ‖AᵀAd‖² over the free components (NaN where not asked for).
#[derive(Debug, Clone, Copy)]
pub(crate) struct DescentNorms {
    pub(crate) direction: f64,
    pub(crate) image: f64,
    pub(crate) curvature: f64,
}

/// The component of the subspace gradient: 0 where the weight is 0 and the gradient would push it below. (Replacing
/// all negative components by zeros, as some accounts of the algorithm say, makes it stall.)
#[inline(always)]
pub(crate) fn free<T: Real>(gradient: T, weight: T) -> T {
    if weight.is_zero() && gradient > T::zero() { T::zero() } else { gradient }
}

/// Which way the steps are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    ProjectedBarzilaiBorwein,
    Sbbnnls,
}

/// Minimises on the GPUs of the operator where it has some, and on the processor where it has none or they fail: a
/// failure costs time and one line, never the run.
pub(crate) fn minimise<T: Real, A: LinearOperator<T>>(
    method: Method,
    problem: &NonNegativeLeastSquares<'_, T, A>,
    start: &[T],
    rule: &StoppingRule,
    watch: &mut dyn FnMut(&TracePoint) -> bool,
) -> Solution<T> {
    assert_eq!(start.len(), problem.operator.columns(), "start and operator do not fit");
    if let Some(operator) = problem.operator.on_gpus() {
        let solution = cuda::CudaEngine::new(problem, operator)
            .and_then(|engine| run(method, engine, problem.l1, start, rule, watch));
        match solution {
            Ok(solution) => return solution,
            Err(error) => {
                operator.give_up();
                fall_back(&error, "the solver starts again on the CPU");
            }
        }
    }
    match run(method, cpu::CpuEngine::new(problem), problem.l1, start, rule, watch) {
        Ok(solution) => solution,
        Err(never) => match never {},
    }
}

fn run<T: Real, E: Engine<T>>(
    method: Method,
    engine: E,
    l1: f64,
    start: &[T],
    rule: &StoppingRule,
    watch: &mut dyn FnMut(&TracePoint) -> bool,
) -> Result<Solution<T>, E::Error> {
    let mut course = Course::new(engine, l1, start)?;
    let outcome = match method {
        Method::ProjectedBarzilaiBorwein => {
            crate::projected_barzilai_borwein::iterate(&mut course, rule, watch)
        }
        Method::Sbbnnls => crate::sbbnnls::iterate(&mut course, rule, watch),
    }?;
    course.finish(outcome)
}

/// The account of a solver: objective, convergence, the best weights, the safeguard.
pub(crate) struct Course<E> {
    pub(crate) engine: E,
    pub(crate) products: usize,
    l1: f64,
    /// Whether residual and gradient were computed from the weights, not carried along by addition.
    fresh: bool,
    facts: Facts,
    /// The lowest objective so far: steps may raise it.
    best: f64,
    trace: Trace,
    gradient_at_zero: f64,
    safeguard: Safeguard,
    started: Instant,
}

/// The safeguard of Kim, Sra and Dhillon (2013, their Algorithm 2): Barzilai–Borwein steps may raise the objective,
/// but over a window it must fall by a fraction σ of what the gradient at the window's start promised; where it has
/// not, all later steps shrink by η.
struct Safeguard {
    scale: f64,
    objective: f64,
}

impl Safeguard {
    /// Iterations between two looks (M in the paper).
    const WINDOW: usize = 20;
    /// Fraction of the promised decrease (σ).
    const DECREASE: f64 = 0.01;
    /// Factor of later steps (η).
    const SHRINK: f64 = 0.9;
}

impl<E> Course<E> {
    fn new<T: Real>(mut engine: E, l1: f64, start: &[T]) -> Result<Self, E::Error>
    where
        E: Engine<T>,
    {
        let started = Instant::now();
        engine.begin()?;
        // At w = 0 only the negative components of the gradient can move w, and the others are not free.
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

    /// ‖∇̃f(w)‖ / ‖∇̃f(0)‖, 0 where w is optimal.
    fn projected_gradient(&self) -> f64 {
        let norm = self.facts.projected_gradient.sqrt();
        // Where w = 0 is the optimum both norms may be 0.
        if norm == 0.0 { 0.0 } else { norm / self.gradient_at_zero }
    }

    /// Residual and gradient from the weights, two products.
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

    /// A step along the gradient, two products; the residual and the gradient are carried along.
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

    /// Notes the present state.
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

    /// Whether the rule is met at a point just noted — by a gradient computed from the weights.
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

    /// Factor (β) of the next step, after a look at the state where one is due.
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

    fn finish<T>(mut self, outcome: Outcome) -> Result<Solution<T>, E::Error>
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

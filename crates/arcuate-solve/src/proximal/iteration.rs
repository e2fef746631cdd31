//! The iteration of the solver FISTA (fast iterative shrinkage-thresholding algorithm), in a form that does
//! not depend on the device.

use super::gap::{Dual, DualityGap};
use super::problem::{GapRule, ProximalPoint, ProximalProblem, ProximalSolution};
use super::regulariser::{Penalties, norm};
use super::vectors::{Proposal, State, Vectors, layout};
use crate::engine::{CpuEngine, Products, SplitEngine};
use crate::gpus::on_gpus_while_they_work;
use crate::{Outcome, Real};
use std::time::Instant;

/// Factor by which the step length grows in each iteration. The step length can thus follow the local
/// curvature, which can be far below the maximum curvature.
const GROWTH: f64 = 1.1;
/// Limit of the product of measured curvature and step length. If the product is below this limit, the next
/// step may be longer.
const GROW_BELOW: f64 = 0.8;
/// If a step was too long, it is replaced by a shorter step. The length of this step is the length that the
/// measured curvature allows, times this factor.
const BACKTRACK: f64 = 0.95;
/// Number of iterations between the first checks of the duality gap. Later, the interval is the number of
/// iterations divided by the second constant.
const FIRST_LOOK: usize = 10;
const LATER_LOOKS: usize = 10;
/// Number of successive checks of the duality gap without progress after which the solver stops, because it
/// has reached the limit of the floating-point precision.
const STALLS: usize = 6;

/// The floating-point types of penalised least squares: `f32` and `f64`. The trait's function runs the
/// solver.
pub trait ProximalElement: Real {
    /// Runs [`fista`](crate::fista).
    #[doc(hidden)]
    fn minimise(
        problem: &ProximalProblem<'_, Self>,
        start: &[Self],
        rule: &GapRule,
        watch: &mut dyn FnMut(&ProximalPoint) -> bool,
    ) -> ProximalSolution<Self>;
}

/// The solver is compiled in this crate for both precisions. Otherwise, every crate that uses this long
/// generic code would compile it again.
macro_rules! compiled {
    ($($precision:ty),+) => {$(
        impl ProximalElement for $precision {
            fn minimise(
                problem: &ProximalProblem<'_, Self>,
                start: &[Self],
                rule: &GapRule,
                watch: &mut dyn FnMut(&ProximalPoint) -> bool,
            ) -> ProximalSolution<Self> {
                minimise(problem, start, rule, watch)
            }
        }
    )+};
}

compiled!(f32, f64);

/// Minimises the objective on the GPUs that have the operator. If there are none, or if they fail, minimises
/// on the CPU.
fn minimise<T: Real>(
    problem: &ProximalProblem<'_, T>,
    start: &[T],
    rule: &GapRule,
    watch: &mut dyn FnMut(&ProximalPoint) -> bool,
) -> ProximalSolution<T> {
    let columns = problem.operator.columns();
    assert_eq!(start.len(), columns, "start and operator do not fit");
    let penalties = Penalties::new(problem.regulariser, problem.fixed);
    let layout = layout(!penalties.l1.is_empty());
    let on_gpus = on_gpus_while_they_work(
        || problem.operator.on_gpus(),
        |operator| {
            let size = (columns, layout);
            let engine = SplitEngine::new(operator, problem.data, size, None, penalties.groups)?;
            run(engine, problem, &penalties, start, rule, watch)
        },
    );
    on_gpus.unwrap_or_else(|| {
        let mut engine = CpuEngine::new(problem.operator, problem.data, layout);
        engine.groups = penalties.groups;
        let Ok(solution) = run(engine, problem, &penalties, start, rule, watch);
        solution
    })
}

fn run<T: Real, E: Products<T>>(
    engine: E,
    problem: &ProximalProblem<'_, T>,
    penalties: &Penalties<'_, T>,
    start: &[T],
    rule: &GapRule,
    watch: &mut dyn FnMut(&ProximalPoint) -> bool,
) -> Result<ProximalSolution<T>, E::Error> {
    let mut course = SolverState::new(engine, problem, penalties, start)?;
    let outcome = course.iterate(rule, watch)?;
    course.finish(outcome)
}

/// The state of a run of FISTA.
struct SolverState<'a, T, E> {
    vectors: Vectors<T, E>,
    penalties: &'a Penalties<'a, T>,
    dual: Dual<'a, T>,
    products: usize,
    /// The gradient −Aᵀy at x = 0. The gradient mapping ‖x − prox(x − t∇f(x))‖ / t at x = 0 is computed from
    /// it, for any step length t.
    gradient_at_zero: Vec<T>,
    /// The step length t.
    length: f64,
    objective: f64,
    /// Half the squared norm of the data, ½‖y‖².
    at_zero: f64,
    support: usize,
    trace: Vec<ProximalPoint>,
    started: Instant,
    /// The result of the last check of the duality gap, and the number of its iteration.
    look: Option<(usize, CheckResult<T>)>,
    /// The highest lower bound of the minimum that was found so far.
    bound: Option<f64>,
}

/// The result of a gap check.
#[derive(Debug, Clone)]
struct CheckResult<T> {
    state: State<T>,
    gap: Option<f64>,
    mapping: f64,
}

impl<'a, T: Real, E: Products<T>> SolverState<'a, T, E> {
    fn new(
        engine: E,
        problem: &ProximalProblem<'a, T>,
        penalties: &'a Penalties<'a, T>,
        start: &[T],
    ) -> Result<Self, E::Error> {
        let started = Instant::now();
        let mut vectors = Vectors::new(engine, penalties)?;
        let zero = vectors.state()?;
        let mut products = 1;
        let mut start: Vec<f64> = start.iter().map(|x| x.double()).collect();
        // A proximal step of length 0 projects the start onto the constraints.
        for (i, x) in start.iter_mut().enumerate() {
            *x = if penalties.l1(i).is_finite() { penalties.shrink(*x, 0.0) } else { 0.0 };
        }
        let start: Vec<T> = start.into_iter().map(T::of).collect();
        let mut state = zero.clone();
        if start.iter().any(|x| !x.is_zero()) {
            vectors.restart_at(&start)?;
            products += 2;
            state = vectors.state()?;
        }
        // The ratio ‖Aᵀy‖² / ‖y‖² is at most the largest curvature ‖A‖². A first step of the inverse length
        // therefore tends to be too long, not too short.
        let square = |v: &[T]| crate::vector::norm_squared(v);
        let length = square(&zero.residual) / square(&zero.gradient);
        Ok(Self {
            vectors,
            penalties,
            dual: Dual::new(problem.operator, problem.data),
            products,
            at_zero: 0.5 * square(&zero.residual),
            objective: 0.5 * square(&state.residual) + penalties.value(&state.x),
            support: state.x.iter().filter(|x| !x.is_zero()).count(),
            gradient_at_zero: zero.gradient,
            length: if length.is_finite() && length > 0.0 { length } else { 1.0 },
            trace: Vec::new(),
            started,
            look: None,
            bound: None,
        })
    }

    /// Returns the norm of the gradient mapping ‖x − prox(x − t∇f(x))‖ / t, for the step length t.
    fn mapping(&self, x: &[T], gradient: &[T]) -> f64 {
        let length = self.length;
        let mut moved: Vec<f64> =
            x.iter().zip(gradient).map(|(x, q)| x.double() - length * q.double()).collect();
        self.penalties.prox(length, &mut moved);
        norm(moved.iter().zip(x).map(|(moved, x)| moved - x.double())) / length
    }

    /// Computes the duality gap and the norm of the gradient mapping at x.
    fn look(&mut self, iteration: usize) -> Result<(), E::Error> {
        if self.look.as_ref().is_some_and(|(at, _)| *at == iteration) {
            return Ok(());
        }
        let state = self.vectors.state()?;
        let State { x, residual, gradient } = &state;
        let gap = self.dual.gap(self.penalties, x, residual, gradient);
        if let Some(DualityGap { objective, gap }) = gap {
            let bound = objective - gap;
            self.bound = Some(self.bound.map_or(bound, |best| best.max(bound)));
        }
        let gap = self.bound.map(|bound| (self.objective - bound).max(0.0));
        self.products += std::mem::take(&mut self.dual.products);
        let mapping = self.mapping(x, gradient);
        let at_zero = self.mapping(&vec![T::zero(); x.len()], &self.gradient_at_zero);
        let mapping = if mapping == 0.0 { 0.0 } else { mapping / at_zero };
        self.look = Some((iteration, CheckResult { state, gap, mapping }));
        Ok(())
    }

    /// Returns the rounding error of an objective, given the squared norm ‖r‖² of its residual r. The error
    /// is ‖r‖ times the error of the product A x, plus the error of the sums.
    fn noise(&self, residual: f64) -> f64 {
        let epsilon = T::epsilon().double();
        epsilon * (2.0 * residual * self.at_zero).sqrt() + 16.0 * f64::EPSILON * self.objective
    }

    /// Returns true if checks of the duality gap can no longer distinguish progress from rounding errors.
    /// `before` has the objective and the gap (or the gradient mapping) of the best check so far.
    fn is_stalled(&self, rule: &GapRule, before: &mut (f64, f64)) -> bool {
        let Some((_, CheckResult { gap, mapping, state, .. })) = &self.look else { return false };
        let worth = rule.gap.and(*gap).unwrap_or(*mapping);
        let residual = crate::vector::norm_squared(&state.residual);
        let stalled = before.0 - self.objective <= self.noise(residual) && worth >= 0.9 * before.1;
        if !stalled {
            *before = (self.objective, worth);
        }
        stalled
    }

    /// Returns true if the last check of the duality gap met the stopping rule.
    fn is_met(&self, rule: &GapRule) -> bool {
        let Some((_, CheckResult { gap, mapping, .. })) = &self.look else { return false };
        // Differences of objectives below the rounding error of ½‖y‖² are not resolved.
        let scale = self.objective.max(T::epsilon().double() * self.at_zero);
        match (rule.gap, gap) {
            (Some(requested), Some(gap)) => *gap <= requested * scale,
            _ => *mapping <= rule.gradient_mapping,
        }
    }

    fn note(&mut self, iteration: usize, restarted: bool) -> ProximalPoint {
        let look = self.look.as_ref().filter(|(at, _)| *at == iteration).map(|(_, look)| look);
        let point = ProximalPoint {
            iteration,
            products: self.products,
            objective: self.objective,
            gap: look.and_then(|look| look.gap),
            gradient_mapping: look.map(|look| look.mapping),
            step: self.length,
            support: self.support,
            restarted,
            elapsed: self.started.elapsed(),
        };
        self.trace.push(point);
        point
    }

    fn iterate(
        &mut self,
        rule: &GapRule,
        watch: &mut dyn FnMut(&ProximalPoint) -> bool,
    ) -> Result<Outcome, E::Error> {
        if !self.objective.is_finite() {
            return Ok(Outcome::PrecisionLimit);
        }
        let mut next_look = 0;
        let (mut best_look, mut stalls) = ((f64::INFINITY, f64::INFINITY), 0);
        let mut restarted = false;
        // The parameter θ_k from which the momentum is computed, and the step length to which it belongs.
        let (mut theta, mut of_length) = (1.0, self.length);
        for iteration in 0.. {
            let is_check_due = iteration >= next_look;
            if is_check_due {
                self.look(iteration)?;
                next_look = iteration + (iteration / LATER_LOOKS).max(FIRST_LOOK);
            }
            let point = self.note(iteration, restarted);
            if is_check_due && self.is_met(rule) {
                return Ok(Outcome::Converged);
            }
            if is_check_due {
                stalls = if self.is_stalled(rule, &mut best_look) { stalls + 1 } else { 0 };
                if stalls == STALLS {
                    return Ok(Outcome::PrecisionLimit);
                }
            }
            if !watch(&point) || iteration == rule.iterations {
                return Ok(Outcome::IterationLimit);
            }
            restarted = false;
            let accepted = loop {
                // The momentum for variable step lengths is that of Scheinberg, Goldfarb and Bai 2014, their
                // section 3.
                let next = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta * of_length / self.length).sqrt());
                let momentum = (theta - 1.0) / next;
                let proposal = self.vectors.propose(self.length, momentum)?;
                self.products += 1;
                let Proposal { residual, penalty, moved, image, turn, .. } = proposal;
                let objective = 0.5 * residual + penalty;
                // The last digits of A(x⁺ − z) are rounding errors, and contain no information about the
                // curvature.
                let noise = 4.0 * T::epsilon().double().powi(2) * (residual + 2.0 * self.at_zero);
                if !(objective.is_finite() && image.is_finite()) {
                    break None;
                }
                if image > moved / self.length + noise {
                    let shorter = BACKTRACK * moved / image;
                    if !(shorter > 0.0 && shorter.is_finite()) {
                        break None;
                    }
                    self.length = shorter;
                    continue;
                }
                // Without momentum, only rounding errors can make a step increase the objective.
                if objective - self.objective > self.noise(residual) {
                    if momentum == 0.0 {
                        break None;
                    }
                    (theta, restarted) = (1.0, true);
                    continue;
                }
                break Some((proposal, objective, if turn > 0.0 { 1.0 } else { next }));
            };
            let Some((proposal, objective, next)) = accepted else {
                self.look(iteration)?;
                return Ok(if self.is_met(rule) { Outcome::Converged } else { Outcome::PrecisionLimit });
            };
            self.vectors.accept()?;
            self.products += 1;
            (theta, of_length) = (next, self.length);
            restarted |= theta == 1.0;
            (self.objective, self.support) = (objective, proposal.support);
            if proposal.moved == 0.0 {
                // The iterate is a fixed point. The gap is checked at once.
                next_look = iteration + 1;
            }
            if proposal.image * self.length < GROW_BELOW * proposal.moved {
                self.length *= GROWTH;
            }
        }
        unreachable!("iterations are counted")
    }

    fn finish(mut self, outcome: Outcome) -> Result<ProximalSolution<T>, E::Error> {
        let last = self.trace.last().map_or(0, |point| point.iteration);
        self.look(last)?;
        let Some((_, CheckResult { gap, mapping, state })) = self.look else { unreachable!("just looked") };
        Ok(ProximalSolution {
            weights: state.x,
            objective: self.objective,
            duality_gap: gap,
            gradient_mapping: mapping,
            outcome,
            trace: self.trace,
        })
    }
}

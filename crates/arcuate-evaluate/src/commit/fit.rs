//! Amounts that explain the data best, with and without penalties.

use super::{CommitProblem, GroupWeights, Penalty, Strength};
use arcuate_core::Result;
use arcuate_solve::{
    GapRule, GroupPenalty, LinearOperator, NonNegativeLeastSquares, Outcome, ProximalPoint, ProximalProblem,
    ProximalSolution, Real, Regulariser, StoppingRule, debias, fista, penalty_path,
    projected_barzilai_borwein,
};
use std::time::Duration;

/// Which algorithm finds the amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitSolver {
    /// Projected gradients with Barzilai and Borwein's step lengths; without penalties only.
    BarzilaiBorwein,
    /// The fast iterative shrinkage-thresholding algorithm.
    Fista,
}

/// How a fit goes.
#[derive(Debug, Clone, PartialEq)]
pub struct FitOptions {
    /// The algorithm of fits without a penalty; those with one are FISTA's.
    pub solver: CommitSolver,
    /// Stop where the projected gradient (of FISTA the gradient mapping) has fallen to this fraction of what it is at x = 0.
    pub tolerance: f64,
    /// Stop instead where the duality gap is at most this fraction of the objective; such fits are FISTA's. That is a bound
    /// and no estimate: with unknowns that no penalty holds it comes down late.
    pub gap: Option<f64>,
    /// Stop after this many iterations in any case.
    pub iterations: usize,
    /// The penalty.
    pub penalty: Penalty,
    /// Solve for so many penalties, from the smallest that leaves nothing down to the one asked for, each from the solution of
    /// the one before; 1 for the one asked for alone.
    pub path: usize,
    /// After a fit with penalties, fit what it left above 0 once more without them.
    pub debias: bool,
}

/// One point of a path of penalties.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint {
    /// The penalty over the one asked for.
    pub factor: f64,
    /// λ of streamlines.
    pub streamlines: f64,
    /// λ of groups, which multiplies their weights.
    pub groups: f64,
    /// ½‖y − Ax‖².
    pub misfit: f64,
    /// ½‖y − Ax‖² + Ω(x).
    pub objective: f64,
    /// What the objective can at most be above the minimum, where it can be told.
    pub gap: Option<f64>,
    /// Streamlines with an amount above 0.
    pub supported: usize,
    /// Groups with such a streamline.
    pub supported_groups: usize,
    /// Why the solver stopped.
    pub outcome: Outcome,
}

/// One iteration of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitPoint {
    /// Iterations done.
    pub iteration: usize,
    /// Products with A or Aᵀ done.
    pub products: usize,
    /// ½‖y − Ax‖² + Ω(x).
    pub objective: f64,
    /// ‖projected gradient‖ over that at x = 0 (of FISTA the gradient mapping, in the iterations that looked at it).
    pub projected_gradient: Option<f64>,
    /// Duality gap over objective (FISTA, in the iterations that looked at it).
    pub relative_gap: Option<f64>,
    /// Unknowns above 0.
    pub positive: usize,
    /// Time since the start.
    pub elapsed: Duration,
}

/// Amounts as far as they were found.
#[derive(Debug, Clone)]
pub struct Fit<T> {
    /// The unknowns of the problem's operator.
    pub unknowns: Vec<T>,
    /// ½‖y − Ax‖² + Ω(x), of the last fit: without Ω where it was debiased.
    pub objective: f64,
    /// What that can at most be above the minimum, where it can be told.
    pub gap: Option<f64>,
    /// Why the solver stopped.
    pub outcome: Outcome,
    /// Its course; after debiasing that of the refit.
    pub trace: Vec<FitPoint>,
    /// The penalties that were solved for, largest first; empty without one.
    pub path: Vec<PathPoint>,
}

/// λ Σ x and λ Σ w ‖x_g‖ as the solver takes them.
struct Resolved {
    regulariser: Regulariser,
    fixed: Option<Vec<bool>>,
    streamlines: f64,
    groups: f64,
    /// The penalty that leaves nothing, over the one asked for; infinite where none is asked for.
    largest: f64,
}

impl<T: Real, A: LinearOperator<T>> CommitProblem<T, A> {
    /// The amounts that minimise ½‖√C (y − A x)‖² + Ω(x) over x ≥ 0, from x = 0; `watch` sees every iteration, of preparing
    /// fits too, and can end the run by returning `false`.
    ///
    /// Fails on impossible penalties, and on groups with streamlines beyond the tractogram's.
    pub fn fit(&self, options: &FitOptions, mut watch: impl FnMut(&FitPoint) -> bool) -> Result<Fit<T>> {
        let Penalty { streamlines, groups } = &options.penalty;
        if streamlines.is_none() && groups.is_none() {
            return Ok(self.unpenalised(options, &mut watch));
        }
        for strength in streamlines.iter().chain(groups.iter().map(|(_, strength)| strength)) {
            strength.check()?;
        }
        let mut seen = |point: &ProximalPoint| watch(&FitPoint::from(point));
        // From the best fit without streamlines on, the penalty that leaves none of them is known.
        let rest = self.without_streamlines(options, &mut seen);
        let Resolved { regulariser, fixed, streamlines, groups, largest } =
            self.resolve(options, &rest, &mut seen)?;
        let problem = ProximalProblem::new(self.operator(), self.data(), &regulariser);
        let problem = fixed.as_ref().map_or(problem, |fixed| problem.with_fixed(fixed));
        let factors = path_factors(largest, options.path);
        let rule = options.gap_rule();
        let mut solutions = penalty_path(&problem, &factors, &rest, &rule, |_, point| seen(point));
        let path = factors.iter().zip(&solutions).map(|(&factor, solution)| {
            let penalty = regulariser.scaled(factor, factor).value(&solution.weights);
            let (supported, supported_groups) = self.support(&solution.weights, &options.penalty);
            PathPoint {
                factor,
                streamlines: factor * streamlines,
                groups: factor * groups,
                misfit: solution.objective - penalty,
                objective: solution.objective,
                gap: solution.duality_gap,
                supported,
                supported_groups,
                outcome: solution.outcome,
            }
        });
        let path = path.collect();
        let solution = solutions.pop().expect("a path has a point");
        let last = if options.debias { debias(&problem, &solution.weights, &rule, seen) } else { solution };
        Ok(Fit { path, ..Fit::from(last) })
    }

    fn unpenalised(&self, options: &FitOptions, watch: &mut impl FnMut(&FitPoint) -> bool) -> Fit<T> {
        let start = vec![T::zero(); self.layout().len()];
        if options.solver == CommitSolver::Fista || options.gap.is_some() {
            let regulariser = Regulariser::non_negative(start.len());
            let problem = ProximalProblem::new(self.operator(), self.data(), &regulariser);
            return Fit::from(fista(&problem, &start, &options.gap_rule(), |p| watch(&FitPoint::from(p))));
        }
        let problem = NonNegativeLeastSquares::new(self.operator(), self.data());
        let stopping = StoppingRule { tolerance: options.tolerance, iterations: options.iterations };
        let point = |p: &arcuate_solve::TracePoint| FitPoint {
            iteration: p.iteration,
            products: p.products,
            objective: p.objective,
            projected_gradient: Some(p.projected_gradient),
            relative_gap: None,
            positive: p.positive,
            elapsed: p.elapsed,
        };
        let solution = projected_barzilai_borwein(&problem, &start, &stopping, |p| watch(&point(p)));
        Fit {
            gap: problem.duality_gap(&solution.weights).map(|gap| gap.gap),
            objective: solution.objective,
            outcome: solution.outcome,
            trace: solution.trace.points.iter().map(point).collect(),
            unknowns: solution.weights,
            path: Vec::new(),
        }
    }

    /// The unknowns that explain the data best with all streamlines at 0.
    fn without_streamlines(
        &self,
        options: &FitOptions,
        watch: &mut impl FnMut(&ProximalPoint) -> bool,
    ) -> Vec<T> {
        let columns = self.layout().len();
        let intra = self.layout().intra_unknowns();
        let start = vec![T::zero(); columns];
        if intra.len() == columns {
            return start;
        }
        let fixed: Vec<bool> = (0..columns).map(|column| intra.contains(&column)).collect();
        let regulariser = Regulariser::non_negative(columns);
        let problem = ProximalProblem::new(self.operator(), self.data(), &regulariser).with_fixed(&fixed);
        fista(&problem, &start, &options.gap_rule(), watch).weights
    }

    fn resolve(
        &self,
        options: &FitOptions,
        rest: &[T],
        watch: &mut impl FnMut(&ProximalPoint) -> bool,
    ) -> Result<Resolved> {
        let (columns, range) = (self.layout().len(), self.layout().intra_unknowns());
        let none = Regulariser::non_negative(columns);
        let free = ProximalProblem::new(self.operator(), self.data(), &none);
        let mut largest = f64::INFINITY;
        // Of λ = fraction · λ_max, or λ itself.
        let mut scaled = |strength: Strength, most: f64| {
            let (lambda, factor) = match strength {
                Strength::Fraction(fraction) => (fraction * most, fraction.recip()),
                Strength::Absolute(lambda) => (lambda, most / lambda),
            };
            if factor.is_finite() {
                largest = if largest.is_finite() { largest.max(factor) } else { factor };
            }
            lambda
        };
        let streamlines = match options.penalty.streamlines {
            Some(strength) => scaled(strength, free.largest_useful_l1(rest, range.clone())),
            None => 0.0,
        };
        let l1 = if streamlines > 0.0 { vec![(range.clone(), streamlines)] } else { Vec::new() };
        let Some((groups, strength)) = &options.penalty.groups else {
            let regulariser = Regulariser::new(columns, true, l1, None)?;
            return Ok(Resolved { regulariser, fixed: None, streamlines, groups: 0.0, largest });
        };
        let intra = self.layout().intra;
        let members: Vec<u32> = groups
            .members
            .iter()
            .flat_map(|&f| (0..intra).map(move |j| (f as usize * intra + j) as u32))
            .collect();
        let starts: Vec<usize> = groups.starts.iter().map(|start| start * intra).collect();
        let mut weights: Vec<f64> =
            (0..groups.len()).map(|g| (groups.members(g).len() as f64).sqrt()).collect();
        let mut fixed = None;
        if groups.weights == GroupWeights::Adaptive {
            let start = vec![T::zero(); columns];
            let plain = fista(&free, &start, &options.gap_rule(), watch).weights;
            let mut held = vec![false; columns];
            for (g, weight) in weights.iter_mut().enumerate() {
                let own = &members[starts[g]..starts[g + 1]];
                let norm = own.iter().map(|&m| plain[m as usize].wide().powi(2)).sum::<f64>().sqrt();
                if norm > 0.0 {
                    *weight /= norm;
                } else {
                    *weight = 0.0;
                    for &m in own {
                        held[m as usize] = true;
                    }
                }
            }
            fixed = Some(held);
        }
        let of = |factor: f64| {
            let scaled = weights.iter().map(|weight| factor * weight).collect();
            GroupPenalty::new(starts.clone(), members.clone(), scaled)
        };
        let unit = Regulariser::new(columns, true, l1.clone(), Some(of(1.0)?))?;
        let problem = ProximalProblem::new(self.operator(), self.data(), &unit);
        let problem = fixed.as_ref().map_or(problem, |fixed| problem.with_fixed(fixed));
        let groups = scaled(*strength, problem.largest_useful_group_factor(rest));
        let regulariser = Regulariser::new(columns, true, l1, Some(of(groups)?))?;
        Ok(Resolved { regulariser, fixed, streamlines, groups, largest })
    }

    /// Streamlines above 0, and groups with one.
    fn support(&self, unknowns: &[T], penalty: &Penalty) -> (usize, usize) {
        let intra = self.layout().intra;
        let supported: Vec<bool> = unknowns[self.layout().intra_unknowns()]
            .chunks_exact(intra.max(1))
            .map(|amounts| amounts.iter().any(|x| *x > T::zero()))
            .collect();
        let groups = penalty.groups.as_ref().map_or(0, |(groups, _)| {
            let lives = |g: &usize| groups.members(*g).iter().any(|&f| supported[f as usize]);
            (0..groups.len()).filter(lives).count()
        });
        (supported.iter().filter(|&&s| s).count(), groups)
    }
}

impl FitOptions {
    fn gap_rule(&self) -> GapRule {
        GapRule { gap: self.gap, gradient_mapping: self.tolerance, iterations: self.iterations }
    }
}

/// Factors of the penalty asked for, from the one that leaves nothing down to 1 in equal ratios.
fn path_factors(largest: f64, points: usize) -> Vec<f64> {
    // Where the penalty asked for leaves nothing there is no way down to it.
    let largest = if largest.is_finite() { largest.max(1.0) } else { 1.0 };
    let last = points.max(1) - 1;
    (0..=last).map(|n| if n == last { 1.0 } else { largest.powf(1.0 - n as f64 / last as f64) }).collect()
}

impl From<&ProximalPoint> for FitPoint {
    fn from(point: &ProximalPoint) -> Self {
        Self {
            iteration: point.iteration,
            products: point.products,
            objective: point.objective,
            projected_gradient: point.gradient_mapping,
            relative_gap: point.gap.map(|gap| if gap > 0.0 { gap / point.objective } else { 0.0 }),
            positive: point.support,
            elapsed: point.elapsed,
        }
    }
}

impl<T> From<ProximalSolution<T>> for Fit<T> {
    fn from(solution: ProximalSolution<T>) -> Self {
        Self {
            unknowns: solution.weights,
            objective: solution.objective,
            gap: solution.duality_gap,
            outcome: solution.outcome,
            trace: solution.trace.iter().map(FitPoint::from).collect(),
            path: Vec::new(),
        }
    }
}

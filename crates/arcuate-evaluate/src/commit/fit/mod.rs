//! Fits the amounts of all compartments of COMMIT to the data, with and without penalties on the amounts.

mod resolved;

use super::{CommitProblem, Penalty};
use arcuate_core::Result;
use arcuate_solve::{
    GapRule, NonNegativeLeastSquares, Outcome, ProximalPoint, ProximalProblem, ProximalSolution, Regulariser,
    SolverElement, SolverOperator, StoppingRule, debias, fista, penalty_path, projected_barzilai_borwein,
};
use std::time::Duration;

/// The algorithm that fits the amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitSolver {
    /// Projected gradients with Barzilai–Borwein step lengths. This algorithm cannot fit with penalties.
    BarzilaiBorwein,
    /// The fast iterative shrinkage-thresholding algorithm (FISTA).
    Fista,
}

/// Options of a fit of the amounts.
#[derive(Debug, Clone, PartialEq)]
pub struct FitOptions {
    /// The algorithm of fits without a penalty. Fits with a penalty always use FISTA.
    pub solver: CommitSolver,
    /// Tolerance of the fit. The solver stops if the norm of the projected gradient is at most this fraction
    /// of its norm at x = 0. The solver FISTA uses the norm of the gradient mapping instead.
    pub tolerance: f64,
    /// Tolerance of the duality gap, as a fraction of the objective. If this option is given, it replaces
    /// `tolerance`, and the solver is FISTA. The gap is an upper bound of the distance between the objective
    /// and its minimum, not an estimate. The gap decreases slowly if some unknowns have no penalty.
    pub gap: Option<f64>,
    /// Maximum number of iterations of a fit.
    pub iterations: usize,
    /// The penalties on the amounts.
    pub penalty: Penalty,
    /// Number of fits on a path of decreasing penalties. The first penalty of the path is the smallest that
    /// removes all streamlines, and the last is the requested penalty. Each fit starts from the solution of
    /// the preceding fit. If this number is 1, only the requested penalty is used. The same happens if the
    /// requested penalty is 0 or removes all streamlines.
    pub path: usize,
    /// If true, a fit with penalties is followed by a fit without penalties. In the second fit, only those
    /// unknowns are free that were above 0 in the first fit. All others stay 0.
    pub debias: bool,
}

/// The fit at one point of a path of decreasing penalties.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint {
    /// Penalty on the amounts of streamlines at this point of the path of penalties, divided by the requested
    /// penalty.
    pub factor: f64,
    /// λ of the penalty on the amounts of streamlines, at this point of the path of penalties.
    pub streamlines: f64,
    /// λ of the penalty on groups of streamlines, at this point of the path of penalties. It multiplies the
    /// weight w_g of each group g.
    pub groups: f64,
    /// λ of the penalty on extra-axonal amounts. It is the same at every point of the path of penalties.
    pub extra: f64,
    /// λ of the penalty on isotropic amounts. It is the same at every point of the path of penalties.
    pub isotropic: f64,
    /// Misfit of the solution, ½‖y − Ax‖².
    pub misfit: f64,
    /// Value of the objective ½‖y − Ax‖² + Ω(x) at the solution, with the penalty Ω.
    pub objective: f64,
    /// Upper bound of the difference between the objective and its minimum. `None` if no bound was computed.
    pub gap: Option<f64>,
    /// Number of streamlines with a positive amount.
    pub supported: usize,
    /// Number of groups in which at least one streamline has a positive amount.
    pub supported_groups: usize,
    /// The reason why the solver stopped.
    pub outcome: Outcome,
}

/// One iteration of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitPoint {
    /// Number of the iteration.
    pub iteration: usize,
    /// Number of matrix-vector products with A or Aᵀ since the start of the fit.
    pub products: usize,
    /// Value of the objective ½‖y − Ax‖² + Ω(x) after this iteration, with the penalty Ω.
    pub objective: f64,
    /// Norm of the projected gradient, divided by its norm at x = 0. The solver FISTA reports the gradient
    /// mapping instead, and only in iterations that evaluate it.
    pub projected_gradient: Option<f64>,
    /// Duality gap divided by the objective. Only the solver FISTA reports it, and only in iterations that
    /// evaluate it.
    pub relative_gap: Option<f64>,
    /// Number of unknowns that are above 0 after this iteration.
    pub positive: usize,
    /// Time since the start of the fit.
    pub elapsed: Duration,
}

/// The result of a fit.
#[derive(Debug, Clone)]
pub struct Fit<T> {
    /// The fitted unknowns. Their order is that of the columns of the problem's operator.
    pub unknowns: Vec<T>,
    /// Value of the objective ½‖y − Ax‖² + Ω(x) of the last fit. If the last fit was a second fit without
    /// penalties, Ω is not included.
    pub objective: f64,
    /// Upper bound of the difference between the objective and its minimum. `None` if no bound was computed.
    pub gap: Option<f64>,
    /// The reason why the solver stopped.
    pub outcome: Outcome,
    /// The iteration history of the last fit. If the fit was repeated without penalties, the history is that
    /// of the repeated fit.
    pub trace: Vec<FitPoint>,
    /// The results at the points of the path of penalties, largest penalty first. Empty if there is no
    /// penalty.
    pub path: Vec<PathPoint>,
}

impl<T: SolverElement, A: SolverOperator<T>> CommitProblem<T, A> {
    /// Minimises the objective ½‖√C (y − A x)‖² + Ω(x) over x ≥ 0, starting at x = 0. C is the confidence of
    /// each voxel, and Ω is the penalty. `watch` is called in every iteration, including those of preparatory
    /// fits. If it returns `false`, the fit stops.
    ///
    /// Returns an error if penalties are invalid, or if groups contain streamlines that the problem does not
    /// have.
    pub fn fit(&self, options: &FitOptions, mut watch: impl FnMut(&FitPoint) -> bool) -> Result<Fit<T>> {
        if options.penalty.is_none() {
            return Ok(self.unpenalised(options, &mut watch));
        }
        options.penalty.check()?;
        let mut seen = |point: &ProximalPoint| watch(&FitPoint::from(point));
        let others = self.other_penalties(&options.penalty);
        let mut start = vec![T::zero(); self.layout().len()];
        if options.penalty.is_of_streamlines() {
            // The penalty that removes all streamlines is determined from the best fit in which all amounts
            // of streamlines are 0.
            start = self.without_streamlines(&others, options, &mut seen)?;
        }
        let resolved = self.resolve(options, others, &start, &mut seen)?;
        let factors = resolved.path_factors(options.path);
        let regularisers: Vec<Regulariser> =
            factors.iter().map(|&factor| resolved.regulariser(factor)).collect::<Result<_>>()?;
        let problem = ProximalProblem::new(self.operator(), self.data(), &regularisers[factors.len() - 1]);
        let problem = resolved.fixed.as_ref().map_or(problem, |fixed| problem.with_fixed(fixed));
        let rule = options.gap_rule();
        let mut solutions = penalty_path(&problem, &regularisers, &start, &rule, |_, point| seen(point));
        let path =
            factors.iter().zip(&regularisers).zip(&solutions).map(|((&factor, regulariser), solution)| {
                let (supported, supported_groups) = self.support(&solution.weights, &options.penalty);
                let [extra, isotropic] = [0, 1].map(|n| resolved.others[n].1);
                PathPoint {
                    factor,
                    streamlines: factor * resolved.streamlines.1,
                    groups: factor * resolved.groups.as_ref().map_or(0.0, |(_, lambda)| *lambda),
                    extra,
                    isotropic,
                    misfit: solution.objective - regulariser.value(&solution.weights),
                    objective: solution.objective,
                    gap: solution.duality_gap,
                    supported,
                    supported_groups,
                    outcome: solution.outcome,
                }
            });
        let path = path.collect();
        #[expect(
            clippy::expect_used,
            reason = "`path_factors` returns at least one factor, and each has a solution"
        )]
        let solution = solutions.pop().expect("a solution of the last factor");
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
        let operator = self.with_local_columns();
        let problem = NonNegativeLeastSquares::new(&operator, self.data());
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

    /// Returns the number of streamlines with a positive amount, and the number of groups that contain such a
    /// streamline.
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

#[cfg(test)]
mod tests {
    use super::super::test_problem::Small;
    use super::super::{DataOptions, GroupWeights, StreamlineGroups, Strength};
    use super::*;
    use arcuate_solve::{Dense, LinearOperator};

    fn problem() -> CommitProblem<f64, Dense<f64>> {
        let small = Small::new();
        small.problem(&small.series(), &DataOptions::default(), None, true).unwrap()
    }

    fn options(penalty: Penalty) -> FitOptions {
        FitOptions {
            solver: CommitSolver::Fista,
            tolerance: 1e-10,
            gap: None,
            iterations: 100_000,
            penalty,
            path: 1,
            debias: false,
        }
    }

    fn fit(options: &FitOptions) -> Fit<f64> {
        let fit = problem().fit(options, |_| true).unwrap();
        assert_eq!(fit.outcome, Outcome::Converged);
        fit
    }

    /// Returns the largest violation of the optimality conditions of the fit, over all unknowns i. With the
    /// negative gradient g_i = (Aᵀ(y − Ax))_i, the conditions are g_i = λ_i if x_i > 0, and g_i ≤ λ_i if x_i
    /// = 0.
    fn violation(unknowns: &[f64], lambda: impl Fn(usize) -> f64) -> f64 {
        let problem = problem();
        let mut residual = vec![0.0; problem.data().len()];
        problem.operator().forward(unknowns, &mut residual);
        for (r, y) in residual.iter_mut().zip(problem.data()) {
            *r = y - *r;
        }
        let mut gradient = vec![0.0; unknowns.len()];
        problem.operator().adjoint(&residual, &mut gradient);
        let of = |i: usize| {
            let excess = gradient[i] - lambda(i);
            if unknowns[i] > 0.0 { excess.abs() } else { excess.max(0.0) }
        };
        (0..unknowns.len()).map(of).fold(0.0, f64::max)
    }

    #[test]
    fn every_compartment_has_its_penalty() {
        let penalty = Penalty {
            streamlines: Some(Strength::Fraction(0.3)),
            extra: Some(Strength::Fraction(0.01)),
            isotropic: Some(Strength::Absolute(0.02)),
            groups: None,
        };
        let fit = fit(&options(penalty));
        let point = fit.path[0];
        assert!(point.streamlines > 0.0 && point.extra > 0.0 && point.isotropic == 0.02, "{point:?}");
        let layout = *problem().layout();
        let lambda = |i: usize| match i {
            i if layout.intra_unknowns().contains(&i) => point.streamlines,
            i if layout.extra_unknowns().contains(&i) => point.extra,
            _ => point.isotropic,
        };
        // The norm of the gradient at x = 0 is about 4. The solver stops if the norm is 1e-10 of this.
        assert!(violation(&fit.unknowns, lambda) < 1e-8);
        // If there are only streamlines, the largest element of Aᵀy is the smallest penalty λ for which all
        // amounts are 0. Other compartments only lower the penalty that removes all streamlines.
        let all = Penalty { extra: Some(Strength::Fraction(1.0)), ..Penalty::default() };
        let fit = self::fit(&options(all));
        assert!(fit.unknowns[layout.extra_unknowns()].iter().all(|&x| x == 0.0));
        assert!(fit.unknowns[layout.intra_unknowns()].iter().any(|&x| x > 0.0));
    }

    #[test]
    fn penalty_paths_start_where_no_streamline_is_supported() {
        let lasso = Penalty { streamlines: Some(Strength::Fraction(0.01)), ..Penalty::default() };
        let groups = StreamlineGroups::new(&[Some(0), Some(1), None], GroupWeights::Size).unwrap();
        let grouped = Penalty { groups: Some((groups, Strength::Fraction(0.01))), ..Penalty::default() };
        for penalty in [lasso, grouped] {
            let penalty = Penalty { isotropic: Some(Strength::Fraction(0.01)), ..penalty };
            let path = fit(&FitOptions { path: 5, ..options(penalty.clone()) }).path;
            let supported: Vec<usize> = path.iter().map(|point| point.supported).collect();
            assert_eq!((path.len(), path[4].factor), (5, 1.0));
            assert!((path[0].factor - 100.0).abs() < 1e-9, "{path:?}");
            // At the first point of the path of penalties, all streamlines are removed, up to rounding.
            assert!(supported[0] == 0 && supported[4] == 2, "{supported:?}");
            assert!(path.windows(2).all(|pair| pair[0].misfit >= pair[1].misfit), "{path:?}");
            assert!(path.iter().all(|point| point.isotropic == path[0].isotropic && point.isotropic > 0.0));
            // A fit that starts at x = 0 gives the same result as a fit that starts at the solution for the
            // preceding penalty.
            let alone = fit(&options(penalty)).path[0];
            assert!((alone.objective - path[4].objective).abs() < 1e-9, "{alone:?}");
        }
    }

    #[test]
    fn degenerate_penalty_paths_have_one_point() {
        for strength in [Strength::Fraction(0.0), Strength::Fraction(1.0), Strength::Absolute(1e9)] {
            let penalty = Penalty { streamlines: Some(strength), ..Penalty::default() };
            let path = fit(&FitOptions { path: 5, ..options(penalty) }).path;
            assert_eq!((path.len(), path[0].factor), (1, 1.0), "{strength:?}");
        }
    }

    #[test]
    fn refitting_removes_the_shrinkage() {
        let penalty = Penalty { streamlines: Some(Strength::Fraction(0.3)), ..Penalty::default() };
        let shrunk = fit(&options(penalty.clone()));
        let refit = fit(&FitOptions { debias: true, ..options(penalty) });
        assert!(refit.objective < shrunk.path[0].misfit);
        assert!(
            refit.unknowns.iter().zip(&shrunk.unknowns).all(|(after, before)| *after == 0.0 || *before > 0.0)
        );
        assert!(refit.unknowns[0] > shrunk.unknowns[0]);
    }

    #[test]
    fn solvers_and_stopping_rules_agree() {
        let plain = options(Penalty::default());
        let fista = fit(&plain);
        let other = fit(&FitOptions { solver: CommitSolver::BarzilaiBorwein, ..plain.clone() });
        // If a tolerance of the duality gap is given, FISTA is used although the options name another solver.
        let gap = FitOptions { solver: CommitSolver::BarzilaiBorwein, gap: Some(1e-9), ..plain };
        let by_gap = fit(&gap);
        assert!(by_gap.trace.iter().any(|point| point.relative_gap.is_some()));
        assert!(by_gap.gap.unwrap() <= 1e-9 * by_gap.objective);
        for (a, b) in fista.unknowns.iter().zip(&other.unknowns) {
            assert!((a - b).abs() < 1e-6, "{fista:?} {other:?}");
        }
        assert!((by_gap.objective - fista.objective).abs() <= 1e-8 * fista.objective.max(1e-8));
    }
}

//! Chooses the weight λ of the penalty λ‖Wx‖² from the data.

use super::{
    QuadraticElement, QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule, conjugate_gradients,
};
use std::cmp::Ordering;

/// Properties of the solution x for one weight λ of the penalty: its misfit, its penalty, and the number of
/// iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The weight λ of the penalty.
    pub lambda: f64,
    /// The misfit ‖y − Ax‖².
    pub misfit: f64,
    /// The penalty ‖Wx‖² (without λ).
    pub penalty: f64,
    /// Number of iterations of the solver, which started from the solution for the previous λ.
    pub iterations: usize,
}

/// The outcome of the choice of λ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceOutcome {
    /// A weight λ of the penalty within the tested interval meets the criterion.
    Found,
    /// The criterion requires a weight λ of the penalty below the tested interval.
    AtLowerEdge,
    /// The criterion requires a weight λ of the penalty above the tested interval.
    AtUpperEdge,
    /// No weight λ of the penalty meets the criterion. One possible reason is that the L-curve (penalty over
    /// misfit) has no corner. Other reasons are misfits that are not finite, are below the precision, or do
    /// not increase with λ because the solver did not converge.
    NotDetermined,
}

/// The chosen λ and its solution.
#[derive(Debug, Clone)]
pub struct PenaltyChoice<T> {
    /// The chosen weight λ of the penalty.
    pub lambda: f64,
    /// The outcome of the choice, which states whether the chosen λ meets the criterion.
    pub outcome: ChoiceOutcome,
    /// The misfit and the penalty for each λ that was tried, in the order of the trials.
    pub curve: Vec<CurvePoint>,
    /// The solution for the chosen λ.
    pub solution: QuadraticSolution<T>,
}

/// Solves the least squares problem for one λ, starting from the previous solution. Appends the misfit and
/// the penalty of the solution to `curve`.
fn solve<T: QuadraticElement>(
    problem: &QuadraticProblem<'_, T>,
    lambda: f64,
    before: Option<&QuadraticSolution<T>>,
    rule: &ResidualRule,
    curve: &mut Vec<CurvePoint>,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> QuadraticSolution<T> {
    let problem = problem.clone().with_lambda(lambda);
    let start = before.map(|solution| solution.unknowns.as_slice());
    let solution = conjugate_gradients(&problem, start, rule, |point| watch(point));
    let iterations = solution.trace.last().map_or(0, |point| point.iteration);
    curve.push(CurvePoint { lambda, misfit: solution.misfit, penalty: solution.penalty, iterations });
    solution
}

/// Chooses λ at the corner of the L-curve. This curve is log ‖Wx‖ over log ‖y − Ax‖, with one point per λ
/// (Hansen 1992, doi:10.1137/1034115). `lambdas` has the values of λ in descending order. The corner is the
/// point of the curve on the side of the origin with the largest distance from the straight line between both
/// ends. The usual criterion, maximum curvature, depends on rounding if points are close together. The two
/// ends of the curve are on the line and cannot be the corner. If the corner is the second or the last but
/// one of `lambdas`, it is therefore reported as being at the edge.
///
/// The least squares problem is solved for each λ, starting from the previous solution, and once more for the
/// λ at the corner. The number of solves is therefore the length of `lambdas` plus 1. `watch` is called in
/// every iteration of every solve, beginning with iteration 0. If it returns `false`, this solve stops, as in
/// [`conjugate_gradients`].
///
/// # Panics
///
/// Panics if `lambdas` has fewer than three values.
pub fn by_l_curve<T: QuadraticElement>(
    problem: &QuadraticProblem<'_, T>,
    lambdas: &[f64],
    rule: &ResidualRule,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> PenaltyChoice<T> {
    assert!(lambdas.len() >= 3, "a curve has three points or more");
    let mut curve: Vec<CurvePoint> = Vec::new();
    let mut before: Option<QuadraticSolution<T>> = None;
    for &lambda in lambdas {
        before = Some(solve(problem, lambda, before.as_ref(), rule, &mut curve, watch));
    }
    let log = |square: f64| 0.5 * square.max(f64::MIN_POSITIVE).ln();
    let points: Vec<[f64; 2]> = curve.iter().map(|point| [log(point.misfit), log(point.penalty)]).collect();
    let (first, last) = (points[0], points[points.len() - 1]);
    // Twice the area of the triangle of this point and both ends of the curve. It is positive if the point is
    // below the line between the ends.
    let below = |point: &[f64; 2]| {
        (last[0] - first[0]) * (point[1] - first[1]) - (last[1] - first[1]) * (point[0] - first[0])
    };
    let corner = (1..points.len() - 1).max_by(|&a, &b| below(&points[a]).total_cmp(&below(&points[b])));
    #[expect(
        clippy::expect_used,
        reason = "`lambdas` has at least three values, so a point is between the ends"
    )]
    let corner = corner.expect("a point between the ends");
    let is_corner = below(&points[corner]) > 0.0 && points.iter().flatten().all(|log| log.is_finite());
    let solution = solve(problem, lambdas[corner], None, rule, &mut curve, watch);
    let outcome = if !is_corner || !is_resolved(&solution) {
        ChoiceOutcome::NotDetermined
    } else if corner == 1 {
        ChoiceOutcome::AtUpperEdge
    } else if corner == lambdas.len() - 2 {
        ChoiceOutcome::AtLowerEdge
    } else {
        ChoiceOutcome::Found
    };
    PenaltyChoice { lambda: lambdas[corner], outcome, curve, solution }
}

/// Returns true if the misfit of a solution is finite and larger than its rounding error.
fn is_resolved<T>(solution: &QuadraticSolution<T>) -> bool {
    solution.misfit > solution.misfit_resolution && solution.misfit.is_finite()
}

/// Chooses λ between `minimum` and `maximum` so that the misfit ‖y − Ax‖² equals `misfit`, to one part in a
/// hundred. `misfit` is the misfit that the noise of the data causes (Morozov's discrepancy principle). The
/// search uses bisection on a logarithmic scale. If the misfit is too large at both ends of the interval, or
/// too small at both, the result is the end whose misfit is closer. The least squares problem is solved at
/// most [`DISCREPANCY_SOLVES`] times. `watch` is called in every iteration of every solve, beginning with
/// iteration 0. If it returns `false`, this solve stops, as in [`conjugate_gradients`].
///
/// # Panics
///
/// Panics unless 0 < least < most, with finite `maximum`.
pub fn by_discrepancy<T: QuadraticElement>(
    problem: &QuadraticProblem<'_, T>,
    misfit: f64,
    [minimum, maximum]: [f64; 2],
    rule: &ResidualRule,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> PenaltyChoice<T> {
    assert!(0.0 < minimum && minimum < maximum && maximum.is_finite(), "a range of numbers above 0");
    let mut curve = Vec::new();
    let mut solution = solve(problem, maximum, None, rule, &mut curve, watch);
    let mut lambda = maximum;
    let mut compared = compare(&solution, misfit);
    let mut outcome = ChoiceOutcome::AtUpperEdge;
    if compared == Some(Ordering::Greater) {
        lambda = minimum;
        solution = solve(problem, minimum, Some(&solution), rule, &mut curve, watch);
        compared = compare(&solution, misfit);
        outcome = ChoiceOutcome::AtLowerEdge;
        if compared == Some(Ordering::Less) {
            outcome = ChoiceOutcome::NotDetermined;
            let (mut low, mut high) = (minimum.ln(), maximum.ln());
            for _ in 0..TRIES {
                let middle = 0.5 * (low + high);
                lambda = middle.exp();
                solution = solve(problem, lambda, Some(&solution), rule, &mut curve, watch);
                compared = compare(&solution, misfit);
                match compared {
                    Some(Ordering::Less) => low = middle,
                    Some(Ordering::Greater) => high = middle,
                    Some(Ordering::Equal) | None => break,
                }
            }
        }
    }
    let outcome = match compared {
        Some(Ordering::Equal) if is_resolved(&solution) => ChoiceOutcome::Found,
        None | Some(Ordering::Equal) => ChoiceOutcome::NotDetermined,
        Some(_) => outcome,
    };
    PenaltyChoice { lambda, outcome, curve, solution }
}

/// Compares the misfit of a solution with the requested misfit. Two misfits are treated as equal if they
/// differ by at most one part in a hundred. Returns `None` if the misfit of the solution is not finite.
fn compare<T>(solution: &QuadraticSolution<T>, target: f64) -> Option<Ordering> {
    if (solution.misfit / target - 1.0).abs() < 0.01 {
        return Some(Ordering::Equal);
    }
    solution.misfit.is_finite().then(|| solution.misfit.total_cmp(&target))
}

/// Maximum number of bisections. This number of bisections reduces the interval of ln λ to less than 1e-4 of
/// its length. Within this small interval, the misfit of a converged solution changes by far less than one
/// part in a hundred.
const TRIES: usize = 14;

/// Maximum number of values of λ that [`by_discrepancy`] tries: both ends of the interval, and one value per
/// bisection.
pub const DISCREPANCY_SOLVES: usize = TRIES + 2;

//! The choice of λ from the data.

use super::{
    QuadraticElement, QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule, conjugate_gradients,
};
use std::cmp::Ordering;

/// What a λ came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// λ.
    pub lambda: f64,
    /// ‖y − Ax‖².
    pub misfit: f64,
    /// ‖Wx‖².
    pub penalty: f64,
    /// Iterations from the solution before.
    pub iterations: usize,
}

/// How the choice of a λ ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceOutcome {
    /// The criterion is met within the interval of λ.
    Found,
    /// The criterion asks for a smaller λ than the smallest of the interval.
    AtLowerEdge,
    /// The criterion asks for a larger λ than the largest of the interval.
    AtUpperEdge,
    /// No λ meets the criterion: the L-curve has no corner, or misfits are not finite, below what the precision resolves, or not
    /// monotone in λ because the solver did not converge.
    NotDetermined,
}

/// A λ that was chosen.
#[derive(Debug, Clone)]
pub struct PenaltyChoice<T> {
    /// λ.
    pub lambda: f64,
    /// Whether λ meets the criterion by which it was chosen.
    pub outcome: ChoiceOutcome,
    /// All that were tried, in their order.
    pub curve: Vec<CurvePoint>,
    /// What solves the problem with it.
    pub solution: QuadraticSolution<T>,
}

/// Solves for λ, from where the last one ended, and notes it.
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

/// The λ at the corner of the L-curve, log ‖Wx‖ over log ‖y − Ax‖ (Hansen 1992, doi:10.1137/1034115), for `lambdas` from large to
/// small: the point that lies furthest from the straight line between both ends of the curve, on the side of the origin. Its
/// curvature, by which corners are usually told, is decided by rounding wherever points lie close together. The corner is at an edge of
/// the interval if it is the second or the last but one of `lambdas`: the ends themselves are on the line. Solved for each λ,
/// from the one before, and once more at the corner: one more time than there are `lambdas`. `watch` sees every iteration of
/// every solve, the start of each with the number 0, and ends a solve as in [`conjugate_gradients`].
///
/// # Panics
/// Where there are fewer than three of them.
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
    // Twice the area of the triangle with both ends, above 0 below their line.
    let below = |point: &[f64; 2]| {
        (last[0] - first[0]) * (point[1] - first[1]) - (last[1] - first[1]) * (point[0] - first[0])
    };
    let corner = (1..points.len() - 1).max_by(|&a, &b| below(&points[a]).total_cmp(&below(&points[b])));
    let corner = corner.expect("three points were tried");
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

/// Whether a misfit is a number that is more than its rounding.
fn is_resolved<T>(solution: &QuadraticSolution<T>) -> bool {
    solution.misfit > solution.misfit_resolution && solution.misfit.is_finite()
}

/// The λ whose solution leaves ‖y − Ax‖² = `misfit`, as large as the noise of the data (Morozov's discrepancy principle),
/// within one part in a hundred, between `least` and `most`: bisection on a logarithmic scale. If the misfit at both ends of the
/// interval is larger, or smaller, the λ is that of the end that comes nearer. Solved [`DISCREPANCY_SOLVES`] times at most; `watch`
/// sees every iteration of every solve, the start of each with the number 0, and ends a solve as in [`conjugate_gradients`].
///
/// # Panics
/// Where the range is not 0 < least < most.
pub fn by_discrepancy<T: QuadraticElement>(
    problem: &QuadraticProblem<'_, T>,
    misfit: f64,
    [least, most]: [f64; 2],
    rule: &ResidualRule,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> PenaltyChoice<T> {
    assert!(0.0 < least && least < most && most.is_finite(), "a range of numbers above 0");
    let mut curve = Vec::new();
    let mut solution = solve(problem, most, None, rule, &mut curve, watch);
    let mut lambda = most;
    let mut compared = compare(&solution, misfit);
    let mut outcome = ChoiceOutcome::AtUpperEdge;
    if compared == Some(Ordering::Greater) {
        lambda = least;
        solution = solve(problem, least, Some(&solution), rule, &mut curve, watch);
        compared = compare(&solution, misfit);
        outcome = ChoiceOutcome::AtLowerEdge;
        if compared == Some(Ordering::Less) {
            outcome = ChoiceOutcome::NotDetermined;
            let (mut low, mut high) = (least.ln(), most.ln());
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

/// A solution's misfit against the one that is wanted; equal within one part in a hundred, and none if it is not finite.
fn compare<T>(solution: &QuadraticSolution<T>, wanted: f64) -> Option<Ordering> {
    if (solution.misfit / wanted - 1.0).abs() < 0.01 {
        return Some(Ordering::Equal);
    }
    solution.misfit.is_finite().then(|| solution.misfit.total_cmp(&wanted))
}

/// Halvings of the range at most. They leave less than 1e-4 of it, in which a misfit of a converged solver changes by far less than
/// one part in a hundred.
const TRIES: usize = 14;

/// How many λ [`by_discrepancy`] tries at most: the ends of its range and the halvings.
pub const DISCREPANCY_SOLVES: usize = TRIES + 2;

//! How large λ is to be, where nobody says.

use super::{
    QuadraticElement, QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule, conjugate_gradients,
};

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

/// A λ that was chosen.
#[derive(Debug, Clone)]
pub struct PenaltyChoice<T> {
    /// λ.
    pub lambda: f64,
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
/// curvature, by which corners are usually told, is decided by rounding wherever points lie close together. Solved for each λ,
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
    let solution = solve(problem, lambdas[corner], None, rule, &mut curve, watch);
    PenaltyChoice { lambda: lambdas[corner], curve, solution }
}

/// The λ whose solution leaves ‖y − Ax‖² = `misfit`, as large as the noise of the data (Morozov's discrepancy principle),
/// within one part in a hundred, between `least` and `most`: bisection on a logarithmic scale. Where even the end of the range
/// leaves more, or less, that end. Solved [`DISCREPANCY_SOLVES`] times at most; `watch` sees every iteration of every solve, the
/// start of each with the number 0, and ends a solve as in [`conjugate_gradients`].
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
    if solution.misfit > misfit {
        let (mut low, mut high) = (least.ln(), most.ln());
        lambda = least;
        solution = solve(problem, least, Some(&solution), rule, &mut curve, watch);
        if solution.misfit < misfit {
            for _ in 0..TRIES {
                let middle = 0.5 * (low + high);
                lambda = middle.exp();
                solution = solve(problem, lambda, Some(&solution), rule, &mut curve, watch);
                if (solution.misfit / misfit - 1.0).abs() < 0.01 {
                    break;
                }
                *(if solution.misfit < misfit { &mut low } else { &mut high }) = middle;
            }
        }
    }
    PenaltyChoice { lambda, curve, solution }
}

/// Halvings of the range, after which it is one part in a thousand of what it was.
const TRIES: usize = 10;

/// How many λ [`by_discrepancy`] tries at most: the ends of its range and the halvings.
pub const DISCREPANCY_SOLVES: usize = TRIES + 2;

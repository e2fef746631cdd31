//! How large λ is to be, where nobody says.

use super::{QuadraticProblem, QuadraticSolution, ResidualRule, conjugate_gradients};
use crate::Real;

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
fn solve<T: Real>(
    problem: &QuadraticProblem<'_, T>,
    lambda: f64,
    before: Option<&QuadraticSolution<T>>,
    rule: &ResidualRule,
    curve: &mut Vec<CurvePoint>,
) -> QuadraticSolution<T> {
    let problem = problem.clone().with_lambda(lambda);
    let start = before.map(|solution| solution.unknowns.as_slice());
    let solution = conjugate_gradients(&problem, start, rule, |_| true);
    let iterations = solution.trace.last().map_or(0, |point| point.iteration);
    curve.push(CurvePoint { lambda, misfit: solution.misfit, penalty: solution.penalty, iterations });
    solution
}

/// The λ at the corner of the L-curve, log ‖Wx‖ over log ‖y − Ax‖ (Hansen 1992, doi:10.1137/1034115): where the curve
/// through the solutions for `lambdas`, from large to small, bends most. Solved for each, from the one before.
///
/// # Panics
/// Where there are fewer than three of them.
pub fn by_l_curve<T: Real>(
    problem: &QuadraticProblem<'_, T>,
    lambdas: &[f64],
    rule: &ResidualRule,
) -> PenaltyChoice<T> {
    assert!(lambdas.len() >= 3, "a curve has three points or more");
    let mut curve: Vec<CurvePoint> = Vec::new();
    let mut before: Option<QuadraticSolution<T>> = None;
    // Where it bends most so far, and how much.
    let mut best: Option<(f64, f64, QuadraticSolution<T>)> = None;
    for &lambda in lambdas {
        let solution = solve(problem, lambda, before.as_ref(), rule, &mut curve);
        if let ([.., a, b, c], Some(middle)) = (curve.as_slice(), before) {
            let log = |square: f64| 0.5 * square.max(f64::MIN_POSITIVE).ln();
            let bend = bend([a, b, c].map(|point| [log(point.misfit), log(point.penalty)]));
            if best.as_ref().is_none_or(|(largest, ..)| bend > *largest) {
                best = Some((bend, b.lambda, middle));
            }
        }
        before = Some(solution);
    }
    let (_, lambda, solution) = best.expect("three points were tried");
    PenaltyChoice { lambda, curve, solution }
}

/// Curvature of the circle through three points of an L-curve from large to small λ: above 0 at its corner.
fn bend([a, b, c]: [[f64; 2]; 3]) -> f64 {
    let sides = |p: [f64; 2], q: [f64; 2]| (p[0] - q[0]).hypot(p[1] - q[1]);
    let area = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
    let product = sides(a, b) * sides(b, c) * sides(a, c);
    // The way leads to the left, then up: it turns to the right.
    if product > 0.0 { -2.0 * area / product } else { 0.0 }
}

/// The λ whose solution leaves ‖y − Ax‖² = `misfit`, as large as the noise of the data (Morozov's discrepancy principle),
/// within one part in a hundred, between `least` and `most`: bisection on a logarithmic scale. Where even the end of the range
/// leaves more, or less, that end.
///
/// # Panics
/// Where the range is not 0 < least < most.
pub fn by_discrepancy<T: Real>(
    problem: &QuadraticProblem<'_, T>,
    misfit: f64,
    [least, most]: [f64; 2],
    rule: &ResidualRule,
) -> PenaltyChoice<T> {
    assert!(0.0 < least && least < most && most.is_finite(), "a range of numbers above 0");
    let mut curve = Vec::new();
    let mut solution = solve(problem, most, None, rule, &mut curve);
    let mut lambda = most;
    if solution.misfit > misfit {
        let (mut low, mut high) = (least.ln(), most.ln());
        lambda = least;
        solution = solve(problem, least, Some(&solution), rule, &mut curve);
        if solution.misfit < misfit {
            for _ in 0..TRIES {
                let middle = 0.5 * (low + high);
                lambda = middle.exp();
                solution = solve(problem, lambda, Some(&solution), rule, &mut curve);
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

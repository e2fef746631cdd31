//! The non-negative solvers against an exact answer, and against each other.

use arcuate_solve::{
    Dense, LinearOperator, Outcome, Real, Solution, StoppingRule, TracePoint, projected_barzilai_borwein,
    sbbnnls,
};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

type Solver<T> = fn(&Dense<T>, &[T], &StoppingRule) -> Solution<T>;

fn solvers<T: Real>() -> [(&'static str, Solver<T>); 2] {
    [
        ("sbbnnls", |a, y, rule| sbbnnls(a, y, &vec![T::zero(); a.columns()], rule, |_| true)),
        ("projected Barzilai-Borwein", |a, y, rule| {
            projected_barzilai_borwein(a, y, &vec![T::zero(); a.columns()], rule, |_| true)
        }),
    ]
}

/// Numbers without pattern in (−1, 1).
fn noise(n: usize, seed: u64) -> f64 {
    let mut z = (n as u64).wrapping_add(seed << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// The exact minimum by trying every set of positive unknowns.
fn exhaustive(rows: usize, columns: usize, a: &[f64], y: &[f64]) -> f64 {
    let a = DMatrix::from_row_slice(rows, columns, a);
    let y = DVector::from_column_slice(y);
    let mut best = 0.5 * y.norm_squared();
    for set in 1u32..1 << columns {
        let chosen: Vec<usize> = (0..columns).filter(|&c| set >> c & 1 == 1).collect();
        let part = a.select_columns(&chosen);
        let Ok(x) = part.clone().svd(true, true).solve(&y, 1e-12) else { continue };
        if x.iter().all(|&v| v >= 0.0) {
            best = best.min(0.5 * (&y - part * x).norm_squared());
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn small_problems_reach_the_exact_minimum(seed in 0u64..1 << 30, columns in 1usize..7) {
        let rows = 12;
        let a: Vec<f64> = (0..rows * columns).map(|n| noise(n, seed)).collect();
        let y: Vec<f64> = (0..rows).map(|n| noise(n, seed + 1)).collect();
        let exact = exhaustive(rows, columns, &a, &y);
        let rule = StoppingRule { tolerance: 1e-10, iterations: 5000 };
        for (name, solve) in solvers() {
            let solution = solve(&Dense::new(columns, a.clone()), &y, &rule);
            // The objective is off by the square of the gradient that remains: far below its own rounding.
            prop_assert!((solution.objective - exact).abs() <= 1e-12 * (1.0 + exact), "{name}: {} {exact}", solution.objective);
            prop_assert!(solution.weights.iter().all(|&w| w >= 0.0));
        }
    }
}

/// A fascicle-like problem: many columns alike, planted non-negative weights, half of them zero, and noise.
fn planted(rows: usize, columns: usize) -> (Vec<f64>, Vec<f64>) {
    let a: Vec<f64> = (0..rows * columns)
        .map(|n| noise(n / columns * 7 + n % columns / 5, 3) + 0.3 * noise(n, 4))
        .collect();
    let w: Vec<f64> = (0..columns).map(|c| noise(c, 5).max(0.0)).collect();
    let y = (0..rows)
        .map(|r| (0..columns).map(|c| a[r * columns + c] * w[c]).sum::<f64>() + 0.2 * noise(r, 6))
        .collect();
    (a, y)
}

#[test]
fn optimality_conditions_hold_at_the_end() {
    let (rows, columns) = (300, 80);
    let (a, y) = planted(rows, columns);
    let operator = Dense::new(columns, a);
    let rule = StoppingRule { tolerance: 1e-11, iterations: 20_000 };
    let mut objectives = Vec::new();
    for (name, solve) in solvers() {
        let solution = solve(&operator, &y, &rule);
        assert_eq!(solution.outcome, Outcome::Converged, "{name}");
        let mut residual = vec![0.0; rows];
        operator.forward(&solution.weights, &mut residual);
        for (r, y) in residual.iter_mut().zip(&y) {
            *r -= y;
        }
        let (mut gradient, mut start) = (vec![0.0; columns], vec![0.0; columns]);
        operator.adjoint(&residual, &mut gradient);
        operator.adjoint(&y, &mut start);
        let scale = start.iter().map(|g: &f64| g * g).sum::<f64>().sqrt();
        for (g, w) in gradient.iter().zip(&solution.weights) {
            assert!(*w >= 0.0 && *g >= -1e-10 * scale && (*w == 0.0 || g.abs() <= 1e-10 * scale), "{name}");
        }
        objectives.push(solution.objective);
        let trace = &solution.trace.points;
        assert!(
            trace.windows(2).all(|p| p[0].products < p[1].products && p[0].iteration + 1 == p[1].iteration)
        );
        assert!(trace.last().unwrap().objective < trace[0].objective);
    }
    assert!((objectives[0] - objectives[1]).abs() <= 1e-12 * objectives[0]);
}

#[test]
fn single_precision_reaches_the_double_precision_objective() {
    let (rows, columns) = (300, 80);
    let (a, y) = planted(rows, columns);
    // The columns are nearly dependent, so a gradient of 1e-4 still hides 2e-3 of the objective.
    let rule = StoppingRule { tolerance: 1e-6, iterations: 5000 };
    let exact = sbbnnls(
        &Dense::new(columns, a.clone()),
        &y,
        &vec![0.0; columns],
        &StoppingRule { tolerance: 1e-11, iterations: 20_000 },
        |_| true,
    );
    let single = Dense::new(columns, a.iter().map(|&v| v as f32).collect());
    let y: Vec<f32> = y.iter().map(|&v| v as f32).collect();
    for (name, solve) in solvers() {
        let solution = solve(&single, &y, &rule);
        let error = (solution.objective - exact.objective) / exact.objective;
        assert!(error.abs() < 1e-6, "{name}: {error:e}");
    }
}

#[test]
fn nothing_to_explain_and_a_perfect_start_stop_at_once() {
    let operator = Dense::new(2, vec![1.0, 0.0, 0.0, 1.0]);
    for (name, solve) in solvers() {
        let nothing = solve(&operator, &[0.0, 0.0], &StoppingRule::default());
        assert_eq!((nothing.outcome, nothing.objective), (Outcome::Converged, 0.0), "{name}");
        // Data that only negative weights could explain: w = 0 is the optimum.
        let negative = solve(&operator, &[-1.0, -2.0], &StoppingRule::default());
        assert_eq!((negative.outcome, negative.weights), (Outcome::Converged, vec![0.0, 0.0]), "{name}");
    }
    let perfect =
        projected_barzilai_borwein(&operator, &[3.0, 4.0], &[3.0, 4.0], &StoppingRule::default(), |_| true);
    assert_eq!(perfect.trace.points.len(), 1);
    assert_eq!(perfect.weights, [3.0, 4.0]);
}

#[test]
fn the_watcher_can_end_a_run() {
    let (a, y) = planted(100, 30);
    let stop = |point: &TracePoint| point.iteration < 3;
    let solution =
        sbbnnls(&Dense::new(30, a), &y, &[0.0; 30], &StoppingRule { tolerance: 0.0, iterations: 100 }, stop);
    assert_eq!(solution.trace.points.len(), 4);
    assert_eq!(solution.outcome, Outcome::IterationLimit);
}

#[test]
fn converged_means_converged_in_single_precision_too() {
    let (a, y) = planted(300, 80);
    let single = Dense::new(80, a.iter().map(|&v| v as f32).collect());
    let y: Vec<f32> = y.iter().map(|&v| v as f32).collect();
    for tolerance in [1e-3, 1e-5, 1e-6, 1e-7] {
        let rule = StoppingRule { tolerance, iterations: 5000 };
        let solution = projected_barzilai_borwein(&single, &y, &[0.0; 80], &rule, |_| true);
        let met = solution.projected_gradient <= tolerance;
        assert_eq!(
            met,
            solution.outcome == Outcome::Converged,
            "{tolerance:e}: {:e}",
            solution.projected_gradient
        );
    }
}

#[test]
fn a_run_cut_short_returns_the_best_weights_it_saw() {
    let (a, y) = planted(300, 80);
    let operator = Dense::new(80, a);
    for iterations in 1..60 {
        let rule = StoppingRule { tolerance: 0.0, iterations };
        let solution = projected_barzilai_borwein(&operator, &y, &[0.0; 80], &rule, |_| true);
        let best = solution.trace.points.iter().map(|p| p.objective).fold(f64::INFINITY, f64::min);
        assert!(
            (solution.objective - best).abs() <= 1e-9 * best,
            "{iterations}: {} {best}",
            solution.objective
        );
    }
}

#[test]
fn data_that_are_no_numbers_end_the_run() {
    let operator = Dense::new(2, vec![1.0, 0.5, 0.25, 1.0]);
    for (name, solve) in solvers() {
        let solution = solve(&operator, &[f64::NAN, 1.0], &StoppingRule::default());
        assert_eq!((solution.outcome, solution.weights), (Outcome::PrecisionLimit, vec![0.0, 0.0]), "{name}");
    }
}

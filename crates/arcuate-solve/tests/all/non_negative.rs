//! Compares the non-negative solvers with an exact solution and with each other.

use arcuate_solve::{
    Dense, LinearOperator, NonNegativeElement, NonNegativeLeastSquares, Outcome, Solution, StoppingRule,
    TracePoint, projected_barzilai_borwein, sbbnnls,
};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

/// A type of solvers, as functions of operator, data, λ and stopping rule.
type Solver<T> = fn(&Dense<T>, &[T], f64, &StoppingRule) -> Solution<T>;

fn solvers<T: NonNegativeElement>() -> [(&'static str, Solver<T>); 2] {
    [
        ("sbbnnls", |a, y, l1, rule| {
            let problem = NonNegativeLeastSquares::new(a, y).with_l1(l1);
            sbbnnls(&problem, &vec![T::zero(); a.columns()], rule, |_| true)
        }),
        ("projected Barzilai-Borwein", |a, y, l1, rule| {
            let problem = NonNegativeLeastSquares::new(a, y).with_l1(l1);
            projected_barzilai_borwein(&problem, &vec![T::zero(); a.columns()], rule, |_| true)
        }),
    ]
}

/// Returns numbers in (−1, 1) without a regular pattern.
fn noise(n: usize, seed: u64) -> f64 {
    let mut z = (n as u64).wrapping_add(seed << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Returns the exact minimum and its weights, by trying every set of positive unknowns.
fn exhaustive(rows: usize, columns: usize, a: &[f64], y: &[f64], l1: f64) -> (f64, Vec<f64>) {
    let a = DMatrix::from_row_slice(rows, columns, a);
    let y = DVector::from_column_slice(y);
    let mut best = (0.5 * y.norm_squared(), vec![0.0; columns]);
    for set in 1u32..1 << columns {
        let chosen: Vec<usize> = (0..columns).filter(|&c| set >> c & 1 == 1).collect();
        let part = a.select_columns(&chosen);
        let Ok(inverse) = part.clone().pseudo_inverse(1e-12) else { continue };
        // For the columns P of this set, the weights solve PᵀP x = Pᵀy − λ.
        let penalty = DVector::from_element(chosen.len(), l1);
        let x = &inverse * &y - &inverse * (inverse.transpose() * penalty);
        if x.iter().all(|&v| v >= 0.0) {
            let objective = 0.5 * (&y - part * &x).norm_squared() + l1 * x.sum();
            if objective < best.0 {
                best = (objective, vec![0.0; columns]);
                for (&column, &value) in chosen.iter().zip(&x) {
                    best.1[column] = value;
                }
            }
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn small_problems_reach_the_exact_minimum(
        seed in 0u64..1 << 30, columns in 1usize..7, fraction in prop::sample::select(vec![0.0, 0.01, 0.3, 0.9])
    ) {
        let rows = 12;
        let a: Vec<f64> = (0..rows * columns).map(|n| noise(n, seed)).collect();
        let y: Vec<f64> = (0..rows).map(|n| noise(n, seed + 1)).collect();
        let operator = Dense::new(columns, a.clone());
        let l1 = fraction * NonNegativeLeastSquares::new(&operator, &y).largest_useful_l1();
        let (exact, weights) = exhaustive(rows, columns, &a, &y, l1);
        let rule = StoppingRule { tolerance: 1e-10, iterations: 5000 };
        for (name, solve) in solvers() {
            let solution = solve(&operator, &y, l1, &rule);
            // The error of the objective is of the order of the squared remaining gradient, which is far
            // below the objective's own rounding error.
            prop_assert!((solution.objective - exact).abs() <= 1e-12 * (1.0 + exact), "{name}: {} {exact}", solution.objective);
            for (w, expected) in solution.weights.iter().zip(&weights) {
                // The error of the weights is the remaining gradient, divided by the smallest squared
                // singular value of such a 12 × 6 matrix.
                prop_assert!(*w >= 0.0 && (w - expected).abs() <= 1e-6, "{name}: {w} {expected}");
            }
        }
    }
}

/// Creates a problem similar to fascicle evaluation: many similar columns, known non-negative weights of
/// which half are 0, and noise.
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
        let solution = solve(&operator, &y, 0.0, &rule);
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
    // The columns are nearly dependent. With a gradient of 1e-4, the objective can still be 2e-3 above its
    // minimum.
    let rule = StoppingRule { tolerance: 1e-6, iterations: 5000 };
    let double = Dense::new(columns, a.clone());
    let exact = sbbnnls(
        &NonNegativeLeastSquares::new(&double, &y),
        &vec![0.0; columns],
        &StoppingRule { tolerance: 1e-11, iterations: 20_000 },
        |_| true,
    );
    let single = Dense::new(columns, a.iter().map(|&v| v as f32).collect());
    let y: Vec<f32> = y.iter().map(|&v| v as f32).collect();
    for (name, solve) in solvers() {
        let solution = solve(&single, &y, 0.0, &rule);
        let error = (solution.objective - exact.objective) / exact.objective;
        assert!(error.abs() < 1e-6, "{name}: {error:e}");
    }
}

#[test]
fn zero_data_and_perfect_starts_stop_immediately() {
    let operator = Dense::new(2, vec![1.0, 0.0, 0.0, 1.0]);
    for (name, solve) in solvers() {
        let nothing = solve(&operator, &[0.0, 0.0], 0.0, &StoppingRule::default());
        assert_eq!((nothing.outcome, nothing.objective), (Outcome::Converged, 0.0), "{name}");
        // Only negative weights could explain these data, so that w = 0 is the optimum.
        let negative = solve(&operator, &[-1.0, -2.0], 0.0, &StoppingRule::default());
        assert_eq!((negative.outcome, negative.weights), (Outcome::Converged, vec![0.0, 0.0]), "{name}");
    }
    let problem = NonNegativeLeastSquares::new(&operator, &[3.0, 4.0]);
    let perfect = projected_barzilai_borwein(&problem, &[3.0, 4.0], &StoppingRule::default(), |_| true);
    assert_eq!(perfect.trace.points.len(), 1);
    assert_eq!(perfect.weights, [3.0, 4.0]);
}

#[test]
fn callbacks_can_stop_the_solver() {
    let (a, y) = planted(100, 30);
    let stop = |point: &TracePoint| point.iteration < 3;
    let operator = Dense::new(30, a);
    let rule = StoppingRule { tolerance: 0.0, iterations: 100 };
    let solution = sbbnnls(&NonNegativeLeastSquares::new(&operator, &y), &[0.0; 30], &rule, stop);
    assert_eq!(solution.trace.points.len(), 4);
    assert_eq!(solution.outcome, Outcome::IterationLimit);
}

#[test]
fn single_precision_convergence_is_genuine() {
    let (a, y) = planted(300, 80);
    let single = Dense::new(80, a.iter().map(|&v| v as f32).collect());
    let y: Vec<f32> = y.iter().map(|&v| v as f32).collect();
    let problem = NonNegativeLeastSquares::new(&single, &y);
    for tolerance in [1e-3, 1e-5, 1e-6, 1e-7] {
        let rule = StoppingRule { tolerance, iterations: 5000 };
        let solution = projected_barzilai_borwein(&problem, &[0.0; 80], &rule, |_| true);
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
fn stopped_runs_return_the_best_weights() {
    let (a, y) = planted(300, 80);
    let operator = Dense::new(80, a);
    let problem = NonNegativeLeastSquares::new(&operator, &y).with_l1(0.1);
    for iterations in 1..60 {
        let rule = StoppingRule { tolerance: 0.0, iterations };
        let solution = projected_barzilai_borwein(&problem, &[0.0; 80], &rule, |_| true);
        let best = solution.trace.points.iter().map(|p| p.objective).fold(f64::INFINITY, f64::min);
        assert!(
            (solution.objective - best).abs() <= 1e-9 * best,
            "{iterations}: {} {best}",
            solution.objective
        );
    }
}

#[test]
fn nan_data_stop_the_solver() {
    let operator = Dense::new(2, vec![1.0, 0.5, 0.25, 1.0]);
    for (name, solve) in solvers() {
        let solution = solve(&operator, &[f64::NAN, 1.0], 0.0, &StoppingRule::default());
        assert_eq!((solution.outcome, solution.weights), (Outcome::PrecisionLimit, vec![0.0, 0.0]), "{name}");
    }
}

#[test]
fn larger_penalties_give_fewer_weights() {
    let (a, y) = planted(300, 80);
    let operator = Dense::new(80, a);
    let largest = NonNegativeLeastSquares::new(&operator, &y).largest_useful_l1();
    let rule = StoppingRule { tolerance: 1e-9, iterations: 20_000 };
    for (name, solve) in solvers() {
        let positive = |fraction: f64| {
            let solution = solve(&operator, &y, fraction * largest, &rule);
            assert_eq!(solution.outcome, Outcome::Converged, "{name}");
            solution.weights.iter().filter(|&&w| w > 0.0).count()
        };
        let counts = [0.0, 0.01, 0.1, 0.4, 0.999].map(positive);
        assert!(counts.is_sorted_by(|more, fewer| more >= fewer), "{name}: {counts:?}");
        assert!(counts[0] > counts[2] && counts[2] > counts[4] && counts[4] > 0, "{name}: {counts:?}");
        assert_eq!([1.0, 1.5].map(positive), [0, 0], "{name}");
    }
}

#[test]
fn nonzero_starts_converge_to_a_zero_optimum() {
    let (a, y) = planted(300, 80);
    let operator = Dense::new(80, a);
    let free = NonNegativeLeastSquares::new(&operator, &y);
    let problem = free.with_l1(2.0 * free.largest_useful_l1());
    for solution in [
        projected_barzilai_borwein(&problem, &[1.0; 80], &StoppingRule::default(), |_| true),
        sbbnnls(&problem, &[1.0; 80], &StoppingRule::default(), |_| true),
    ] {
        assert_eq!((solution.outcome, solution.projected_gradient), (Outcome::Converged, 0.0));
        assert_eq!(solution.weights, [0.0; 80]);
    }
}

//! Compares the proximal gradient solver with closed forms, with exhaustive search, and with the gap that it
//! reports.

use arcuate_solve::{
    Dense, DualityGap, GapRule, GroupPenalty, LinearOperator, NonNegativeLeastSquares, Outcome,
    ProximalProblem, ProximalSolution, Regulariser, StoppingRule, debias, fista, penalty_path,
    projected_barzilai_borwein,
};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

/// Returns numbers in (−1, 1) without a regular pattern.
fn noise(n: usize, seed: u64) -> f64 {
    let mut z = (n as u64).wrapping_add(seed << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// A stopping rule that is nearly the limit of double precision.
const EXACT: GapRule = GapRule { gap: Some(1e-11), gradient_mapping: 1e-12, iterations: 20_000 };

fn solve(a: &Dense<f64>, y: &[f64], regulariser: &Regulariser, rule: &GapRule) -> ProximalSolution<f64> {
    let problem = ProximalProblem::new(a, y, regulariser);
    fista(&problem, &vec![0.0; a.columns()], rule, |_| true)
}

fn objective(a: &Dense<f64>, y: &[f64], regulariser: &Regulariser, x: &[f64]) -> f64 {
    let mut residual = vec![0.0; y.len()];
    a.forward(x, &mut residual);
    0.5 * residual.iter().zip(y).map(|(r, y)| (r - y).powi(2)).sum::<f64>() + regulariser.value(x)
}

/// Creates groups of about `size` unknowns that together contain all unknowns. The unknowns of a group are
/// not contiguous.
fn groups(columns: usize, size: usize, weight: f64) -> GroupPenalty {
    let count = columns.div_ceil(size);
    let mut starts = vec![0];
    let mut members = Vec::new();
    for group in 0..count {
        members.extend((0..columns as u32).filter(|&c| c as usize % count == group));
        starts.push(members.len());
    }
    GroupPenalty::new(starts, members, (0..count).map(|g| weight * (1.0 + 0.1 * g as f64)).collect()).unwrap()
}

#[test]
fn orthogonal_columns_agree_with_the_closed_form() {
    // With A = 2·1, each x minimises 2(y/2 − x)² plus its penalty. The solution is the proximal map with λ/4
    // at y/2.
    let identity: Vec<f64> = (0..36).map(|n| if n % 7 == 0 { 2.0 } else { 0.0 }).collect();
    let a = Dense::new(6, identity);
    let y = [3.0, -4.0, 0.5, 2.0, -1.0, 6.0];
    let penalty = GroupPenalty::new(vec![0, 2, 4], vec![0, 3, 1, 5], vec![2.0, 40.0]).unwrap();
    let l1 = vec![(0..2, 0.8), (2..3, 4.0)];
    for non_negative in [true, false] {
        let regulariser = Regulariser::new(6, non_negative, l1.clone(), Some(penalty.clone())).unwrap();
        let solution = solve(&a, &y, &regulariser, &EXACT);
        let shrink = |y: f64, l1: f64| {
            let y = if non_negative { y.max(0.0) } else { y };
            (0.5 * y.abs() - l1 / 4.0).max(0.0).copysign(y)
        };
        let soft: Vec<f64> =
            y.iter().zip([0.8, 0.8, 4.0, 0.0, 0.0, 0.0]).map(|(&y, l1)| shrink(y, l1)).collect();
        // The norm of group {0, 3} shrinks by λ_g / 4, and group {1, 5} becomes 0.
        let factor = 1.0 - 0.5 / soft[0].hypot(soft[3]);
        let expected = [factor * soft[0], 0.0, soft[2], factor * soft[3], soft[4], 0.0];
        for (x, expected) in solution.weights.iter().zip(expected) {
            // The tolerance allows for the rounding of a few operations.
            assert!((x - expected).abs() <= 1e-12, "{non_negative}: {x} {expected}");
        }
        assert_eq!(solution.outcome, Outcome::Converged);
    }
}

#[test]
fn a_single_group_shrinks_by_its_norm() {
    // With one group and orthonormal columns, the solution is x = y (1 − λ/‖y‖).
    let a = Dense::new(2, vec![1.0, 0.0, 0.0, 1.0]);
    for (weight, expected) in [(2.5, [1.5, 2.0]), (5.0, [0.0, 0.0]), (0.0, [3.0, 4.0])] {
        let penalty = GroupPenalty::new(vec![0, 2], vec![1, 0], vec![weight]).unwrap();
        let regulariser = Regulariser::new(2, true, Vec::new(), Some(penalty)).unwrap();
        let solution = solve(&a, &[3.0, 4.0], &regulariser, &EXACT);
        // The tolerance allows for rounding only.
        assert!(solution.weights.iter().zip(expected).all(|(x, e)| (x - e).abs() <= 1e-14));
        let factor =
            ProximalProblem::new(&a, &[3.0, 4.0], &regulariser).largest_useful_group_factor(&[0.0; 2]);
        assert!(if weight == 0.0 { factor == 0.0 } else { (factor * weight - 5.0).abs() <= 1e-14 });
    }
}

/// Returns the minimum without groups, by trying every set of non-zero unknowns. If signs are free, it also
/// tries every sign.
fn exhaustive(rows: usize, columns: usize, a: &[f64], y: &[f64], l1: &[f64], non_negative: bool) -> f64 {
    let a = DMatrix::from_row_slice(rows, columns, a);
    let y = DVector::from_column_slice(y);
    let mut best = 0.5 * y.norm_squared();
    let choices: usize = if non_negative { 2 } else { 3 };
    for set in 1..choices.pow(columns as u32) {
        let signs: Vec<f64> =
            (0..columns as u32).map(|c| [0.0, 1.0, -1.0][set / choices.pow(c) % choices]).collect();
        let chosen: Vec<usize> = (0..columns).filter(|&c| signs[c] != 0.0).collect();
        let part = a.select_columns(&chosen);
        let Ok(inverse) = part.clone().pseudo_inverse(1e-12) else { continue };
        let penalty = DVector::from_iterator(chosen.len(), chosen.iter().map(|&c| l1[c] * signs[c]));
        let x = &inverse * &y - &inverse * (inverse.transpose() * penalty);
        if x.iter().zip(&chosen).all(|(&x, &c)| x * signs[c] >= 0.0) {
            let penalty: f64 = x.iter().zip(&chosen).map(|(x, &c)| l1[c] * x.abs()).sum();
            best = best.min(0.5 * (&y - part * &x).norm_squared() + penalty);
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn small_problems_reach_the_exact_minimum(
        seed in 0u64..1 << 30, columns in 1usize..6, l1 in prop::sample::select(vec![0.01, 0.3, 2.0]), signs: bool
    ) {
        let rows = 9;
        let a: Vec<f64> = (0..rows * columns).map(|n| noise(n, seed)).collect();
        let y: Vec<f64> = (0..rows).map(|n| noise(n, seed + 1)).collect();
        let ranges = vec![(0..columns / 2, l1), (columns / 2..columns, 2.0 * l1)];
        let l1: Vec<f64> = (0..columns).map(|c| if c < columns / 2 { l1 } else { 2.0 * l1 }).collect();
        let exact = exhaustive(rows, columns, &a, &y, &l1, !signs);
        let operator = Dense::new(columns, a);
        let regulariser = Regulariser::new(columns, !signs, ranges, None).unwrap();
        let solution = solve(&operator, &y, &regulariser, &EXACT);
        // The accuracy is that of the stopping rule.
        prop_assert!((solution.objective - exact).abs() <= 1e-11 * exact, "{} {exact}", solution.objective);
        prop_assert!(solution.duality_gap.unwrap() <= 1.1e-11 * exact);
    }

    /// The gap at any point is at least the distance of its objective from the minimum.
    #[test]
    fn the_duality_gap_bounds_the_suboptimality(
        seed in 0u64..1 << 30, columns in 1usize..12, size in 1usize..5, l1 in 0.0f64..0.5, weight in 0.0f64..0.8,
        non_negative: bool, stop in 0usize..30
    ) {
        let rows = 15;
        // With x ≥ 0, the matrix has no negative entries, as responses have none, so that a shift exists.
        // With free signs, every unknown has a penalty.
        let a = (0..rows * columns).map(|n| noise(n, seed) + f64::from(u8::from(non_negative))).collect();
        let y: Vec<f64> = (0..rows).map(|n| 2.0 * noise(n, seed + 1) + 0.5).collect();
        let operator = Dense::new(columns, a);
        let l1 = if non_negative { l1 } else { l1 + 0.01 };
        let regulariser =
            Regulariser::new(columns, non_negative, vec![(0..columns, l1)], Some(groups(columns, size, weight))).unwrap();
        let best = solve(&operator, &y, &regulariser, &EXACT);
        // The gap is not exactly 0, because products are rounded near the optimum.
        prop_assert!(best.duality_gap.unwrap() <= 1e-9 * best.objective, "{best:?}");
        let early = solve(&operator, &y, &regulariser, &GapRule { gap: Some(0.0), iterations: stop, ..EXACT });
        let gap = early.duality_gap;
        let missing = early.objective - best.objective;
        if let Some(gap) = gap {
            // The tolerance allows for the rounding of both objectives.
            prop_assert!(gap >= 0.0 && gap >= missing - 1e-12 * best.objective, "{gap} {missing}");
        } else {
            prop_assert!(false, "no gap");
        }
        prop_assert!((early.objective - objective(&operator, &y, &regulariser, &early.weights)).abs() <= 1e-12 * early.objective);
        prop_assert!(!non_negative || early.weights.iter().all(|&x| x >= 0.0));
    }
}

/// Creates a problem with similar columns. The smallest curvature is far below the largest one.
fn planted(rows: usize, columns: usize) -> (Vec<f64>, Vec<f64>) {
    let a: Vec<f64> = (0..rows * columns)
        .map(|n| noise(n / columns * 7 + n % columns / 5, 3).abs() + 0.1 * noise(n, 4).abs())
        .collect();
    let w: Vec<f64> = (0..columns).map(|c| noise(c, 5).max(0.0)).collect();
    let y = (0..rows)
        .map(|r| (0..columns).map(|c| a[r * columns + c] * w[c]).sum::<f64>() + 0.2 * noise(r, 6))
        .collect();
    (a, y)
}

/// Creates a sparse problem with random columns that are hardly similar. Few of their elements are not 0.
fn sparse(rows: usize, columns: usize) -> (Vec<f64>, Vec<f64>) {
    let element = |n| if noise(n, 8).abs() < 0.05 { noise(n, 9).abs() } else { 0.0 };
    let a: Vec<f64> = (0..rows * columns).map(element).collect();
    let w: Vec<f64> = (0..columns).map(|c| noise(c, 5).max(0.0)).collect();
    let y = (0..rows)
        .map(|r| (0..columns).map(|c| a[r * columns + c] * w[c]).sum::<f64>() + 0.2 * noise(r, 6))
        .collect();
    (a, y)
}

#[test]
fn ill_conditioned_problems_converge_monotonically() {
    let (rows, columns) = (300, 80);
    let (a, y) = planted(rows, columns);
    let operator = Dense::new(columns, a);
    let penalty = groups(columns, 7, 0.5);
    for regulariser in [
        Regulariser::non_negative(columns),
        Regulariser::new(columns, true, vec![(0..40, 0.3)], Some(penalty.clone())).unwrap(),
        Regulariser::new(columns, false, vec![(0..80, 0.3)], Some(penalty)).unwrap(),
    ] {
        let solution = solve(&operator, &y, &regulariser, &GapRule { gap: Some(1e-9), ..EXACT });
        assert_eq!(solution.outcome, Outcome::Converged);
        assert!(solution.duality_gap.unwrap() <= 1e-9 * solution.objective);
        let trace = &solution.trace;
        // The objective may increase by rounding only.
        assert!(trace.windows(2).all(|p| p[1].objective <= p[0].objective + 1e-14 * trace[0].objective));
        assert!(
            trace.windows(2).all(|p| p[0].products < p[1].products && p[0].iteration + 1 == p[1].iteration)
        );
        assert!(trace.iter().any(|p| p.restarted));
        let gaps: Vec<f64> = trace.iter().filter_map(|p| p.gap).collect();
        assert!(gaps.len() > 2 && gaps.last().unwrap() < &(1e-6 * gaps[0]));
        // Each iteration has two products. A few more are needed for rejected steps and for the direction of
        // the shift.
        let last = trace.last().unwrap();
        assert!(last.products < 3 * last.iteration, "{} products", last.products);
    }
}

#[test]
fn zero_penalty_gives_non_negative_least_squares() {
    let (a, y) = planted(300, 80);
    let operator = Dense::new(80, a);
    let problem = NonNegativeLeastSquares::new(&operator, &y);
    let rule = StoppingRule { tolerance: 1e-11, iterations: 20_000 };
    let expected = projected_barzilai_borwein(&problem, &[0.0; 80], &rule, |_| true);
    let DualityGap { objective, gap } = problem.duality_gap(&expected.weights).unwrap();
    assert!((objective - expected.objective).abs() <= 1e-14 * objective);
    // If no component of the gradient is below −δ min(Aᵀ1), the gap is at most about δ⟨1, Ax⟩.
    let (mut scale, mut image) = (vec![0.0; 80], vec![0.0; 80]);
    operator.adjoint(&y, &mut scale);
    operator.adjoint(&[1.0; 300], &mut image);
    let delta = 1e-11 * DVector::from_vec(scale).norm() / image.iter().copied().fold(f64::INFINITY, f64::min);
    let explained: f64 = image.iter().zip(&expected.weights).map(|(c, x)| c * x).sum();
    assert!(gap <= 2.0 * delta * explained && gap <= 1e-5 * objective, "{gap:e}");
    let solution =
        solve(&operator, &y, &Regulariser::non_negative(80), &GapRule { gap: Some(1e-10), ..EXACT });
    assert!((solution.objective - expected.objective).abs() <= 1e-9 * expected.objective);
    // At x = 0, the bound is very loose, but it is still a bound.
    let nothing = problem.duality_gap(&[0.0; 80]).unwrap();
    assert!(nothing.gap >= nothing.objective - objective && nothing.relative() <= 1.0);
}

#[test]
fn single_precision_reaches_a_small_gap() {
    let (a, y) = sparse(600, 400);
    let operator = Dense::new(400, a.iter().map(|&v| v as f32).collect());
    let y: Vec<f32> = y.iter().map(|&v| v as f32).collect();
    for regulariser in [
        Regulariser::non_negative(400),
        Regulariser::new(400, true, vec![(0..200, 0.03)], Some(groups(400, 7, 0.05))).unwrap(),
    ] {
        let problem = ProximalProblem::new(&operator, &y, &regulariser);
        // ½‖y‖² is about a thousand times the objective, and is rounded to 10⁻⁷.
        let rule = |gap| GapRule { gap: Some(gap), ..GapRule::default() };
        let solution = fista(&problem, &[0.0; 400], &rule(1e-3), |_| true);
        assert_eq!(solution.outcome, Outcome::Converged, "{:?}", solution.trace.last());
        // The solver then reports the precision limit, although the objective still decreases.
        let more = fista(&problem, &solution.weights, &rule(1e-9), |_| true);
        assert_eq!(more.outcome, Outcome::PrecisionLimit, "{:?}", more.trace.last());
        let double: Vec<f64> = y.iter().map(|&y| f64::from(y)).collect();
        let wide = Dense::new(400, a.iter().map(|&a| f64::from(a as f32)).collect());
        let best = solve(&wide, &double, &regulariser, &GapRule { gap: Some(1e-9), ..EXACT }).objective;
        // The error of the objective is the rounding error of the product times the residual: 10⁻⁷ √(½‖y‖² ·
        // objective).
        assert!((more.objective - best).abs() <= 1e-5 * best, "{} {best}", more.objective);
    }
}

#[test]
fn the_gradient_mapping_decides_without_a_duality_gap() {
    // Signs are free, so that no shift is possible, and there is no penalty.
    let a = Dense::new(2, vec![1.0, -1.0, -2.0, 1.0, 1.0, -1.5]);
    let regulariser = Regulariser::new(2, false, Vec::new(), None).unwrap();
    let solution = solve(&a, &[1.0, 2.0, -3.0], &regulariser, &EXACT);
    assert_eq!((solution.outcome, solution.duality_gap), (Outcome::Converged, None));
    assert!(solution.gradient_mapping <= 1e-12);
    // The expected values solve the normal equations with AᵀA = [6, −4.5; −4.5, 4.25] and Aᵀy = [−6, 5.5].
    let determinant = 6.0 * 4.25 - 4.5 * 4.5;
    let expected = [(-6.0 * 4.25 + 4.5 * 5.5) / determinant, (6.0 * 5.5 - 4.5 * 6.0) / determinant];
    // The curvatures of this problem differ by less than a factor of a hundred.
    assert!(solution.weights.iter().zip(expected).all(|(x, e)| (x - e).abs() <= 1e-9), "{solution:?}");
}

#[test]
fn the_largest_useful_penalties_give_zero_solutions() {
    let (a, y) = planted(300, 80);
    let operator = Dense::new(80, a);
    // The second half of the unknowns has no penalty. These unknowns are fitted first.
    let fixed: Vec<bool> = (0..80).map(|c| c < 40).collect();
    let only_l1 = Regulariser::new(80, true, vec![(0..40, 1.0)], None).unwrap();
    let halves = GroupPenalty::new(vec![0, 20, 40], (0..40).collect(), vec![1.0, 1.5]).unwrap();
    let both = Regulariser::new(80, true, vec![(0..40, 0.1)], Some(halves)).unwrap();
    for regulariser in [only_l1, both] {
        let problem = ProximalProblem::new(&operator, &y, &regulariser);
        let rest = fista(&problem.with_fixed(&fixed), &[0.0; 80], &EXACT, |_| true).weights;
        assert!(rest[..40].iter().all(|&x| x == 0.0) && rest[40..].iter().any(|&x| x > 0.0));
        let used = |factor: f64| {
            let (l1, groups) = if regulariser.groups().is_some() { (1.0, factor) } else { (factor, 1.0) };
            let scaled = regulariser.scaled(l1, groups);
            let solution = solve(&operator, &y, &scaled, &EXACT);
            solution.weights[..40].iter().filter(|&&x| x > 0.0).count()
        };
        let largest = match regulariser.groups() {
            Some(_) => problem.largest_useful_group_factor(&rest),
            None => problem.largest_useful_l1(&rest, 0..40),
        };
        assert!(largest > 0.0);
        // The unknowns without a penalty were found with an accuracy of about 1e-6 of their weights.
        assert_eq!(used(1.001 * largest), 0);
        assert!(used(0.99 * largest) > 0 && used(0.2 * largest) >= used(0.9 * largest));
    }
}

#[test]
fn a_path_of_penalties_starts_warm_and_refits_without_bias() {
    let (a, y) = planted(300, 80);
    let operator = Dense::new(80, a);
    let regulariser = Regulariser::new(80, true, vec![(0..80, 1.0)], None).unwrap();
    let problem = ProximalProblem::new(&operator, &y, &regulariser);
    let largest = problem.largest_useful_l1(&[0.0; 80], 0..80);
    let factors = [1.0, 0.3, 0.1, 0.03].map(|f| f * largest);
    let regularisers = factors.map(|factor| regulariser.scaled(factor, 1.0));
    let rule = GapRule { gap: Some(1e-8), ..EXACT };
    let mut seen = vec![0; 4];
    let path = penalty_path(&problem, &regularisers, &[0.0; 80], &rule, |n, point| {
        seen[n] = point.iteration;
        true
    });
    assert!(path[0].weights.iter().all(|&x| x == 0.0));
    let mut cold = 0;
    for (solution, factor) in path.iter().zip(factors) {
        assert_eq!(solution.outcome, Outcome::Converged);
        let alone = solve(&operator, &y, &regulariser.scaled(factor, 1.0), &rule);
        assert!((solution.objective - alone.objective).abs() <= 1e-8 * alone.objective);
        cold += alone.trace.last().unwrap().iteration;
    }
    assert!(seen.iter().sum::<usize>() < cold, "{seen:?} {cold}");
    let refit = debias(&problem, &path[2].weights, &rule, |_| true);
    assert_eq!(refit.outcome, Outcome::Converged);
    let free = Regulariser::non_negative(80);
    let before = objective(&operator, &y, &free, &path[2].weights);
    let best = solve(&operator, &y, &free, &rule).objective;
    assert!(best <= refit.objective * (1.0 + 1e-8) && refit.objective < before);
    assert!(refit.weights.iter().zip(&path[2].weights).all(|(after, before)| *after == 0.0 || *before > 0.0));
}

#[test]
fn zero_and_nan_data_stop_immediately() {
    let a = Dense::new(2, vec![1.0, 0.5, 0.25, 1.0]);
    let regulariser = Regulariser::new(2, true, vec![(0..2, 0.1)], None).unwrap();
    let nothing = solve(&a, &[0.0, 0.0], &regulariser, &GapRule::default());
    assert_eq!((nothing.outcome, nothing.objective, nothing.trace.len()), (Outcome::Converged, 0.0, 1));
    let negative = solve(&a, &[-1.0, -2.0], &regulariser, &GapRule::default());
    assert_eq!((negative.outcome, negative.weights), (Outcome::Converged, vec![0.0, 0.0]));
    let unknown = solve(&a, &[f64::NAN, 1.0], &regulariser, &GapRule::default());
    assert_eq!((unknown.outcome, unknown.weights), (Outcome::PrecisionLimit, vec![0.0, 0.0]));
    let problem = ProximalProblem::new(&a, &[1.0, 1.0], &regulariser);
    let stopped = fista(&problem, &[0.0; 2], &EXACT, |point| point.iteration < 2);
    assert_eq!((stopped.outcome, stopped.trace.len()), (Outcome::IterationLimit, 3));
    // A start with negative unknowns is not feasible.
    let start = fista(&problem, &[-1.0, -5.0], &EXACT, |_| false);
    assert_eq!(start.weights, [0.0, 0.0]);
}

#[test]
fn invalid_regularisers_are_rejected() {
    let message_of = |result: arcuate_core::Result<Regulariser>| result.unwrap_err().to_string();
    let group = |starts, members, weights| GroupPenalty::new(starts, members, weights);
    let all = Regulariser::new(4, true, vec![(0..2, -1.0)], None);
    assert!(message_of(all).contains("λ of 0..2 is -1"));
    assert!(message_of(Regulariser::new(4, true, vec![(0..3, 1.0), (2..4, 1.0)], None)).contains("overlap"));
    assert!(message_of(Regulariser::new(4, true, vec![(2..5, 1.0)], None)).contains("unknown 4 of 4"));
    let beyond = group(vec![0, 2], vec![0, 9], vec![1.0]).unwrap();
    assert!(message_of(Regulariser::new(4, true, Vec::new(), Some(beyond))).contains("unknown 9 of 4"));
    for (starts, members, weights, problem) in [
        (vec![], vec![], vec![], "do not rise"),
        (vec![0, 2, 1], vec![0], vec![1.0, 1.0], "do not rise"),
        (vec![0, 1], vec![0, 1], vec![1.0], "do not rise"),
        (vec![0, 2], vec![3, 3], vec![1.0], "unknown 3 stands twice"),
        (vec![0, 1], vec![0], vec![f64::INFINITY], "λ is inf"),
    ] {
        let error = group(starts, members, weights).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn the_number_of_products_is_close_to_barzilai_borwein() {
    // This problem is the best case of the other solver.
    let (a, y) = sparse(600, 400);
    let (operator, columns) = (Dense::new(400, a), 400);
    let rule = GapRule { gap: Some(1e-6), ..EXACT };
    let solution = solve(&operator, &y, &Regulariser::non_negative(columns), &rule);
    let problem = NonNegativeLeastSquares::new(&operator, &y);
    let other = (4..12).find_map(|digits| {
        let rule = StoppingRule { tolerance: 0.1f64.powi(digits), iterations: 5000 };
        let solution = projected_barzilai_borwein(&problem, &vec![0.0; columns], &rule, |_| true);
        let gap = problem.duality_gap(&solution.weights).unwrap();
        (gap.relative() <= 1e-6).then(|| solution.trace.points.last().unwrap().products)
    });
    let (products, other) = (solution.trace.last().unwrap().products, other.unwrap());
    // FISTA needed 563 products and the other solver 244 when this test was written.
    assert!(
        solution.outcome == Outcome::Converged && products < 3 * other,
        "{products} and {other} products"
    );
}

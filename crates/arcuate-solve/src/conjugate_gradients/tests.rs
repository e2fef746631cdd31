use super::*;
use crate::algebra::Diagonal;
use crate::{Dense, LinearOperator, Outcome, Real, SolverOperator, vector};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A matrix with 60 rows (data), 24 columns (unknowns) and singular values from 1 to 1e-3. Its columns are
/// cosines whose amplitudes decrease with frequency.
fn matrix<T: Real>() -> Dense<T> {
    Dense::new(24, values())
}

/// Returns the entries of the matrix, row by row.
fn values<T: Real>() -> Vec<T> {
    let value = |row: usize, column: usize| {
        let angle = std::f64::consts::PI * (row as f64 + 0.5) * column as f64 / 60.0;
        angle.cos() * 10f64.powf(-3.0 * column as f64 / 23.0)
    };
    (0..60 * 24).map(|n| T::of(value(n / 24, n % 24))).collect()
}

fn data<T: Real>(noise: f64) -> Vec<T> {
    let truth: Vec<f64> = (0..24).map(|n| 1.0 + (n as f64 * 0.9).sin()).collect();
    let mut data = vec![0.0; 60];
    matrix::<f64>().forward(&truth, &mut data);
    let noisy = |(n, y): (usize, &f64)| {
        let golden = (n as f64 + 1.0) * 0.618_033_988_749_894_9;
        T::of(y + noise * 12f64.sqrt() * (golden.fract() - 0.5))
    };
    data.iter().enumerate().map(noisy).collect()
}

/// Returns the exact solution (AᵀA + λ diag(d)²)⁻¹ Aᵀy, computed by elimination.
fn direct(lambda: f64, d: &[f64], y: &[f64]) -> Vec<f64> {
    let (a, n) = (matrix::<f64>(), d.len());
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut right = vec![0.0; n];
    a.adjoint(y, &mut right);
    for i in 0..n {
        let mut unit = vec![0.0; n];
        unit[i] = 1.0;
        let mut row = vec![0.0; n];
        a.normal(&unit, &mut row);
        row[i] += lambda * d[i] * d[i];
        row.push(right[i]);
        rows.push(row);
    }
    for i in 0..n {
        let pivot = rows[i].clone();
        for (other, row) in rows.iter_mut().enumerate() {
            if other != i {
                let factor = row[i] / pivot[i];
                row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
            }
        }
    }
    (0..n).map(|i| rows[i][n] / rows[i][i]).collect()
}

#[test]
fn the_minimum_agrees_with_elimination_and_reported_values_are_correct() {
    let d: Vec<f64> = (0..24).map(|n| 1.0 + 0.1 * f64::from(n)).collect();
    let (a, w, y) = (matrix::<f64>(), Diagonal::new(d.clone()), data::<f64>(0.01));
    for (lambda, penalty) in [(0.0, None), (1e-3, None), (1e-3, Some(&w as &dyn SolverOperator<f64>))] {
        let problem = QuadraticProblem::new(&a, &y).with_penalty(lambda, penalty);
        let rule = ResidualRule { tolerance: 1e-13, iterations: 500, ..ResidualRule::default() };
        let solution = conjugate_gradients(&problem, None, &rule, |_| true);
        assert_eq!(solution.outcome, Outcome::Converged);
        let expected = direct(lambda, if penalty.is_some() { &d } else { &[1.0; 24] }, &y);
        // The tolerance allows for condition numbers up to 1e6.
        let error = crate::checks::relative_difference(&solution.unknowns, &expected);
        assert!(error < 1e-6, "{lambda} {error:e}");
        let mut image = vec![0.0; 60];
        a.forward(&solution.unknowns, &mut image);
        vector::subtract(&mut image, &y);
        let misfit = vector::norm_squared(&image);
        let weighed: Vec<f64> = solution.unknowns.iter().zip(&d).map(|(x, d)| x * d).collect();
        let of_w = vector::norm_squared(if penalty.is_some() { &weighed } else { &solution.unknowns });
        let scale = vector::norm_squared(&y);
        assert!((solution.misfit - misfit).abs() < 1e-12 * scale, "{} {misfit}", solution.misfit);
        assert!((solution.penalty / of_w - 1.0).abs() < 1e-12);
        assert!((solution.objective - 0.5 * (misfit + lambda * of_w)).abs() < 1e-12 * scale);
        assert!(solution.trace.windows(2).all(|pair| pair[1].objective <= pair[0].objective + 1e-13 * scale));
        assert_eq!(solution.trace[0].objective, 0.5 * scale);
        // A restart from the solution finishes without an iteration.
        let again =
            conjugate_gradients(&problem, Some(&solution.unknowns), &ResidualRule::default(), |_| true);
        assert_eq!((again.trace.len(), again.outcome), (1, Outcome::Converged));
    }
}

#[test]
fn callbacks_can_stop_the_solver() {
    let (a, y) = (matrix::<f32>(), data::<f32>(0.05));
    let problem = QuadraticProblem::new(&a, &y);
    let rule = ResidualRule { tolerance: 0.0, misfit: None, iterations: 7 };
    let solution = conjugate_gradients(&problem, None, &rule, |_| true);
    assert_eq!((solution.trace.len(), solution.outcome), (8, Outcome::IterationLimit));
    let solution = conjugate_gradients(&problem, None, &rule, |point| point.iteration < 3);
    assert_eq!((solution.trace.len(), solution.outcome), (4, Outcome::IterationLimit));
    // The solver stops at the misfit of the noise: 60 · 0.05².
    let rule = ResidualRule { tolerance: 0.0, misfit: Some(60.0 * 0.0025), iterations: 100 };
    let solution = conjugate_gradients(&problem, None, &rule, |_| true);
    assert_eq!(solution.outcome, Outcome::Converged);
    assert!(
        solution.misfit <= 0.15 && solution.trace.len() < 30,
        "{} {}",
        solution.misfit,
        solution.trace.len()
    );
    let before = &solution.trace[solution.trace.len() - 2];
    assert!(2.0 * before.objective > 0.15);
    // With a penalty, the misfit does not include the penalty. The solver stops at the first iteration with
    // this misfit.
    let (a, y) = (matrix::<f64>(), data::<f64>(0.05));
    let problem = QuadraticProblem::new(&a, &y).with_penalty(0.01, None);
    let rule = ResidualRule { tolerance: 0.0, misfit: Some(0.32), iterations: 100 };
    let solution = conjugate_gradients(&problem, None, &rule, |_| true);
    let one_less = ResidualRule { misfit: None, iterations: solution.trace.len() - 2, ..rule };
    let before = conjugate_gradients(&problem, None, &one_less, |_| true);
    assert_eq!(solution.outcome, Outcome::Converged);
    assert!(solution.misfit <= 0.32 && before.misfit > 0.32, "{} {}", solution.misfit, before.misfit);
    assert!(2.0 * solution.objective > 0.32, "{}", solution.objective);
    let (a, y) = (matrix::<f32>(), data::<f32>(0.05));
    let problem = QuadraticProblem::new(&a, &y);
    // With a tolerance that cannot be reached, the solver stops at the limit of rounding.
    let rule = ResidualRule { tolerance: 0.0, misfit: None, iterations: 100_000 };
    let solution = conjugate_gradients(&problem, None, &rule, |_| true);
    assert!(solution.residual < 1e-4, "{}", solution.residual);
    // If the data are 0, the unknowns are 0. If the data are NaN, the solver stops at once.
    let zero = conjugate_gradients(&QuadraticProblem::new(&a, &[0.0; 60]), None, &rule, |_| true);
    assert_eq!((zero.outcome, zero.trace.len()), (Outcome::Converged, 1));
    let spoilt = conjugate_gradients(&QuadraticProblem::new(&a, &[f32::NAN; 60]), None, &rule, |_| true);
    assert_eq!((spoilt.outcome, spoilt.trace.len()), (Outcome::PrecisionLimit, 1));
}

/// Returns the iteration numbers of all solves, each beginning with iteration 0.
fn of_all_solves(choice: &PenaltyChoice<f64>) -> Vec<usize> {
    choice.curve.iter().flat_map(|point| 0..=point.iterations).collect()
}

#[test]
fn the_discrepancy_principle_selects_the_penalty() {
    let (a, y) = (matrix::<f64>(), data::<f64>(0.02));
    let problem = QuadraticProblem::new(&a, &y);
    let rule = ResidualRule { tolerance: 1e-10, iterations: 300, ..ResidualRule::default() };
    let noise = 60.0 * 4e-4;
    let mut seen = Vec::new();
    let choice = by_discrepancy(&problem, noise, [1e-8, 1e3], &rule, &mut |point| {
        seen.push(point.iteration);
        true
    });
    assert_eq!(seen, of_all_solves(&choice));
    assert!((3..=DISCREPANCY_SOLVES).contains(&choice.curve.len()), "{}", choice.curve.len());
    assert!((choice.solution.misfit / noise - 1.0).abs() < 0.01, "{}", choice.solution.misfit);
    assert!(choice.curve.iter().any(|point| point.lambda == choice.lambda));
    assert_eq!(choice.outcome, ChoiceOutcome::Found);
}

#[test]
fn failed_penalty_choices_are_reported() {
    let (a, y) = (matrix::<f64>(), data::<f64>(0.02));
    let problem = QuadraticProblem::new(&a, &y);
    let rule = ResidualRule { tolerance: 1e-10, iterations: 300, ..ResidualRule::default() };
    // The requested misfit is larger than the data, or smaller than the misfit at the smallest λ.
    let maximum = by_discrepancy(&problem, 1e9, [1e-8, 1e3], &rule, &mut |_| true);
    assert_eq!((maximum.lambda, maximum.curve.len(), maximum.outcome), (1e3, 1, ChoiceOutcome::AtUpperEdge));
    for noise in [0.0, 1e-9] {
        let minimum = by_discrepancy(&problem, noise, [1e-3, 1e3], &rule, &mut |_| true);
        assert_eq!(
            (minimum.lambda, minimum.curve.len(), minimum.outcome),
            (1e-3, 2, ChoiceOutcome::AtLowerEdge)
        );
    }
    // For data without noise, misfits in single precision become rounding errors before they are as small as
    // the requested one.
    let (single, exact) = (matrix::<f32>(), data::<f32>(0.0));
    let problem_of_exact = QuadraticProblem::new(&single, &exact);
    let wanted = 1e-16 * problem_of_exact.data_squared();
    let rule_of_exact = ResidualRule { tolerance: 1e-7, ..rule };
    let choice = by_discrepancy(&problem_of_exact, wanted, [1e-12, 1e3], &rule_of_exact, &mut |_| true);
    assert!(choice.outcome != ChoiceOutcome::Found, "{:?}", choice.solution.misfit);
    // If the data are NaN, no λ is found.
    let spoilt = [f64::NAN; 60];
    let problem_of_spoilt = QuadraticProblem::new(&a, &spoilt);
    let choice = by_discrepancy(&problem_of_spoilt, 1.0, [1e-3, 1e3], &rule, &mut |_| true);
    assert_eq!(choice.outcome, ChoiceOutcome::NotDetermined);
    // These L-curves have no corner. Data without noise need no trade-off, and the smallest penalties change
    // nothing.
    let lambdas = |maximum: f64| (0..13).map(|n| 10f64.powf(maximum - 0.5 * n as f64)).collect::<Vec<_>>();
    let outcome = |problem: &QuadraticProblem<'_, f64>, maximum: f64| {
        by_l_curve(problem, &lambdas(maximum), &rule, &mut |_| true).outcome
    };
    let exact = data::<f64>(0.0);
    assert_ne!(outcome(&QuadraticProblem::new(&a, &exact), 2.0), ChoiceOutcome::Found);
    assert_ne!(outcome(&problem, -12.0), ChoiceOutcome::Found);
    assert_eq!(outcome(&problem_of_spoilt, 2.0), ChoiceOutcome::NotDetermined);
}

/// Returns ‖y − Ax‖², computed in double precision.
fn misfit_of(x: &[f32], y: &[f32]) -> f64 {
    let [x, y] = [x, y].map(|values| values.iter().map(|&value| f64::from(value)).collect::<Vec<_>>());
    let a = Dense::new(24, values::<f32>().into_iter().map(f64::from).collect());
    let mut image = vec![0.0; 60];
    a.forward(&x, &mut image);
    vector::subtract(&mut image, &y);
    vector::norm_squared(&image)
}

#[test]
fn small_misfits_are_computed_from_the_residual() {
    let a = matrix::<f32>();
    // The misfits decrease to 1e-9 ‖y‖², which sums in single precision cannot resolve.
    for noise in [0.3, 1e-2, 1e-3, 1e-4] {
        let y = data::<f32>(noise);
        let problem = QuadraticProblem::new(&a, &y).with_penalty(1e-6, None);
        let rule = ResidualRule { tolerance: 1e-6, misfit: None, iterations: 200 };
        let solution = conjugate_gradients(&problem, None, &rule, |_| true);
        let expected = misfit_of(&solution.unknowns, &y);
        assert!(solution.misfit > solution.misfit_resolution);
        assert!((solution.misfit / expected - 1.0).abs() < 2e-3, "{noise}: {} {expected}", solution.misfit);
        let last = solution.trace.last().unwrap();
        let objective = 0.5 * (expected + 1e-6 * solution.penalty);
        assert!((solution.objective / objective - 1.0).abs() < 2e-3, "{noise}");
        assert_eq!(last.objective, solution.objective);
        // Iterations also stop at a misfit that is this small: at the first iteration that has it.
        let enough = 1.5 * expected;
        let stops = ResidualRule { tolerance: 0.0, misfit: Some(enough), iterations: 200 };
        let stopped = conjugate_gradients(&problem, None, &stops, |_| true);
        let one_less = ResidualRule { misfit: None, iterations: stopped.trace.len() - 2, ..stops };
        let before = conjugate_gradients(&problem, None, &one_less, |_| true);
        assert_eq!(stopped.outcome, Outcome::Converged, "{noise}");
        let (of_last, of_before) = (misfit_of(&stopped.unknowns, &y), misfit_of(&before.unknowns, &y));
        assert!(
            of_last <= 1.002 * enough && of_before > 0.998 * enough,
            "{noise}: {of_last} {of_before} {enough}"
        );
    }
}

#[test]
fn misfits_need_at_most_one_operator_product() {
    let products = |noise: f64| {
        let a = Counted { inner: matrix::<f32>(), forward: AtomicUsize::new(0) };
        let y = data::<f32>(noise);
        conjugate_gradients(&QuadraticProblem::new(&a, &y), None, &ResidualRule::default(), |_| true);
        a.forward.into_inner()
    };
    assert_eq!([10.0, 1e-3].map(products), [0, 1]);
}

/// An operator that counts products with A. Products with AᵀA do not use A.
struct Counted {
    inner: Dense<f32>,
    forward: AtomicUsize,
}

impl SolverOperator<f32> for Counted {}

impl LinearOperator<f32> for Counted {
    fn rows(&self) -> usize {
        self.inner.rows()
    }

    fn columns(&self) -> usize {
        self.inner.columns()
    }

    fn apply_forward(&self, unknowns: &[f32], data: &mut [f32]) {
        self.forward.fetch_add(1, Ordering::Relaxed);
        self.inner.apply_forward(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[f32], unknowns: &mut [f32]) {
        self.inner.apply_adjoint(data, unknowns);
    }

    fn apply_normal(&self, unknowns: &[f32], out: &mut [f32]) {
        self.inner.apply_normal(unknowns, out);
    }
}

#[test]
fn single_and_double_precision_choose_the_same_penalty() {
    let rule = ResidualRule { tolerance: 1e-7, misfit: None, iterations: 300 };
    for noise in [1e-2, 1e-3] {
        let wanted = 120.0 * noise * noise;
        let (single, double) = (data::<f32>(noise), data::<f64>(noise));
        let (a, b) = (matrix::<f32>(), matrix::<f64>());
        let (of_single, of_double) = (QuadraticProblem::new(&a, &single), QuadraticProblem::new(&b, &double));
        let found = by_discrepancy(&of_single, wanted, [1e-8, 1e3], &rule, &mut |_| true);
        let expected = by_discrepancy(&of_double, wanted, [1e-8, 1e3], &rule, &mut |_| true);
        assert_eq!([found.outcome, expected.outcome], [ChoiceOutcome::Found; 2]);
        let ratio = found.lambda / expected.lambda;
        assert!((0.9..1.1).contains(&ratio), "{noise}: {} {}", found.lambda, expected.lambda);
        let lambdas: Vec<f64> = (0..19).map(|n| 10f64.powf(1.0 - 0.5 * n as f64)).collect();
        let found = by_l_curve(&of_single, &lambdas, &rule, &mut |_| true);
        let expected = by_l_curve(&of_double, &lambdas, &rule, &mut |_| true);
        assert_eq!((found.lambda, found.outcome), (expected.lambda, expected.outcome), "{noise}");
    }
}

#[test]
fn the_corner_of_the_l_curve_is_near_the_best_penalty() {
    let truth: Vec<f64> = (0..24).map(|n| 1.0 + (n as f64 * 0.9).sin()).collect();
    let (a, y) = (matrix::<f64>(), data::<f64>(0.1));
    let problem = QuadraticProblem::new(&a, &y);
    let rule = ResidualRule { tolerance: 1e-10, iterations: 300, ..ResidualRule::default() };
    let lambdas: Vec<f64> = (0..25).map(|n| 10f64.powf(2.0 - n as f64 / 3.0)).collect();
    let mut seen = Vec::new();
    let choice = by_l_curve(&problem, &lambdas, &rule, &mut |point| {
        seen.push(point.iteration);
        true
    });
    assert_eq!(seen, of_all_solves(&choice));
    // The problem is solved once more at the corner, starting from 0.
    assert_eq!((choice.curve.len(), choice.curve[25].lambda), (26, choice.lambda));
    let error = |x: &[f64]| crate::checks::relative_difference(x, &truth);
    let of = |lambda: f64| {
        error(&conjugate_gradients(&problem.clone().with_lambda(lambda), None, &rule, |_| true).unknowns)
    };
    let best = lambdas.iter().map(|&lambda| of(lambda)).fold(f64::INFINITY, f64::min);
    let found = error(&choice.solution.unknowns);
    // The solutions at both ends of the interval of λ are much worse.
    let ends = [of(1e-6), of(100.0)];
    assert!(found < 1.5 * best && ends.iter().all(|end| found < 0.7 * end), "{found} {best} {ends:?}");
    assert!((found - of(choice.lambda)).abs() < 1e-6);
    assert_eq!(choice.outcome, ChoiceOutcome::Found);
}

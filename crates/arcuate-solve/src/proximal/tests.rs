//! Compares FISTA on GPUs with FISTA on the CPU.

use crate::gpus::DenseOnGpus;
use crate::{
    Dense, GapRule, GroupPenalty, Outcome, ProximalElement, ProximalProblem, Regulariser, SolverOperator,
    debias, fista,
};
use arcuate_compute::cuda::Gpus;
use arcuate_compute::{Purpose, Random};

const ROWS: usize = 50;
const RAW: usize = 7;
const COLUMNS: usize = 22;

/// Creates a matrix B ≥ 0 and an integer matrix E ≥ 0 for the operator A = B Eᵀ, and data that some of
/// the unknowns explain.
fn factors() -> (Vec<f64>, Vec<i32>, Vec<f64>) {
    let mut random = Random::new(7, Purpose::Resampling, 0);
    let basis: Vec<f64> = (0..ROWS * RAW).map(|_| random.uniform()).collect();
    let expansion: Vec<i32> = (0..COLUMNS * RAW).map(|_| random.below(3) as i32).collect();
    let y = (0..ROWS).map(|_| 4.0 * random.uniform() + random.normal()).collect();
    (basis, expansion, y)
}

fn regularisers() -> [Regulariser; 3] {
    // One group of unknowns is empty, one has a penalty that removes it, and the last is larger than the
    // others. Some unknowns are in no group.
    let members = (0..COLUMNS as u32).rev().filter(|m| m % 7 != 3).collect::<Vec<_>>();
    let starts = vec![0, 1, 1, 6, members.len()];
    let groups = GroupPenalty::new(starts, members, vec![0.5, 1.0, 30.0, 2.0]).unwrap();
    let l1 = vec![(5..20, 1.5)];
    [
        Regulariser::non_negative(COLUMNS),
        Regulariser::new(COLUMNS, true, l1, Some(groups.clone())).unwrap(),
        Regulariser::new(COLUMNS, false, vec![(0..COLUMNS, 2.0)], Some(groups)).unwrap(),
    ]
}

fn solve<T: ProximalElement>(
    operator: &dyn SolverOperator<T>,
    y: &[f64],
    regulariser: &Regulariser,
    rule: GapRule,
) -> crate::ProximalSolution<T> {
    let y: Vec<T> = y.iter().map(|&y| T::of(y)).collect();
    let problem = ProximalProblem::new(operator, &y, regulariser);
    let start = vec![T::zero(); operator.columns()];
    fista(&problem, &start, &rule, |_| true)
}

fn gap(gap: f64) -> GapRule {
    GapRule { gap: Some(gap), ..GapRule::default() }
}

#[test]
fn gpu_solutions_reach_the_objective_of_the_cpu() {
    if !arcuate_emulation::available("FISTA on GPUs") {
        return;
    }
    let (basis, expansion, y) = factors();
    for ordinals in [&[0][..], &[0, 1]] {
        // A test machine may have only one GPU.
        let Ok(gpus) = Gpus::open(ordinals) else { continue };
        let raw = || DenseOnGpus::<f64>::factored(gpus.clone(), RAW, basis.clone(), expansion.clone());
        let single = DenseOnGpus::<f32>::factored(gpus.clone(), RAW, basis.clone(), expansion.clone());
        // One problem suffices to test several GPUs.
        for regulariser in
            regularisers().iter().skip(ordinals.len() - 1).take(if ordinals.len() > 1 { 1 } else { 3 })
        {
            let operator = raw();
            let expected = solve(operator.reference(), &y, regulariser, gap(1e-6));
            let got = solve(&operator, &y, regulariser, gap(1e-6));
            assert_eq!((got.outcome, expected.outcome), (Outcome::Converged, Outcome::Converged));
            // The objectives of both solutions are above the minimum by at most the duality gap.
            assert!((got.objective - expected.objective).abs() <= 1e-6 * expected.objective);
            // The first steps on GPU and CPU are equal except for rounding errors.
            for (a, b) in got.trace.iter().zip(&expected.trace).take(8) {
                assert_eq!((a.iteration, a.products, a.support), (b.iteration, b.products, b.support));
                assert!((a.objective - b.objective).abs() <= 1e-10 * b.objective, "{a:?} is not {b:?}");
            }
            let got = solve(&single, &y, regulariser, gap(1e-4));
            // Single precision resolves duality gaps to 10⁻⁷ of ½‖y‖², and ½‖y‖² is a few times the
            // objective.
            assert_eq!(got.outcome, Outcome::Converged, "{:?}", got.trace.last());
            assert!((got.objective - expected.objective).abs() <= 1.01e-4 * expected.objective);
            let problem = ProximalProblem::new(&operator, &y, regulariser);
            let refit = debias(&problem, &expected.weights, &GapRule::default(), |_| true);
            // Without a penalty, both solvers find the same solution, up to the duality gap.
            assert!(refit.objective <= (1.0 + 1e-6) * expected.objective);
            let kept = refit.weights.iter().zip(&expected.weights);
            assert!(kept.into_iter().all(|(after, before)| *after == 0.0 || *before != 0.0));
        }
    }
}

/// The problem has more groups of unknowns than the kernel has blocks, and groups that are larger than a
/// block of threads.
#[test]
fn group_shrinkage_agrees_for_any_number_and_size() {
    if !arcuate_emulation::available("groups on GPUs") {
        return;
    }
    let columns = 1100;
    // The test operator has two rows only. Its products therefore need little time, and the penalties on
    // groups determine the time.
    let matrix: Vec<f64> = (0..2 * columns).map(|n| 0.1 + 0.01 * (n as f64 * 0.7).sin()).collect();
    let starts: Vec<usize> = (0..600).chain([columns]).collect();
    let weights = (0..600).map(|g| 0.05 + 0.0001 * f64::from(g)).collect();
    let groups = GroupPenalty::new(starts, (0..columns as u32).collect(), weights).unwrap();
    let regulariser = Regulariser::new(columns, true, Vec::new(), Some(groups)).unwrap();
    let y = [3.0, 4.0];
    let rule = GapRule { gap: Some(0.0), iterations: 8, ..GapRule::default() };
    let expected = solve(&Dense::new(columns, matrix.clone()), &y, &regulariser, rule);
    let operator = DenseOnGpus::<f64>::new(Gpus::open(&[0]).unwrap(), columns, matrix.clone());
    let got = solve(&operator, &y, &regulariser, rule);
    // The steps on GPU and CPU are equal except for rounding errors.
    assert!((got.objective - expected.objective).abs() <= 1e-12 * expected.objective);
    assert_eq!(got.trace.last().unwrap().support, expected.trace.last().unwrap().support);
    assert!(got.trace.last().unwrap().support > 0 && got.trace.last().unwrap().support < columns);
    // A repeated run must be bit-identical.
    assert_eq!(solve(&operator, &y, &regulariser, rule).weights, got.weights);
    let operator = DenseOnGpus::<f32>::new(Gpus::open(&[0]).unwrap(), columns, matrix);
    let single = solve(&operator, &y, &regulariser, rule);
    assert!((single.objective - expected.objective).abs() <= 1e-5 * expected.objective);
}

//! Solves problems of `dmri-commit`, with and without penalties. Compares the optimum with the solution that
//! `dmri-commit` finds.
//!
//! The folder `data/commit_dictionary` has a few streamlines. If the environment variable
//! `ARCUATE_COMMIT_FITS` names a folder, the test also uses each problem in it.
//! `oracles/commit_dmri_commit.py` makes such problems of a real scan.

use crate::dmri_commit::{doubles, golden, kernels, places};
use arcuate_evaluate::SparseTucker;
use arcuate_evaluate::commit::dictionary_operator;
use arcuate_io::read_commit_dictionary;
use arcuate_solve::{
    GapRule, GroupPenalty, LinearOperator, NonNegativeLeastSquares, ProximalProblem, Regulariser,
    StoppingRule, fista, projected_barzilai_borwein,
};
use std::path::Path;

/// One line of `cases.txt`: a fit with its penalties and its result.
struct Case {
    name: String,
    /// λ of the intra-axonal, extra-axonal and isotropic unknowns.
    l1: [f64; 3],
    /// λ of the penalty on groups of streamlines. It multiplies the square root of the group size.
    group: f64,
    /// Final cost of `dmri-commit`: ½‖Ax − y‖² plus the penalties.
    cost: f64,
}

fn cases(folder: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(folder.join("cases.txt")).unwrap();
    let case = |line: &str| {
        let (name, numbers) = line.split_once(' ').unwrap();
        let numbers: Vec<f64> = numbers.split(' ').map(|word| word.parse().unwrap()).collect();
        let [intra, extra, isotropic, group, cost] = numbers.try_into().unwrap();
        Case { name: name.to_owned(), l1: [intra, extra, isotropic], group, cost }
    };
    text.lines().map(case).collect()
}

/// Reads the groups of streamlines from `groups.txt`. It has one group number for each kept streamline, in
/// ascending order.
fn groups(folder: &Path, lambda: f64) -> GroupPenalty {
    let text = std::fs::read_to_string(folder.join("groups.txt")).unwrap();
    let numbers: Vec<usize> = text.lines().map(|line| line.trim().parse().unwrap()).collect();
    let sizes: Vec<usize> = numbers.chunk_by(|a, b| a == b).map(<[usize]>::len).collect();
    let mut starts = vec![0];
    for size in &sizes {
        starts.push(starts[starts.len() - 1] + size);
    }
    let weights = sizes.iter().map(|&size| lambda * (size as f64).sqrt()).collect();
    GroupPenalty::new(starts, (0..numbers.len() as u32).collect(), weights).unwrap()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| f(a - ma, b - mb)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

/// Solves each case of a folder, and compares the costs.
fn compare(folder: &Path) {
    let dictionary = read_commit_dictionary(folder).unwrap();
    let kernels = kernels(folder);
    let operator: SparseTucker<f64> = dictionary_operator(&dictionary, &kernels).unwrap();
    let data = doubles(&folder.join("data.f64"));
    let places = places(&dictionary, &kernels);
    let intra = dictionary.kept.len() * kernels.intra.len();
    let extra = intra + dictionary.peaks.len() * kernels.extra.len();
    let columns = operator.columns();
    for case in cases(folder) {
        let ranges = [0..intra, intra..extra, extra..columns];
        let l1 = ranges.into_iter().zip(case.l1).collect();
        let group = (case.group > 0.0).then(|| groups(folder, case.group));
        let start = vec![0.0; columns];
        let (weights, objective, iterations) = if case.l1 == [0.0; 3] && group.is_none() {
            let problem = NonNegativeLeastSquares::new(&operator, &data);
            let rule = StoppingRule { tolerance: 1e-5, iterations: 5000 };
            let solution = projected_barzilai_borwein(&problem, &start, &rule, |_| true);
            (solution.weights, solution.objective, solution.trace.points.len() - 1)
        } else {
            let regulariser = Regulariser::new(columns, true, l1, group).unwrap();
            let problem = ProximalProblem::new(&operator, &data, &regulariser);
            let rule = GapRule { gap: Some(1e-5), gradient_mapping: 1e-5, iterations: 5000 };
            let solution = fista(&problem, &start, &rule, |_| true);
            (solution.weights, solution.objective, solution.trace.len() - 1)
        };
        let theirs = doubles(&folder.join(format!("{}.f64", case.name)));
        let theirs: Vec<f64> = places.iter().map(|&place| theirs[place]).collect();
        let name = format!("{} {}", folder.file_name().unwrap().display(), case.name);
        println!(
            "{name}: {iterations} iterations, {objective:.6} against {:.6} ({:+.2e}); streamlines above 0: {} against {}, \
             correlation of their amounts {:.4}",
            case.cost,
            objective / case.cost - 1.0,
            weights[..intra].iter().filter(|&&w| w > 0.0).count(),
            theirs[..intra].iter().filter(|&&w| w > 0.0).count(),
            correlation(&weights[..intra], &theirs[..intra]),
        );
        // The objective must not be worse than the cost of a solver that stopped when a step changed its cost
        // by less than 1e-7. It may be lower.
        assert!(objective <= 1.0001 * case.cost, "{name}");
        // The objective is not much lower either, because the problem is the same and the solution of
        // `dmri-commit` is nearly optimal here.
        assert!(objective >= 0.999 * case.cost, "{name}");
    }
}

#[test]
fn optima_are_at_least_as_good_as_in_dmri_commit() {
    compare(&golden());
    let Some(folder) = std::env::var_os("ARCUATE_COMMIT_FITS") else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        compare(&entry.unwrap().path());
    }
}

//! The optimum of `dmri-commit`'s own problems, with and without penalties, against the one that it finds itself.
//!
//! `data/commit_dictionary` has a handful of streamlines; the same test looks at each problem in the folder that
//! `ARCUATE_COMMIT_FITS` names, such as `oracles/commit_dmri_commit.py` makes of a real scan.

mod dmri_commit;

use arcuate_evaluate::SparseTucker;
use arcuate_evaluate::commit::dictionary_operator;
use arcuate_io::read_commit_dictionary;
use arcuate_solve::{
    GapRule, GroupPenalty, LinearOperator, NonNegativeLeastSquares, ProximalProblem, Regulariser,
    StoppingRule, fista, projected_barzilai_borwein,
};
use dmri_commit::{doubles, golden, kernels, places};
use std::path::Path;

/// A line of `cases.txt`.
struct Case {
    name: String,
    /// λ of the intra-axonal, extra-axonal and isotropic unknowns.
    l1: [f64; 3],
    /// λ of groups, which multiplies the root of their size.
    group: f64,
    /// What `dmri-commit` ends with: ½‖Ax − y‖² and penalties.
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

/// The groups of `groups.txt`: the number of its group for each kept streamline, ascending.
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

/// Solves each case of a folder.
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
        // No worse than a solver that stopped where a step changes the cost by less than 1e-7; it may well be better.
        assert!(objective <= 1.0001 * case.cost, "{name}");
        // The same problem, and not an easier one: `dmri-commit`'s optimum is nearly optimal here.
        assert!(objective >= 0.999 * case.cost, "{name}");
    }
}

#[test]
fn optima_are_no_worse_than_those_of_dmri_commit() {
    compare(&golden());
    let Some(folder) = std::env::var_os("ARCUATE_COMMIT_FITS") else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        compare(&entry.unwrap().path());
    }
}

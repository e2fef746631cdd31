//! Tests operators on GPUs together with solvers.

use super::*;
use crate::{
    Dense, LinearOperator, NonNegativeLeastSquares, SolverOperator, StoppingRule, checks,
    projected_barzilai_borwein, sbbnnls,
};
use arcuate_compute::cuda::Gpus;
use arcuate_compute::{Purpose, Random};

#[test]
fn raw_sums_work_with_any_number_of_gpus() {
    if !arcuate_emulation::available("raw sums") {
        return;
    }
    let (rows, columns, raw) = (57, 14, 5);
    let mut random = Random::new(2, Purpose::Resampling, 0);
    let basis: Vec<f64> = (0..rows * raw).map(|_| random.normal()).collect();
    let expansion: Vec<i32> = (0..columns * raw).map(|_| random.below(4) as i32 - 1).collect();
    let y: Vec<f64> = (0..rows).map(|_| 3.0 * random.normal()).collect();
    let single: Vec<f32> = y.iter().map(|&y| y as f32).collect();
    let rule = StoppingRule { tolerance: 1e-9, iterations: 2000 };
    let mut objectives = Vec::new();
    for ordinals in [&[0][..], &[0, 1]] {
        // A test machine may have only one GPU.
        let Ok(gpus) = Gpus::open(ordinals) else { continue };
        let factored = |gpus| DenseOnGpus::<f64>::factored(gpus, raw, basis.clone(), expansion.clone());
        let operator = factored(gpus.clone());
        // The tolerance allows for the rounding of fixed-point sums: 2⁻⁶⁰ of the largest sum, for each row.
        checks::all(&operator, 1e-14);
        let (mut expected, mut got) = (vec![0.0; columns], vec![f64::NAN; columns]);
        operator.reference().adjoint(&y, &mut expected);
        operator.adjoint(&y, &mut got);
        assert!(checks::relative_difference(&got, &expected) <= 1e-14);
        let start = vec![0.0; columns];
        let problem = NonNegativeLeastSquares::new(&operator, &y).with_l1(0.1);
        let reference = NonNegativeLeastSquares::new(operator.reference(), &y).with_l1(0.1);
        let expected = projected_barzilai_borwein(&reference, &start, &rule, |_| true).objective;
        let same_scale = DenseOnGpus::<f32>::factored(gpus.clone(), raw, basis.clone(), expansion.clone());
        let mut of_single = vec![0.0; columns];
        same_scale.adjoint(&single, &mut of_single);
        for solution in [
            projected_barzilai_borwein(&problem, &start, &rule, |_| true),
            sbbnnls(&problem, &start, &rule, |_| true),
        ] {
            assert_eq!(operator.computed_by(), gpus.iter().map(|_| "dense").collect::<Vec<_>>().join(", "));
            // The error of the objective is of the order of the squared remaining gradient.
            assert!((solution.objective - expected).abs() <= 1e-12 * expected);
            objectives.push((ordinals.len(), solution.objective, got.clone(), of_single.clone()));
        }
    }
    // The results must be bit-identical, because fixed-point sums do not depend on how the work is divided.
    assert!(objectives.iter().all(|o| (&o.2, &o.3) == (&objectives[0].2, &objectives[0].3)));
}

#[test]
fn gpu_operators_keep_their_streaming_sources() {
    if !arcuate_emulation::available("shared operators") {
        return;
    }
    let operator = DenseOnGpus::<f64>::new(Gpus::open(&[0]).unwrap(), 3, vec![1.0; 12]);
    assert_eq!(operator.owners(), 2, "the caller, and what is on the GPU");
    let data = [1.0, 2.0, 3.0, 4.0];
    let too_long = [&data[..], &[5.0]].concat();
    let on_gpus = operator.on_gpus().unwrap();
    let of = |data: &[f64]| {
        let work = || adjoint_on_gpus(&*on_gpus, data, &mut [0.0; 3]).unwrap();
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_ok()
    };
    assert!(of(&data) && !of(&too_long), "a prefix is no product");
}

#[test]
fn fixed_unknowns_stay_0_on_gpus() {
    if !arcuate_emulation::available("held unknowns") {
        return;
    }
    let (rows, columns) = (40, 12);
    let mut random = Random::new(9, Purpose::Resampling, 0);
    let matrix: Vec<f64> = (0..rows * columns).map(|_| random.uniform()).collect();
    let y: Vec<f64> = (0..rows).map(|_| 3.0 + random.normal()).collect();
    let fixed: Vec<bool> = (0..columns).map(|n| n % 3 == 1).collect();
    // The reference problem has no fixed columns. It starts with all unknowns positive.
    let kept: Vec<f64> = (0..rows * columns).filter(|n| !fixed[n % columns]).map(|n| matrix[n]).collect();
    let without = Dense::new(columns - 4, kept);
    let rule = StoppingRule { tolerance: 1e-9, iterations: 3000 };
    for l1 in [0.0, 2.0] {
        let reduced = NonNegativeLeastSquares::new(&without, &y).with_l1(l1);
        let expected = projected_barzilai_borwein(&reduced, &[0.5; 8], &rule, |_| true);
        let operator = DenseOnGpus::<f64>::new(Gpus::open(&[0]).unwrap(), columns, matrix.clone());
        let on_gpu = NonNegativeLeastSquares::new(&operator, &y).with_l1(l1).with_fixed(&fixed);
        let on_cpu = NonNegativeLeastSquares::new(operator.reference(), &y).with_l1(l1).with_fixed(&fixed);
        let start = [0.5; 12];
        for solution in [
            projected_barzilai_borwein(&on_gpu, &start, &rule, |_| true),
            sbbnnls(&on_gpu, &start, &rule, |_| true),
            projected_barzilai_borwein(&on_cpu, &start, &rule, |_| true),
            sbbnnls(&on_cpu, &start, &rule, |_| true),
        ] {
            assert!(solution.weights.iter().zip(&fixed).all(|(w, fixed)| !fixed || *w == 0.0));
            // The error of the objective is of the order of the squared remaining gradient.
            assert!((solution.objective - expected.objective).abs() <= 1e-12 * expected.objective);
        }
        let largest = (on_gpu.largest_useful_l1(), reduced.largest_useful_l1());
        assert!((largest.0 - largest.1).abs() <= 1e-14 * largest.1);
    }
}

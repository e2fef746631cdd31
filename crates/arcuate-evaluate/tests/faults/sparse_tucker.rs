//! Tests LiFE on a GPU that fails.

use crate::encodings::alone;
use arcuate_compute::DeviceChoice;
use arcuate_evaluate::{Dictionary, ProductKernels, SparseTucker};
use arcuate_solve::{
    GapRule, LinearOperator, NonNegativeLeastSquares, ProximalProblem, Regulariser, Solution, StoppingRule,
    fista, projected_barzilai_borwein,
};
use arcuate_test_support::with_captured_log;
use tracing::Level;

fn operator() -> SparseTucker<f32> {
    let dictionary = Dictionary::new(12, (0..240).map(|n| (n as f64 * 0.7).sin()).collect()).unwrap();
    let starts: Vec<usize> = (0..=100).map(|voxel| 3 * voxel).collect();
    let atoms: Vec<u16> = (0..100).flat_map(|voxel| [voxel % 7, 8, 9 + voxel % 11]).collect();
    let members: Vec<u32> = (0..300).map(|n| n * 7 % 40).collect();
    SparseTucker::new(&dictionary, 40, &starts, &atoms, members, vec![0.5; 300]).unwrap()
}

fn solve(operator: &SparseTucker<f32>) -> Solution<f32> {
    let y: Vec<f32> = (0..operator.rows()).map(|n| (n as f32).sin()).collect();
    let problem = NonNegativeLeastSquares::new(operator, &y);
    projected_barzilai_borwein(&problem, &[0.0; 40], &StoppingRule::default(), |_| true)
}

#[test]
fn failing_kernels_give_a_warning_and_the_run_continues() {
    let _alone = alone();
    if !arcuate_emulation::available_with_fallback("failing kernels") || !arcuate_emulation::emulated() {
        return;
    }
    let mut operator = operator();
    let expected = solve(&operator);
    operator.place(&DeviceChoice::Cuda(vec![0]).open(None).unwrap(), ProductKernels::Rows).unwrap();
    let faults = arcuate_emulation::Faults::begin();
    faults.fail_launch("non_negative_change_f32", 3);
    let (solution, log) = with_captured_log(Level::WARN, || solve(&operator));
    assert_eq!(solution.objective, expected.objective);
    // The failure is reported once, not for every product after it.
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("using the CPU for the rest of the run"), "{log}");
    assert_eq!(operator.computed_by(), "sparse_tucker_rows_f32_32, then the CPU");
    drop(faults);
    operator.place(&DeviceChoice::Cuda(vec![0]).open(None).unwrap(), ProductKernels::Rows).unwrap();
    let faults = arcuate_emulation::Faults::begin();
    faults.fail_launch("sparse_tucker_rows_f32_32", 1);
    let (mut image, mut again) = (vec![f32::NAN; operator.rows()], vec![f32::NAN; operator.rows()]);
    operator.forward(&[1.0; 40], &mut image);
    assert_eq!(operator.computed_by(), "sparse_tucker_rows_f32_32, then the CPU");
    drop(faults);
    let regulariser = Regulariser::new(40, true, vec![(0..40, 0.1)], None).unwrap();
    let proximal = |operator: &SparseTucker<f32>| {
        let y: Vec<f32> = (0..operator.rows()).map(|n| (n as f32).sin()).collect();
        let problem = ProximalProblem::new(operator, &y, &regulariser);
        fista(&problem, &[0.0; 40], &GapRule { iterations: 20, ..GapRule::default() }, |_| true)
    };
    let expected = proximal(&operator);
    operator.place(&DeviceChoice::Cuda(vec![0]).open(None).unwrap(), ProductKernels::Rows).unwrap();
    let faults = arcuate_emulation::Faults::begin();
    faults.fail_launch("solver_take_f32", 3);
    assert_eq!(proximal(&operator).objective, expected.objective);
    assert_eq!(operator.computed_by(), "sparse_tucker_rows_f32_32, then the CPU");
    drop(faults);
    operator.place(&arcuate_compute::Device::Cpu, ProductKernels::Auto).unwrap();
    operator.forward(&[1.0; 40], &mut again);
    assert_eq!(image, again);
}

#[test]
fn solvers_without_memory_use_smaller_pieces_and_then_the_cpu() {
    let _alone = alone();
    if !arcuate_emulation::available_with_fallback("memory of solvers") || !arcuate_emulation::emulated() {
        return;
    }
    let device = DeviceChoice::Cuda(vec![0]).open(None).unwrap();
    let mut operator = operator();
    let on_cpu = solve(&operator);
    operator.place(&device, ProductKernels::Rows).unwrap();
    let expected = solve(&operator);
    // The solver allocates its vectors after the operator has been placed. First the third of these
    // allocations fails, then the first one.
    for successes in [2, 0] {
        operator.place(&device, ProductKernels::Rows).unwrap();
        let faults = arcuate_emulation::Faults::begin();
        faults.fail_allocation_after(successes);
        let (solution, log) = with_captured_log(Level::WARN, || solve(&operator));
        assert_eq!(log.lines().count(), 1, "{log}");
        assert!(log.contains("this step is repeated in smaller pieces, with "), "{log}");
        assert_eq!(solution.weights, expected.weights);
        assert_eq!(operator.computed_by(), "sparse_tucker_rows_f32_32");
        // The second failure cannot be repeated in smaller pieces.
        faults.fail_allocation_after(successes);
        let (solution, log) = with_captured_log(Level::WARN, || solve(&operator));
        assert!(log.lines().count() == 1 && log.contains("using the CPU for the rest of the run"), "{log}");
        assert_eq!(solution.objective, on_cpu.objective);
        assert_eq!(operator.computed_by(), "sparse_tucker_rows_f32_32, then the CPU");
    }
}

#[test]
fn too_little_memory_falls_back_to_the_cpu() {
    let _alone = alone();
    if !arcuate_emulation::available_with_fallback("too little memory") {
        return;
    }
    let mut operator = operator();
    let (mut expected, mut image) = (vec![f32::NAN; operator.rows()], vec![f32::NAN; operator.rows()]);
    operator.forward(&[1.0; 40], &mut expected);
    operator.place(&DeviceChoice::Cuda(vec![0]).open(Some(10_000)).unwrap(), ProductKernels::Auto).unwrap();
    assert_eq!(operator.computed_by(), "the CPU");
    operator.forward(&[1.0; 40], &mut image);
    assert_eq!(image, expected);
}

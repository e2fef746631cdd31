//! The linear operator of a circular convolution on one GPU. Tests use it as an operator whose vectors are
//! all in the memory of that GPU.

mod cuda;
mod kernels;

use crate::{Dense, DeviceNormal, LinearOperator, SolverOperator, checks, normal_on_device};
use arcuate_compute::cuda::Gpu;
use arcuate_core::Error;
use cuda::Convolution;

impl LinearOperator<f64> for Convolution {
    fn rows(&self) -> usize {
        self.count()
    }

    fn columns(&self) -> usize {
        self.count()
    }

    fn apply_forward(&self, unknowns: &[f64], data: &mut [f64]) {
        self.apply(false, unknowns, data).unwrap();
    }

    fn apply_adjoint(&self, data: &[f64], unknowns: &mut [f64]) {
        self.apply(true, data, unknowns).unwrap();
    }

    fn apply_normal(&self, unknowns: &[f64], out: &mut [f64]) {
        // The method `normal` (the product with AᵀA) convolves with the autocorrelation, on the GPU.
        normal_on_device(self, unknowns, out).unwrap();
    }
}

impl SolverOperator<f64> for Convolution {
    fn device_normal(&self) -> Option<&dyn DeviceNormal<f64>> {
        Some(self)
    }
}

#[test]
fn an_operator_on_one_gpu_needs_no_rows_and_no_fixed_point() {
    if !arcuate_emulation::available("operators on one GPU") {
        return;
    }
    let (count, taps) = (301, [0.5, -1.0, 2.0, 0.25, -0.125]);
    let operator = Convolution::new(&Gpu::open(0).unwrap(), count, &taps).unwrap();
    // The tolerance allows for the rounding of sums of five and nine products.
    checks::all(&operator, 1e-15);
    let mut matrix = vec![0.0; count * count];
    for row in 0..count {
        for (k, tap) in taps.iter().enumerate() {
            matrix[row * count + (row + count - k) % count] += tap;
        }
    }
    let dense = Dense::new(count, matrix);
    let x: Vec<f64> = (0..count).map(|n| (n as f64 * 0.7).sin()).collect();
    let (mut expected, mut got) = (vec![0.0; count], vec![f64::NAN; count]);
    dense.forward(&x, &mut expected);
    operator.forward(&x, &mut got);
    assert!(checks::relative_difference(&got, &expected) <= 1e-15);
    let gpu = operator.gpu();
    let stream = gpu.stream().unwrap();
    let (there, mut wrong) = (gpu.upload(&stream, &x).unwrap(), gpu.alloc(count - 1).unwrap());
    let refused: Error = DeviceNormal::normal(&operator, &stream, &there, &mut wrong).unwrap_err();
    assert!(refused.problem().contains("301"), "{refused}");
}

#[test]
fn conjugate_gradient_vectors_stay_on_the_gpu() {
    use crate::{QuadraticProblem, ResidualRule, conjugate_gradients};
    if !arcuate_emulation::available("conjugate gradients on a GPU") {
        return;
    }
    let (count, gpu) = (1201, Gpu::open(0).unwrap());
    let blur = Convolution::new(&gpu, count, &[0.5, -1.0, 2.0, 0.25, -0.125]).unwrap();
    let slope = Convolution::new(&gpu, count, &[1.0, -1.0]).unwrap();
    let truth: Vec<f64> = (0..count).map(|n| 1.0 + (n as f64 * 0.07).sin()).collect();
    let mut data = vec![0.0; count];
    blur.forward(&truth, &mut data);
    data.iter_mut().enumerate().for_each(|(n, y)| *y += 0.1 * ((n as f64 * 0.618).fract() - 0.5));
    let rule = ResidualRule { tolerance: 1e-10, misfit: None, iterations: 200 };
    let penalties: [(f64, Option<&Convolution>); 3] = [(0.0, None), (0.1, None), (0.1, Some(&slope))];
    for (lambda, penalty) in penalties {
        let solve = |on_the_processor: bool, start: Option<&[f64]>, rule: &ResidualRule| {
            // The operator `Hidden` does not report that it is on a GPU. The solver therefore runs on the
            // CPU, but the products are the same.
            let (hidden, hidden_penalty) = (Hidden(&blur), penalty.map(Hidden));
            let operator: &dyn SolverOperator<f64> = if on_the_processor { &hidden } else { &blur };
            let penalty = match (&hidden_penalty, penalty) {
                (Some(hidden), _) if on_the_processor => Some(hidden as &dyn SolverOperator<f64>),
                (_, penalty) => penalty.map(|penalty| penalty as &dyn SolverOperator<f64>),
            };
            let problem = QuadraticProblem::new(operator, &data).with_penalty(lambda, penalty);
            conjugate_gradients(&problem, start, rule, |_| true)
        };
        let (here, there) = (solve(true, None, &rule), solve(false, None, &rule));
        assert_eq!((here.outcome, here.trace.len()), (there.outcome, there.trace.len()));
        // The GPU adds the terms of sums in another order than the CPU, over up to 60 iterations.
        assert!(checks::relative_difference(&there.unknowns, &here.unknowns) < 1e-11);
        // The tolerance is a fraction of ‖y‖², because the model explains the blurred data completely.
        let scale = 1e-12 * here.trace[0].objective;
        for (a, b) in here.trace.iter().zip(&there.trace) {
            assert!((a.objective - b.objective).abs() < scale && a.products == b.products);
            // The tolerance is a fraction of the residual itself, which decreases by ten orders of magnitude.
            assert!((a.residual / b.residual - 1.0).abs() < 1e-4, "{} {}", a.residual, b.residual);
        }
        assert!((here.penalty / there.penalty - 1.0).abs() < 1e-11);
        assert!((here.misfit - there.misfit).abs() < scale, "{} {}", here.misfit, there.misfit);
        assert!(solve(false, None, &rule).unknowns == there.unknowns, "not the same bits again");
        // If the solver starts again from its solution, it finishes without an iteration. If a larger misfit
        // is allowed, the solver stops earlier. Without a tolerance and an allowed misfit, the solver stops
        // when rounding errors prevent further progress.
        let again = solve(false, Some(&there.unknowns), &ResidualRule { tolerance: 1e-8, ..rule });
        assert_eq!((again.trace.len(), again.outcome), (1, crate::Outcome::Converged));
        let enough =
            ResidualRule { misfit: Some(1.5 * here.misfit + 1e-3 * here.trace[0].objective), ..rule };
        let (here, there) = (solve(true, None, &enough), solve(false, None, &enough));
        assert!(here.outcome == crate::Outcome::Converged && there.trace.len() < 30);
        assert_eq!((here.outcome, here.trace.len()), (there.outcome, there.trace.len()));
        let endless = ResidualRule { tolerance: 0.0, misfit: None, iterations: 100_000 };
        assert!(solve(false, None, &endless).residual < 1e-12);
    }
    // With −AᵀA, every direction is uphill. The solver must not move.
    let up = Convolution::new(&gpu, count, &[1.0]).unwrap().with_opposite_normal();
    let solution = conjugate_gradients(&QuadraticProblem::new(&up, &data), None, &rule, |_| true);
    assert_eq!((solution.outcome, solution.trace.len()), (crate::Outcome::PrecisionLimit, 1));
    assert!(solution.unknowns.iter().all(|&x| x == 0.0));
    let spoilt = vec![f64::NAN; count];
    let solution = conjugate_gradients(&QuadraticProblem::new(&blur, &spoilt), None, &rule, |_| true);
    assert_eq!((solution.outcome, solution.trace.len()), (crate::Outcome::PrecisionLimit, 1));
}

/// A test operator that contains an operator on a GPU, but does not report that GPU.
struct Hidden<'a>(&'a Convolution);

impl LinearOperator<f64> for Hidden<'_> {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn columns(&self) -> usize {
        self.0.columns()
    }

    fn apply_forward(&self, unknowns: &[f64], data: &mut [f64]) {
        self.0.apply_forward(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[f64], unknowns: &mut [f64]) {
        self.0.apply_adjoint(data, unknowns);
    }

    fn apply_normal(&self, unknowns: &[f64], out: &mut [f64]) {
        LinearOperator::apply_normal(self.0, unknowns, out);
    }
}

impl SolverOperator<f64> for Hidden<'_> {}

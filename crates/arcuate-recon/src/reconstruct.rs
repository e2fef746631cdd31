//! Reconstructs images from scans.

use crate::reconstruction::{CURVE, Ending, Iterative, Lambda, Reconstruction};
use crate::solve_progress::SolveProgress;
use crate::verdict;
use crate::{Differences, Element, FourierSums, Kernel, Scan, Sense, Toeplitz};
use arcuate_compute::Device;
use arcuate_core::{Control, Result};
use arcuate_solve::{
    ChoiceOutcome, CurvePoint, LinearOperator, PenaltyChoice, QuadraticPoint, QuadraticProblem,
    QuadraticSolution, ResidualRule, SolverOperator, by_discrepancy, by_l_curve, conjugate_gradients,
};
use std::sync::Arc;

/// Range of the trial values of λ for the discrepancy principle, as fractions of an estimate of the largest
/// eigenvalue of FᴴF.
const RANGE: [f64; 2] = [1e-7, 10.0];

/// Implements [`crate::toeplitz`].
pub(crate) fn toeplitz<T: Element>(
    scan: &Scan<T>,
    kernel: Option<Arc<Kernel<T>>>,
    device: &Device,
) -> Result<Toeplitz<T>> {
    let sums = FourierSums::new(scan.shape(), Arc::clone(scan.samples()))?.on(device.clone());
    let kernel = kernel.unwrap_or_else(|| Arc::new(Kernel::new(&sums, scan.weights())));
    Toeplitz::new(sums, scan.weights().cloned(), kernel)
}

/// Implements [`crate::adjoint`].
pub(crate) fn adjoint<T: Element>(
    scan: &Scan<T>,
    device: &Device,
    control: &Control,
) -> Result<Reconstruction<T>> {
    scan.warn_of_scatter(control);
    let sums = FourierSums::new(scan.shape(), Arc::clone(scan.samples()))?.on(device.clone());
    let mut data = scan.data().to_vec();
    if let Some(weights) = scan.weights() {
        data.chunks_exact_mut(sums.rows()).for_each(|data| weights.apply_conjugated(data));
    }
    let mut images = vec![T::zero(); scan.channels() * sums.columns()];
    sums.adjoint_all(&data, &mut images);
    let mut image = combined(scan, images);
    multiply(&mut image, 1.0 / scan.scale());
    let done = Reconstruction { image, ..Reconstruction::default() };
    verdict::judged(done, None, scan.names(), control)
}

/// Computes image ← factor · image.
pub(crate) fn multiply<T: Element>(image: &mut [T], factor: f64) {
    if factor != 1.0 {
        for value in image {
            *value = T::of(factor * value.double());
        }
    }
}

/// Combines the images of all channels (coils) to one image.
pub(crate) fn combined<T: Element>(scan: &Scan<T>, images: Vec<T>) -> Vec<T> {
    match scan.maps() {
        Some(maps) => maps.combine(&images),
        None if scan.channels() == 1 => images,
        None => root_of_squares(&images, scan.channels()),
    }
}

/// Returns the root of the sum of squares √(Σ |ρ_c|²) over the images ρ_c of all channels. The result has no
/// phase.
fn root_of_squares<T: Element>(images: &[T], channels: usize) -> Vec<T> {
    let mut squares = vec![0.0; images.len() / channels / 2];
    for image in images.chunks_exact(2 * squares.len()) {
        for (square, value) in squares.iter_mut().zip(image.chunks_exact(2)) {
            *square += value[0].double().powi(2) + value[1].double().powi(2);
        }
    }
    squares.into_iter().flat_map(|square| [T::of(square.sqrt()), T::zero()]).collect()
}

/// Implements [`crate::iterate`].
pub(crate) fn iterate<T: Element>(
    scan: &Scan<T>,
    toeplitz: &Toeplitz<T>,
    options: &Iterative<T>,
    control: &Control,
    watch: &mut dyn FnMut(&QuadraticPoint),
) -> Result<Reconstruction<T>> {
    options.check()?;
    scan.warn_of_scatter(control);
    // The penalty is computed on the same device as the products with the operator.
    let prior = options.prior.clone().map(|prior| prior.on(toeplitz.sums().device().clone()));
    let prior = prior.as_ref();
    // Without coil sensitivities, each channel has its own equation.
    let equations = if scan.maps().is_some() { 1 } else { scan.channels() };
    let mut course = SolveProgress::new(equations * options.lambda.solves(), options.iterations);
    let goes_on = &mut |point: &QuadraticPoint| {
        watch(point);
        control.progress(course.done(point), course.total()).is_ok()
    };
    let mut solved = solve_all(scan, toeplitz, options, prior, goes_on);
    control.check()?;
    multiply(&mut solved.image, scan.scale());
    // The norm of W ρ is multiplied by the same factor as the image ρ.
    solved.curve.iter_mut().for_each(|point| point.penalty *= scan.scale().powi(2));
    verdict::judged(solved, Some(options), scan.names(), control)
}

/// Solves the equations of all channels. Returns the image, rescaled for the coil sensitivities and weights
/// that the user gave.
fn solve_all<T: Element>(
    scan: &Scan<T>,
    toeplitz: &Toeplitz<T>,
    options: &Iterative<T>,
    prior: Option<&Differences<T>>,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> Reconstruction<T> {
    let mut solved = if let Some(maps) = scan.maps() {
        let operator = Sense::new(toeplitz.clone(), maps.clone());
        vec![solve(&operator, scan.data(), scan.gain(), options, prior, watch)]
    } else {
        let channels = scan.of_channels();
        channels.map(|data| solve(toeplitz, data, scan.gain(), options, prior, watch)).collect()
    };
    let data_squared = arcuate_solve::vector::norm_squared(scan.data());
    let part = |squares: f64| if data_squared > 0.0 { (squares / data_squared).sqrt() } else { 0.0 };
    let squares =
        |of: fn(&Solved<T>) -> f64| part(solved.iter().map(of).fold(0.0, |sum, square| sum + square));
    let misfit = Some(squares(|solved| solved.misfit.max(0.0)));
    let misfit_resolution = Some(squares(|solved| solved.misfit_resolution));
    let noise = |sigma: f64| part(sigma * sigma * scan.data().len() as f64);
    let misfit_of_noise = options.noise.map(noise);
    let endings = solved.iter().map(|solved| solved.ending).collect();
    let choices = solved.iter().filter_map(|solved| solved.choice).collect();
    let others = solved.split_off(1);
    let first = solved.swap_remove(0);
    let mut image = first.image;
    for solved in others {
        image.extend(solved.image);
    }
    if scan.maps().is_none() && scan.channels() > 1 {
        image = root_of_squares(&image, scan.channels());
    }
    Reconstruction {
        image,
        lambda: Some(first.lambda),
        curve: first.curve,
        trace: first.trace,
        endings,
        choices,
        misfit,
        misfit_resolution,
        misfit_of_noise,
        findings: Vec::new(),
        computed_by: Some(first.computed_by),
    }
}

/// The result of solving the equation of one channel, or of all coils together.
struct Solved<T> {
    image: Vec<T>,
    /// The chosen λ divided by the gain of the scan, as in the list of trial values.
    lambda: f64,
    curve: Vec<CurvePoint>,
    trace: Vec<QuadraticPoint>,
    ending: Ending,
    choice: Option<ChoiceOutcome>,
    /// The squared misfit ‖d − Fρ‖² between the data d and the data of the image ρ.
    misfit: f64,
    misfit_resolution: f64,
    computed_by: &'static str,
}

/// Solves one equation. If λ is not fixed, chooses it.
fn solve<T: Element>(
    operator: &dyn SolverOperator<T>,
    data: &[T],
    gain: f64,
    options: &Iterative<T>,
    prior: Option<&Differences<T>>,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> Solved<T> {
    let problem = QuadraticProblem::new(operator, data);
    let penalty = prior.map(|prior| prior as &dyn SolverOperator<T>);
    // The penalty is copied to the GPU before the operator. The operator then plans its use of the remaining
    // GPU memory.
    let _ = penalty.and_then(|penalty| penalty.device_normal());
    let problem = problem.with_penalty(0.0, penalty);
    let noise = options.noise.map(|deviation| deviation * deviation * data.len() as f64);
    let rule = ResidualRule { tolerance: options.tolerance, misfit: None, iterations: options.iterations };
    let finish = |solution: QuadraticSolution<T>, lambda: f64, curve: Vec<CurvePoint>, choice| Solved {
        image: solution.unknowns,
        lambda: lambda / gain,
        curve: curve.into_iter().map(|point| CurvePoint { lambda: point.lambda / gain, ..point }).collect(),
        ending: Ending {
            outcome: solution.outcome,
            residual: solution.residual,
            iterations: solution.trace.last().map_or(0, |point| point.iteration),
        },
        trace: solution.trace,
        choice,
        misfit: solution.misfit,
        misfit_resolution: solution.misfit_resolution,
        computed_by: match operator.device_normal() {
            None => "the CPU",
            Some(_) => "transforms on a GPU",
        },
    };
    let choice = match options.lambda {
        Lambda::Fixed(lambda) => {
            // If the product exceeds the largest representable number, that number is used.
            let lambda = (lambda * gain).min(f64::MAX);
            let rule = ResidualRule { misfit: noise, ..rule };
            let solution =
                conjugate_gradients(&problem.with_lambda(lambda), None, &rule, |point| watch(point));
            return finish(solution, lambda, Vec::new(), None);
        }
        Lambda::LCurve => {
            let size = size_of_normal(&problem, operator);
            let lambdas: Vec<f64> = (0..CURVE).map(|n| size * 10f64.powf(-0.5 * n as f64)).collect();
            by_l_curve(&problem, &lambdas, &rule, watch)
        }
        Lambda::Discrepancy => {
            let size = size_of_normal(&problem, operator);
            #[expect(clippy::expect_used, reason = "`Iterative::check` requires the noise for this method")]
            let noise = noise.expect("the noise of the data");
            by_discrepancy(&problem, noise, RANGE.map(|part| part * size), &rule, watch)
        }
    };
    let PenaltyChoice { lambda, outcome, curve, solution } = choice;
    finish(solution, lambda, curve, Some(outcome))
}

/// Returns an estimate of the largest eigenvalue of FᴴF: ‖FᴴF b‖ / ‖b‖ with b = Fᴴd. In b, the eigenvectors
/// with large eigenvalues dominate.
fn size_of_normal<T: Element>(problem: &QuadraticProblem<'_, T>, operator: &dyn SolverOperator<T>) -> f64 {
    let mut image = vec![T::zero(); operator.columns()];
    operator.normal(problem.right_side(), &mut image);
    let squares = |v: &[T]| arcuate_solve::vector::norm_squared(v);
    let size = (squares(&image) / squares(problem.right_side())).sqrt();
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

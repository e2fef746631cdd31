//! Times the matrix products and the fit of a COMMIT problem. Also computes the errors of both relative to
//! double precision.

use super::problem::Problem;
use crate::gpu_products::{KINDS, milliseconds};
use crate::measure::{median, seconds};
use crate::options::ThesisOptions;
use crate::outcome::Outcome;
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::Orientations;
use arcuate_evaluate::commit::{Harmonics, table_operator};
use arcuate_evaluate::{Element, ProductKernels};
use arcuate_solve::{
    LinearOperator, NonNegativeElement, NonNegativeLeastSquares, Outcome as Ending, Real, SolverOperator,
    StoppingRule, checks, projected_barzilai_borwein,
};
use std::sync::Arc;
use std::time::Instant;

/// The number of times that the CPU computes each matrix product for the timing.
const TURNS: usize = 3;

/// Times the linear operator of a COMMIT problem on a device: its matrix products, and a fit with the
/// requested number of iterations.
pub(super) fn measure<T: Element>(
    options: &ThesisOptions,
    name: &str,
    problem: &Problem,
    device: &Device,
) -> Outcome {
    let started = Instant::now();
    let made = |by: String| {
        println!("  made in {:.2} s; {} precision by {by}", started.elapsed().as_secs_f64(), T::NAME);
    };
    if options.orientations > 0 {
        let orientations = Orientations::half_sphere(options.orientations);
        let mut operator =
            table_operator::<T>(&problem.segments, &problem.axes, &problem.responses, &orientations, None)?;
        operator.place(device, ProductKernels::Auto)?;
        println!(
            "  a table of {} orientations, {} coefficients",
            options.orientations,
            operator.coefficients()
        );
        made(operator.computed_by());
        return times(options, name, &operator, None);
    }
    let mut operator = harmonics::<T>(options, problem)?;
    operator.place(device)?;
    println!(
        "  harmonics of degrees {:?}, {:?} functions, errors of responses below {:.1e}",
        operator.orders(),
        operator.ranks(),
        operator.response_error(),
    );
    made(operator.computed_by());
    let reference = if options.check { Some(harmonics::<f64>(options, problem)?) } else { None };
    times(options, name, &operator, reference.as_ref())
}

fn harmonics<T: Element>(options: &ThesisOptions, problem: &Problem) -> Outcome<Harmonics<T>> {
    let segments = Arc::clone(&problem.segments);
    Ok(Harmonics::new(segments, &problem.axes, &problem.responses, None, options.response_tolerance)?)
}

fn times<T: NonNegativeElement>(
    options: &ThesisOptions,
    name: &str,
    operator: &impl SolverOperator<T>,
    reference: Option<&Harmonics<f64>>,
) -> Outcome {
    let (truth, data) = planted(operator);
    if let Some(reference) = reference {
        compare(operator, reference, &truth, &data);
    }
    match operator.on_gpus() {
        Some(gpus) => {
            for ((what, ..), time) in KINDS.into_iter().zip(milliseconds(&*gpus, &truth, &data)?) {
                println!("  {what:<38} {time:>9.3} ms");
            }
            let sparse: Vec<T> =
                truth.iter().enumerate().map(|(n, &x)| if n % 10 == 0 { x } else { T::zero() }).collect();
            let [image, ..] = milliseconds(&*gpus, &sparse, &data)?;
            println!("  {:<38} {image:>9.3} ms", "A x, a tenth of x above 0");
        }
        None => on_processor(operator, &truth, &data)?,
    }
    if options.fit_iterations > 0 {
        fit(operator, &data, options.fit_iterations, name);
    }
    Ok(())
}

/// Returns a random value for each unknown, most of them 0, and the data that these values predict, with
/// noise.
fn planted<T: Real>(operator: &impl SolverOperator<T>) -> (Vec<T>, Vec<T>) {
    let mut random = Random::new(9, Purpose::Resampling, 0);
    let truth: Vec<T> = (0..operator.columns())
        .map(|_| T::of(if random.uniform() < 0.3 { random.uniform() * 0.01 } else { 0.0 }))
        .collect();
    let mut data = vec![T::zero(); operator.rows()];
    operator.forward(&truth, &mut data);
    let mean = data.iter().map(|v| v.double()).sum::<f64>() / data.len() as f64;
    for value in &mut data {
        *value += T::of(0.05 * mean * random.normal());
    }
    (truth, data)
}

/// Prints the relative errors of the products A x and Aᵀ y. The reference is the CPU in double precision.
fn compare<T: Real>(operator: &impl SolverOperator<T>, reference: &Harmonics<f64>, truth: &[T], data: &[T]) {
    let wide = |values: &[T]| values.iter().map(|v| v.double()).collect::<Vec<f64>>();
    let (mut out, mut expected) = (vec![T::zero(); data.len()], vec![0.0; data.len()]);
    operator.forward(truth, &mut out);
    reference.forward(&wide(truth), &mut expected);
    let image = checks::relative_difference(&wide(&out), &expected);
    let (mut out, mut expected) = (vec![T::zero(); truth.len()], vec![0.0; truth.len()]);
    operator.adjoint(data, &mut out);
    reference.adjoint(&wide(data), &mut expected);
    let adjoint = checks::relative_difference(&wide(&out), &expected);
    println!("  errors: A x {image:.1e}, Aᵀ y {adjoint:.1e}");
}

fn on_processor<T: NonNegativeElement>(
    operator: &impl SolverOperator<T>,
    truth: &[T],
    data: &[T],
) -> Outcome {
    let (mut image, mut adjoint) = (vec![T::zero(); data.len()], vec![T::zero(); truth.len()]);
    let (mut forward, mut back) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        forward.push(seconds(|| {
            operator.forward(truth, &mut image);
            Ok(())
        })?);
        back.push(seconds(|| {
            operator.adjoint(data, &mut adjoint);
            Ok(())
        })?);
    }
    for (what, times) in [("A x", forward), ("Aᵀ y", back)] {
        println!("  {what:<38} {:>9.1} ms", 1e3 * median(&times));
    }
    Ok(())
}

/// Times a COMMIT fit that starts at x = 0.
fn fit<T: NonNegativeElement>(operator: &impl SolverOperator<T>, data: &[T], iterations: usize, name: &str) {
    let rule = StoppingRule { tolerance: 0.0, iterations };
    let started = Instant::now();
    let start = vec![T::zero(); operator.columns()];
    let problem = NonNegativeLeastSquares::new(operator, data);
    let solution = projected_barzilai_borwein(&problem, &start, &rule, |_| true);
    let elapsed = started.elapsed().as_secs_f64();
    let done = solution.trace.points.len() - 1;
    let ending = match solution.outcome {
        Ending::Converged => "converged",
        Ending::IterationLimit => "not converged",
        Ending::PrecisionLimit => "at the limit of its precision",
    };
    println!(
        "  fit, {name}: {done} iterations in {elapsed:.2} s, {:.2} ms each; objective {:.6e} of {:.6e} at 0, projected \
         gradient {:.1e}, {ending}",
        1e3 * elapsed / done.max(1) as f64,
        solution.objective,
        solution.trace.points[0].objective,
        solution.projected_gradient
    );
}

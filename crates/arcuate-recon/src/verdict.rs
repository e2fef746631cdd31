//! Finds problems of a reconstructed image. Possible problems are: the image is empty or not finite, the
//! image does not explain much of the data, or no criterion was able to choose λ.

use crate::reconstruction::{Ending, Finding, Iterative, Lambda, Reconstruction};
use crate::{Element, Names};
use arcuate_core::{Control, Error, Result};
use arcuate_solve::{ChoiceOutcome, Outcome};

/// If the residual of an equation, divided by the norm of Fᴴd, is above this limit, the equation counts as
/// not solved.
const LARGE_RESIDUAL: f64 = 0.1;
/// Maximum relative misfit: the fraction of the data that the image may leave unexplained. A larger misfit is
/// accepted if the noise explains it.
const LARGE_MISFIT: f64 = 0.5;
/// Maximum ratio of the misfit to the misfit that the noise would cause. It is above 1 because of the
/// tolerance of the choice of λ and because of rounding.
const NOISE_TOLERANCE: f64 = 1.02;

/// Adds the problems of a reconstructed image to its list of findings, and prints a warning about each.
/// `options` are the options of the solver. It is `None` if no solver was used.
///
/// # Errors
/// Returns an error if the image will be compared with a ground truth and is empty or not finite.
pub(crate) fn judged<T: Element>(
    done: Reconstruction<T>,
    options: Option<&Iterative<T>>,
    names: &Names,
    control: &Control,
) -> Result<Reconstruction<T>> {
    let without_image = no_image(&done, options);
    if let Some(Finding { problem, advice }) = without_image.as_ref().filter(|_| names.is_compared) {
        let problem = format!("{problem}; the image cannot be compared with a truth image");
        return Err(Error::invalid(&names.image, problem, advice));
    }
    let findings = without_image.map_or_else(|| findings(&done, options), |finding| vec![finding]);
    for Finding { problem, advice } in &findings {
        control.warn(&format!("{}: {problem}; {advice}", names.image));
    }
    Ok(Reconstruction { findings, ..done })
}

fn finding(problem: String, advice: &str) -> Finding {
    Finding { problem, advice: advice.to_owned() }
}

/// If the image is empty or not finite, returns the reason.
fn no_image<T: Element>(done: &Reconstruction<T>, options: Option<&Iterative<T>>) -> Option<Finding> {
    // The values are tested in single precision, because images are written in single precision.
    let voxels =
        || done.image.chunks_exact(2).map(|value| [value[0].double() as f32, value[1].double() as f32]);
    let broken = voxels().filter(|value| !(value[0].is_finite() && value[1].is_finite())).count();
    if broken > 0 {
        let problem = format!("{broken} of {} voxels are not finite", voxels().count());
        let advice = "scale k-space or sensitivities so that the image is in the range of single precision";
        return Some(finding(problem, advice));
    }
    let is_empty = voxels().all(|value| value == [0.0; 2]);
    is_empty.then(|| finding("the image is 0 everywhere".to_owned(), why_empty(done, options)))
}

/// Returns the problems of an image whose values are finite and not all 0.
fn findings<T: Element>(done: &Reconstruction<T>, options: Option<&Iterative<T>>) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(options.and_then(|options| of_choices(done, options)));
    if let Some(ending) = done.worst()
        && !is_converged(ending)
        && (ending.residual > LARGE_RESIDUAL || ending.residual.is_nan())
    {
        let advice = match (ending.outcome, size_of::<T>()) {
            (Outcome::PrecisionLimit, 4) => "say ‘precision’ double",
            (Outcome::PrecisionLimit, _) => "check k-space and sensitivities",
            _ => "give more ‘iterations’",
        };
        let problem = format!("its equation is solved to a residual of {:.1e} only", ending.residual);
        findings.push(finding(problem, advice));
    }
    if let Some(misfit) = done.misfit.filter(|&misfit| misfit > LARGE_MISFIT && !is_noise(misfit, done)) {
        let problem = format!("it leaves {:.0} % of the data unexplained", 100.0 * misfit);
        let advice = "check ‘lambda’, and that k-space, trajectory and sensitivities belong together; if \
                      the residual is noise, give its level with ‘sigma’";
        findings.push(finding(problem, advice));
    }
    findings
}

/// Returns true if the misfit is about as large as the noise would cause, and the noise is smaller than the
/// data.
fn is_noise<T>(misfit: f64, done: &Reconstruction<T>) -> bool {
    let is_found = done.choices.iter().all(|choice| *choice == ChoiceOutcome::Found);
    is_found && done.misfit_of_noise.is_some_and(|noise| misfit <= NOISE_TOLERANCE * noise)
}

fn is_converged(ending: &Ending) -> bool {
    ending.outcome == Outcome::Converged
}

/// Returns the problem in the choice of λ for the equation with the worst result. Returns `None` if there is
/// no problem.
fn of_choices<T: Element>(done: &Reconstruction<T>, options: &Iterative<T>) -> Option<Finding> {
    let is_missed = |choice: &&ChoiceOutcome| **choice != ChoiceOutcome::Found;
    let missed = done.choices.iter().filter(is_missed).count();
    let worst = *done.choices.iter().find(is_missed)?;
    let channels = match done.choices.len() {
        1 => String::new(),
        all => format!(" for {missed} of {all} channels"),
    };
    let lambda = done.lambda.unwrap_or(f64::NAN);
    let percent = |misfit: Option<f64>| format!("{:.3} %", 100.0 * misfit.unwrap_or(f64::NAN));
    let is_single = size_of::<T>() == 4;
    let (problem, advice) = match (options.lambda, worst) {
        (Lambda::Discrepancy, ChoiceOutcome::AtUpperEdge) => (
            format!(
                "the choice of λ ended at the upper edge of its interval{channels}: by ‘sigma’ the noise is {} of the data",
                percent(done.misfit_of_noise)
            ),
            "check ‘sigma’, the standard deviation of the real and of the imaginary part of a sample",
        ),
        (Lambda::Discrepancy, ChoiceOutcome::AtLowerEdge) => (
            format!(
                "the choice of λ ended at the lower edge of its interval{channels}: {} of the data remain unexplained, and by ‘sigma’ the \
                 noise is {}",
                percent(done.misfit),
                percent(done.misfit_of_noise)
            ),
            "check ‘sigma’ and the trajectory, or give more ‘iterations’",
        ),
        (_, ChoiceOutcome::AtUpperEdge | ChoiceOutcome::AtLowerEdge) => (
            format!(
                "the corner of the L-curve is at the {} edge of the interval of λ{channels}, and the best λ may be beyond it",
                if worst == ChoiceOutcome::AtUpperEdge { "upper" } else { "lower" },
            ),
            "give ‘sigma’ if the noise is known, or a number as ‘lambda’",
        ),
        _ if is_single && is_unresolved(done) => (
            format!(
                "λ could not be determined{channels}: the misfit is below what single precision can resolve"
            ),
            "say ‘precision’ double",
        ),
        (Lambda::Discrepancy, _) => (
            format!(
                "λ could not be determined{channels}: {} of the data remain unexplained, and by ‘sigma’ the noise is {}",
                percent(done.misfit),
                percent(done.misfit_of_noise)
            ),
            "give more ‘iterations’, or a number as ‘lambda’",
        ),
        _ => (
            format!("λ could not be determined{channels}, {lambda:.1e} is used: the L-curve has no corner"),
            "give ‘sigma’ if the noise is known, or a number as ‘lambda’",
        ),
    };
    Some(finding(problem, advice))
}

/// Returns true if the misfit, or the misfit that the noise would cause, is below the rounding errors.
fn is_unresolved<T>(done: &Reconstruction<T>) -> bool {
    let Some(resolution) = done.misfit_resolution else { return false };
    let expected = done.misfit_of_noise.unwrap_or(f64::INFINITY);
    done.misfit.is_some_and(|misfit| misfit.min(expected) <= resolution)
}

/// Returns the advice for an image that is empty or not finite.
fn why_empty<T: Element>(done: &Reconstruction<T>, options: Option<&Iterative<T>>) -> &'static str {
    let began_at_the_end = done.worst().is_some_and(|worst| worst.iterations == 0 && is_converged(worst));
    match options {
        Some(options) if options.iterations == 0 => "give more ‘iterations’",
        Some(options) if options.noise.is_some() && began_at_the_end => {
            "‘sigma’ explains all of the data: give the standard deviation of a part of a sample"
        }
        Some(Iterative { lambda: Lambda::Fixed(lambda), .. }) if *lambda > 0.0 => "give a smaller ‘lambda’",
        None | Some(_) => "check k-space and sensitivities",
    }
}

//! Whether what was computed is an image: empty ones, such as are not finite, and such as hardly explain the data are told.

use super::options::{LambdaChoice, Method, Recon};
use crate::precision::Precision;
use arcuate_core::{Error, Result};
use arcuate_recon::{Element, Ending, Reconstruction};
use arcuate_solve::Outcome;

/// The residual of an equation that is hardly solved: what is left of Fᴴd.
const LARGE_RESIDUAL: f64 = 0.1;
/// The part of the data that an image of them does not leave unexplained, unless its user knows of their noise.
const LARGE_MISFIT: f64 = 0.5;

/// What is wrong with an image.
pub(super) struct Verdict(Vec<Finding>);

struct Finding {
    problem: String,
    advice: &'static str,
    /// Whether there is nothing to compare with a truth.
    is_no_image: bool,
}

impl Verdict {
    pub(super) fn of<T: Element>(command: &Recon, done: &Reconstruction<T>) -> Self {
        let mut findings = Vec::new();
        let mut find = |problem: String, advice, is_no_image| {
            findings.push(Finding { problem, advice, is_no_image });
        };
        // As they are written.
        let voxels =
            || done.image.chunks_exact(2).map(|value| [value[0].double() as f32, value[1].double() as f32]);
        let broken = voxels().filter(|value| !(value[0].is_finite() && value[1].is_finite())).count();
        if broken > 0 {
            let problem = format!("{broken} of {} voxels are not finite", voxels().count());
            find(
                problem,
                "scale k-space or sensitivities so that the image has room in single precision",
                true,
            );
            return Self(findings);
        }
        if voxels().all(|value| value == [0.0; 2]) {
            find("the image is 0 everywhere".to_owned(), why_empty(command, done.worst()), true);
            return Self(findings);
        }
        let is_explained = command.sigma.is_some() && done.endings.iter().all(is_converged);
        if let Some(ending) = done.worst()
            && !is_converged(ending)
            && (ending.residual > LARGE_RESIDUAL || ending.residual.is_nan())
        {
            let advice = match (ending.outcome, command.precision) {
                (Outcome::PrecisionLimit, Precision::Single) => "say --precision double",
                (Outcome::PrecisionLimit, Precision::Double) => "check k-space and sensitivities",
                _ => "give more --iterations",
            };
            find(
                format!("its equation is solved to a residual of {:.1e} only", ending.residual),
                advice,
                false,
            );
        }
        if let Some(misfit) = done.misfit.filter(|&misfit| misfit > LARGE_MISFIT && !is_explained) {
            let problem = format!("it leaves {:.0} % of the data unexplained", 100.0 * misfit);
            let advice = "check that k-space, trajectory and sensitivities belong together, and --lambda; where it is noise, say \
                          so with --sigma";
            find(problem, advice, false);
        }
        Self(findings)
    }

    /// Says all of it in warnings, which records keep.
    pub(super) fn warn(&self, command: &Recon) {
        for Finding { problem, advice, .. } in &self.0 {
            tracing::warn!("{}: {problem}; {advice}", command.out.display());
        }
    }

    /// The same for the end of a line, with a comma before it.
    pub(super) fn words(&self) -> String {
        let problems: Vec<&str> = self.0.iter().map(|finding| finding.problem.as_str()).collect();
        if problems.is_empty() { String::new() } else { format!(", but {}", problems.join(", and ")) }
    }

    /// Fails where there is no image to compare with the truth.
    pub(super) fn require_image(&self, command: &Recon) -> Result<()> {
        match self.0.iter().find(|finding| finding.is_no_image && command.truth.is_some()) {
            None => Ok(()),
            Some(Finding { problem, advice, .. }) => {
                let problem = format!("{problem}, which cannot be compared with a truth");
                Err(Error::invalid(command.out.display(), problem, *advice))
            }
        }
    }
}

fn is_converged(ending: &Ending) -> bool {
    ending.outcome == Outcome::Converged
}

/// What to do about an image without values.
fn why_empty(command: &Recon, worst: Option<&Ending>) -> &'static str {
    let began_at_the_end = worst.is_some_and(|ending| ending.iterations == 0 && is_converged(ending));
    match command.lambda {
        _ if command.method != Method::Cg => "check k-space and sensitivities",
        _ if command.iterations == 0 => "give more --iterations",
        _ if command.sigma.is_some() && began_at_the_end => {
            "--sigma explains all of the data: give the standard deviation of a part of a sample"
        }
        LambdaChoice::Fixed(lambda) if lambda > 0.0 => "give a smaller --lambda",
        _ => "check k-space and sensitivities",
    }
}

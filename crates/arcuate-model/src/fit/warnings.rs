//! Warnings about a fit. They report parameters that the measurements cannot determine, and voxels in which
//! the fit did not finish. They also report voxels in which the fit ended at a bound or constraint of the
//! model.

use super::options::FitOptions;
use super::results::ModelFit;
use super::series::identifiability;
use super::status::Status;
use crate::language::Model;
use arcuate_core::{Control, GradientTable, Result};

/// Largest acceptable standard error of a parameter, as a fraction of the parameter's range. The data do not
/// determine a parameter with a larger standard error.
const GUESS: f64 = 0.3;
/// Minimum fraction of voxels with an unfinished fit for a warning. A few unfinished voxels occur in any
/// brain.
const MANY: f64 = 0.01;
/// Minimum fraction of voxels that ended at a bound or constraint for a message about it. The JSON record of
/// the fit lists all bounds and constraints.
const REPORTED: f64 = 0.001;

/// Prints a warning about the parameters of each model that the measurements cannot determine.
///
/// # Errors
/// Returns the errors of [`check_models`](super::check_models).
pub fn warn_of_guesses(models: &[Model], gradients: &GradientTable, options: &FitOptions) -> Result<()> {
    for (model, found) in models.iter().zip(identifiability(models, gradients, options)?) {
        let guesses: Vec<&str> =
            found.iter().filter(|of| of.error > GUESS).map(|of| of.parameter.as_str()).collect();
        if guesses.is_empty() {
            continue;
        }
        let used = options.measurements.of(gradients)?;
        options.control.warn(&format!(
            "{}: these measurements ({}) do not determine {}. At a signal-to-noise ratio of 30, a standard error \
             exceeds {:.0} % of the range; their maps mainly show the start values",
            model.name(),
            gradients.of_measurements(&used).describe_shells(),
            guesses.join(", "),
            100.0 * GUESS
        ));
    }
    Ok(())
}

impl ModelFit {
    /// Returns the number of voxels with a result, including voxels in which the fit stopped at the maximum
    /// number of evaluations.
    pub fn fitted(&self) -> usize {
        self.count_of(Status::is_fitted)
    }

    /// Returns the number of voxels whose Markov chains accepted at least one proposal.
    pub fn sampled(&self) -> usize {
        self.count_of(|status| status == Status::Sampled)
    }

    /// Returns the number of voxels in which the fit stopped at the maximum number of evaluations.
    pub fn unfinished(&self) -> usize {
        self.count_of(|status| status == Status::Limit)
    }

    fn count_of(&self, counts: impl Fn(Status) -> bool) -> usize {
        self.counts.iter().filter(|(status, _)| counts(*status)).map(|(_, count)| count).sum()
    }

    /// Warns about voxels without a valid result.
    pub(super) fn warn(&self, control: &Control) {
        let voxels: usize = self.counts.iter().map(|(_, count)| count).sum();
        let (unfinished, stuck) = (self.unfinished(), self.count_of(|status| status == Status::Stuck));
        if unfinished > 0 && unfinished as f64 >= MANY * voxels as f64 {
            control.warn(&format!(
                "{}: in {unfinished} of {voxels} voxels the fit used all evaluations before it converged (status 3); these voxels have the last values; more ‘evaluations’ may help",
                self.model
            ));
        }
        if stuck > 0 {
            control.warn(&format!(
                "{}: in {stuck} of {voxels} voxels not one proposal was accepted (status 7): their samples are where chains \
                 began, and say nothing; check ‘sigma’, priors and scale",
                self.model
            ));
        }
    }

    /// Describes in how many voxels the fit ended at a bound or a constraint. In such voxels, the true
    /// parameter value may be beyond the bound.
    pub fn describe_ends(&self) -> Vec<String> {
        let fitted = self.fitted().max(1) as f64;
        let is_reported = |voxels: usize| voxels as f64 >= REPORTED * fitted;
        let percentage = |voxels: usize| format!("{:.1} %", 100.0 * voxels as f64 / fitted);
        let mut sentences = Vec::new();
        for bounds in &self.at_bounds {
            let ends: Vec<String> = bounds
                .ends()
                .filter(|(_, _, voxels)| is_reported(*voxels))
                .map(|(which, value, voxels)| {
                    format!("at its {which} bound ({value}) in {}", percentage(voxels))
                })
                .collect();
            if !ends.is_empty() {
                sentences.push(format!("{} is {} of the voxels", bounds.parameter, ends.join(" and ")));
            }
        }
        for at in self.at_constraints.iter().filter(|at| is_reported(at.voxels)) {
            sentences.push(format!(
                "constraint {} holds with equality in {} of the voxels",
                at.constraint,
                percentage(at.voxels)
            ));
        }
        sentences
    }
}

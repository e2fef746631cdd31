//! Input and result of sampling several models.

use super::criteria::SampleCriterion;
use super::example::Choice;
use crate::output::OutputFolder;
use crate::series::Series;
use arcuate_core::Mask;
use arcuate_model::fit::{FitOptions, ModelFit};

/// Data and options of the Markov chains, and the folder of their results.
pub(super) struct Sampled<'a> {
    pub(super) series: &'a Series,
    pub(super) mask: &'a Mask,
    pub(super) options: &'a FitOptions,
    pub(super) folder: &'a OutputFolder,
}

/// Result of sampling several models.
pub(super) struct Outcome {
    /// Fit of each model. Its parameters are the means of the posterior samples.
    pub(super) fits: Vec<ModelFit>,
    pub(super) of_samples: Vec<SampleCriterion>,
    pub(super) example: Option<Choice>,
}

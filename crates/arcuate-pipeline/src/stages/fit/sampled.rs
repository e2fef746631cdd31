//! What chains of several models take, and what they come to.

use super::criteria::OfSamples;
use super::example::Choice;
use crate::output::OutputFolder;
use crate::series::Series;
use arcuate_core::Mask;
use arcuate_model::fit::{FitOptions, ModelFit};

/// What chains are of, and where their samples go.
pub(super) struct Sampled<'a> {
    pub(super) series: &'a Series,
    pub(super) mask: &'a Mask,
    pub(super) options: &'a FitOptions,
    pub(super) folder: &'a OutputFolder,
}

/// What sampling comes to.
pub(super) struct Outcome {
    /// The fits at the means of the samples.
    pub(super) fits: Vec<ModelFit>,
    pub(super) of_samples: Vec<OfSamples>,
    pub(super) example: Option<Choice>,
}

//! Probabilistic tracking: `arcuate track samples`, `track peaks` and `track bootstrap`. These commands get
//! their fibre orientations from different sources, but track in the same way.

mod args;
mod bootstrap;
mod peaks;
mod protocols;
mod samples;

pub(crate) use bootstrap::TrackBootstrap;
pub(crate) use peaks::TrackPeaks;
pub(crate) use protocols::TrackSamplesOrProtocols;
pub(crate) use samples::TrackSamples;

use super::anatomy::RandomAnatomyArgs;
use super::propagation::Followed;
use super::tracking::{Differences, Tracking};
use arcuate_core::Result;
use arcuate_pipeline::stages::sampled::SampleRules;
use arcuate_pipeline::stages::tracking;
use arcuate_track::ConstraintUnit;
use args::TrackingArgs;
use clap::Args;

/// How samples, peaks and refits are followed.
#[derive(Debug, Args)]
#[group(skip)]
struct Sampled<S: Followed> {
    #[command(flatten)]
    tracking: Tracking<S>,
    #[command(flatten)]
    anatomy: RandomAnatomyArgs,
    #[command(flatten)]
    rules: TrackingArgs,
}

impl<S: Followed> Sampled<S> {
    /// Converts the options to the types of the library. Returns an error if options contradict each other.
    fn typed(&self) -> Result<(SampleRules, tracking::Tracking)> {
        let differences = Differences {
            anatomy: self.anatomy.file(),
            interface: self.anatomy.seed_interface(),
            judged_by: ConstraintUnit::Half,
            preset: self.rules.preset(),
        };
        Ok((self.rules.rules(), self.tracking.typed(differences)?))
    }
}

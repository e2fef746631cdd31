//! `arcuate track`: tracks streamlines. Each source of directions (tensors, FODs, samples and so on) has its
//! own file or folder here.

mod anatomy;
mod constraints;
mod fod;
#[cfg(feature = "geodesic")]
mod geodesic;
pub(crate) mod parts;
mod propagation;
#[cfg(feature = "samples")]
mod sampled;
mod spaces;
mod tensor;
mod tracking;

pub(crate) use constraints::{RegionArgs, region_files};
pub(crate) use fod::TrackFod;
pub(crate) use geodesic::TrackGeodesic;
pub(crate) use sampled::{TrackBootstrap, TrackPeaks, TrackSamples, TrackSamplesOrProtocols};
pub(crate) use tensor::TrackTensor;

#[cfg(not(feature = "geodesic"))]
use super::absent as geodesic;
#[cfg(not(feature = "samples"))]
use super::absent as sampled;

use crate::grammar::Grammar;
use crate::stage_command::TypedCommand;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::stages::Work;
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use parts::{Parted, no_parts, parted};
use std::path::PathBuf;

/// Follow streamlines through a field of fibre orientations
#[derive(Debug, Args)]
pub(crate) struct Track {
    #[command(subcommand)]
    source: TrackSource,
}

#[derive(Debug, Subcommand)]
enum TrackSource {
    Tensor(Box<TrackTensor>),
    Fod(Box<TrackFod>),
    Geodesic(Box<TrackGeodesic>),
    Samples(Box<TrackSamplesOrProtocols>),
    Peaks(Box<TrackPeaks>),
    Bootstrap(Box<TrackBootstrap>),
}

impl Track {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        self.chosen().run(job, grammar)
    }

    /// Returns true if random numbers are drawn.
    pub(crate) fn draws(&self) -> bool {
        match &self.source {
            TrackSource::Geodesic(command) => command.draws(),
            // The direction in which tracking starts from a seed is random, even if the positions of the
            // seeds are not.
            TrackSource::Tensor(_)
            | TrackSource::Fod(_)
            | TrackSource::Samples(_)
            | TrackSource::Peaks(_)
            | TrackSource::Bootstrap(_) => true,
        }
    }

    pub(crate) fn has_gpu_implementation(&self) -> bool {
        !matches!(self.source, TrackSource::Tensor(_))
    }

    fn chosen(&self) -> &dyn TypedCommand {
        match &self.source {
            TrackSource::Tensor(command) => command.as_ref(),
            TrackSource::Fod(command) => command.as_ref(),
            TrackSource::Geodesic(command) => command.as_ref(),
            TrackSource::Samples(command) => command.as_ref(),
            TrackSource::Peaks(command) => command.as_ref(),
            TrackSource::Bootstrap(command) => command.as_ref(),
        }
    }
}

parted!(TrackTensor, TrackFod);

/// Returns the work that merges the existing parts of a command, and its output path.
pub(crate) fn merged(command: &str, matches: &ArgMatches) -> Result<(PathBuf, Box<dyn Work>)> {
    fn taken<C: FromArgMatches>(matches: &ArgMatches) -> Result<C> {
        C::from_arg_matches(matches).map_err(|error| no_parts(&error.to_string()))
    }
    match command {
        "track tensor" => taken::<TrackTensor>(matches)?.merged(),
        "track fod" => taken::<TrackFod>(matches)?.merged(),
        "track geodesic" => taken::<TrackGeodesic>(matches)?.merged(),
        "track samples" => taken::<TrackSamplesOrProtocols>(matches)?.merged(),
        "track peaks" => taken::<TrackPeaks>(matches)?.merged(),
        "track bootstrap" => taken::<TrackBootstrap>(matches)?.merged(),
        command => Err(no_parts(&format!("`arcuate {command}` cannot be divided into parts"))),
    }
}

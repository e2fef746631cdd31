//! `arcuate track`: tracks streamlines. Each source of directions (tensors, FODs, samples and so on) has its
//! own file or folder here.

mod anatomy;
mod constraints;
mod fod;
mod geodesic;
mod propagation;
mod sampled;
mod spaces;
mod tensor;
mod tracking;

pub(crate) use constraints::{RegionArgs, region_files};
pub(crate) use fod::TrackFod;
pub(crate) use geodesic::TrackGeodesic;
use sampled::TrackSamplesOrProtocols;
pub(crate) use sampled::{TrackBootstrap, TrackPeaks, TrackSamples};
pub(crate) use tensor::TrackTensor;

use crate::grammar::Grammar;
use crate::stage_command::{Typed, TypedCommand};
use arcuate_core::{Error, Result};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::stages::Work;
use arcuate_pipeline::stages::tracking::{Extent, Tracking};
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use sampled::SamplesOrProtocols;
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

/// Returns the work that merges the existing parts of a command, and its output path.
pub(crate) fn merged(command: &str, matches: &ArgMatches) -> Result<(PathBuf, Box<dyn Work>)> {
    fn taken<C: FromArgMatches>(matches: &ArgMatches) -> Result<C> {
        C::from_arg_matches(matches).map_err(|error| no_parts(&error.to_string()))
    }
    fn of_parts(tracking: &mut Tracking) -> PathBuf {
        tracking.extent = Extent::Merged;
        tracking.out.clone()
    }
    match command {
        "track tensor" => {
            let mut work = taken::<TrackTensor>(matches)?.typed()?;
            Ok((of_parts(&mut work.tracking), Box::new(work)))
        }
        "track fod" => {
            let mut work = taken::<TrackFod>(matches)?.typed()?;
            Ok((of_parts(&mut work.tracking), Box::new(work)))
        }
        "track geodesic" => {
            let mut work = taken::<TrackGeodesic>(matches)?.typed()?;
            Ok((of_parts(&mut work.tracking), Box::new(work)))
        }
        "track samples" => match taken::<TrackSamplesOrProtocols>(matches)?.typed()? {
            SamplesOrProtocols::Samples(mut work) => Ok((of_parts(&mut work.tracking), work)),
            SamplesOrProtocols::Protocols(_) => Err(no_parts("tracts by protocols have none")),
        },
        "track peaks" => {
            let mut work = taken::<TrackPeaks>(matches)?.typed()?;
            Ok((of_parts(&mut work.tracking), Box::new(work)))
        }
        "track bootstrap" => {
            let mut work = taken::<TrackBootstrap>(matches)?.typed()?;
            Ok((of_parts(&mut work.tracking), Box::new(work)))
        }
        command => Err(no_parts(&format!("`arcuate {command}` cannot be divided into parts"))),
    }
}

fn no_parts(why: &str) -> Error {
    Error::invalid(
        "parts",
        why.trim(),
        "compute the parts with `arcuate track samples … --part 1/8` and \
                                         so on",
    )
}

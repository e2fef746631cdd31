//! Streamlines through fields: one file or folder per source.

mod anatomy;
mod constraints;
mod fod;
mod geodesic;
mod sampled;
mod seeds;
mod spaces;
mod tensor;

pub(crate) use constraints::{RegionArgs, region_files};
pub(crate) use fod::TrackFod;
pub(crate) use geodesic::TrackGeodesic;
use sampled::TrackSamplesOrProtocols;
pub(crate) use sampled::{TrackBootstrap, TrackPeaks, TrackSamples};
pub(crate) use tensor::TrackTensor;

use crate::context::Context;
use crate::stage_command::TypedCommand;
use arcuate_core::Result;
use clap::{Args, Subcommand};

/// Follow streamlines through a field of orientations
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
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        self.chosen().run(context)
    }

    /// Whether anything is drawn at random.
    pub(crate) fn draws(&self) -> bool {
        match &self.source {
            TrackSource::Geodesic(command) => command.draws(),
            // Where seeds are not, the direction is that is followed first.
            TrackSource::Tensor(_)
            | TrackSource::Fod(_)
            | TrackSource::Samples(_)
            | TrackSource::Peaks(_)
            | TrackSource::Bootstrap(_) => true,
        }
    }

    pub(crate) fn has_gpu_half(&self) -> bool {
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

//! `arcuate fit`: fits a signal model in every voxel.

mod chains;
pub(crate) mod csd;
mod listing;
pub(crate) mod models;
mod overrides;
pub(crate) mod reading;
pub(crate) mod tensor;
mod words;

use crate::grammar::Grammar;
use crate::stage_command::TypedCommand;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::{Args, Subcommand};

/// Fit a model of the signal in every voxel
///
/// `fit tensor` fits the diffusion tensor by linear least squares. `fit csd` estimates fibre orientation distributions. Any
/// other MODEL is a name that `arcuate fit --list` prints, or a file in the model language. It is fitted by a search, then by
/// Levenberg–Marquardt within bounds. Writes one map per parameter (orientations as three volumes, scanner axes), maps
/// derived from them, the residual (root mean square, signal units) and the status of each voxel: 0 outside the mask,
/// 1 converged, 2 converged at a bound, 3 evaluations exhausted, 4 no signal, 5 too few measurements, 6 the model has no
/// signal, 7 no proposal accepted, 8 sampled. Several models get one folder each.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(mut_args(listing::beside_fit))]
pub(crate) struct Fit {
    #[command(subcommand)]
    linear: Option<Linear>,
    #[command(flatten)]
    listing: listing::Listing,
    #[command(flatten)]
    models: models::FitModels,
}

#[derive(Debug, Subcommand)]
enum Linear {
    Tensor(tensor::FitTensor),
    Csd(csd::FitCsd),
}

impl Fit {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        if self.listing.is_asked_for() {
            return self.listing.run(self.models.names(), job);
        }
        self.chosen().run(job, grammar)
    }

    /// Returns true if random numbers are drawn.
    pub(crate) fn draws(&self) -> bool {
        self.linear.is_none() && !self.listing.is_asked_for() && self.models.has_chains()
    }

    pub(crate) fn has_gpu_half(&self) -> bool {
        !self.listing.is_asked_for() && !matches!(self.linear, Some(Linear::Tensor(_)))
    }

    fn chosen(&self) -> &dyn TypedCommand {
        match &self.linear {
            Some(Linear::Tensor(command)) => command,
            Some(Linear::Csd(command)) => command,
            None => &self.models,
        }
    }
}

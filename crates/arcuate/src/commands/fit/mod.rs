//! `arcuate fit`: fits a signal model in every voxel.

mod chains;
pub(crate) mod csd;
mod listing;
pub(crate) mod models;
mod option_values;
mod overrides;
pub(crate) mod reading;
pub(crate) mod tensor;

use crate::grammar::Grammar;
use crate::stage_command::TypedCommand;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::{Args, Subcommand};

/// Fit a model of the signal in every voxel
///
/// `fit tensor` fits the diffusion tensor by linear least squares. `fit csd` estimates fibre orientation
/// distributions. Any other MODEL is a name that `arcuate fit --list` prints, or a file in the model
/// language. Such a model is fitted by a grid search, and then by the Levenberg–Marquardt method within the
/// bounds of its parameters. Writes one map per parameter (an orientation as three volumes, in scanner axes),
/// and maps that are computed from the parameters. Writes a map of the residual (root mean square, in the
/// unit of the signal) and a map of the status. The status of a voxel is 0 outside the mask, 1 converged, 2
/// converged at a bound, or 3 largest number of evaluations reached. It is 4 if there is no signal, 5 if
/// there are too few measurements, and 6 if the model has no signal. With --method mcmc, it is 7 if no
/// proposal was accepted, and 8 if the voxel was sampled. If several models are given, each has its own
/// folder.
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
        if self.listing.is_requested() {
            return self.listing.run(self.models.names(), job);
        }
        self.chosen().run(job, grammar)
    }

    /// Returns true if random numbers are drawn.
    pub(crate) fn draws(&self) -> bool {
        self.linear.is_none() && !self.listing.is_requested() && self.models.has_chains()
    }

    pub(crate) fn has_gpu_implementation(&self) -> bool {
        !self.listing.is_requested() && !matches!(self.linear, Some(Linear::Tensor(_)))
    }

    fn chosen(&self) -> &dyn TypedCommand {
        match &self.linear {
            Some(Linear::Tensor(command)) => command,
            Some(Linear::Csd(command)) => command,
            None => &self.models,
        }
    }
}

//! `arcuate fit`: a model of the signal in every voxel.

mod chains;
pub(crate) mod csd;
pub(crate) mod models;
pub(crate) mod reading;
pub(crate) mod tensor;
mod wishes;
mod words;

use crate::context::Context;
use crate::stage_command::TypedCommand;
use arcuate_core::Result;
use clap::{Args, Subcommand};

/// Fit a model of the signal in every voxel
///
/// `fit tensor` is the linear fit of the diffusion tensor, `fit csd` finds fibre orientation distributions. Every other model is one of those that `arcuate models` lists, or a
/// file of your own in the model language: a search, then Levenberg–Marquardt within bounds, with exact derivatives. Writes a
/// map for each parameter (orientations as three volumes, scanner axes), what the model makes of them, residual (root mean
/// square, signal units) and status (1 converged, 2 converged at a bound or a constraint, 3 evaluations ran out, 4 to 6 not
/// fitted: no signal, too few measurements, no signal of the model; 7 and 8 of chains: no proposal taken, sampled; 0 outside the
/// mask). Of several models each has a folder.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_long_help = models::reference_help())]
pub(crate) struct Fit {
    #[command(subcommand)]
    linear: Option<Linear>,
    #[command(flatten)]
    models: models::FitModels,
}

#[derive(Debug, Subcommand)]
enum Linear {
    Tensor(tensor::FitTensor),
    Csd(csd::FitCsd),
}

impl Fit {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        self.chosen().run(context)
    }

    /// Whether anything is drawn at random.
    pub(crate) fn draws(&self) -> bool {
        self.linear.is_none() && self.models.has_chains()
    }

    pub(crate) fn has_gpu_half(&self) -> bool {
        !matches!(self.linear, Some(Linear::Tensor(_)))
    }

    fn chosen(&self) -> &dyn TypedCommand {
        match &self.linear {
            Some(Linear::Tensor(command)) => command,
            Some(Linear::Csd(command)) => command,
            None => &self.models,
        }
    }
}

//! `arcuate fit`: fits a signal model in every voxel.

pub(crate) mod csd;
#[cfg(feature = "models")]
pub(crate) mod models;
pub(crate) mod tensor;

#[cfg(not(feature = "models"))]
pub(crate) use super::absent as models;

use crate::grammar::Grammar;
use crate::stage_command::TypedCommand;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::{Args, Subcommand};

/// Fit a model of the signal in every voxel
///
/// `fit tensor` fits the diffusion tensor by linear least squares. `fit csd` estimates fibre orientation
/// distributions. Any other MODEL is a name that `arcuate fit --list` prints, or a file in the model
/// language. These models are fitted by a grid search, and then by the Levenberg–Marquardt method within the
/// bounds of the parameters. Writes one map per parameter (an orientation as three volumes, in scanner axes),
/// and maps that are computed from the parameters. Writes a map of the residual (root mean square, in the
/// unit of the signal) and a map of the status. The status of a voxel is 0 outside the mask, 1 converged, 2
/// converged at a bound, or 3 largest number of evaluations reached. It is 4 if there is no signal, 5 if
/// there are too few measurements, and 6 if the model has no signal. With --method mcmc, it is 7 if no
/// proposal was accepted, and 8 if the voxel was sampled. If several models are given, each has its own
/// folder.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(mut_args(models::beside_fit))]
pub(crate) struct Fit {
    #[command(subcommand)]
    linear: Option<Linear>,
    #[command(flatten)]
    models: models::FitOrList,
}

#[derive(Debug, Subcommand)]
enum Linear {
    Tensor(tensor::FitTensor),
    Csd(csd::FitCsd),
}

impl Fit {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        self.chosen().run(job, grammar)
    }

    /// Returns true if random numbers are drawn.
    pub(crate) fn draws(&self) -> bool {
        self.linear.is_none() && self.models.draws()
    }

    pub(crate) fn has_gpu_implementation(&self) -> bool {
        match &self.linear {
            Some(Linear::Tensor(_)) => false,
            Some(Linear::Csd(_)) => true,
            None => self.models.has_gpu_implementation(),
        }
    }

    fn chosen(&self) -> &dyn TypedCommand {
        match &self.linear {
            Some(Linear::Tensor(command)) => command,
            Some(Linear::Csd(command)) => command,
            None => &self.models,
        }
    }
}

//! `arcuate evaluate`: determines which streamlines of a tractogram explain the measured diffusion signal.

mod commit;
mod life;

pub(crate) use commit::EvaluateCommit;
pub(crate) use life::EvaluateLife;

use crate::grammar::Grammar;
use crate::stage_command::TypedCommand;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::{Args, Subcommand};

/// Weight streamlines by how well they explain the measured signal
#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    #[command(subcommand)]
    method: EvaluateMethod,
}

#[derive(Debug, Subcommand)]
enum EvaluateMethod {
    Life(Box<life::EvaluateLife>),
    Commit(Box<commit::EvaluateCommit>),
}

impl Evaluate {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        self.chosen().run(job, grammar)
    }

    fn chosen(&self) -> &dyn TypedCommand {
        match &self.method {
            EvaluateMethod::Life(command) => command.as_ref(),
            EvaluateMethod::Commit(command) => command.as_ref(),
        }
    }
}

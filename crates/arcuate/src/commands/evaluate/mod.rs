//! Which streamlines the measured signal supports.

mod commit;
mod common;
pub(crate) mod life;

pub(crate) use commit::EvaluateCommit;
pub(crate) use common::SUPPORTED;
pub(crate) use life::EvaluateLife;

use crate::context::Context;
use crate::step::Step;
use arcuate_core::Result;
use clap::{Args, Subcommand};

/// Find which streamlines the measured signal supports
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
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        self.step().run(context)
    }

    pub(crate) fn step(&self) -> &dyn Step {
        match &self.method {
            EvaluateMethod::Life(command) => command.as_ref(),
            EvaluateMethod::Commit(command) => command.as_ref(),
        }
    }
}

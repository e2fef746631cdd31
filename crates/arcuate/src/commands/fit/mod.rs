//! `arcuate fit`: a model of the signal in every voxel.

pub(crate) mod tensor;

use crate::context::Context;
use crate::step::Step;
use arcuate_core::Result;
use clap::{Args, Subcommand};

/// Fit a model of the signal in every voxel
#[derive(Debug, Args)]
pub(crate) struct Fit {
    #[command(subcommand)]
    model: FitModel,
}

#[derive(Debug, Subcommand)]
enum FitModel {
    Tensor(tensor::FitTensor),
}

impl Fit {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        self.step().run(context)
    }

    pub(crate) fn step(&self) -> &dyn Step {
        match &self.model {
            FitModel::Tensor(command) => command,
        }
    }
}

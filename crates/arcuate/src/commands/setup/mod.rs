//! `arcuate setup`: what an installation needs once.

pub(crate) mod completions;
mod devices;
pub(crate) mod man;
mod names;

use crate::grammar::Grammar;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::{Args, Subcommand};

/// List devices, link FSL's programs, write shell completions and manual pages
#[derive(Debug, Args)]
pub(crate) struct Setup {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Devices(devices::Devices),
    Names(names::Names),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Setup {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        match &self.what {
            What::Devices(command) => command.run(job),
            What::Names(command) => command.run(job),
            What::Completions(command) => command.run(job, grammar),
            What::Man(command) => command.run(job, grammar),
        }
    }

    /// `setup devices` opens the device that is asked for.
    pub(crate) fn has_gpu_half(&self) -> bool {
        matches!(self.what, What::Devices(_))
    }
}

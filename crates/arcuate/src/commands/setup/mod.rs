//! `arcuate setup`: commands to set up an installation.

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
    what: SetupCommand,
}

#[derive(Debug, Subcommand)]
enum SetupCommand {
    Devices(devices::Devices),
    Names(names::Names),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Setup {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        match &self.what {
            SetupCommand::Devices(command) => command.run(job),
            SetupCommand::Names(command) => command.run(job),
            SetupCommand::Completions(command) => command.run(job, grammar),
            SetupCommand::Man(command) => command.run(job, grammar),
        }
    }

    /// Returns true for `setup devices`, which opens the requested device.
    pub(crate) fn has_gpu_implementation(&self) -> bool {
        matches!(self.what, SetupCommand::Devices(_))
    }
}

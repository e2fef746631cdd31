//! One file per command: its options and a short `run`.

mod completions;
mod connectome;
mod convert;
mod demo;
mod density;
mod devices;
mod edit;
mod evaluate;
mod info;
mod man;
mod maps;
mod mask;
mod report;
mod run;
mod sample;
mod simulate;
mod tensor;
mod track;

use crate::context::Context;
use arcuate_core::Result;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(run::Run),
    Mask(mask::Mask),
    Tensor(tensor::Tensor),
    Maps(maps::Maps),
    Track(track::Track),
    Evaluate(evaluate::Evaluate),
    Connectome(connectome::Connectome),
    Density(density::Density),
    Edit(edit::Edit),
    Sample(sample::Sample),
    Convert(convert::Convert),
    Info(info::Info),
    Simulate(simulate::Simulate),
    Demo(demo::Demo),
    Report(report::Report),
    Devices(devices::Devices),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        match self {
            Self::Run(command) => command.run(context),
            Self::Mask(command) => command.run(context),
            Self::Tensor(command) => command.run(context),
            Self::Maps(command) => command.run(context),
            Self::Track(command) => command.run(context),
            Self::Evaluate(command) => command.run(context),
            Self::Connectome(command) => command.run(context),
            Self::Density(command) => command.run(context),
            Self::Edit(command) => command.run(context),
            Self::Sample(command) => command.run(context),
            Self::Convert(command) => command.run(context),
            Self::Info(command) => command.run(context),
            Self::Simulate(command) => command.run(context),
            Self::Demo(command) => command.run(context),
            Self::Report(command) => command.run(context),
            Self::Devices(command) => command.run(context),
            Self::Completions(command) => command.run(context),
            Self::Man(command) => command.run(context),
        }
    }
}

//! One file per command: its options and a short `run`.

mod bids;
mod completions;
mod connectome;
mod convert;
mod demo;
mod density;
mod devices;
mod edit;
mod evaluate;
mod fit;
mod five_tissues;
mod info;
mod man;
mod maps;
mod mask;
mod merge;
mod models;
mod names;
mod parcellate;
mod recon;
mod report;
mod response;
mod run;
mod sample;
mod simulate;
mod status;
mod track;

pub(crate) use run::Definition;

use crate::context::Context;
use crate::fsl;
use crate::grammar::Grammar;
use crate::stage_command::TypedCommand;
use crate::uses::Uses;
use arcuate_core::Result;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(run::Run),
    Bids(Box<bids::Bids>),
    Status(status::Status),
    Recon(Box<recon::Recon>),
    Mask(mask::Mask),
    #[command(name = "5tt")]
    FiveTissues(five_tissues::FiveTissues),
    Response(response::EstimateResponse),
    Fit(Box<fit::Fit>),
    Maps(maps::Maps),
    Models(models::Models),
    Bedpostx(fsl::Bedpostx),
    Xfibres(fsl::Xfibres),
    Probtrackx2(fsl::Probtrackx2),
    Dtifit(fsl::Dtifit),
    Track(track::Track),
    Merge(merge::Merge),
    Evaluate(evaluate::Evaluate),
    Density(density::Density),
    Connectome(connectome::Connectome),
    Parcellate(parcellate::Parcellate),
    Edit(edit::Edit),
    Sample(sample::Sample),
    Convert(convert::Convert),
    Info(info::Info),
    Simulate(simulate::Simulate),
    Demo(demo::Demo),
    Report(report::Report),
    Devices(devices::Devices),
    Names(names::Names),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    pub(crate) fn run(&self, context: &Context, grammar: &Grammar) -> Result<()> {
        match self {
            Self::Run(command) => command.run(context, grammar),
            Self::Bids(command) => command.run(context, grammar),
            Self::Status(command) => command.run(context),
            Self::Recon(command) => command.run(context),
            Self::Mask(command) => command.run(context),
            Self::FiveTissues(command) => command.run(context),
            Self::Response(command) => command.run(context),
            Self::Fit(command) => command.run(context),
            Self::Maps(command) => command.run(context),
            Self::Models(command) => command.run(context),
            Self::Bedpostx(command) => command.run(context),
            Self::Xfibres(command) => command.run(context),
            Self::Probtrackx2(command) => command.run(context),
            Self::Dtifit(command) => command.run(context),
            Self::Track(command) => command.run(context),
            Self::Merge(command) => command.run(context, grammar),
            Self::Evaluate(command) => command.run(context),
            Self::Density(command) => command.run(context),
            Self::Connectome(command) => command.run(context),
            Self::Parcellate(command) => command.run(context),
            Self::Edit(command) => command.run(context),
            Self::Sample(command) => command.run(context),
            Self::Convert(command) => command.run(context),
            Self::Info(command) => command.run(context),
            Self::Simulate(command) => command.run(context),
            Self::Demo(command) => command.run(context, grammar),
            Self::Report(command) => command.run(context),
            Self::Devices(command) => command.run(context),
            Self::Names(command) => command.run(context),
            Self::Completions(command) => command.run(context, grammar),
            Self::Man(command) => command.run(context, grammar),
        }
    }
}

impl Command {
    /// Whether a program may do it that goes on afterwards: not those of FSL, whose words and exit codes are a process's.
    pub(crate) fn can_be_called(&self) -> bool {
        !matches!(self, Self::Bedpostx(_) | Self::Xfibres(_) | Self::Probtrackx2(_) | Self::Dtifit(_))
    }

    /// What it does with options that every command has.
    pub(crate) fn uses(&self) -> Uses {
        let (random, gpus) = match self {
            // FSL's programs have words of their own.
            Self::Run(_)
            | Self::Bids(_)
            | Self::Demo(_)
            | Self::Bedpostx(_)
            | Self::Xfibres(_)
            | Self::Dtifit(_)
            | Self::Probtrackx2(_) => (true, true),
            Self::Recon(command) => (false, command.has_gpu_half()),
            Self::Fit(command) => (command.draws(), command.has_gpu_half()),
            Self::Track(command) => (command.draws(), command.has_gpu_half()),
            // `devices` opens the one that is asked for.
            Self::Evaluate(_) | Self::Devices(_) => (false, true),
            Self::Simulate(command) => (command.draws(), false),
            Self::Parcellate(command) => (command.draws(), false),
            Self::Mask(_)
            | Self::Merge(_)
            | Self::FiveTissues(_)
            | Self::Response(_)
            | Self::Maps(_)
            | Self::Models(_)
            | Self::Density(_)
            | Self::Connectome(_)
            | Self::Edit(_)
            | Self::Sample(_)
            | Self::Convert(_)
            | Self::Info(_)
            | Self::Status(_)
            | Self::Report(_)
            | Self::Names(_)
            | Self::Completions(_)
            | Self::Man(_) => (false, false),
        };
        Uses { random, gpus }
    }
}

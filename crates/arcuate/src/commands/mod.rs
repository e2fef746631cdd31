//! One file per command: its options and a short `run`.

mod bids;
mod connectome;
mod convert;
mod demo;
mod density;
mod edit;
mod evaluate;
mod fit;
mod five_tissues;
mod info;
mod maps;
mod mask;
mod merge;
mod parcellate;
mod recon;
mod report;
mod response;
mod run;
mod sample;
mod setup;
mod simulate;
mod track;

pub(crate) use run::Definition;

use crate::fsl;
use crate::grammar::Grammar;
use crate::stage_command::TypedCommand;
use crate::uses::Uses;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(run::Run),
    Bids(Box<bids::Bids>),
    Recon(Box<recon::Recon>),
    Mask(mask::Mask),
    #[command(name = "5tt")]
    FiveTissues(five_tissues::FiveTissues),
    Response(response::EstimateResponse),
    Fit(Box<fit::Fit>),
    Maps(maps::Maps),
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
    Setup(setup::Setup),
}

impl Command {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        match self {
            Self::Run(command) => command.run(job, grammar),
            Self::Bids(command) => command.run(job, grammar),
            Self::Recon(command) => command.run(job),
            Self::Mask(command) => command.run(job),
            Self::FiveTissues(command) => command.run(job),
            Self::Response(command) => command.run(job),
            Self::Fit(command) => command.run(job),
            Self::Maps(command) => command.run(job),
            Self::Bedpostx(command) => command.run(job),
            Self::Xfibres(command) => command.run(job),
            Self::Probtrackx2(command) => command.run(job),
            Self::Dtifit(command) => command.run(job),
            Self::Track(command) => command.run(job),
            Self::Merge(command) => command.run(job, grammar),
            Self::Evaluate(command) => command.run(job),
            Self::Density(command) => command.run(job),
            Self::Connectome(command) => command.run(job),
            Self::Parcellate(command) => command.run(job),
            Self::Edit(command) => command.run(job),
            Self::Sample(command) => command.run(job),
            Self::Convert(command) => command.run(job),
            Self::Info(command) => command.run(job),
            Self::Simulate(command) => command.run(job),
            Self::Demo(command) => command.run(job, grammar),
            Self::Report(command) => command.run(job),
            Self::Setup(command) => command.run(job, grammar),
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
            Self::Bids(command) => (command.computes(), command.computes()),
            // FSL's programs have words of their own.
            Self::Run(_)
            | Self::Demo(_)
            | Self::Bedpostx(_)
            | Self::Xfibres(_)
            | Self::Dtifit(_)
            | Self::Probtrackx2(_) => (true, true),
            Self::Recon(command) => (false, command.has_gpu_half()),
            Self::Fit(command) => (command.draws(), command.has_gpu_half()),
            Self::Track(command) => (command.draws(), command.has_gpu_half()),
            Self::Evaluate(_) => (false, true),
            Self::Setup(command) => (false, command.has_gpu_half()),
            Self::Simulate(command) => (command.draws(), false),
            Self::Parcellate(command) => (command.draws(), false),
            Self::Mask(_)
            | Self::Merge(_)
            | Self::FiveTissues(_)
            | Self::Response(_)
            | Self::Maps(_)
            | Self::Density(_)
            | Self::Connectome(_)
            | Self::Edit(_)
            | Self::Sample(_)
            | Self::Convert(_)
            | Self::Info(_)
            | Self::Report(_) => (false, false),
        };
        Uses { random, gpus }
    }
}

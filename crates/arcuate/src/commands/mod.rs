//! The commands of the program. Each command is a file or folder with its options and a short function `run`.

pub(crate) mod absent;
#[cfg(feature = "bids")]
mod bids;
mod connectome;
mod convert;
mod demo;
mod density;
mod edit;
mod evaluate;
mod fit;
mod five_tissues;
mod fsl;
mod info;
mod maps;
mod mask;
mod merge;
mod parcellate;
#[cfg(feature = "recon")]
mod recon;
mod report;
mod response;
pub(crate) mod run;
mod sample;
pub(crate) mod setup;
mod simulate;
mod track;

pub(crate) use absent::is_absent;
pub(crate) use run::Definition;
pub(crate) use sample::Sample;
pub(crate) use simulate::Simulate;

#[cfg(not(feature = "bids"))]
use absent as bids;
#[cfg(not(feature = "recon"))]
use absent as recon;

use crate::grammar::Grammar;
use crate::stage_command::TypedCommand;
use crate::uses::Uses;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::Subcommand;

/// Defines the commands. Each row has a name, the options, a pattern for the options, and which options
/// common to all commands it uses.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($options:ty), $pattern:pat => $uses:expr;)+) => {
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($(#[$attribute])* $name($options),)+
        }

        impl Command {
            pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
                match self {
                    $(Self::$name(command) => command.run(job, grammar),)+
                }
            }

            /// Returns which options common to all commands this command uses.
            pub(crate) fn uses(&self) -> Uses {
                match self {
                    $(Self::$name($pattern) => $uses,)+
                }
            }
        }
    };
}

commands! {
    Run(run::Run), _ => Uses::ALL;
    Bids(Box<bids::Bids>), bids => Uses { random: bids.draws(), gpus: bids.has_gpu_implementation() };
    Recon(Box<recon::Recon>), recon => Uses { gpus: recon.has_gpu_implementation(), ..Uses::NONE };
    Mask(mask::Mask), _ => Uses::NONE;
    #[command(name = "5tt")]
    FiveTissues(five_tissues::FiveTissues), _ => Uses::NONE;
    Response(response::EstimateResponse), _ => Uses::NONE;
    Fit(Box<fit::Fit>), fit => Uses { random: fit.draws(), gpus: fit.has_gpu_implementation() };
    Maps(maps::Maps), _ => Uses::NONE;
    #[command(flatten)]
    Fsl(fsl::FslProgram), _ => Uses::ALL;
    Track(track::Track), track => Uses { random: track.draws(), gpus: track.has_gpu_implementation() };
    Merge(merge::Merge), _ => Uses::NONE;
    Evaluate(evaluate::Evaluate), _ => Uses { gpus: true, ..Uses::NONE };
    Density(density::Density), _ => Uses::NONE;
    Connectome(connectome::Connectome), _ => Uses::NONE;
    Parcellate(parcellate::Parcellate), parcellate => Uses { random: parcellate.draws(), ..Uses::NONE };
    Edit(edit::Edit), _ => Uses::NONE;
    Sample(sample::Sample), _ => Uses::NONE;
    Convert(convert::Convert), _ => Uses::NONE;
    Info(info::Info), _ => Uses::NONE;
    Simulate(simulate::Simulate), simulate => Uses { random: simulate.draws(), ..Uses::NONE };
    Demo(demo::Demo), _ => Uses::ALL;
    Report(report::Report), _ => Uses::NONE;
    Setup(setup::Setup), setup => Uses { gpus: setup.has_gpu_implementation(), ..Uses::NONE };
}

impl Command {
    /// Returns true if another program may call the command and continue. FSL's programs have the syntax and
    /// exit codes of a process of their own.
    pub(crate) fn can_be_called(&self) -> bool {
        !matches!(self, Self::Fsl(_))
    }
}

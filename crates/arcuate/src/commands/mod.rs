//! One file per command: its options and a short `run`.

mod completions;
mod connectome;
mod convert;
mod demo;
mod density;
mod devices;
mod edit;
mod evaluate;
mod fit;
mod info;
mod man;
mod maps;
mod mask;
mod models;
mod recon;
mod report;
mod run;
mod sample;
mod simulate;
mod track;

pub(crate) use fit::tensor::write_images;

use crate::context::{Context, GlobalOptions};
use crate::fsl;
use crate::invocation::Invocation;
use crate::step::Step;
use arcuate_compute::DeviceChoice;
use arcuate_core::{Error, Result};
use clap::Subcommand;
use std::ffi::OsString;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(run::Run),
    Recon(Box<recon::Recon>),
    Mask(mask::Mask),
    Fit(Box<fit::Fit>),
    Maps(maps::Maps),
    Models(models::Models),
    Bedpostx(fsl::Bedpostx),
    Xfibres(fsl::Xfibres),
    Track(track::Track),
    Evaluate(evaluate::Evaluate),
    Density(density::Density),
    Connectome(connectome::Connectome),
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

/// What a command does with options that every command has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uses {
    /// It draws at random.
    pub(crate) random: bool,
    /// It computes on GPUs.
    pub(crate) gpus: bool,
}

impl Uses {
    pub(crate) const ALL: Self = Self { random: true, gpus: true };

    /// Fails where an option was typed that has nothing to do here.
    pub(crate) fn check(self, options: &GlobalOptions, invocation: &Invocation) -> Result<()> {
        let typed = |option: &str| invocation.global_words.iter().any(|word| word == option);
        let alone = format!("`{}` computes on the processor alone", invocation.command);
        if typed("--random-seed") && !self.random {
            let problem = format!("`{}` as it is asked for draws nothing at random", invocation.command);
            return Err(Error::usage("--random-seed", problem, "leave it out"));
        }
        if matches!(options.device, DeviceChoice::Cuda(_)) && !self.gpus {
            return Err(Error::usage("--device", alone, "leave it out, or say --device cpu"));
        }
        if typed("--device-memory") && !self.gpus {
            return Err(Error::usage("--device-memory", alone, "leave it out"));
        }
        Ok(())
    }

    /// Of words of options that every command has, those that a command takes.
    pub(crate) fn words(self, words: &[OsString]) -> Vec<&OsString> {
        let mut taken = Vec::new();
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let value = words.next_if(|next| !next.to_string_lossy().starts_with("--"));
            let is_taken = match word.to_str() {
                Some("--random-seed") => self.random,
                Some("--device") => self.gpus || value.is_some_and(|device| device == "cpu"),
                Some("--device-memory") => self.gpus,
                _ => true,
            };
            if is_taken {
                taken.extend([word].into_iter().chain(value));
            }
        }
        taken
    }
}

impl Command {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        match self {
            Self::Run(command) => command.run(context),
            Self::Recon(command) => command.run(context),
            Self::Mask(command) => command.run(context),
            Self::Fit(command) => command.run(context),
            Self::Maps(command) => command.run(context),
            Self::Models(command) => command.run(context),
            Self::Bedpostx(command) => command.run(context),
            Self::Xfibres(command) => command.run(context),
            Self::Track(command) => command.run(context),
            Self::Evaluate(command) => command.run(context),
            Self::Density(command) => command.run(context),
            Self::Connectome(command) => command.run(context),
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

    /// What it does with options that every command has.
    pub(crate) fn uses(&self) -> Uses {
        let (random, gpus) = match self {
            // FSL's programs have words of their own.
            Self::Run(_) | Self::Demo(_) | Self::Bedpostx(_) | Self::Xfibres(_) => (true, true),
            Self::Recon(command) => (false, command.has_gpu_half()),
            Self::Fit(command) => (command.draws(), command.has_gpu_half()),
            Self::Track(command) => (command.draws(), command.has_gpu_half()),
            // `devices` opens the one that is asked for.
            Self::Evaluate(_) | Self::Devices(_) => (false, true),
            Self::Simulate(command) => (command.draws(), false),
            Self::Mask(_)
            | Self::Maps(_)
            | Self::Models(_)
            | Self::Density(_)
            | Self::Connectome(_)
            | Self::Edit(_)
            | Self::Sample(_)
            | Self::Convert(_)
            | Self::Info(_)
            | Self::Report(_)
            | Self::Completions(_)
            | Self::Man(_) => (false, false),
        };
        Uses { random, gpus }
    }

    /// The command as a step of `run`.
    ///
    /// # Panics
    /// For commands that are no steps.
    pub(crate) fn as_step(&self) -> &dyn Step {
        match self {
            Self::Mask(command) => command,
            Self::Fit(command) => command.step(),
            Self::Track(command) => command.step(),
            Self::Evaluate(command) => command.step(),
            Self::Density(command) => command,
            Self::Connectome(command) => command,
            other => unreachable!("{other:?} is no step of a run"),
        }
    }
}

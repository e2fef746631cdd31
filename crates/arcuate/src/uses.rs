use crate::global_options::GlobalOptions;
use crate::invocation::Invocation;
use arcuate_compute::DeviceChoice;
use arcuate_core::{Error, Result};
use clap::Command;
use std::ffi::OsString;

/// Commands that never compute on GPUs. Their help does not list the options of GPUs.
const WITHOUT_GPUS: &[&str] = &[
    "mask",
    "merge",
    "5tt",
    "response",
    "maps",
    "models",
    "parcellate",
    "density",
    "connectome",
    "edit",
    "sample",
    "convert",
    "info",
    "status",
    "report",
    "simulate",
    "names",
    "completions",
    "man",
];

/// Commands that never draw random numbers. Their help does not list `--random-seed`.
const WITHOUT_RANDOM_NUMBERS: &[&str] = &[
    "recon",
    "mask",
    "merge",
    "5tt",
    "response",
    "maps",
    "models",
    "evaluate",
    "density",
    "connectome",
    "edit",
    "sample",
    "convert",
    "info",
    "status",
    "report",
    "devices",
    "names",
    "completions",
    "man",
];

/// Hides the options of every command that a command does not use. The command must have been built.
pub(crate) fn without_unused_options(command: Command) -> Command {
    command.mut_subcommands(|sub| {
        let name = sub.get_name();
        let unused = [
            ("device", WITHOUT_GPUS),
            ("device_memory", WITHOUT_GPUS),
            ("random_seed", WITHOUT_RANDOM_NUMBERS),
        ];
        let ids: Vec<&str> =
            unused.iter().filter(|(_, commands)| commands.contains(&name)).map(|(id, _)| *id).collect();
        hide(sub, &ids)
    })
}

fn hide(command: Command, ids: &[&str]) -> Command {
    // In its place: `mut_arg` would move an argument behind the others, whose places a built command has noted.
    let hidden = command.mut_args(|argument| {
        let is_hidden = argument.is_hide_set() || ids.contains(&argument.get_id().as_str());
        argument.hide(is_hidden)
    });
    hidden.mut_subcommands(|sub| hide(sub, ids))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use crate::definition::definition;
    use crate::examples;

    /// The words of the examples of a command and of its subcommands.
    fn lines(command: &Command, name: &str) -> Vec<Vec<OsString>> {
        let mut lines: Vec<Vec<OsString>> = examples::of(name)
            .iter()
            .map(|[_, line]| line.rsplit_once('|').map_or(*line, |(_, last)| last.trim()))
            .map(|line| line.split(['>', ';']).next().unwrap_or_default())
            .map(|line| line.split_whitespace().map(Into::into).collect())
            .collect();
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            lines.extend(self::lines(sub, &format!("{name} {}", sub.get_name())));
        }
        lines
    }

    /// Every example of a command that uses GPUs or random numbers shows that its help must list the options.
    #[test]
    fn no_command_hides_an_option_that_it_uses() {
        let definition = definition();
        let mut checked = 0;
        for command in definition.get_subcommands() {
            let name = command.get_name();
            let parsed = lines(command, name).into_iter().filter_map(|words| Cli::parse_words(words).ok());
            for (cli, _) in parsed {
                let uses = cli.command.uses();
                assert!(!(uses.gpus && WITHOUT_GPUS.contains(&name)), "{name} uses GPUs");
                assert!(
                    !(uses.random && WITHOUT_RANDOM_NUMBERS.contains(&name)),
                    "{name} draws random numbers"
                );
                checked += 1;
            }
        }
        assert!(checked > 40, "{checked}");
    }
}

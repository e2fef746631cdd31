use crate::global_options::GlobalOptions;
use crate::invocation::Invocation;
use arcuate_compute::DeviceChoice;
use arcuate_core::{Error, Result};
use clap::Command;
use std::ffi::OsString;

/// Commands that never compute on GPUs.
const WITHOUT_GPUS: &[&str] = &[
    "bids status",
    "mask",
    "5tt",
    "response",
    "fit tensor",
    "maps",
    "track tensor",
    "merge",
    "edit",
    "sample",
    "simulate",
    "density",
    "connectome",
    "parcellate",
    "info",
    "convert",
    "report",
    "setup names",
    "setup completions",
    "setup man",
];

/// Commands that never draw random numbers.
const WITHOUT_RANDOM_NUMBERS: &[&str] = &[
    "bids status",
    "recon",
    "mask",
    "5tt",
    "response",
    "fit csd",
    "fit tensor",
    "maps",
    "merge",
    "edit",
    "sample",
    "evaluate",
    "density",
    "connectome",
    "info",
    "convert",
    "report",
    "setup",
];

/// Commands that do not replace results.
const WITHOUT_RESULTS: &[&str] =
    &["bids status", "info", "setup devices", "setup names", "setup completions"];

/// Commands that compute nothing.
const WITHOUT_WORK: &[&str] = &["bids status", "info", "setup"];

/// Options that all commands accept, each with the commands that do not use it. The help of these commands
/// does not list the option.
const UNUSED: &[(&str, &[&str])] = &[
    ("device", WITHOUT_GPUS),
    ("device_memory", WITHOUT_GPUS),
    ("random_seed", WITHOUT_RANDOM_NUMBERS),
    ("force", WITHOUT_RESULTS),
    ("threads", WITHOUT_WORK),
];

/// True if the list contains the command or one of the commands above it. For example, `setup` is above
/// `setup man`.
fn is_in(list: &[&str], name: &str) -> bool {
    list.iter()
        .any(|known| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

/// In the help of each command, hides the options of all commands that it does not use. The definition must
/// have been built before.
pub(crate) fn without_unused_options(command: Command) -> Command {
    command.mut_subcommands(|sub| {
        let name = sub.get_name().to_owned();
        hide(sub, &name)
    })
}

fn hide(command: Command, name: &str) -> Command {
    // `mut_arg` would move an argument after the others, but a built command has already stored the positions
    // of its arguments. `mut_args` keeps their order.
    let hidden = command.mut_args(|argument| {
        let id = argument.get_id().as_str();
        let is_unused = UNUSED.iter().any(|(option, commands)| *option == id && is_in(commands, name));
        let is_hidden = argument.is_hide_set() || is_unused;
        argument.hide(is_hidden)
    });
    hidden.mut_subcommands(|sub| {
        let below = format!("{name} {}", sub.get_name());
        hide(sub, &below)
    })
}

/// Common options that a command uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uses {
    /// True if the command draws random numbers.
    pub(crate) random: bool,
    /// True if this command, with its options, can compute on GPUs.
    pub(crate) gpus: bool,
}

impl Uses {
    pub(crate) const ALL: Self = Self { random: true, gpus: true };
    pub(crate) const NONE: Self = Self { random: false, gpus: false };

    /// Returns an error if the user typed an option of all commands that this command does not use.
    pub(crate) fn check(self, options: &GlobalOptions, invocation: &Invocation) -> Result<()> {
        let typed = |option: &str| invocation.global_words.iter().any(|word| word == option);
        let alone = format!("`{}` uses only the CPU", invocation.command);
        if typed("--random-seed") && !self.random {
            let problem = format!("`{}` with these options uses no random numbers", invocation.command);
            return Err(Error::usage("--random-seed", problem, "leave it out"));
        }
        if matches!(options.device, DeviceChoice::Cuda(_)) && !self.gpus {
            return Err(Error::usage("--device", alone, "remove this option, or give --device cpu"));
        }
        if typed("--device-memory") && !self.gpus {
            return Err(Error::usage("--device-memory", alone, "leave it out"));
        }
        Ok(())
    }

    /// Removes the options that this command does not use from `words`, which are options of all commands.
    /// Returns the others.
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

    /// Returns the words in the command lines of the examples of a command and of its subcommands.
    fn lines(command: &Command, name: &str) -> Vec<Vec<OsString>> {
        let mut lines: Vec<Vec<OsString>> = examples::of(name)
            .into_iter()
            .map(|[_, line]| line.rsplit_once('|').map_or(line, |(_, last)| last.trim()))
            .map(|line| line.split(['>', ';']).next().unwrap_or_default())
            .map(|line| line.split_whitespace().map(Into::into).collect())
            .collect();
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            lines.extend(self::lines(sub, &format!("{name} {}", sub.get_name())));
        }
        lines
    }

    /// If an example uses GPUs or random numbers, the options for these must be in the help of its command.
    #[test]
    fn no_command_hides_an_option_that_it_uses() {
        let definition = definition();
        let mut checked = 0;
        for command in definition.get_subcommands() {
            let name = command.get_name();
            let parsed = lines(command, name).into_iter().filter_map(|words| Cli::parse_words(words).ok());
            for (cli, invocation) in parsed {
                let (uses, name) = (cli.command.uses(), &invocation.command);
                assert!(!(uses.gpus && is_in(WITHOUT_GPUS, name)), "{name} uses GPUs");
                assert!(!(uses.random && is_in(WITHOUT_RANDOM_NUMBERS, name)), "{name} draws random numbers");
                checked += 1;
            }
        }
        assert!(checked > 40, "{checked}");
    }
}

//! The command line as it is told: the options of each command, its examples, the groups of commands, and what values are.

use crate::cli::Cli;
use crate::examples;
use crate::uses::without_unused_options;
use clap::builder::{PossibleValue, Str, StyledStr};
use clap::{Arg, Command, CommandFactory};
use std::fmt::Write;

/// The commands by what they are for, in the order in which they are told.
const GROUPS: &[(&str, &[&str])] = &[
    ("The whole way", &["run", "demo"]),
    ("Cohorts", &["bids", "status"]),
    ("Images", &["recon", "mask", "5tt"]),
    ("Models of the signal", &["response", "fit", "maps", "models", "bedpostx", "xfibres", "dtifit"]),
    ("Streamlines", &["track", "merge", "probtrackx2", "evaluate", "edit", "sample"]),
    ("Connections", &["density", "connectome", "parcellate"]),
    ("Files", &["info", "convert", "report"]),
    ("Known truths", &["simulate"]),
    ("The program", &["devices", "names", "completions", "man", "help"]),
];

/// Letters of the values of an option that still serve as its name.
const LONGEST_NAME: usize = 44;

/// The command line, with examples in its help.
pub(crate) fn definition() -> Command {
    let mut command = of_manual();
    command = with_examples(command, "");
    // Built now, so that `help` is there, too.
    command.build();
    let command = without_unused_options(command);
    let usage = "arcuate [OPTIONS] <COMMAND>";
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\n{{all-args}}", listed(&command));
    // Listed in groups, and not once more.
    command.mut_subcommands(|sub| sub.hide(true)).override_usage(usage).help_template(template)
}

/// The command line without examples, which manual pages have elsewhere.
pub(crate) fn of_manual() -> Command {
    with_values(Cli::command())
}

/// The commands in their groups.
fn listed(command: &Command) -> String {
    let names = GROUPS.iter().flat_map(|(_, names)| *names);
    let width = names.map(|name| name.len()).max().unwrap_or(0);
    let mut text = "Commands:\n".to_owned();
    for (group, names) in GROUPS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {group}:");
        for sub in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = sub.get_about().map(StyledStr::to_string).unwrap_or_default();
            let _ = writeln!(text, "    {:<width$}  {about}", sub.get_name());
        }
    }
    text
}

/// Puts examples before what the help of each command ends with.
fn with_examples(command: Command, name: &str) -> Command {
    let command = command.mut_subcommands(|sub| {
        let below = format!("{name} {}", sub.get_name());
        with_examples(sub, below.trim_start())
    });
    if examples::of(name).is_empty() {
        return command;
    }
    let rest = command.get_after_long_help().map(|text| format!("\n\n{text}")).unwrap_or_default();
    command.after_long_help(examples::help(name) + &rest)
}

/// Calls values that are one of few by these, where nothing else says what they are.
fn with_values(command: Command) -> Command {
    command.mut_args(named_by_values).mut_subcommands(with_values)
}

fn named_by_values(argument: Arg) -> Arg {
    let values = argument.get_possible_values();
    // What is not named has the name of its field.
    let is_of_field =
        |names: &[Str]| matches!(names, [name] if name.to_lowercase() == argument.get_id().as_str());
    let is_unnamed =
        argument.get_value_names().is_none_or(is_of_field) && argument.get_action().takes_values();
    if values.is_empty() || !is_unnamed {
        return argument;
    }
    let words: Vec<&str> =
        values.iter().filter(|value| !value.is_hide_set()).map(PossibleValue::get_name).collect();
    let name = words.join("|");
    let is_told = values.iter().any(|value| value.get_help().is_some());
    if name.len() > LONGEST_NAME {
        return argument.value_name("WHICH");
    }
    argument.value_name(name).hide_possible_values(!is_told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut of_groups: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        of_groups.sort_unstable();
        let definition = definition();
        let mut all: Vec<&str> = definition.get_subcommands().map(Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(of_groups, all);
    }

    fn names(command: &Command, name: &str) -> Vec<String> {
        let below = command.get_subcommands().filter(|sub| sub.get_name() != "help");
        let mut all: Vec<String> =
            below.flat_map(|sub| names(sub, format!("{name} {}", sub.get_name()).trim_start())).collect();
        all.extend((!name.is_empty()).then(|| name.to_owned()));
        all
    }

    #[test]
    fn every_command_has_examples_that_are_its_own() {
        for name in names(&definition(), "") {
            assert!(!examples::of(&name).is_empty(), "{name}");
            for [_, line] in examples::of(&name) {
                assert!(line.len() <= 94, "a line of the help is broken: {line}");
                assert!(
                    line.starts_with(&format!("arcuate {name}"))
                        || line.contains(&format!("| arcuate {name} ")),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn values_are_called_by_what_they_may_be() {
        fn check(command: &Command) {
            for argument in command.get_arguments().filter(|argument| argument.get_action().takes_values()) {
                let (id, name) = (argument.get_id(), argument.get_value_names().map(|names| names.join(" ")));
                let repeats = |name: &String| {
                    argument.get_long().is_some() && name.to_lowercase() == id.as_str() && name.contains('_')
                };
                assert!(!name.as_ref().is_some_and(repeats), "{} --{id} <{name:?}>", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&definition());
    }
}

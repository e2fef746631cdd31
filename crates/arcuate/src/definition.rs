//! The definition of the command line, with the texts of its help: groups of commands, examples, and names of
//! option values.

use crate::cli::Cli;
use crate::commands::is_absent;
use crate::uses::without_unused_options;
use crate::{examples, references, short_help};
use clap::builder::{PossibleValue, Str, StyledStr};
use clap::{Arg, ArgAction, Command, CommandFactory};
use std::fmt::Write;

/// Commands in groups with a common purpose, in the order of `arcuate --help`. This help lists no other
/// commands.
const GROUPS: &[(&str, &[&str])] = &[
    ("Pipeline", &["run", "bids", "demo"]),
    ("Reconstruction", &["recon", "mask", "5tt"]),
    ("Models", &["response", "fit", "maps"]),
    ("Tracking", &["track", "merge", "edit", "sample"]),
    ("Evaluation", &["evaluate", "simulate"]),
    ("Connectivity", &["density", "connectome", "parcellate"]),
    ("Files", &["info", "convert", "report"]),
    ("Setup", &["setup"]),
];

/// The example of `arcuate` itself.
const EXAMPLE: &str = "arcuate run dwi.nii.gz --out results";

/// Width of the text of options in `arcuate --help`, in columns.
const WIDTH: usize = 100;

/// The option that prints references.
pub(crate) const CITE: &str = "cite";

/// Maximum number of characters of the possible values of an option, if the help shows them as the name of
/// its value.
const LONGEST_NAME: usize = 44;

/// Returns the definition of the command line, including the texts of `-h` and `--help`.
pub(crate) fn definition() -> Command {
    with_help(of_manual())
}

/// Adds the texts of `-h` and `--help` to the definition that the manual pages use.
pub(crate) fn with_help(mut command: Command) -> Command {
    // Builds the command now. Only then does every command have its subcommand `help` and the common options.
    command.build();
    let command = without_unused_options(command).mut_subcommands(|sub| {
        let name = sub.get_name().to_owned();
        with_texts(sub, &name)
    });
    let usage = "arcuate [OPTIONS] <COMMAND>";
    let template = "{about-with-newline}\n{usage-heading} {usage}{after-help}";
    let (short, long) = (short_help_of_all(), long_help_of_all(&command));
    // The help lists the subcommands in groups, so clap's own list of subcommands is hidden.
    command
        .mut_subcommands(|sub| sub.hide(true))
        .override_usage(usage)
        .help_template(template)
        .after_help(short)
        .after_long_help(long)
}

/// Returns the definition of the command line for manual pages and shell completions. It has no texts for
/// `-h` and `--help`.
pub(crate) fn of_manual() -> Command {
    let command = without_absent(with_cite(with_values(Cli::command()), ""), "");
    let is_listed = |name: &str| !is_absent(name) && GROUPS.iter().any(|(_, names)| names.contains(&name));
    command.mut_subcommands(|sub| {
        let is_hidden = !is_listed(sub.get_name());
        sub.hide(is_hidden)
    })
}

/// Hides the commands that need a feature with which the program was not built.
fn without_absent(command: Command, name: &str) -> Command {
    command.mut_subcommands(|sub| {
        let below = format!("{name} {}", sub.get_name());
        let below = below.trim_start();
        let sub = if is_absent(below) { sub.hide(true) } else { sub };
        without_absent(sub, below)
    })
}

/// Adds the option `--cite` to each command that has references to the literature.
fn with_cite(command: Command, name: &str) -> Command {
    let command = command.mut_subcommands(|sub| {
        let below = format!("{name} {}", sub.get_name());
        with_cite(sub, below.trim_start())
    });
    if references::of(name).is_empty() {
        return command;
    }
    let cite =
        Arg::new(CITE).long(CITE).action(ArgAction::SetTrue).exclusive(true).help_heading(None::<&str>);
    command.arg(cite.help("Print the references of the command as text and BibTeX"))
}

/// Returns the text of `arcuate -h`: the groups with the names of their commands, an example, and where to
/// find more help.
fn short_help_of_all() -> String {
    let mut text = "Commands:\n".to_owned();
    for (group, names) in GROUPS {
        let names: Vec<&str> = names.iter().copied().filter(|name| !is_absent(name)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {:<16}{}", format!("{group}:"), names.join(", "));
    }
    let _ = write!(
        text,
        "\nExample:\n  {EXAMPLE}\n\nAbout each command: arcuate --help\nAbout one: arcuate COMMAND -h, or --help for all options"
    );
    text
}

/// Returns the text of `arcuate --help`: the commands in their groups, and the options that all commands
/// have.
fn long_help_of_all(command: &Command) -> String {
    let names = GROUPS.iter().flat_map(|(_, names)| *names);
    let width = names.map(|name| name.len()).max().unwrap_or(0);
    let mut text = "Commands:\n".to_owned();
    for (group, names) in GROUPS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {group}:");
        for sub in
            names.iter().filter(|name| !is_absent(name)).filter_map(|name| command.find_subcommand(name))
        {
            let about = sub.get_about().map(StyledStr::to_string).unwrap_or_default();
            let _ = writeln!(text, "    {:<width$}  {about}", sub.get_name());
        }
    }
    let shown = |argument: &&Arg| !argument.is_hide_set() && argument.get_id() != "help";
    let options = short_help::lines(command.get_arguments().filter(shown), WIDTH);
    let _ = write!(text, "\nOptions of every command:\n{options}\nAbout one command: arcuate COMMAND --help");
    text
}

/// Adds examples to the text of `--help` of a command and of its subcommands. Replaces the text of `-h` by a
/// shorter one.
fn with_texts(command: Command, name: &str) -> Command {
    let short = short_help::of(&command, name);
    let command = command.mut_args(|argument| argument.hide_short_help(true)).after_help(short);
    let command = command.mut_subcommands(|sub| {
        let below = format!("{name} {}", sub.get_name());
        let is_help = sub.get_name() == "help";
        with_texts(sub, &below).hide(is_help)
    });
    if examples::of(name).is_empty() {
        return command;
    }
    command.after_long_help(examples::help(name))
}

/// Shows the possible values of an option as the name of its value (as in `--device <auto|cpu>`), if they are
/// short and the value has no other name.
fn with_values(command: Command) -> Command {
    command.mut_args(named_by_values).mut_subcommands(with_values)
}

fn named_by_values(argument: Arg) -> Arg {
    let values = argument.get_possible_values();
    // If a value has no name, clap uses the name of the Rust field in upper case.
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
    fn every_command_except_fsl_programs_is_in_one_group() {
        let mut known: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert!(known.len() <= 22, "{known:?}");
        known.extend(["help", "bedpostx", "xfibres", "probtrackx2", "dtifit"]);
        known.sort_unstable();
        let definition = definition();
        let mut all: Vec<&str> = definition.get_subcommands().map(Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(known, all);
    }

    fn names(command: &Command, name: &str) -> Vec<String> {
        let below = command.get_subcommands().filter(|sub| sub.get_name() != "help");
        let mut all: Vec<String> =
            below.flat_map(|sub| names(sub, format!("{name} {}", sub.get_name()).trim_start())).collect();
        all.extend((!name.is_empty()).then(|| name.to_owned()));
        all
    }

    #[test]
    fn every_command_has_its_own_examples() {
        for name in names(&definition(), "") {
            assert!(name == "setup" || !examples::of(&name).is_empty(), "{name}");
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
    fn value_names_state_the_type_of_the_value() {
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

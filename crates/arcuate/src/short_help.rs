//! The text of `-h`: the arguments and options of a command that most users need, and an example.

use crate::examples;
use clap::builder::{PossibleValue, StyledStr};
use clap::{Arg, Command};
use std::fmt::Write;

/// Options that `-h` shows for each command, at most five per command.
const FIRST: &[(&str, &[&str])] = &[
    ("run", &["out", "mask", "labels", "tracking", "select"]),
    ("bids", &["participant-label", "atlas", "tracking", "select"]),
    ("bids status", &["json"]),
    ("recon", &["trajectory", "out", "sensitivities", "size", "lambda"]),
    ("mask", &["out", "bval", "bvec", "gradients", "force"]),
    ("5tt", &["out", "lut", "grey-matter", "white-matter", "csf"]),
    ("response", &["out", "method", "mask", "bval", "bvec"]),
    ("fit", &["out", "mask", "list", "compare", "method"]),
    ("fit tensor", &["out", "mask", "max-b", "bval", "bvec"]),
    ("fit csd", &["responses", "out", "mask", "order", "normalise"]),
    ("maps", &["out", "mask", "tensor-order", "format", "force"]),
    ("track tensor", &["out", "select", "seed-mask", "angle", "cutoff"]),
    ("track fod", &["out", "select", "seed-mask", "five-tissues", "waypoints"]),
    ("track geodesic", &["out", "seed-mask", "targets", "all", "best"]),
    ("track samples", &["out", "seed-mask", "select", "waypoints", "targets"]),
    ("track peaks", &["out", "seed-mask", "select", "waypoints", "targets"]),
    ("track bootstrap", &["out", "seed-mask", "select", "waypoints", "replicates"]),
    ("merge", &["force", "threads"]),
    ("evaluate life", &["dwi", "out", "mask", "shells", "lesion"]),
    ("evaluate commit", &["dwi", "out", "peaks", "model", "regularise"]),
    ("density", &["like", "out", "kind", "weights", "by-length"]),
    ("connectome", &["labels", "out", "label-names", "weights", "measure"]),
    ("parcellate", &["out", "clusters", "like", "similarity", "restarts"]),
    ("edit", &["out", "waypoints", "avoid", "min-length", "select"]),
    ("sample", &["out", "statistic", "nearest", "name", "force"]),
    ("convert", &["volumes", "shells", "gradients", "reference", "force"]),
    ("info", &["json"]),
    ("report", &["out", "anatomy", "force"]),
    ("simulate", &["out", "voxel-size", "snr", "shells", "meshes"]),
    ("simulate kspace", &["out", "size", "trajectory-kind", "coils", "snr"]),
    ("demo", &["out", "voxel-size", "shells", "select", "force"]),
    ("setup devices", &["device"]),
    ("setup man", &["out", "force"]),
];

/// Maximum width of a line in the text of `-h`, in columns.
const WIDTH: usize = 80;
/// Maximum width of the column with the names of options. A longer name has a line of its own.
const NAMES: usize = 28;

/// Returns the text that `-h` shows after the usage line. The definition of the command must have been built.
pub(crate) fn of(command: &Command, name: &str) -> String {
    let first = FIRST.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, options)| *options);
    let arguments = command.get_positionals().filter(|argument| !argument.is_hide_set());
    let options = first.iter().filter_map(|option| find(command, option));
    let mut text = lines(arguments.chain(options), WIDTH);
    if !text.is_empty() {
        text.push('\n');
    }
    if let Some([_, line]) = examples::of(name).first() {
        // Writing to a string cannot fail.
        let _ = write!(text, "Example:\n  {line}\n\n");
    }
    let _ = write!(text, "All options: arcuate {name} --help");
    text
}

/// Returns one line for each argument, with the name, the meaning and the default of this argument.
pub(crate) fn lines<'a>(arguments: impl Iterator<Item = &'a Arg>, width: usize) -> String {
    let rows: Vec<(String, String)> = arguments.map(|argument| (name(argument), meaning(argument))).collect();
    let longest = rows.iter().map(|(name, _)| name.chars().count()).filter(|length| *length <= NAMES).max();
    let indent = longest.unwrap_or(0) + 4;
    let mut text = String::new();
    for (name, meaning) in rows {
        let (mut line, mut is_new) = (format!("  {name}"), true);
        if line.chars().count() + 2 > indent {
            text.push_str(&line);
            text.push('\n');
            line.clear();
        }
        let mut column = line.chars().count();
        for word in meaning.split_whitespace() {
            if !is_new && column + 1 + word.chars().count() > width {
                text.push_str(line.trim_end());
                text.push('\n');
                (line, is_new) = (String::new(), true);
            }
            if is_new {
                line = format!("{line:indent$}");
            } else {
                line.push(' ');
            }
            line.push_str(word);
            (column, is_new) = (line.chars().count(), false);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn find<'a>(command: &'a Command, option: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|argument| argument.get_long() == Some(option))
}

/// Returns an argument as the help shows it, such as `<DWI>`, `[NAME]`, `--out <FOLDER>` or `-q, --quiet`.
fn name(argument: &Arg) -> String {
    let values = argument.get_value_names().unwrap_or_default();
    let values: Vec<String> = values.iter().map(|value| format!("<{value}>")).collect();
    let values = values.join(" ");
    let long = argument.get_long().map(|long| format!("--{long}"));
    let short = argument.get_short().map(|short| format!("-{short}, "));
    match long {
        None if argument.is_required_set() => values,
        None => values.replace('<', "[").replace('>', "]"),
        Some(long) if argument.get_action().takes_values() => {
            format!("{}{long} {values}", short.unwrap_or_default())
        }
        Some(long) => short.unwrap_or_default() + &long,
    }
}

/// Maximum number of characters of a default that `-h` shows. Only `--help` shows longer ones.
const LONGEST_DEFAULT: usize = 40;

/// Returns the first sentence of an argument's help. If the default is short, it is appended.
fn meaning(argument: &Arg) -> String {
    let help = argument.get_help().map(StyledStr::to_string).unwrap_or_default();
    let end = ["; ", ". ", " [default"].into_iter().filter_map(|mark| help.find(mark)).min();
    let mut text = help[..end.unwrap_or(help.len())].to_owned();
    let values = argument.get_possible_values();
    let names = argument.get_value_names().unwrap_or_default();
    let is_named = names.iter().any(|name| name.contains('|'));
    if !values.is_empty() && !is_named && argument.get_action().takes_values() {
        let words = values.iter().filter(|value| !value.is_hide_set()).map(PossibleValue::get_name);
        // Writing to a string cannot fail.
        let _ = write!(text, ": {}", words.collect::<Vec<_>>().join(", "));
    }
    let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy());
    let defaults: Vec<_> = defaults.collect();
    if !defaults.is_empty() && argument.get_action().takes_values() {
        let _ = write!(text, " [default: {}]", defaults.join(","));
    } else {
        let long = argument.get_long_help().map(StyledStr::to_string).unwrap_or(help);
        let default = long.find("[default: ").map(|start| &long[start..]);
        if let Some(default) = default.filter(|default| default.chars().count() <= LONGEST_DEFAULT) {
            let _ = write!(text, " {default}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::definition;

    #[test]
    fn every_command_with_options_has_at_most_five_in_its_short_help() {
        fn check(command: &Command, name: &str, seen: &mut usize) {
            for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
                check(sub, format!("{name} {}", sub.get_name()).trim_start(), seen);
            }
            let Some((_, options)) = FIRST.iter().find(|(known, _)| *known == name) else { return };
            *seen += 1;
            assert!((1..=5).contains(&options.len()), "{name}");
            for option in *options {
                let argument = find(command, option);
                assert!(argument.is_some_and(|argument| !argument.is_hide_set()), "{name}: --{option}");
            }
            for required in command.get_arguments().filter(|argument| argument.is_required_set()) {
                let is_shown = required.is_positional()
                    || required.get_long().is_some_and(|long| options.contains(&long));
                assert!(is_shown, "{name}: {}", required.get_id());
            }
        }
        let mut seen = 0;
        check(&definition(), "", &mut seen);
        assert_eq!(seen, FIRST.len(), "a name is that of no command");
    }

    #[test]
    fn lines_fit_the_terminal_width() {
        let arguments = [
            Arg::new("dwi").value_name("DWI").required(true).help("Series; four dimensions"),
            Arg::new("out")
                .long("out")
                .value_name("FOLDER")
                .help("A meaning that is so long that it takes two lines of the terminal, not one")
                .default_value("x"),
            Arg::new("long")
                .long("an-option-with-a-long-name")
                .value_name("VALUE")
                .help("Short. More [default: 3 mm]"),
        ];
        assert_eq!(
            lines(arguments.iter(), WIDTH),
            "  <DWI>           Series\n  --out <FOLDER>  A meaning that is so long that it takes two lines of the\n                  \
             terminal, not one [default: x]\n  --an-option-with-a-long-name <VALUE>\n                  Short [default: 3 mm]\n"
        );
    }
}

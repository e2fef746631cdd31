//! Names that commands had in earlier versions, and the arguments that replace them now.

use clap::Command;
use std::ffi::OsString;

/// Names that commands had in earlier versions. They still work, but the help does not list them.
const FORMER: &[(&str, &[&str])] = &[
    ("status", &["bids", "status"]),
    ("models", &["fit", "--list"]),
    ("devices", &["setup", "devices"]),
    ("names", &["setup", "names"]),
    ("completions", &["setup", "completions"]),
    ("man", &["setup", "man"]),
];

/// If a command line uses the former name of a command, replaces it by the current name.
pub(crate) fn renewed(mut words: Vec<OsString>, definition: &Command) -> Vec<OsString> {
    if let Some(place) = place_of_command(&words, definition)
        && let Some((_, new)) = FORMER.iter().find(|(former, _)| words[place] == *former)
    {
        words.splice(place..=place, new.iter().map(Into::into));
    }
    words
}

/// Returns the index of the command name among the words. Options that all commands have, and the word
/// `help`, may come before it.
fn place_of_command(words: &[OsString], definition: &Command) -> Option<usize> {
    let takes_value = |word: &str| {
        let option = word.strip_prefix("--").unwrap_or_default();
        let mut arguments = definition.get_arguments();
        arguments.any(|argument| argument.get_long() == Some(option) && argument.get_action().takes_values())
    };
    let mut place = 1;
    while let Some(word) = words.get(place) {
        match word.to_str() {
            Some("help") => place += 1,
            Some(word) if word.starts_with('-') => place += if takes_value(word) { 2 } else { 1 },
            _ => return Some(place),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::definition;

    #[test]
    fn former_names_are_replaced_only_in_the_command_position() {
        let definition = definition();
        for (line, new) in [
            ("arcuate devices", "arcuate setup devices"),
            ("arcuate --log devices -q models x", "arcuate --log devices -q fit --list x"),
            ("arcuate --threads=2 status out", "arcuate --threads=2 bids status out"),
            ("arcuate help man", "arcuate help setup man"),
            ("arcuate evaluate status", "arcuate evaluate status"),
            ("arcuate --quiet", "arcuate --quiet"),
        ] {
            let words = line.split(' ').map(OsString::from).collect();
            let expected: Vec<OsString> = new.split(' ').map(OsString::from).collect();
            assert_eq!(renewed(words, &definition), expected, "{line}");
        }
    }

    #[test]
    fn former_names_refer_to_existing_commands() {
        let definition = definition();
        for (former, new) in FORMER {
            assert!(definition.find_subcommand(former).is_none(), "{former}");
            let command = definition.find_subcommand(new[0]).unwrap();
            let is_option = |option: &str| command.get_arguments().any(|a| a.get_long() == Some(option));
            let known = command.find_subcommand(new[1]).is_some() || is_option(&new[1][2..]);
            assert!(known, "{new:?}");
        }
    }
}

//! Converts errors about the command line to one line with the form `WORD: WHAT IS WRONG; WHAT TO DO`.

use crate::hints;
use arcuate_core::{Error, closest, is_present};
use arcuate_pipeline::tracking_input::missing_source;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use std::error::Error as _;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::path::Path;

/// Rewrites an error of the parser as one line. The parser also returns requests for help and version as
/// errors. These are not changed.
pub(crate) fn in_one_line(error: clap::Error, words: &[OsString], definition: &Command) -> clap::Error {
    let typed = Typed::of(words, definition);
    let line = match error.kind() {
        ErrorKind::InvalidSubcommand => typed.unknown_command(&error),
        ErrorKind::UnknownArgument => typed.unknown_option(words, &error),
        ErrorKind::InvalidValue => typed.not_one_of(&error),
        ErrorKind::ValueValidation => typed.bad_value(&error),
        ErrorKind::MissingRequiredArgument => typed.missing(&error),
        ErrorKind::ArgumentConflict => conflict(&error),
        kind if is_answer(kind) => return error,
        _ => None,
    };
    let line = line.unwrap_or_else(|| typed.other(&error));
    clap::Error::raw(error.kind(), format!("{line}\n"))
}

/// Converts the line of a parser error to an [`Error`] about `subject`. It is for commands that build the
/// command lines of other commands.
pub(crate) fn about(subject: &str, error: &clap::Error) -> Error {
    let line = line_of(error);
    match line.rsplit_once("; ") {
        Some((problem, advice)) => Error::usage(subject, problem, advice),
        None => Error::usage(subject, line, format!("see `arcuate {subject} --help`")),
    }
}

/// Returns the first line of an error's text, without the word `error` at its beginning.
pub(crate) fn line_of(error: &clap::Error) -> String {
    let text = error.render().to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn is_answer(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            | ErrorKind::DisplayVersion
            | ErrorKind::Io
            | ErrorKind::Format
    )
}

/// The command whose sources are subcommands.
const TRACK: &str = "arcuate track";

/// The command that was typed.
struct Typed<'a> {
    command: &'a Command,
    /// Full name of the command as the user types it, beginning with `arcuate`.
    name: String,
}

impl<'a> Typed<'a> {
    fn of(words: &[OsString], definition: &'a Command) -> Self {
        let mut typed = Self { command: definition, name: definition.get_name().to_owned() };
        for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
            if let Some(below) = typed.command.find_subcommand(word) {
                typed.command = below;
                typed.name = format!("{} {}", typed.name, below.get_name());
            }
        }
        typed
    }

    fn see_help(&self) -> String {
        format!("see `{} --help`", self.name)
    }

    fn has(&self, option: &str) -> bool {
        let Some(name) = option.strip_prefix("--") else { return false };
        self.command.get_arguments().any(|argument| argument.get_long() == Some(name))
    }

    fn unknown_command(&self, error: &clap::Error) -> Option<Error> {
        let name = text(error, ContextKind::InvalidSubcommand)?;
        if self.name == TRACK && is_present(Path::new(&name)) {
            return Some(missing_source(Path::new(&name)));
        }
        if let Some(meant) = hints::command_meant(&name) {
            return Some(meant);
        }
        let own = self.command.get_subcommands().map(Command::get_name);
        let advice = hints::similar_command(&name, &self.name, own).unwrap_or_else(|| self.see_help());
        Some(Error::usage(&name, "unknown command", advice))
    }

    /// Searches for the first word that is not an option of the command, but for which there is advice.
    /// Returns the error about this word. If there is no such word, the error is about the word that the
    /// parser names.
    fn unknown_option(&self, words: &[OsString], error: &clap::Error) -> Option<Error> {
        if self.name == TRACK {
            let input = words.iter().skip(2).map(Path::new).find(|path| is_present(path));
            if let Some(input) = input {
                return Some(missing_source(input));
            }
        }
        for word in words.iter().skip(1).filter_map(|word| word.to_str()).take_while(|word| *word != "--") {
            let option = word.split_once('=').map_or(word, |(option, _)| option);
            if self.has(option) || !option.starts_with('-') {
                continue;
            }
            let doubled = format!("-{option}");
            // This requires at least two letters, because a single letter can be one of several flags after
            // one dash.
            let is_word = option.len() > 2 && !option.starts_with("--");
            if is_word && self.has(&doubled) {
                let problem = "long options begin with two dashes";
                return Some(Error::usage(option, problem, format!("write {doubled}")));
            }
            if let Some(ours) = hints::ours(option, |ours| self.has(ours)) {
                return Some(Error::usage(option, "unknown option", format!("did you mean {ours}?")));
            }
            if let Some(advice) = hints::not_available(option) {
                return Some(Error::usage(option, "unknown option", advice));
            }
            if hints::INPUTS.contains(&option) {
                return Some(Error::usage(
                    option,
                    "inputs have no option",
                    "give the file as an argument without an option, as `Usage` in --help shows",
                ));
            }
        }
        let word = text(error, ContextKind::InvalidArg)?;
        if !word.starts_with('-') {
            let problem = format!("`{}` takes no further argument", self.name);
            return Some(Error::usage(word, problem, self.see_help()));
        }
        let near = self.similar_option(&word);
        let advice = near.map_or_else(|| self.see_help(), |near| format!("did you mean --{near}?"));
        Some(Error::usage(word, "unknown option", advice))
    }

    /// Returns the long option of the command that is most similar to an unknown option. The result has no
    /// dashes.
    fn similar_option(&self, unknown: &str) -> Option<&str> {
        let bare = unknown.trim_start_matches('-').to_lowercase().replace('_', "-");
        let visible = self.command.get_arguments().filter(|argument| !argument.is_hide_set());
        closest(&bare, visible.filter_map(Arg::get_long))
    }

    fn not_one_of(&self, error: &clap::Error) -> Option<Error> {
        let option = option_of(&text(error, ContextKind::InvalidArg)?);
        let value = text(error, ContextKind::InvalidValue)?;
        let valid = texts(error, ContextKind::ValidValue);
        if value.is_empty() {
            let advice =
                if valid.is_empty() { self.see_help() } else { format!("use {}", listed(&valid, "or")) };
            return Some(Error::usage(option, "its value is missing", advice));
        }
        let near = texts(error, ContextKind::SuggestedValue).into_iter().next();
        let advice = match (near, valid.is_empty()) {
            (Some(near), _) => format!("did you mean {near}?"),
            (None, false) => format!("use {}", listed(&valid, "or")),
            (None, true) => self.see_help(),
        };
        Some(Error::usage(format!("{option} {value}"), "unknown value", advice))
    }

    fn bad_value(&self, error: &clap::Error) -> Option<Error> {
        let (Some(option), Some(value)) =
            (text(error, ContextKind::InvalidArg), text(error, ContextKind::InvalidValue))
        else {
            // The error is already one line.
            let line = plain(error);
            let (subject, rest) = line.split_once(": ")?;
            let (problem, advice) = rest.rsplit_once("; ")?;
            return Some(Error::usage(subject, problem, advice));
        };
        let cause = error.source()?;
        let problem = if let Some(number) = cause.downcast_ref::<ParseIntError>() {
            match number.kind() {
                IntErrorKind::PosOverflow => "the number is too large".to_owned(),
                IntErrorKind::NegOverflow => "the number is too small".to_owned(),
                _ => "expected a whole number".to_owned(),
            }
        } else if cause.is::<ParseFloatError>() {
            "expected a number".to_owned()
        } else {
            cause.to_string()
        };
        let subject = format!("{} {value}", option_of(&option));
        Some(match problem.rsplit_once("; ") {
            Some((problem, advice)) => Error::usage(subject, problem, advice),
            None => Error::usage(subject, problem, self.see_help()),
        })
    }

    fn missing(&self, error: &clap::Error) -> Option<Error> {
        let missing = texts(error, ContextKind::InvalidArg);
        let is = if missing.len() > 1 { "are" } else { "is" };
        let problem = format!("{} {is} missing", listed(&missing, "and"));
        (!missing.is_empty()).then(|| Error::usage(format!("`{}`", self.name), problem, self.see_help()))
    }

    /// Returns the error for all other kinds of errors. Its text is that of the parser, in one line.
    fn other(&self, error: &clap::Error) -> Error {
        Error::usage(format!("`{}`", self.name), plain(error), self.see_help())
    }
}

/// Returns the text of the parser in one line, without the usage and the hint to the help.
fn plain(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim);
    let lines = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

fn conflict(error: &clap::Error) -> Option<Error> {
    let option = option_of(&text(error, ContextKind::InvalidArg)?);
    let others: Vec<String> =
        texts(error, ContextKind::PriorArg).iter().map(|other| option_of(other)).collect();
    match others.as_slice() {
        [] => Some(Error::usage(option, "this argument cannot be used with other arguments", "use it alone")),
        [same] if *same == option => Some(Error::usage(option, "it is given twice", "give it once")),
        others => {
            let problem = format!("cannot be used with {}", listed(others, "or"));
            Some(Error::usage(option, problem, "use only one of them"))
        }
    }
}

/// Returns the name of an option without its value: `--kind` for `--kind <counts|lengths>`. Returns an
/// argument that is not an option unchanged.
fn option_of(argument: &str) -> String {
    let end = if argument.starts_with('-') { argument.find([' ', '=', '[', '.']) } else { None };
    argument[..end.unwrap_or(argument.len())].to_owned()
}

/// Joins words as in `a, b or c`.
fn listed(words: &[String], last: &str) -> String {
    match words {
        [all @ .., end] if !all.is_empty() => format!("{} {last} {end}", all.join(", ")),
        words => words.concat(),
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    texts(error, kind).into_iter().next()
}

fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::definition;

    fn line(words: &str) -> String {
        let words: Vec<OsString> = words.split(' ').map(Into::into).collect();
        let mut definition = definition();
        let error = definition.try_get_matches_from_mut(&words).unwrap_err();
        in_one_line(error, &words, &definition).render().to_string()
    }

    #[test]
    fn every_kind_of_usage_error_is_one_line_with_advice() {
        for (words, expected) in [
            (
                "arcuate evaluate commt t.tck",
                "commt: unknown command; did you mean `arcuate evaluate commit`?",
            ),
            ("arcuate xyzzyxyzzy", "xyzzyxyzzy: unknown command; see `arcuate --help`"),
            (
                "arcuate dipy_fit_dt",
                "dipy_fit_dt: unknown command; did you mean dipy_fit_dti of DIPY? Then use `arcuate fit tensor DWI --out FOLDER`",
            ),
            (
                "arcuate mask a.nii b.nii --out m.nii",
                "b.nii: `arcuate mask` takes no further argument; see `arcuate mask --help`",
            ),
            ("arcuate mask a.nii --out m.nii --foo", "--foo: unknown option; see `arcuate mask --help`"),
            (
                "arcuate mask a.nii --out m.nii --b0_treshold 10",
                "--b0_treshold: unknown option; did you mean --b0-threshold?",
            ),
            ("arcuate mask a.nii --out", "--out: its value is missing; see `arcuate mask --help`"),
            ("arcuate mask a.nii", "`arcuate mask`: --out <FILE> is missing; see `arcuate mask --help`"),
            (
                "arcuate setup devices --quiet -v",
                "--quiet: cannot be used with --verbose; use only one of them",
            ),
            ("arcuate mask a.nii --out m.nii --out n.nii", "--out: it is given twice; give it once"),
            (
                "arcuate run a.nii --out o --select many",
                "--select many: expected a whole number; see `arcuate run --help`",
            ),
            (
                "arcuate run a.nii --out o --select 99999999999999999999",
                "--select 99999999999999999999: the number is too large; see `arcuate run --help`",
            ),
            (
                "arcuate density t.trx --like a.nii --out b.nii --kind fa",
                "--kind fa: unknown value; use counts, lengths or directional",
            ),
        ] {
            assert_eq!(line(words), format!("error: {expected}\n"), "{words}");
        }
    }

    #[test]
    fn help_and_version_output_is_unchanged() {
        assert!(line("arcuate --version").starts_with("arcuate "));
        assert!(line("arcuate mask --help").lines().count() > 10);
        assert!(line("arcuate track").lines().count() > 10);
    }
}

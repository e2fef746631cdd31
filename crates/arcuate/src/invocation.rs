//! A command line that has been parsed, both for the command that runs and for its record.

use crate::requested_pipes::RequestedPipes;
use arcuate_core::Error;
use arcuate_pipeline::job::Request;
use arcuate_pipeline::numbers::invalid_number;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Number, Value};
use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// A parsed command line.
#[derive(Debug, Clone)]
pub(crate) struct Invocation {
    /// The program and its arguments.
    pub(crate) words: Vec<OsString>,
    /// The name of the command, such as `track tensor`.
    pub(crate) command: String,
    /// Name and value of every option of the command that has a value. If the user did not type an option,
    /// the value is its default. Numbers are JSON numbers, and a flag has the value `true`.
    pub(crate) options: Vec<(String, Value)>,
    /// The arguments of the command line that are options of all commands, as the user typed them.
    pub(crate) global_words: Vec<OsString>,
    /// Inputs and outputs that are pipes.
    pub(crate) pipes: RequestedPipes,
}

/// Options that do not affect results.
const WITHOUT_EFFECT_ON_RESULTS: [&str; 7] = ["out", "force", "log", "quiet", "verbose", "help", "version"];

impl Invocation {
    /// Extracts the values of the options. `matches` are the arguments that clap parsed with the definition
    /// `definition`.
    pub(crate) fn of(
        words: Vec<OsString>,
        definition: &Command,
        matches: &ArgMatches,
    ) -> Result<Self, clap::Error> {
        // At each level of subcommands, clap repeats the options that all commands have. Only the last level
        // has the options of the command itself.
        let (mut level, mut matched, mut names) = (definition, matches, Vec::new());
        while let Some((name, below)) = matched.subcommand() {
            let Some(command) = level.find_subcommand(name) else { break };
            (level, matched) = (command, below);
            names.push(name);
        }
        let mut invocation = Self {
            words,
            command: names.join(" "),
            options: Vec::new(),
            global_words: Vec::new(),
            pipes: RequestedPipes::default(),
        };
        for argument in level.get_arguments() {
            invocation.pipes.note(argument, matched);
            let Some(long) = argument.get_long() else { continue };
            let typed = matched.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine);
            if typed && let Some(error) = impossible_number(argument, long, matched) {
                return Err(clap::Error::raw(ErrorKind::ValueValidation, format!("{error}\n")));
            }
            if argument.is_global_set() && typed {
                invocation.global_words.extend(option_arguments(argument, long, matched));
            }
            if !WITHOUT_EFFECT_ON_RESULTS.contains(&long)
                && let Some(value) = value_of(argument, matched)
            {
                invocation.options.push((long.to_owned(), value));
            }
        }
        Ok(invocation)
    }

    /// Returns the request in the form that a record stores.
    pub(crate) fn request(&self) -> Request {
        Request { command: self.command.clone(), words: self.words.clone(), options: self.options.clone() }
    }
}

/// Returns an error if the user typed a number that no option accepts, such as `nan`. The default of the
/// option is accepted.
fn impossible_number(argument: &Arg, long: &str, matches: &ArgMatches) -> Option<Error> {
    if argument.get_value_parser().type_id() != TypeId::of::<f64>() {
        return None;
    }
    let find = |word: &OsStr| {
        let found = invalid_number(word.to_string_lossy().trim().parse().ok()?)?;
        let is_default = argument.get_default_values().iter().any(|default| default.as_os_str() == word);
        let problem = format!("`{}` {}", word.to_string_lossy(), found.problem);
        (!is_default).then(|| Error::usage(format_args!("--{long}"), problem, found.advice))
    };
    matches.get_raw(argument.get_id().as_str())?.find_map(find)
}

/// Returns the value of an option as JSON. Returns `None` if the option has no value.
fn value_of(argument: &Arg, matches: &ArgMatches) -> Option<Value> {
    let id = argument.get_id().as_str();
    match argument.get_action() {
        ArgAction::SetTrue => matches.get_flag(id).then_some(Value::Bool(true)),
        ArgAction::Set | ArgAction::Append => {
            let is_path = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
            let json = |raw: &OsStr| {
                let text = raw.to_string_lossy();
                let number = if is_path { None } else { number(&text) };
                number.unwrap_or_else(|| Value::String(text.into_owned()))
            };
            let mut values: Vec<Value> = matches.get_raw(id)?.map(json).collect();
            let several = matches!(argument.get_action(), ArgAction::Append) || values.len() > 1;
            if several { Some(Value::Array(values)) } else { values.pop() }
        }
        _ => None,
    }
}

/// If the text is a number, returns it as a JSON number.
fn number(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse::<u64>() {
        return Some(Value::Number(whole.into()));
    }
    // JSON has no numbers such as `inf`.
    let finite = text.parse::<f64>().ok().filter(|value| value.is_finite());
    finite.and_then(Number::from_f64).map(Value::Number)
}

/// Returns an option that all commands have, in the form in which the user can type it.
fn option_arguments(argument: &Arg, long: &str, matches: &ArgMatches) -> Vec<OsString> {
    let id = argument.get_id().as_str();
    let name = OsString::from(format!("--{long}"));
    match argument.get_action() {
        ArgAction::SetTrue => vec![name],
        ArgAction::Count => vec![name; usize::from(matches.get_count(id))],
        _ => matches
            .get_raw(id)
            .into_iter()
            .flatten()
            .flat_map(|value| [name.clone(), value.to_owned()])
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use arcuate_pipeline::shell::shell_line;

    fn parse(line: &str) -> Invocation {
        Cli::parse_words(line.split(' ').map(OsString::from).collect()).expect("a command line").1
    }

    #[test]
    fn numbers_must_be_finite_unless_the_default_is_infinite() {
        let refusal = |line: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            Cli::parse_words(words).err().map(|e| e.render().to_string().lines().next().unwrap().to_owned())
        };
        let commit = "arcuate evaluate commit t.tck --dwi d.nii --out o --max-length inf";
        assert_eq!(refusal(commit), None, "its default");
        for (options, word, name) in [
            ("--shells 1000,inf", "inf", "shells"),
            ("--max-b nan", "nan", "max-b"),
            ("--max-b=-INF", "-INF", "max-b"),
        ] {
            let message = refusal(&format!("arcuate fit tensor d.nii --out o {options}"));
            let expected = format!(
                "error: --{name}: `{word}` is not a finite number; give a finite number, or leave the option out"
            );
            assert_eq!(message, Some(expected));
        }
        for (options, problem) in
            [("--max-b 1e308", "`1e308` is too large"), ("--shells 1000,1e-45", "`1e-45` is too close to 0")]
        {
            let message = refusal(&format!("arcuate fit tensor d.nii --out o {options}")).unwrap();
            assert!(message.contains(problem), "{message}");
        }
    }

    #[test]
    fn recorded_options_agree_with_the_command_line() {
        let asked = parse(
            "arcuate --random-seed 7 evaluate life 1.tck --dwi 5 --out o --solver sbbnnls --lesion a --lesion 3 --force",
        );
        assert_eq!(asked.command, "evaluate life");
        let value = |name: &str| asked.options.iter().find(|(n, _)| n == name).map(|(_, value)| value);
        assert_eq!(value("random-seed"), Some(&Value::from(7)));
        assert_eq!(value("solver"), Some(&Value::from("sbbnnls")));
        assert_eq!(value("tolerance"), Some(&Value::from(1e-4)), "a default");
        assert_eq!(value("lesion"), Some(&serde_json::json!(["a", 3])));
        assert_eq!(value("dwi"), Some(&Value::from("5")), "a file");
        assert_eq!((value("mask"), value("out"), value("force"), value("refit")), (None, None, None, None));
        assert_eq!(shell_line(&asked.global_words), "--random-seed 7 --force");
    }
}

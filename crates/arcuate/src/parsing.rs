//! Parses arguments into commands.

use crate::cli::Cli;
use crate::definition::{CITE, definition, of_manual};
use crate::file_lists::name_with_comma;
use crate::former_commands::renewed;
use crate::global_options::GlobalOptions;
use crate::grammar::{Global, Grammar, ParsedCommandLine};
use crate::invocation::Invocation;
use crate::pipes::Pipes;
use crate::references::citation;
use crate::usage_errors::in_one_line;
use arcuate_core::{Error, Result};
use clap::error::ErrorKind;
use clap::{ArgMatches, Command, FromArgMatches};
use std::ffi::OsString;

impl Cli {
    /// Parses a command line.
    pub(crate) fn parse_words(words: Vec<OsString>) -> std::result::Result<(Self, Invocation), clap::Error> {
        let (cli, invocation, _) = Self::taken_apart(words)?;
        Ok((cli, invocation))
    }

    /// Parses a command line. Also returns the matched arguments of clap.
    fn taken_apart(words: Vec<OsString>) -> std::result::Result<(Self, Invocation, ArgMatches), clap::Error> {
        let mut definition = definition();
        let words = renewed(words, &definition);
        let matches = definition
            .try_get_matches_from_mut(&words)
            .map_err(|error| in_one_line(error, &words, &definition))?;
        if let Some(command) = asks_to_cite(&matches) {
            return Err(answer(citation(&command)));
        }
        if let Some(error) = name_with_comma(&words, typed_command(&definition, &matches)) {
            return Err(clap::Error::raw(ErrorKind::ValueValidation, format!("{error}\n")));
        }
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut definition))?;
        let invocation = Invocation::of(words, &definition, &matches)?;
        Ok((cli, invocation, matches))
    }

    /// Parses the command line again. Each `-` for a pipe is replaced by the file of this pipe.
    pub(crate) fn with_pipes(pipes: &Pipes, invocation: &Invocation) -> Result<Self> {
        let mut definition = pipes.in_place(definition());
        let parsed = definition
            .try_get_matches_from_mut(&invocation.words)
            .and_then(|matches| Self::from_arg_matches(&matches));
        parsed.map_err(|e| Error::usage("command line", e.to_string().trim(), "report this as a bug"))
    }
}

/// Returns the definition of the command that the user typed.
fn typed_command<'a>(definition: &'a Command, matches: &ArgMatches) -> &'a Command {
    let (mut command, mut matches) = (definition, matches);
    while let Some((name, below)) = matches.subcommand() {
        let Some(sub) = command.find_subcommand(name) else { break };
        (command, matches) = (sub, below);
    }
    command
}

/// Returns the grammar of the command line, with the options of all commands that the user typed in this one.
pub(crate) fn grammar_of(options: &GlobalOptions, invocation: &Invocation) -> Grammar {
    let words = invocation.global_words.clone();
    let global = Global { words, threads: options.threads, device_memory: options.device_memory };
    Grammar { global, ..GRAMMAR }
}

/// If the command line contains `--cite`, returns the name of its command.
fn asks_to_cite(matches: &ArgMatches) -> Option<String> {
    let (mut names, mut matches) = (Vec::new(), matches);
    while let Some((name, below)) = matches.subcommand() {
        names.push(name);
        matches = below;
    }
    let is_asked = matches!(matches.try_get_one::<bool>(CITE), Ok(Some(true)));
    is_asked.then(|| names.join(" "))
}

/// Returns an "error" of clap whose text is printed in the same way as the help.
fn answer(text: String) -> clap::Error {
    let mut command = Command::new("answer").override_help(text);
    let help_request = command.try_get_matches_from_mut(["answer", "--help"]);
    help_request.err().unwrap_or_else(|| clap::Error::new(ErrorKind::DisplayHelp))
}

/// The grammar for commands that build command lines of other commands.
pub(crate) const GRAMMAR: Grammar = Grammar {
    global: Global { words: Vec::new(), threads: None, device_memory: None },
    parse: |words| {
        let (cli, invocation, mut matches) = Cli::taken_apart(words)?;
        while let Some((_, below)) = matches.remove_subcommand() {
            matches = below;
        }
        Ok(ParsedCommandLine { matches, invocation, uses: cli.command.uses() })
    },
    of_manual,
};

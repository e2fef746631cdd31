//! From words to commands.

use crate::cli::Cli;
use crate::definition::{definition, of_manual};
use crate::file_lists::name_with_comma;
use crate::grammar::{Grammar, Taken};
use crate::invocation::Invocation;
use crate::pipes::Pipes;
use crate::usage_errors::in_one_line;
use arcuate_core::{Error, Result};
use clap::error::ErrorKind;
use clap::{ArgMatches, Command, FromArgMatches};
use std::ffi::OsString;

impl Cli {
    /// Takes a command line apart.
    pub(crate) fn parse_words(words: Vec<OsString>) -> std::result::Result<(Self, Invocation), clap::Error> {
        let (cli, invocation, _) = Self::taken_apart(words)?;
        Ok((cli, invocation))
    }

    /// The same, with what was typed.
    fn taken_apart(words: Vec<OsString>) -> std::result::Result<(Self, Invocation, ArgMatches), clap::Error> {
        let mut definition = definition();
        let matches = definition
            .try_get_matches_from_mut(&words)
            .map_err(|error| in_one_line(error, &words, &definition))?;
        if let Some(error) = name_with_comma(&words, typed_command(&definition, &matches)) {
            return Err(clap::Error::raw(ErrorKind::ValueValidation, format!("{error}\n")));
        }
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut definition))?;
        let invocation = Invocation::of(words, &definition, &matches)?;
        Ok((cli, invocation, matches))
    }

    /// The command line with the files in the place of the pipes.
    pub(crate) fn with_pipes(pipes: &Pipes, invocation: &Invocation) -> Result<Self> {
        let mut definition = pipes.in_place(definition());
        let parsed = definition
            .try_get_matches_from_mut(&invocation.words)
            .and_then(|matches| Self::from_arg_matches(&matches));
        parsed.map_err(|e| Error::usage("command line", e.to_string().trim(), "report this as a bug"))
    }
}

/// The command that was typed, below the program's own definition.
fn typed_command<'a>(definition: &'a Command, matches: &ArgMatches) -> &'a Command {
    let (mut command, mut matches) = (definition, matches);
    while let Some((name, below)) = matches.subcommand() {
        let Some(sub) = command.find_subcommand(name) else { break };
        (command, matches) = (sub, below);
    }
    command
}

/// For commands that make command lines.
pub(crate) const GRAMMAR: Grammar = Grammar {
    parse: |words| {
        let (cli, invocation, mut matches) = Cli::taken_apart(words)?;
        while let Some((_, below)) = matches.remove_subcommand() {
            matches = below;
        }
        Ok(Taken { matches, invocation, uses: cli.command.uses() })
    },
    of_manual,
};

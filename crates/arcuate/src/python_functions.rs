//! Generates the functions in the Python module `arcuate.commands` from the definition of the command line.

use crate::definition::{CITE, of_manual};
use crate::python_keywords::{Keyword, dictionary, in_keywords, require_file, wrapped};
use clap::builder::StyledStr;
use clap::{Arg, Command};

/// Commands for which there is no Python function: FSL's programs, and commands that are only useful on a
/// command line.
const WITHOUT: [&str; 8] =
    ["bedpostx", "xfibres", "probtrackx2", "dtifit", "completions", "man", "names", "help"];

const HEAD: &str = r#""""Every command as a function from files to files, with its options as keywords.

Generated from the definition of the command line. Do not edit.

>>> import arcuate as ar
>>> print(ar.commands.models("ball-1-stick").said.splitlines()[1])
title = "Ball and one stick"
"""

from __future__ import annotations

from typing import Literal, Optional

from ._calls import Progress
from ._commands import Done as Done
from ._commands import PathLike, Several, Word, done
from ._commands import python_of as python_of
"#;

/// Keywords of every function.
pub(crate) const OF_ALL: &str = "    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
";

/// Names of the keywords of every function.
pub(crate) const NAMES_OF_ALL: [&str; 7] =
    ["force", "log", "device", "device_memory", "threads", "random_seed", "progress"];

/// Documentation of the keywords of every function.
pub(crate) const SAID_OF_ALL: &str = "    force : bool
        True to replace existing result files.
    log : path, optional
        Append all steps, messages and errors to this file, with their times.
    device, device_memory, threads, random_seed, progress : optional
        The same as in :func:`arcuate.fit`.
";

/// Options of `fit` that list models. Python has a separate function for them.
const LISTING: [&str; 2] = ["list", "graph"];

/// Former names of functions.
const FORMER: &str = "\n\n# Former names.\ndevices = setup_devices\nstatus = bids_status\n";

/// Writes Python functions for all subcommands of a command.
fn functions(command: &Command, name: &str, out: &mut String) {
    for below in command.get_subcommands().filter(|below| !WITHOUT.contains(&below.get_name())) {
        functions(below, format!("{name} {}", below.get_name()).trim_start(), out);
    }
    if name.is_empty() || command.is_subcommand_required_set() {
        return;
    }
    let arguments = command.get_arguments().filter(|argument| {
        let id = argument.get_id().as_str();
        !argument.is_global_set() && !argument.is_hide_set() && !["help", "version", CITE].contains(&id)
    });
    let mut keywords: Vec<Keyword> = arguments.map(Keyword::of).collect();
    let about = command.get_long_about().or(command.get_about()).map(StyledStr::to_string);
    let about = about.unwrap_or_default();
    let function = name.replace("5tt", "five_tissues").replace([' ', '-'], "_");
    if name == "fit" {
        keywords.retain(|keyword| !LISTING.contains(&keyword.name.as_str()));
        for needed in keywords.iter_mut().filter(|keyword| keyword.is_positional || keyword.name == "out") {
            needed.is_required = true;
        }
        write_function(&function, name, &about, keywords, out);
        let of_list = |argument: &&Arg| ["models", "graph"].contains(&argument.get_id().as_str());
        let keywords = command.get_arguments().filter(of_list).map(Keyword::of).collect();
        write_function(
            "models",
            "fit --list",
            "List the built-in signal models, or print one of them as a model file",
            keywords,
            out,
        );
    } else {
        write_function(&function, name, &about, keywords, out);
    }
}

/// Writes a Python function. `function` is its name, and `words` is the command that it runs.
fn write_function(function: &str, words: &str, about: &str, keywords: Vec<Keyword>, out: &mut String) {
    let (positional, mut named): (Vec<Keyword>, Vec<Keyword>) =
        keywords.into_iter().partition(|keyword| keyword.is_positional);
    named.sort_by_key(|keyword| !keyword.is_required);
    let mut line = |text: &str| out.push_str(text);
    line(&format!("\n\ndef {function}(\n"));
    for keyword in &positional {
        line(&keyword.parameter());
    }
    line("    *,\n");
    for keyword in &named {
        line(&keyword.parameter());
    }
    line(OF_ALL);
    let about = in_keywords(about);
    let (first, rest) = about.split_once("\n\n").unwrap_or((&about, ""));
    let first = wrapped(&format!("\"\"\"{first}: ``arcuate {words}``."), 4);
    line(&format!(") -> Done:\n{first}\n"));
    if !rest.is_empty() {
        line(&wrapped(rest, 4));
        line("\n");
    }
    line("    Parameters\n    ----------\n");
    for keyword in positional.iter().chain(&named) {
        line(&keyword.documentation());
    }
    line(SAID_OF_ALL);
    line("    \"\"\"\n");
    let places: Vec<String> = positional.iter().map(|keyword| format!("{},", keyword.name)).collect();
    let named = named.iter().map(|keyword| keyword.name.as_str()).chain(NAMES_OF_ALL);
    let named: Vec<_> = named.map(|name| (name.to_owned(), name.to_owned())).collect();
    line(&format!("    told = {}\n", dictionary(&named, 4)));
    line(&format!("    return done(\"{words}\", ({}), told)\n", places.join(" ")));
}

/// Returns the text of the Python module with one function for each command.
pub(crate) fn module(definition: &Command) -> String {
    let mut text = HEAD.to_owned();
    functions(definition, "", &mut text);
    text + FORMER
}

#[test]
fn python_has_a_function_for_every_command() {
    let mut definition = of_manual();
    definition.build();
    let expected = module(&definition);
    assert!(expected.matches("\ndef ").count() > 20, "commands are not found");
    require_file("commands.py", &expected);
}

//! The functions of Python's `arcuate.commands`, which are written here, of the definition of the command line, and nowhere else.

use crate::definition::{CITE, of_manual};
use crate::parameters::{as_keyword, options_as_keywords};
use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};
use std::any::TypeId;
use std::fmt::Write;
use std::path::PathBuf;

/// Commands that have no function: programs of others, and what only a command line needs.
const WITHOUT: [&str; 8] =
    ["bedpostx", "xfibres", "probtrackx2", "dtifit", "completions", "man", "names", "help"];

/// Where a line of Python ends.
const WIDTH: usize = 140;

const HEAD: &str = r#""""Every command as a function, of files to files, with its options as keywords.

Made of the definition of the command line, whose test says how; not to be changed by hand.

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
const OF_ALL: &str = "    force: bool = False,
    log: Optional[PathLike] = None,
    device: Optional[str] = None,
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: Optional[int] = None,
    progress: Progress = False,
";

const SAID_OF_ALL: &str = "    force : bool
        Replace existing results.
    log : path, optional
        Append steps, messages and errors to this file.
    device, device_memory, threads, random_seed, progress : optional
        As of :func:`arcuate.fit`.
";

/// A text as a docstring can have it, with keywords in the place of options.
fn in_keywords(text: &str) -> String {
    options_as_keywords(text).replace('\\', "\\\\").replace("\"\"\"", "'''")
}

/// A text in lines of at most [`WIDTH`], each behind so many spaces.
fn wrapped(text: &str, indent: usize) -> String {
    let mut out = String::new();
    for paragraph in text.split("\n\n") {
        if !out.is_empty() {
            out.push('\n');
        }
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > WIDTH {
                let _ = writeln!(out, "{:indent$}{line}", "");
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let _ = writeln!(out, "{:indent$}{line}", "");
    }
    out
}

/// What an option or argument is to Python.
struct Keyword {
    name: String,
    kind: String,
    is_flag: bool,
    is_required: bool,
    is_positional: bool,
    help: String,
}

impl Keyword {
    fn of(argument: &Arg) -> Self {
        let is_flag = matches!(argument.get_action(), ArgAction::SetTrue);
        let words: Vec<String> = argument
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| format!("\"{}\"", value.get_name()))
            .collect();
        let type_of = argument.get_value_parser().type_id();
        let is = |known: &[TypeId]| known.iter().any(|known| type_of == *known);
        let one = if is_flag {
            "bool".to_owned()
        } else if !words.is_empty() {
            format!("Literal[{}]", words.join(", "))
        } else if is(&[TypeId::of::<PathBuf>()]) {
            "PathLike".to_owned()
        } else if is(&[TypeId::of::<f64>(), TypeId::of::<f32>()]) {
            "float".to_owned()
        } else if is(&[TypeId::of::<u64>(), TypeId::of::<usize>(), TypeId::of::<u32>(), TypeId::of::<u16>()])
        {
            "int".to_owned()
        } else {
            "Word".to_owned()
        };
        let most = argument.get_num_args().map_or(1, |range| range.max_values());
        let is_repeated = matches!(argument.get_action(), ArgAction::Append);
        let is_list = argument.get_value_delimiter().is_some() || is_repeated || most > 1;
        // Calls write the option again for each of its values.
        assert!(most <= 1 || argument.is_positional() || is_repeated, "{}", argument.get_id());
        let kind = if is_list { format!("Several[{one}]") } else { one };
        let help = argument.get_long_help().or(argument.get_help()).map(StyledStr::to_string);
        let mut help = help.unwrap_or_default();
        let defaults: Vec<_> =
            argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() && !is_flag {
            let _ = write!(help, " ({} by default)", defaults.join(", "));
        }
        let told = argument.get_possible_values();
        let told = told.iter().filter(|value| !value.is_hide_set() && !is_flag);
        let told: Vec<String> =
            told.filter_map(|value| Some(format!("{}: {}", value.get_name(), value.get_help()?))).collect();
        if !told.is_empty() {
            let _ = write!(help, "; {}", told.join("; "));
        }
        Self {
            name: argument.get_long().map_or_else(|| as_keyword(argument.get_id().as_str()), as_keyword),
            kind,
            is_flag,
            is_required: argument.is_required_set(),
            is_positional: argument.is_positional(),
            help: in_keywords(&help),
        }
    }

    fn parameter(&self) -> String {
        let Self { name, kind, .. } = self;
        match (self.is_required, self.is_flag) {
            (true, _) => format!("    {name}: {kind},\n"),
            (false, true) => format!("    {name}: bool = False,\n"),
            (false, false) => format!("    {name}: Optional[{kind}] = None,\n"),
        }
    }

    fn said(&self) -> String {
        let kind = self.kind.replace("Several[", "one or several of ").replace("PathLike", "path");
        let kind = kind.trim_end_matches(']').replace("Literal[", "{").replace("Word", "str");
        let kind = if kind.contains('{') { kind + "}" } else { kind };
        let optional = if self.is_required || self.is_flag { "" } else { ", optional" };
        format!("    {} : {kind}{optional}\n{}", self.name, wrapped(&self.help, 8))
    }
}

/// Options of `fit` with which it lists models: a function of its own in Python.
const LISTING: [&str; 2] = ["list", "graph"];

/// Former names of functions.
const FORMER: &str = "\n\n# Former names.\ndevices = setup_devices\nstatus = bids_status\n";

/// The functions of a command and those below it.
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
            "List the signal models, or print one as a file",
            keywords,
            out,
        );
    } else {
        write_function(&function, name, &about, keywords, out);
    }
}

/// A function by its name in Python and the words of its command.
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
        line(&keyword.said());
    }
    line(SAID_OF_ALL);
    line("    \"\"\"\n");
    let places: Vec<String> = positional.iter().map(|keyword| format!("\"{}\",", keyword.name)).collect();
    line(&format!("    return done(\"{words}\", ({}), locals())\n", places.join(" ")));
}

#[test]
fn python_has_a_function_for_every_command() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../arcuate-python/python/arcuate/commands.py");
    let mut due = HEAD.to_owned();
    let mut definition = of_manual();
    definition.build();
    functions(&definition, "", &mut due);
    due += FORMER;
    if std::env::var_os("ARCUATE_WRITE_PYTHON").is_some() {
        std::fs::write(path, &due).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(due.matches("\ndef ").count() > 20, "commands are not found");
    assert!(written == due, "run this test with ARCUATE_WRITE_PYTHON=1, and commit what it writes");
}

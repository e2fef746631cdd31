//! Generates the Python functions that take arrays where commands take files. They are generated from the
//! definition of the command line.
//!
//! The module [`python_array_table`](crate::python_array_table) lists the array arguments and the options
//! that need files, because the definition of the command line has no arrays. For all other keywords, the
//! definition provides the name, the type, the default and the documentation.

use crate::definition::{CITE, of_manual};
use crate::python_array_table::{FUNCTIONS, Function, Given, Uses};
use crate::python_functions::{NAMES_OF_ALL, OF_ALL, SAID_OF_ALL};
use crate::python_keywords::{Keyword, as_sentences, dictionary, in_keywords, require_file, wrapped};
use crate::references;
use clap::{Arg, Command};
use std::fmt::Write;

const HEAD: &str = r#""""Functions on arrays, with the options of commands as keywords.

Generated from the definition of the command line. Do not edit.
"""

from __future__ import annotations

from typing import Any, List, Literal, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

"#;

/// Options of several commands that only describe files. Functions that take arrays do not have them.
const OF_FILES: [&str; 10] = [
    "format",
    "names",
    "tensor_order",
    "b0_threshold",
    "gradient_axes",
    "b_unit",
    "bvec_lengths",
    "gradient_deviations",
    "masks_to_dwi",
    "dwi_to_masks",
];

/// Prefix of the name of an option that switches something off.
const NOT: &str = "no_";

/// Returns the command with this name.
fn command_of<'c>(definition: &'c Command, name: &str) -> &'c Command {
    name.split(' ').fold(definition, |command, word| {
        command.find_subcommand(word).unwrap_or_else(|| panic!("{name} is no command"))
    })
}

/// Returns the options of a command that a Python function on arrays also has.
fn options_of(command: &Command, function: &Function) -> Vec<Keyword> {
    let is_shown = |argument: &&Arg| {
        let id = argument.get_id().as_str();
        !argument.is_global_set() && !argument.is_hide_set() && !["help", "version", CITE].contains(&id)
    };
    let keywords = command.get_arguments().filter(is_shown).map(Keyword::of);
    let is_known = |names: &[&str], keyword: &Keyword| names.contains(&keyword.name.as_str());
    let keywords: Vec<Keyword> = keywords.collect();
    for name in function.without.iter().chain(function.only) {
        assert!(keywords.iter().any(|keyword| keyword.name == *name), "{}: no option {name}", function.name);
    }
    let is_given = |keyword: &Keyword| function.given.iter().any(|given| given.name == keyword.name);
    let takes = |keyword: &Keyword| {
        !keyword.is_positional
            && (function.of_files || !keyword.kind.contains("PathLike") && !is_known(&OF_FILES, keyword))
            && !is_known(function.without, keyword)
            && !is_given(keyword)
            && (function.only.is_empty() || is_known(function.only, keyword))
    };
    keywords.into_iter().filter(takes).collect()
}

/// Returns the documentation of an argument.
fn documented(name: &str, kind: &str, default: Option<&str>, help: &str) -> String {
    let kind = kind.strip_prefix("Optional[").and_then(|kind| kind.strip_suffix(']')).unwrap_or(kind);
    let mut kind = match kind {
        "Any" => "Tractogram".to_owned(),
        kind => kind
            .replace("ImageLike", "image")
            .replace("ArrayLike", "array_like")
            .replace("PathLike", "path")
            .replace("Regions", "image or sequence of images")
            .replace("Progress", "bool or callable"),
    };
    if default.is_some() {
        kind += ", optional";
    }
    format!("    {name} : {kind}\n{}", wrapped(&in_keywords(&as_sentences(help)), 8))
}

impl Given {
    fn parameter(&self) -> String {
        let Self { name, kind, .. } = self;
        match self.default {
            Some(default) => format!("    {name}: {kind} = {default},\n"),
            None => format!("    {name}: {kind},\n"),
        }
    }

    fn documentation(&self, command: &Command) -> String {
        let of_option = || {
            let option = command.get_arguments().map(Keyword::of).find(|keyword| keyword.name == self.name);
            option.unwrap_or_else(|| panic!("{} has no documentation", self.name)).help
        };
        let help = if self.help.is_empty() { of_option() } else { self.help.to_owned() };
        documented(self.name, self.kind, self.default, &help)
    }
}

/// Returns three texts for an option: its parameter in the signature, its documentation, and the dictionary
/// entry that passes its value to the implementation.
fn of_option(keyword: &Keyword) -> (String, String, (String, String)) {
    let name = &keyword.name;
    if keyword.is_flag
        && let Some(positive) = name.strip_prefix(NOT)
    {
        let documentation = documented(
            positive,
            "bool",
            Some("True"),
            &format!("If False: {} [default: True]", keyword.help),
        );
        return (
            format!("    {positive}: bool = True,\n"),
            documentation,
            (name.clone(), format!("not {positive}")),
        );
    }
    (keyword.parameter(), keyword.documentation(), (name.clone(), name.clone()))
}

/// Returns three texts for the keywords that control a call (such as `device`): the parameters, their
/// documentation, and the code that passes their values on.
fn of_calls(root: &Command, uses: &Uses) -> (String, String, String) {
    let help = |name: &str| {
        let option = root.get_arguments().map(Keyword::of).find(|keyword| keyword.name == name);
        option.unwrap_or_else(|| panic!("{name} is no option of all commands")).help
    };
    let (mut parameters, mut documentation, mut call) = (String::new(), String::new(), Vec::new());
    let mut add = |is_used: bool, name: &str, kind: &str, default: &str, help: &str| {
        if is_used {
            let _ = writeln!(parameters, "    {name}: {kind} = {default},");
            documentation += &documented(name, kind, Some(default), help);
            call.push(format!("{name}={name}"));
        }
    };
    add(uses.gpu, "device", "str", "\"auto\"", &help("device"));
    add(uses.gpu, "device_memory", "Optional[str]", "None", &help("device_memory"));
    add(true, "threads", "Optional[int]", "None", &help("threads"));
    add(uses.random, "random_seed", "int", "0", &help("random_seed"));
    let progress = "True to show a progress bar. A function is called as ``progress(done, total)``.";
    add(uses.progress, "progress", "Progress", "False", progress);
    let first = if uses.gpu { "" } else { "\"cpu\", " };
    (parameters, documentation, format!("call({first}{}, frames=3)", call.join(", ")))
}

/// Writes a function.
fn write_function(root: &Command, function: &Function, out: &mut String) {
    let command = command_of(root, function.command);
    let options: Vec<_> = options_of(command, function).iter().map(of_option).collect();
    let (places, named): (Vec<&Given>, Vec<&Given>) =
        function.given.iter().partition(|given| given.positional);
    let (of_call, said_of_call, call) = if function.of_files {
        (OF_ALL.to_owned(), SAID_OF_ALL.to_owned(), String::new())
    } else {
        of_calls(root, &function.uses)
    };
    let mut parameters: String = places.iter().map(|given| given.parameter()).collect();
    parameters += "    *,\n";
    // Required keywords come first.
    let mut keywords: Vec<_> =
        named.iter().map(|given| (given.default.is_some(), given.parameter())).collect();
    keywords.extend(options.iter().map(|(parameter, ..)| (true, parameter.clone())));
    keywords.sort_by_key(|(is_optional, _)| *is_optional);
    parameters.extend(keywords.into_iter().map(|(_, parameter)| parameter));
    parameters += &of_call;
    let Function { name, summary, result, .. } = function;
    for (kind, result) in function.overloads {
        let first = places[0];
        let parameters =
            parameters.replacen(&first.parameter(), &format!("    {}: {kind},\n", first.name), 1);
        let _ = write!(out, "\n\n@overload\ndef {name}(\n{parameters}) -> {result}: ...");
    }
    let _ = writeln!(out, "\n\ndef {name}(\n{parameters}) -> {result}:");
    let _ =
        writeln!(out, "{}", wrapped(&format!("\"\"\"{summary}, as ``arcuate {}``.", function.command), 4));
    if !function.notes.is_empty() {
        let _ = writeln!(out, "{}", wrapped(function.notes, 4));
    }
    out.push_str("    Parameters\n    ----------\n");
    for given in places.iter().chain(&named) {
        out.push_str(&given.documentation(command));
    }
    for (_, documentation, _) in &options {
        out.push_str(documentation);
    }
    out.push_str(&said_of_call);
    let result =
        if function.overloads.is_empty() { (*result).to_owned() } else { function.overloads[0].1.to_owned() };
    let _ = write!(out, "\n    Returns\n    -------\n    {result}\n{}", wrapped(function.returns, 8));
    let cited = references::of(function.command);
    if !cited.is_empty() {
        out.push_str("\n    References\n    ----------\n");
        for reference in cited {
            out.push_str(&wrapped(&in_keywords(reference), 4));
        }
    }
    if !function.examples.is_empty() {
        out.push_str("\n    Examples\n    --------\n");
        for line in function.examples.lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    out.push_str("    \"\"\"\n");
    let mut entries: Vec<_> = options.into_iter().map(|(.., entry)| entry).collect();
    if function.of_files {
        entries.extend(NAMES_OF_ALL.map(|name| (name.to_owned(), name.to_owned())));
    }
    let _ = writeln!(out, "    options = {}", dictionary(&entries, 4));
    let mut handed = vec!["options".to_owned()];
    if !function.of_files {
        let _ = writeln!(out, "    told = {call}");
        handed.insert(0, "told".to_owned());
    }
    handed.extend(places.iter().map(|given| given.name.to_owned()));
    handed.extend(named.iter().map(|given| format!("{0}={0}", given.name)));
    let _ = writeln!(out, "    return {}.{name}({})", function.module, handed.join(", "));
}

/// Returns the text of the Python module with all functions that take arrays.
pub(crate) fn module(root: &Command) -> String {
    let mut modules: Vec<&str> = FUNCTIONS.iter().map(|function| function.module).collect();
    modules.sort_unstable();
    modules.dedup();
    let mut out = HEAD.to_owned();
    let _ = writeln!(out, "from . import {}", modules.join(", "));
    out += IMPORTS;
    for function in FUNCTIONS {
        write_function(root, function, &mut out);
    }
    out
}

const IMPORTS: &str = "from ._calls import Progress, call
from ._commands import PathLike, Several, Word
from ._connect import Connectome
from ._evaluation import Commit, Life
from ._fitting import Fit, Given, Samples, TensorMaps
from ._fod import Distributions, Responses
from ._images import Gradients, Image, ImageLike, Regions
from ._recon import Reconstruction
from ._records import Results
from ._sampled import Orientations, Visits
from ._simulate import Brain
from ._tracking import Tracks
";

#[test]
fn python_array_functions_have_the_command_options() {
    let mut root = of_manual();
    root.build();
    require_file("_functions.py", &module(&root));
}

//! Finds the arguments `-` of a command line, each of which requests a pipe.

use clap::{Arg, ArgMatches};
use std::any::TypeId;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The argument `-`, which requests a pipe.
pub(crate) const PIPE: &str = "-";

/// Arguments that name the result.
pub(crate) const RESULTS: [&str; 2] = ["out", "output"];

/// The pipes that a command line requests with `-`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RequestedPipes {
    pub(crate) inputs: usize,
    pub(crate) output: bool,
    /// Path of the input of a conversion, which may be `-`. `None` for other commands.
    pub(crate) converted: Option<PathBuf>,
}

impl RequestedPipes {
    /// If a value of the argument is `-`, records the requested pipe.
    pub(crate) fn note(&mut self, argument: &Arg, matches: &ArgMatches) {
        if !is_of_files(argument) {
            return;
        }
        let id = argument.get_id().as_str();
        let words = matches.get_raw(id).into_iter().flatten();
        let pipes = words.filter(|word| *word == OsStr::new(PIPE)).count();
        if RESULTS.contains(&id) {
            self.output |= pipes > 0;
        } else {
            self.inputs += pipes;
        }
        if id == "input" {
            self.converted = matches.get_raw(id).and_then(|mut words| words.next()).map(PathBuf::from);
        }
    }
}

pub(crate) fn is_of_files(argument: &Arg) -> bool {
    argument.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}

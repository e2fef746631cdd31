//! Where a command line asks for pipes.

use clap::{Arg, ArgMatches};
use std::any::TypeId;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The word for a pipe.
pub(crate) const PIPE: &str = "-";

/// The arguments that say where a result goes.
pub(crate) const RESULTS: [&str; 2] = ["out", "output"];

/// Where a command line says `-`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Asked {
    pub(crate) inputs: usize,
    pub(crate) output: bool,
    /// What is converted, where that is a file.
    pub(crate) converted: Option<PathBuf>,
}

impl Asked {
    /// Notes an argument of the command.
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

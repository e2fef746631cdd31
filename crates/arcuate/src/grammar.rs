//! The definition and the parser of the whole command line, passed to commands that build, parse or describe
//! other command lines.

use crate::invocation::Invocation;
use crate::uses::Uses;
use clap::ArgMatches;
use std::ffi::OsString;

/// The grammar of the command line.
pub(crate) struct Grammar {
    /// Options common to all commands, as typed.
    pub(crate) global: Global,
    /// Parses a command line.
    pub(crate) parse: fn(Vec<OsString>) -> Result<ParsedCommandLine, clap::Error>,
    /// Returns the definition of the command line, without examples.
    pub(crate) of_manual: fn() -> clap::Command,
}

/// Options common to all commands, as typed.
pub(crate) struct Global {
    /// Arguments with these options.
    pub(crate) words: Vec<OsString>,
    pub(crate) threads: Option<usize>,
    /// Memory limit of GPUs in bytes.
    pub(crate) device_memory: Option<u64>,
}

impl Global {
    /// Returns the limit of GPU memory as a word of a command line, such as `512MiB`.
    pub(crate) fn device_memory_word(&self) -> Option<String> {
        self.device_memory.map(|bytes| format!("{}MiB", bytes >> 20))
    }
}

/// A parsed command line.
pub(crate) struct ParsedCommandLine {
    /// Parsed arguments of the command itself.
    pub(crate) matches: ArgMatches,
    pub(crate) invocation: Invocation,
    /// States which of the options that all commands have this command uses.
    pub(crate) uses: Uses,
}

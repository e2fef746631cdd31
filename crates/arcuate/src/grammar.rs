//! What commands are told of the whole command line, which knows them all.

use crate::invocation::Invocation;
use crate::uses::Uses;
use clap::ArgMatches;
use std::ffi::OsString;

/// The command line, for commands that make others or describe them.
pub(crate) struct Grammar {
    /// What was typed for every command.
    pub(crate) global: Global,
    /// Takes a command line apart.
    pub(crate) parse: fn(Vec<OsString>) -> Result<Taken, clap::Error>,
    /// The definition of the command line without examples.
    pub(crate) of_manual: fn() -> clap::Command,
}

/// Options of every command, as they were typed.
pub(crate) struct Global {
    /// Their words.
    pub(crate) words: Vec<OsString>,
    pub(crate) threads: Option<usize>,
    /// In bytes.
    pub(crate) device_memory: Option<u64>,
}

impl Global {
    /// The memory of GPUs, as a word of a command line.
    pub(crate) fn device_memory_word(&self) -> Option<String> {
        self.device_memory.map(|bytes| format!("{}MiB", bytes >> 20))
    }
}

/// A command line that was taken apart.
pub(crate) struct Taken {
    /// What was typed behind the names of the command.
    pub(crate) matches: ArgMatches,
    pub(crate) invocation: Invocation,
    /// What the command does with options that every command has.
    pub(crate) uses: Uses,
}

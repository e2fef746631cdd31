//! What commands are told of the whole command line, which knows them all.

use crate::invocation::Invocation;
use crate::step::Step;
use crate::uses::Uses;
use std::ffi::OsString;

/// The command line, for commands that make others or describe them.
pub(crate) struct Grammar {
    /// Takes a command line apart.
    pub(crate) parse: fn(Vec<OsString>) -> Result<Taken, clap::Error>,
    /// The definition of the command line without examples.
    pub(crate) of_manual: fn() -> clap::Command,
}

/// A command line that was taken apart.
pub(crate) type Taken = (Box<dyn Parsed>, Invocation);

/// A command that was made of words.
pub(crate) trait Parsed {
    /// What it does with options that every command has.
    fn uses(&self) -> Uses;

    /// The command as a step of `run`.
    ///
    /// # Panics
    /// For commands that are no steps.
    fn as_step(&self) -> &dyn Step;
}

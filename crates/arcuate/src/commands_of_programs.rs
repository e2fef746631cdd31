//! The commands for programs that are no command line: by the same words, with the same results, records and warnings. Nothing is
//! printed, and no signal is handled.

use crate::cli::Cli;
use crate::commands::Definition;
use crate::context::{Context, Host};
use crate::parameters::in_options;
use crate::parsing::GRAMMAR;
use crate::usage_errors::about;
use arcuate_compute::Device;
use arcuate_core::{Control, Error, Result};
use arcuate_pipeline::run::{PlannedWork, Stage};
use std::ffi::OsString;

/// Does a command and answers with what its user would read.
///
/// `words` are those of its command line, `arcuate` first. Work is done by the threads that this is called in (`rayon`'s), on the device
/// that `device` opens; `control` hears how far it is, and ends it.
///
/// ```
/// use arcuate::{commands_of_programs::perform, compute::Device, core::Control};
///
/// # fn main() -> arcuate::core::Result<()> {
/// let words = ["arcuate", "models"].map(Into::into);
/// let said = perform(words.into(), || Ok(Device::Cpu), Control::default())?;
/// assert!(said.contains("noddi-watson"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of the command, in the words of its command line; words that it does not take; those of programs that Arcuate stands in for,
/// which have a process of their own; and pipes.
pub fn perform(
    words: Vec<OsString>,
    device: impl Fn() -> Result<Device> + 'static,
    control: Control,
) -> Result<String> {
    let (cli, invocation) = Cli::parse_words(words).map_err(|error| about("call", &error))?;
    if invocation.pipes.inputs > 0 || invocation.pipes.output {
        return Err(Error::usage("`-`", "it is a pipe of the command line", "give the path of a file"));
    }
    if !cli.command.can_be_called() {
        let advice = "call the program, or the command of Arcuate's own that does the same";
        return Err(Error::usage(&invocation.command, "it is done by a process of its own alone", advice));
    }
    let host = Host { device: Box::new(device), control };
    let context = Context::of_program(&cli.global, invocation, cli.command.uses(), host)?;
    let done = cli.command.run(&context, &GRAMMAR).and_then(|()| context.finish());
    let done = done.map_err(|error| context.in_its_words(error));
    context.note_end(done.as_ref().err());
    done.map(|()| context.said())
}

/// What the words of a command that is a stage of `run` ask the library for, which is not done: for programs that have data where the
/// command has files, and options in common with it. Nothing is read.
///
/// ```
/// use arcuate::{commands_of_programs::asked_for, pipeline::run::PlannedWork};
///
/// # fn main() -> arcuate::core::Result<()> {
/// let words = ["arcuate", "track", "geodesic", "tensor", "--all", "--gain=2", "--out=rays"].map(Into::into);
/// let PlannedWork::TrackGeodesic(track) = asked_for(words.into())? else { unreachable!("it is") };
/// assert_eq!(track.options.gain, 2.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Words that the command does not take or that do not go together, and commands that are no stage.
pub fn asked_for(words: Vec<OsString>) -> Result<PlannedWork> {
    let taken = (GRAMMAR.parse)(words).map_err(|error| about("call", &error))?;
    let command = &taken.invocation.command;
    let Some(stage) = Stage::ALL.into_iter().find(|stage| stage.name() == command) else {
        return Err(Error::usage(command, "it is no stage of a run", "do it as a command"));
    };
    let made = (Definition::of(stage).make)(&taken.matches).map_err(|error| about("call", &error))?;
    made.planned().map_err(|error| in_options(error, command))
}

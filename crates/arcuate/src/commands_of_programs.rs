//! Runs commands of Arcuate from within other programs. Arguments, results, records and warnings are the same
//! as on the command line. The commands print nothing and do not handle signals.

pub use crate::typed_options::{AlongStreamlines, BrainOptions, CommandOptions};

use crate::cli::Cli;
use crate::commands::{Definition, Sample, Simulate};
use crate::parameters::{in_options, option};
use crate::parsing::{GRAMMAR, grammar_of};
use crate::terminal::{check_together, job_options};
use crate::typed_options::typed;
use crate::usage_errors::about;
use arcuate_compute::Device;
use arcuate_core::{Control, Error, Result, printable_lines};
use arcuate_pipeline::host::Host;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::log_file::LogFile;
use arcuate_pipeline::run::{PlannedWork, Stage};
use clap::ArgMatches;
use std::cell::RefCell;
use std::ffi::OsString;
use std::rc::Rc;

/// Runs a command and returns the text that the command would print on the command line.
///
/// `words` are the program name `arcuate` and its arguments. The command runs in the `rayon` thread pool of
/// the caller, on the device that `device` opens. `control` receives the progress and can cancel the command.
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
/// Returns the errors of the command, with the option names of its command line. Also returns an error for
/// unknown arguments and for pipes. FSL's programs also return an error, because they need a process of their
/// own.
pub fn perform(
    words: Vec<OsString>,
    device: impl Fn() -> Result<Device> + 'static,
    control: Control,
) -> Result<String> {
    let (cli, invocation) = Cli::parse_words(words).map_err(|error| about("call", &error))?;
    if invocation.pipes.inputs > 0 || invocation.pipes.output {
        return Err(Error::usage(
            "`-`",
            "a pipe (`-`) is possible only on the command line",
            "give the path of a \
            file",
        ));
    }
    if !cli.command.can_be_called() {
        let advice = "call the program, or the command of Arcuate's own that does the same";
        return Err(Error::usage(
            &invocation.command,
            "this command can only run as a separate process",
            advice,
        ));
    }
    let uses = cli.command.uses();
    check_together(&cli.global, &invocation, uses)?;
    let log = cli.global.log.as_deref().map(LogFile::open).transpose()?;
    let host = Rc::new(Program { open_device: device, control, printed: RefCell::default() });
    let job = Job::new(Rc::clone(&host), job_options(&cli.global, invocation.request(), log));
    let grammar = grammar_of(&cli.global, &invocation);
    let done = cli.command.run(&job, &grammar).and_then(|()| job.settle());
    let done = done.map_err(|error| job.reword(error));
    job.log_end(done.as_ref().err());
    done.map(|()| host.printed.take())
}

/// The program that calls a command. The command runs in the threads of this program and prints nothing.
struct Program<D> {
    open_device: D,
    control: Control,
    /// The text that the command would print on the command line.
    printed: RefCell<String>,
}

impl<D: Fn() -> Result<Device>> Host for Program<D> {
    fn open_device(&self) -> Result<Device> {
        (self.open_device)()
    }

    fn control(&self) -> Control {
        self.control.clone()
    }

    fn show_message(&self, line: &str) {
        self.print(&format!("{line}\n"));
    }

    fn print(&self, text: &str) {
        self.printed.borrow_mut().push_str(&printable_lines(text));
    }

    fn parameter(&self, command: &str, parameter: &str) -> Option<&'static str> {
        option(command, parameter)
    }
}

impl CommandOptions for AlongStreamlines {
    const COMMAND: &'static str = "sample";

    fn of(matches: &ArgMatches) -> Result<Self> {
        typed::<Sample>(matches).map(|command| command.options())
    }
}

impl CommandOptions for BrainOptions {
    const COMMAND: &'static str = "simulate";

    fn of(matches: &ArgMatches) -> Result<Self> {
        typed::<Simulate>(matches)?.options()
    }
}

/// Parses the options of a command that is not a stage of `arcuate run`. Does not read any file.
///
/// ```
/// use arcuate::{commands_of_programs::options_of, recon::Settings};
///
/// # fn main() -> arcuate::core::Result<()> {
/// let words = ["arcuate", "recon", "scan.cfl", "--trajectory=places.cfl", "--out=image.nii", "--lambda=0.1"];
/// let settings: Settings = options_of(words.map(Into::into).into())?;
/// assert_eq!(settings.lambda, Some(0.1));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns an error if the command does not have these arguments, or if options contradict each other.
pub fn options_of<O: CommandOptions>(words: Vec<OsString>) -> Result<O> {
    let taken = (GRAMMAR.parse)(words).map_err(|error| about("call", &error))?;
    let command = &taken.invocation.command;
    if command != O::COMMAND {
        return Err(Error::usage(command, format!("these are options of {}", O::COMMAND), "call that"));
    }
    O::of(&taken.matches).map_err(|error| in_options(error, command))
}

/// Parses the command line of a command that can be a stage of `arcuate run`. Returns the work that the
/// options request from the library, but does not do it. This is for programs that have their data in memory
/// and accept the options of the command. Does not read any file.
///
/// ```
/// use arcuate::{commands_of_programs::parse_work, pipeline::run::PlannedWork};
///
/// # fn main() -> arcuate::core::Result<()> {
/// let words = ["arcuate", "track", "geodesic", "tensor", "--all", "--gain=2", "--out=rays"].map(Into::into);
/// let PlannedWork::TrackGeodesic(track) = parse_work(words.into())? else { unreachable!("it is") };
/// assert_eq!(track.options.gain, 2.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns an error if the command does not accept the arguments, if they contradict each other, or if the
/// command is not a stage.
pub fn parse_work(words: Vec<OsString>) -> Result<PlannedWork> {
    let taken = (GRAMMAR.parse)(words).map_err(|error| about("call", &error))?;
    let command = &taken.invocation.command;
    // `arcuate fit` fits any signal model. It is also the stage of `arcuate run` that samples fibre
    // orientations.
    let does = |stage: &Stage| stage.name() == command || (*stage == Stage::SampleFibres && command == "fit");
    let Some(stage) = Stage::ALL.into_iter().find(does) else {
        return Err(Error::usage(
            command,
            "`arcuate run` has no stage of this name",
            "run this command separately",
        ));
    };
    let made = (Definition::of(stage).make)(&taken.matches).map_err(|error| about("call", &error))?;
    made.planned().map_err(|error| in_options(error, command))
}

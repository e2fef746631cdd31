//! Connects a command with the terminal: prints messages and results on standard output, and shows the
//! progress on standard error.

use crate::global_options::GlobalOptions;
use crate::invocation::Invocation;
use crate::parameters::option;
use crate::progress::{self, Screen, Shown, aside};
use crate::uses::Uses;
use arcuate_compute::{Device, DeviceChoice};
use arcuate_core::{Control, Error, Result, printable_lines};
use arcuate_pipeline::host::Host;
use arcuate_pipeline::job::{Job, JobOptions, Request};
use arcuate_pipeline::log_file::LogFile;
use arcuate_pipeline::threads;
use std::any::Any;
use std::cell::RefCell;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::rc::Rc;

/// The command line of a process.
pub(crate) struct Terminal {
    choice: DeviceChoice,
    device_memory: Option<u64>,
    quiet: bool,
    screen: Screen,
    /// True if only the name of a result may be printed on standard output. Messages for the user are then
    /// printed on standard error.
    speaks_aside: bool,
    /// The first error that occurred when standard output was written, if any.
    refused: RefCell<Option<std::io::Error>>,
}

impl Terminal {
    pub(crate) fn new(options: &GlobalOptions, screen: Screen, speaks_aside: bool) -> Self {
        Self {
            choice: options.device.clone(),
            device_memory: options.device_memory,
            quiet: options.quiet,
            screen,
            speaks_aside,
            refused: RefCell::new(None),
        }
    }

    /// Starts the threads, and creates the job of a command.
    pub(crate) fn begin(
        self: &Rc<Self>,
        options: &GlobalOptions,
        request: Request,
        log: Option<LogFile>,
    ) -> Result<Job> {
        threads::start(options.threads)?;
        let job = Job::new(Rc::clone(self), job_options(options, request, log));
        // If the user chose GPUs by number, these must exist, so they are opened before any work. In all
        // other cases, a GPU is opened only if the command needs it.
        if let DeviceChoice::Cuda(_) = self.choice {
            job.device()?;
        }
        Ok(job)
    }

    /// Returns an error if standard output could not be written. It is no error if the reader of a pipe
    /// closed it early, as in `arcuate info FILE | head -1`.
    pub(crate) fn finish(&self) -> Result<()> {
        let failed = self.refused.take().or_else(|| std::io::stdout().flush().err());
        match failed {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Error::write(Path::new("standard output"), error))
            }
            _ => Ok(()),
        }
    }
}

/// Returns an error if options that all commands have contradict each other, or if the command does not use
/// one that was typed.
pub(crate) fn check_together(options: &GlobalOptions, invocation: &Invocation, uses: Uses) -> Result<()> {
    uses.check(options, invocation)?;
    if options.device == DeviceChoice::Cpu && options.device_memory.is_some() {
        let problem = "this option limits GPU memory, but --device cpu uses no GPU";
        return Err(Error::usage("--device-memory", problem, "remove one of the two"));
    }
    Ok(())
}

/// Returns the options for the job of a command, from the options that all commands have.
pub(crate) fn job_options(options: &GlobalOptions, request: Request, log: Option<LogFile>) -> JobOptions {
    JobOptions { request, random_seed: options.random_seed, force: options.force, is_reused: false, log }
}

impl Host for Terminal {
    fn open_device(&self) -> Result<Device> {
        self.choice.open(self.device_memory)
    }

    fn control(&self) -> Control {
        progress::control()
    }

    fn show_message(&self, line: &str) {
        if self.quiet {
            return;
        }
        if self.speaks_aside {
            let line = printable_lines(line);
            // An error of this write is ignored, because the result files are still complete.
            let _ = aside(|| writeln!(std::io::stderr().lock(), "{line}"));
            return;
        }
        self.print(&format!("{line}\n"));
    }

    /// Prints text. Removes control characters first, because names of files and titles of models can contain
    /// any character. After an error of standard output, prints nothing more.
    fn print(&self, text: &str) {
        let text = printable_lines(text);
        let mut refused = self.refused.borrow_mut();
        if refused.is_none() {
            *refused = aside(|| write!(std::io::stdout().lock(), "{text}")).err();
        }
    }

    fn begin_step(&self, command: &str, step: &str) -> Box<dyn Any> {
        Box::new(Shown::begin(command, step, self.screen))
    }

    fn parameter(&self, command: &str, parameter: &str) -> Option<&'static str> {
        option(command, parameter)
    }
}

//! Runs FSL's programs in this process. If the program was built without the feature `fsl`, the module
//! `fsl_programs_absent` replaces this one.

pub(crate) use arcuate_fsl::{names, option, record_in, record_of_files};

use crate::examples;
use crate::global_options::GlobalOptions;
use crate::parameters::in_options;
use crate::progress::Screen;
use crate::terminal::Terminal;
use crate::{output, signals, warnings};
use arcuate_core::{Error, ErrorKind};
use arcuate_fsl::{Call, EarlyExit, Outcome, Settings, command_line_error};
use arcuate_pipeline::job::{Job, Request};
use std::cell::OnceCell;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::rc::Rc;

/// Returns the help page of one of FSL's programs, including its examples.
pub(crate) fn page(name: &str) -> String {
    let page = arcuate_fsl::page(name).unwrap_or_default();
    if let Some(first) = arcuate_fsl::first_name(name).filter(|first| !examples::of(first).is_empty()) {
        format!("{page}\n{}\n", examples::help(first))
    } else {
        page
    }
}

/// Returns the error for a command line of one of FSL's programs in which options precede the name of the program.
pub(crate) fn refused(name: &str, count: usize) -> Error {
    let problem = format!(
        "this command accepts only the options of FSL's program, after the program's name ({count} \
         arguments were found)"
    );
    let advice = "begin the command with `arcuate NAME`; ARCUATE_DEVICE, ARCUATE_DEVICE_MEMORY and \
                  ARCUATE_THREADS set the rest";
    Error::usage(name, problem, advice.replace("NAME", name))
}

/// Runs one of FSL's programs if the arguments are a command line of such a program. If not, returns `None`.
pub(crate) fn run(words: &[OsString]) -> Option<ExitCode> {
    let terminal = Rc::new(OnceCell::new());
    let of_job = Rc::clone(&terminal);
    let call = Call::of(words, Box::new(move |settings, request| begin(&of_job, settings, request)))?;
    let written = || terminal.get().map_or(Ok(()), |terminal: &Rc<Terminal>| terminal.finish());
    let done = call.run().and_then(|()| Ok(written()?));
    Some(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(EarlyExit::Help(code)) => {
            // An error of this write is ignored. The exit code still reports the outcome.
            let _ = write!(std::io::stdout(), "{}", page(call.name()));
            ExitCode::from(code)
        }
        Err(EarlyExit::Failed(error, _)) if error.kind() == ErrorKind::Cancelled => {
            signals::clear();
            ExitCode::from(signals::INTERRUPTED)
        }
        Err(EarlyExit::Failed(error, code)) => {
            output::remove_empty_folders();
            let error = in_options(error, call.name());
            // An error of this write is ignored. The exit code still reports the failure.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(code)
        }
    })
}

/// Starts the job of one of FSL's programs, and stores the terminal to which the job writes.
fn begin(terminal: &OnceCell<Rc<Terminal>>, settings: &Settings, request: Request) -> Outcome<Job> {
    let options = GlobalOptions {
        threads: settings.threads,
        random_seed: 0,
        device: settings.device.clone(),
        device_memory: settings.device_memory,
        // As in FSL, a program overwrites files that an interrupted run left in the folder.
        force: true,
        log: None,
        // No messages are printed on standard error, because callers treat any text there as a failure.
        quiet: true,
        verbose: 0,
    };
    signals::install();
    warnings::install(&options, None);
    let screen = Screen::without_errors().map_err(command_line_error)?;
    let own = terminal.get_or_init(|| Rc::new(Terminal::new(&options, screen, false)));
    Ok(own.begin(&options, request, None)?)
}

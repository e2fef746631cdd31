//! The program `arcuate`: parses the arguments, runs the command, and returns its exit code.

use crate::cli::Cli;
use crate::invocation::Invocation;
use crate::parameters::in_options;
use crate::parsing::grammar_of;
use crate::pipes::Pipes;
use crate::progress::Screen;
use crate::terminal::{Terminal, check_together};
use crate::{fsl_programs, output, pipes, signals, warnings};
use arcuate_core::{ErrorKind, Result};
use arcuate_pipeline::log_file::LogFile;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit code of a program that panicked. Rust programs that unwind the stack end with the same code.
const PANICKED: i32 = 101;

/// Lets a panic of any thread end the program. The program prints the panic's message, removes unfinished
/// output files and exits with code 101. The program is compiled without unwinding, so no destructor removes
/// these files after a panic. Call this function at the start of `main`, and not in a library or a test,
/// because it changes the whole process.
pub fn end_on_panic() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if BEGUN.swap(true, Ordering::AcqRel) {
            // Another thread is ending the program.
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        print(panic);
        leave_nothing();
        std::process::exit(PANICKED);
    }));
}

/// Runs the program with the command-line arguments of this process.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = fsl_programs::run(&words) {
        return code;
    }
    let (cli, invocation) = Cli::parse_words(words).unwrap_or_else(|error| error.exit());
    signals::install();
    let opened = cli.global.log.as_deref().map(LogFile::open).transpose();
    let (log, refused) = match opened {
        Ok(log) => (log, None),
        Err(error) => (None, Some(error)),
    };
    warnings::install(&cli.global, log.clone());
    let result = match refused {
        Some(error) => Err(error),
        None => work(cli, &invocation, log.clone()),
    };
    pipes::remove_passing();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::Cancelled => {
            // If the user has cancelled the program, no error message is needed.
            signals::clear();
            ExitCode::from(signals::INTERRUPTED)
        }
        Err(error) => {
            output::remove_empty_folders();
            // The error names no command, because it can occur before the command is known.
            let error = in_options(error, "");
            if let Some(log) = &log {
                log.note(&format!("error: {error}"));
            }
            // An error of this write is ignored. The exit code still reports the failure.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            match error.kind() {
                ErrorKind::Usage => ExitCode::from(2),
                ErrorKind::Cancelled => ExitCode::from(signals::INTERRUPTED),
                _ => ExitCode::from(1),
            }
        }
    }
}

/// Runs the command, including its pipes.
fn work(cli: Cli, invocation: &Invocation, log: Option<LogFile>) -> Result<()> {
    let screen = Screen::of(cli.global.quiet)?;
    let pipes = Pipes::open(invocation)?;
    let done = work_with(&pipes, cli, invocation, screen, log);
    if done.is_err() {
        pipes.note_failure();
    }
    done.and_then(|()| pipes.finish())
}

/// Runs the command, with files in place of the pipes that its command line names.
fn work_with(
    pipes: &Pipes,
    cli: Cli,
    invocation: &Invocation,
    screen: Screen,
    log: Option<LogFile>,
) -> Result<()> {
    let cli = if pipes.are_used() { Cli::with_pipes(pipes, invocation)? } else { cli };
    let host = Rc::new(Terminal::new(&cli.global, screen, pipes.take_output()));
    check_together(&cli.global, invocation, cli.command.uses())?;
    let job = host.begin(&cli.global, invocation.request(), log)?;
    let grammar = grammar_of(&cli.global, invocation);
    let done = cli.command.run(&job, &grammar).and_then(|()| job.settle()).and_then(|()| host.finish());
    done.map_err(|error| job.reword(error))
}

/// Removes unfinished output files and empty result folders, if the program ends before its work is done.
pub fn leave_nothing() {
    std::mem::forget(arcuate_io::remove_unfinished_soon());
    output::remove_empty_folders();
    pipes::remove_passing();
}

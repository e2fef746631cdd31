//! Calls of FSL's programs: the start of their work, and their exit codes.

use super::environment::{self, Settings};
use super::grammar::Found;
use arcuate_core::Error;
use arcuate_pipeline::job::{Job, Request};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A program of FSL that Arcuate replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    Bedpostx,
    Xfibres,
    SplitParts,
    XfibresOfPart,
    MergeParts,
    Postprocessing,
    Probtrackx2,
    Dtifit,
    MakeDyadicVectors,
    FindTheBiggest,
    ProjThresh,
    MatrixMerge,
}

/// Function that starts the job of one of FSL's programs. Its arguments are the settings from the environment
/// and the request of the user.
pub type Begin = Box<dyn Fn(&Settings, Request) -> Outcome<Job>>;

/// A call of one of FSL's programs.
pub struct Call {
    pub(super) program: Program,
    pub(super) name: &'static str,
    /// `words` is the whole command line. `arguments` are its words after the name of the program.
    pub(super) words: Vec<OsString>,
    pub(super) arguments: Vec<OsString>,
    /// True if the user called the program by the name that FSL gives it. False if the user called it as
    /// `arcuate NAME`.
    pub(super) is_by_name: bool,
    pub(super) begin: Begin,
}

/// Reason why a program ends early.
#[derive(Debug)]
pub enum EarlyExit {
    /// The user requested the help page, or gave no arguments. The program shows its help page and exits with
    /// this exit code.
    Help(u8),
    /// An error, and the exit code.
    Failed(Error, u8),
}

impl From<Error> for EarlyExit {
    /// Converts an error to an early exit with exit code 1. FSL's programs use this code for wrong files and
    /// for options that contradict each other.
    fn from(error: Error) -> Self {
        Self::Failed(error, 1)
    }
}

/// The result of one of FSL's programs, or the reason why the program ends early.
pub type Outcome<T> = std::result::Result<T, EarlyExit>;

/// Marks an error as an error in the command line. FSL's programs exit with code 2 after such an error.
pub fn command_line_error(error: Error) -> EarlyExit {
    EarlyExit::Failed(error, 2)
}

impl Call {
    /// Returns the early exit that shows the help page. The exit code is 2 if the user called the program by
    /// its FSL name, and 0 if as `arcuate NAME`.
    pub(super) fn help(&self) -> EarlyExit {
        EarlyExit::Help(if self.is_by_name { 2 } else { 0 })
    }

    /// Returns the early exit that shows the help page if the user requests help or gives no arguments.
    pub(super) fn help_if_asked(&self, words: &[String]) -> Outcome<()> {
        let asks = |word: &String| matches!(word.as_str(), "-h" | "-help" | "--help");
        if words.is_empty() || words.iter().any(asks) { Err(self.help()) } else { Ok(()) }
    }

    /// Returns the error for a command line with a wrong number of arguments.
    pub(super) fn wrong_count(&self, has: usize, expected: &str) -> EarlyExit {
        let words = if has == 1 { "one word".to_owned() } else { format!("{has} words") };
        let advice = format!("`{} -h` says more", self.name);
        command_line_error(Error::usage(
            self.name,
            format!("the command has {words}, but takes {expected}"),
            advice,
        ))
    }

    /// Starts the job of a program whose command line has been parsed.
    pub(super) fn begin(&self, options: &Found) -> Outcome<Job> {
        let settings = environment::settings().map_err(command_line_error)?;
        let request =
            Request { command: self.name.to_owned(), words: self.words.clone(), options: options.record() };
        (self.begin)(&settings, request).map_err(|ended| match ended {
            EarlyExit::Help(_) => ended,
            EarlyExit::Failed(error, code) => EarlyExit::Failed(environment::about(error), code),
        })
    }
}

/// Returns the folder of results for the folder of a subject: `sub.bedpostX` for `sub`.
pub(super) fn results_of(subject: &Path) -> Outcome<PathBuf> {
    // A path such as `.` has no file name before it is converted to an absolute path.
    let named = match subject.file_name() {
        Some(_) => subject.to_owned(),
        None => subject.canonicalize().map_err(|error| Error::read(subject, error))?,
    };
    let mut name = named.file_name().unwrap_or_default().to_owned();
    name.push(".bedpostX");
    Ok(named.with_file_name(name))
}

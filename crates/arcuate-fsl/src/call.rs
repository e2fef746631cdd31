//! A call of one of FSL's programs: the start of its work, and its exit codes.

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

/// Function that begins the job of a program, from its settings and the request of the user.
pub type Begin = Box<dyn Fn(&Settings, Request) -> Outcome<Job>>;

/// A call of one of FSL's programs.
pub struct Call {
    pub(super) program: Program,
    pub(super) name: &'static str,
    /// The whole command line, and the arguments of the program.
    pub(super) words: Vec<OsString>,
    pub(super) arguments: Vec<OsString>,
    /// True if the program was called by FSL's name, false if it was called as `arcuate NAME`.
    pub(super) is_by_name: bool,
    pub(super) begin: Begin,
}

/// Reason why a program ends early.
#[derive(Debug)]
pub enum EarlyExit {
    /// The user requested the help page, or gave no arguments. The program shows the page and exits with this
    /// code.
    Help(u8),
    /// An error, and the exit code.
    Failed(Error, u8),
}

impl From<Error> for EarlyExit {
    /// Converts an error. The exit code is 1, as in FSL's programs for wrong files and for options that do
    /// not fit together.
    fn from(error: Error) -> Self {
        Self::Failed(error, 1)
    }
}

/// Result of a program, or the reason why it ends early.
pub type Outcome<T> = std::result::Result<T, EarlyExit>;

/// Marks an error as an error in the command line, for which FSL's programs exit with code 2.
pub fn in_words(error: Error) -> EarlyExit {
    EarlyExit::Failed(error, 2)
}

impl Call {
    /// Returns the reason for showing the help page. FSL's programs then exit with code 2, `arcuate NAME`
    /// with 0.
    pub(super) fn help(&self) -> EarlyExit {
        EarlyExit::Help(if self.is_by_name { 2 } else { 0 })
    }

    /// Ends with the help page if the user requests it or gives no arguments.
    pub(super) fn help_if_asked(&self, words: &[String]) -> Outcome<()> {
        let asks = |word: &String| matches!(word.as_str(), "-h" | "-help" | "--help");
        if words.is_empty() || words.iter().any(asks) { Err(self.help()) } else { Ok(()) }
    }

    /// Creates the error for a wrong number of arguments.
    pub(super) fn wrong_count(&self, has: usize, wanted: &str) -> EarlyExit {
        let words = if has == 1 { "one word".to_owned() } else { format!("{has} words") };
        let advice = format!("`{} -h` says more", self.name);
        in_words(Error::usage(self.name, format!("the command has {words}, but takes {wanted}"), advice))
    }

    /// Begins the job of a parsed command line.
    pub(super) fn begin(&self, options: &Found) -> Outcome<Job> {
        let settings = environment::settings().map_err(in_words)?;
        let request =
            Request { command: self.name.to_owned(), words: self.words.clone(), options: options.record() };
        (self.begin)(&settings, request).map_err(|ended| match ended {
            EarlyExit::Help(_) => ended,
            EarlyExit::Failed(error, code) => EarlyExit::Failed(environment::about(error), code),
        })
    }
}

/// Returns the folder of results of a subject: `sub.bedpostX` for `sub`.
pub(super) fn results_of(subject: &Path) -> Outcome<PathBuf> {
    // A path such as `.` has a name only after it is resolved.
    let named = match subject.file_name() {
        Some(_) => subject.to_owned(),
        None => subject.canonicalize().map_err(|error| Error::read(subject, error))?,
    };
    let mut name = named.file_name().unwrap_or_default().to_owned();
    name.push(".bedpostX");
    Ok(named.with_file_name(name))
}

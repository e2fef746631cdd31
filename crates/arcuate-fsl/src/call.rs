//! A call of one of FSL's programs: how its work begins and how it ends.

use super::grammar::Found;
use super::surroundings::{self, Settings};
use arcuate_core::Error;
use arcuate_pipeline::job::{Job, Request};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A program that is stood in for.
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

/// Begins the job of a program: with its settings, and with what the user asked for.
pub type Begin = Box<dyn Fn(&Settings, Request) -> Outcome<Job>>;

/// A call of one of FSL's programs.
pub struct Call {
    pub(super) program: Program,
    pub(super) name: &'static str,
    /// The whole command line, and what of it is for the program.
    pub(super) words: Vec<OsString>,
    pub(super) arguments: Vec<OsString>,
    /// Whether the program has FSL's name, and not `arcuate` in front of it.
    pub(super) is_by_name: bool,
    pub(super) begin: Begin,
}

/// Why a program ends early.
#[derive(Debug)]
pub enum Ended {
    /// The user asked for the page of help, or gave nothing. The program shows it and exits with the code.
    Help(u8),
    /// An error, and the exit code.
    Failed(Error, u8),
}

impl From<Error> for Ended {
    /// FSL's programs end with 1 where options do not go together or a file is wrong.
    fn from(error: Error) -> Self {
        Self::Failed(error, 1)
    }
}

/// The result of a program, or why it ends early.
pub type Outcome<T> = std::result::Result<T, Ended>;

/// An error in the command line: FSL's programs then exit with 2.
pub fn in_words(error: Error) -> Ended {
    Ended::Failed(error, 2)
}

impl Call {
    /// What a wish for help is answered with: FSL's programs end with 2.
    pub(super) fn help(&self) -> Ended {
        Ended::Help(if self.is_by_name { 2 } else { 0 })
    }

    /// Ends with the page of help where that is asked for, or nothing at all.
    pub(super) fn help_if_asked(&self, words: &[String]) -> Outcome<()> {
        let asks = |word: &String| matches!(word.as_str(), "-h" | "-help" | "--help");
        if words.is_empty() || words.iter().any(asks) { Err(self.help()) } else { Ok(()) }
    }

    /// What another number of words than a program takes is answered with.
    pub(super) fn wrong_count(&self, has: usize, wanted: &str) -> Ended {
        let words = if has == 1 { "one word".to_owned() } else { format!("{has} words") };
        let advice = format!("`{} -h` says more", self.name);
        in_words(Error::usage(self.name, format!("it has {words}, and takes {wanted}"), advice))
    }

    /// Begins the work of a command line that is understood.
    pub(super) fn begin(&self, options: &Found) -> Outcome<Job> {
        let settings = surroundings::settings().map_err(in_words)?;
        let request =
            Request { command: self.name.to_owned(), words: self.words.clone(), options: options.record() };
        (self.begin)(&settings, request).map_err(|ended| match ended {
            Ended::Help(_) => ended,
            Ended::Failed(error, code) => Ended::Failed(surroundings::about(error), code),
        })
    }
}

/// The folder of results that belongs to that of a subject: `sub` has `sub.bedpostX`.
pub(super) fn results_of(subject: &Path) -> Outcome<PathBuf> {
    // `.` and the like have a name only once it is known what they are.
    let named = match subject.file_name() {
        Some(_) => subject.to_owned(),
        None => subject.canonicalize().map_err(|error| Error::read(subject, error))?,
    };
    let mut name = named.file_name().unwrap_or_default().to_owned();
    name.push(".bedpostX");
    Ok(named.with_file_name(name))
}

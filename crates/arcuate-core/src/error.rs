use crate::links::DanglingLink;
use crate::text::{name_parameters, printable};
use std::borrow::Cow;
use std::path::Path;

/// An error message of one line for the user: the file or option concerned (`subject`), the `problem`, and
/// the solution (`advice`).
///
/// In all three parts of an error, names of parameters are in ‘single quotes’. If the users of a program know
/// the parameters by other names, such as options of the command line, the program replaces the names with
/// [`Error::with_parameters`].
///
/// All crates of Arcuate return this type of error. The code that detects an error writes the message; the
/// command-line program prints it once.
#[derive(Debug, thiserror::Error)]
#[error("{subject}: {problem}; {advice}")]
pub struct Error {
    kind: ErrorKind,
    subject: String,
    problem: String,
    advice: String,
    source: Option<std::io::Error>,
}

/// The category of an error, which also determines the exit code of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Options contradict each other or request something that does not exist (exit code 2).
    Usage,
    /// A file or array has invalid content (exit code 1).
    Invalid,
    /// A file could not be read (exit code 1).
    Read,
    /// A result could not be written (exit code 1).
    Write,
    /// A GPU or its driver reported an error (exit code 1).
    Device,
    /// GPU memory is exhausted (exit code 1). The same work may succeed in smaller pieces or on the CPU.
    DeviceMemory,
    /// The work does not fit into GPU memory even in the smallest pieces (exit code 1). The same work may
    /// succeed on the CPU.
    DeviceTooSmall,
    /// The caller cancelled the work ([`Control`](crate::Control)). This is not a failure (exit code 130).
    Cancelled,
}

/// The result of a call that fails with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Creates an error for options that contradict each other or request something that does not exist.
    pub fn usage(
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Usage, subject, problem, advice)
    }

    /// Creates an error for invalid data.
    pub fn invalid(
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Invalid, subject, problem, advice)
    }

    /// Creates an error reported by a GPU or its driver.
    pub fn device(
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Device, subject, problem, advice)
    }

    /// Creates an error for exhausted GPU memory.
    pub fn device_memory(
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::DeviceMemory, subject, problem, advice)
    }

    /// Creates an error for work that does not fit into GPU memory, even if the work is split into the
    /// smallest pieces.
    pub fn device_too_small(
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::DeviceTooSmall, subject, problem, advice)
    }

    /// Creates the error of a cancelled call.
    pub fn cancelled() -> Self {
        Self::new(
            ErrorKind::Cancelled,
            "cancelled",
            "the work was ended before it was done",
            "begin it again",
        )
    }

    /// Creates an error for a failure to read `path`. If `path` is a link to a missing file, the error states
    /// this.
    pub fn read(path: &Path, source: std::io::Error) -> Self {
        let (problem, advice) = match source.kind() {
            std::io::ErrorKind::NotFound => match DanglingLink::of(path) {
                Some(link) => link.explain(path),
                None => ("no such file".to_owned(), "check the path"),
            },
            std::io::ErrorKind::PermissionDenied => {
                ("permission to read it is denied".to_owned(), "check its permissions")
            }
            _ => {
                (format!("cannot be read ({source})"), "check that the file is complete and the disk is well")
            }
        };
        let mut error = Self::new(ErrorKind::Read, path.display(), problem, advice);
        error.source = Some(source);
        error
    }

    /// Creates an error for a `path` that is missing or is a link to a missing file.
    pub fn missing(path: &Path) -> Self {
        Self::read(path, std::io::ErrorKind::NotFound.into())
    }

    /// Creates an error for a `path` that is not a file although one is required; `advice` describes the
    /// required file.
    pub fn no_file(path: &Path, advice: impl Into<String>) -> Self {
        Self::nothing_at(path, "there is no such file", advice)
    }

    /// Creates an error for a `path` that is not a folder although one is required; `advice` describes the
    /// required folder.
    pub fn no_folder(path: &Path, advice: impl Into<String>) -> Self {
        let is_file = path.metadata().is_ok_and(|found| !found.is_dir());
        let problem = if is_file { "this path is a file, not a folder" } else { "there is no such folder" };
        Self::nothing_at(path, problem, advice)
    }

    /// Creates an error for a `subject`, such as a command, that needs a feature with which the program was not built.
    #[doc(hidden)]
    pub fn without_feature(subject: impl std::fmt::Display, feature: &str) -> Self {
        let problem = format!("this program was built without the feature `{feature}`");
        Self::usage(subject, problem, format!("build it with `--features {feature}`"))
    }

    fn nothing_at(path: &Path, problem: &str, advice: impl Into<String>) -> Self {
        if DanglingLink::of(path).is_some() {
            return Self::missing(path);
        }
        Self::invalid(path.display(), problem, advice)
    }

    /// Creates an error for a failure to write `path`.
    pub fn write(path: &Path, source: std::io::Error) -> Self {
        let (problem, advice) = match source.kind() {
            std::io::ErrorKind::PermissionDenied => {
                ("permission to write there is denied".to_owned(), "choose another output folder")
            }
            std::io::ErrorKind::StorageFull => {
                ("the disk is full".to_owned(), "free some space or choose another output folder")
            }
            std::io::ErrorKind::NotFound => {
                ("its folder does not exist".to_owned(), "create the folder or choose another")
            }
            std::io::ErrorKind::QuotaExceeded => {
                ("the disk quota is used up".to_owned(), "free some space or choose another output folder")
            }
            std::io::ErrorKind::FileTooLarge => (
                "it is larger than a file may be here".to_owned(),
                "raise the limit or choose another output folder",
            ),
            std::io::ErrorKind::NotADirectory => {
                ("a part of its path is a file, not a folder".to_owned(), "choose another output folder")
            }
            std::io::ErrorKind::ReadOnlyFilesystem => {
                ("the file system is read-only".to_owned(), "choose another output folder")
            }
            _ => (format!("cannot be written ({source})"), "choose another output folder"),
        };
        let mut error = Self::new(ErrorKind::Write, path.display(), problem, advice);
        error.source = Some(source);
        error
    }

    /// The category of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The subject of the error: a file, an option, or a kind of data if the code that found the error does
    /// not know the file.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The problem that the error reports, without subject and advice.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// Replaces the subject of the error. Callers use this function if the code that found the error did not
    /// know the file or option that the data came from.
    pub fn about(mut self, subject: impl std::fmt::Display) -> Self {
        self.subject = one_line(&subject.to_string());
        self
    }

    /// Calls `origin` with the subject of this error, and uses the result as the new subject. The new subject
    /// is usually the file from which the data were read. If `origin` returns `None`, the error is unchanged.
    /// Algorithms do not know the files of their data; callers that read the files add the file names with
    /// this function.
    pub fn with_subject<S: std::fmt::Display>(self, origin: impl FnOnce(&str) -> Option<S>) -> Self {
        match origin(&self.subject) {
            Some(subject) => self.about(subject),
            None => self,
        }
    }

    /// Replaces the advice of the error. Callers use this function if their users cannot follow the original
    /// advice.
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = one_line(&advice.into());
        self
    }

    /// Replaces parameters in ‘single quotes’ with the names that the caller's users know. `name` returns the
    /// new name of a parameter, or `None` if the parameter is to stay unchanged.
    pub fn with_parameters<'n>(mut self, name: impl Fn(&str) -> Option<&'n str>) -> Self {
        for part in [&mut self.subject, &mut self.problem, &mut self.advice] {
            if let Cow::Owned(named) = name_parameters(part, &name) {
                *part = named;
            }
        }
        self
    }

    fn new(
        kind: ErrorKind,
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            subject: one_line(&subject.to_string()),
            problem: one_line(&problem.into()),
            advice: one_line(&advice.into()),
            source: None,
        }
    }
}

/// Maximum length of the subject, problem or advice, in characters. Usual file paths are shorter than this
/// limit. A line of megabytes from a damaged file header is shortened.
const LONGEST: usize = 1000;

/// Makes the subject, problem or advice of an error printable. Names from files can contain anything, but an
/// error must be one line without control characters.
fn one_line(text: &str) -> String {
    printable(text, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_names_are_escaped() {
        let error = Error::invalid("a\nb.trx", "its entry `\u{1b}[31m` is µ", "copy\tit").about("c\r.trx");
        assert_eq!(error.to_string(), "c\\r.trx: its entry `\\u{1b}[31m` is µ; copy\\tit");
        assert_eq!(Error::usage("a\nb", "p", "q").to_string(), "a\\nb: p; q");
    }

    #[test]
    fn parameters_have_the_names_of_the_caller() {
        let error =
            Error::usage("‘step_mm’", "it is above ‘max_length_mm’ of `‘x’`", "lower it, or ‘é’, ‘other’");
        let named = error.with_parameters(|name| match name {
            "step_mm" => Some("--step"),
            "max_length_mm" => Some("--max-length"),
            _ => None,
        });
        assert_eq!(named.to_string(), "--step: it is above --max-length of `‘x’`; lower it, or ‘é’, ‘other’");
    }

    #[test]
    fn long_messages_are_truncated_at_characters() {
        let error =
            Error::invalid("a.mif", format!("its layout `{}` is none", "ä\u{1b}".repeat(3_000_000)), "b");
        let line = error.to_string();
        // The test allows 10 more characters: the character that replaces the omitted text, and the
        // separators between subject, problem and advice.
        assert!(line.chars().count() <= LONGEST + 10, "{}", line.len());
        assert!(
            line.starts_with("a.mif: its layout `ä\\u{1b}ä") && line.ends_with("ä\\u{1b}` is none; b"),
            "{line}"
        );
    }
}

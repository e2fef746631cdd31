use crate::links::DanglingLink;
use crate::text::{name_parameters, printable};
use std::borrow::Cow;
use std::path::Path;

/// What went wrong, in one line made for the person who typed the command: which file or option (`subject`), what
/// is wrong with it (`problem`), and what to do about it (`advice`).
///
/// Parameters of a call stand in ‘single quotes’, in all of its parts: whose callers know them by other names, as those of a
/// command line do, has [`Error::with_parameters`] say these.
///
/// All crates of Arcuate return this one type, so that an error is worded once, where it is understood, and
/// printed once, by the command line.
#[derive(Debug, thiserror::Error)]
#[error("{subject}: {problem}; {advice}")]
pub struct Error {
    kind: ErrorKind,
    subject: String,
    problem: String,
    advice: String,
    source: Option<std::io::Error>,
}

/// Who has to act, which also decides the exit code of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The options contradict each other or ask for something that does not exist (exit code 2).
    Usage,
    /// A file or array does not hold what it should (exit code 1).
    Invalid,
    /// A file could not be read (exit code 1).
    Read,
    /// A result could not be written (exit code 1).
    Write,
    /// A GPU or its driver refused (exit code 1).
    Device,
    /// The memory of a GPU ran out (exit code 1); the same work in smaller pieces, or on the processor, may do.
    DeviceMemory,
    /// The work does not fit the memory of a GPU in the smallest pieces either (exit code 1); the processor may do.
    DeviceTooSmall,
    /// The caller ended the work ([`Control`](crate::Control)): nothing is wrong (exit code 130).
    Cancelled,
}

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The user asked for something impossible.
    pub fn usage(
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Usage, subject, problem, advice)
    }

    /// Data are not what they should be.
    pub fn invalid(
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Invalid, subject, problem, advice)
    }

    /// A GPU or its driver refused.
    pub fn device(
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Device, subject, problem, advice)
    }

    /// The memory of a GPU ran out.
    pub fn device_memory(
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::DeviceMemory, subject, problem, advice)
    }

    /// The work does not fit the memory of a GPU, however it is cut.
    pub fn device_too_small(
        subject: impl std::fmt::Display,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::DeviceTooSmall, subject, problem, advice)
    }

    /// The caller ended the work.
    pub fn cancelled() -> Self {
        Self::new(
            ErrorKind::Cancelled,
            "cancelled",
            "the work was ended before it was done",
            "begin it again",
        )
    }

    /// The operating system refused to read `path`. A link to a missing file is reported as a link.
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

    /// Nothing can be read under the name `path`: it is missing, or a link to a missing file.
    pub fn missing(path: &Path) -> Self {
        Self::read(path, std::io::ErrorKind::NotFound.into())
    }

    /// A file is needed that `path` does not name; `advice` says which.
    pub fn no_file(path: &Path, advice: impl Into<String>) -> Self {
        Self::nothing_at(path, "there is no such file", advice)
    }

    /// A folder is needed that `path` does not name; `advice` says which.
    pub fn no_folder(path: &Path, advice: impl Into<String>) -> Self {
        let is_file = path.metadata().is_ok_and(|found| !found.is_dir());
        let problem = if is_file { "it is a file, not a folder" } else { "there is no such folder" };
        Self::nothing_at(path, problem, advice)
    }

    fn nothing_at(path: &Path, problem: &str, advice: impl Into<String>) -> Self {
        if DanglingLink::of(path).is_some() {
            return Self::missing(path);
        }
        Self::invalid(path.display(), problem, advice)
    }

    /// The operating system refused to write `path`.
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

    /// Who has to act.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What the error is about: a file, an option, or a kind of data where nobody has said yet which file held them.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// What is wrong, without subject and advice.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The same error, said of another file or option: for checks that do not know where their data came from.
    pub fn about(mut self, subject: impl std::fmt::Display) -> Self {
        self.subject = one_line(&subject.to_string());
        self
    }

    /// The same error, said of where its data came from as `origin` knows by what the error calls them: the one way in which a caller
    /// who has files says an algorithm's error of these. Where it knows nothing, the error stays as it is.
    pub fn said_of<S: std::fmt::Display>(self, origin: impl FnOnce(&str) -> Option<S>) -> Self {
        match origin(&self.subject) {
            Some(subject) => self.about(subject),
            None => self,
        }
    }

    /// The same error with other advice: for who cannot do what the check proposes.
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = one_line(&advice.into());
        self
    }

    /// The same error in the words of who calls: parameters, which stand in ‘single quotes’ in what libraries say, by the names
    /// that `name` has for them; others stay as they are.
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

/// Longest subject, problem or advice, in characters: a path is whole, a header's line of megabytes is not.
const LONGEST: usize = 1000;

/// A part of an error: names from files can hold anything, and an error is one line that leaves the terminal as it was.
fn one_line(text: &str) -> String {
    printable(text, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_cannot_break_the_line() {
        let error = Error::invalid("a\nb.trx", "its entry `\u{1b}[31m` is µ", "copy\tit").about("c\r.trx");
        assert_eq!(error.to_string(), "c\\r.trx: its entry `\\u{1b}[31m` is µ; copy\\tit");
        assert_eq!(Error::usage("a\nb", "p", "q").to_string(), "a\\nb: p; q");
    }

    #[test]
    fn parameters_have_the_names_of_who_calls() {
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
    fn lines_are_bounded_at_characters() {
        let error =
            Error::invalid("a.mif", format!("its layout `{}` is none", "ä\u{1b}".repeat(3_000_000)), "b");
        let line = error.to_string();
        // A character and what separates the parts.
        assert!(line.chars().count() <= LONGEST + 10, "{}", line.len());
        assert!(
            line.starts_with("a.mif: its layout `ä\\u{1b}ä") && line.ends_with("ä\\u{1b}` is none; b"),
            "{line}"
        );
    }
}

use arcuate_core::Error;
use std::fmt::Write;
use std::path::Path;

/// Number of bytes that the name of a kind of state takes in a file. Shorter names are padded with zeros.
pub(super) const NAME: usize = 16;

/// The kind of state that a file contains, such as the state of a tracking run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateKind {
    /// Name of the kind of state, at most 16 ASCII characters.
    pub name: &'static str,
    /// Version of the format of the content.
    pub version: u32,
}

impl StateKind {
    /// Returns the name of the kind of state as bytes, padded with zeros as in a file.
    pub(super) fn name_bytes(self) -> [u8; NAME] {
        let mut bytes = [0; NAME];
        let name = self.name.as_bytes();
        assert!(name.len() <= NAME && self.name.is_ascii(), "`{}` is no name of a kind", self.name);
        bytes[..name.len()].copy_from_slice(name);
        bytes
    }
}

/// A file of saved state, with the kind of state that it must contain and advice for its errors.
#[derive(Debug, Clone, Copy)]
pub struct SavedState<'a> {
    /// The path of the file.
    pub path: &'a Path,
    /// The kind of state that the file must contain.
    pub kind: StateKind,
    /// Advice for the user in the error about a damaged file.
    pub remedy: &'a str,
}

impl SavedState<'_> {
    /// Creates the error of a damaged file.
    pub fn damaged(&self, problem: impl Into<String>) -> Error {
        Error::invalid(self.path.display(), problem, self.remedy)
    }

    pub(super) fn changed(&self) -> Error {
        self.damaged("its content does not match its checksum, so it was changed or cut short")
    }

    /// Returns an error if the file contains another kind or another version of state. The caller has checked
    /// that the file is not damaged.
    pub(super) fn require_kind(&self, name: &str, version: u64) -> Result<(), Error> {
        let StateKind { name: expected, version: own } = self.kind;
        if name != expected {
            return Err(self.damaged(format!("it holds {name}, not {expected}")));
        }
        if version != u64::from(own) {
            let problem = format!("its form has version {version}, and this Arcuate reads version {own}");
            return Err(self.damaged(problem));
        }
        Ok(())
    }
}

/// Formats bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

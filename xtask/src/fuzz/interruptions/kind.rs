//! The kinds of interruptions.

use super::disk::FullDiskMethod;

/// The cause of an interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    Kill,
    FullDisk(FullDiskMethod),
}

impl Interruption {
    /// Returns the option that requests it.
    pub(super) fn option(self) -> &'static str {
        match self {
            Self::Kill => "--kill",
            Self::FullDisk(_) => "--full-disk",
        }
    }
}

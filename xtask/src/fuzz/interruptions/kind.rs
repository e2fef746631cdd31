//! The kinds of interruptions: a killed command, and a full disk.

use super::disk::FullDiskMethod;

/// The event that interrupts a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    Kill,
    FullDisk(FullDiskMethod),
}

impl Interruption {
    /// Returns the option of `cargo xtask fuzz` that requests this kind of interruption.
    pub(super) fn option(self) -> &'static str {
        match self {
            Self::Kill => "--kill",
            Self::FullDisk(_) => "--full-disk",
        }
    }
}

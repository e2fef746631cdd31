//! What interrupts a command.

use super::disk::Way;

/// What ends a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    Kill,
    FullDisk(Way),
}

impl Interruption {
    /// The option that asks for it.
    pub(super) fn option(self) -> &'static str {
        match self {
            Self::Kill => "--kill",
            Self::FullDisk(_) => "--full-disk",
        }
    }
}

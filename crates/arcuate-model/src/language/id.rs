//! Identifiers of the nodes of a program.

/// The identifier of a node (a value) in a [`Program`](super::Program).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Id(pub(super) u32);

impl Id {
    /// Returns the index of the node in its program.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

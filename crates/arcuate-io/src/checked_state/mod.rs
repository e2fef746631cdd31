//! Files of saved state: the state from which a run resumes, and the state from which the parts of a divided
//! run are merged. Each file has its kind, its version and a checksum of its content, so that a changed byte
//! is rejected instead of changing a result.
//!
//! [`SavedState`] reads and writes whole files, as bytes or as JSON. A [`JournalWriter`] appends records,
//! each with a checksum, to a file that grows during a run.

mod bytes;
#[cfg(test)]
mod damage;
mod journal;
mod kind;
mod text;

pub use journal::{JournalPosition, JournalReader, JournalWriter};
pub use kind::{SavedState, StateKind, hexadecimal};

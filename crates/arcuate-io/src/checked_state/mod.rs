//! Reads and writes files of saved state, from which an interrupted run resumes, or from which the results of
//! several jobs are merged. Each file contains the kind of state, its version and a checksum of its content.
//! If a byte was changed, the file is rejected, so that it cannot change a result.
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

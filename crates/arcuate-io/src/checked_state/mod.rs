//! Files of saved state: what a run needs to continue, and what its parts need to be merged. Each file states its kind and
//! version and has a checksum of its content, so that a changed byte is refused instead of changing a result.
//!
//! [`SavedState`] reads and writes whole files, as bytes or as JSON. A [`JournalWriter`] appends records, each with a
//! checksum, to a file that grows while a run works.

mod bytes;
#[cfg(test)]
mod damage;
mod journal;
mod kind;
mod text;

pub use journal::{JournalPosition, JournalReader, JournalWriter};
pub use kind::{SavedState, StateKind, hexadecimal};

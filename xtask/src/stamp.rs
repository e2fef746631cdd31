//! Hashes in the header of generated files that are committed. They show whether a file belongs to its
//! sources. The tool that generates the file is not needed for this check.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Returns the hexadecimal hash of parts and their lengths.
pub(crate) fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hexadecimal(hash)
}

/// Returns the hash in hexadecimal.
pub(crate) fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

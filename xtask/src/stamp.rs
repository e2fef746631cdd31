//! Hashes in the header of committed products. They show without the tool that created a product whether it belongs to
//! its sources.

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

//! Hashes in the heads of committed products, by which one that is not of its sources is recognised without the tool
//! that makes it.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Hash of parts and of where each of them ends, in hexadecimal.
pub(crate) fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hexadecimal(hash)
}

/// The hash of what went in, in hexadecimal.
pub(crate) fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

//! Reads and writes saved state as bytes. The format of the file is
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `ARCSTATE` |
//! | 32 | SHA-256 of the rest |
//! | 16 | name of the kind of state, padded with zeros |
//! | 4 | version of the kind, little-endian |
//! | 8 | number of following bytes, little-endian |
//! | … | the state |

use super::kind::{NAME, SavedState};
use crate::atomic::AtomicFile;
use crate::plain_file::open_file;
use arcuate_core::{Error, Result};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};

const MAGIC: &[u8; 8] = b"ARCSTATE";
const DIGEST: usize = 32;
/// Number of bytes of the header fields that the checksum covers: name of the kind of state, version and
/// length.
const HEAD: usize = NAME + 4 + 8;

impl SavedState<'_> {
    /// Writes the saved state. The file appears when it is complete.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write_bytes(&self, state: &[u8]) -> Result<()> {
        let head = self.head(state.len() as u64);
        let digest = Sha256::new().chain_update(&head).chain_update(state).finalize();
        let mut file = AtomicFile::create(self.path)?;
        for bytes in [MAGIC.as_slice(), digest.as_slice(), &head, state] {
            file.write_all(bytes).map_err(|e| Error::write(self.path, e))?;
        }
        file.finish()
    }

    /// Reads the saved state.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, if its content was changed, or if it contains another
    /// kind or another version of state.
    pub fn read_bytes(&self) -> Result<Vec<u8>> {
        let failed = |e| Error::read(self.path, e);
        let mut file = open_file(self.path)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut begin = [0; MAGIC.len() + DIGEST + HEAD];
        if size < begin.len() as u64 {
            return Err(self.damaged("it is too short to hold a saved state"));
        }
        file.read_exact(&mut begin).map_err(failed)?;
        let (magic, rest) = begin.split_at(MAGIC.len());
        let (digest, head) = rest.split_at(DIGEST);
        if magic != MAGIC {
            return Err(self.damaged("it is not a saved state of Arcuate"));
        }
        let mut state = Vec::new();
        let left = (size - begin.len() as u64) as usize;
        if state.try_reserve_exact(left).is_err() {
            return Err(self.damaged(format!("no memory holds its {left} bytes")));
        }
        file.read_to_end(&mut state).map_err(failed)?;
        if Sha256::new().chain_update(head).chain_update(&state).finalize().as_slice() != digest {
            return Err(self.changed());
        }
        let (name, numbers) = head.split_at(NAME);
        let name = String::from_utf8_lossy(name);
        self.require_kind(name.trim_end_matches('\0'), little_endian(&numbers[..4]))?;
        if little_endian(&numbers[4..]) != state.len() as u64 {
            return Err(self.changed());
        }
        Ok(state)
    }

    fn head(&self, length: u64) -> Vec<u8> {
        let mut head = self.kind.name_bytes().to_vec();
        head.extend(self.kind.version.to_le_bytes());
        head.extend(length.to_le_bytes());
        head
    }
}

/// Decodes an unsigned number from at most 8 little-endian bytes.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::super::damage::damaged_copies;
    use super::super::kind::StateKind;
    use super::*;

    const KIND: StateKind = StateKind { name: "test numbers", version: 3 };

    #[test]
    fn bit_changes_and_truncations_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.part");
        let state = SavedState { path: &path, kind: KIND, remedy: "delete it" };
        let numbers: Vec<u8> = (0..50).collect();
        state.write_bytes(&numbers).unwrap();
        assert_eq!(state.read_bytes().unwrap(), numbers);
        let whole = std::fs::read(&path).unwrap();
        let refused = |bytes: &[u8], what: &str| {
            std::fs::write(&path, bytes).unwrap();
            let error = state.read_bytes().unwrap_err().to_string();
            assert!(error.contains("a.part: ") && error.ends_with("; delete it"), "{what}: {error}");
        };
        damaged_copies(&whole).for_each(|(bytes, what)| refused(&bytes, &what));
        refused(&[whole.as_slice(), &[0]].concat(), "one byte more");
        refused(&vec![0; whole.len()], "zeros");
    }

    #[test]
    fn other_kinds_and_versions_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.part");
        SavedState { path: &path, kind: KIND, remedy: "" }.write_bytes(b"1").unwrap();
        let read = |kind| SavedState { path: &path, kind, remedy: "delete it" }.read_bytes();
        let error = read(StateKind { name: "other", ..KIND }).unwrap_err().to_string();
        assert!(error.contains("it holds test numbers, not other"), "{error}");
        let error = read(StateKind { version: 4, ..KIND }).unwrap_err().to_string();
        assert!(error.contains("its form has version 3, and this Arcuate reads version 4"), "{error}");
    }
}

//! SHA-256 checksums of input files.

use arcuate_core::{Error, Result};
use arcuate_io::Watch;
use arcuate_io::{hexadecimal, open_file};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An input file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Path as text. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 checksum, in hexadecimal digits.
    pub sha256: String,
}

/// Checksums of input files.
///
/// An input file is read once for its data and once for its checksum. If the file changed in between, the
/// checksum would not belong to the data. A [`Watch`] detects such a change and reports it as an error.
#[derive(Debug, Default)]
pub struct Checksums {
    known: BTreeMap<PathBuf, Input>,
    watch: Watch,
}

impl Checksums {
    /// Creates an empty list of checksums. `watch` detects input files that change during the work.
    pub fn new(watch: &Watch) -> Self {
        Self { known: BTreeMap::new(), watch: watch.clone() }
    }

    /// Forgets the checksums.
    pub fn clear(&mut self) {
        self.known.clear();
    }

    /// Returns the path, the size and the checksum of each input file.
    pub fn of(&mut self, paths: &[PathBuf]) -> Result<Vec<Input>> {
        use rayon::prelude::*;
        let new: Vec<&PathBuf> = paths.iter().filter(|path| !self.known.contains_key(*path)).collect();
        let computed: Result<Vec<Input>> = new.par_iter().map(|path| input(path)).collect();
        // A changed input file is reported before any other error. If an input file was deleted during the
        // work, the error thus states that it changed, and not that it cannot be read.
        self.watch.require_unchanged()?;
        self.known.extend(new.into_iter().cloned().zip(computed?));
        Ok(paths.iter().map(|path| self.known[path].clone()).collect())
    }
}

/// Returns the current checksum of a file.
pub fn checksum_of(path: &Path) -> Result<String> {
    Ok(input(path)?.sha256)
}

/// Returns the file whose checksum identifies an input. If the input is a `.trx` folder, this is its header
/// file. If not, this is the input file itself.
fn standing_for(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("header.json") } else { path.to_owned() }
}

fn input(path: &Path) -> Result<Input> {
    let file = standing_for(path);
    let refuse = |e| Error::read(&file, e);
    let mut open = open_file(&file)?;
    let mut hash = Sha256::new();
    let (mut bytes, mut buffer) = (0, vec![0; 1 << 20]);
    loop {
        let read = open.read(&mut buffer).map_err(refuse)?;
        if read == 0 {
            break;
        }
        hash.update(&buffer[..read]);
        bytes += read as u64;
    }
    Ok(Input { path: path.to_string_lossy().into_owned(), bytes, sha256: hexadecimal(&hash.finalize()) })
}

/// Returns the SHA-256 checksum of bytes, in hexadecimal digits.
pub(crate) fn sha256_of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_depend_on_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "abc").unwrap();
        let input = &Checksums::default().of(&[path]).unwrap()[0];
        assert_eq!(input.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(input.bytes, 3);
    }
}

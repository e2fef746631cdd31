//! SHA-256 of the files that went into a result.

use arcuate_core::{Error, Result};
use arcuate_io::Watch;
use arcuate_io::{hexadecimal, open_file};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file that went in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// As text: a path that is no UTF-8 is shown with its other bytes replaced.
    pub path: String,
    /// How long it is.
    pub bytes: u64,
    /// In hexadecimal digits.
    pub sha256: String,
}

/// Checksums of files that were read.
///
/// A file is read for its data and for its checksum. If it was changed between the two, the checksum would not be
/// that of the data, so that this is an error: a [`Watch`] knows the version that the data are of.
#[derive(Debug, Default)]
pub struct Checksums {
    known: BTreeMap<PathBuf, Input>,
    watch: Watch,
}

impl Checksums {
    /// Checksums of the files that a call reads.
    pub fn new(watch: &Watch) -> Self {
        Self { known: BTreeMap::new(), watch: watch.clone() }
    }

    /// Forgets the checksums.
    pub fn clear(&mut self) {
        self.known.clear();
    }

    /// Size and checksum of files that were read.
    pub fn of(&mut self, paths: &[PathBuf]) -> Result<Vec<Input>> {
        use rayon::prelude::*;
        let new: Vec<&PathBuf> = paths.iter().filter(|path| !self.known.contains_key(*path)).collect();
        let computed: Result<Vec<Input>> = new.par_iter().map(|path| input(path)).collect();
        // Before any other error: a file that has gone meanwhile was changed, too.
        self.watch.require_unchanged()?;
        self.known.extend(new.into_iter().cloned().zip(computed?));
        Ok(paths.iter().map(|path| self.known[path].clone()).collect())
    }
}

/// The checksum of a file as it is now.
pub fn checksum_of(path: &Path) -> Result<String> {
    Ok(input(path)?.sha256)
}

/// Of a `.trx` folder, whose parts are many, its header.
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

/// The SHA-256 of some bytes, in hexadecimal digits.
pub(crate) fn sha256_of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "abc").unwrap();
        let input = &Checksums::default().of(&[path]).unwrap()[0];
        assert_eq!(input.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(input.bytes, 3);
    }
}

//! SHA-256 of the files that went into a result.

use crate::record::Input;
use arcuate_core::{Error, Result};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What tells that a file was not changed: its size and when it was written.
type Version = (u64, Option<SystemTime>);

/// The versions of files when their reading began, and checksums of those that were read.
///
/// A file is read for its data and for its checksum. Where it was changed between the two, the checksum would not be
/// that of the data, so that this is an error.
#[derive(Debug, Default)]
pub(crate) struct Checksums {
    seen: BTreeMap<PathBuf, Version>,
    known: BTreeMap<PathBuf, Input>,
}

impl Checksums {
    /// Notes which version of files will be read.
    pub(crate) fn watch(&mut self, paths: &[PathBuf]) {
        for path in paths {
            if let Ok(metadata) = standing_for(path).metadata() {
                self.seen.entry(path.clone()).or_insert_with(|| version(&metadata));
            }
        }
    }

    /// Size and checksum of files that were read.
    pub(crate) fn of(&mut self, paths: &[PathBuf]) -> Result<Vec<Input>> {
        use rayon::prelude::*;
        let new: Vec<&PathBuf> = paths.iter().filter(|path| !self.known.contains_key(*path)).collect();
        let computed: Vec<Input> =
            new.par_iter().map(|path| input(path, self.seen.get(*path))).collect::<Result<_>>()?;
        self.known.extend(new.into_iter().cloned().zip(computed));
        Ok(paths.iter().map(|path| self.known[path].clone()).collect())
    }
}

fn version(metadata: &Metadata) -> Version {
    (metadata.len(), metadata.modified().ok())
}

/// Of a `.trx` folder, whose parts are many, its header.
fn standing_for(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("header.json") } else { path.to_owned() }
}

fn input(path: &Path, seen: Option<&Version>) -> Result<Input> {
    let file = standing_for(path);
    let refuse = |e| Error::read(&file, e);
    let mut open = std::fs::File::open(&file).map_err(refuse)?;
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
    let now = version(&open.metadata().map_err(refuse)?);
    if seen.is_some_and(|seen| *seen != now) {
        let problem = "it was changed while it was read";
        return Err(Error::invalid(path.display(), problem, "run the command again when it is complete"));
    }
    let mut sha256 = String::new();
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(sha256, "{byte:02x}");
    }
    Ok(Input { path: path.to_string_lossy().into_owned(), bytes, sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changes_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "abc").unwrap();
        let paths = [path.clone()];
        let mut checksums = Checksums::default();
        checksums.watch(&paths);
        let input = &checksums.of(&paths).unwrap()[0];
        assert_eq!(input.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(input.bytes, 3);

        let mut checksums = Checksums::default();
        checksums.watch(&paths);
        std::fs::write(&path, "abcd").unwrap();
        let error = checksums.of(&paths).unwrap_err().to_string();
        assert!(error.contains("a.txt: it was changed while it was read; run"), "{error}");
    }
}

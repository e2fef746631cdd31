//! The one place of this crate that maps files into memory.
#![allow(unsafe_code)]

use arcuate_core::{Error, Result};
use std::fs::File;
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file, read from disk when they are first touched.
#[derive(Debug)]
pub(crate) struct Mapped(memmap2::Mmap);

/// Maps the whole of `path`.
pub(crate) fn map(path: &Path) -> Result<Mapped> {
    let file = File::open(path).map_err(|e| Error::read(path, e))?;
    let metadata = file.metadata().map_err(|e| Error::read(path, e))?;
    if metadata.is_dir() {
        return Err(Error::invalid(path.display(), "it is a folder, not a file", "name a file inside it"));
    }
    // SAFETY: the mapping is read-only and private to this process, and lives as long as its owner. What no process can
    // rule out is that another one truncates or rewrites the file meanwhile; scans and tractograms are not written while
    // they are read, our own writers replace files by renaming (the old bytes stay mapped), and every byte pattern is
    // a valid `u8`.
    let bytes = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| Error::read(path, e))?;
    Ok(Mapped(bytes))
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_mapped_whole_even_empty_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        std::fs::write(&path, b"abc").unwrap();
        assert_eq!(&*map(&path).unwrap(), b"abc");
        std::fs::write(&path, b"").unwrap();
        assert_eq!(&*map(&path).unwrap(), b"");
    }

    #[test]
    fn what_cannot_be_mapped_is_named() {
        let error = map(Path::new("no-such-file.nii")).unwrap_err();
        assert_eq!(error.to_string(), "no-such-file.nii: no such file; check the path");
        let folder = tempfile::tempdir().unwrap();
        let error = map(folder.path()).unwrap_err();
        let expected =
            format!("{}: it is a folder, not a file; name a file inside it", folder.path().display());
        assert_eq!(error.to_string(), expected);
    }
}

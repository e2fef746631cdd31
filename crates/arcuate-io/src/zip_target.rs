//! Files into which zip archives are written.

use crate::AtomicFile;
use arcuate_core::{Error, Result};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// The file below a `ZipWriter`. When that is dropped after a failure (a full disk), it tries to complete the archive
/// all the same and complains on standard error if it cannot. The first failure has been reported; after it, this
/// pretends to work, while the temporary file goes away: who writes finishes no file that has failed.
#[derive(Debug)]
pub(crate) struct ZipTarget {
    pub(crate) file: AtomicFile,
    has_failed: bool,
    /// Where the next byte goes, or would go.
    position: u64,
}

impl ZipTarget {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        Ok(Self { file: AtomicFile::create(path)?, has_failed: false, position: 0 })
    }
}

impl Write for ZipTarget {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = if self.has_failed {
            bytes.len()
        } else {
            self.file.write(bytes).inspect_err(|_| self.has_failed = true)?
        };
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if self.has_failed { Ok(()) } else { self.file.flush().inspect_err(|_| self.has_failed = true) }
    }
}

impl Seek for ZipTarget {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.position = match to {
            SeekFrom::Start(place) if self.has_failed => place,
            _ if self.has_failed => self.position,
            _ => self.file.seek(to).inspect_err(|_| self.has_failed = true)?,
        };
        Ok(self.position)
    }
}

/// What to say where an archive cannot be written.
pub(crate) fn failed(path: &Path, error: zip::result::ZipError) -> Error {
    match error {
        zip::result::ZipError::Io(error) => Error::write(path, error),
        other => Error::write(path, std::io::Error::other(other)),
    }
}

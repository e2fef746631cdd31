//! Files for zip archives.

use crate::AtomicFile;
use arcuate_core::{Error, Result};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use zip::ZipWriter;

/// Writes a zip archive to a file.
///
/// Dropping a `ZipWriter` completes its archive, and prints a message to standard error if that fails. But
/// after an error (for example a full disk), nobody needs the archive, and the error has already been
/// reported. If this value is dropped before the archive is finished, nothing more is therefore written, and
/// the temporary file is removed.
#[derive(Debug)]
pub(crate) struct ZipFile {
    // The fields of this type are dropped in this order: first the file below the writer is closed for
    // writing, then the writer is dropped.
    abandon: Abandon,
    pub(crate) writer: ZipWriter<ZipTarget>,
}

impl ZipFile {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let is_closed = Arc::new(AtomicBool::new(false));
        let target =
            ZipTarget { file: AtomicFile::create(path)?, is_closed: Arc::clone(&is_closed), position: 0 };
        Ok(Self { abandon: Abandon(is_closed), writer: ZipWriter::new(target) })
    }

    /// Completes the archive. The returned file still has its temporary name.
    pub(crate) fn finish(self, path: &Path) -> Result<AtomicFile> {
        let Self { abandon, writer } = self;
        let target = writer.finish().map_err(|e| failed(path, e))?;
        drop(abandon);
        Ok(target.file)
    }
}

/// Closes the target when it is dropped.
#[derive(Debug)]
struct Abandon(Arc<AtomicBool>);

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The file to which a `ZipWriter` writes. It is closed after a failed write, or if the archive is abandoned.
/// After that, it accepts all bytes but writes nothing.
#[derive(Debug)]
pub(crate) struct ZipTarget {
    file: AtomicFile,
    is_closed: Arc<AtomicBool>,
    /// The offset of the next byte.
    position: u64,
}

impl ZipTarget {
    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Returns the result of an operation on the file unchanged. If it is an error, closes the file for
    /// further writing.
    fn checked<T>(&self, result: std::io::Result<T>) -> std::io::Result<T> {
        result.inspect_err(|_| self.is_closed.store(true, Ordering::Relaxed))
    }
}

impl Write for ZipTarget {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = if self.is_closed() {
            bytes.len()
        } else {
            let result = self.file.write(bytes);
            self.checked(result)?
        };
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if self.is_closed() {
            return Ok(());
        }
        let result = self.file.flush();
        self.checked(result)
    }
}

impl Seek for ZipTarget {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.position = match to {
            SeekFrom::Start(place) if self.is_closed() => place,
            _ if self.is_closed() => self.position,
            _ => {
                let result = self.file.seek(to);
                self.checked(result)?
            }
        };
        Ok(self.position)
    }
}

/// Creates the error about a zip archive that cannot be written.
pub(crate) fn failed(path: &Path, error: zip::result::ZipError) -> Error {
    match error {
        zip::result::ZipError::Io(error) => Error::write(path, error),
        other => Error::write(path, std::io::Error::other(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zip::write::SimpleFileOptions;

    #[test]
    fn abandoned_archives_write_nothing_more() {
        let folder = tempfile::tempdir().unwrap();
        let mut archive = ZipFile::create(&folder.path().join("a.trx")).unwrap();
        archive
            .writer
            .start_file(
                "entry",
                SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored),
            )
            .unwrap();
        archive.writer.write_all(b"bytes").unwrap();
        let ZipFile { abandon, mut writer } = archive;
        drop(abandon);
        // After a failure, dropping the writer completes the archive. This test does the same and checks that
        // nothing is written to the file.
        writer.write_all(&vec![0; 1 << 20]).unwrap();
        let mut target = writer.finish().unwrap();
        assert!(target.position > 1 << 20, "{}", target.position);
        let written = target.file.file().unwrap().metadata().unwrap().len();
        assert!(written < 1000, "{written}");
        drop(target);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

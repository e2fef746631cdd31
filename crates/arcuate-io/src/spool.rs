//! Stores bytes temporarily, in memory or, if there are too many, in a file.

use arcuate_core::{Error, Result};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::SpooledTempFile;

/// Number of bytes that are kept in memory before a temporary file is created.
const IN_MEMORY: usize = 1 << 18;
/// Number of bytes that are read from the temporary file at a time. It is a multiple of the size of every
/// number type.
const PART: usize = 1 << 16;

/// Stores bytes that come after counts or sizes in an output file, as long as these counts or sizes are not
/// known. At first the bytes are kept in memory. If there are too many, they are written to a temporary file
/// without a name, in the folder of the output file.
#[derive(Debug)]
pub(crate) struct Spool {
    /// The path of the final file.
    path: PathBuf,
    file: SpooledTempFile,
    bytes: u64,
}

impl Spool {
    pub(crate) fn new(path: &Path) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self { path: path.to_owned(), file: tempfile::spooled_tempfile_in(IN_MEMORY, folder), bytes: 0 }
    }

    /// Adds bytes to the storage.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|e| Error::write(&self.path, e))
    }

    /// Passes all stored bytes in order to the function `take`, in several pieces. Each piece except the last
    /// one has a multiple of 8 bytes.
    pub(crate) fn read(mut self, take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.pass(take)
    }

    /// Passes all stored bytes to the function `take` like [`read`](Self::read). The caller can repeat this,
    /// but must not add bytes afterwards.
    pub(crate) fn pass(&mut self, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let failed = |e| Error::read(&self.path, e);
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let mut buffer = vec![0; PART];
        let mut left = self.bytes;
        while left > 0 {
            let part = &mut buffer[..left.min(PART as u64) as usize];
            self.file.read_exact(part).map_err(failed)?;
            left -= part.len() as u64;
            take(part)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_in_order_and_the_file_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        for count in [0u32, 5, 1 << 17] {
            let mut spool = Spool::new(&folder.path().join("a.trx"));
            for number in 0..count {
                spool.write(&number.to_le_bytes()).unwrap();
            }
            let mut bytes = 0;
            spool
                .pass(|part| {
                    bytes += part.len();
                    Ok(())
                })
                .unwrap();
            assert_eq!(bytes, 4 * count as usize);
            let mut next = 0u32;
            spool
                .read(|bytes| {
                    for number in bytes.as_chunks::<4>().0 {
                        assert_eq!(u32::from_le_bytes(*number), next);
                        next += 1;
                    }
                    Ok(())
                })
                .unwrap();
            assert_eq!(next, count);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

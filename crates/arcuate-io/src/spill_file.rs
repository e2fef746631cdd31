//! Stores data that are too large for memory in a temporary file without a name.

use arcuate_core::{Error, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes in a temporary file without a name. The file disappears when the program ends, even if it is killed.
/// It is created when the first bytes are appended.
#[derive(Debug)]
pub struct SpillFile {
    folder: PathBuf,
    file: Option<File>,
    bytes: u64,
}

impl SpillFile {
    /// Prepares an empty temporary file, which will be created in `folder` when the first bytes are appended.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), file: None, bytes: 0 }
    }

    /// Number of bytes in the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends bytes to the temporary file. Returns an error if the bytes cannot be written.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let failed = |e| Error::write(&self.folder, e);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.folder).map_err(failed)?),
        };
        file.seek(SeekFrom::Start(self.bytes)).map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Fills `out` with bytes of the temporary file, starting at byte `place`.
    ///
    /// Returns an error if the temporary file ends before `out` is filled.
    pub fn read_at(&mut self, place: u64, out: &mut [u8]) -> Result<()> {
        let failed = |e| Error::read(&self.folder, e);
        match &mut self.file {
            Some(file) => {
                file.seek(SeekFrom::Start(place)).map_err(failed)?;
                file.read_exact(out).map_err(failed)
            }
            None if out.is_empty() => Ok(()),
            None => Err(failed(std::io::ErrorKind::UnexpectedEof.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_where_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = SpillFile::new(folder.path());
        file.read_at(0, &mut []).unwrap();
        assert!(file.read_at(0, &mut [0]).unwrap_err().to_string().contains("cannot be read"));
        file.append(b"abc").unwrap();
        let mut two = [0; 2];
        file.read_at(1, &mut two).unwrap();
        assert_eq!(&two, b"bc");
        // The test reads at some position first. Bytes are still appended at the end of the file.
        file.read_at(0, &mut two).unwrap();
        file.append(b"de").unwrap();
        file.read_at(2, &mut two).unwrap();
        assert_eq!((&two, file.bytes()), (b"cd", 5));
        assert!(file.read_at(4, &mut two).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it has no name");
    }

    #[test]
    fn missing_folders_are_reported() {
        let mut file = SpillFile::new(Path::new("/no/such/folder"));
        let error = file.append(b"a").unwrap_err();
        assert!(error.to_string().starts_with("/no/such/folder: "), "{error}");
    }
}

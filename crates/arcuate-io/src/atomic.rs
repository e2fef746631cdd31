use arcuate_core::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that appears under its name only when it is complete.
///
/// Bytes go to a temporary file beside the target; [`finish`](Self::finish) renames it. Dropped before that, nothing
/// remains, and a file that was there before is untouched.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    writer: BufWriter<tempfile::NamedTempFile>,
}

impl AtomicFile {
    /// Begins a file at `path`, whose folder must exist.
    pub fn create(path: &Path) -> Result<Self> {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".arcuate-").suffix(".partial");
        // Temporary files are private by default; a result is as readable as any file its user makes.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(|e| Error::write(path, e))?;
        Ok(Self { path: path.to_owned(), writer: BufWriter::with_capacity(1 << 20, file) })
    }

    /// The name the file will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the file complete under its name.
    pub fn finish(self) -> Result<()> {
        let Self { path, writer } = self;
        let file = writer.into_inner().map_err(|e| Error::write(&path, e.into_error()))?;
        file.persist(&path).map_err(|e| Error::write(&path, e.error))?;
        Ok(())
    }

    /// The open file, for writers that must go back (to put a count into a header).
    pub fn file(&mut self) -> Result<&mut File> {
        let path = &self.path;
        self.writer.flush().map_err(|e| Error::write(path, e))?;
        Ok(self.writer.get_mut().as_file_mut())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

impl std::io::Seek for AtomicFile {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.writer.flush()?;
        self.writer.get_mut().as_file_mut().seek(to)
    }
}

/// Writes a whole small file at once.
pub fn write_file(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(contents.as_ref()).map_err(|e| Error::write(path, e))?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_half_written_remains() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.txt");
        write_file(&path, "old").unwrap();
        let mut unfinished = AtomicFile::create(&path).unwrap();
        unfinished.write_all(b"new").unwrap();
        drop(unfinished);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        write_file(&path, "new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = write_file(Path::new("no-such-folder/result.txt"), "x").unwrap_err();
        assert_eq!(
            error.to_string(),
            "no-such-folder/result.txt: its folder does not exist; create the folder or choose another"
        );
    }
}

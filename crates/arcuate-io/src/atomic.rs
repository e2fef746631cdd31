use crate::claims;
use crate::complete::Complete;
use crate::unfinished;
use arcuate_core::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// An output file that appears under its final name only when its content is complete.
///
/// Bytes are written to a temporary file in the folder of the final file. [`finish`](Self::finish) waits
/// until the bytes are on the disk, and then renames the temporary file. If this value is dropped before
/// that, the temporary file is removed, and an earlier file with the final name is unchanged. A program that
/// is asked to stop calls [`remove_unfinished`](crate::remove_unfinished) to remove its temporary files.
/// [`remove_abandoned`](crate::remove_abandoned) removes the temporary files of programs that were killed.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    /// The temporary file; `None` once the file is finished.
    writer: Option<BufWriter<NamedTempFile>>,
}

impl AtomicFile {
    /// Creates the temporary file for an output file with the final path `path`. The folder of `path` must
    /// exist.
    pub fn create(path: &Path) -> Result<Self> {
        let make = |folder: &Path| unfinished::builder(0o666).tempfile_in(folder);
        let lock = |file: &NamedTempFile| file.as_file().try_lock().is_ok();
        let file = unfinished::begin(path, make, NamedTempFile::path, lock)?;
        Ok(Self { path: path.to_owned(), writer: Some(BufWriter::with_capacity(1 << 20, file)) })
    }

    /// The final path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Completes the file and renames it to its final name. The content is on the disk before the file is
    /// renamed. Network disks may report errors only when a file is synchronised or closed; these errors are
    /// returned here.
    ///
    /// Returns an error if an input file of the running command has changed since the command read it
    /// ([`Watch`](crate::Watch)).
    pub fn finish(self) -> Result<()> {
        finish_together(vec![self])
    }

    /// Writes all buffered bytes to the temporary file, so that only the rename to the final name is missing.
    fn complete(mut self) -> Result<Complete> {
        #[expect(
            clippy::expect_used,
            reason = "only this function and `drop` take the writer, each at the end"
        )]
        let writer = self.writer.take().expect("an unfinished file has a writer");
        let path = std::mem::take(&mut self.path);
        match writer.into_inner() {
            Ok(file) => Ok(Complete::file(path, file)),
            Err(error) => {
                let (error, writer) = error.into_parts();
                // Dropping `self` removes the temporary file.
                (self.path, self.writer) = (path, Some(writer));
                Err(Error::write(&self.path, error))
            }
        }
    }

    /// Returns the open temporary file. With it, a writer can return to an earlier position, for example to
    /// write the number of streamlines into the header.
    pub fn file(&mut self) -> Result<&mut File> {
        let path = self.path.clone();
        self.writer().flush().map_err(|e| Error::write(&path, e))?;
        Ok(self.writer().get_mut().as_file_mut())
    }

    #[expect(clippy::expect_used, reason = "only `complete` and `drop` take the writer, each at the end")]
    fn writer(&mut self) -> &mut BufWriter<NamedTempFile> {
        self.writer.as_mut().expect("an unfinished file has a writer")
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer().flush()
    }
}

impl std::io::Seek for AtomicFile {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.writer().flush()?;
        self.writer().get_mut().as_file_mut().seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        let Some(writer) = self.writer.take() else { return };
        // The buffered bytes are not written, because the temporary file is removed.
        let (file, _) = writer.into_parts();
        let mut unfinished = unfinished::unfinished();
        unfinished.remove(file.path());
        drop(file);
    }
}

/// Completes several files that belong together and renames them to their final names. The contents of all
/// files are on the disk before the first file is renamed. Therefore, if the disk is full, none of the files
/// appears. If one file cannot be renamed, all earlier files are restored under their names.
pub fn finish_together(files: Vec<AtomicFile>) -> Result<()> {
    claims::finish(files.into_iter().map(AtomicFile::complete).collect::<Result<_>>()?)
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
    fn unfinished_files_are_removed() {
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
    fn grouped_files_appear_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |name: &str| {
            let mut file = AtomicFile::create(&folder.path().join(name)).unwrap();
            file.write_all(name.as_bytes()).unwrap();
            file
        };
        // A folder already has the final name of the second file. A file cannot replace a folder.
        std::fs::create_dir(folder.path().join("b")).unwrap();
        finish_together(vec![begin("a"), begin("b"), begin("c")]).unwrap_err();
        let names = || {
            let names = folder.path().read_dir().unwrap().map(|e| e.unwrap().file_name());
            let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
            names.sort();
            names
        };
        assert_eq!(names(), ["b"]);
        finish_together(vec![begin("a"), begin("c")]).unwrap();
        assert_eq!(names(), ["a", "b", "c"]);
        assert_eq!(std::fs::read(folder.path().join("c")).unwrap(), b"c");
    }

    #[test]
    fn replaced_files_are_restored_if_another_file_fails() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write_file(&at("a"), "old").unwrap();
        std::fs::create_dir(at("b")).unwrap();
        let files = ["a", "b"].map(|name| {
            let mut file = AtomicFile::create(&at(name)).unwrap();
            file.write_all(b"new").unwrap();
            file
        });
        finish_together(files.into()).unwrap_err();
        assert_eq!(std::fs::read(at("a")).unwrap(), b"old");
        assert_eq!(folder.path().read_dir().unwrap().count(), 2);
    }

    #[test]
    fn late_disk_errors_keep_the_old_file() {
        use crate::disk::faults::{Call, Fault, add};
        /// The Linux error number for an exceeded disk quota. Network disks report this error when a file is
        /// synchronised or closed.
        const EDQUOT: i32 = 122;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.txt");
        write_file(&path, "old").unwrap();
        add(Call::Synchronise, folder.path(), 0, Fault::Fails(EDQUOT));
        let error = write_file(&path, "new").unwrap_err().to_string();
        assert!(error.contains("result.txt"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn missing_folders_are_reported() {
        let error = write_file(Path::new("no-such-folder/result.txt"), "x").unwrap_err();
        assert_eq!(
            error.to_string(),
            "no-such-folder/result.txt: its folder does not exist; create the folder or choose another"
        );
    }
}

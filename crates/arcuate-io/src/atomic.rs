use crate::claims;
use crate::complete::Complete;
use crate::unfinished;
use arcuate_core::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that appears under its name only when it is complete.
///
/// Bytes are written to a temporary file next to the target. [`finish`](Self::finish) waits until the bytes
/// are on the disk, and renames the temporary file. If the value is dropped before that, the temporary file
/// is removed and an earlier file of the name is unchanged. A program that is asked to stop calls
/// [`remove_unfinished`](crate::remove_unfinished). Files of killed programs are removed by
/// [`remove_abandoned`](crate::remove_abandoned).
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    /// The temporary file; `None` once the file is finished.
    writer: Option<BufWriter<NamedTempFile>>,
}

impl AtomicFile {
    /// Starts a file that will have the name `path`. The folder of `path` must exist.
    pub fn create(path: &Path) -> Result<Self> {
        let make = |folder: &Path| unfinished::builder(0o666).tempfile_in(folder);
        let lock = |file: &NamedTempFile| file.as_file().try_lock().is_ok();
        let file = unfinished::begin(path, make, NamedTempFile::path, lock)?;
        Ok(Self { path: path.to_owned(), writer: Some(BufWriter::with_capacity(1 << 20, file)) })
    }

    /// The name that the file will have when it is finished.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Completes the file and gives it its name. The content is on the disk before the file gets the name.
    /// Errors of late writes, which closing a file would report, are returned here.
    ///
    /// Returns an error if a file that the present call reads has changed ([`Watch`](crate::Watch)).
    pub fn finish(self) -> Result<()> {
        finish_together(vec![self])
    }

    /// Writes all buffered bytes, so that the file only waits for its name.
    fn complete(mut self) -> Result<Complete> {
        let writer = self.writer.take().expect("it is there until it is finished");
        let path = std::mem::take(&mut self.path);
        match writer.into_inner() {
            Ok(file) => Ok(Complete::file(path, file)),
            Err(error) => {
                let (error, writer) = error.into_parts();
                // The temporary file is removed when this value is dropped.
                (self.path, self.writer) = (path, Some(writer));
                Err(Error::write(&self.path, error))
            }
        }
    }

    /// Returns the open file, for writers that must return to an earlier position, for example to write a
    /// count into the header.
    pub fn file(&mut self) -> Result<&mut File> {
        let path = self.path.clone();
        self.writer().flush().map_err(|e| Error::write(&path, e))?;
        Ok(self.writer().get_mut().as_file_mut())
    }

    fn writer(&mut self) -> &mut BufWriter<NamedTempFile> {
        self.writer.as_mut().expect("it is there until it is finished")
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
        // Buffered bytes are discarded, since the file is removed.
        let (file, _) = writer.into_parts();
        let mut unfinished = unfinished::unfinished();
        unfinished.remove(file.path());
        drop(file);
    }
}

/// Completes several files that belong together and gives them their names. The content of all files is on
/// the disk before the first one gets its name. So if the disk is full, none of the files appears. If one
/// file cannot get its name, the earlier files of all names are restored.
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
    fn files_that_belong_together_appear_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |name: &str| {
            let mut file = AtomicFile::create(&folder.path().join(name)).unwrap();
            file.write_all(name.as_bytes()).unwrap();
            file
        };
        // The second name belongs to a folder, which a file cannot replace.
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
    fn a_file_that_was_replaced_is_back_if_another_cannot_be() {
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
    fn a_late_error_of_the_disk_is_an_error_and_leaves_the_older_file() {
        use crate::disk::faults::{Call, Fault, add};
        /// The error number of an exceeded quota. Network disks report it when a file is synchronised or
        /// closed.
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
    fn a_missing_folder_is_named() {
        let error = write_file(Path::new("no-such-folder/result.txt"), "x").unwrap_err();
        assert_eq!(
            error.to_string(),
            "no-such-folder/result.txt: its folder does not exist; create the folder or choose another"
        );
    }
}

use crate::claims;
use crate::complete::Complete;
use crate::unfinished;
use arcuate_core::Result;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that appears under its name only when it is complete, as [`AtomicFile`](crate::AtomicFile) does for files.
///
/// Files are written to a temporary folder next to the target. [`finish`](Self::finish) waits until the files
/// are on the disk, and renames the temporary folder. If the value is dropped before that, the temporary
/// folder is removed and an earlier result is unchanged.
#[derive(Debug)]
pub(crate) struct AtomicFolder {
    path: PathBuf,
    /// The temporary folder with a lock that marks it as being written; `None` once the folder is finished.
    temporary: Option<(TempDir, Option<File>)>,
}

impl AtomicFolder {
    /// Starts a folder that will have the name `path`. The parent folder of `path` must exist.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let make = |parent: &Path| {
            let folder = unfinished::builder(0o777).tempdir_in(parent)?;
            // Not every system can open a folder, so there may be no lock.
            let lock = File::open(folder.path()).ok();
            Ok((folder, lock))
        };
        let lock =
            |(_, lock): &(TempDir, Option<File>)| lock.as_ref().is_some_and(|file| file.try_lock().is_ok());
        let temporary = unfinished::begin(path, make, |(folder, _)| folder.path(), lock)?;
        Ok(Self { path: path.to_owned(), temporary: Some(temporary) })
    }

    /// The temporary folder in which the result's files are written.
    pub(crate) fn inside(&self) -> &Path {
        self.temporary.as_ref().expect("it is there until it is finished").0.path()
    }

    /// Completes the folder, gives it its name, and replaces a file or folder of that name. If the file
    /// system can exchange two names, the name exists at all times.
    ///
    /// Returns an error if a file that the present call reads has changed.
    pub(crate) fn finish(mut self) -> Result<()> {
        let (folder, lock) = self.temporary.take().expect("it is there until it is finished");
        let path = std::mem::take(&mut self.path);
        claims::finish(vec![Complete::folder(path, folder, lock)])
    }
}

impl Drop for AtomicFolder {
    fn drop(&mut self) {
        let Some((temporary, _lock)) = self.temporary.take() else { return };
        let mut unfinished = unfinished::unfinished();
        unfinished.remove(temporary.path());
        drop(temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_what_was_there_only_when_finished() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out.trx");
        for (round, contents) in ["first", "second"].iter().enumerate() {
            let folder = AtomicFolder::create(&path).unwrap();
            std::fs::write(folder.inside().join("a"), contents).unwrap();
            assert_eq!(path.exists(), round > 0);
            folder.finish().unwrap();
            assert_eq!(std::fs::read_to_string(path.join("a")).unwrap(), *contents);
        }
        let unfinished = AtomicFolder::create(&path).unwrap();
        drop(unfinished);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
        // A folder also replaces a file of its name.
        let file = parent.path().join("file.trx");
        std::fs::write(&file, "x").unwrap();
        AtomicFolder::create(&file).unwrap().finish().unwrap();
        assert!(file.is_dir());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 2);
    }
}

use crate::claims;
use crate::complete::Complete;
use crate::unfinished;
use arcuate_core::Result;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that appears under its name only when it is complete, as [`AtomicFile`](crate::AtomicFile) does for files.
///
/// Files go into a temporary folder beside the target; [`finish`](Self::finish) synchronises and renames it. Dropped before that,
/// nothing remains, and what was there before is untouched.
#[derive(Debug)]
pub(crate) struct AtomicFolder {
    path: PathBuf,
    /// Until it is finished, with the lock that shows that it is being written.
    temporary: Option<(TempDir, Option<File>)>,
}

impl AtomicFolder {
    /// Begins a folder at `path`, whose parent must exist.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let make = |parent: &Path| {
            let folder = unfinished::builder(0o777).tempdir_in(parent)?;
            // Not every system opens folders.
            let lock = File::open(folder.path()).ok();
            Ok((folder, lock))
        };
        let lock =
            |(_, lock): &(TempDir, Option<File>)| lock.as_ref().is_some_and(|file| file.try_lock().is_ok());
        let temporary = unfinished::begin(path, make, |(folder, _)| folder.path(), lock)?;
        Ok(Self { path: path.to_owned(), temporary: Some(temporary) })
    }

    /// Where its files go meanwhile.
    pub(crate) fn inside(&self) -> &Path {
        self.temporary.as_ref().expect("it is there until it is finished").0.path()
    }

    /// Makes the folder complete under its name, in the place of a file or folder of that name, which is never missing meanwhile
    /// where the file system can exchange names.
    ///
    /// Fails if an input of the call that it is a result of has changed.
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
        // A file of that name gives way too.
        let file = parent.path().join("file.trx");
        std::fs::write(&file, "x").unwrap();
        AtomicFolder::create(&file).unwrap().finish().unwrap();
        assert!(file.is_dir());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 2);
    }
}

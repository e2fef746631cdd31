use crate::claims;
use crate::complete::Complete;
use crate::unfinished;
use arcuate_core::Result;
use std::fs::File;
use std::path::Path;
use tempfile::TempDir;

/// An output folder that appears under its final name only when its content is complete.
/// [`AtomicFile`](crate::AtomicFile) does the same for files.
///
/// Files are written to a temporary folder in the parent folder of the output. [`finish`](Self::finish) waits
/// until these files are on the disk, and then renames the temporary folder. If this value is dropped before
/// that, the temporary folder is removed, and an earlier result with the final name is unchanged.
#[derive(Debug)]
pub(crate) struct AtomicFolder(Complete);

impl AtomicFolder {
    /// Creates the temporary folder for an output folder with the final path `path`. The parent folder of
    /// `path` must exist.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let make = |parent: &Path| {
            let folder = unfinished::builder(0o777).tempdir_in(parent)?;
            // Not every operating system can open a folder. If it cannot, the temporary folder has no lock.
            let lock = File::open(folder.path()).ok();
            Ok((folder, lock))
        };
        let lock =
            |(_, lock): &(TempDir, Option<File>)| lock.as_ref().is_some_and(|file| file.try_lock().is_ok());
        let (folder, lock) = unfinished::begin(path, make, |(folder, _)| folder.path(), lock)?;
        Ok(Self(Complete::folder(path.to_owned(), folder, lock)))
    }

    /// The path of the temporary folder, to which the files are written.
    pub(crate) fn inside(&self) -> &Path {
        self.0.temporary()
    }

    /// Completes the folder, renames it to its final name, and replaces a file or folder that has this name.
    /// If the file system can exchange two names, a result with the final name exists at all times.
    ///
    /// Returns an error if an input file of the running command has changed since the command read it.
    pub(crate) fn finish(self) -> Result<()> {
        claims::finish(vec![self.0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_folders_are_replaced_only_on_finish() {
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
        // The folder replaces an earlier file that has its final name.
        let file = parent.path().join("file.trx");
        std::fs::write(&file, "x").unwrap();
        AtomicFolder::create(&file).unwrap().finish().unwrap();
        assert!(file.is_dir());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 2);
    }
}

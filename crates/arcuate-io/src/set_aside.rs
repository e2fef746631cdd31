//! Keeps earlier results in a temporary folder until the new results are complete.

use crate::atomic_folder::AtomicFolder;
use arcuate_core::Result;
use std::path::{Path, PathBuf};

/// Earlier results that were moved to a temporary folder next to them. Dropping this value removes the folder
/// and the results in it.
///
/// If the program is killed, the temporary folder with the earlier results stays until
/// [`remove_abandoned`](crate::remove_abandoned) removes it.
#[derive(Debug)]
pub struct SetAside {
    folder: AtomicFolder,
    /// For each moved file, its original path and its path in the temporary folder.
    moved: Vec<(PathBuf, PathBuf)>,
}

impl SetAside {
    /// Creates the temporary folder inside `folder`.
    ///
    /// # Errors
    /// Returns an error if `folder` is not writable.
    pub fn new(folder: &Path) -> Result<Self> {
        Ok(Self { folder: AtomicFolder::create(&folder.join("earlier"))?, moved: Vec::new() })
    }

    /// Moves a file to the temporary folder. Folders are not moved.
    ///
    /// # Errors
    /// Returns an error if the file system cannot move the file to the temporary folder.
    pub fn take(&mut self, file: &Path) -> std::io::Result<()> {
        if file.symlink_metadata()?.is_dir() {
            return Err(std::io::ErrorKind::IsADirectory.into());
        }
        let aside = self.folder.inside().join(self.moved.len().to_string());
        std::fs::rename(file, &aside)?;
        self.moved.push((file.to_owned(), aside));
        Ok(())
    }

    /// Moves the files back to their original paths; the file that was moved last is first. If a new file
    /// exists at an original path, the new file stays and a warning is printed.
    pub fn put_back(mut self) {
        for (file, aside) in std::mem::take(&mut self.moved).into_iter().rev() {
            let back = || -> std::io::Result<()> {
                if file.symlink_metadata().is_ok() {
                    return Err(std::io::ErrorKind::AlreadyExists.into());
                }
                file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
                std::fs::rename(&aside, &file)
            };
            if let Err(error) = back() {
                tracing::warn!(
                    "{}: the earlier version of this result cannot be restored ({error})",
                    file.display()
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_files_are_restored_or_removed() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let content = |name: &str| std::fs::read_to_string(at(name)).ok();
        std::fs::create_dir(at("below")).unwrap();
        for name in ["a", "b", "below/c"] {
            std::fs::write(at(name), name).unwrap();
        }
        let set_aside = || {
            let mut aside = SetAside::new(root.path()).unwrap();
            assert!(aside.take(&at("below")).is_err() && aside.take(&at("none")).is_err());
            for name in ["a", "b", "below/c"] {
                aside.take(&at(name)).unwrap();
            }
            std::fs::remove_dir(at("below")).unwrap();
            aside
        };
        let aside = set_aside();
        // The temporary folder is locked, so it is not removed as abandoned while it is in use.
        crate::remove_abandoned(root.path());
        aside.put_back();
        assert_eq!(
            ["a", "b", "below/c"].map(content),
            ["a", "b", "below/c"].map(|name| Some(name.to_owned()))
        );
        let aside = set_aside();
        std::fs::write(at("b"), "new").unwrap();
        aside.put_back();
        assert_eq!(["a", "b"].map(content), ["a", "new"].map(|text| Some(text.to_owned())));
        drop(set_aside());
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    }
}

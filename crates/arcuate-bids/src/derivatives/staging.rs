//! Replaces many files as one transaction. No existing file is changed before all new files are complete.

use crate::addresses::slashed;
use arcuate_core::{Error, Result};
use arcuate_io::synchronise_folder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The names of the two subfolders of a temporary folder. `NEW` holds the new files, and `OLD` the files that
/// they replace.
const NEW: &str = "new";
const OLD: &str = "old";

/// A transaction that replaces files below a root folder. Each new file is first written to a temporary
/// folder next to its final place, so that finishing the transaction only needs renames. Dropping this value
/// before that deletes the new files.
#[derive(Debug)]
pub(super) struct Staging {
    root: PathBuf,
    /// The name of the temporary folders.
    partial_name: String,
    /// The temporary folders, each with a file lock. If a folder had no lock, a clean-up of the remains of
    /// killed programs would remove it.
    partial_folders: BTreeMap<PathBuf, Option<File>>,
    /// Final paths of the new files, relative to the root folder.
    names: Vec<PathBuf>,
}

impl Staging {
    /// Creates a transaction for files below `root`. `label` is a part of the names of the temporary folders,
    /// so two processes must not use the same label at the same time. Remains of an earlier transaction with
    /// this label are removed.
    pub(super) fn new(root: &Path, label: &str) -> Self {
        // The name of the temporary folder follows the pattern of unfinished results, so that a clean-up
        // finds it if the program is killed.
        let partial_name = format!(".arcuate-{label}.partial");
        Self { root: root.to_owned(), partial_name, partial_folders: BTreeMap::new(), names: Vec::new() }
    }

    /// Returns the final paths of the new files added so far, relative to the root folder.
    pub(super) fn names(&self) -> &[PathBuf] {
        &self.names
    }

    /// Adds a new file to the transaction. Returns the temporary path to which the caller writes the file.
    pub(super) fn place(&mut self, name: &str) -> Result<PathBuf> {
        let name = PathBuf::from(name);
        self.open_partial_folder(&name)?;
        let place = self.companion_path(&name, NEW);
        self.names.push(name);
        Ok(place)
    }

    /// Moves all new files to their final paths and returns these paths, relative to the root folder. Removes
    /// the files in `earlier`, a list from an earlier transaction, that have no new version. The paths in
    /// `earlier` may be relative to the root folder or contain it. If a rename or removal fails, all changes
    /// are undone.
    pub(super) fn exchange(mut self, earlier: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let obsolete = self.without_successor(earlier)?;
        for name in self.names.iter().chain(&obsolete) {
            require_no_folder(&self.root.join(name))?;
        }
        let names = std::mem::take(&mut self.names);
        let steps = names.iter().map(|name| (name, true)).chain(obsolete.iter().map(|name| (name, false)));
        let mut done = Vec::new();
        let folders: BTreeSet<PathBuf> = names
            .iter()
            .chain(&obsolete)
            .filter_map(|name| self.root.join(name).parent().map(Path::to_owned))
            .collect();
        let all = |staging: &mut Self, done: &mut Vec<_>| -> Result<()> {
            for (name, is_new) in steps {
                staging.step(name, is_new, done)?;
            }
            // The changed folders are synchronised with the disk once, at the end. The contents of the files
            // were synchronised when they were written.
            folders.iter().try_for_each(|folder| synchronise_folder(folder))
        };
        if let Err(error) = all(&mut self, &mut done) {
            self.undo(&done);
            return Err(error);
        }
        Ok(names)
    }

    /// Returns the files in `earlier` that exist and that no new file of the transaction replaces. Returns an
    /// error if a path in `earlier` leads outside the root folder.
    fn without_successor(&self, earlier: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
        let mut obsolete = BTreeSet::new();
        for name in earlier {
            let name = name.strip_prefix(&self.root).unwrap_or(name);
            let is_below = name.components().all(|part| matches!(part, Component::Normal(_)));
            if !is_below || name.as_os_str().is_empty() {
                let problem = format!(
                    "the record of the results lists `{}` as a result, but this path is not a file in this \
                     folder",
                    slashed(name)
                );
                let advice = "remove the results of this scan by hand";
                return Err(Error::invalid(self.root.display(), problem, advice));
            }
            if !self.names.iter().any(|new| new == name) && is_there(&self.root.join(name)) {
                obsolete.insert(name.to_owned());
            }
        }
        Ok(obsolete)
    }

    /// Does one step of the transaction, for the file with the path `name` relative to the root folder. If a
    /// file exists there, the file is saved in the temporary folder. If `is_new` is true, the new file is
    /// then moved to this path; if not, the existing file is removed. Adds `name` to `done`, together with
    /// true if an existing file was saved.
    fn step<'n>(&mut self, name: &'n Path, is_new: bool, done: &mut Vec<(&'n Path, bool)>) -> Result<()> {
        self.open_partial_folder(name)?;
        let target = self.root.join(name);
        let kept = self.companion_path(name, OLD);
        let refuse = |e| Error::write(&target, e);
        let was_there = is_there(&target);
        if was_there {
            keep(&target, &kept).map_err(refuse)?;
        }
        done.push((name, was_there));
        if is_new {
            fs::rename(self.companion_path(name, NEW), &target).map_err(refuse)
        } else {
            remove_file(&target)
        }
    }

    /// Undoes the steps of the transaction that are listed in `done`: moves the saved files back to their
    /// paths, and removes the new ones.
    fn undo(&mut self, done: &[(&Path, bool)]) {
        for (name, was_there) in done.iter().rev() {
            let target = self.root.join(name);
            let put = if *was_there {
                fs::rename(self.companion_path(name, OLD), &target)
            } else {
                fs::remove_file(&target)
            };
            if let (Err(error), true) = (put, was_there) {
                // The file could not be restored, so the temporary folder contains its only copy. The folder
                // is therefore kept, under a name that no clean-up removes.
                let partial_name = self.partial_folder_of(name);
                let kept = partial_name.with_extension("replaced");
                let place = if fs::rename(&partial_name, &kept).is_ok() { &kept } else { &partial_name };
                tracing::warn!(
                    "{}: the earlier version of this file cannot be restored ({error}); copy the earlier \
                     version from {}",
                    target.display(),
                    place.display()
                );
                self.partial_folders.remove(&partial_name);
            }
        }
    }

    fn partial_folder_of(&self, name: &Path) -> PathBuf {
        let folder = name.parent().unwrap_or(Path::new(""));
        self.root.join(folder).join(&self.partial_name)
    }

    /// Returns the path of a file in the subfolder `inside` of its temporary folder: `NEW` for the new
    /// version of the file, `OLD` for the saved earlier version.
    fn companion_path(&self, name: &Path, inside: &str) -> PathBuf {
        self.partial_folder_of(name).join(inside).join(name.file_name().unwrap_or_default())
    }

    fn open_partial_folder(&mut self, name: &Path) -> Result<()> {
        let partial_name = self.partial_folder_of(name);
        if self.partial_folders.contains_key(&partial_name) {
            return Ok(());
        }
        let folder = partial_name.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).map_err(|e| Error::write(folder, e))?;
        remove_folder(&partial_name)?;
        for inside in [NEW, OLD] {
            fs::create_dir_all(partial_name.join(inside)).map_err(|e| Error::write(&partial_name, e))?;
        }
        // Some operating systems cannot open and lock folders. On these systems, no clean-up removes
        // temporary folders.
        let lock = File::open(&partial_name).ok().filter(|folder| folder.try_lock().is_ok());
        self.partial_folders.insert(partial_name, lock);
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        for partial_name in self.partial_folders.keys() {
            // If the temporary folder cannot be removed now, the next transaction with the same label removes
            // it.
            let _ = fs::remove_dir_all(partial_name);
        }
    }
}

/// Saves the file `target` as a hard link `kept`. If the file system does not support hard links, the file is
/// copied. The file also remains at its path, so it is not lost if the program is killed.
fn keep(target: &Path, kept: &Path) -> std::io::Result<()> {
    if fs::hard_link(target, kept).is_ok() {
        return Ok(());
    }
    if target.is_symlink() {
        // A symbolic link is moved, because a copy would contain the content of the link's target.
        return fs::rename(target, kept);
    }
    fs::copy(target, kept).map(|_| ())
}

/// Returns true if a file, a folder or a symbolic link exists at this path, even if the target of the link
/// does not exist.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn require_no_folder(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        let problem = "a folder has the name of this result";
        return Err(Error::invalid(path.display(), problem, "move the folder away"));
    }
    Ok(())
}

fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::write(path, error)),
        _ => Ok(()),
    }
}

fn remove_folder(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(Error::write(path, error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the path and the content of each file below a folder.
    fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(files(&path));
            } else {
                found.insert(path.clone(), fs::read_to_string(&path).unwrap());
            }
        }
        found
    }

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn staged(root: &Path, names: &[&str]) -> Staging {
        let mut staging = Staging::new(root, "scan");
        for name in names {
            fs::write(staging.place(name).unwrap(), "new").unwrap();
        }
        staging
    }

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn staged_files_replace_old_files_together() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["x/a", "x/b", "y/c", "mine"] {
            write(&root.join(name), "old");
        }
        let staging = staged(root, &["x/a", "x/d", "e"]);
        for name in ["x/a", "x/b", "y/c"] {
            assert_eq!(fs::read_to_string(root.join(name)).unwrap(), "old", "{name} before all have names");
        }
        assert!(!root.join("e").exists());
        let mut earlier = paths(&["x/b", "gone", "x/a/gone"]);
        earlier.extend([root.join("x/a"), root.join("y/c")]);
        assert_eq!(staging.exchange(&earlier).unwrap(), paths(&["x/a", "x/d", "e"]));
        let expected = [("e", "new"), ("mine", "old"), ("x/a", "new"), ("x/d", "new")];
        assert_eq!(files(root), expected.map(|(name, text)| (root.join(name), text.to_owned())).into());
        // After a transaction no temporary folder is left, even if a killed program had left one with the
        // same label.
        write(&root.join(".arcuate-scan.partial/new/left"), "half");
        staged(root, &["e"]).exchange(&[]).unwrap();
        assert_eq!(files(root).len(), 4);
    }

    #[test]
    fn no_file_is_replaced_if_one_replacement_fails() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["a", "b", "x/c"] {
            write(&root.join(name), "old");
        }
        fs::create_dir(root.join("d")).unwrap();
        let before = files(root);
        // The transaction fails before any change if a folder has the path of a new file or of a file that
        // must be removed.
        let error = staged(root, &["a", "d", "x/c"]).exchange(&paths(&["b"])).unwrap_err();
        assert!(error.to_string().contains("d: a folder has the name of this result"), "{error}");
        staged(root, &["a"]).exchange(&paths(&["d"])).unwrap_err();
        assert_eq!(files(root), before);
        // The transaction cannot predict this failure: a new file is deleted before the transaction moves it,
        // after two other files were moved. All moves must be undone.
        let staging = staged(root, &["a", "new", "x/c"]);
        fs::remove_file(root.join("x/.arcuate-scan.partial/new/c")).unwrap();
        staging.exchange(&paths(&["b"])).unwrap_err();
        assert_eq!(files(root), before);
        drop(staged(root, &["a", "b"]));
        assert_eq!(files(root), before);
    }

    #[test]
    fn copies_do_not_move_the_source_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "old").unwrap();
        // The file cannot be saved, because neither a hard link nor a copy can be created in a folder that
        // does not exist.
        assert!(keep(&at("a"), &at("none/kept")).is_err());
        keep(&at("a"), &at("kept")).unwrap();
        for name in ["a", "kept"] {
            assert_eq!(fs::read_to_string(at(name)).unwrap(), "old", "{name}");
        }
    }

    #[test]
    fn paths_outside_the_folder_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("out");
        write(&folder.path().join("kept"), "mine");
        fs::create_dir(&root).unwrap();
        for name in ["../kept", "/kept", ".", ""] {
            let error = staged(&root, &["a"]).exchange(&[name.into()]).unwrap_err();
            assert!(
                error.to_string().contains("but this path is not a file in this folder"),
                "{name}: {error}"
            );
        }
        assert!(folder.path().join("kept").exists() && fs::read_dir(&root).unwrap().count() == 0);
    }
}

//! Replaces many files as one transaction. No existing file changes until all new files are complete.

use crate::addresses::slashed;
use arcuate_core::{Error, Result};
use arcuate_io::synchronise_folder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The two subfolders of a temporary folder. One has the new files, the other the files that they replace.
const NEW: &str = "new";
const OLD: &str = "old";

/// New files below a root folder, in temporary folders next to their final places. To finish, only renames
/// are needed. Dropping this value deletes the new files.
#[derive(Debug)]
pub(super) struct Staging {
    root: PathBuf,
    /// The name of the temporary folders.
    room: String,
    /// The temporary folders, each with its lock. If a folder had no lock, a clean-up would treat it as the
    /// remains of a killed program.
    rooms: BTreeMap<PathBuf, Option<File>>,
    /// Paths of the new files, relative to the root.
    names: Vec<PathBuf>,
}

impl Staging {
    /// Creates a transaction below a root. No other process may use the same label at the same time. Remains of an
    /// earlier transaction with this label are removed.
    pub(super) fn new(root: &Path, label: &str) -> Self {
        // The folder name follows the pattern of the names of unfinished results.
        let room = format!(".arcuate-{label}.partial");
        Self { root: root.to_owned(), room, rooms: BTreeMap::new(), names: Vec::new() }
    }

    /// Returns the paths of the new files so far, relative to the root.
    pub(super) fn names(&self) -> &[PathBuf] {
        &self.names
    }

    /// Adds a new file, and returns its temporary path.
    pub(super) fn place(&mut self, name: &str) -> Result<PathBuf> {
        let name = PathBuf::from(name);
        self.open_room(&name)?;
        let place = self.companion_path(&name, NEW);
        self.names.push(name);
        Ok(place)
    }

    /// Moves all new files to their final paths and returns these paths. Removes the files in `earlier` that
    /// have no new version. Paths in `earlier` may contain the root. If a step fails, all changes are undone.
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
            // Folders are synchronised once. The contents of the files were synchronised when they were written.
            folders.iter().try_for_each(|folder| synchronise_folder(folder))
        };
        if let Err(error) = all(&mut self, &mut done) {
            self.undo(&done);
            return Err(error);
        }
        Ok(names)
    }

    /// Returns the existing files in `earlier` that have no new version. A path that leaves the root is an
    /// error.
    fn without_successor(&self, earlier: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
        let mut obsolete = BTreeSet::new();
        for name in earlier {
            let name = name.strip_prefix(&self.root).unwrap_or(name);
            let is_below = name.components().all(|part| matches!(part, Component::Normal(_)));
            if !is_below || name.as_os_str().is_empty() {
                let problem = format!(
                    "the folder's record lists `{}`, which is not a file in this folder",
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

    /// Saves the existing file at a path. If there is a new file for this path, moves it there. Records in
    /// `done` whether an existing file was saved.
    fn step<'n>(&mut self, name: &'n Path, is_new: bool, done: &mut Vec<(&'n Path, bool)>) -> Result<()> {
        self.open_room(name)?;
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

    /// Undoes the steps in `done`: puts the saved files back at their paths.
    fn undo(&mut self, done: &[(&Path, bool)]) {
        for (name, was_there) in done.iter().rev() {
            let target = self.root.join(name);
            let put = if *was_there {
                fs::rename(self.companion_path(name, OLD), &target)
            } else {
                fs::remove_file(&target)
            };
            if let (Err(error), true) = (put, was_there) {
                // The earlier content of the file is in the temporary folder. The folder is therefore kept,
                // under a name that no clean-up removes.
                let room = self.room_of(name);
                let kept = room.with_extension("replaced");
                let place = if fs::rename(&room, &kept).is_ok() { &kept } else { &room };
                tracing::warn!(
                    "{}: the earlier file cannot be restored ({error}); copy it from {}",
                    target.display(),
                    place.display()
                );
                self.rooms.remove(&room);
            }
        }
    }

    fn room_of(&self, name: &Path) -> PathBuf {
        let folder = name.parent().unwrap_or(Path::new(""));
        self.root.join(folder).join(&self.room)
    }

    /// Returns the path of a file's new or saved version in the temporary folder.
    fn companion_path(&self, name: &Path, inside: &str) -> PathBuf {
        self.room_of(name).join(inside).join(name.file_name().unwrap_or_default())
    }

    fn open_room(&mut self, name: &Path) -> Result<()> {
        let room = self.room_of(name);
        if self.rooms.contains_key(&room) {
            return Ok(());
        }
        let folder = room.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).map_err(|e| Error::write(folder, e))?;
        remove_folder(&room)?;
        for inside in [NEW, OLD] {
            fs::create_dir_all(room.join(inside)).map_err(|e| Error::write(&room, e))?;
        }
        // Some systems cannot open and lock folders. On these systems, no clean-up treats temporary folders
        // as remains.
        let lock = File::open(&room).ok().filter(|folder| folder.try_lock().is_ok());
        self.rooms.insert(room, lock);
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        for room in self.rooms.keys() {
            // If removal fails, the next transaction with this label removes the remains.
            let _ = fs::remove_dir_all(room);
        }
    }
}

/// Saves a file by a hard link or, if the file system does not support links, by a copy. The file also
/// remains at its path, so that it survives if the program is killed.
fn keep(target: &Path, kept: &Path) -> std::io::Result<()> {
    if fs::hard_link(target, kept).is_ok() {
        return Ok(());
    }
    if target.is_symlink() {
        // A copy would have the content of the link's target instead of the link itself.
        return fs::rename(target, kept);
    }
    fs::copy(target, kept).map(|_| ())
}

/// Returns whether a file, a folder or a link exists at this path. Links are not followed.
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

    /// Returns the files below a folder and their contents.
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
    fn files_change_places_together() {
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
        let due = [("e", "new"), ("mine", "old"), ("x/a", "new"), ("x/d", "new")];
        assert_eq!(files(root), due.map(|(name, text)| (root.join(name), text.to_owned())).into());
        // No temporary folder remains, not even the folder of a program that was killed.
        write(&root.join(".arcuate-scan.partial/new/left"), "half");
        staged(root, &["e"]).exchange(&[]).unwrap();
        assert_eq!(files(root).len(), 4);
    }

    #[test]
    fn where_one_cannot_change_none_does() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["a", "b", "x/c"] {
            write(&root.join(name), "old");
        }
        fs::create_dir(root.join("d")).unwrap();
        let before = files(root);
        // The transaction fails before any change if a folder is at the path of a new file or of a file to
        // remove.
        let error = staged(root, &["a", "d", "x/c"]).exchange(&paths(&["b"])).unwrap_err();
        assert!(error.to_string().contains("d: a folder has the name of this result"), "{error}");
        staged(root, &["a"]).exchange(&paths(&["d"])).unwrap_err();
        assert_eq!(files(root), before);
        // Here, a failure occurs that cannot be predicted: a new file disappears after two files were moved.
        // All moves must be undone.
        let staging = staged(root, &["a", "new", "x/c"]);
        fs::remove_file(root.join("x/.arcuate-scan.partial/new/c")).unwrap();
        staging.exchange(&paths(&["b"])).unwrap_err();
        assert_eq!(files(root), before);
        drop(staged(root, &["a", "b"]));
        assert_eq!(files(root), before);
    }

    #[test]
    fn a_copy_keeps_the_file_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "old").unwrap();
        // Neither a link nor a copy can be created in a missing folder.
        assert!(keep(&at("a"), &at("none/kept")).is_err());
        keep(&at("a"), &at("kept")).unwrap();
        for name in ["a", "kept"] {
            assert_eq!(fs::read_to_string(at(name)).unwrap(), "old", "{name}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("out");
        write(&folder.path().join("kept"), "mine");
        fs::create_dir(&root).unwrap();
        for name in ["../kept", "/kept", ".", ""] {
            let error = staged(&root, &["a"]).exchange(&[name.into()]).unwrap_err();
            assert!(error.to_string().contains("which is not a file in this folder"), "{name}: {error}");
        }
        assert!(folder.path().join("kept").exists() && fs::read_dir(&root).unwrap().count() == 0);
    }
}

//! Renames complete output files and folders from their temporary names to their final names. Their contents
//! are on the disk before the first rename. Either all files get their final names or none does, and a copy
//! of the earlier results exists at all times.

use crate::complete::{Complete, synchronise};
use crate::disk;
use crate::recovery::{Recovery, aside, step_aside};
use crate::unfinished::{self, Unfinished, parent};
use arcuate_core::{Error, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Renames several output files that belong together to their final names, after their contents are on the
/// disk. Returns the folders in which names have changed; the caller must still synchronise these folders
/// with the disk. If one file cannot be renamed, the earlier results are restored.
pub(crate) fn publish(mut files: Vec<Complete>) -> Result<BTreeSet<PathBuf>> {
    synchronise(&files)?;
    let folders: BTreeSet<PathBuf> = files.iter().map(|file| parent(file.target()).to_owned()).collect();
    let is_there = |file: &Complete| file.target().symlink_metadata().is_ok();
    let mut exchanged = None;
    {
        // While this lock is held, a signal that stops the program waits until all files are renamed.
        let mut unfinished = unfinished::unfinished();
        match files.as_mut_slice() {
            [file] if !file.is_folder() || !is_there(file) => {
                file.take_name(&mut unfinished).map_err(|error| Error::write(file.target(), error))?;
            }
            [folder] => {
                exchanged = folder.exchange().map_err(|error| Error::write(folder.target(), error))?;
                if exchanged.is_none() {
                    replace(std::slice::from_mut(folder), &folders, &mut unfinished)?;
                }
            }
            several if several.iter().any(is_there) => replace(several, &folders, &mut unfinished)?,
            several => change_names(several, &mut unfinished, || Ok(()))?,
        }
    }
    if let Some(old) = exchanged {
        let target = files[0].target();
        // The exchange of the two names must be on the disk before the earlier result, the only other copy,
        // is removed.
        disk::synchronise_folder(parent(target)).map_err(|error| Error::write(target, error))?;
        remove_earlier(&old, target);
        unfinished::unfinished().remove(&old);
    }
    Ok(folders)
}

/// Waits until the names of the files in a folder are on the disk, if the operating system supports this. On
/// Windows, the call does nothing, because Windows journals all file names.
pub fn synchronise_folder(folder: &Path) -> Result<()> {
    disk::synchronise_folder(folder).map_err(|error| Error::write(folder, error))
}

/// Waits until the names of the files in several folders are on the disk.
pub(crate) fn synchronise_folders(folders: &BTreeSet<PathBuf>) -> Result<()> {
    folders.iter().try_for_each(|folder| synchronise_folder(folder))
}

/// Renames output files to names that earlier results have. Before this, a record is written to each folder.
/// If the program is killed, the next start of a program uses this record to complete the renames.
fn replace(files: &mut [Complete], folders: &BTreeSet<PathBuf>, unfinished: &mut Unfinished) -> Result<()> {
    let record = |folder: &PathBuf| {
        let inside = files.iter().filter(|file| parent(file.target()) == folder);
        let changes: Vec<(&Path, &Path)> = inside.map(|file| (file.temporary(), file.target())).collect();
        Recovery::begin(folder, &changes).map_err(|error| Error::write(changes[0].1, error))
    };
    // The record in each folder is removed when this value is dropped.
    let _records: Vec<Recovery> = folders.iter().map(record).collect::<Result<_>>()?;
    change_names(files, unfinished, || synchronise_folders(folders))
}

/// A final name that now belongs to a new output file, and the temporary path of the earlier result that had
/// this name.
struct Changed {
    target: PathBuf,
    aside: PathBuf,
    was_there: bool,
}

/// Renames output files to their final names one after the other, in order, and then calls `finally`. If a
/// step fails, the earlier results get their names back.
fn change_names(
    files: &mut [Complete],
    unfinished: &mut Unfinished,
    finally: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let mut changed = Vec::new();
    let work = || -> Result<()> {
        for file in &*files {
            let target = file.target();
            if target.is_dir() && !target.is_symlink() && !file.is_folder() {
                return Err(Error::write(target, std::io::ErrorKind::IsADirectory.into()));
            }
        }
        // First, the earlier results of all files except the first one are moved to temporary names. If the
        // process is killed after this, some results may be missing, but a new file never exists together
        // with an earlier one.
        for file in files.iter().skip(1).rev() {
            let (target, aside) = (file.target().to_owned(), aside(file.temporary()));
            if target.symlink_metadata().is_ok() {
                disk::rename(&target, &aside).map_err(|error| Error::write(&target, error))?;
                changed.push(Changed { target, aside, was_there: true });
            }
        }
        for (n, file) in files.iter_mut().enumerate() {
            let (target, aside) = (file.target().to_owned(), aside(file.temporary()));
            let refuse = |error| Error::write(&target, error);
            let was_there = n == 0 && step_aside(&target, &aside).map_err(refuse)?;
            let taken = file.take_name(unfinished).map_err(refuse);
            let is_listed = n > 0 && changed.iter().any(|one: &Changed| one.target == target);
            if !is_listed && (taken.is_ok() || was_there) {
                changed.push(Changed { target, aside, was_there });
            }
            taken?;
        }
        finally()
    };
    match work() {
        Ok(()) => {
            let earlier = changed.iter().filter(|one| one.was_there);
            earlier.for_each(|one| remove_earlier(&one.aside, &one.target));
            Ok(())
        }
        Err(error) => {
            undo(&changed);
            Err(error)
        }
    }
}

/// Moves the earlier results back to their names.
fn undo(changed: &[Changed]) {
    for Changed { target, aside, was_there } in changed.iter().rev() {
        if !was_there {
            // No earlier result had this name, so the new file is removed. If that fails, the new file stays.
            let _ = disk::remove(target);
        } else if let Err(error) = put_back(aside, target) {
            tracing::warn!(
                "{}: the earlier version of this file cannot be restored ({error}); copy the earlier version \
                 from {}",
                target.display(),
                aside.display()
            );
        }
    }
}

fn put_back(aside: &Path, target: &Path) -> std::io::Result<()> {
    // The new folder must be removed first, because an earlier result cannot be renamed to the name of an
    // existing folder.
    if target.is_dir() && !target.is_symlink() {
        std::fs::remove_dir_all(target)?;
    }
    // If `aside` and `target` are two names (hard links) of the same file, the rename does nothing, and
    // `aside` must be removed.
    std::fs::rename(aside, target)?;
    if aside.symlink_metadata().is_ok() { std::fs::remove_file(aside) } else { Ok(()) }
}

/// Removes an earlier result that has been replaced. If this fails, a warning is printed, but no error is
/// returned, because the new result exists.
fn remove_earlier(earlier: &Path, target: &Path) {
    if let Err(error) = disk::remove(earlier) {
        tracing::warn!(
            "{}: the earlier version of this result is replaced, but its copy cannot be removed ({error}); \
             remove the copy {}",
            target.display(),
            earlier.display()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic_folder::AtomicFolder;
    use crate::disk::faults::{Call, Fault, add};
    use crate::{AtomicFile, finish_together, remove_abandoned};
    use std::io::Write;
    use std::process::Command;

    /// The Linux error number of a failed read or write (EIO).
    const EIO: i32 = 5;
    const EACCES: i32 = 13;
    const EINVAL: i32 = 22;
    const ENOSYS: i32 = 38;
    const EOPNOTSUPP: i32 = 95;

    /// Creates a test folder with earlier results: one result folder and two result files.
    fn old() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("a.trx")).unwrap();
        for name in ["a.trx/header.json", "a.trx/only_old", "x.bval", "x.bvec"] {
            std::fs::write(root.path().join(name), "old").unwrap();
        }
        root
    }

    fn write_folder(root: &Path) -> Result<()> {
        let folder = AtomicFolder::create(&root.join("a.trx"))?;
        std::fs::write(folder.inside().join("header.json"), "new").unwrap();
        folder.finish()
    }

    fn write_pair(root: &Path) -> Result<()> {
        let begin = |name: &str| {
            let mut file = AtomicFile::create(&root.join(name))?;
            file.write_all(b"new").unwrap();
            Ok(file)
        };
        finish_together(["x.bval", "x.bvec"].map(begin).into_iter().collect::<Result<_>>()?)
    }

    /// Lists all files below a folder, each with its content.
    fn listing(folder: &Path) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for entry in folder.read_dir().unwrap().map(std::result::Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_dir() {
                let inside = listing(&entry.path()).into_iter();
                all.extend(inside.map(|(below, text)| (format!("{name}/{below}"), text)));
            } else {
                all.push((name, std::fs::read_to_string(entry.path()).unwrap()));
            }
        }
        all.sort();
        all
    }

    /// Returns the list of files that a test expects if the folder has the content `folder` and the two files
    /// have the content `pair`.
    fn expected(folder: &str, pair: &str) -> Vec<(String, String)> {
        let mut all = vec![("a.trx/header.json", folder), ("x.bval", pair), ("x.bvec", pair)];
        if folder == "old" {
            all.insert(1, ("a.trx/only_old", folder));
        }
        all.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn folders_are_replaced_by_one_atomic_exchange() {
        let root = old();
        // The simulated file system fails at the first rename. The exchange of names does not need a rename.
        add(Call::Rename, root.path(), 0, Fault::Fails(EIO));
        write_folder(root.path()).unwrap();
        assert_eq!(listing(root.path()), expected("new", "old"));
    }

    #[test]
    #[cfg(unix)]
    fn without_an_exchange_a_folder_is_replaced_by_renames() {
        for code in [EINVAL, ENOSYS, EOPNOTSUPP] {
            let root = old();
            add(Call::Exchange, root.path(), 0, Fault::Fails(code));
            write_folder(root.path()).unwrap();
            assert_eq!(listing(root.path()), expected("new", "old"), "{code}");
        }
    }

    #[test]
    fn the_old_result_is_restored_if_renaming_fails() {
        for (exchange, successes) in [(EINVAL, 0), (EINVAL, 1), (EACCES, 0)] {
            let root = old();
            add(Call::Exchange, root.path(), 0, Fault::Fails(exchange));
            add(Call::Rename, root.path(), successes, Fault::Fails(EIO));
            let error = write_folder(root.path()).unwrap_err().to_string();
            assert!(error.contains("a.trx: "), "{error}");
            assert_eq!(listing(root.path()), expected("old", "old"), "{exchange} {successes}");
        }
        for successes in 0..2 {
            let root = old();
            add(Call::Rename, root.path(), successes, Fault::Fails(EIO));
            write_pair(root.path()).unwrap_err();
            assert_eq!(listing(root.path()), expected("old", "old"), "{successes}");
        }
    }

    #[test]
    fn earlier_results_that_cannot_be_removed_are_no_error() {
        for exchange in [None, Some(EINVAL)] {
            let root = old();
            if let Some(code) = exchange {
                add(Call::Exchange, root.path(), 0, Fault::Fails(code));
            }
            add(Call::Remove, root.path(), 0, Fault::Fails(EACCES));
            write_folder(root.path()).unwrap();
            assert_eq!(std::fs::read(root.path().join("a.trx/header.json")).unwrap(), b"new");
        }
    }

    #[test]
    fn files_are_named_only_after_their_content_is_synchronised() {
        for (successes, done) in
            [(0, [false, false]), (1, [true, false]), (2, [true, false]), (3, [true, true])]
        {
            let root = old();
            add(Call::Synchronise, root.path(), successes, Fault::Fails(EIO));
            assert_eq!([write_folder(root.path()).is_ok(), write_pair(root.path()).is_ok()], done);
            let text = |is_new: bool| if is_new { "new" } else { "old" };
            assert_eq!(listing(root.path()), expected(text(done[0]), text(done[1])), "{successes}");
        }
    }

    /// The environment variable that tells the process in which [`dies`] runs its task and its folder.
    const WORK: &str = "ARCUATE_TEST_OF_PUBLISH";

    /// This function is not a test of its own. [`changes_of_a_killed_program_are_completed`] runs it in
    /// another process.
    #[test]
    fn dies() {
        let Some(work) = std::env::var_os(WORK).and_then(|work| work.into_string().ok()) else { return };
        let [what, successes, root]: [&str; 3] = work.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        let root = Path::new(root);
        add(Call::Exchange, root, 0, Fault::Fails(EINVAL));
        match successes.parse() {
            Ok(successes) => add(Call::Rename, root, successes, Fault::Dies),
            Err(_) => add(Call::Synchronise, root, 0, Fault::Dies),
        }
        let _ = if what == "folder" { write_folder(root) } else { write_pair(root) };
    }

    #[test]
    fn changes_of_a_killed_program_are_completed() {
        let [before, folder, pair] = [expected("old", "old"), expected("new", "old"), expected("old", "new")];
        for (what, died, expected) in [
            ("folder", "before", &before),
            ("folder", "0", &folder),
            ("folder", "1", &folder),
            ("pair", "before", &before),
            ("pair", "0", &pair),
            ("pair", "1", &pair),
            ("pair", "2", &pair),
        ] {
            let root = old();
            let status = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "publish::tests::dies", "--nocapture"])
                .env(WORK, format!("{what} {died} {}", root.path().display()))
                .output()
                .unwrap()
                .status;
            assert!(!status.success(), "{what} {died}: it did not die");
            let left = listing(root.path());
            assert!(left.len() > before.len(), "{what} {died}");
            // After the kill, one of the two files may be missing, but a new file never exists together with
            // an earlier one.
            let mut pair = left.iter().filter(|(name, _)| name.starts_with("x.")).map(|(_, text)| text);
            let first = pair.next();
            assert!(first.is_some() && pair.all(|text| Some(text) == first), "{what} {died}: {left:?}");
            // The second iteration simulates a second start of the program, which finds nothing to complete.
            for _ in 0..2 {
                remove_abandoned(root.path());
                assert_eq!(&listing(root.path()), expected, "{what} {died}");
            }
        }
    }
}

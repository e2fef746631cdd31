//! Gives complete files and folders their names. The content is on the disk before a name changes. Either all
//! files get their names or none does, and a copy of the earlier results always exists.

use crate::complete::{Complete, synchronise};
use crate::disk;
use crate::recovery::{Recovery, aside, step_aside};
use crate::unfinished::{self, Unfinished, parent};
use arcuate_core::{Error, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Gives their names to files that belong together, after their content is on the disk. Returns the folders
/// with new names; the caller must still synchronise these folders. If one file cannot get its name, earlier
/// results are restored.
pub(crate) fn publish(mut files: Vec<Complete>) -> Result<BTreeSet<PathBuf>> {
    synchronise(&files)?;
    let folders: BTreeSet<PathBuf> = files.iter().map(|file| parent(file.target()).to_owned()).collect();
    let is_there = |file: &Complete| file.target().symlink_metadata().is_ok();
    let mut exchanged = None;
    {
        // A signal that stops the program waits for this lock until all files have their names.
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
        // The exchange of names must be on the disk before the only other copy is removed.
        disk::synchronise_folder(parent(target)).map_err(|error| Error::write(target, error))?;
        remove_earlier(&old, target);
        unfinished::unfinished().remove(&old);
    }
    Ok(folders)
}

/// Waits until the names of the files in a folder are on the disk, if the system supports this. On Windows,
/// names always reach the disk.
pub fn synchronise_folder(folder: &Path) -> Result<()> {
    disk::synchronise_folder(folder).map_err(|error| Error::write(folder, error))
}

/// Waits until the names of the files in several folders are on the disk.
pub(crate) fn synchronise_folders(folders: &BTreeSet<PathBuf>) -> Result<()> {
    folders.iter().try_for_each(|folder| synchronise_folder(folder))
}

/// Gives files names that other files have at present. A record in each folder lets the next program start
/// complete an interrupted change.
fn replace(files: &mut [Complete], folders: &BTreeSet<PathBuf>, unfinished: &mut Unfinished) -> Result<()> {
    let record = |folder: &PathBuf| {
        let inside = files.iter().filter(|file| parent(file.target()) == folder);
        let changes: Vec<(&Path, &Path)> = inside.map(|file| (file.temporary(), file.target())).collect();
        Recovery::begin(folder, &changes).map_err(|error| Error::write(changes[0].1, error))
    };
    // Each record is removed when it is dropped.
    let _records: Vec<Recovery> = folders.iter().map(record).collect::<Result<_>>()?;
    change_names(files, unfinished, || synchronise_folders(folders))
}

/// A name that was changed, and the present path of the file that had the name before.
struct Changed {
    target: PathBuf,
    aside: PathBuf,
    was_there: bool,
}

/// Gives files their names one after the other, in order, and then calls `finally`. If a step fails, the
/// earlier files get their names back.
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
        // All files but the first lose their names before the first name changes. If the process is killed in
        // between, some files have no name, but a new file never exists next to an old one.
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

/// Restores the earlier files and folders under the changed names.
fn undo(changed: &[Changed]) {
    for Changed { target, aside, was_there } in changed.iter().rev() {
        if !was_there {
            // There was no file of this name before. If the new file cannot be removed, it stays.
            let _ = disk::remove(target);
        } else if let Err(error) = put_back(aside, target) {
            tracing::warn!(
                "{}: the earlier file cannot be restored ({error}); copy it from {}",
                target.display(),
                aside.display()
            );
        }
    }
}

fn put_back(aside: &Path, target: &Path) -> std::io::Result<()> {
    // A new folder would prevent the earlier one from getting its name back.
    if target.is_dir() && !target.is_symlink() {
        std::fs::remove_dir_all(target)?;
    }
    // If two names belong to the same file, renaming one to the other does nothing.
    std::fs::rename(aside, target)?;
    if aside.symlink_metadata().is_ok() { std::fs::remove_file(aside) } else { Ok(()) }
}

/// Removes an earlier result. A failure is not an error, since the new result exists.
fn remove_earlier(earlier: &Path, target: &Path) {
    if let Err(error) = disk::remove(earlier) {
        tracing::warn!(
            "{}: the replaced content cannot be removed ({error}); remove {}",
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

    /// The Linux error number of an input or output error.
    const EIO: i32 = 5;
    const EACCES: i32 = 13;
    const EINVAL: i32 = 22;
    const ENOSYS: i32 = 38;
    const EOPNOTSUPP: i32 = 95;

    /// Creates a folder with earlier results: a folder and two files.
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

    /// Lists all files below a folder with their content.
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

    /// Returns the listing that a test expects, with this content of the folder and of the two files.
    fn expected(folder: &str, pair: &str) -> Vec<(String, String)> {
        let mut all = vec![("a.trx/header.json", folder), ("x.bval", pair), ("x.bvec", pair)];
        if folder == "old" {
            all.insert(1, ("a.trx/only_old", folder));
        }
        all.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_takes_the_place_of_another_in_one_exchange() {
        let root = old();
        // The first rename would fail, but is not needed.
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
    fn the_old_result_is_there_again_if_a_name_cannot_change() {
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
    fn an_earlier_result_that_cannot_be_removed_is_no_error() {
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
    fn nothing_has_a_name_whose_content_is_not_on_the_disk() {
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

    /// The environment variable that states the task and the folder of the process that [`dies`] runs in.
    const WORK: &str = "ARCUATE_TEST_OF_PUBLISH";

    /// This function is no test. [`what_a_killed_program_began_is_completed`] runs it in another process.
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
    fn what_a_killed_program_began_is_completed() {
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
            // One of the two files may be missing, but a new file never exists next to an old one.
            let mut pair = left.iter().filter(|(name, _)| name.starts_with("x.")).map(|(_, text)| text);
            let first = pair.next();
            assert!(first.is_some() && pair.all(|text| Some(text) == first), "{what} {died}: {left:?}");
            // The second start of the program finds nothing to complete.
            for _ in 0..2 {
                remove_abandoned(root.path());
                assert_eq!(&listing(root.path()), expected, "{what} {died}");
            }
        }
    }
}

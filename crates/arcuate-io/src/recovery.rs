//! Writes a record of file names that are about to change. If the program is killed, the next start of a
//! program completes the changes in the record.
//!
//! No file system can change several names in one step. Some cannot exchange two names in one step either, so
//! that one folder cannot directly replace another. Therefore, before the first name changes, a record is
//! written to the folder of the results. It lists the new files, which are already complete and on the disk.
//! Earlier results have temporary names until all new results have their final names.

use crate::disk;
use crate::unfinished::{PREFIX, SUFFIX};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, Metadata, TryLockError};
use std::io::{Result, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The ending of the file name of a record of changing names.
const RECORD: &str = ".replacing";
/// The ending of the temporary name that an earlier result has until it is replaced.
const ASIDE: &str = "replaced";
/// Age of a record after which the program that wrote it is assumed to have ended, because renaming takes
/// only a moment. This age is used only if the file system does not support locks.
const OLD: Duration = Duration::from_secs(600);

/// The content of a record: all names that change in a folder.
#[derive(Debug, Serialize, Deserialize)]
struct Names {
    changes: Vec<Change>,
}

/// A change of a name: the name `target` passes from an earlier file or folder to a new one.
#[derive(Debug, Serialize, Deserialize)]
struct Change {
    /// The temporary name of the new file or folder, before it gets the name `target`.
    temporary: OsString,
    target: OsString,
    /// The version of the earlier file or folder with the name `target`. `None` if there was none.
    before: Option<Version>,
}

/// The properties of a file or folder that differ if another process has replaced it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Version {
    is_folder: bool,
    bytes: u64,
    modified: Option<Duration>,
}

impl Version {
    /// Returns the version of a file or folder. For a symbolic link, returns the version of the link itself.
    fn of(path: &Path) -> Option<Self> {
        path.symlink_metadata().ok().map(|metadata| Self::from(&metadata))
    }
}

impl From<&Metadata> for Version {
    fn from(metadata: &Metadata) -> Self {
        let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
        Self {
            is_folder: metadata.is_dir(),
            bytes: if metadata.is_dir() { 0 } else { metadata.len() },
            modified: metadata.modified().ok().and_then(since),
        }
    }
}

/// A record of changing names on the disk. It is locked until this value is dropped, when all names have been
/// changed. The record is then removed.
#[derive(Debug)]
pub(crate) struct Recovery {
    path: PathBuf,
    _lock: File,
}

impl Recovery {
    /// Writes the record for new files that will get their final names in `folder`. Each change is the pair
    /// of a temporary path and a final path.
    pub(crate) fn begin(folder: &Path, changes: &[(&Path, &Path)]) -> Result<Self> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
        let change = |(temporary, target): &(&Path, &Path)| Change {
            temporary: name(temporary),
            target: name(target),
            before: Version::of(target),
        };
        let names = Names { changes: changes.iter().map(change).collect() };
        let mut file = tempfile::Builder::new().prefix(PREFIX).suffix(RECORD).tempfile_in(folder)?;
        // The lock shows other processes that the record is in use. If the file system does not support
        // locks, they use the age of the record instead.
        let _ = file.as_file().try_lock();
        file.write_all(&serde_json::to_vec(&names)?)?;
        file.as_file().sync_data()?;
        disk::synchronise_folder(folder)?;
        let (lock, path) = file.keep()?;
        Ok(Self { path, _lock: lock })
    }
}

impl Drop for Recovery {
    fn drop(&mut self) {
        // If the record cannot be removed, this does no harm, because all its changes are complete.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Returns the temporary path to which the earlier result is moved until the new result has its final name.
pub(crate) fn aside(temporary: &Path) -> PathBuf {
    temporary.with_extension(ASIDE)
}

/// Renames the file or folder `target` to `aside` if it exists. Returns false if it does not exist. If the
/// file system supports hard links, a file additionally keeps its old name, so that a file with this name
/// exists at all times.
pub(crate) fn step_aside(target: &Path, aside: &Path) -> Result<bool> {
    let Ok(metadata) = target.symlink_metadata() else { return Ok(false) };
    let has_both = metadata.is_file() && std::fs::hard_link(target, aside).is_ok();
    if !has_both {
        disk::rename(target, aside)?;
    }
    Ok(true)
}

/// Completes the interrupted renames of programs that were killed in a folder. Returns the names of the files
/// in the folder that must not be removed.
pub(crate) fn complete(folder: &Path) -> BTreeSet<OsString> {
    let mut spared = BTreeSet::new();
    let Ok(entries) = folder.read_dir() else { return spared };
    let (mut records, mut earlier) = (Vec::new(), Vec::new());
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(text) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
        if text.ends_with(RECORD) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            records.push(entry.path());
        } else if Path::new(text).extension().is_some_and(|ending| ending == ASIDE) {
            earlier.push(entry.path());
        }
    }
    let mut known = BTreeSet::new();
    for path in records {
        let Ok(file) = File::open(&path) else { continue };
        let names = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Names>(&text).ok());
        let is_free = is_own(&file, folder) && is_free(&file);
        let Some(names) = names.filter(Names::are_plain) else {
            // The record is incomplete, because its program was killed while it wrote the record. No name has
            // been changed yet.
            if is_free {
                let _ = std::fs::remove_file(&path);
            }
            continue;
        };
        known.extend(names.changes.iter().map(|change| aside(&folder.join(&change.temporary))));
        let done = if is_free { names.complete(folder, &path) } else { Ok(()) };
        if let Err(error) = &done {
            tracing::warn!(
                "{}: an interrupted command left this list of its results, and the results cannot be \
                 completed ({error})",
                path.display()
            );
        }
        if !is_free || done.is_err() {
            spared.extend(names.changes.into_iter().map(|change| change.temporary));
        }
    }
    for path in earlier.iter().filter(|path| !known.contains(*path) && path.symlink_metadata().is_ok()) {
        tracing::warn!(
            "{}: an interrupted command left an earlier result under this name; rename the file or folder to \
             keep the result, or remove it",
            path.display()
        );
    }
    spared
}

/// Returns true if a record belongs to the current user. Records of other users are ignored. In a folder to
/// which everybody may write, such as the folder of temporary files, such a record could replace files of
/// this user.
#[cfg(unix)]
fn is_own(record: &File, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = |file: &File| file.metadata().map(|metadata| metadata.uid());
    let own = tempfile::tempfile_in(folder).and_then(|file| user(&file));
    matches!((own, user(record)), (Ok(own), Ok(of_record)) if own == of_record)
}

#[cfg(not(unix))]
fn is_own(_record: &File, _folder: &Path) -> bool {
    true
}

/// Returns true if no process is changing the names in a record. In this case, the record stays locked as
/// long as the file is open.
fn is_free(record: &File) -> bool {
    match record.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => {
            let written = record.metadata().and_then(|metadata| metadata.modified());
            written.is_ok_and(|written| written.elapsed().is_ok_and(|age| age > OLD))
        }
    }
}

impl Names {
    /// Returns true if all names in the record are plain names of files in the folder of the record. A record
    /// is an ordinary file, so anybody may have changed its content.
    fn are_plain(&self) -> bool {
        let is_plain = |name: &OsString| {
            let mut parts = Path::new(name).components();
            matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
        };
        let is_temporary = |name: &OsString| {
            name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
        };
        self.changes.iter().all(|change| {
            is_plain(&change.target) && is_plain(&change.temporary) && is_temporary(&change.temporary)
        })
    }

    /// Renames all new files in the record to their final names. Then removes the earlier results and the
    /// record.
    ///
    /// Returns an error, and changes nothing, if another process has replaced an earlier result since the
    /// record was written.
    fn complete(&self, folder: &Path, record: &Path) -> Result<()> {
        for change in &self.changes {
            let (temporary, target) = (folder.join(&change.temporary), folder.join(&change.target));
            let now = Version::of(&target);
            let has_stepped_aside = now.is_none() && aside(&temporary).symlink_metadata().is_ok();
            if temporary.symlink_metadata().is_ok() && now != change.before && !has_stepped_aside {
                let problem = format!("{} has changed since", target.display());
                return Err(std::io::Error::other(problem));
            }
        }
        for change in &self.changes {
            let (temporary, target) = (folder.join(&change.temporary), folder.join(&change.target));
            let aside = aside(&temporary);
            if temporary.symlink_metadata().is_ok() {
                if aside.symlink_metadata().is_err() {
                    step_aside(&target, &aside)?;
                }
                disk::rename(&temporary, &target)?;
                tracing::info!("{}: a stopped command had not given it its name", target.display());
            } else if target.symlink_metadata().is_err() && aside.symlink_metadata().is_ok() {
                // The new result does not exist, so the earlier result gets its name back.
                disk::rename(&aside, &target)?;
            }
        }
        disk::synchronise_folder(folder)?;
        for change in &self.changes {
            let (temporary, target) = (folder.join(&change.temporary), folder.join(&change.target));
            let aside = aside(&temporary);
            if target.symlink_metadata().is_ok() && aside.symlink_metadata().is_ok() {
                disk::remove(&aside)?;
            }
        }
        std::fs::remove_file(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Left(tempfile::TempDir);

    impl Left {
        /// Creates the files that remain if a program is killed while it replaces a folder. `target` is the
        /// name that its record contains.
        fn by_a_killed_program(target: &str) -> Self {
            let left = Self(tempfile::tempdir().unwrap());
            for (name, text) in [(".arcuate-x.partial", "new"), (".arcuate-x.replaced", "old")] {
                std::fs::create_dir(left.at(name)).unwrap();
                std::fs::write(left.at(name).join("header.json"), text).unwrap();
            }
            let (temporary, target) = (".arcuate-x.partial".into(), target.into());
            let names = Names { changes: vec![Change { temporary, target, before: None }] };
            std::fs::write(left.at(".arcuate-r.replacing"), serde_json::to_vec(&names).unwrap()).unwrap();
            left
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn names(&self) -> Vec<String> {
            let entries = self.0.path().read_dir().unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }

        fn start(&self) {
            crate::remove_abandoned(self.0.path());
        }
    }

    #[test]
    fn folders_are_renamed_as_their_record_states() {
        let left = Left::by_a_killed_program("a.trx");
        left.start();
        assert_eq!(left.names(), ["a.trx"]);
        assert_eq!(std::fs::read(left.at("a.trx/header.json")).unwrap(), b"new");
    }

    #[test]
    fn inputs_are_recovered_before_they_are_read() {
        let left = Left::by_a_killed_program("a.trx");
        crate::Results::default().watch(&[left.at("a.trx")]);
        assert_eq!(std::fs::read(left.at("a.trx/header.json")).unwrap(), b"new");
    }

    #[test]
    fn the_only_copy_is_restored() {
        let left = Left::by_a_killed_program("a.trx");
        std::fs::remove_dir_all(left.at(".arcuate-x.partial")).unwrap();
        left.start();
        assert_eq!(left.names(), ["a.trx"]);
        assert_eq!(std::fs::read(left.at("a.trx/header.json")).unwrap(), b"old");
    }

    #[test]
    fn earlier_results_without_a_record_are_kept() {
        let left = Left::by_a_killed_program("a.trx");
        std::fs::remove_file(left.at(".arcuate-r.replacing")).unwrap();
        left.start();
        assert_eq!(left.names(), [".arcuate-x.replaced"]);
    }

    #[test]
    fn nothing_is_recovered_if_the_name_is_locked_or_taken() {
        let left = Left::by_a_killed_program("a.trx");
        let before = left.names();
        let at_work = File::open(left.at(".arcuate-r.replacing")).unwrap();
        at_work.try_lock().unwrap();
        left.start();
        assert_eq!(left.names(), before);
        drop(at_work);
        std::fs::write(left.at("a.trx"), "somebody's").unwrap();
        left.start();
        assert_eq!(left.names().len(), 4);
        assert_eq!(std::fs::read(left.at("a.trx")).unwrap(), b"somebody's");
    }

    #[cfg(unix)]
    #[test]
    fn records_of_other_users_are_ignored() {
        let left = Left::by_a_killed_program("a.trx");
        let before = left.names();
        // Only the superuser can give a file to another user, so the test is skipped for other users.
        if std::os::unix::fs::chown(left.at(".arcuate-r.replacing"), Some(54321), None).is_ok() {
            left.start();
            assert_eq!(left.names(), before);
        }
    }

    /// Other users may have written a record, even in a folder of their own, so a record must not change
    /// files outside its folder.
    #[test]
    fn records_cannot_change_files_outside_their_folder() {
        for target in ["../taken", "/tmp/arcuate-taken", ".", "..", "", "b/c"] {
            let left = Left::by_a_killed_program(target);
            left.start();
            assert_eq!(left.names(), [".arcuate-x.replaced"], "{target}");
            assert!(!left.at("../taken").exists() && !Path::new("/tmp/arcuate-taken").exists());
        }
    }
}

//! A record of names that are about to change, so that the next start completes the work of a killed program.
//!
//! Several names cannot change in one step, nor can a folder replace another if the file system cannot
//! exchange names. Before the first name changes, a record next to the results lists the new files, which are
//! complete and synchronised by then. Earlier results get temporary names until all new ones have theirs.

use crate::disk;
use crate::unfinished::{PREFIX, SUFFIX};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, Metadata, TryLockError};
use std::io::{Result, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The ending of record names.
const RECORD: &str = ".replacing";
/// The ending of an earlier result that was moved aside.
const ASIDE: &str = "replaced";
/// If files cannot be locked, a record of this age belongs to a program that has ended, since renaming takes
/// only a moment.
const OLD: Duration = Duration::from_secs(600);

/// The names that change in a folder.
#[derive(Debug, Serialize, Deserialize)]
struct Names {
    changes: Vec<Change>,
}

/// A name that changes.
#[derive(Debug, Serialize, Deserialize)]
struct Change {
    /// The temporary name of the new file or folder.
    temporary: OsString,
    target: OsString,
    /// The earlier file or folder of that name, if it existed.
    before: Option<Version>,
}

/// Detects whether the content of a name was replaced.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Version {
    is_folder: bool,
    bytes: u64,
    modified: Option<Duration>,
}

impl Version {
    /// The version of a file or folder; for a link, that of the link itself.
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

/// A record on the disk, locked until this is dropped. Then it is removed, since all names have been changed.
#[derive(Debug)]
pub(crate) struct Recovery {
    path: PathBuf,
    _lock: File,
}

impl Recovery {
    /// Writes the record of files that will get names in `folder`: pairs of a temporary path and a path.
    pub(crate) fn begin(folder: &Path, changes: &[(&Path, &Path)]) -> Result<Self> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
        let change = |(temporary, target): &(&Path, &Path)| Change {
            temporary: name(temporary),
            target: name(target),
            before: Version::of(target),
        };
        let names = Names { changes: changes.iter().map(change).collect() };
        let mut file = tempfile::Builder::new().prefix(PREFIX).suffix(RECORD).tempfile_in(folder)?;
        // If locks are not supported, its age shows that it is in use.
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
        // A record that cannot be removed lists only completed work.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The path of an earlier result until the new one has its name.
pub(crate) fn aside(temporary: &Path) -> PathBuf {
    temporary.with_extension(ASIDE)
}

/// Gives the content of a name another name, if it exists. Returns whether it existed. If the file system has
/// hard links, a file also keeps its name, so that it always exists.
pub(crate) fn step_aside(target: &Path, aside: &Path) -> Result<bool> {
    let Ok(metadata) = target.symlink_metadata() else { return Ok(false) };
    let has_both = metadata.is_file() && std::fs::hard_link(target, aside).is_ok();
    if !has_both {
        disk::rename(target, aside)?;
    }
    Ok(true)
}

/// Completes the work of killed programs in a folder. Returns the names of files there that must stay.
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
            // It was truncated before the first name changed.
            if is_free {
                let _ = std::fs::remove_file(&path);
            }
            continue;
        };
        known.extend(names.changes.iter().map(|change| aside(&folder.join(&change.temporary))));
        let done = if is_free { names.complete(folder, &path) } else { Ok(()) };
        if let Err(error) = &done {
            tracing::warn!(
                "{}: an interrupted command left this folder, and it cannot be completed ({error})",
                path.display()
            );
        }
        if !is_free || done.is_err() {
            spared.extend(names.changes.into_iter().map(|change| change.temporary));
        }
    }
    for path in earlier.iter().filter(|path| !known.contains(*path) && path.symlink_metadata().is_ok()) {
        tracing::warn!(
            "{}: an interrupted command left an earlier result there; rename it to keep it, or remove it",
            path.display()
        );
    }
    spared
}

/// Returns whether a record belongs to the current user. Records of other users are ignored. In a folder that
/// everybody may write to, such as that of temporary files, they could cause files of this user to be
/// replaced.
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

/// Returns whether no process is changing the names of a record; if so, the file locks them until it is
/// dropped.
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
    /// Returns whether all are names of files in the folder of the record. A record is an ordinary file and
    /// may contain anything.
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

    /// Gives all files their names, and removes earlier results and the record.
    ///
    /// Returns an error, and changes nothing, if another process has replaced them since.
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
                // The new one is missing, so the earlier one is the only one.
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
        /// The state after a program was killed between the renames of a folder, with a record of this name.
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
    fn a_folder_gets_the_name_that_its_record_states() {
        let left = Left::by_a_killed_program("a.trx");
        left.start();
        assert_eq!(left.names(), ["a.trx"]);
        assert_eq!(std::fs::read(left.at("a.trx/header.json")).unwrap(), b"new");
    }

    #[test]
    fn an_input_that_lacks_its_name_gets_it_before_it_is_read() {
        let left = Left::by_a_killed_program("a.trx");
        crate::Results::default().watch(&[left.at("a.trx")]);
        assert_eq!(std::fs::read(left.at("a.trx/header.json")).unwrap(), b"new");
    }

    #[test]
    fn the_only_copy_is_put_back() {
        let left = Left::by_a_killed_program("a.trx");
        std::fs::remove_dir_all(left.at(".arcuate-x.partial")).unwrap();
        left.start();
        assert_eq!(left.names(), ["a.trx"]);
        assert_eq!(std::fs::read(left.at("a.trx/header.json")).unwrap(), b"old");
    }

    #[test]
    fn an_earlier_result_without_a_record_stays() {
        let left = Left::by_a_killed_program("a.trx");
        std::fs::remove_file(left.at(".arcuate-r.replacing")).unwrap();
        left.start();
        assert_eq!(left.names(), [".arcuate-x.replaced"]);
    }

    #[test]
    fn nothing_is_done_while_a_program_is_at_work_or_if_somebody_has_taken_the_name() {
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
    fn records_of_other_users_are_left_to_them() {
        let left = Left::by_a_killed_program("a.trx");
        let before = left.names();
        // Only the superuser can change the owner of files.
        if std::os::unix::fs::chown(left.at(".arcuate-r.replacing"), Some(54321), None).is_ok() {
            left.start();
            assert_eq!(left.names(), before);
        }
    }

    /// A folder and its records may come from anybody.
    #[test]
    fn records_change_nothing_outside_their_folder() {
        for target in ["../taken", "/tmp/arcuate-taken", ".", "..", "", "b/c"] {
            let left = Left::by_a_killed_program(target);
            left.start();
            assert_eq!(left.names(), [".arcuate-x.replaced"], "{target}");
            assert!(!left.at("../taken").exists() && !Path::new("/tmp/arcuate-taken").exists());
        }
    }
}

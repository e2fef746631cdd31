//! Records which running command writes to which path, and locks files that are being written.

use crate::complete::Complete;
use crate::place::place_of;
use crate::publish::{publish, synchronise_folders};
use crate::unfinished::{self, LOCK, PREFIX, is_at, parent};
use crate::watch::{Watch, WeakWatch};
use arcuate_core::{Error, Result};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The paths of results that running commands of this process have claimed. Each path has a list of the
/// commands that claimed it, the latest command last. Each command keeps its own list of inputs and results
/// ([`Watch`]). This map only serves to find the command to which a path belongs.
static CLAIMS: Mutex<BTreeMap<PathBuf, Vec<(u64, WeakWatch)>>> = Mutex::new(BTreeMap::new());

fn claims() -> MutexGuard<'static, BTreeMap<PathBuf, Vec<(u64, WeakWatch)>>> {
    CLAIMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A claim of a command on the path of a result file or of a folder of results. The path belongs to the
/// command until this value is dropped.
#[derive(Debug)]
pub struct Claim {
    place: PathBuf,
    number: u64,
}

impl Claim {
    /// Claims a path for the command that owns `watch`. Files that are completed at this path, or below it,
    /// are then results of this command.
    pub fn new(path: &Path, watch: &Watch) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (place, number) = (place_of(path), NEXT.fetch_add(1, Ordering::Relaxed));
        claims().entry(place.clone()).or_default().push((number, watch.downgrade()));
        Self { place, number }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut claims = claims();
        if let Some(of_place) = claims.get_mut(&self.place) {
            of_place.retain(|(number, _)| *number != self.number);
            if of_place.is_empty() {
                claims.remove(&self.place);
            }
        }
    }
}

/// Returns the list of inputs and results of the command that has claimed the path of a result. Returns
/// `None` if no command has claimed this path.
fn watch_of(path: &Path) -> Option<Watch> {
    let place = place_of(path);
    let claims = claims();
    let of_path = place.ancestors().find_map(|above| claims.get(above))?;
    of_path.iter().rev().find_map(|(_, watch)| Watch::upgrade(watch))
}

/// Renames several complete files that belong together to their final names.
pub(crate) fn finish(files: Vec<Complete>) -> Result<()> {
    let Some(first) = files.first() else { return Ok(()) };
    match watch_of(first.target()) {
        Some(watch) => watch.finish(files),
        None => synchronise_folders(&publish(files)?),
    }
}

/// A lock on the name of an output file that is being written. Other processes see the lock. The lock
/// disappears when this process ends, even if the process is killed. The lock is a separate file in the same
/// folder, because the output file may not exist yet.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    /// The open lock file. The lock exists as long as this file is open.
    _file: File,
}

impl FileLock {
    /// Locks the name of an output file. Returns `None` if another process is writing this file. If the file
    /// system does not support locks, the function always succeeds.
    ///
    /// Returns an error if the folder of the output file is not writable.
    pub fn take(path: &Path) -> Result<Option<Self>> {
        let place = place_of(path);
        let name = place.file_name().unwrap_or_default();
        let lock = parent(path).join(format!("{PREFIX}{:016x}{LOCK}", hash(name.as_encoded_bytes())));
        // The attempt to lock is repeated, because the removal of abandoned files locks each file for a
        // moment.
        let mut patience = 10;
        loop {
            let mut unfinished = unfinished::unfinished();
            let mut options = File::options();
            options.write(true).create(true).truncate(false);
            let file = options.open(&lock).map_err(|error| Error::write(path, error))?;
            match file.try_lock() {
                // Another process may have removed the lock file after this process created it and before it
                // locked it.
                Ok(()) if !is_at(&file, &lock) => {}
                Err(TryLockError::WouldBlock) if patience == 0 => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    patience -= 1;
                    drop(unfinished);
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(()) | Err(TryLockError::Error(_)) => {
                    unfinished.insert(lock.clone());
                    return Ok(Some(Self { path: lock, _file: file }));
                }
            }
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        let mut unfinished = unfinished::unfinished();
        unfinished.remove(&self.path);
        // The lock file is removed while it is still locked. Otherwise this could remove a lock file that
        // another process has created since.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Computes a 64-bit hash of a name (FNV-1a). Every version of the program computes the same hash.
fn hash(name: &[u8]) -> u64 {
    name.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_one_writer_and_stale_locks_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trx");
        let first = FileLock::take(&path).unwrap().unwrap();
        assert!(FileLock::take(&folder.path().join("./a.trx")).unwrap().is_none());
        let other = FileLock::take(&folder.path().join("b.trx")).unwrap().unwrap();
        crate::remove_abandoned(folder.path());
        assert!(FileLock::take(&path).unwrap().is_none(), "a lock that is held stays");
        let lock = first.path.clone();
        drop((first, other));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        // A program that was killed leaves an unlocked lock file like this one.
        std::fs::write(&lock, "").unwrap();
        drop(FileLock::take(&path).unwrap().unwrap());
        std::fs::write(&lock, "").unwrap();
        crate::remove_abandoned(folder.path());
        assert!(!lock.exists());
    }

    #[test]
    fn only_one_of_many_writers_works_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trx");
        let at_work = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let Some(lock) = FileLock::take(&path).unwrap() else { continue };
                        assert_eq!(at_work.fetch_add(1, Ordering::SeqCst), 0);
                        at_work.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                        crate::remove_abandoned(folder.path());
                    }
                });
            }
        });
    }

    #[test]
    fn missing_folders_are_reported() {
        let error = FileLock::take(Path::new("no-such-folder/a.trx")).unwrap_err().to_string();
        assert!(error.starts_with("no-such-folder/a.trx: its folder does not exist"), "{error}");
    }
}

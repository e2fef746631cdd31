//! Keeps a list of the unfinished output files and folders of this process. They are removed when the program
//! is asked to stop. If the program is killed, a later start of a program detects and removes them.

use crate::disk;
use arcuate_core::{Error, Result};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// The beginning of the temporary names of unfinished results.
pub(crate) const PREFIX: &str = ".arcuate-";
pub(crate) const SUFFIX: &str = ".partial";
/// The ending of the names of lock files.
pub(crate) const LOCK: &str = ".lock";

pub(crate) type Unfinished = MutexGuard<'static, BTreeSet<PathBuf>>;

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Locks and returns the list of the unfinished output files of this process. While the list is locked, no
/// file is added to it or removed from it.
pub(crate) fn unfinished() -> Unfinished {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the unfinished output files of this process. Until the returned value is dropped, no other thread
/// can create or complete an output file. Call this function when the process is about to end.
pub fn remove_unfinished() -> impl Drop {
    remove_all(unfinished())
}

/// Does the same as [`remove_unfinished`], for a thread that may itself be creating or completing an output
/// file. If the list of unfinished files stays locked for a second, no file is removed.
/// [`remove_abandoned`](crate::remove_abandoned) then removes the files later.
pub fn remove_unfinished_soon() -> Option<impl Drop> {
    for _ in 0..100 {
        match UNFINISHED.try_lock() {
            Ok(unfinished) => return Some(remove_all(unfinished)),
            Err(TryLockError::Poisoned(poisoned)) => return Some(remove_all(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    None
}

fn remove_all(unfinished: Unfinished) -> Unfinished {
    for path in unfinished.iter() {
        // If a file cannot be removed, the error is ignored.
        let _ = disk::remove(path);
    }
    unfinished
}

/// Returns a builder of temporary files and folders. They get the same permissions as other new files of the
/// user: `mode` without the bits in the user's file mode mask (umask).
#[cfg_attr(not(unix), expect(unused_variables, reason = "modes are Unix's"))]
pub(crate) fn builder(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    builder
}

/// Returns true if the path `path` still belongs to the open file or folder `file`.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let (open, named) = (file.metadata().map(identity), path.symlink_metadata().map(identity));
        matches!((open, named), (Ok(open), Ok(named)) if open == named)
    }
    // On this operating system, an open file cannot be removed and created again under its name.
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

/// Returns the folder that contains the file or folder with this path.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Creates a temporary file or folder in the folder of `path`, and locks it so that other processes see that
/// it is in use. `at` returns its path.
pub(crate) fn begin<T>(
    path: &Path,
    make: impl Fn(&Path) -> std::io::Result<T>,
    at: impl Fn(&T) -> &Path,
    lock: impl Fn(&T) -> bool,
) -> Result<T> {
    loop {
        let mut unfinished = unfinished();
        let made = make(parent(path)).map_err(|e| Error::write(path, e))?;
        // If locks are not supported, no process removes the file as abandoned. If locks are supported,
        // another process may have removed the file before this process locked it.
        if !lock(&made) || at(&made).symlink_metadata().is_ok() {
            unfinished.insert(at(&made).to_owned());
            return Ok(made);
        }
    }
}

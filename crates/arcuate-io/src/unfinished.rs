//! Files and folders on their way to their names: what removes them when a program is told to stop, and those that an
//! earlier program was killed over.

use crate::disk;
use arcuate_core::{Error, Result};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// How names begin and end that results have until they are complete.
pub(crate) const PREFIX: &str = ".arcuate-";
pub(crate) const SUFFIX: &str = ".partial";
/// How the names of locks end.
pub(crate) const LOCK: &str = ".lock";

pub(crate) type Unfinished = MutexGuard<'static, BTreeSet<PathBuf>>;

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Those of this process. While it is held, none comes and none goes.
pub(crate) fn unfinished() -> Unfinished {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what this process has not finished. No other thread begins or finishes any after that, until the answer is
/// dropped: to be called when the process is about to end.
pub fn remove_unfinished() -> impl Drop {
    remove_all(unfinished())
}

/// [`remove_unfinished`] for a thread that may be beginning or finishing something itself: where the list stays in use for
/// a second, nothing is removed, and [`remove_abandoned`](crate::remove_abandoned) finds it later.
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
        // Whatever cannot be removed cannot be helped now.
        let _ = disk::remove(path);
    }
    unfinished
}

/// How temporary files and folders are named, readable as any that the user makes: `mode` before the user's mask.
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

/// Whether an open file or folder has this name.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let (open, named) = (file.metadata().map(identity), path.symlink_metadata().map(identity));
        matches!((open, named), (Ok(open), Ok(named)) if open == named)
    }
    // An open file cannot be removed and created again under its name.
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

/// The folder that a file or folder of this name lies in.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Makes something unfinished in the folder of `path`, which `at` says where it is, and locks it as being written.
pub(crate) fn begin<T>(
    path: &Path,
    make: impl Fn(&Path) -> std::io::Result<T>,
    at: impl Fn(&T) -> &Path,
    lock: impl Fn(&T) -> bool,
) -> Result<T> {
    loop {
        let mut unfinished = unfinished();
        let made = make(parent(path)).map_err(|e| Error::write(path, e))?;
        // Where nothing can be locked, nobody takes it for abandoned either. Where it can, another process may have done
        // so between the two.
        if !lock(&made) || at(&made).symlink_metadata().is_ok() {
            unfinished.insert(at(&made).to_owned());
            return Ok(made);
        }
    }
}

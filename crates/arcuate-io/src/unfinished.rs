//! Files and folders on their way to their names: what removes them when a program is told to stop, and those that an
//! earlier program was killed over.

use arcuate_core::{Error, Result};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// How names begin and end that results have until they are complete.
const PREFIX: &str = ".arcuate-";
const SUFFIX: &str = ".partial";

type Unfinished = MutexGuard<'static, BTreeSet<PathBuf>>;

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
/// a second, nothing is removed, and [`remove_abandoned`] finds it later.
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
        let _ = remove(path);
    }
    unfinished
}

/// Removes from a folder what processes that are gone left unfinished there: what has the name of such a file and is
/// locked by nobody. File systems without locks keep theirs, for there nothing shows that nobody writes.
pub fn remove_abandoned(folder: &Path) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        let path = entry.path();
        // Neither links nor anything that waits when it is opened.
        let plain = entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir());
        if ours && plain && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = remove(&path);
        }
    }
}

/// Removes a file, or a folder with all that is in it.
pub(crate) fn remove(path: &Path) -> std::io::Result<()> {
    if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AtomicFile;
    use std::io::Write;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            folder.read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_nobody_writes_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at(".arcuate-dead.partial"), "half").unwrap();
        std::fs::create_dir(at(".arcuate-dead-folder.partial")).unwrap();
        std::fs::write(at(".arcuate-dead-folder.partial").join("offsets"), "half").unwrap();
        std::fs::write(at(".arcuate-notes"), "mine").unwrap();
        std::fs::write(at("result.partial"), "mine").unwrap();
        let mut alive = AtomicFile::create(&at("result.txt")).unwrap();
        alive.write_all(b"whole").unwrap();
        remove_abandoned(folder.path());
        alive.finish().unwrap();
        assert_eq!(names(folder.path()), [".arcuate-notes", "result.partial", "result.txt"]);
        assert_eq!(std::fs::read(at("result.txt")).unwrap(), b"whole");
    }

    #[cfg(unix)]
    #[test]
    fn links_with_such_a_name_stay() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::NamedTempFile::new().unwrap();
        let link = folder.path().join(".arcuate-x.partial");
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        remove_abandoned(folder.path());
        assert!(link.symlink_metadata().is_ok() && elsewhere.path().exists());
    }
}

//! File system calls that decide whether results survive a crash: waiting until data are on the disk, and
//! exchanging two names.

use arcuate_core::threads;
use std::fs::{File, OpenOptions};
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

/// Maximum number of threads that wait for the disk at the same time. The journal of a file system commits
/// the files of all waiting threads together.
const MOST_THREADS: usize = 16;

/// A file or folder whose content must reach the disk.
#[derive(Debug)]
pub(crate) enum Unsynchronised<'a> {
    /// An open file with its path.
    Open(&'a File, &'a Path),
    /// The path of a closed file.
    Closed(PathBuf),
    /// The names of the files in a folder.
    Folder(PathBuf),
}

impl Unsynchronised<'_> {
    fn synchronise(&self) -> Result<()> {
        match self {
            Self::Open(file, path) => synchronise_file(file, path),
            // Windows flushes only files that are open for writing.
            Self::Closed(path) => synchronise_file(&OpenOptions::new().write(true).open(path)?, path),
            Self::Folder(path) => synchronise_folder(path),
        }
    }
}

/// Waits until all files and folders are on the disk. If some of them fail, returns the index and the error
/// of the first one.
pub(crate) fn synchronise_all(all: &[Unsynchronised<'_>]) -> std::result::Result<(), (usize, Error)> {
    if let [one] = all {
        return one.synchronise().map_err(|error| (0, error));
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failed = None;
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(n) else { return failed };
            if let (Err(error), None) = (one.synchronise(), &failed) {
                failed = Some((n, error));
            }
        }
    };
    let failures: Vec<(usize, Error)> = std::thread::scope(|scope| {
        let more = 1..all.len().min(MOST_THREADS);
        // If no thread can start, this thread does all the work.
        let threads: Vec<_> =
            more.map_while(|_| threads::start_in(Builder::new(), scope, work).ok()).collect();
        let own = work();
        let others = threads
            .into_iter()
            .filter_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        own.into_iter().chain(others).collect()
    });
    match failures.into_iter().min_by_key(|(n, _)| *n) {
        Some(first) => Err(first),
        None => Ok(()),
    }
}

/// Waits until the content of a file is on the disk. Returns errors of late writes, such as an exceeded quota
/// on a network disk, which closing the file would report.
fn synchronise_file(file: &File, path: &Path) -> Result<()> {
    #[cfg(test)]
    faults::check(faults::Call::Synchronise, path)?;
    #[cfg(not(test))]
    let _ = path;
    unless_unsupported(file.sync_data())
}

/// Waits until the names of the files in a folder are on the disk.
#[cfg(unix)]
pub(crate) fn synchronise_folder(folder: &Path) -> Result<()> {
    // A folder that is writable but not readable cannot be opened. Its names reach the disk later.
    File::open(folder).map_or(Ok(()), |folder| unless_unsupported(folder.sync_all()))
}

/// Does nothing, since Windows does not open folders as files and always journals names.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
pub(crate) fn synchronise_folder(_folder: &Path) -> Result<()> {
    Ok(())
}

/// Ignores the error of a file system that cannot synchronise, since the result itself is not wrong.
fn unless_unsupported(result: Result<()>) -> Result<()> {
    use std::io::ErrorKind::{InvalidInput, Unsupported};
    result.or_else(|error| {
        let is_unsupported = matches!(error.kind(), InvalidInput | Unsupported) || is_not_supported(&error);
        if is_unsupported { Ok(()) } else { Err(error) }
    })
}

#[cfg(unix)]
fn is_not_supported(error: &Error) -> bool {
    use rustix::io::Errno;
    let codes = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
    error.raw_os_error().is_some_and(|code| codes.iter().any(|known| known.raw_os_error() == code))
}

#[cfg(not(unix))]
fn is_not_supported(_error: &Error) -> bool {
    false
}

/// Exchanges the names of two files or folders in one step. Returns whether the system and the file system
/// support this; NFS, for example, does not.
pub(crate) fn exchange(first: &Path, second: &Path) -> Result<bool> {
    #[cfg(test)]
    if let Err(error) = faults::check(faults::Call::Exchange, second) {
        return if is_not_supported(&error) { Ok(false) } else { Err(error) };
    }
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, first, CWD, second, RenameFlags::EXCHANGE).map_err(Error::from) {
            Ok(()) => Ok(true),
            Err(error) if is_not_supported(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    {
        let _ = (first, second);
        Ok(false)
    }
}

/// Renames a file or folder. A file that has the new name is replaced.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    #[cfg(test)]
    faults::check(faults::Call::Rename, to)?;
    std::fs::rename(from, to)
}

/// Removes a file, or a folder with its content.
pub(crate) fn remove(path: &Path) -> Result<()> {
    #[cfg(test)]
    faults::check(faults::Call::Remove, path)?;
    if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
}

/// Faults of the file system that tests of this crate simulate. Other builds do not contain them.
#[cfg(test)]
pub(crate) mod faults {
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, PoisonError};

    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(crate) enum Call {
        Synchronise,
        Exchange,
        Rename,
        Remove,
    }

    /// The simulated result of a call that fails.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(crate) enum Fault {
        /// The call returns this error number.
        Fails(i32),
        /// The process ends without cleanup.
        Dies,
    }

    /// The faults to simulate. Each has the call, the common beginning of the paths concerned, the number of
    /// calls that still succeed, and what happens then.
    static FAULTS: Mutex<Vec<(Call, PathBuf, usize, Fault)>> = Mutex::new(Vec::new());

    /// Makes calls on `path`, or on paths below it, fail after `successes` of them have succeeded.
    pub(crate) fn add(call: Call, path: &Path, successes: usize, fault: Fault) {
        FAULTS.lock().unwrap_or_else(PoisonError::into_inner).push((call, path.to_owned(), successes, fault));
    }

    pub(super) fn check(call: Call, path: &Path) -> std::io::Result<()> {
        let mut faults = FAULTS.lock().unwrap_or_else(PoisonError::into_inner);
        for (of, below, successes, fault) in faults.iter_mut() {
            if *of == call && path.starts_with(&*below) {
                if *successes > 0 {
                    *successes -= 1;
                    continue;
                }
                match fault {
                    Fault::Fails(code) => return Err(std::io::Error::from_raw_os_error(*code)),
                    Fault::Dies => std::process::abort(),
                }
            }
        }
        Ok(())
    }
}

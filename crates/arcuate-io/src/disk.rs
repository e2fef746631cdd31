//! Calls of the file system that decide whether results survive a crash: they wait until data are on the
//! disk, or exchange two names.

use arcuate_core::threads;
use std::fs::{File, OpenOptions};
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

/// Maximum number of threads that wait for the disk at the same time. One commit of the file system's journal
/// serves all waiting threads.
const MAX_THREADS: usize = 16;

/// A file or folder that must be on the disk before a result is renamed.
#[derive(Debug)]
pub(crate) enum Unsynchronised<'a> {
    /// An open file with its path.
    Open(&'a File, &'a Path),
    /// The path of a closed file.
    Closed(PathBuf),
    /// A folder. The names of the files in it must be on the disk.
    Folder(PathBuf),
}

impl Unsynchronised<'_> {
    fn synchronise(&self) -> Result<()> {
        match self {
            Self::Open(file, path) => synchronise_file(file, path),
            // Windows writes the content of a file to the disk only if the file is open for writing.
            Self::Closed(path) => synchronise_file(&OpenOptions::new().write(true).open(path)?, path),
            Self::Folder(path) => synchronise_folder(path),
        }
    }
}

/// Waits until all these files and folders are on the disk. If the call fails for some files or folders,
/// returns the lowest of their indices and its error.
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
        let more = 1..all.len().min(MAX_THREADS);
        // If no further thread can start, the current thread does all the work.
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

/// Waits until the content of a file is on the disk. Network disks report some write errors, such as an
/// exceeded quota, only at this point; these errors are returned.
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
    // A folder that is writable but not readable cannot be opened. The file system writes the names in it to
    // the disk later.
    File::open(folder).map_or(Ok(()), |folder| unless_unsupported(folder.sync_all()))
}

/// Does nothing. Windows does not open folders as files, and always journals file names.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
pub(crate) fn synchronise_folder(_folder: &Path) -> Result<()> {
    Ok(())
}

/// Returns the result of a synchronisation, but ignores the error that the file system does not support
/// synchronisation. The data themselves are correct in that case.
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

/// Exchanges the names of two files or folders in one step. Returns false if the operating system or the file
/// system does not support this, as for example NFS.
#[cfg_attr(windows, allow(clippy::unnecessary_wraps, reason = "on Unix it can fail"))]
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

/// Renames a file or folder. If a file already has the new name, that file is replaced.
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

/// Simulates faults of the file system in tests of this crate. Other builds do not contain this code.
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

    /// The effect of a simulated fault on a file system call.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(crate) enum Fault {
        /// The call returns this error number.
        Fails(i32),
        /// The process ends without cleanup.
        Dies,
    }

    /// The faults to simulate. Each fault has a kind of file system call and a path; it affects this path and
    /// all paths below it. The number is how many calls succeed before the fault. The last value is the
    /// effect of the fault.
    static FAULTS: Mutex<Vec<(Call, PathBuf, usize, Fault)>> = Mutex::new(Vec::new());

    /// Adds a simulated fault. File system calls of the kind `call` on `path` or on paths below it fail after
    /// the first `successes` calls.
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

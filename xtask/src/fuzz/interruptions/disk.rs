//! Simulates a disk that becomes full after a number of bytes. It is an in-memory file system of limited
//! size. If none can be mounted, the size of each file is limited instead.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variable that is set in the process that has its own mounts.
const OWN_MOUNTS: &str = "ARCUATE_FUZZ_OWN_MOUNTS";
/// The size of the in-memory file system in bytes. Another file fills most of it.
const SIZE: u64 = 64 << 20;
/// The name of the file that fills the file system.
const BALLAST: &str = "ballast";

/// The method of simulating a full disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FullDiskMethod {
    /// An in-memory file system, in which writing fails as on a full disk (ENOSPC).
    Memory,
    /// A limit on the size of each file. Writing beyond it fails with the error EFBIG.
    FileSize,
}

impl FullDiskMethod {
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Memory => "a file system in memory that fills up (ENOSPC)",
            Self::FileSize => {
                "a limit of the size of each file (EFBIG), because no file system can be mounted here"
            }
        }
    }
}

/// Runs this program again in a namespace with its own mounts, and returns the exit code. The mounts end with
/// that process. Returns `None` if this process already has its own mounts, or if namespaces are not
/// available.
pub(super) fn with_own_mounts() -> Option<i32> {
    if !cfg!(target_os = "linux") || std::env::var_os(OWN_MOUNTS).is_some() {
        return None;
    }
    let namespaces: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    let can = |method: &&&[&str]| {
        let trial =
            "d=$(mktemp -d) && mount -t tmpfs -o size=64k none \"$d\" && umount \"$d\" && rmdir \"$d\"";
        let tried = Command::new("unshare").args(**method).args(["sh", "-c", trial]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    let method = namespaces.iter().find(can)?;
    let program = std::env::current_exe().ok()?;
    let again = Command::new("unshare")
        .args(*method)
        .arg(program)
        .args(std::env::args_os().skip(1))
        .env(OWN_MOUNTS, "1")
        .status()
        .ok()?;
    Some(again.code().unwrap_or(1))
}

/// Returns the method of simulating a full disk that this system allows.
pub(super) fn method() -> Option<FullDiskMethod> {
    if std::env::var_os(OWN_MOUNTS).is_some() {
        Some(FullDiskMethod::Memory)
    } else if cfg!(unix) {
        Some(FullDiskMethod::FileSize)
    } else {
        None
    }
}

/// Mounts a separate file system on a folder.
pub(super) fn mount(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", &format!("size={SIZE}"), "none"])
        .arg(folder)
        .status()
        .map_err(|e| format!("mount: {e}"))?;
    if mounted.success() {
        Ok(())
    } else {
        Err(format!("{}: a file system cannot be mounted there", folder.display()))
    }
}

/// A file that fills a disk except for a given number of bytes. Dropping it frees the space.
pub(super) struct Ballast(PathBuf);

impl Ballast {
    pub(super) fn leave(disk: &Path, bytes: u64) -> Result<Self, String> {
        let ballast = Self(disk.join(BALLAST));
        let say = |e: std::io::Error| format!("{}: {e}", ballast.0.display());
        let mut file = File::create(&ballast.0).map_err(say)?;
        let (block, mut length) = (vec![1; 1 << 16], 0);
        // Writes until the file system is full.
        while let Ok(written) = file.write(&block) {
            length += written as u64;
            if length > 2 * SIZE {
                return Err(format!("{}: it does not fill up", disk.display()));
            }
        }
        file.set_len(length.saturating_sub(bytes)).map_err(say)?;
        Ok(ballast)
    }
}

impl Drop for Ballast {
    fn drop(&mut self) {
        // An error is ignored: if the file remains, the next case reports it.
        let _ = fs::remove_file(&self.0);
    }
}

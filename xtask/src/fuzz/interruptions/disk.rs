//! Disks that are full after some bytes: a file system in memory of limited size, or, if none can be mounted, a limit of the size of
//! files.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set in the process that has its own mounts.
const OWN_MOUNTS: &str = "ARCUATE_FUZZ_OWN_MOUNTS";
/// Bytes of a file system, of which most are filled up.
const SIZE: u64 = 64 << 20;
/// The file that fills it up.
const BALLAST: &str = "ballast";

/// How a disk becomes full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A file system in memory, in which writing fails as on a full disk (ENOSPC).
    Memory,
    /// A limit of the size of each file (EFBIG).
    FileSize,
}

impl Way {
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Memory => "a file system in memory that fills up (ENOSPC)",
            Self::FileSize => {
                "a limit of the size of each file (EFBIG), because no file system can be mounted here"
            }
        }
    }
}

/// Starts this program again in a name space with its own mounts, which end with it, if there is a way to. Answers its exit code, or
/// nothing if this is that process or there is no way.
pub(super) fn with_own_mounts() -> Option<i32> {
    if !cfg!(target_os = "linux") || std::env::var_os(OWN_MOUNTS).is_some() {
        return None;
    }
    let ways: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    let can = |way: &&&[&str]| {
        let trial =
            "d=$(mktemp -d) && mount -t tmpfs -o size=64k none \"$d\" && umount \"$d\" && rmdir \"$d\"";
        let tried = Command::new("unshare").args(**way).args(["sh", "-c", trial]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    let way = ways.iter().find(can)?;
    let program = std::env::current_exe().ok()?;
    let again = Command::new("unshare")
        .args(*way)
        .arg(program)
        .args(std::env::args_os().skip(1))
        .env(OWN_MOUNTS, "1")
        .status()
        .ok()?;
    Some(again.code().unwrap_or(1))
}

/// The way that there is.
pub(super) fn way() -> Option<Way> {
    if std::env::var_os(OWN_MOUNTS).is_some() {
        Some(Way::Memory)
    } else if cfg!(unix) {
        Some(Way::FileSize)
    } else {
        None
    }
}

/// Makes a folder a disk of its own.
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
        Err(format!("{}: nothing can be mounted there", folder.display()))
    }
}

/// Fills a disk up until so many bytes are left; dropped, these are free again.
pub(super) struct Ballast(PathBuf);

impl Ballast {
    pub(super) fn leave(disk: &Path, bytes: u64) -> Result<Self, String> {
        let ballast = Self(disk.join(BALLAST));
        let say = |e: std::io::Error| format!("{}: {e}", ballast.0.display());
        let mut file = File::create(&ballast.0).map_err(say)?;
        let (block, mut length) = (vec![1; 1 << 16], 0);
        // Until nothing more can be written.
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
        // Where it stays, the next case says so.
        let _ = fs::remove_file(&self.0);
    }
}

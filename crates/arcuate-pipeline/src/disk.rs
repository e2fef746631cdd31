//! Checks of the available disk space.

use arcuate_compute::show_bytes;
use arcuate_core::{Error, Result};
use std::path::Path;

/// Returns an error if the disk of a folder has less than `bytes` bytes of free space. This function is
/// called before long work that would fill the disk. In the error, `what` is the name of the files, and
/// `subject` is the parameter that determines their size. If the free space is unknown, no error is returned.
pub(crate) fn require(bytes: u64, folder: &Path, subject: &str, what: &str, advice: &str) -> Result<()> {
    require_of(bytes, free(folder), subject, what, advice)
}

fn require_of(bytes: u64, free: Option<u64>, subject: &str, what: &str, advice: &str) -> Result<()> {
    match free {
        Some(free) if free < bytes => {
            let problem = format!(
                "{what} need {} of disk space, but only {} are free",
                show_bytes(bytes),
                show_bytes(free)
            );
            Err(Error::invalid(subject, problem, advice))
        }
        _ => Ok(()),
    }
}

/// Returns the free space that the user may use on the disk of `folder`, in bytes.
#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_that_exceed_free_space_are_rejected() {
        let require = |bytes, free| require_of(bytes, free, "‘matrix_format’", "files", "give another");
        assert!(require(1 << 30, Some(1 << 30)).is_ok() && require(u64::MAX, None).is_ok());
        let message = require(3 << 30, Some(1 << 30)).unwrap_err().to_string();
        assert_eq!(
            message,
            "‘matrix_format’: files need 3.00 GiB of disk space, but only 1.00 GiB are free; give another"
        );
    }

    #[cfg(unix)]
    #[test]
    fn free_disk_space_is_known() {
        let here = std::env::temp_dir();
        assert!(free(&here).is_some_and(|bytes| bytes > 0));
        assert!(require(1, &here, "a", "b", "c").is_ok());
        assert!(require(u64::MAX, &here, "a", "b", "c").is_err());
    }
}

//! Whether there is room for what is asked for.

use arcuate_compute::show_bytes;
use arcuate_core::{Error, Result};

/// Says what work takes of the memory, and fails where there is no room for so many bytes, which the parameters `subject` ask for: before work that would find it out
/// late.
pub fn require(bytes: u64, subject: &str, work: &str, advice: &str) -> Result<()> {
    tracing::info!("{work} take {} of memory", show_bytes(bytes));
    if arcuate_io::memory::can_be_had(bytes) {
        return Ok(());
    }
    let problem = format!("{work} need {} of memory, which cannot be had", show_bytes(bytes));
    Err(Error::invalid(subject, problem, advice))
}

/// The most memory that this process has had so far, in bytes; nothing where the system does not say it.
pub(crate) fn largest() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

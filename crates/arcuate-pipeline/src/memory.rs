//! Checks of the available memory.

use arcuate_compute::show_bytes;
use arcuate_core::{Error, Result};

/// Logs that `work` (a short description) needs `bytes` bytes of memory. Returns an error if this memory is
/// not available. This function is called before the work begins, so that a run does not fail after hours.
/// `subject` is the name of the parameters that determine the memory.
pub fn require(bytes: u64, subject: &str, work: &str, advice: &str) -> Result<()> {
    tracing::info!("{work} take {} of memory", show_bytes(bytes));
    if arcuate_io::memory::can_allocate(bytes) {
        return Ok(());
    }
    let problem =
        format!("{work} need {} of memory, which this machine does not have available", show_bytes(bytes));
    Err(Error::invalid(subject, problem, advice))
}

/// Returns the peak memory of this process so far, in bytes. Returns `None` if the operating system does not
/// report the peak memory.
pub(crate) fn largest() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

//! Common parts of tracking on GPUs.

use arcuate_compute::cuda::{CudaError, CudaResult, Gpu};
use arcuate_compute::fallback_is_allowed;
use arcuate_core::{Control, Error, ErrorKind, Result};
use std::ops::Range;

/// Warns that the CPU continues after a GPU error. Returns the error if it is not a device error, or if
/// falling back to the CPU is not allowed.
pub(crate) fn fall_back_to_cpu(error: Error, control: &Control) -> Result<()> {
    let of_device =
        matches!(error.kind(), ErrorKind::Device | ErrorKind::DeviceMemory | ErrorKind::DeviceTooSmall);
    if !of_device || !fallback_is_allowed() {
        return Err(error);
    }
    control.warn(&format!("tracking: the GPU failed ({}); using the CPU instead", error.problem()));
    Ok(())
}

/// Returns an error if a kernel processed fewer than `minimum` streamlines. Without this check, the caller
/// would repeat the call forever.
pub(crate) fn require_processed(gpu: &Gpu, taken: u64, minimum: u64) -> CudaResult<()> {
    if taken >= minimum {
        return Ok(());
    }
    let problem =
        format!("a GPU kernel stopped without an error after {taken} of at least {minimum} streamlines");
    Err(CudaError::Undone { about: gpu.to_string(), problem })
}

/// Returns the range of streamline numbers that one GPU processes. The ranges of all `gpus` GPUs are
/// consecutive.
pub(crate) fn share_of(numbers: &Range<u64>, gpu: usize, gpus: usize) -> Range<u64> {
    let share = (numbers.end - numbers.start).div_ceil(gpus as u64);
    let begin = (numbers.start + gpu as u64 * share).min(numbers.end);
    begin..numbers.end.min(begin + share)
}

//! Work cut to the memory of a GPU.

use arcuate_compute::cuda::{CudaResult, Gpu};
use arcuate_compute::show_bytes;
use arcuate_core::{Error, Result};

/// The first cut whose `bytes` a GPU has, beginning with `cut` and going on with what `smaller` makes of it, until that says there
/// is none. What is cut does not show in results.
///
/// Fails where the smallest does not fit: `what` needs more.
pub(crate) fn fitting<C>(
    gpu: &Gpu,
    what: &str,
    mut cut: C,
    bytes: impl Fn(&C) -> CudaResult<u64>,
    smaller: impl Fn(&mut C) -> bool,
) -> Result<C> {
    let budget = gpu.budget()?;
    loop {
        let needed = bytes(&cut)?;
        if needed <= budget {
            return Ok(cut);
        }
        if !smaller(&mut cut) {
            let problem = format!(
                "{what} need {} of GPU memory at the least, and {} may be used",
                show_bytes(needed),
                show_bytes(budget)
            );
            let advice = "raise the limit, close other programs that use the GPU, or use --device cpu";
            return Err(Error::device_too_small("--device-memory", problem, advice));
        }
    }
}

/// Halves a count down to `least`, in whole multiples of it; false where it is there.
pub(crate) fn halve(count: &mut usize, least: usize) -> bool {
    let is_more = *count > least;
    if is_more {
        *count = (*count / 2).next_multiple_of(least);
    }
    is_more
}

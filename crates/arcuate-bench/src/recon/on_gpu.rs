//! Times products of operators on a GPU.

use crate::outcome::Outcome;
use arcuate_core::Error;
use arcuate_solve::{DeviceNormal, Real};

/// Returns the median time of one application of an operator FᴴF in seconds, measured by the clock of the
/// GPU. All data are in GPU memory.
pub(super) fn product_seconds<T: Real>(
    operator: &dyn DeviceNormal<T>,
    unknowns: &[T],
    turns: usize,
) -> Outcome<f64> {
    let gpu = operator.gpu();
    let stream = gpu.stream()?;
    let unknowns = gpu.upload(&stream, unknowns)?;
    let mut out = gpu.alloc(unknowns.len())?;
    let times = stream.time(turns, || operator.normal(&stream, &unknowns, &mut out))?;
    Ok(times.median())
}

/// Returns the error for a GPU benchmark that was started without a GPU.
pub(super) fn no_gpu(what: &str) -> Error {
    Error::usage(what, "it is of GPUs", "give --recon-on cuda")
}

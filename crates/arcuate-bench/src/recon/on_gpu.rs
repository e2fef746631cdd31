//! Products in a GPU.

use crate::outcome::Outcome;
use arcuate_core::Error;
use arcuate_solve::{DeviceNormal, Real};

/// Median seconds of a product on a GPU in which all lies, by its own clock.
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

/// What a benchmark on GPUs says where there is none.
pub(super) fn no_gpu(what: &str) -> Error {
    Error::usage(what, "it is of GPUs", "give --recon-on cuda")
}

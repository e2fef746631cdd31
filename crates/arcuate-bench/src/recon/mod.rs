//! Reconstruction from non-Cartesian k-space.

mod figure;
mod kirk;
mod ladder;
mod large;

pub(crate) use figure::run as run_figure;
pub(crate) use kirk::run as run_kirk;
pub(crate) use ladder::run as run_ladder;
pub(crate) use large::run as run_large;

use crate::Outcome;
use arcuate_compute::DeviceChoice;
use arcuate_core::Error;
use arcuate_solve::{DeviceNormal, Real};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ReconBenchOptions {
    /// Where images are made (recon-kirk, recon-figure, recon-large)
    #[arg(long, default_value = "cpu")]
    recon_on: DeviceChoice,
    /// Voxels along each axis (recon-figure)
    #[arg(long, default_values_t = [64, 128])]
    voxels: Vec<usize>,
    /// What buffers of a GPU may hold, in GiB (recon-large)
    #[arg(long, default_value_t = 8.0)]
    recon_memory: f64,
    /// Fᴴd of all coils, by exact sums, instead of one coil's (recon-large)
    #[arg(long)]
    all_coils: bool,
}

/// Median seconds of a product on a GPU in which all lies, by its own clock.
fn product_seconds<T: Real>(operator: &dyn DeviceNormal<T>, unknowns: &[T], turns: usize) -> Outcome<f64> {
    let gpu = operator.gpu();
    let stream = gpu.stream()?;
    let unknowns = gpu.upload(&stream, unknowns)?;
    let mut out = gpu.alloc(unknowns.len())?;
    let times = stream.time(turns, || operator.normal(&stream, &unknowns, &mut out))?;
    Ok(times.median())
}

/// What a benchmark on GPUs says where there is none.
fn no_gpu(what: &str) -> Error {
    Error::usage(what, "it is of GPUs", "give --recon-on cuda")
}

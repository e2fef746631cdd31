// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 6d167fdc91d133182efa7b66be18670dc3b38a51d1a5e3bbe6cb70ba2c020824
// products: 217ea62715d4789092f3080742ce0531b742cf6ab5e6c6488623823ebf05c986
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// Launches `solver_total`.
pub(super) unsafe fn solver_total<'a>(
    stream: &Stream,
    grid: Grid,
    blocks: u32,
    maxima: u32,
    partials: impl Into<Input<'a, f64>>,
    totals: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "solver_total")?;
    let arguments = [
        Argument::plain(&blocks),
        Argument::plain(&maxima),
        Argument::from(partials.into()),
        Argument::from(totals.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `solver_norms`.
pub(super) unsafe fn solver_norms<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    pairs: impl Into<Input<'a, f64>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "solver_norms")?;
    let arguments = [Argument::plain(&count), Argument::from(pairs.into()), Argument::from(partials.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `solver_scale`.
pub(super) unsafe fn solver_scale<'a>(
    stream: &Stream,
    grid: Grid,
    largest: impl Into<Input<'a, f64>>,
    bound: f64,
    scale: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "solver_scale")?;
    let arguments = [Argument::from(largest.into()), Argument::plain(&bound), Argument::from(scale.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `solver_add`.
pub(super) unsafe fn solver_add<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    sums: impl Into<Output<'a, u64>>,
    others: impl Into<Input<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "solver_add")?;
    let arguments = [Argument::plain(&count), Argument::from(sums.into()), Argument::from(others.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

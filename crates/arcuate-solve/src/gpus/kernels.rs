// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 0abbe6bcab3ce7aead08fd0c347a62e2a87de6300ed923222b9f359358e43371
// Hash of the generated code: dc14d37c0c481357e5d47c15a40d0831a8b11676c95a0eb2cdd16de340bd47ec
//! The kernels of `kernels.cu`. Each function launches one kernel on a stream.
//!
//! # Safety
//!
//! The caller must ensure what [`Stream::launch`] requires, except that the types are already correct. Above
//! all, each buffer must be as long as the kernel assumes.
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

// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 51ebe0e4ffbfc411471ba9042a6636ceedbd1bd02a6aa1d91ae4d9f8d766b567
// Hash of the generated code: a78ed04257d1e6e9c3ffb295b37449254422169827ab7a75da1d3affe6fc571d
//! The kernels of `kernels.cu`. Each function launches one kernel on a stream.
//!
//! # Safety
//!
//! The caller must ensure what [`Stream::launch`] requires, except that the types are already correct. Above
//! all, each buffer must be as long as the kernel assumes.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Precision, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// Launches `non_negative_step_f32` or `non_negative_step_f64`.
pub(super) unsafe fn non_negative_step<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    length: f64,
    direction: impl Into<Input<'a, T>>,
    weights: impl Into<Output<'a, T>>,
    taken: impl Into<Output<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("non_negative_step_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&length),
        Argument::from(direction.into()),
        Argument::from(weights.into()),
        Argument::from(taken.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `non_negative_subspace_f32` or `non_negative_subspace_f64`.
pub(super) unsafe fn non_negative_subspace<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    gradient: impl Into<Input<'a, T>>,
    weights: impl Into<Input<'a, T>>,
    direction: impl Into<Output<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("non_negative_subspace_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::from(gradient.into()),
        Argument::from(weights.into()),
        Argument::from(direction.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `non_negative_collect_f32` or `non_negative_collect_f64`.
pub(super) unsafe fn non_negative_collect<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    what: u32,
    l1: f64,
    sums: impl Into<Output<'a, u64>>,
    others: impl Into<Input<'a, u64>>,
    scale: impl Into<Input<'a, f64>>,
    fixed: impl Into<Input<'a, u8>>,
    gradient: impl Into<Output<'a, T>>,
    weights: impl Into<Input<'a, T>>,
    taken: impl Into<Input<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("non_negative_collect_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&what),
        Argument::plain(&l1),
        Argument::from(sums.into()),
        Argument::from(others.into()),
        Argument::from(scale.into()),
        Argument::from(fixed.into()),
        Argument::from(gradient.into()),
        Argument::from(weights.into()),
        Argument::from(taken.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `non_negative_residual_f32` or `non_negative_residual_f64`.
pub(super) unsafe fn non_negative_residual<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u64,
    fresh: u32,
    measured: impl Into<Input<'a, T>>,
    data: impl Into<Output<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("non_negative_residual_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&fresh),
        Argument::from(measured.into()),
        Argument::from(data.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `non_negative_promised_f32` or `non_negative_promised_f64`.
pub(super) unsafe fn non_negative_promised<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    gradient: impl Into<Input<'a, T>>,
    before: impl Into<Input<'a, T>>,
    now: impl Into<Input<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("non_negative_promised_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::from(gradient.into()),
        Argument::from(before.into()),
        Argument::from(now.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

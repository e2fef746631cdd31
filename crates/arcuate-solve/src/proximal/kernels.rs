// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 79c7454b4aa4aeb993b54fed71e39b28c5383f34641d2f8b63844be91a4565e8
// Hash of the generated code: 3fadd654c0d94231bc8378322bb64f998d0af46030e854e53ecebb4827e9b40b
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

/// Launches `proximal_step_f32` or `proximal_step_f64`.
pub(super) unsafe fn proximal_step<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    length: f64,
    momentum: f64,
    non_negative: u32,
    now: impl Into<Input<'a, T>>,
    before: impl Into<Input<'a, T>>,
    gradient: impl Into<Input<'a, T>>,
    gradient_before: impl Into<Input<'a, T>>,
    l1: impl Into<Input<'a, T>>,
    next: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("proximal_step_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&length),
        Argument::plain(&momentum),
        Argument::plain(&non_negative),
        Argument::from(now.into()),
        Argument::from(before.into()),
        Argument::from(gradient.into()),
        Argument::from(gradient_before.into()),
        Argument::from(l1.into()),
        Argument::from(next.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `proximal_groups_f32` or `proximal_groups_f64`.
pub(super) unsafe fn proximal_groups<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    length: f64,
    starts: impl Into<Input<'a, u32>>,
    members: impl Into<Input<'a, u32>>,
    weights: impl Into<Input<'a, f64>>,
    next: impl Into<Output<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("proximal_groups_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&length),
        Argument::from(starts.into()),
        Argument::from(members.into()),
        Argument::from(weights.into()),
        Argument::from(next.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `proximal_moved_f32` or `proximal_moved_f64`.
pub(super) unsafe fn proximal_moved<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    momentum: f64,
    now: impl Into<Input<'a, T>>,
    before: impl Into<Input<'a, T>>,
    next: impl Into<Input<'a, T>>,
    l1: impl Into<Input<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("proximal_moved_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&momentum),
        Argument::from(now.into()),
        Argument::from(before.into()),
        Argument::from(next.into()),
        Argument::from(l1.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `proximal_residual_f32` or `proximal_residual_f64`.
pub(super) unsafe fn proximal_residual<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u64,
    momentum: f64,
    measured: impl Into<Input<'a, T>>,
    now: impl Into<Input<'a, T>>,
    before: impl Into<Input<'a, T>>,
    next: impl Into<Output<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("proximal_residual_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&momentum),
        Argument::from(measured.into()),
        Argument::from(now.into()),
        Argument::from(before.into()),
        Argument::from(next.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `proximal_gradient_f32` or `proximal_gradient_f64`.
pub(super) unsafe fn proximal_gradient<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    sums: impl Into<Output<'a, u64>>,
    others: impl Into<Input<'a, u64>>,
    scale: impl Into<Input<'a, f64>>,
    gradient: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("proximal_gradient_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::from(sums.into()),
        Argument::from(others.into()),
        Argument::from(scale.into()),
        Argument::from(gradient.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

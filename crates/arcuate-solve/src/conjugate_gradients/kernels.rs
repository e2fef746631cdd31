// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 998979ad0923f20d4140d7399d28c1d0682d973c9b64f54d3244ef00e962f19b
// Hash of the generated code: 0cbda72e043b58bdeb89d9e4b0401878c152e1c44a0c9446c376c57ab1e2c818
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

/// Launches `gradients_begin_f32` or `gradients_begin_f64`.
pub(super) unsafe fn gradients_begin<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u64,
    right_side: impl Into<Input<'a, T>>,
    image: impl Into<Input<'a, T>>,
    x: impl Into<Input<'a, T>>,
    residual: impl Into<Output<'a, T>>,
    direction: impl Into<Output<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("gradients_begin_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::from(right_side.into()),
        Argument::from(image.into()),
        Argument::from(x.into()),
        Argument::from(residual.into()),
        Argument::from(direction.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `gradients_curvature_f32` or `gradients_curvature_f64`.
pub(super) unsafe fn gradients_curvature<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u64,
    lambda: f64,
    direction: impl Into<Input<'a, T>>,
    penalty: impl Into<Input<'a, T>>,
    image: impl Into<Output<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("gradients_curvature_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&lambda),
        Argument::from(direction.into()),
        Argument::from(penalty.into()),
        Argument::from(image.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `gradients_step_f32` or `gradients_step_f64`.
pub(super) unsafe fn gradients_step<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u64,
    square: impl Into<Input<'a, f64>>,
    curvature: impl Into<Input<'a, f64>>,
    right_side: impl Into<Input<'a, T>>,
    direction: impl Into<Input<'a, T>>,
    image: impl Into<Input<'a, T>>,
    x: impl Into<Output<'a, T>>,
    residual: impl Into<Output<'a, T>>,
    partials: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("gradients_step_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::from(square.into()),
        Argument::from(curvature.into()),
        Argument::from(right_side.into()),
        Argument::from(direction.into()),
        Argument::from(image.into()),
        Argument::from(x.into()),
        Argument::from(residual.into()),
        Argument::from(partials.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `gradients_turn_f32` or `gradients_turn_f64`.
pub(super) unsafe fn gradients_turn<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u64,
    square: impl Into<Input<'a, f64>>,
    next: impl Into<Input<'a, f64>>,
    residual: impl Into<Input<'a, T>>,
    direction: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("gradients_turn_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::from(square.into()),
        Argument::from(next.into()),
        Argument::from(residual.into()),
        Argument::from(direction.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 3b5fcd65d6cc9476f42826cc3efb3cc653758df9d6e8107a1bc584d03f7d0ea8
// Hash of the generated code: 3db774e4a75db7acfdfa279e3d38e329ff75a6e7f44729f36fd446f757c90749
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

/// `struct ScatteredPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct ScatteredPlan {
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) to_count: u32,
    pub(super) resumes: u32,
    pub(super) goes_on: u32,
}

/// Launches `scattered_hardware`.
pub(super) unsafe fn scattered_hardware<'a>(
    stream: &Stream,
    grid: Grid,
    plan: ScatteredPlan,
    from: impl Into<Input<'a, [i32; 4]>>,
    values: impl Into<Input<'a, [f32; 2]>>,
    to: impl Into<Input<'a, [i32; 4]>>,
    factor: f32,
    out: impl Into<Output<'a, [f32; 2]>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "scattered_hardware")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(from.into()),
        Argument::from(values.into()),
        Argument::from(to.into()),
        Argument::plain(&factor),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `scattered_own`.
pub(super) unsafe fn scattered_own<'a>(
    stream: &Stream,
    grid: Grid,
    plan: ScatteredPlan,
    from: impl Into<Input<'a, [i32; 4]>>,
    values: impl Into<Input<'a, [f32; 2]>>,
    to: impl Into<Input<'a, [i32; 4]>>,
    factor: f32,
    out: impl Into<Output<'a, [f32; 2]>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "scattered_own")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(from.into()),
        Argument::from(values.into()),
        Argument::from(to.into()),
        Argument::plain(&factor),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `scattered_near_hardware`.
pub(super) unsafe fn scattered_near_hardware<'a>(
    stream: &Stream,
    grid: Grid,
    plan: ScatteredPlan,
    from: impl Into<Input<'a, [i32; 4]>>,
    values: impl Into<Input<'a, [f32; 2]>>,
    middles: impl Into<Input<'a, [i32; 4]>>,
    to: impl Into<Input<'a, [i32; 4]>>,
    factor: f32,
    out: impl Into<Output<'a, [f32; 2]>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "scattered_near_hardware")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(from.into()),
        Argument::from(values.into()),
        Argument::from(middles.into()),
        Argument::from(to.into()),
        Argument::plain(&factor),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `scattered_near_own`.
pub(super) unsafe fn scattered_near_own<'a>(
    stream: &Stream,
    grid: Grid,
    plan: ScatteredPlan,
    from: impl Into<Input<'a, [i32; 4]>>,
    values: impl Into<Input<'a, [f32; 2]>>,
    middles: impl Into<Input<'a, [i32; 4]>>,
    to: impl Into<Input<'a, [i32; 4]>>,
    factor: f32,
    out: impl Into<Output<'a, [f32; 2]>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "scattered_near_own")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(from.into()),
        Argument::from(values.into()),
        Argument::from(middles.into()),
        Argument::from(to.into()),
        Argument::plain(&factor),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `scattered_double`.
pub(super) unsafe fn scattered_double<'a>(
    stream: &Stream,
    grid: Grid,
    plan: ScatteredPlan,
    from: impl Into<Input<'a, [f64; 4]>>,
    values: impl Into<Input<'a, [f64; 2]>>,
    to: impl Into<Input<'a, [f64; 4]>>,
    factor: f64,
    out: impl Into<Output<'a, [f64; 2]>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "scattered_double")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(from.into()),
        Argument::from(values.into()),
        Argument::from(to.into()),
        Argument::plain(&factor),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 64566bda8c46365381af0caf5dcef0213686a9b01b893a9090a6b19440743cbf
// Hash of the generated code: 00217c4dfc7f42e82f1d555a3dd774e94ce3c9f59ce66428d28045e75c0ba815
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

/// `struct Recipe` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Recipe {
    pub(super) factors: [f64; 4],
    pub(super) first: u64,
    pub(super) offsets: [f32; 2],
    pub(super) count: u32,
    pub(super) sign: i32,
}

/// Launches `compute_test_number`.
pub(super) unsafe fn compute_test_number<'a>(
    stream: &Stream,
    grid: Grid,
    numbers: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "compute_test_number")?;
    let arguments = [Argument::from(numbers.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `compute_test_scale`.
pub(super) unsafe fn compute_test_scale<'a>(
    stream: &Stream,
    grid: Grid,
    x: impl Into<Input<'a, f32>>,
    y: impl Into<Output<'a, f64>>,
    count: u32,
    first: i64,
    scale: f32,
    offset: f64,
    add: i32,
    nothing: impl Into<Input<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "compute_test_scale")?;
    let arguments = [
        Argument::from(x.into()),
        Argument::from(y.into()),
        Argument::plain(&count),
        Argument::plain(&first),
        Argument::plain(&scale),
        Argument::plain(&offset),
        Argument::plain(&add),
        Argument::from(nothing.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `compute_test_recipe`.
pub(super) unsafe fn compute_test_recipe<'a>(
    stream: &Stream,
    grid: Grid,
    recipe: Recipe,
    y: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "compute_test_recipe")?;
    let arguments = [Argument::plain(&recipe), Argument::from(y.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `compute_test_add` of these: `f32_1`, `f32_2`, `f64_1`, `f64_2`.
pub(super) unsafe fn compute_test_add<'a, T: Precision>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    count: u32,
    more: T,
    x: impl Into<Input<'a, T>>,
    y: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("compute_test_add_{}_{}", T::NAME, numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments =
        [Argument::plain(&count), Argument::plain(&more), Argument::from(x.into()), Argument::from(y.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `compute_test_increment`.
pub(super) unsafe fn compute_test_increment<'a>(
    stream: &Stream,
    grid: Grid,
    values: impl Into<Output<'a, u32>>,
    count: u32,
    rounds: u32,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "compute_test_increment")?;
    let arguments = [Argument::from(values.into()), Argument::plain(&count), Argument::plain(&rounds)];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `compute_test_sum`.
pub(super) unsafe fn compute_test_sum<'a>(
    stream: &Stream,
    grid: Grid,
    values: impl Into<Input<'a, f32>>,
    count: u32,
    shared: u32,
    sums: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "compute_test_sum")?;
    let arguments = [
        Argument::from(values.into()),
        Argument::plain(&count),
        Argument::plain(&shared),
        Argument::from(sums.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

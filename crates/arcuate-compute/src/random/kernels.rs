// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 1d0325df86572d1af2dab14e19e73f1e1a2d00b2b463fbe78f9a4393a321fe49
// Hash of the generated code: b4bde6b0a48317426776116e68761a5517fd78aa10e532a9c39998bc6d4920bd
//! The kernels of `kernels.cu`. Each function launches one kernel on a stream.
//!
//! # Safety
//!
//! The caller must ensure what [`Stream::launch`] requires, except that the types are already correct. Above
//! all, each buffer must be as long as the kernel assumes.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, KernelImages, Output, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// `struct Wanted` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Wanted {
    pub(super) seed: u64,
    pub(super) purpose: u64,
    pub(super) first: u64,
    pub(super) items: u64,
    pub(super) first_draw: u64,
    pub(super) draws: u64,
    pub(super) parameter: f64,
}

/// Launches `random_uniform`.
pub(super) unsafe fn random_uniform<'a>(
    stream: &Stream,
    grid: Grid,
    wanted: Wanted,
    values: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "random_uniform")?;
    let arguments = [Argument::plain(&wanted), Argument::from(values.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `random_below`.
pub(super) unsafe fn random_below<'a>(
    stream: &Stream,
    grid: Grid,
    wanted: Wanted,
    values: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "random_below")?;
    let arguments = [Argument::plain(&wanted), Argument::from(values.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `random_normal`.
pub(super) unsafe fn random_normal<'a>(
    stream: &Stream,
    grid: Grid,
    wanted: Wanted,
    values: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "random_normal")?;
    let arguments = [Argument::plain(&wanted), Argument::from(values.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `random_exponential`.
pub(super) unsafe fn random_exponential<'a>(
    stream: &Stream,
    grid: Grid,
    wanted: Wanted,
    values: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "random_exponential")?;
    let arguments = [Argument::plain(&wanted), Argument::from(values.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `random_gamma`.
pub(super) unsafe fn random_gamma<'a>(
    stream: &Stream,
    grid: Grid,
    wanted: Wanted,
    values: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "random_gamma")?;
    let arguments = [Argument::plain(&wanted), Argument::from(values.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `random_on_sphere`.
pub(super) unsafe fn random_on_sphere<'a>(
    stream: &Stream,
    grid: Grid,
    wanted: Wanted,
    values: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "random_on_sphere")?;
    let arguments = [Argument::plain(&wanted), Argument::from(values.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

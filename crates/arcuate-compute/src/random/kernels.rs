// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 284b81130f8f1be9e1286eaacae2646353bc5b5ec6a737c1d3b9ae54bab958c1
// products: 54c7e293c5352e0dc1cf7f19c943b7f3f235ef1af1e43d168bd9f44af2e1f09a
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
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

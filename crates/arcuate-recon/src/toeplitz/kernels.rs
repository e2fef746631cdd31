// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: e5a20a88d849a7c671a9f04c83ed209a1f2fa17d26548477312466fb3265c333
// products: a5ffe9eab58e35795bb31f652e16a230d5b521e47e83aa6695fbc691cc7a619d
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Precision, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// `struct SpectrumPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct SpectrumPlan {
    pub(super) count: u64,
    pub(super) length_x: u32,
    pub(super) length_z: u32,
    pub(super) plane: u32,
    pub(super) first_x: u32,
    pub(super) lag_x: u32,
    pub(super) lag_z: u32,
}

/// Launches `toeplitz_spectrum_f32` or `toeplitz_spectrum_f64`.
pub(super) unsafe fn toeplitz_spectrum<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    plan: SpectrumPlan,
    factor: T,
    of_x: impl Into<Input<'a, T>>,
    of_z: impl Into<Input<'a, T>>,
    values: impl Into<Input<'a, T>>,
    out: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("toeplitz_spectrum_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::plain(&factor),
        Argument::from(of_x.into()),
        Argument::from(of_z.into()),
        Argument::from(values.into()),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `toeplitz_halve_f32` or `toeplitz_halve_f64`.
pub(super) unsafe fn toeplitz_halve<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    count: u64,
    row: u64,
    stride: u64,
    lags: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("toeplitz_halve_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&row),
        Argument::plain(&stride),
        Argument::from(lags.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

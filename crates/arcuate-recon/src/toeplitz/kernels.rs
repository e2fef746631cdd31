// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 95c041a8883af92b02645412d583878ab5198ac65dec43eb9354a5ee9bd0f326
// Hash of the generated code: 64f69e102a1e046f7b693c76916946edf508b6e7bda175ddec3e611ecc88d5bb
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

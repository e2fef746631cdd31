// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 4f8b2919caa5c07e98b07442eaeca6f272ac252f628d2a37174ac2d9adde4a31
// Hash of the generated code: 65a5f74ad7ec6e3b9cc3ac19d5f6ed67a6ea1d6db1a8c929cc691c60e526920a
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

/// `struct TransformPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct TransformPlan {
    pub(super) radices: u64,
    pub(super) in_outer: u64,
    pub(super) out_outer: u64,
    pub(super) in_summed: u64,
    pub(super) map_stride: u64,
    pub(super) length: u32,
    pub(super) count_in: u32,
    pub(super) count_out: u32,
    pub(super) stages: u32,
    pub(super) columns: u32,
    pub(super) inner_count: u32,
    pub(super) in_inner: u32,
    pub(super) in_element: u32,
    pub(super) out_inner: u32,
    pub(super) out_element: u32,
    pub(super) block_columns: u32,
    pub(super) pitch: u32,
    pub(super) summed: u32,
    pub(super) spectrum_columns: u32,
    pub(super) flags: u32,
    pub(super) adds: u32,
}

/// Launches `fourier_transform` of these: `f32_0`, `f32_128`, `f32_192`, `f32_256`, `f32_384`, `f32_512`,
/// `f64_0`.
pub(super) unsafe fn fourier_transform<'a, T: Precision>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    plan: TransformPlan,
    twiddles: impl Into<Input<'a, T>>,
    maps: impl Into<Input<'a, T>>,
    r#in: impl Into<Input<'a, T>>,
    out: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("fourier_transform_{}_{}", T::NAME, numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(twiddles.into()),
        Argument::from(maps.into()),
        Argument::from(r#in.into()),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `fourier_convolve` of these: `f32_0`, `f32_128`, `f32_192`, `f32_256`, `f32_384`, `f32_512`,
/// `f64_0`.
pub(super) unsafe fn fourier_convolve<'a, T: Precision>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    plan: TransformPlan,
    twiddles: impl Into<Input<'a, T>>,
    spectrum: impl Into<Input<'a, T>>,
    r#in: impl Into<Input<'a, T>>,
    out: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("fourier_convolve_{}_{}", T::NAME, numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(twiddles.into()),
        Argument::from(spectrum.into()),
        Argument::from(r#in.into()),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

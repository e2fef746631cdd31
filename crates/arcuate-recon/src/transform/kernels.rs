// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 04719ba3ce3b177978fae0c683ac61f28bd07961136b571f904762b8555b449a
// products: 7ae52d551d4e4eb82df096b1145cd9e965ba980bd04660258c863baf225dfbed
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
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

/// Launches `fourier_transform_f32` or `fourier_transform_f64`.
pub(super) unsafe fn fourier_transform<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    plan: TransformPlan,
    twiddles: impl Into<Input<'a, T>>,
    maps: impl Into<Input<'a, T>>,
    r#in: impl Into<Input<'a, T>>,
    out: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("fourier_transform_{}", T::NAME);
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

/// Launches `fourier_convolve_f32` or `fourier_convolve_f64`.
pub(super) unsafe fn fourier_convolve<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    plan: TransformPlan,
    twiddles: impl Into<Input<'a, T>>,
    spectrum: impl Into<Input<'a, T>>,
    r#in: impl Into<Input<'a, T>>,
    out: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("fourier_convolve_{}", T::NAME);
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

// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 63ac328263b3b66c55fd51290e10d726a0dbcab4a71180b1fe6e13568adc7246
// Hash of the generated code: 6d4d306fdd7c37bc2636a6f65abaf9834e07fb8bbe3dfbba44f56ec7c154e4c2
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

/// `struct MultiTissuePlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct MultiTissuePlan {
    pub(super) voxels: u32,
    pub(super) measurements: u32,
    pub(super) count: u32,
    pub(super) stride: u32,
    pub(super) rows: u32,
    pub(super) steps: u32,
    pub(super) outside: u64,
    pub(super) tolerance: f64,
    pub(super) dependent: f64,
}

/// Launches `multi_tissue_fit`.
pub(super) unsafe fn multi_tissue_fit<'a>(
    stream: &Stream,
    grid: Grid,
    plan: MultiTissuePlan,
    signals: impl Into<Input<'a, f32>>,
    forward: impl Into<Input<'a, f64>>,
    factor: impl Into<Input<'a, f64>>,
    rows: impl Into<Input<'a, f64>>,
    columns: impl Into<Input<'a, f64>>,
    alike: impl Into<Input<'a, u32>>,
    matrices: impl Into<Output<'a, f64>>,
    coefficients: impl Into<Output<'a, f32>>,
    ends: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "multi_tissue_fit")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(signals.into()),
        Argument::from(forward.into()),
        Argument::from(factor.into()),
        Argument::from(rows.into()),
        Argument::from(columns.into()),
        Argument::from(alike.into()),
        Argument::from(matrices.into()),
        Argument::from(coefficients.into()),
        Argument::from(ends.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 134dee69cfc08dd58a368ac220beca4abc03ce3f1884ccfce99632acbe315bb5
// Hash of the generated code: 14439a9c1dc04ea6d1280a2e5c5cecdff1ec273b0e90c9d54b66df99358a4be6
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

/// `struct DifferencesPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct DifferencesPlan {
    pub(super) voxels: u64,
    pub(super) step_0: u64,
    pub(super) step_1: u64,
    pub(super) step_2: u64,
    pub(super) axes: u64,
}

/// Launches `differences_normal_f32` or `differences_normal_f64`.
pub(super) unsafe fn differences_normal<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    plan: DifferencesPlan,
    weights: impl Into<Input<'a, T>>,
    x: impl Into<Input<'a, T>>,
    out: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("differences_normal_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(weights.into()),
        Argument::from(x.into()),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

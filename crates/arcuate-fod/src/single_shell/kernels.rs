// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 27343c6c2972899ffe3a4cb2597d70f51b05e4f5fd5bbfff68497d24e7e57618
// Hash of the generated code: df285c3dd0aefdd67b61712e1c99896791279e6ed66c44eee1b19dd0e8bf363a
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

/// `struct SingleShellPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct SingleShellPlan {
    pub(super) voxels: u32,
    pub(super) series: u32,
    pub(super) shell: u32,
    pub(super) count: u32,
    pub(super) stride: u32,
    pub(super) beginning_count: u32,
    pub(super) constraints: u32,
    pub(super) iterations: u32,
    pub(super) outside: u64,
    pub(super) threshold: f64,
    pub(super) singular: f64,
}

/// Launches `single_shell_fit`.
pub(super) unsafe fn single_shell_fit<'a>(
    stream: &Stream,
    grid: Grid,
    plan: SingleShellPlan,
    signals: impl Into<Input<'a, f32>>,
    shell: impl Into<Input<'a, u32>>,
    beginning: impl Into<Input<'a, f64>>,
    forward: impl Into<Input<'a, f64>>,
    start: impl Into<Input<'a, f64>>,
    constraints: impl Into<Input<'a, f64>>,
    constraint_columns: impl Into<Input<'a, f64>>,
    places: impl Into<Input<'a, u32>>,
    matrices: impl Into<Output<'a, f64>>,
    coefficients: impl Into<Output<'a, f32>>,
    ends: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "single_shell_fit")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(signals.into()),
        Argument::from(shell.into()),
        Argument::from(beginning.into()),
        Argument::from(forward.into()),
        Argument::from(start.into()),
        Argument::from(constraints.into()),
        Argument::from(constraint_columns.into()),
        Argument::from(places.into()),
        Argument::from(matrices.into()),
        Argument::from(coefficients.into()),
        Argument::from(ends.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

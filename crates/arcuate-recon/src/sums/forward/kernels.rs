// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: c5f39f2dc06565f0f632d186bf9c5efb19901fe68cae213ded205f5281a5346e
// Hash of the generated code: c4f1c26d1ce2140f1855239a0705a7d27147e39b7bdda7ee7741084c8df43823
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

/// `struct ForwardPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct ForwardPlan {
    pub(super) nx: u32,
    pub(super) ny: u32,
    pub(super) nz: u32,
    pub(super) samples: u32,
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) fragments: u32,
    pub(super) column_tiles: u32,
    pub(super) first_tile: u32,
    pub(super) tiles: u32,
    pub(super) resumes: u32,
    pub(super) goes_on: u32,
}

/// Launches `forward_rows`.
pub(super) unsafe fn forward_rows<'a>(
    stream: &Stream,
    grid: Grid,
    plan: ForwardPlan,
    steps: impl Into<Input<'a, u32>>,
    table: impl Into<Output<'a, [u32; 4]>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "forward_rows")?;
    let arguments = [Argument::plain(&plan), Argument::from(steps.into()), Argument::from(table.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `forward_columns`.
pub(super) unsafe fn forward_columns<'a>(
    stream: &Stream,
    grid: Grid,
    plan: ForwardPlan,
    scale: f32,
    image: impl Into<Input<'a, [f32; 2]>>,
    table: impl Into<Output<'a, [u32; 4]>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "forward_columns")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::plain(&scale),
        Argument::from(image.into()),
        Argument::from(table.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `forward_sums`.
pub(super) unsafe fn forward_sums<'a>(
    stream: &Stream,
    grid: Grid,
    plan: ForwardPlan,
    rows: impl Into<Input<'a, [u32; 4]>>,
    columns: impl Into<Input<'a, [u32; 4]>>,
    along_x: impl Into<Input<'a, u32>>,
    along_y: impl Into<Input<'a, u32>>,
    along_z: impl Into<Input<'a, u32>>,
    scale: f32,
    sums: impl Into<Output<'a, [f32; 2]>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "forward_sums")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(rows.into()),
        Argument::from(columns.into()),
        Argument::from(along_x.into()),
        Argument::from(along_y.into()),
        Argument::from(along_z.into()),
        Argument::plain(&scale),
        Argument::from(sums.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

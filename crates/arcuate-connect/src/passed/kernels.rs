// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 71263fa214603e1322222625469c388e3f8f819f0ad2c1241800d4e1edd49040
// Hash of the generated code: fdb0750d0cc3d969f14a9fdf7540edcfb5a6870848e1ed4952e1ece450e1da2f
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

/// `struct Meeting` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Meeting {
    pub(super) each: u64,
    pub(super) first_row: u64,
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) lattices: u32,
    pub(super) triangles: u32,
    pub(super) is_square: u32,
    pub(super) unused: u32,
}

/// `struct ElementCells` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct ElementCells {
    pub(super) affine: [f32; 12],
    pub(super) warp_affine: [f32; 12],
    pub(super) warp_shape: [i32; 3],
    pub(super) warp_at: u32,
    pub(super) least: [i32; 3],
    pub(super) shape: [i32; 3],
    pub(super) edge: u32,
    pub(super) near: i32,
    pub(super) division: u32,
}

/// Launches `met_rows` of these: `0`, `1`.
pub(super) unsafe fn met_rows<'a>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    run: Meeting,
    streamlines: u64,
    spans: impl Into<Input<'a, super::StreamlineSpan>>,
    positions: impl Into<Input<'a, f32>>,
    lattices: impl Into<Input<'a, super::ElementGrid>>,
    voxels: impl Into<Input<'a, u32>>,
    lists: impl Into<Input<'a, u32>>,
    listed: impl Into<Input<'a, u32>>,
    warps: impl Into<Input<'a, [f32; 4]>>,
    cells: ElementCells,
    first: impl Into<Input<'a, u32>>,
    list: impl Into<Input<'a, super::ListedTriangle>>,
    triangles: impl Into<Input<'a, super::Triangle>>,
    rows_of_seeds: impl Into<Input<'a, u32>>,
    counts: impl Into<Output<'a, u32>>,
    steps: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let name = format!("met_rows_{}", numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&run),
        Argument::plain(&streamlines),
        Argument::from(spans.into()),
        Argument::from(positions.into()),
        Argument::from(lattices.into()),
        Argument::from(voxels.into()),
        Argument::from(lists.into()),
        Argument::from(listed.into()),
        Argument::from(warps.into()),
        Argument::plain(&cells),
        Argument::from(first.into()),
        Argument::from(list.into()),
        Argument::from(triangles.into()),
        Argument::from(rows_of_seeds.into()),
        Argument::from(counts.into()),
        Argument::from(steps.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `met_row_sizes`.
pub(super) unsafe fn met_row_sizes<'a>(
    stream: &Stream,
    grid: Grid,
    columns: u32,
    counts: impl Into<Input<'a, u32>>,
    sizes: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "met_row_sizes")?;
    let arguments = [Argument::plain(&columns), Argument::from(counts.into()), Argument::from(sizes.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `met_row_entries`.
pub(super) unsafe fn met_row_entries<'a>(
    stream: &Stream,
    grid: Grid,
    first: u32,
    columns: u32,
    counts: impl Into<Input<'a, u32>>,
    steps: impl Into<Input<'a, u64>>,
    begins: impl Into<Input<'a, u64>>,
    entry_columns: impl Into<Output<'a, u32>>,
    entry_counts: impl Into<Output<'a, u32>>,
    entry_steps: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "met_row_entries")?;
    let arguments = [
        Argument::plain(&first),
        Argument::plain(&columns),
        Argument::from(counts.into()),
        Argument::from(steps.into()),
        Argument::from(begins.into()),
        Argument::from(entry_columns.into()),
        Argument::from(entry_counts.into()),
        Argument::from(entry_steps.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

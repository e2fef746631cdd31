// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 25b8107759b32788a16971afddc1310f98751b3f26601667dc5d9a7f8304ba65
// products: 344a7137a5504b3e9b62de0d6146db5791500d3c3a9367d242b46a412797d677
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
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
}

/// Launches `met_rows`.
pub(super) unsafe fn met_rows<'a>(
    stream: &Stream,
    grid: Grid,
    run: Meeting,
    streamlines: u64,
    spans: impl Into<Input<'a, super::StreamlineSpan>>,
    positions: impl Into<Input<'a, f32>>,
    lattices: impl Into<Input<'a, super::ElementLattice>>,
    voxels: impl Into<Input<'a, u32>>,
    lists: impl Into<Input<'a, u32>>,
    listed: impl Into<Input<'a, u32>>,
    warps: impl Into<Input<'a, [f32; 4]>>,
    cells: ElementCells,
    first: impl Into<Input<'a, u32>>,
    list: impl Into<Input<'a, u32>>,
    triangles: impl Into<Input<'a, super::Triangle>>,
    rows_of_seeds: impl Into<Input<'a, u32>>,
    counts: impl Into<Output<'a, u32>>,
    steps: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "met_rows")?;
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

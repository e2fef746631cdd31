// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 05dcec1b5058b208a46fe023b848c078f2ff25e03450da71dc560e5d39ddc6ed
// products: 6ce391511e08b31abf6062a5f22d7c7fd1b6c2fe505a47320a0c86852048270c
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// Numbers as the kernels have them, which may be alone in using some.
#[allow(dead_code)]
pub(super) mod constants {
    pub(in super::super) const FORWARD: u32 = 1;
    pub(in super::super) const CARRY: u32 = 2;
    pub(in super::super) const ADJOINT: u32 = 4;
    pub(in super::super) const TILE_THREADS: u32 = 256;
    pub(in super::super) const TILE_WARPS: u32 = 8;
    pub(in super::super) const VOXEL_WARPS: u32 = 2;
    pub(in super::super) const COLUMN_WARPS: u32 = 4;
    pub(in super::super) const VOXEL_TILES: u32 = 4;
    pub(in super::super) const VOXELS: u32 = 128;
    pub(in super::super) const ATOMS: u32 = 96;
    pub(in super::super) const STRIDE: u32 = 104;
    pub(in super::super) const ATOM_TILES: u32 = 3;
    pub(in super::super) const SEGMENT: u32 = 2496;
    pub(in super::super) const GROUPS_PER_THREAD: u32 = 3;
}

/// `struct Launch` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Launch {
    pub(super) mode: u32,
    pub(super) first_place: u32,
    pub(super) first_coefficient: u32,
    pub(super) voxels: u32,
    pub(super) directions: u32,
    pub(super) atoms: u32,
    pub(super) unit_of_dictionary: f32,
}

/// Launches `sparse_tucker_tiles` of these: `32`, `64`, `96`.
pub(super) unsafe fn sparse_tucker_tiles<'a>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    launch: Launch,
    tile_order: impl Into<Input<'a, u32>>,
    tile_segments: impl Into<Input<'a, u32>>,
    segment_starts: impl Into<Input<'a, u32>>,
    segment_facts: impl Into<Input<'a, u32>>,
    cells: impl Into<Input<'a, u16>>,
    members: impl Into<Input<'a, u32>>,
    values: impl Into<Input<'a, f32>>,
    forward_fragments: impl Into<Input<'a, [u32; 4]>>,
    adjoint_fragments: impl Into<Input<'a, [u32; 4]>>,
    weights: impl Into<Input<'a, f32>>,
    data: impl Into<Output<'a, f32>>,
    sums: impl Into<Output<'a, u64>>,
    scale_of_sums: impl Into<Input<'a, f64>>,
    norms: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("sparse_tucker_tiles_{}", numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&launch),
        Argument::from(tile_order.into()),
        Argument::from(tile_segments.into()),
        Argument::from(segment_starts.into()),
        Argument::from(segment_facts.into()),
        Argument::from(cells.into()),
        Argument::from(members.into()),
        Argument::from(values.into()),
        Argument::from(forward_fragments.into()),
        Argument::from(adjoint_fragments.into()),
        Argument::from(weights.into()),
        Argument::from(data.into()),
        Argument::from(sums.into()),
        Argument::from(scale_of_sums.into()),
        Argument::from(norms.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 3bbdd5a2085244b5c6a0c1072d8ed6a2e04df1312f70777d1697041a30cc1a59
// Hash of the generated code: e6081d340e9fd9922e17fc8a280eb1ca8ae03896e09411c194714bdb9fd075d3
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

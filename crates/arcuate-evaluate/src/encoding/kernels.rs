// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 21dcb6742827e4d4cdab2e883b9c10aeef4ba2f08d62f45daceea8bfc59a8116
// Hash of the generated code: 35eebd96ae341f4a017384b60ec2615fa61aaa0aa1c2f8d87b6ca5b0a0427ee3
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

/// `struct Task` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Task {
    pub(super) first_point: u64,
    pub(super) points: u32,
    pub(super) streamlines: u32,
    pub(super) first_streamline: u32,
    pub(super) shape: [u32; 3],
    pub(super) cells: u32,
    pub(super) atom_bits: u32,
    pub(super) streamline_bits: u32,
    pub(super) lengths: u32,
}

/// Launches `encoding_nodes`.
pub(super) unsafe fn encoding_nodes<'a>(
    stream: &Stream,
    grid: Grid,
    task: Task,
    offsets: impl Into<Input<'a, u64>>,
    positions: impl Into<Input<'a, f32>>,
    inverse: impl Into<Input<'a, f64>>,
    ranks: impl Into<Input<'a, u32>>,
    directions: impl Into<Input<'a, f64>>,
    cell_starts: impl Into<Input<'a, u32>>,
    candidates: impl Into<Input<'a, u32>>,
    words: impl Into<Output<'a, u64>>,
    values: impl Into<Output<'a, f32>>,
    counters: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "encoding_nodes")?;
    let arguments = [
        Argument::plain(&task),
        Argument::from(offsets.into()),
        Argument::from(positions.into()),
        Argument::from(inverse.into()),
        Argument::from(ranks.into()),
        Argument::from(directions.into()),
        Argument::from(cell_starts.into()),
        Argument::from(candidates.into()),
        Argument::from(words.into()),
        Argument::from(values.into()),
        Argument::from(counters.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `encoding_coefficients`.
pub(super) unsafe fn encoding_coefficients<'a>(
    stream: &Stream,
    grid: Grid,
    task: Task,
    count: u32,
    words: impl Into<Input<'a, u64>>,
    atoms: impl Into<Output<'a, u16>>,
    members: impl Into<Output<'a, u32>>,
    voxel_starts: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "encoding_coefficients")?;
    let arguments = [
        Argument::plain(&task),
        Argument::plain(&count),
        Argument::from(words.into()),
        Argument::from(atoms.into()),
        Argument::from(members.into()),
        Argument::from(voxel_starts.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

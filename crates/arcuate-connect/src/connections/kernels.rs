// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 9bd56627e143674d2b7b4dc190c66864915a7d3c656de9b5ccad6c2750958901
// Hash of the generated code: dceb5498dc1288fab66c5ba5c2aa6d12000c15abe0b4dad5aa9b522bed2a4f64
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

/// `struct Search` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Search {
    pub(super) to_voxels: [f64; 12],
    pub(super) to_mm: [f64; 9],
    pub(super) radius: f64,
    pub(super) reach: f64,
    pub(super) shape: [i32; 3],
    pub(super) steps: u32,
    pub(super) regions: u32,
    pub(super) unused: u32,
}

/// Launches `connections_count`.
pub(super) unsafe fn connections_count<'a>(
    stream: &Stream,
    grid: Grid,
    search: Search,
    streamlines: u64,
    spans: impl Into<Input<'a, super::StreamlineSpan>>,
    positions: impl Into<Input<'a, f32>>,
    rows: impl Into<Input<'a, u32>>,
    steps: impl Into<Input<'a, super::Step>>,
    counts: impl Into<Output<'a, u64>>,
    lengths: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "connections_count")?;
    let arguments = [
        Argument::plain(&search),
        Argument::plain(&streamlines),
        Argument::from(spans.into()),
        Argument::from(positions.into()),
        Argument::from(rows.into()),
        Argument::from(steps.into()),
        Argument::from(counts.into()),
        Argument::from(lengths.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `connections_pairs`.
pub(super) unsafe fn connections_pairs<'a>(
    stream: &Stream,
    grid: Grid,
    search: Search,
    streamlines: u64,
    spans: impl Into<Input<'a, super::StreamlineSpan>>,
    positions: impl Into<Input<'a, f32>>,
    rows: impl Into<Input<'a, u32>>,
    steps: impl Into<Input<'a, super::Step>>,
    pairs: impl Into<Output<'a, u64>>,
    lengths: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "connections_pairs")?;
    let arguments = [
        Argument::plain(&search),
        Argument::plain(&streamlines),
        Argument::from(spans.into()),
        Argument::from(positions.into()),
        Argument::from(rows.into()),
        Argument::from(steps.into()),
        Argument::from(pairs.into()),
        Argument::from(lengths.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: c4c4bbfce06a1e1e57645f30da6c34f1586ab5b7b84b8a9b35808edd1eaed66b
// Hash of the generated code: 2c86545651a12a4e7d6ed4b2dd6102d88a5d58ec8770eb17fc45823399103eac
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

/// `struct Recipe` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Recipe {
    pub(super) inverse_mean: f64,
    pub(super) gain: f64,
    pub(super) exponent: f64,
    pub(super) anisotropy: f64,
    pub(super) to_mm: [f64; 9],
    pub(super) sharpen: u32,
    pub(super) scale: u32,
}

/// `struct Lattice` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Lattice {
    pub(super) shape: [u32; 3],
    pub(super) mirrors: u32,
}

/// Launches `geodesic_means`.
pub(super) unsafe fn geodesic_means<'a>(
    stream: &Stream,
    grid: Grid,
    voxels: u64,
    tensors: impl Into<Input<'a, f32>>,
    mask: impl Into<Input<'a, u8>>,
    sums: impl Into<Output<'a, f64>>,
    counts: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "geodesic_means")?;
    let arguments = [
        Argument::plain(&voxels),
        Argument::from(tensors.into()),
        Argument::from(mask.into()),
        Argument::from(sums.into()),
        Argument::from(counts.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `geodesic_values` of these: `0`, `1`.
pub(super) unsafe fn geodesic_values<'a>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    recipe: Recipe,
    voxels: u64,
    tensors: impl Into<Input<'a, f32>>,
    factors: impl Into<Input<'a, f64>>,
    mask: impl Into<Input<'a, u8>>,
    planes: impl Into<Output<'a, f64>>,
    counts: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let name = format!("geodesic_values_{}", numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&recipe),
        Argument::plain(&voxels),
        Argument::from(tensors.into()),
        Argument::from(factors.into()),
        Argument::from(mask.into()),
        Argument::from(planes.into()),
        Argument::from(counts.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `geodesic_prefilter`.
pub(super) unsafe fn geodesic_prefilter<'a>(
    stream: &Stream,
    grid: Grid,
    lines: u64,
    n: u32,
    stride: u64,
    planes: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "geodesic_prefilter")?;
    let arguments = [
        Argument::plain(&lines),
        Argument::plain(&n),
        Argument::plain(&stride),
        Argument::from(planes.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `geodesic_prefilter_rows`.
pub(super) unsafe fn geodesic_prefilter_rows<'a>(
    stream: &Stream,
    grid: Grid,
    lines: u64,
    n: u32,
    planes: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "geodesic_prefilter_rows")?;
    let arguments = [Argument::plain(&lines), Argument::plain(&n), Argument::from(planes.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `geodesic_rows_f32` or `geodesic_rows_f64`.
pub(super) unsafe fn geodesic_rows<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    lattice: Lattice,
    planes: impl Into<Input<'a, f64>>,
    nodes: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("geodesic_rows_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [Argument::plain(&lattice), Argument::from(planes.into()), Argument::from(nodes.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `geodesic_thesis_rows_f32` or `geodesic_thesis_rows_f64`.
pub(super) unsafe fn geodesic_thesis_rows<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    lattice: Lattice,
    planes: impl Into<Input<'a, f64>>,
    nodes: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("geodesic_thesis_rows_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [Argument::plain(&lattice), Argument::from(planes.into()), Argument::from(nodes.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 05fadee4c707533d627a4495eb472c115b73e8c0be921920942dae3c2900273b
// Hash of the generated code: cf5c6481cec5fda0d5577f898b204061e957f6099e9af911c434da0bb3a3aae7
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

/// `struct Work` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Work {
    pub(super) first_unit: u32,
    pub(super) units: u32,
    pub(super) first_segment: u32,
    pub(super) first_place: u32,
    pub(super) first_voxel: u32,
    pub(super) rows: u32,
    pub(super) shells: u32,
}

/// Launches `commit_moments_f32` of these: `1_10`, `2_10`, `3_10`, `4_10`, `1_12`, `2_12`, `3_12`, `4_12`,
/// `1_14`, `2_14`, `3_14`, `4_14`, `1_16`, `2_16`, `3_16`, `4_16`, `1_18`, `2_18`, `3_18`, `4_18`.
pub(super) unsafe fn commit_moments_f32<'a>(
    numbers: [u32; 2],
    stream: &Stream,
    grid: Grid,
    work: Work,
    all_units: impl Into<Input<'a, super::Unit>>,
    segments: impl Into<Input<'a, super::Segment>>,
    z: impl Into<Input<'a, f32>>,
    harmonic: impl Into<Input<'a, u32>>,
    mix: impl Into<Input<'a, f32>>,
    parts: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let name = format!("commit_moments_f32_{}_{}", numbers[0], numbers[1]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&work),
        Argument::from(all_units.into()),
        Argument::from(segments.into()),
        Argument::from(z.into()),
        Argument::from(harmonic.into()),
        Argument::from(mix.into()),
        Argument::from(parts.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `commit_adjoint_f32` of these: `1_10`, `2_10`, `3_10`, `4_10`, `1_12`, `2_12`, `3_12`, `4_12`,
/// `1_14`, `2_14`, `3_14`, `4_14`, `1_16`, `2_16`, `3_16`, `4_16`, `1_18`, `2_18`, `3_18`, `4_18`.
pub(super) unsafe fn commit_adjoint_f32<'a>(
    numbers: [u32; 2],
    stream: &Stream,
    grid: Grid,
    work: Work,
    all_units: impl Into<Input<'a, super::Unit>>,
    segments: impl Into<Input<'a, super::Segment>>,
    amplitudes: impl Into<Input<'a, f32>>,
    row_of: impl Into<Input<'a, u32>>,
    mix: impl Into<Input<'a, f32>>,
    scale: impl Into<Input<'a, f64>>,
    raw: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let name = format!("commit_adjoint_f32_{}_{}", numbers[0], numbers[1]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&work),
        Argument::from(all_units.into()),
        Argument::from(segments.into()),
        Argument::from(amplitudes.into()),
        Argument::from(row_of.into()),
        Argument::from(mix.into()),
        Argument::from(scale.into()),
        Argument::from(raw.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 96dae6e289166e120b631d73dbd7307163cd52f41af4bb05589afeaeb3966396
// products: 8a6d26602e17383ab9b2d89b80bf1530868170f0ac62bf2ccb8024fd1980f959
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// Launches `commit_moments_f32` of these: `1_10`, `2_10`, `3_10`, `4_10`, `1_12`, `2_12`, `3_12`, `4_12`,
/// `1_14`, `2_14`, `3_14`, `4_14`, `1_16`, `2_16`, `3_16`, `4_16`, `1_18`, `2_18`, `3_18`, `4_18`.
pub(super) unsafe fn commit_moments_f32<'a>(
    numbers: [u32; 2],
    stream: &Stream,
    grid: Grid,
    first_unit: u32,
    unnamed_1: u32,
    first_segment: u32,
    first_place: u32,
    unnamed_4: u32,
    unnamed_5: u32,
    unnamed_6: u32,
    rows: u32,
    all_units: impl Into<Input<'a, super::Unit>>,
    segments: impl Into<Input<'a, super::Segment>>,
    z: impl Into<Input<'a, f32>>,
    unnamed_11: impl Into<Input<'a, u8>>,
    harmonic: impl Into<Input<'a, u32>>,
    mix: impl Into<Input<'a, f32>>,
    parts: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let name = format!("commit_moments_f32_{}_{}", numbers[0], numbers[1]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&first_unit),
        Argument::plain(&unnamed_1),
        Argument::plain(&first_segment),
        Argument::plain(&first_place),
        Argument::plain(&unnamed_4),
        Argument::plain(&unnamed_5),
        Argument::plain(&unnamed_6),
        Argument::plain(&rows),
        Argument::from(all_units.into()),
        Argument::from(segments.into()),
        Argument::from(z.into()),
        Argument::from(unnamed_11.into()),
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
    first_unit: u32,
    units: u32,
    first_segment: u32,
    first_voxel: u32,
    unnamed_4: u32,
    unnamed_5: u32,
    unnamed_6: u32,
    rows: u32,
    shells: u32,
    all_units: impl Into<Input<'a, super::Unit>>,
    segments: impl Into<Input<'a, super::Segment>>,
    amplitudes: impl Into<Input<'a, f32>>,
    unnamed_12: impl Into<Input<'a, u8>>,
    row_of: impl Into<Input<'a, u32>>,
    mix: impl Into<Input<'a, f32>>,
    scale: impl Into<Input<'a, f64>>,
    raw: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let name = format!("commit_adjoint_f32_{}_{}", numbers[0], numbers[1]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&first_unit),
        Argument::plain(&units),
        Argument::plain(&first_segment),
        Argument::plain(&first_voxel),
        Argument::plain(&unnamed_4),
        Argument::plain(&unnamed_5),
        Argument::plain(&unnamed_6),
        Argument::plain(&rows),
        Argument::plain(&shells),
        Argument::from(all_units.into()),
        Argument::from(segments.into()),
        Argument::from(amplitudes.into()),
        Argument::from(unnamed_12.into()),
        Argument::from(row_of.into()),
        Argument::from(mix.into()),
        Argument::from(scale.into()),
        Argument::from(raw.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

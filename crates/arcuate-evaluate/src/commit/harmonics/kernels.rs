// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 61d70420f238794a64a481867f8eb0631d906b3968ad7949a0b27dcca95c970d
// Hash of the generated code: 98a333fa5761bf13c1fbdbc587861d91891d28c1e9a71697d9484a41818dbf36
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

/// `struct Group` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Group {
    pub(super) elements: u32,
    pub(super) responses: u32,
    pub(super) rank_of_all: u32,
    pub(super) first_function: u32,
    pub(super) rank: u32,
}

/// `struct Voxels` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Voxels {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) first_place: u32,
    pub(super) rows: u32,
    pub(super) shells: u32,
    pub(super) samples: u32,
    pub(super) isotropic: u32,
}

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

/// `struct Degree` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Degree {
    pub(super) highest: u32,
    pub(super) harmonics: u32,
    pub(super) steps: u32,
}

/// Launches `commit_expand`.
pub(super) unsafe fn commit_expand<'a>(
    stream: &Stream,
    grid: Grid,
    group: Group,
    raw: impl Into<Input<'a, u64>>,
    weights: impl Into<Input<'a, f64>>,
    sums: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "commit_expand")?;
    let arguments = [
        Argument::plain(&group),
        Argument::from(raw.into()),
        Argument::from(weights.into()),
        Argument::from(sums.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `commit_reduce_f32` or `commit_reduce_f64`.
pub(super) unsafe fn commit_reduce<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    group: Group,
    x: impl Into<Input<'a, T>>,
    weights: impl Into<Input<'a, T>>,
    z: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("commit_reduce_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&group),
        Argument::from(x.into()),
        Argument::from(weights.into()),
        Argument::from(z.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `commit_amplitudes_f32` or `commit_amplitudes_f64`.
pub(super) unsafe fn commit_amplitudes<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    voxels: Voxels,
    voxel_units: impl Into<Input<'a, u32>>,
    parts: impl Into<Input<'a, T>>,
    shell_of: impl Into<Input<'a, u32>>,
    isotropic: impl Into<Input<'a, T>>,
    x: impl Into<Input<'a, T>>,
    voxel_scale: impl Into<Input<'a, T>>,
    out: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("commit_amplitudes_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&voxels),
        Argument::from(voxel_units.into()),
        Argument::from(parts.into()),
        Argument::from(shell_of.into()),
        Argument::from(isotropic.into()),
        Argument::from(x.into()),
        Argument::from(voxel_scale.into()),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `commit_isotropic_f32` or `commit_isotropic_f64`.
pub(super) unsafe fn commit_isotropic<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    voxels: Voxels,
    constant_row: impl Into<Input<'a, u32>>,
    isotropic: impl Into<Input<'a, T>>,
    amplitudes_of_voxels: impl Into<Input<'a, T>>,
    scale: impl Into<Input<'a, f64>>,
    raw: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let name = format!("commit_isotropic_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&voxels),
        Argument::from(constant_row.into()),
        Argument::from(isotropic.into()),
        Argument::from(amplitudes_of_voxels.into()),
        Argument::from(scale.into()),
        Argument::from(raw.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `commit_synthesis_f32` or `commit_synthesis_f64`.
pub(super) unsafe fn commit_synthesis<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    mode: u32,
    voxels: Voxels,
    ranges: impl Into<Input<'a, u32>>,
    amplitudes_of_voxels: impl Into<Input<'a, T>>,
    matrix: impl Into<Input<'a, T>>,
    sample: impl Into<Input<'a, u32>>,
    data: impl Into<Output<'a, T>>,
    image: impl Into<Output<'a, T>>,
    norms: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("commit_synthesis_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&mode),
        Argument::plain(&voxels),
        Argument::from(ranges.into()),
        Argument::from(amplitudes_of_voxels.into()),
        Argument::from(matrix.into()),
        Argument::from(sample.into()),
        Argument::from(data.into()),
        Argument::from(image.into()),
        Argument::from(norms.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `commit_analysis_f32` or `commit_analysis_f64`.
pub(super) unsafe fn commit_analysis<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    voxels: Voxels,
    ranges: impl Into<Input<'a, u32>>,
    image: impl Into<Input<'a, T>>,
    matrix: impl Into<Input<'a, T>>,
    sample: impl Into<Input<'a, u32>>,
    voxel_scale: impl Into<Input<'a, T>>,
    out: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("commit_analysis_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&voxels),
        Argument::from(ranges.into()),
        Argument::from(image.into()),
        Argument::from(matrix.into()),
        Argument::from(sample.into()),
        Argument::from(voxel_scale.into()),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `commit_moments` of these: `f32_1`, `f32_2`, `f32_3`, `f32_4`, `f64_1`, `f64_2`, `f64_3`,
/// `f64_4`.
pub(super) unsafe fn commit_moments<'a, T: Precision>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    work: Work,
    degree: Degree,
    all_units: impl Into<Input<'a, super::Unit>>,
    segments: impl Into<Input<'a, super::Segment>>,
    z: impl Into<Input<'a, T>>,
    steps: impl Into<Input<'a, super::Step<T>>>,
    harmonic: impl Into<Input<'a, u32>>,
    mix: impl Into<Input<'a, T>>,
    parts: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("commit_moments_{}_{}", T::NAME, numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&work),
        Argument::plain(&degree),
        Argument::from(all_units.into()),
        Argument::from(segments.into()),
        Argument::from(z.into()),
        Argument::from(steps.into()),
        Argument::from(harmonic.into()),
        Argument::from(mix.into()),
        Argument::from(parts.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `commit_adjoint` of these: `f32_1`, `f32_2`, `f32_3`, `f32_4`, `f64_1`, `f64_2`, `f64_3`,
/// `f64_4`.
pub(super) unsafe fn commit_adjoint<'a, T: Precision>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    work: Work,
    degree: Degree,
    all_units: impl Into<Input<'a, super::Unit>>,
    segments: impl Into<Input<'a, super::Segment>>,
    amplitudes_of_voxels: impl Into<Input<'a, T>>,
    steps: impl Into<Input<'a, super::Step<T>>>,
    row_of: impl Into<Input<'a, u32>>,
    mix: impl Into<Input<'a, T>>,
    scale: impl Into<Input<'a, f64>>,
    raw: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let name = format!("commit_adjoint_{}_{}", T::NAME, numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&work),
        Argument::plain(&degree),
        Argument::from(all_units.into()),
        Argument::from(segments.into()),
        Argument::from(amplitudes_of_voxels.into()),
        Argument::from(steps.into()),
        Argument::from(row_of.into()),
        Argument::from(mix.into()),
        Argument::from(scale.into()),
        Argument::from(raw.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

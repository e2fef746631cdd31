// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 323c7f823dc1d32b7e801485e339b7f8d43f2c5ce72735bb3ce35a09f046ec0e
// Hash of the generated code: 28bb3ab8c687e8c1c383e5aabec74dc894222ba9f9607ff4429e86cb4c9990d4
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

/// `struct RunParameters` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct RunParameters {
    pub(super) seed: u64,
    pub(super) step: [f32; 9],
    pub(super) spread: [f32; 9],
    pub(super) to_mm: [f32; 12],
    pub(super) cutoff: f32,
    pub(super) begin: f32,
    pub(super) shape: [i32; 3],
    pub(super) voxels: u32,
    pub(super) centres: u32,
    pub(super) each: u32,
    pub(super) jitter: u32,
    pub(super) points: u32,
    pub(super) least_steps: u32,
    pub(super) max_steps: u32,
}

/// `struct Anatomy` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Anatomy {
    pub(super) way: [f32; 12],
    pub(super) shape: [i32; 3],
    pub(super) back_track: u32,
    pub(super) crop: u32,
    pub(super) unit: u32,
}

/// `struct Harmonics` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Harmonics {
    pub(super) firsts: [f32; 9],
    pub(super) recurrences: [f32; 48],
}

/// Launches `fod_follow_arcs`.
pub(super) unsafe fn fod_follow_arcs<'a>(
    stream: &Stream,
    grid: Grid,
    run_parameters: RunParameters,
    anatomy: Anatomy,
    fractions: impl Into<Input<'a, f32>>,
    harmonics: Harmonics,
    begin: u64,
    count: u64,
    places: impl Into<Input<'a, u32>>,
    rows: impl Into<Input<'a, [f32; 4]>>,
    everywhere: impl Into<Input<'a, f32>>,
    arcs: impl Into<Input<'a, f32>>,
    centres: impl Into<Input<'a, f32>>,
    queue: impl Into<Output<'a, u64>>,
    rooms: impl Into<Output<'a, f32>>,
    records: impl Into<Output<'a, super::KernelOutcome>>,
    firsts: impl Into<Output<'a, u64>>,
    points: impl Into<Output<'a, f32>>,
    used: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "fod_follow_arcs")?;
    let arguments = [
        Argument::plain(&run_parameters),
        Argument::plain(&anatomy),
        Argument::from(fractions.into()),
        Argument::plain(&harmonics),
        Argument::plain(&begin),
        Argument::plain(&count),
        Argument::from(places.into()),
        Argument::from(rows.into()),
        Argument::from(everywhere.into()),
        Argument::from(arcs.into()),
        Argument::from(centres.into()),
        Argument::from(queue.into()),
        Argument::from(rooms.into()),
        Argument::from(records.into()),
        Argument::from(firsts.into()),
        Argument::from(points.into()),
        Argument::from(used.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `fod_follow_arcs_in_tissues`.
pub(super) unsafe fn fod_follow_arcs_in_tissues<'a>(
    stream: &Stream,
    grid: Grid,
    run_parameters: RunParameters,
    anatomy: Anatomy,
    fractions: impl Into<Input<'a, f32>>,
    harmonics: Harmonics,
    begin: u64,
    count: u64,
    places: impl Into<Input<'a, u32>>,
    rows: impl Into<Input<'a, [f32; 4]>>,
    everywhere: impl Into<Input<'a, f32>>,
    arcs: impl Into<Input<'a, f32>>,
    centres: impl Into<Input<'a, f32>>,
    queue: impl Into<Output<'a, u64>>,
    rooms: impl Into<Output<'a, f32>>,
    records: impl Into<Output<'a, super::KernelOutcome>>,
    firsts: impl Into<Output<'a, u64>>,
    points: impl Into<Output<'a, f32>>,
    used: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "fod_follow_arcs_in_tissues")?;
    let arguments = [
        Argument::plain(&run_parameters),
        Argument::plain(&anatomy),
        Argument::from(fractions.into()),
        Argument::plain(&harmonics),
        Argument::plain(&begin),
        Argument::plain(&count),
        Argument::from(places.into()),
        Argument::from(rows.into()),
        Argument::from(everywhere.into()),
        Argument::from(arcs.into()),
        Argument::from(centres.into()),
        Argument::from(queue.into()),
        Argument::from(rooms.into()),
        Argument::from(records.into()),
        Argument::from(firsts.into()),
        Argument::from(points.into()),
        Argument::from(used.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

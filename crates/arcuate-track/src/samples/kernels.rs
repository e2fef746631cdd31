// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 817b6c9d3f96fb01c4d37e966e13eeb3ad364bfad16d6de7ee4108d9ad26ba69
// products: f9995a9963d7ad5b487aef24c68b258b50e880147a439e7d1cb88cdde694171c
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// `struct Course` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Course {
    pub(super) seed: u64,
    pub(super) step: [f32; 9],
    pub(super) spread: [f32; 9],
    pub(super) to_mm: [f32; 12],
    pub(super) min_cosine: f32,
    pub(super) min_fraction: f32,
    pub(super) shape: [i32; 3],
    pub(super) samples: u32,
    pub(super) fibres: u32,
    pub(super) centres: u32,
    pub(super) each: u32,
    pub(super) jitter: u32,
    pub(super) initial: u32,
    pub(super) initial_fibre: u32,
    pub(super) flags: u32,
    pub(super) points: u32,
    pub(super) half_steps: u32,
    pub(super) least_steps: u32,
    pub(super) most_steps: u32,
    pub(super) avoid: u32,
    pub(super) stop: u32,
    pub(super) exit: u32,
    pub(super) ways: u32,
    pub(super) targets: u32,
    pub(super) spaces: u32,
    pub(super) map: u32,
    pub(super) seed_space: u32,
    pub(super) words: u32,
}

/// Launches `samples_follow_narrow`.
pub(super) unsafe fn samples_follow_narrow<'a>(
    stream: &Stream,
    grid: Grid,
    course: Course,
    begin: u64,
    count: u64,
    numbers: impl Into<Input<'a, u64>>,
    places: impl Into<Input<'a, u32>>,
    sectors: impl Into<Input<'a, [u32; 4]>>,
    centres: impl Into<Input<'a, f32>>,
    spaces: impl Into<Input<'a, super::Lattice>>,
    bits: impl Into<Input<'a, u32>>,
    sets: impl Into<Input<'a, u32>>,
    warps: impl Into<Input<'a, [f32; 4]>>,
    queue: impl Into<Output<'a, u64>>,
    counters: impl Into<Output<'a, u64>>,
    counts: impl Into<Output<'a, u32>>,
    sums: impl Into<Output<'a, u64>>,
    hits: impl Into<Output<'a, u32>>,
    lists: impl Into<Output<'a, u32>>,
    list_steps: impl Into<Output<'a, u32>>,
    cells: impl Into<Output<'a, f32>>,
    passages: impl Into<Output<'a, u32>>,
    records: impl Into<Output<'a, super::Followed>>,
    firsts: impl Into<Input<'a, u64>>,
    wanted: impl Into<Input<'a, [u32; 2]>>,
    points: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "samples_follow_narrow")?;
    let arguments = [
        Argument::plain(&course),
        Argument::plain(&begin),
        Argument::plain(&count),
        Argument::from(numbers.into()),
        Argument::from(places.into()),
        Argument::from(sectors.into()),
        Argument::from(centres.into()),
        Argument::from(spaces.into()),
        Argument::from(bits.into()),
        Argument::from(sets.into()),
        Argument::from(warps.into()),
        Argument::from(queue.into()),
        Argument::from(counters.into()),
        Argument::from(counts.into()),
        Argument::from(sums.into()),
        Argument::from(hits.into()),
        Argument::from(lists.into()),
        Argument::from(list_steps.into()),
        Argument::from(cells.into()),
        Argument::from(passages.into()),
        Argument::from(records.into()),
        Argument::from(firsts.into()),
        Argument::from(wanted.into()),
        Argument::from(points.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `samples_follow_wide`.
pub(super) unsafe fn samples_follow_wide<'a>(
    stream: &Stream,
    grid: Grid,
    course: Course,
    begin: u64,
    count: u64,
    numbers: impl Into<Input<'a, u64>>,
    places: impl Into<Input<'a, u32>>,
    sectors: impl Into<Input<'a, [u32; 4]>>,
    centres: impl Into<Input<'a, f32>>,
    spaces: impl Into<Input<'a, super::Lattice>>,
    bits: impl Into<Input<'a, u32>>,
    sets: impl Into<Input<'a, u32>>,
    warps: impl Into<Input<'a, [f32; 4]>>,
    queue: impl Into<Output<'a, u64>>,
    counters: impl Into<Output<'a, u64>>,
    counts: impl Into<Output<'a, u32>>,
    sums: impl Into<Output<'a, u64>>,
    hits: impl Into<Output<'a, u32>>,
    lists: impl Into<Output<'a, u32>>,
    list_steps: impl Into<Output<'a, u32>>,
    cells: impl Into<Output<'a, f32>>,
    passages: impl Into<Output<'a, u32>>,
    records: impl Into<Output<'a, super::Followed>>,
    firsts: impl Into<Input<'a, u64>>,
    wanted: impl Into<Input<'a, [u32; 2]>>,
    points: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "samples_follow_wide")?;
    let arguments = [
        Argument::plain(&course),
        Argument::plain(&begin),
        Argument::plain(&count),
        Argument::from(numbers.into()),
        Argument::from(places.into()),
        Argument::from(sectors.into()),
        Argument::from(centres.into()),
        Argument::from(spaces.into()),
        Argument::from(bits.into()),
        Argument::from(sets.into()),
        Argument::from(warps.into()),
        Argument::from(queue.into()),
        Argument::from(counters.into()),
        Argument::from(counts.into()),
        Argument::from(sums.into()),
        Argument::from(hits.into()),
        Argument::from(lists.into()),
        Argument::from(list_steps.into()),
        Argument::from(cells.into()),
        Argument::from(passages.into()),
        Argument::from(records.into()),
        Argument::from(firsts.into()),
        Argument::from(wanted.into()),
        Argument::from(points.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `samples_gather_narrow`.
pub(super) unsafe fn samples_gather_narrow<'a>(
    stream: &Stream,
    grid: Grid,
    course: Course,
    begin: u64,
    count: u64,
    places: impl Into<Input<'a, u32>>,
    sectors: impl Into<Input<'a, [u32; 4]>>,
    centres: impl Into<Input<'a, f32>>,
    spaces: impl Into<Input<'a, super::Lattice>>,
    bits: impl Into<Input<'a, u32>>,
    sets: impl Into<Input<'a, u32>>,
    warps: impl Into<Input<'a, [f32; 4]>>,
    queue: impl Into<Output<'a, u64>>,
    counters: impl Into<Output<'a, u64>>,
    counts: impl Into<Output<'a, u32>>,
    sums: impl Into<Output<'a, u64>>,
    hits: impl Into<Output<'a, u32>>,
    lists: impl Into<Output<'a, u32>>,
    list_steps: impl Into<Output<'a, u32>>,
    cells: impl Into<Output<'a, f32>>,
    passages: impl Into<Output<'a, u32>>,
    rooms: impl Into<Output<'a, f32>>,
    points: impl Into<Output<'a, f32>>,
    spans: impl Into<Output<'a, super::StreamlineSpan>>,
    used: impl Into<Output<'a, u64>>,
    most_points: u64,
    most_spans: u64,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "samples_gather_narrow")?;
    let arguments = [
        Argument::plain(&course),
        Argument::plain(&begin),
        Argument::plain(&count),
        Argument::from(places.into()),
        Argument::from(sectors.into()),
        Argument::from(centres.into()),
        Argument::from(spaces.into()),
        Argument::from(bits.into()),
        Argument::from(sets.into()),
        Argument::from(warps.into()),
        Argument::from(queue.into()),
        Argument::from(counters.into()),
        Argument::from(counts.into()),
        Argument::from(sums.into()),
        Argument::from(hits.into()),
        Argument::from(lists.into()),
        Argument::from(list_steps.into()),
        Argument::from(cells.into()),
        Argument::from(passages.into()),
        Argument::from(rooms.into()),
        Argument::from(points.into()),
        Argument::from(spans.into()),
        Argument::from(used.into()),
        Argument::plain(&most_points),
        Argument::plain(&most_spans),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `samples_gather_wide`.
pub(super) unsafe fn samples_gather_wide<'a>(
    stream: &Stream,
    grid: Grid,
    course: Course,
    begin: u64,
    count: u64,
    places: impl Into<Input<'a, u32>>,
    sectors: impl Into<Input<'a, [u32; 4]>>,
    centres: impl Into<Input<'a, f32>>,
    spaces: impl Into<Input<'a, super::Lattice>>,
    bits: impl Into<Input<'a, u32>>,
    sets: impl Into<Input<'a, u32>>,
    warps: impl Into<Input<'a, [f32; 4]>>,
    queue: impl Into<Output<'a, u64>>,
    counters: impl Into<Output<'a, u64>>,
    counts: impl Into<Output<'a, u32>>,
    sums: impl Into<Output<'a, u64>>,
    hits: impl Into<Output<'a, u32>>,
    lists: impl Into<Output<'a, u32>>,
    list_steps: impl Into<Output<'a, u32>>,
    cells: impl Into<Output<'a, f32>>,
    passages: impl Into<Output<'a, u32>>,
    rooms: impl Into<Output<'a, f32>>,
    points: impl Into<Output<'a, f32>>,
    spans: impl Into<Output<'a, super::StreamlineSpan>>,
    used: impl Into<Output<'a, u64>>,
    most_points: u64,
    most_spans: u64,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "samples_gather_wide")?;
    let arguments = [
        Argument::plain(&course),
        Argument::plain(&begin),
        Argument::plain(&count),
        Argument::from(places.into()),
        Argument::from(sectors.into()),
        Argument::from(centres.into()),
        Argument::from(spaces.into()),
        Argument::from(bits.into()),
        Argument::from(sets.into()),
        Argument::from(warps.into()),
        Argument::from(queue.into()),
        Argument::from(counters.into()),
        Argument::from(counts.into()),
        Argument::from(sums.into()),
        Argument::from(hits.into()),
        Argument::from(lists.into()),
        Argument::from(list_steps.into()),
        Argument::from(cells.into()),
        Argument::from(passages.into()),
        Argument::from(rooms.into()),
        Argument::from(points.into()),
        Argument::from(spans.into()),
        Argument::from(used.into()),
        Argument::plain(&most_points),
        Argument::plain(&most_spans),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: d963d7f75a8615563122d4241266ef4986e10a5b9cd152c1ec6db52b4aee93eb
// products: 5c666bd896c02c77dea2bcec4106c756d5ce7d36d7982d3bcb89a01d31c6cabe
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
    pub(super) unused: u32,
}

/// Launches `samples_follow`.
pub(super) unsafe fn samples_follow<'a>(
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
    warps: impl Into<Input<'a, [f32; 4]>>,
    queue: impl Into<Output<'a, u64>>,
    counters: impl Into<Output<'a, u64>>,
    counts: impl Into<Output<'a, u32>>,
    sums: impl Into<Output<'a, u64>>,
    hits: impl Into<Output<'a, u32>>,
    lists: impl Into<Output<'a, u32>>,
    list_steps: impl Into<Output<'a, u32>>,
    cells: impl Into<Output<'a, f32>>,
    records: impl Into<Output<'a, super::Followed>>,
    firsts: impl Into<Input<'a, u64>>,
    wanted: impl Into<Input<'a, [u32; 2]>>,
    points: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "samples_follow")?;
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
        Argument::from(warps.into()),
        Argument::from(queue.into()),
        Argument::from(counters.into()),
        Argument::from(counts.into()),
        Argument::from(sums.into()),
        Argument::from(hits.into()),
        Argument::from(lists.into()),
        Argument::from(list_steps.into()),
        Argument::from(cells.into()),
        Argument::from(records.into()),
        Argument::from(firsts.into()),
        Argument::from(wanted.into()),
        Argument::from(points.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `samples_gather`.
pub(super) unsafe fn samples_gather<'a>(
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
    warps: impl Into<Input<'a, [f32; 4]>>,
    queue: impl Into<Output<'a, u64>>,
    counters: impl Into<Output<'a, u64>>,
    counts: impl Into<Output<'a, u32>>,
    sums: impl Into<Output<'a, u64>>,
    hits: impl Into<Output<'a, u32>>,
    lists: impl Into<Output<'a, u32>>,
    list_steps: impl Into<Output<'a, u32>>,
    cells: impl Into<Output<'a, f32>>,
    rooms: impl Into<Output<'a, f32>>,
    points: impl Into<Output<'a, f32>>,
    spans: impl Into<Output<'a, super::StreamlineSpan>>,
    used: impl Into<Output<'a, u64>>,
    most_points: u64,
    most_spans: u64,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "samples_gather")?;
    let arguments = [
        Argument::plain(&course),
        Argument::plain(&begin),
        Argument::plain(&count),
        Argument::from(places.into()),
        Argument::from(sectors.into()),
        Argument::from(centres.into()),
        Argument::from(spaces.into()),
        Argument::from(bits.into()),
        Argument::from(warps.into()),
        Argument::from(queue.into()),
        Argument::from(counters.into()),
        Argument::from(counts.into()),
        Argument::from(sums.into()),
        Argument::from(hits.into()),
        Argument::from(lists.into()),
        Argument::from(list_steps.into()),
        Argument::from(cells.into()),
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

// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 7d06df1d3def94eb9a18ff55ddb469ec63918ea968aed8f08862bdaba98b2731
// products: 558fb64208be7a9fac40caf627e553c5516c0ae7f5b05a7b9adb0ec0bc1fde38
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// Launches `encoding_nodes`.
pub(super) unsafe fn encoding_nodes<'a>(
    stream: &Stream,
    grid: Grid,
    points: u32,
    streamlines: u32,
    first_point: u64,
    offsets: impl Into<Input<'a, u64>>,
    positions: impl Into<Input<'a, f32>>,
    inverse: impl Into<Input<'a, f64>>,
    voxels_x: u32,
    voxels_y: u32,
    voxels_z: u32,
    ranks: impl Into<Input<'a, u32>>,
    cells: u32,
    directions: impl Into<Input<'a, f64>>,
    cell_starts: impl Into<Input<'a, u32>>,
    candidates: impl Into<Input<'a, u32>>,
    atom_bits: u32,
    streamline_bits: u32,
    lengths: u32,
    words: impl Into<Output<'a, u64>>,
    values: impl Into<Output<'a, f32>>,
    counters: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "encoding_nodes")?;
    let arguments = [
        Argument::plain(&points),
        Argument::plain(&streamlines),
        Argument::plain(&first_point),
        Argument::from(offsets.into()),
        Argument::from(positions.into()),
        Argument::from(inverse.into()),
        Argument::plain(&voxels_x),
        Argument::plain(&voxels_y),
        Argument::plain(&voxels_z),
        Argument::from(ranks.into()),
        Argument::plain(&cells),
        Argument::from(directions.into()),
        Argument::from(cell_starts.into()),
        Argument::from(candidates.into()),
        Argument::plain(&atom_bits),
        Argument::plain(&streamline_bits),
        Argument::plain(&lengths),
        Argument::from(words.into()),
        Argument::from(values.into()),
        Argument::from(counters.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `encoding_tile_sums`.
pub(super) unsafe fn encoding_tile_sums<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    values: impl Into<Input<'a, u32>>,
    sums: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "encoding_tile_sums")?;
    let arguments = [Argument::plain(&count), Argument::from(values.into()), Argument::from(sums.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `encoding_sums_before`.
pub(super) unsafe fn encoding_sums_before<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    sums: impl Into<Output<'a, u32>>,
    total: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "encoding_sums_before")?;
    let arguments = [Argument::plain(&count), Argument::from(sums.into()), Argument::from(total.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `encoding_values_before`.
pub(super) unsafe fn encoding_values_before<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    values: impl Into<Output<'a, u32>>,
    sums: impl Into<Input<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "encoding_values_before")?;
    let arguments = [Argument::plain(&count), Argument::from(values.into()), Argument::from(sums.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `encoding_digits`.
pub(super) unsafe fn encoding_digits<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    shift: u32,
    words: impl Into<Input<'a, u64>>,
    counts: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "encoding_digits")?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&shift),
        Argument::from(words.into()),
        Argument::from(counts.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `encoding_sort`.
pub(super) unsafe fn encoding_sort<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    shift: u32,
    words: impl Into<Input<'a, u64>>,
    values: impl Into<Input<'a, f32>>,
    places: impl Into<Input<'a, u32>>,
    sorted_words: impl Into<Output<'a, u64>>,
    sorted_values: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "encoding_sort")?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&shift),
        Argument::from(words.into()),
        Argument::from(values.into()),
        Argument::from(places.into()),
        Argument::from(sorted_words.into()),
        Argument::from(sorted_values.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `encoding_firsts`.
pub(super) unsafe fn encoding_firsts<'a>(
    stream: &Stream,
    grid: Grid,
    nodes: u32,
    words: impl Into<Input<'a, u64>>,
    firsts: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "encoding_firsts")?;
    let arguments = [Argument::plain(&nodes), Argument::from(words.into()), Argument::from(firsts.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `encoding_coefficients`.
pub(super) unsafe fn encoding_coefficients<'a>(
    stream: &Stream,
    grid: Grid,
    nodes: u32,
    atom_bits: u32,
    streamline_bits: u32,
    first_streamline: u32,
    words: impl Into<Input<'a, u64>>,
    values: impl Into<Input<'a, f32>>,
    places: impl Into<Input<'a, u32>>,
    atoms: impl Into<Output<'a, u16>>,
    members: impl Into<Output<'a, u32>>,
    sums: impl Into<Output<'a, f32>>,
    voxel_starts: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "encoding_coefficients")?;
    let arguments = [
        Argument::plain(&nodes),
        Argument::plain(&atom_bits),
        Argument::plain(&streamline_bits),
        Argument::plain(&first_streamline),
        Argument::from(words.into()),
        Argument::from(values.into()),
        Argument::from(places.into()),
        Argument::from(atoms.into()),
        Argument::from(members.into()),
        Argument::from(sums.into()),
        Argument::from(voxel_starts.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

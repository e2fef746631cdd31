// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: ea432d620b224ca8be80b4bd12f75d1d514a4b711e191481fb0accf2b616cfef
// Hash of the generated code: fcc14237a05c1e325e7b2047e1856c59907c055bec1a48b39cde935ee2a4d286
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

/// Launches `sort_tile_sums`.
pub(super) unsafe fn sort_tile_sums<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    values: impl Into<Input<'a, u32>>,
    sums: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "sort_tile_sums")?;
    let arguments = [Argument::plain(&count), Argument::from(values.into()), Argument::from(sums.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `sort_sums_before`.
pub(super) unsafe fn sort_sums_before<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    sums: impl Into<Output<'a, u32>>,
    total: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "sort_sums_before")?;
    let arguments = [Argument::plain(&count), Argument::from(sums.into()), Argument::from(total.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `sort_values_before`.
pub(super) unsafe fn sort_values_before<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    values: impl Into<Output<'a, u32>>,
    sums: impl Into<Input<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "sort_values_before")?;
    let arguments = [Argument::plain(&count), Argument::from(values.into()), Argument::from(sums.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `sort_digits`.
pub(super) unsafe fn sort_digits<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    shift: u32,
    mask: u32,
    keys: impl Into<Input<'a, u64>>,
    counts: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "sort_digits")?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&shift),
        Argument::plain(&mask),
        Argument::from(keys.into()),
        Argument::from(counts.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `sort_pairs`.
pub(super) unsafe fn sort_pairs<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    shift: u32,
    mask: u32,
    keys: impl Into<Input<'a, u64>>,
    values: impl Into<Input<'a, u32>>,
    places: impl Into<Input<'a, u32>>,
    sorted_keys: impl Into<Output<'a, u64>>,
    sorted_values: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "sort_pairs")?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&shift),
        Argument::plain(&mask),
        Argument::from(keys.into()),
        Argument::from(values.into()),
        Argument::from(places.into()),
        Argument::from(sorted_keys.into()),
        Argument::from(sorted_values.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `sort_firsts`.
pub(super) unsafe fn sort_firsts<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    keys: impl Into<Input<'a, u64>>,
    firsts: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "sort_firsts")?;
    let arguments = [Argument::plain(&count), Argument::from(keys.into()), Argument::from(firsts.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `sort_reduce_f32`.
pub(super) unsafe fn sort_reduce_f32<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    keys: impl Into<Input<'a, u64>>,
    values: impl Into<Input<'a, f32>>,
    places: impl Into<Input<'a, u32>>,
    different: impl Into<Output<'a, u64>>,
    sums: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "sort_reduce_f32")?;
    let arguments = [
        Argument::plain(&count),
        Argument::from(keys.into()),
        Argument::from(values.into()),
        Argument::from(places.into()),
        Argument::from(different.into()),
        Argument::from(sums.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `sort_reduce_u32`.
pub(super) unsafe fn sort_reduce_u32<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    keys: impl Into<Input<'a, u64>>,
    values: impl Into<Input<'a, u32>>,
    places: impl Into<Input<'a, u32>>,
    different: impl Into<Output<'a, u64>>,
    sums: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "sort_reduce_u32")?;
    let arguments = [
        Argument::plain(&count),
        Argument::from(keys.into()),
        Argument::from(values.into()),
        Argument::from(places.into()),
        Argument::from(different.into()),
        Argument::from(sums.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

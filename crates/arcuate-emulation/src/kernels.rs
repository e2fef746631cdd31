// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 359e64e56020b583743033885e48a74377f4a001469f7bd1d69824411b652d4d
// Hash of the generated code: 92f41c2fb8408ff69e07e08591d70239eeaf02c69441ab0da194391113ba37e2
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

/// Launches `emulation_indices`.
pub(super) unsafe fn emulation_indices<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_indices")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_shuffles`.
pub(super) unsafe fn emulation_shuffles<'a>(
    stream: &Stream,
    grid: Grid,
    r#in: impl Into<Input<'a, u32>>,
    out: impl Into<Output<'a, u32>>,
    width: i32,
    source: i32,
    delta: u32,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_shuffles")?;
    let arguments = [
        Argument::from(r#in.into()),
        Argument::from(out.into()),
        Argument::plain(&width),
        Argument::plain(&source),
        Argument::plain(&delta),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_leaving`.
pub(super) unsafe fn emulation_leaving<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_leaving")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_named_barriers`.
pub(super) unsafe fn emulation_named_barriers<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
    rounds: u32,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_named_barriers")?;
    let arguments = [Argument::from(out.into()), Argument::plain(&rounds)];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_leaving_named`.
pub(super) unsafe fn emulation_leaving_named<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_leaving_named")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_block_sum`.
pub(super) unsafe fn emulation_block_sum<'a>(
    stream: &Stream,
    grid: Grid,
    r#in: impl Into<Input<'a, f32>>,
    sums: impl Into<Output<'a, f32>>,
    backwards: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_block_sum")?;
    let arguments =
        [Argument::from(r#in.into()), Argument::from(sums.into()), Argument::from(backwards.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_atomic_add_i32`.
pub(super) unsafe fn emulation_atomic_add_i32<'a>(
    stream: &Stream,
    grid: Grid,
    sum: impl Into<Output<'a, i32>>,
    sums_of_blocks: impl Into<Output<'a, i32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_atomic_add_i32")?;
    let arguments = [Argument::from(sum.into()), Argument::from(sums_of_blocks.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_atomic_add_u32`.
pub(super) unsafe fn emulation_atomic_add_u32<'a>(
    stream: &Stream,
    grid: Grid,
    sum: impl Into<Output<'a, u32>>,
    sums_of_blocks: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_atomic_add_u32")?;
    let arguments = [Argument::from(sum.into()), Argument::from(sums_of_blocks.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_atomic_add_u64`.
pub(super) unsafe fn emulation_atomic_add_u64<'a>(
    stream: &Stream,
    grid: Grid,
    sum: impl Into<Output<'a, u64>>,
    sums_of_blocks: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_atomic_add_u64")?;
    let arguments = [Argument::from(sum.into()), Argument::from(sums_of_blocks.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_atomic_add_f32` or `emulation_atomic_add_f64`.
pub(super) unsafe fn emulation_atomic_add<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    sum: impl Into<Output<'a, T>>,
    sums_of_blocks: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("emulation_atomic_add_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [Argument::from(sum.into()), Argument::from(sums_of_blocks.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_atomics`.
pub(super) unsafe fn emulation_atomics<'a>(
    stream: &Stream,
    grid: Grid,
    places: impl Into<Output<'a, i32>>,
    ticket: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_atomics")?;
    let arguments = [Argument::from(places.into()), Argument::from(ticket.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_lock`.
pub(super) unsafe fn emulation_lock<'a>(
    stream: &Stream,
    grid: Grid,
    lock: impl Into<Output<'a, u32>>,
    counter: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_lock")?;
    let arguments = [Argument::from(lock.into()), Argument::from(counter.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_integers`.
pub(super) unsafe fn emulation_integers<'a>(
    stream: &Stream,
    grid: Grid,
    r#in: impl Into<Input<'a, u32>>,
    out: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_integers")?;
    let arguments = [Argument::from(r#in.into()), Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_reals`.
pub(super) unsafe fn emulation_reals<'a>(
    stream: &Stream,
    grid: Grid,
    r#in: impl Into<Input<'a, f32>>,
    out: impl Into<Output<'a, f32>>,
    in64: impl Into<Input<'a, f64>>,
    out64: impl Into<Output<'a, f64>>,
    whole: impl Into<Output<'a, i64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_reals")?;
    let arguments = [
        Argument::from(r#in.into()),
        Argument::from(out.into()),
        Argument::from(in64.into()),
        Argument::from(out64.into()),
        Argument::from(whole.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_functions`.
pub(super) unsafe fn emulation_functions<'a>(
    stream: &Stream,
    grid: Grid,
    r#in: impl Into<Input<'a, f32>>,
    out: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_functions")?;
    let arguments = [Argument::from(r#in.into()), Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_layouts`.
pub(super) unsafe fn emulation_layouts<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_layouts")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_parameters`.
pub(super) unsafe fn emulation_parameters<'a>(
    stream: &Stream,
    grid: Grid,
    flag: u8,
    real: f64,
    single: f32,
    wide: i64,
    pointer: impl Into<Input<'a, f32>>,
    small: u16,
    out: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_parameters")?;
    let arguments = [
        Argument::plain(&flag),
        Argument::plain(&real),
        Argument::plain(&single),
        Argument::plain(&wide),
        Argument::from(pointer.into()),
        Argument::plain(&small),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_increment`.
pub(super) unsafe fn emulation_increment<'a>(
    stream: &Stream,
    grid: Grid,
    values: impl Into<Output<'a, u32>>,
    count: u32,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_increment")?;
    let arguments = [Argument::from(values.into()), Argument::plain(&count)];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_matrix_product`.
pub(super) unsafe fn emulation_matrix_product<'a>(
    stream: &Stream,
    grid: Grid,
    a: impl Into<Input<'a, f32>>,
    b: impl Into<Input<'a, f32>>,
    d: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_matrix_product")?;
    let arguments = [Argument::from(a.into()), Argument::from(b.into()), Argument::from(d.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_halves`.
pub(super) unsafe fn emulation_halves<'a>(
    stream: &Stream,
    grid: Grid,
    r#in: impl Into<Input<'a, f32>>,
    bits: impl Into<Output<'a, u32>>,
    back: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_halves")?;
    let arguments = [Argument::from(r#in.into()), Argument::from(bits.into()), Argument::from(back.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_async_copy`.
pub(super) unsafe fn emulation_async_copy<'a>(
    stream: &Stream,
    grid: Grid,
    r#in: impl Into<Input<'a, [f32; 4]>>,
    out: impl Into<Output<'a, [f32; 4]>>,
    rows: u32,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_async_copy")?;
    let arguments = [Argument::from(r#in.into()), Argument::from(out.into()), Argument::plain(&rows)];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_async_copy_words`.
pub(super) unsafe fn emulation_async_copy_words<'a>(
    stream: &Stream,
    grid: Grid,
    r#in: impl Into<Input<'a, u32>>,
    out: impl Into<Output<'a, u32>>,
    waits: i32,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_async_copy_words")?;
    let arguments = [Argument::from(r#in.into()), Argument::from(out.into()), Argument::plain(&waits)];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_race`.
pub(super) unsafe fn emulation_wrong_race<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_race")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_order`.
pub(super) unsafe fn emulation_wrong_order<'a>(
    stream: &Stream,
    grid: Grid,
    last: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_order")?;
    let arguments = [Argument::from(last.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_barrier`.
pub(super) unsafe fn emulation_wrong_barrier<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_barrier")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_shuffle`.
pub(super) unsafe fn emulation_wrong_shuffle<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_shuffle")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_mask`.
pub(super) unsafe fn emulation_wrong_mask<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_mask")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_barriers`.
pub(super) unsafe fn emulation_wrong_barriers<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_barriers")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_code`.
pub(super) unsafe fn emulation_wrong_code(stream: &Stream, grid: Grid) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_code")?;
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &[]) }
}

/// Launches `emulation_wrong_meeting`.
pub(super) unsafe fn emulation_wrong_meeting(
    stream: &Stream,
    grid: Grid,
    number: u32,
    threads: u32,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_meeting")?;
    let arguments = [Argument::plain(&number), Argument::plain(&threads)];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_count`.
pub(super) unsafe fn emulation_wrong_count(stream: &Stream, grid: Grid) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_count")?;
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &[]) }
}

/// Launches `emulation_wrong_lanes`.
pub(super) unsafe fn emulation_wrong_lanes(stream: &Stream, grid: Grid) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_lanes")?;
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &[]) }
}

/// Launches `emulation_wrong_place`.
pub(super) unsafe fn emulation_wrong_place<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
    count: u32,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_place")?;
    let arguments = [Argument::from(out.into()), Argument::plain(&count)];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_read`.
pub(super) unsafe fn emulation_wrong_read<'a>(
    stream: &Stream,
    grid: Grid,
    r#in: impl Into<Input<'a, u32>>,
    out: impl Into<Output<'a, u32>>,
    count: u32,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_read")?;
    let arguments = [Argument::from(r#in.into()), Argument::from(out.into()), Argument::plain(&count)];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_shared`.
pub(super) unsafe fn emulation_wrong_shared(stream: &Stream, grid: Grid, count: u32) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_shared")?;
    let arguments = [Argument::plain(&count)];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_index`.
pub(super) unsafe fn emulation_wrong_index<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
    at: u32,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_index")?;
    let arguments = [Argument::from(out.into()), Argument::plain(&at)];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_unwritten`.
pub(super) unsafe fn emulation_wrong_unwritten<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_unwritten")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `emulation_wrong_trap`.
pub(super) unsafe fn emulation_wrong_trap<'a>(
    stream: &Stream,
    grid: Grid,
    out: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "emulation_wrong_trap")?;
    let arguments = [Argument::from(out.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

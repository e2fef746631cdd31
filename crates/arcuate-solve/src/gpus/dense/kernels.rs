// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 17f313f9cd3b41d7d490b5e83103ed5c456bc956bdaf12fd73f4fa1d88fa4090
// Hash of the generated code: ee8540d1a9e011c4fbebb88134f53267866f258f99bf21af69055881ec07437e
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

/// Launches `dense_products_f32` or `dense_products_f64`.
pub(super) unsafe fn dense_products<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    rows: u32,
    columns: u32,
    raw: u32,
    carry: u32,
    matrix: impl Into<Input<'a, f64>>,
    basis: impl Into<Input<'a, f64>>,
    unknowns: impl Into<Input<'a, T>>,
    data: impl Into<Output<'a, T>>,
    sums: impl Into<Output<'a, u64>>,
    scale: impl Into<Input<'a, f64>>,
    norms: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("dense_products_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&rows),
        Argument::plain(&columns),
        Argument::plain(&raw),
        Argument::plain(&carry),
        Argument::from(matrix.into()),
        Argument::from(basis.into()),
        Argument::from(unknowns.into()),
        Argument::from(data.into()),
        Argument::from(sums.into()),
        Argument::from(scale.into()),
        Argument::from(norms.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `dense_expand`.
pub(super) unsafe fn dense_expand<'a>(
    stream: &Stream,
    grid: Grid,
    columns: u32,
    raw: u32,
    expansion: impl Into<Input<'a, i32>>,
    from: impl Into<Input<'a, u64>>,
    sums: impl Into<Output<'a, u64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "dense_expand")?;
    let arguments = [
        Argument::plain(&columns),
        Argument::plain(&raw),
        Argument::from(expansion.into()),
        Argument::from(from.into()),
        Argument::from(sums.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 6ca49a0bb446dbba8b16a2465ac5b9a7b250813c76e9483939658e44fc6edc4d
// Hash of the generated code: 8d3d8da937e60bbfc4f63314b4e882f5c2c4e0d145bdd534dab916b7d3b73db3
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

/// `struct BeginPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct BeginPlan {
    pub(super) voxels: u64,
    pub(super) measurements: u32,
    pub(super) b0_count: u32,
    pub(super) row_count: u32,
    pub(super) numbers: u32,
    pub(super) fewest: u32,
    pub(super) needs_a_tensor: u32,
}

/// `struct StartPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct StartPlan {
    pub(super) voxels: u32,
    pub(super) numbers: u32,
    pub(super) searched: u32,
    pub(super) keep: u32,
    pub(super) start: u32,
}

/// Launches `fit_begin_f32` or `fit_begin_f64`.
pub(super) unsafe fn fit_begin<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    plan: BeginPlan,
    signals: impl Into<Input<'a, f32>>,
    b0: impl Into<Input<'a, u32>>,
    places: impl Into<Input<'a, u32>>,
    rows: impl Into<Input<'a, T>>,
    beginnings: impl Into<Input<'a, super::BeginNumber<T>>>,
    factors: impl Into<Output<'a, T>>,
    squares: impl Into<Output<'a, T>>,
    values: impl Into<Output<'a, T>>,
    usable: impl Into<Output<'a, u32>>,
    status: impl Into<Output<'a, u8>>,
) -> CudaResult<()> {
    let name = format!("fit_begin_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(signals.into()),
        Argument::from(b0.into()),
        Argument::from(places.into()),
        Argument::from(rows.into()),
        Argument::from(beginnings.into()),
        Argument::from(factors.into()),
        Argument::from(squares.into()),
        Argument::from(values.into()),
        Argument::from(usable.into()),
        Argument::from(status.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `fit_next_start_f32` or `fit_next_start_f64`.
pub(super) unsafe fn fit_next_start<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    plan: StartPlan,
    candidates: impl Into<Input<'a, T>>,
    searched: impl Into<Input<'a, u32>>,
    kept: impl Into<Input<'a, u32>>,
    from: impl Into<Input<'a, T>>,
    from_status: impl Into<Input<'a, u8>>,
    best: impl Into<Output<'a, T>>,
    best_status: impl Into<Output<'a, u8>>,
    best_costs: impl Into<Output<'a, T>>,
    values: impl Into<Output<'a, T>>,
    status: impl Into<Output<'a, u8>>,
    costs: impl Into<Output<'a, T>>,
) -> CudaResult<()> {
    let name = format!("fit_next_start_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(candidates.into()),
        Argument::from(searched.into()),
        Argument::from(kept.into()),
        Argument::from(from.into()),
        Argument::from(from_status.into()),
        Argument::from(best.into()),
        Argument::from(best_status.into()),
        Argument::from(best_costs.into()),
        Argument::from(values.into()),
        Argument::from(status.into()),
        Argument::from(costs.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: cfa1b7b92e1d7e1061a5f74c71d49135b47c39d782ea09339040a584c90d3396
// products: 20b3b9b8708a4a4342fd9df1e8d6f79338b53e72f4330b8df01a0549ae6440aa
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
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

/// `struct SearchPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct SearchPlan {
    pub(super) voxels: u32,
    pub(super) measurements: u32,
    pub(super) candidates: u32,
    pub(super) searched: u32,
    pub(super) keep: u32,
    pub(super) shared_columns: u32,
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

/// Launches `fit_search` of these: `f32_1`, `f32_3`, `f32_5`, `f32_7`, `f32_9`, `f32_11`, `f32_13`, `f32_14`,
/// `f32_19`, `f32_20`, `f64_1`, `f64_3`, `f64_5`, `f64_7`, `f64_9`, `f64_11`, `f64_13`, `f64_19`.
pub(super) unsafe fn fit_search<'a, T: Precision>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    plan: SearchPlan,
    signals: impl Into<Input<'a, f32>>,
    factors: impl Into<Input<'a, T>>,
    maps: impl Into<Input<'a, T>>,
    columns: impl Into<Input<'a, T>>,
    uniforms: impl Into<Input<'a, T>>,
    candidates: impl Into<Input<'a, T>>,
    groups: impl Into<Input<'a, u32>>,
    searched: impl Into<Input<'a, u32>>,
    values: impl Into<Output<'a, T>>,
    status: impl Into<Output<'a, u8>>,
    costs: impl Into<Output<'a, T>>,
    evaluations: impl Into<Output<'a, u32>>,
    kept: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let name = format!("fit_search_{}_{}", T::NAME, numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(signals.into()),
        Argument::from(factors.into()),
        Argument::from(maps.into()),
        Argument::from(columns.into()),
        Argument::from(uniforms.into()),
        Argument::from(candidates.into()),
        Argument::from(groups.into()),
        Argument::from(searched.into()),
        Argument::from(values.into()),
        Argument::from(status.into()),
        Argument::from(costs.into()),
        Argument::from(evaluations.into()),
        Argument::from(kept.into()),
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

/// Launches `fit_minimise` of these: `f32_0`, `f32_2`, `f32_4`, `f32_6`, `f32_8`, `f32_10`, `f32_12`,
/// `f32_15`, `f32_16`, `f32_17`, `f32_18`, `f32_21`, `f32_22`, `f64_0`, `f64_2`, `f64_4`, `f64_6`, `f64_8`,
/// `f64_10`, `f64_12`, `f64_15`, `f64_17`, `f64_21`.
pub(super) unsafe fn fit_minimise<'a, T: Precision>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    plan: super::FitPlan<T>,
    signals: impl Into<Input<'a, f32>>,
    factors: impl Into<Input<'a, T>>,
    squares: impl Into<Input<'a, T>>,
    maps: impl Into<Input<'a, T>>,
    columns: impl Into<Input<'a, T>>,
    uniforms: impl Into<Input<'a, T>>,
    bounds: impl Into<Input<'a, T>>,
    rows: impl Into<Input<'a, T>>,
    values: impl Into<Output<'a, T>>,
    status: impl Into<Output<'a, u8>>,
    costs: impl Into<Output<'a, T>>,
    evaluations: impl Into<Output<'a, u32>>,
    next: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let name = format!("fit_minimise_{}_{}", T::NAME, numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(signals.into()),
        Argument::from(factors.into()),
        Argument::from(squares.into()),
        Argument::from(maps.into()),
        Argument::from(columns.into()),
        Argument::from(uniforms.into()),
        Argument::from(bounds.into()),
        Argument::from(rows.into()),
        Argument::from(values.into()),
        Argument::from(status.into()),
        Argument::from(costs.into()),
        Argument::from(evaluations.into()),
        Argument::from(next.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

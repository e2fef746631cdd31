// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: e586ecb21107207311afe899ba655ed46a818825283a39d6c5e17f24f658b8cb
// Hash of the generated code: 66be2abb2adf3cd93e0d246fea585ceda2d9dce0e8d5779b7c5291ecde69de98
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

/// Launches `geodesic_begin_f32` or `geodesic_begin_f64`.
pub(super) unsafe fn geodesic_begin<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    course: super::Course<T>,
    count: u32,
    begins: impl Into<Input<'a, super::Begin<T>>>,
    marks: impl Into<Input<'a, u16>>,
    states: impl Into<Output<'a, super::State<T>>>,
    outcomes: impl Into<Output<'a, super::Outcome>>,
) -> CudaResult<()> {
    let name = format!("geodesic_begin_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&course),
        Argument::plain(&count),
        Argument::from(begins.into()),
        Argument::from(marks.into()),
        Argument::from(states.into()),
        Argument::from(outcomes.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `geodesic_keys_f32` or `geodesic_keys_f64`.
pub(super) unsafe fn geodesic_keys<'a, T: Precision>(
    stream: &Stream,
    grid: Grid,
    course: super::Course<T>,
    count: u32,
    order: impl Into<Input<'a, u32>>,
    states: impl Into<Input<'a, super::State<T>>>,
    outcomes: impl Into<Input<'a, super::Outcome>>,
    places: impl Into<Output<'a, u64>>,
    rays_by_place: impl Into<Output<'a, u32>>,
    going: impl Into<Output<'a, u32>>,
) -> CudaResult<()> {
    let name = format!("geodesic_keys_{}", T::NAME);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&course),
        Argument::plain(&count),
        Argument::from(order.into()),
        Argument::from(states.into()),
        Argument::from(outcomes.into()),
        Argument::from(places.into()),
        Argument::from(rays_by_place.into()),
        Argument::from(going.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `geodesic_rays` of these: `f32_0_0`, `f32_0_1`, `f32_0_2`, `f32_0_3`, `f32_1_0`, `f32_1_1`,
/// `f32_1_2`, `f32_1_3`, `f32_2_0`, `f32_2_1`, `f32_2_2`, `f32_2_3`, `f64_0_0`, `f64_0_1`, `f64_0_2`,
/// `f64_0_3`, `f64_1_0`, `f64_1_1`, `f64_1_2`, `f64_1_3`, `f64_2_0`, `f64_2_1`, `f64_2_2`, `f64_2_3`.
pub(super) unsafe fn geodesic_rays<'a, T: Precision>(
    numbers: [u32; 2],
    stream: &Stream,
    grid: Grid,
    course: super::Course<T>,
    count: u32,
    lanes: u32,
    budget: u32,
    hits_room: u32,
    order: impl Into<Input<'a, u32>>,
    rows: impl Into<Input<'a, T>>,
    plain: impl Into<Input<'a, T>>,
    marks: impl Into<Input<'a, u16>>,
    distances: impl Into<Input<'a, f32>>,
    states: impl Into<Output<'a, super::State<T>>>,
    outcomes: impl Into<Output<'a, super::Outcome>>,
    hits: impl Into<Output<'a, super::Hit>>,
    hit_count: impl Into<Output<'a, u32>>,
    firsts: impl Into<Input<'a, u64>>,
    points: impl Into<Output<'a, f32>>,
    connectivity: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let name = format!("geodesic_rays_{}_{}_{}", T::NAME, numbers[0], numbers[1]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&course),
        Argument::plain(&count),
        Argument::plain(&lanes),
        Argument::plain(&budget),
        Argument::plain(&hits_room),
        Argument::from(order.into()),
        Argument::from(rows.into()),
        Argument::from(plain.into()),
        Argument::from(marks.into()),
        Argument::from(distances.into()),
        Argument::from(states.into()),
        Argument::from(outcomes.into()),
        Argument::from(hits.into()),
        Argument::from(hit_count.into()),
        Argument::from(firsts.into()),
        Argument::from(points.into()),
        Argument::from(connectivity.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

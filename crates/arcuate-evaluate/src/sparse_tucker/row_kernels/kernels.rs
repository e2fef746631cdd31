// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 13cb519c2ea660cb5617d3a4f5c80639f4f2c7ef2b8dbe8b5e7e8c98f88dd3b0
// products: 13e4495add6ec5a432309cfdec88310324280e26ca35a92c72bfd6a227e91ae4
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Precision, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// `struct Launch` of `kernels.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Launch {
    pub(super) mode: u32,
    pub(super) first_place: u32,
    pub(super) end_place: u32,
    pub(super) first_coefficient: u32,
    pub(super) first_run: u32,
    pub(super) directions: u32,
    pub(super) stride: u32,
}

/// Launches `sparse_tucker_rows` of these: `f32_32`, `f32_64`, `f32_96`, `f32_128`, `f32_256`, `f32_384`,
/// `f32_512`, `f64_32`, `f64_64`, `f64_96`, `f64_128`, `f64_256`, `f64_512`.
pub(super) unsafe fn sparse_tucker_rows<'a, T: Precision>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    launch: Launch,
    voxel_order: impl Into<Input<'a, u32>>,
    voxel_starts: impl Into<Input<'a, u32>>,
    voxel_runs: impl Into<Input<'a, u32>>,
    run_atoms: impl Into<Input<'a, u16>>,
    members: impl Into<Input<'a, u32>>,
    values: impl Into<Input<'a, T>>,
    dictionary: impl Into<Input<'a, T>>,
    weights: impl Into<Input<'a, T>>,
    data: impl Into<Output<'a, T>>,
    sums: impl Into<Output<'a, u64>>,
    scale_of_sums: impl Into<Input<'a, f64>>,
    norms: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let name = format!("sparse_tucker_rows_{}_{}", T::NAME, numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&launch),
        Argument::from(voxel_order.into()),
        Argument::from(voxel_starts.into()),
        Argument::from(voxel_runs.into()),
        Argument::from(run_atoms.into()),
        Argument::from(members.into()),
        Argument::from(values.into()),
        Argument::from(dictionary.into()),
        Argument::from(weights.into()),
        Argument::from(data.into()),
        Argument::from(sums.into()),
        Argument::from(scale_of_sums.into()),
        Argument::from(norms.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

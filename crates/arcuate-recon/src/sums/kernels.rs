// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: bea9c8f9fcaaf6508d1d35cd3666d7294010709f4cb59249d944cd84c9ea2959
// Hash of the generated code: 363fd3090dbc87dc1dc52ae9939f48967eda2932d42af73a5e13b0d9df0bc9f1
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

/// `struct SumsPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct SumsPlan {
    pub(super) nx: u32,
    pub(super) ny: u32,
    pub(super) nz: u32,
    pub(super) samples: u32,
    pub(super) first: u32,
    pub(super) fragments: u32,
    pub(super) row_tiles: u32,
    pub(super) column_tiles: u32,
    pub(super) resumes: u32,
    pub(super) goes_on: u32,
    pub(super) first_slice: u32,
    pub(super) first_volume: u32,
}

/// Launches `fourier_rows`.
pub(super) unsafe fn fourier_rows<'a>(
    stream: &Stream,
    grid: Grid,
    plan: SumsPlan,
    steps: impl Into<Input<'a, u32>>,
    table: impl Into<Output<'a, [u32; 4]>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "fourier_rows")?;
    let arguments = [Argument::plain(&plan), Argument::from(steps.into()), Argument::from(table.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `fourier_adjoint` of these: `32`, `16`.
pub(super) unsafe fn fourier_adjoint<'a>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    plan: SumsPlan,
    table: impl Into<Input<'a, [u32; 4]>>,
    along_x: impl Into<Input<'a, u32>>,
    along_y: impl Into<Input<'a, u32>>,
    along_z: impl Into<Input<'a, u32>>,
    data: impl Into<Input<'a, [f32; 2]>>,
    scales: impl Into<Input<'a, [f32; 2]>>,
    products: impl Into<Output<'a, f32>>,
    image: impl Into<Output<'a, [f32; 2]>>,
) -> CudaResult<()> {
    let name = format!("fourier_adjoint_{}", numbers[0]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(table.into()),
        Argument::from(along_x.into()),
        Argument::from(along_y.into()),
        Argument::from(along_z.into()),
        Argument::from(data.into()),
        Argument::from(scales.into()),
        Argument::from(products.into()),
        Argument::from(image.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: c32e2567158d379582eea6750035d6aa51947a3438b3e4febcd7428d498f2385
// Hash of the generated code: 91ca8e6a77dc9274443793680bd3a3a46d1e188f8c3eac1ede39441f7996335d
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

/// Launches `sparse_tucker_rows` of these: `f32_32`, `f32_64`, `f32_96`, `f32_128`, `f32_256`, `f32_384`,
/// `f32_512`, `f64_32`, `f64_64`, `f64_96`, `f64_128`, `f64_256`, `f64_512`.
pub(super) unsafe fn sparse_tucker_rows<'a, T: Precision>(
    numbers: [u32; 1],
    stream: &Stream,
    grid: Grid,
    mode: u32,
    first_place: u32,
    end_place: u32,
    first_coefficient: u32,
    first_run: u32,
    directions: u32,
    stride: u32,
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
        Argument::plain(&mode),
        Argument::plain(&first_place),
        Argument::plain(&end_place),
        Argument::plain(&first_coefficient),
        Argument::plain(&first_run),
        Argument::plain(&directions),
        Argument::plain(&stride),
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

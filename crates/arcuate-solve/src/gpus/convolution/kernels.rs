// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 500bc4fe979aba4ed885e3ff439e351a37cceb0be8c06fea854dc2fd885c494f
// Hash of the generated code: c2906dc46fd08dd366177b45aa7952b664082a444314091494d628a2eadb9f02
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

/// Launches `convolution_f64`.
pub(super) unsafe fn convolution_f64<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    length: u32,
    shift: u32,
    transposed: u32,
    taps: impl Into<Input<'a, f64>>,
    x: impl Into<Input<'a, f64>>,
    out: impl Into<Output<'a, f64>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "convolution_f64")?;
    let arguments = [
        Argument::plain(&count),
        Argument::plain(&length),
        Argument::plain(&shift),
        Argument::plain(&transposed),
        Argument::from(taps.into()),
        Argument::from(x.into()),
        Argument::from(out.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

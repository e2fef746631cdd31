// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 0e13acd51e91fb3eb5b1091fcdffd7df52f5eddf9eca9cd31dba35ee1745550b
// products: 2865fdd2f617c08c2adab6b81b3476d20dde6cc6197269edf6baa349a56fb9a3
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
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

// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: cb4f9df3804adf82e115bc501dd7eab6d791002b69399a1540345c1a698f57c8
// products: 838bf144c6bc0682a978bd69e4ba9b590574da14299877ac2b6f9a136974bc50
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// Launches `elementary_test_single`.
pub(super) unsafe fn elementary_test_single<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    x: impl Into<Input<'a, f32>>,
    values: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "elementary_test_single")?;
    let arguments = [Argument::plain(&count), Argument::from(x.into()), Argument::from(values.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

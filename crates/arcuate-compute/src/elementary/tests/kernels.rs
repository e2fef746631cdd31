// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: ae044ba06b6a160e8b1e58b25c6cb1e997bafde244d47202dd065ae0c0630ec4
// Hash of the generated code: e029db7411ae17b8acbb939bbb2c6f125b2917c1199d516aa158e2e16d5044c5
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

//! NVIDIA GPUs through the driver alone: no toolkit, no headers, and no driver needed to build.
//!
//! [`Gpu`]s are opened by number; [`Buffer`]s are their memory, [`Stream`]s the order of their work, [`Event`]s points in
//! that order. Kernels come from [`kernel_images!`](crate::kernel_images) by [`Gpu::kernels`] and go to a stream by
//! [`Stream::launch`]. [`Pinned`] memory of the host is copied while other work goes on; [`Staging`] does so lot
//! by lot. Every error names the call of the driver and what it was about.
//!
//! ```no_run
//! use arcuate_compute::{arguments, cuda::{Gpu, Grid, KernelImages}};
//!
//! # fn double(images: &'static KernelImages) -> arcuate_core::Result<()> {
//! // static IMAGES: KernelImages = kernel_images!("kernels");
//! let gpu = Gpu::open(0)?;
//! let stream = gpu.stream()?;
//! let double = gpu.kernels(images)?.get("example_double")?;
//! let mut values = gpu.upload(&stream, &[1.0_f32, 2.0, 3.0])?;
//! let grid = Grid::for_items(values.len(), 256);
//! let count = values.len() as u32;
//! // SAFETY: the kernel is `example_double(float* values, unsigned count)` and stays below `count`.
//! unsafe { stream.launch(&double, grid, &arguments![&mut values, count]) }?;
//! assert_eq!(values.to_vec(&stream)?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```

mod buffer;
mod driver;
mod error;
mod functions;
mod gpu;
mod kernels;
mod launch;
mod pinned;
mod staging;
mod stream;
#[cfg(test)]
mod tests;

pub use buffer::{Buffer, BufferView, BufferViewMut, Plain};
pub use error::{CudaError, CudaResult};
pub use gpu::{Gpu, GpuReport, Gpus, list_gpus};
pub use kernels::{Kernel, KernelImages, Kernels};
pub use launch::{Argument, Grid};
pub use pinned::Pinned;
pub use staging::{Staged, Staging};
pub use stream::{Event, Stream};

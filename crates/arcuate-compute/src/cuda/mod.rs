//! Access to NVIDIA GPUs through the driver only. The build needs no CUDA toolkit, no headers, and no driver.
//!
//! [`Gpu`]s are opened by number. [`Buffer`]s are GPU memory, [`Stream`]s are queues of work, and [`Event`]s
//! are points in a queue. Kernels are launched by functions that [`kernels!`](crate::kernels) makes from a table
//! of `cargo xtask kernels`, with numbers, [`Input`] and [`Output`] as parameters. These functions use
//! [`KernelImages`] and [`Stream::launch`].
//! [`Pinned`] and [`Registered`] are host memory that is copied while other work runs. [`Staging`] copies
//! data in chunks, and [`DeviceChunks`] handles data that do not fit into GPU memory. [`on_each`] runs work
//! on several GPUs at once. Every error names the driver call and the object concerned.
//!
//! ```no_run
//! # mod kernels {
//! #     use arcuate_compute::cuda::{CudaResult, Grid, Output, Stream};
//! #     pub unsafe fn example_double<'a>(
//! #         _: &Stream, _: Grid, _: u32, _: impl Into<Output<'a, f32>>,
//! #     ) -> CudaResult<()> {
//! #         Ok(())
//! #     }
//! # }
//! # fn main() -> arcuate_core::Result<()> {
//! use arcuate_compute::cuda::{Gpu, Grid};
//!
//! let gpu = Gpu::open(0)?;
//! let stream = gpu.stream()?;
//! let mut values = gpu.upload(&stream, &[1.0_f32, 2.0, 3.0])?;
//! // SAFETY: `example_double(unsigned count, float* values)` stays below `count`.
//! unsafe { kernels::example_double(&stream, Grid::for_items(3, 256), 3, &mut values) }?;
//! assert_eq!(values.to_vec(&stream)?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```

mod arguments;
mod buffer;
mod code;
mod counted;
mod device_chunks;
mod driver;
mod error;
mod functions;
mod gpu;
mod kernels;
mod launch;
mod on_each;
mod page_locked;
mod pinned;
mod plain;
mod ptx;
mod registered;
mod staging;
mod stream;
mod table;
#[cfg(test)]
mod tests;
mod timing;
mod transfer;
pub mod writer;
mod written;

pub use arguments::{Argument, Input, Output, Precision};
pub use buffer::{Buffer, BufferView, BufferViewMut};
pub use counted::counted;
pub use device_chunks::DeviceChunks;
pub use error::{CudaError, CudaResult};
pub use gpu::{Gpu, GpuReport, Gpus, list_gpus};
pub use kernels::{Kernel, KernelImages, Kernels};
pub use launch::Grid;
pub use on_each::on_each;
pub use pinned::Pinned;
pub use plain::Plain;
pub use registered::Registered;
pub use staging::{Staged, Staging};
pub use stream::{Event, Stream};
pub use timing::{Clock, LaunchTimes};
pub use transfer::Transfer;
pub use written::WrittenKernel;

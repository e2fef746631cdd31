//! Computing on CPUs and GPUs: devices, GPU memory and launches, streaming of items through GPUs, and
//! counter-based random numbers. Also the GPU code that tracking and connectomes share: batches of
//! streamlines, mappings to other voxel grids, and cells of surfaces.

// Tables of kernels refer to this crate as `arcuate_compute` in every crate, so this name must also exist
// within this crate.
extern crate self as arcuate_compute;

mod bytes;
pub mod cuda;
mod device;
pub mod element_rows;
#[cfg(test)]
mod elementary;
mod fallback;
mod memory_plan;
mod random;
pub mod sort;
pub mod streaming;
mod streamline_batch;
pub mod surface_cells;
pub mod voxel_mapping;

/// For the structures that the macro `kernels` defines.
#[doc(hidden)]
pub use bytemuck;

pub use bytes::{parse_bytes, show_bytes};
pub use device::{Device, DeviceChoice, DeviceReport, available_devices};
pub use fallback::{fall_back, fallback_is_allowed, with_fallback};
pub use memory_plan::{Chunks, MemoryPlan, halve};
pub use random::{Purpose, Random, random_blocks};
pub use streamline_batch::{DeviceStreamlineSink, StreamlineBatchOnGpu, StreamlineSpan};

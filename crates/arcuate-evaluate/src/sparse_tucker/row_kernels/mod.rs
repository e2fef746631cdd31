//! Kernels that read one row of the dictionary per run through the caches: any dictionary, both precisions.

mod cuda;
mod kernels;

pub(super) use cuda::Rows;

//! One row of the dictionary per run, from the caches: any dictionary, both precisions.

mod cuda;
mod kernels;

pub(super) use cuda::Rows;

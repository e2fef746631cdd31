//! One row of the dictionary per run, from the caches: any dictionary, both precisions.

mod cuda;

pub(super) use cuda::Rows;

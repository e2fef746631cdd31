//! Row kernels of the sparse Tucker operator. They read one row of the dictionary per run, through the
//! caches. They support any dictionary and both precisions.

mod cuda;
mod kernels;

pub(super) use cuda::Rows;

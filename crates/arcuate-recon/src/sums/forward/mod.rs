//! Forward sums on a grid, on GPUs.

mod cuda;
mod kernels;

pub(super) use cuda::forward;

//! Forward Fourier sums on a grid, on GPUs.

mod constants;
mod cuda;
mod kernels;

pub(super) use cuda::forward;

//! Row kernels of the sparse Tucker operator. A run is a group of coefficients with the same voxel and
//! dictionary row (atom). For each run, the kernels read one row of the dictionary, through the caches. They
//! support any dictionary and both precisions.

mod cuda;
mod kernels;

pub(super) use cuda::Rows;

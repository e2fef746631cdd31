//! Linear operators whose products run on GPUs, and code that all solvers on GPUs share.

mod constants;
#[cfg(test)]
mod convolution;
mod cuda;
#[cfg(test)]
mod dense {
    mod cuda;
    mod kernels;
    pub(crate) use cuda::DenseOnGpus;
}
mod kernels;
mod operator;
mod placed;
mod products;
mod share;
mod sizes;

pub(crate) use cuda::{Totals, grid};
#[cfg(test)]
pub(crate) use dense::DenseOnGpus;
pub use operator::{Bounds, DeviceNormal, DeviceOperator, Products, SplitOperator, fixed_point_scale};
pub(crate) use placed::on_gpus_while_they_work;
pub use placed::{Part, Placed, split_bricks};
pub use products::{
    adjoint_on_device, adjoint_on_gpus, forward_on_device, forward_on_gpus, normal_on_device,
};
pub(crate) use share::{Share, Shares};
pub use sizes::Sizes;

use crate::{Real, non_negative, proximal};
use arcuate_compute::cuda::{CudaResult, Gpu};

/// Returns the GPU memory in bytes that a solver needs in addition to its operator, as a maximum over all
/// solvers. The number is determined by allocating the vectors of each solver on a GPU object that only
/// counts bytes.
pub fn solver_bytes<T: Real>(gpu: &Gpu, sizes: &Sizes) -> CudaResult<u64> {
    let non_negative = gpu.bytes_of(|gpu| non_negative::largest_share::<T>(gpu, sizes))?;
    let proximal = gpu.bytes_of(|gpu| proximal::largest_share::<T>(gpu, sizes))?;
    // The computation of the duality gap also needs products with vectors in CPU memory.
    let look = gpu.bytes_of(|gpu| {
        let sums = sizes.raw_sums.unwrap_or(0) + sizes.columns;
        Ok((gpu.alloc::<T>(sizes.rows)?, gpu.alloc::<T>(sizes.columns)?, gpu.alloc::<u64>(sums)?))
    })?;
    Ok(non_negative.max(proximal + look))
}

#[cfg(test)]
mod tests;

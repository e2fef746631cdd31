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
mod groups;
mod kernels;
mod operator;
mod placed;
mod products;
mod sizes;

pub(crate) use cuda::{AdjointSums, THREADS, Totals, exchange, grid};
#[cfg(test)]
pub(crate) use dense::DenseOnGpus;
pub(crate) use groups::Groups;
pub use operator::{Bounds, DeviceNormal, Products, SplitOperator, fixed_point_scale};
pub(crate) use placed::on_gpus_while_they_work;
pub use placed::{Part, Placed, split_bricks};
pub use products::{adjoint_on_gpus, forward_on_gpus, normal_on_device};
pub use sizes::Sizes;

use crate::engine::{self, Device};
use crate::{Real, conjugate_gradients, non_negative, proximal};
use arcuate_compute::cuda::{CudaResult, Gpu, WrittenKernel};

/// Returns the GPU memory in bytes that a solver needs in addition to its operator, as a maximum over all
/// solvers. The number is determined by allocating the vectors of each solver on a GPU object that only
/// counts bytes.
pub fn solver_bytes<T: Real>(gpu: &Gpu, sizes: &Sizes) -> CudaResult<u64> {
    let of_non_negative = |gpu: &Gpu| Device::<T>::for_products(gpu, sizes, non_negative::LAYOUT, true);
    let non_negative = gpu.bytes_of(of_non_negative)?;
    // FISTA needs most memory if every unknown has a penalty and is also a group of its own.
    let proximal = gpu.bytes_of(|gpu| {
        let groups = Groups::alloc(gpu, sizes.columns, sizes.columns)?;
        Ok((Device::<T>::for_products(gpu, sizes, proximal::layout(true), false)?, groups))
    })?;
    // The computation of the duality gap also needs products with vectors in CPU memory.
    let look = gpu.bytes_of(|gpu| {
        let sums = sizes.raw_sums.unwrap_or(0) + sizes.columns;
        Ok((gpu.alloc::<T>(sizes.rows)?, gpu.alloc::<T>(sizes.columns)?, gpu.alloc::<u64>(sums)?))
    })?;
    Ok(non_negative.max(proximal + look))
}

/// Writes the GPU kernels of all solvers, in both precisions. A GPU compiles those that a solver uses.
#[doc(hidden)]
pub fn solver_kernels() -> Vec<WrittenKernel> {
    fn of<T: Real>() -> Vec<WrittenKernel> {
        let all = [
            engine::kernels::<T>(),
            conjugate_gradients::kernels::<T>(),
            non_negative::kernels::<T>(),
            proximal::kernels::<T>(),
        ];
        all.concat()
    }
    [of::<f32>(), of::<f64>()].concat()
}

#[cfg(test)]
mod tests;

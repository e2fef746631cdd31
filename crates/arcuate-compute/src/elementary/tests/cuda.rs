//! Elementary functions in single precision, computed on a GPU.
#![allow(unsafe_code)]

use super::{Values, kernels};
use crate::cuda::{CudaResult, Gpu, Grid};

/// Computes the eight function values of each number on a GPU.
pub(super) fn values_on(gpu: &Gpu, x: &[f32]) -> CudaResult<Vec<Values>> {
    let stream = gpu.stream()?;
    let (count, input) = (x.len() as u32, gpu.upload(&stream, x)?);
    let mut values = gpu.alloc::<f32>(8 * x.len())?;
    let grid = Grid::for_items(x.len(), 128);
    // SAFETY: the kernel reads `count` numbers and writes eight values for each.
    unsafe { kernels::elementary_test_single(&stream, grid, count, &input, &mut values) }?;
    let values = values.to_vec(&stream)?;
    Ok(values.chunks_exact(8).map(|all| std::array::from_fn(|n| all[n])).collect())
}

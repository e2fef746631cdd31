//! Random draws that are computed on a GPU.
#![allow(unsafe_code)]

use super::kernels::{self, Wanted};
use super::{Distribution, Draws};
use crate::cuda::{BufferViewMut, CudaResult, Grid, Stream};

/// Maximum number of thread blocks of a kernel launch, which is enough to fill any GPU. A thread that is done
/// with an item processes a further item.
const MAX_BLOCKS: usize = 16_384;
const THREADS: u32 = 128;

impl Draws {
    /// Queues a kernel that writes the same values as [`fill`](Self::fill) to memory of the stream's GPU.
    ///
    /// # Panics
    /// Panics if the length of `values` is not a multiple of the number of values per item.
    pub fn fill_on(&self, stream: &Stream, first: u64, values: BufferViewMut<'_, f64>) -> CudaResult<()> {
        let items = self.items_in(values.len());
        if items == 0 {
            return Ok(());
        }
        let grid = Grid::for_items(items.min(MAX_BLOCKS * THREADS as usize), THREADS);
        let wanted = Wanted {
            seed: self.seed,
            purpose: self.purpose as u64,
            first,
            items: items as u64,
            first_draw: self.first_draw,
            draws: self.per_item as u64,
            parameter: match self.distribution {
                Distribution::Below(bound) => bound as f64,
                Distribution::Gamma(shape) => shape,
                _ => 0.0,
            },
        };
        // SAFETY: the kernels write the values of `items` items, for which the buffer has space.
        unsafe {
            match self.distribution {
                Distribution::Uniform => kernels::random_uniform(stream, grid, wanted, values),
                Distribution::Below(_) => kernels::random_below(stream, grid, wanted, values),
                Distribution::Normal => kernels::random_normal(stream, grid, wanted, values),
                Distribution::Exponential => kernels::random_exponential(stream, grid, wanted, values),
                Distribution::Gamma(_) => kernels::random_gamma(stream, grid, wanted, values),
                Distribution::OnSphere => kernels::random_on_sphere(stream, grid, wanted, values),
            }
        }
    }
}

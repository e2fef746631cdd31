//! Draws made on a GPU.
#![allow(unsafe_code)]

use super::{Distribution, Draws};
use crate::cuda::{BufferViewMut, CudaResult, Grid, KernelImages, Stream};
use crate::{arguments, kernel_images};

static IMAGES: KernelImages = kernel_images!("kernels");

/// Blocks enough to keep any GPU busy; each thread takes further items when it is done with one.
const MOST_BLOCKS: usize = 16_384;
const THREADS: u32 = 128;

impl Draws {
    /// As [`fill`](Self::fill), into memory of the stream's GPU and in the stream's time.
    ///
    /// # Panics
    /// Where `values` ends within an item.
    pub fn fill_on(&self, stream: &Stream, first: u64, values: BufferViewMut<'_, f64>) -> CudaResult<()> {
        let items = self.items_in(values.len());
        if items == 0 {
            return Ok(());
        }
        let (name, parameter) = match self.distribution {
            Distribution::Uniform => ("random_uniform", 0.0),
            Distribution::Below(bound) => ("random_below", bound as f64),
            Distribution::Normal => ("random_normal", 0.0),
            Distribution::Exponential => ("random_exponential", 0.0),
            Distribution::Gamma(shape) => ("random_gamma", shape),
            Distribution::OnSphere => ("random_on_sphere", 0.0),
        };
        let kernel = stream.gpu().kernels(&IMAGES)?.get(name)?;
        let grid = Grid::for_items(items.min(MOST_BLOCKS * THREADS as usize), THREADS);
        let (purpose, count, draws) = (self.purpose as u32, items as u64, self.per_item as u64);
        // SAFETY: the kernel takes these eight parameters and writes the values of `items` items, which is what the
        // view has room for.
        unsafe {
            stream.launch(
                &kernel,
                grid,
                &arguments![self.seed, purpose, first, count, self.first_draw, draws, parameter, values],
            )
        }
    }
}

//! Connections counted in a GPU, by a kernel that goes where the streamlines are.
#![allow(unsafe_code)]

use super::kernels::{self, Search};
use super::step::Step;
use arcuate_compute::StreamlineBatchOnGpu;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid};
use arcuate_core::RegionSearch;

/// Threads of a block: as in `kernels.cu`.
const THREADS: u32 = 128;

/// What one GPU counts.
pub(super) struct OnGpu {
    gpu: Gpu,
    search: Search,
    rows: Buffer<u32>,
    steps: Buffer<Step>,
    counts: Buffer<u64>,
    lengths: Buffer<u64>,
}

impl OnGpu {
    pub(super) fn new(
        gpu: &Gpu,
        search: &RegionSearch<'_>,
        rows: &[u32],
        steps: &[Step],
        regions: usize,
    ) -> CudaResult<Self> {
        let stream = gpu.stream()?;
        let grid = search.labels().grid();
        let (inverse, affine) = (grid.inverse().rows(), grid.affine().rows());
        let search = Search {
            to_voxels: std::array::from_fn(|n| inverse[n / 4][n % 4]),
            to_mm: std::array::from_fn(|n| affine[n / 3][n % 3]),
            radius: search.radius_mm(),
            reach: search.reach_mm(),
            shape: grid.shape().map(|n| n as i32),
            steps: steps.len() as u32,
            regions: regions as u32,
            unused: 0,
        };
        let (rows, steps) = (gpu.upload(&stream, rows)?, gpu.upload(&stream, steps)?);
        stream.synchronize()?;
        let [counts, lengths] = [gpu.alloc(regions * regions)?, gpu.alloc(regions * regions)?];
        Ok(Self { gpu: gpu.clone(), search, rows, steps, counts, lengths })
    }

    pub(super) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(super) fn count(&mut self, batch: &StreamlineBatchOnGpu<'_>) -> CudaResult<()> {
        let streamlines = batch.spans.len();
        if streamlines == 0 {
            return Ok(());
        }
        // SAFETY: rows are those of the voxels of the lattice, sums those of pairs of regions; spans lie within the
        // positions, as their maker says.
        unsafe {
            kernels::connections_count(
                batch.stream,
                Grid::for_items(streamlines, THREADS),
                self.search,
                streamlines as u64,
                batch.spans,
                batch.positions,
                &self.rows,
                &self.steps,
                &mut self.counts,
                &mut self.lengths,
            )
        }
    }

    /// Counts and lengths, once all that was given to the GPU is done.
    pub(super) fn sums(self) -> CudaResult<(Vec<u64>, Vec<u64>)> {
        self.gpu.synchronize()?;
        let stream = self.gpu.stream()?;
        Ok((self.counts.to_vec(&stream)?, self.lengths.to_vec(&stream)?))
    }
}

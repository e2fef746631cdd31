//! Counts the streamlines between each pair of regions, on the GPU that generates the streamlines.
#![allow(unsafe_code)]

use super::kernels::{self, Search};
use super::step::Step;
use crate::sums::MatrixSums;
use arcuate_compute::StreamlineBatchOnGpu;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid, counted};
use arcuate_core::{RegionSearch, Result, high_half, low_half, narrow};

/// Number of threads in each block of a kernel launch. It is the same number as in `kernels.cu`.
const THREADS: u32 = 128;

/// Memory on one GPU for the counts of streamlines between regions.
pub(super) struct OnGpu {
    gpu: Gpu,
    search: Search,
    rows: Buffer<u32>,
    steps: Buffer<Step>,
    /// Two row-major square matrices over the regions: the number of streamlines between two regions, and
    /// their total length. Each pair is stored once, with the smaller region in the row, so the other half of
    /// each matrix is unused. `None` if the CPU adds up the streamlines.
    dense: Option<[Buffer<u64>; 2]>,
}

/// The connection that one streamline makes: the matrix rows of its two regions (the smaller row first), and
/// the streamline's length in units of 1/65536 mm.
pub(super) type Joined = ([u32; 2], u64);

impl OnGpu {
    pub(super) fn new(
        gpu: &Gpu,
        search: &RegionSearch<'_>,
        rows: &[u32],
        steps: &[Step],
        regions: usize,
        is_dense: bool,
    ) -> CudaResult<Self> {
        let stream = gpu.stream()?;
        let grid = search.labels().grid();
        let (inverse, affine) = (grid.inverse().rows(), grid.affine().rows());
        let [steps_in_all, regions_in_all] =
            counted("regions and steps between voxels", [steps.len(), regions])?;
        let search = Search {
            to_voxels: std::array::from_fn(|n| inverse[n / 4][n % 4]),
            to_mm: std::array::from_fn(|n| affine[n / 3][n % 3]),
            radius: search.radius_mm(),
            reach: search.reach_mm(),
            shape: grid.shape().map(narrow::<i32>),
            steps: steps_in_all,
            regions: regions_in_all,
            unused: 0,
        };
        let (rows, steps) = (gpu.upload(&stream, rows)?, gpu.upload(&stream, steps)?);
        stream.synchronize()?;
        let sums = || -> CudaResult<_> { Ok([gpu.alloc(regions * regions)?, gpu.alloc(regions * regions)?]) };
        let dense = is_dense.then(sums).transpose()?;
        Ok(Self { gpu: gpu.clone(), search, rows, steps, dense })
    }

    pub(super) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Processes a batch of streamlines. If this GPU has a sum for each pair of regions, the function adds
    /// the streamlines to these sums, and returns an empty list. If not, it returns the connection of each
    /// streamline that connects two regions.
    pub(super) fn count(&mut self, batch: &StreamlineBatchOnGpu<'_>) -> CudaResult<Vec<Joined>> {
        let streamlines = batch.spans.len();
        if streamlines == 0 {
            return Ok(Vec::new());
        }
        let grid = Grid::for_items(streamlines, THREADS);
        if let Some([counts, lengths]) = &mut self.dense {
            // SAFETY:
            // `rows` has a matrix row for each voxel of the grid, and `counts` and `lengths` have a sum for
            // each pair of regions. Each span is a range inside `positions`, as guaranteed by the creator of
            // the batch.
            unsafe {
                kernels::connections_count(
                    batch.stream,
                    grid,
                    self.search,
                    streamlines as u64,
                    batch.spans,
                    batch.positions,
                    &self.rows,
                    &self.steps,
                    counts,
                    lengths,
                )?;
            }
            return Ok(Vec::new());
        }
        let mut pairs: Buffer<u64> = self.gpu.alloc(streamlines)?;
        let mut lengths: Buffer<u64> = self.gpu.alloc(streamlines)?;
        // SAFETY:
        // `rows` has a matrix row for each voxel of the grid, and `pairs` and `lengths` have a value for each
        // streamline. Each span is a range inside `positions`.
        unsafe {
            kernels::connections_pairs(
                batch.stream,
                grid,
                self.search,
                streamlines as u64,
                batch.spans,
                batch.positions,
                &self.rows,
                &self.steps,
                &mut pairs,
                &mut lengths,
            )?;
        }
        let all = pairs.to_vec(batch.stream)?.into_iter().zip(lengths.to_vec(batch.stream)?);
        // In a kernel, a row number 0 means that a point is in no region. Matrix rows are therefore counted
        // from 1.
        let rows = |pair: u64| [high_half(pair) - 1, low_half(pair) - 1];
        Ok(all.filter(|&(pair, _)| pair != 0).map(|(pair, length)| (rows(pair), length)).collect())
    }

    /// Adds this GPU's sum of each pair of regions to the sums in host memory. First waits until the GPU has
    /// completed all work.
    pub(super) fn add_to(self, all: &mut MatrixSums<u64>) -> Result<()> {
        self.gpu.synchronize()?;
        let Some([counts, lengths]) = self.dense else { return Ok(()) };
        let stream = self.gpu.stream()?;
        let (counts, lengths) = (counts.to_vec(&stream)?, lengths.to_vec(&stream)?);
        let regions = self.search.regions as usize;
        let joined = counts.into_iter().zip(lengths).enumerate().filter(|(_, (count, _))| *count > 0);
        for (place, (count, length)) in joined {
            all.add(place / regions, place % regions, count, &[length])?;
        }
        Ok(())
    }
}

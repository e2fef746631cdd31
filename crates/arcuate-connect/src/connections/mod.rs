//! Counts the streamlines between each pair of regions, on the CPU or GPU that generates the streamlines.

mod cuda;
mod kernels;
mod step;

use crate::labels::{between_and_within, join, prepare, warn_of_none};
use crate::regions::ConnectomeOptions;
use crate::sums::{EntrySum, MatrixSums, SumsMemory};
use arcuate_compute::cuda::CudaResult;
use arcuate_compute::{DeviceStreamlineSink, StreamlineBatchOnGpu, StreamlineSpan};
use arcuate_core::{
    ConnectivityMatrix, Error, Labels, Measure, RegionSearch, Result, StreamlineBatch, StreamlineSink,
    length, narrow,
};
use cuda::OnGpu;
use rayon::prelude::*;
use step::Step;

/// Counts the streamlines between each pair of regions of a parcellation, and adds up their lengths. The
/// regions of single streamlines are not recorded. The counter is intended for the millions of streamlines of
/// probabilistic tracking, which need not be stored or leave the GPU.
///
/// A streamline connects the same regions as with [`ConnectomeBuilder`](crate::ConnectomeBuilder). The sums
/// of numbers and lengths are integers (lengths in units of 2⁻¹⁶ mm). They therefore do not depend on the
/// order of the streamlines, and the connectome is bit-identical on any device and for any number of threads.
///
/// The host needs memory for [the sums of all pairs of regions](Self::memory). Each GPU needs 4 bytes per
/// voxel of the parcellation. If a sum for every pair is [allowed](ConnectomeOptions::most_dense_bytes), each
/// GPU also needs 16 bytes for each ordered pair of regions. If not, each GPU needs 16 bytes for each
/// streamline of a batch.
pub struct ConnectionCounter<'a> {
    search: RegionSearch<'a>,
    /// Number of streamlines between each pair of regions, and their total length in units of 1/65536 mm.
    sums: MatrixSums<u64>,
    /// Number of received streamlines.
    taken: u64,
    most_dense_bytes: u64,
    gpus: Vec<OnGpu>,
    /// The error, if any, that occurred when streamlines from GPUs were added to the sums.
    failed: Option<Error>,
}

/// Number of length units per millimetre. Lengths are integers of this unit.
const PARTS: f64 = 65536.0;

impl<'a> ConnectionCounter<'a> {
    /// Creates an empty counter. Returns the errors of [`ConnectomeBuilder::new`](crate::ConnectomeBuilder::new).
    pub fn new(labels: &'a Labels, options: &ConnectomeOptions) -> Result<Self> {
        let (search, regions) = prepare(labels, options)?;
        let most_dense_bytes = options.most_dense_bytes;
        let sums = MatrixSums::new(regions, None, vec![Measure::MeanLength], most_dense_bytes)?;
        Ok(Self { search, sums, taken: 0, most_dense_bytes, gpus: Vec::new(), failed: None })
    }

    /// Returns the number of received streamlines, including those that connect no regions.
    pub fn streamlines(&self) -> u64 {
        self.taken
    }

    /// Returns the host memory of the sums.
    pub fn memory(&self) -> SumsMemory {
        self.sums.memory()
    }

    /// Returns the number of regions with a row.
    pub fn regions(&self) -> usize {
        self.sums.rows().len()
    }

    /// Returns the connectome: a symmetric matrix with the number of streamlines and their mean length in mm.
    /// Warns if no streamline connects two regions.
    pub fn finish(self) -> Result<ConnectivityMatrix> {
        let matrix = self.sums.finish(|_, parts| parts as f64 / PARTS)?;
        warn_of_none("", between_and_within(&matrix), self.taken);
        Ok(matrix)
    }

    /// Returns the number and the total length of the streamlines between each pair of connected regions, so
    /// far. Another counter with the same regions can [add](Self::add) these sums.
    pub fn entries(&self) -> Vec<EntrySum> {
        self.sums.entries()
    }

    /// Adds the numbers and lengths of streamlines from another counter with the same regions. `streamlines`
    /// is the number of streamlines that the other counter received, including those that connect no regions.
    ///
    /// Returns an error if a region of an entry is not a region of this counter.
    pub fn add(&mut self, entries: &[EntrySum], streamlines: u64) -> Result<()> {
        entries.iter().try_for_each(|&entry| self.sums.add_entry(entry))?;
        self.taken += streamlines;
        Ok(())
    }

    /// Returns true if each GPU stores the number and length of streamlines for every pair of regions.
    fn is_dense_on_gpus(&self) -> bool {
        let regions = self.regions() as u64;
        let bytes = regions.checked_mul(regions).and_then(|pairs| pairs.checked_mul(16));
        self.sums.is_dense() && bytes.is_some_and(|bytes| bytes <= self.most_dense_bytes)
    }

    /// Returns, for each voxel, 1 plus the matrix row of its region, or 0 if the voxel has no region.
    fn rows(&self) -> Vec<u32> {
        let row = |&region: &u32| {
            self.sums.rows().place(u64::from(region)).map_or(0, |place| narrow::<u32>(place) + 1)
        };
        self.search.labels().values().par_iter().map(row).collect()
    }

    /// Returns the offsets of the voxels in which the search for the region of an end point looks, in the
    /// order of the search. Without a search radius, the only voxel is the one that contains the end point.
    fn steps(&self) -> Vec<Step> {
        let step = |&(by, far): &([i64; 3], f64)| Step::new(by, far);
        match self.search.steps() {
            [] => vec![Step::new([0; 3], 0.0)],
            steps => steps.iter().map(step).collect(),
        }
    }
}

impl StreamlineSink for ConnectionCounter<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let row = |region| self.sums.rows().place(u64::from(region));
        let entry = |streamline| -> Option<([usize; 2], u64)> {
            let (a, b) = join(&self.search, streamline)?;
            Some(([row(a)?, row(b)?], (length(streamline) * PARTS + 0.5).floor() as u64))
        };
        let found: Vec<Option<([usize; 2], u64)>> =
            (0..batch.len()).into_par_iter().with_min_len(64).map(|n| entry(batch.streamline(n))).collect();
        for ([a, b], length) in found.into_iter().flatten() {
            self.sums.add(a, b, 1, &[length])?;
        }
        self.taken += batch.len() as u64;
        Ok(())
    }
}

impl DeviceStreamlineSink for ConnectionCounter<'_> {
    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()> {
        let known = self.gpus.iter().position(|there| there.gpu() == batch.gpu());
        let at = known.unwrap_or(self.gpus.len());
        if known.is_none() {
            let (rows, steps, regions) = (self.rows(), self.steps(), self.regions());
            let is_dense = self.is_dense_on_gpus();
            self.gpus.push(OnGpu::new(batch.gpu(), &self.search, &rows, &steps, regions, is_dense)?);
        }
        for ([low, high], length) in self.gpus[at].count(&batch)? {
            if let Err(error) = self.sums.add(low as usize, high as usize, 1, &[length]) {
                self.failed.get_or_insert(error);
            }
        }
        self.taken += batch.spans.len() as u64;
        Ok(())
    }

    fn collect(&mut self) -> Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        for there in self.gpus.drain(..) {
            there.add_to(&mut self.sums)?;
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.gpus.clear();
        self.failed = None;
        self.sums.clear();
        self.taken = 0;
    }
}

/// The type has the same size as the structure `StreamlineSpan` in `kernels.cu`.
const _: () = assert!(size_of::<StreamlineSpan>() == 24);

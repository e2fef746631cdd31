//! How many streamlines join two regions, counted where the streamlines are made.

mod cuda;
mod kernels;
mod step;

use crate::labels::{ConnectomeOptions, join, prepare, warn_of_none};
use arcuate_compute::cuda::CudaResult;
use arcuate_compute::{DeviceStreamlineSink, StreamlineBatchOnGpu, StreamlineSpan};
use arcuate_core::{Connectome, Labels, RegionSearch, Result, StreamlineBatch, StreamlineSink, length};
use cuda::OnGpu;
use rayon::prelude::*;
use step::Step;

/// Counts the streamlines between the regions of a parcellation, and their lengths, but does not keep which streamline
/// joins which: for streamlines of probabilistic tracking, which come by the million and need never be stored, nor leave
/// the GPU that makes them.
///
/// The regions of a streamline are those that [`ConnectomeBuilder`](crate::ConnectomeBuilder) finds. Sums are whole
/// numbers, lengths of streamlines in 2⁻¹⁶ mm, so that they do not depend on the order of the streamlines: the result has
/// the same bits on any device and any number of threads.
pub struct ConnectionCounter<'a> {
    search: RegionSearch<'a>,
    /// Without a streamline.
    empty: Connectome,
    sums: Sums,
    gpus: Vec<OnGpu>,
}

/// Of the pairs of rows, smaller row first: row-major, half of it unused.
#[derive(Debug, Clone)]
struct Sums {
    counts: Vec<u64>,
    lengths: Vec<u64>,
    /// Streamlines that came.
    taken: u64,
}

impl Sums {
    fn new(regions: usize) -> Self {
        Self { counts: vec![0; regions * regions], lengths: vec![0; regions * regions], taken: 0 }
    }

    fn add(&mut self, counts: &[u64], lengths: &[u64]) {
        let add = |(sum, more): (&mut u64, &u64)| *sum += more;
        self.counts.iter_mut().zip(counts).for_each(add);
        self.lengths.iter_mut().zip(lengths).for_each(add);
    }
}

/// Lengths are counted in this part of a millimetre.
const PARTS: f64 = 65536.0;

impl<'a> ConnectionCounter<'a> {
    /// No streamline yet. Fails as [`ConnectomeBuilder::new`](crate::ConnectomeBuilder::new) does.
    pub fn new(labels: &'a Labels, options: &ConnectomeOptions) -> Result<Self> {
        let (search, empty) = prepare(labels, options)?;
        let sums = Sums::new(empty.regions.len());
        Ok(Self { search, empty, sums, gpus: Vec::new() })
    }

    /// Streamlines that came, those that join nothing among them.
    pub fn streamlines(&self) -> u64 {
        self.sums.taken
    }

    /// The connectome, with weights that are the counts and without assignments. None between two regions is warned of.
    pub fn finish(self) -> Connectome {
        let Self { empty: mut connectome, sums, .. } = self;
        let n = connectome.regions.len();
        for a in 0..n {
            for b in a..n {
                let count = sums.counts[a * n + b];
                if count == 0 {
                    continue;
                }
                let mean = sums.lengths[a * n + b] as f64 / PARTS / count as f64;
                for entry in [a * n + b, b * n + a] {
                    connectome.counts[entry] = count as f64;
                    connectome.weights[entry] = count as f64;
                    connectome.mean_lengths[entry] = mean;
                }
            }
        }
        warn_of_none(&connectome, sums.taken);
        connectome
    }

    /// For each voxel the row of its region and 1, or 0.
    fn rows(&self) -> Vec<u32> {
        let row = |region| self.empty.regions.binary_search(region).map_or(0, |row| row as u32 + 1);
        self.search.labels().values().par_iter().map(row).collect()
    }

    /// Steps of the search, the voxel itself where nothing is searched.
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
        let n = self.empty.regions.len();
        let row = |region| self.empty.regions.binary_search(&region).ok();
        let entry = |streamline| -> Option<(usize, u64)> {
            let (a, b) = join(&self.search, streamline)?;
            Some((row(a)? * n + row(b)?, (length(streamline) * PARTS + 0.5).floor() as u64))
        };
        let found: Vec<Option<(usize, u64)>> =
            (0..batch.len()).into_par_iter().with_min_len(64).map(|n| entry(batch.streamline(n))).collect();
        for (entry, length) in found.into_iter().flatten() {
            self.sums.counts[entry] += 1;
            self.sums.lengths[entry] += length;
        }
        self.sums.taken += batch.len() as u64;
        Ok(())
    }
}

impl DeviceStreamlineSink for ConnectionCounter<'_> {
    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()> {
        let known = self.gpus.iter().position(|there| there.gpu() == batch.gpu());
        let at = known.unwrap_or(self.gpus.len());
        if known.is_none() {
            let (rows, steps, regions) = (self.rows(), self.steps(), self.empty.regions.len());
            self.gpus.push(OnGpu::new(batch.gpu(), &self.search, &rows, &steps, regions)?);
        }
        self.gpus[at].count(&batch)?;
        self.sums.taken += batch.spans.len() as u64;
        Ok(())
    }

    fn collect(&mut self) -> Result<()> {
        for there in self.gpus.drain(..) {
            let (counts, lengths) = there.sums()?;
            self.sums.add(&counts, &lengths);
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.gpus.clear();
        self.sums = Sums::new(self.empty.regions.len());
    }
}

/// As `kernels.cu` has it.
const _: () = assert!(size_of::<StreamlineSpan>() == 24);

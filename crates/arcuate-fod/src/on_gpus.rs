//! Deconvolution on GPUs. The voxels of the mask are divided into chunks.

use crate::voxels::{Distributions, VoxelFit, VoxelSolver};
use arcuate_compute::Device;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, Stream};
use arcuate_compute::streaming::{self, ChunkSizes, Job, Work};
use arcuate_core::{Control, Error, Mask, NotComputed, Result, Volume, narrow};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of voxels in a chunk. A GPU runs a few thousand blocks of threads at the same time. Each block fits
/// one voxel at a time, and the times differ between voxels.
const CHUNKS: ChunkSizes = ChunkSizes { minimum: 1 << 6, enough: 1 << 14, maximum: 1 << 15 };
/// Number of blocks per multiprocessor if the matrices of the blocks do not fit in shared memory.
const BLOCKS: u32 = 8;
/// Number of voxels that a CPU thread stores as one task.
const PIECE: usize = 256;

/// The memory that a block of threads needs, in addition to the tables that all blocks share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockMemory {
    /// Number of bytes of a block's memory that must be in shared memory.
    pub(crate) bytes: usize,
    /// Number of double-precision numbers in the matrices of a block. The matrices are in shared memory if
    /// they fit.
    pub(crate) matrices: usize,
}

/// Shows where the memory of a block of threads is located.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement {
    /// Number of bytes of shared memory per block.
    pub(crate) shared_bytes: u32,
    /// Number of double-precision numbers of a block's matrices in global memory. It is 0 if the matrices are
    /// in shared memory.
    pub(crate) outside: usize,
    /// Maximum number of blocks that run at the same time.
    pub(crate) most_blocks: usize,
}

impl BlockMemory {
    /// Returns an error if shared memory is too small for the data that must be there.
    fn on(self, gpu: &Gpu) -> Result<Placement> {
        let (there, all) = (gpu.shared_bytes() as usize, self.bytes + self.matrices * size_of::<f64>());
        if all <= there {
            return Ok(Placement { shared_bytes: narrow::<u32>(all), outside: 0, most_blocks: usize::MAX });
        }
        if self.bytes <= there {
            let most_blocks = (gpu.multiprocessors() * BLOCKS) as usize;
            return Ok(Placement {
                shared_bytes: narrow::<u32>(self.bytes),
                outside: self.matrices,
                most_blocks,
            });
        }
        let problem =
            format!("one voxel needs {} bytes of shared memory, but the GPU has {there}", self.bytes);
        Err(Error::device_too_small(
            gpu,
            problem,
            "give a lower order of spherical harmonics, or use ‘device’ cpu",
        ))
    }
}

/// The data of the voxels of a chunk, in GPU memory.
pub(crate) struct Voxels {
    /// Number of voxels in the chunk.
    pub(crate) count: usize,
    /// The measurements of the voxels.
    pub(crate) signals: Buffer<f32>,
    /// The fitted coefficients of all distributions, voxel by voxel.
    pub(crate) coefficients: Buffer<f32>,
    /// For each voxel, the result of its fit, as the index of the variant of [`VoxelFit`].
    pub(crate) ends: Buffer<u32>,
    /// The matrices of each block, if they do not fit in shared memory.
    pub(crate) matrices: Buffer<f64>,
    pub(crate) placement: Placement,
}

impl Voxels {
    /// Returns the number of blocks and threads for the voxels of the chunk.
    pub(crate) fn grid(&self, threads: u32) -> Grid {
        Grid::row(narrow::<u32>(self.count.min(self.placement.most_blocks)), threads)
            .shared(self.placement.shared_bytes)
    }
}

/// A deconvolution method that also runs on GPUs.
pub(crate) trait DeviceSolver: VoxelSolver {
    /// Data on a GPU that are the same for all voxels.
    type Tables: Send + Sync;

    /// Returns the memory that a block of threads needs, in addition to the tables that all blocks share.
    fn block_memory(&self) -> BlockMemory;

    /// Returns the reason why the GPU kernels do not support the problem. Returns `None` if they support it.
    fn obstacle(&self) -> Option<String>;

    /// Copies the data that all voxels share to the memory of a GPU.
    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Self::Tables>;

    /// Launches the kernel that fits the voxels of a chunk, on a stream of the GPU.
    fn launch(&self, stream: &Stream, tables: &Self::Tables, voxels: &mut Voxels) -> CudaResult<()>;
}

/// Fits every voxel of `mask` on GPUs. The result has the same bits as on the CPU.
///
/// Returns an error if the smallest chunk of voxels does not fit in GPU memory, or if a GPU fails.
pub(crate) fn solve_voxels<S: DeviceSolver>(
    solver: &S,
    dwi: &Volume<f32>,
    mask: &Mask,
    gpus: &Gpus,
    control: &Control,
) -> Result<Distributions> {
    if let Some(obstacle) = solver.obstacle() {
        return Err(Error::device_too_small("‘device’", obstacle, "use ‘device’ cpu"));
    }
    let (items, counts) = (mask.indices(), solver.counts());
    let mut found = Distributions::zeros(mask, &counts);
    let fits = Fits { solver, dwi, items: &items, counts: &counts, control, done: AtomicU64::new(0) };
    let ends = streaming::run(&fits, gpus, |chunks| fits.targets(&mut found.coefficients, chunks))?;
    let count = |end: VoxelFit| ends.iter().map(|ends| ends[end as usize]).sum();
    found.counts.add(NotComputed::NotFinite, count(VoxelFit::Unfitted));
    found.unconverged = count(VoxelFit::Unconverged);
    found.device = Device::Cuda(gpus.clone());
    Ok(found)
}

struct Fits<'a, S> {
    solver: &'a S,
    dwi: &'a Volume<f32>,
    items: &'a [usize],
    counts: &'a [usize],
    control: &'a Control,
    done: AtomicU64,
}

/// The part of all output volumes that begins at a voxel of the grid and belongs to one chunk.
struct Target<'v> {
    first: usize,
    volumes: Vec<&'v mut [f32]>,
}

/// A chunk of voxels of the mask while a GPU fits them.
struct Chunk {
    items: Range<usize>,
    voxels: Voxels,
}

impl<S: DeviceSolver> Fits<'_, S> {
    fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Splits the output volumes after the last voxel of each chunk, so that each chunk has its own part.
    fn targets<'v>(&self, volumes: &'v mut [Volume<f32>], chunks: &[Range<usize>]) -> Vec<Target<'v>> {
        let mut left: Vec<&mut [f32]> = volumes.iter_mut().map(Volume::values_mut).collect();
        let mut first = 0;
        let target = |chunk: &Range<usize>| {
            let end = self.items[chunk.end - 1] + 1;
            let volumes = left.iter_mut().zip(self.counts).map(|(left, count)| {
                let (own, rest) = std::mem::take(left).split_at_mut((end - first) * count);
                *left = rest;
                own
            });
            let target = Target { first, volumes: volumes.collect() };
            first = end;
            target
        };
        chunks.iter().map(target).collect()
    }

    fn voxels(&self, gpu: &Gpu, count: usize, placement: Placement) -> CudaResult<Voxels> {
        let blocks = count.min(placement.most_blocks);
        Ok(Voxels {
            count,
            signals: gpu.alloc(count * self.dwi.channels())?,
            coefficients: gpu.alloc(count * self.total())?,
            ends: gpu.alloc(count)?,
            matrices: gpu.alloc(blocks * placement.outside)?,
            placement,
        })
    }
}

impl<'a, S: DeviceSolver> Job for Fits<'a, S> {
    type Tables = S::Tables;
    type Scratch = Chunk;
    type Target = Target<'a>;
    /// For each variant of `VoxelFit`, the number of fits with this result.
    type Output = [usize; VoxelFit::COUNT];

    fn work(&self) -> Work {
        Work { needs: "deconvolution needs", items: self.items.len(), sizes: CHUNKS }
    }

    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<S::Tables> {
        self.solver.tables(gpu, stream)
    }

    fn chunk_bytes(&self, gpu: &Gpu, items: usize) -> CudaResult<u64> {
        let Ok(placement) = self.solver.block_memory().on(gpu) else { return Ok(0) };
        gpu.bytes_of(|gpu| self.voxels(gpu, items, placement))
    }

    fn upload(
        &self,
        worker: &mut streaming::Worker<'_, S::Tables>,
        before: Option<Chunk>,
        items: Range<usize>,
    ) -> Result<Chunk> {
        let mut voxels = match before {
            Some(chunk) => chunk.voxels,
            None => self.voxels(&worker.gpu, worker.maximum, self.solver.block_memory().on(&worker.gpu)?)?,
        };
        voxels.count = items.len();
        let series = self.dwi.channels();
        let fill = |start: usize, out: &mut [f32]| {
            let own = &self.items[items.start + start / series..];
            out.chunks_exact_mut(series)
                .zip(own)
                .for_each(|(out, &voxel)| out.copy_from_slice(self.dwi.voxel(voxel)));
        };
        let there = voxels.signals.range_mut(0..items.len() * series);
        worker.transfer.fill(&worker.stream, there, series, fill)?;
        Ok(Chunk { items, voxels })
    }

    fn launch(&self, worker: &mut streaming::Worker<'_, S::Tables>, chunk: &mut Chunk) -> Result<()> {
        Ok(self.solver.launch(&worker.stream, worker.tables, &mut chunk.voxels)?)
    }

    fn download(
        &self,
        worker: &mut streaming::Worker<'_, S::Tables>,
        chunk: &mut Chunk,
        mut target: Target<'a>,
    ) -> Result<Self::Output> {
        let (count, total) = (chunk.voxels.count, self.total());
        let there = chunk.voxels.coefficients.range(0..count * total);
        let values = worker.transfer.download(&worker.stream, there)?;
        target.take(&self.items[chunk.items.clone()], self.counts, &values);
        let mut ends = vec![0u32; count];
        chunk.voxels.ends.range(0..count).copy_to(&worker.stream, &mut ends)?;
        let mut counts = [0; VoxelFit::COUNT];
        for end in ends {
            counts[end as usize] += 1;
        }
        Ok(counts)
    }

    fn done(&self, items: usize) -> Result<()> {
        let items = items as u64;
        let done = self.done.fetch_add(items, Ordering::Relaxed) + items;
        self.control.progress(done, self.items.len() as u64)
    }
}

impl Target<'_> {
    /// Stores the coefficients of some voxels in the output volumes. `values` contains the coefficients of
    /// all distributions, voxel by voxel.
    fn take(&mut self, items: &[usize], counts: &[usize], values: &[f32]) {
        let total: usize = counts.iter().sum();
        let mut offset = 0;
        for (volume, &count) in self.volumes.iter_mut().zip(counts) {
            let (mut left, mut first) = (std::mem::take(volume), self.first);
            let mut pieces = Vec::with_capacity(items.len().div_ceil(PIECE));
            for (items, values) in items.chunks(PIECE).zip(values.chunks(PIECE * total)) {
                let end = items[items.len() - 1] + 1;
                let (own, rest) = left.split_at_mut((end - first) * count);
                pieces.push((first, items, values, own));
                (left, first) = (rest, end);
            }
            pieces.into_par_iter().for_each(|(first, items, values, own)| {
                for (&voxel, values) in items.iter().zip(values.chunks_exact(total)) {
                    own[(voxel - first) * count..][..count].copy_from_slice(&values[offset..offset + count]);
                }
            });
            offset += count;
        }
    }
}

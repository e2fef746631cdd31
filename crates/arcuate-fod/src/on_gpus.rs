//! Deconvolution on GPUs: voxels flow through in chunks.

use crate::voxels::{Distributions, VoxelFit, VoxelSolver};
use arcuate_compute::Device;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, Stream};
use arcuate_compute::streaming::{self, ChunkSizes, Job, Work};
use arcuate_core::{Control, Error, Mask, NotComputed, Result, Volume, narrow};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A GPU has a few thousand blocks at a time, a voxel each, which take unlike times.
const CHUNKS: ChunkSizes = ChunkSizes { least: 1 << 6, enough: 1 << 14, most: 1 << 15 };
/// Blocks of a multiprocessor where their matrices are too large for its shared memory.
const BLOCKS: u32 = 8;
/// Voxels that one thread of the host puts where they belong at a time.
const PIECE: usize = 256;

/// What a block needs beside the tables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Bytes of shared memory in any case.
    pub(crate) bytes: usize,
    /// Doubles of matrices, which shared memory holds where it is large enough.
    pub(crate) matrices: usize,
}

/// Where a block finds that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement {
    /// Bytes of shared memory.
    pub(crate) shared_bytes: u32,
    /// Doubles of matrices outside of it.
    pub(crate) outside: usize,
    /// Blocks at most.
    pub(crate) most_blocks: usize,
}

impl Room {
    /// Fails where shared memory does not even hold what it must.
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
            format!("a voxel needs {} bytes of shared memory, of which there are {there}", self.bytes);
        Err(Error::device_too_small(gpu, problem, "give a lower order, or use ‘device’ cpu"))
    }
}

/// Voxels in a GPU.
pub(crate) struct Voxels {
    /// How many there are.
    pub(crate) count: usize,
    /// Their measurements.
    pub(crate) signals: Buffer<f32>,
    /// What is found: coefficients of all distributions, voxel after voxel.
    pub(crate) coefficients: Buffer<f32>,
    /// How their fits ended, in the order of [`VoxelFit`].
    pub(crate) ends: Buffer<u32>,
    /// Of each block, where shared memory does not hold them.
    pub(crate) matrices: Buffer<f64>,
    pub(crate) placement: Placement,
}

impl Voxels {
    /// Blocks of a launch.
    pub(crate) fn grid(&self, threads: u32) -> Grid {
        Grid::row(narrow::<u32>(self.count.min(self.placement.most_blocks)), threads)
            .shared(self.placement.shared_bytes)
    }
}

/// A solver that has kernels.
pub(crate) trait DeviceSolver: VoxelSolver {
    /// What all voxels have in common, in a GPU.
    type Tables: Send + Sync;

    /// What a block needs beside that.
    fn room(&self) -> Room;

    /// What no kernel of it computes, in words; nothing where there is none such.
    fn obstacle(&self) -> Option<String>;

    /// The tables in the memory of a GPU.
    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Self::Tables>;

    /// Gives the fits of voxels to a stream.
    fn launch(&self, stream: &Stream, tables: &Self::Tables, voxels: &mut Voxels) -> CudaResult<()>;
}

/// Fits every voxel of `mask` on GPUs, with the bits of the processor.
///
/// Fails where the smallest chunk does not fit, and where a GPU does.
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

/// A part of all volumes, from a voxel of the grid on.
struct Target<'v> {
    first: usize,
    volumes: Vec<&'v mut [f32]>,
}

/// Voxels of the mask on their way.
struct Chunk {
    items: Range<usize>,
    voxels: Voxels,
}

impl<S: DeviceSolver> Fits<'_, S> {
    fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Volumes cut behind the last voxel of each chunk.
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
    /// How many fits ended in each way.
    type Output = [usize; VoxelFit::COUNT];

    fn work(&self) -> Work {
        Work { needs: "deconvolution needs", items: self.items.len(), sizes: CHUNKS }
    }

    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<S::Tables> {
        self.solver.tables(gpu, stream)
    }

    fn chunk_bytes(&self, gpu: &Gpu, items: usize) -> CudaResult<u64> {
        let Ok(placement) = self.solver.room().on(gpu) else { return Ok(0) };
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
            None => self.voxels(&worker.gpu, worker.most, self.solver.room().on(&worker.gpu)?)?,
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
    /// Puts the coefficients of all distributions of some voxels, one voxel after the other, where they belong.
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

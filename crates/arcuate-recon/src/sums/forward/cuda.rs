//! Host code of the forward Fourier sums, from an image to samples: memory of the tables, size of the tiles,
//! and kernel launches.
#![allow(unsafe_code)]

use super::constants;
use super::kernels::{self, ForwardPlan};
use crate::sums::FourierSums;
use crate::sums::cuda::{LARGEST, NEEDS, ROW_SCALE, phase_steps};
use crate::sums::table::Mirrored;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, Stream};
use arcuate_compute::streaming::{self, ChunkSizes, Job, Work, Worker};
use arcuate_compute::{MemoryPlan, halve};
use arcuate_core::{Error, Result, narrow};
use arcuate_solve::LinearOperator;
use std::ops::Range;

/// Number of threads per block. Number of samples and number of columns that a block processes at a time.
/// Number of terms of the sum in a fragment. Number of column tiles after which sums are added to the total.
const THREADS: u32 = constants::THREADS;
const SAMPLES: usize = constants::SAMPLES as usize;
const COLUMNS: usize = constants::COLUMNS as usize;
const PAIRS: usize = constants::PAIRS as usize;
const DEPTH: usize = constants::DEPTH as usize;
const SEGMENT: usize = constants::SEGMENT as usize;
/// Number of bytes that 16 terms (a fragment) of a block's samples need. The fragment of a tile's columns
/// needs the same number.
const FRAGMENT_BYTES: usize = 8192;
/// Number of bytes of shared memory of a block. It holds three steps, each with two fragments of samples and
/// two of columns. It also holds the phases and partial sums of the samples.
const SHARED_BYTES: usize = 3 * 2 * 2 * FRAGMENT_BYTES + SAMPLES * 16 + 4 * SAMPLES * 8;
/// Maximum number of samples for which a table of factors is computed at a time.
const SAMPLES_AT_A_TIME: usize = 1 << 18;

/// Computes the samples (data = F images) on GPUs. Images and data are in host memory. The work is divided
/// into chunks of samples, whose number depends on the GPU memory. The result does not depend on the chunks
/// or on the number of GPUs. The GPUs share the samples.
///
/// Returns an error if the tables of 128 samples and of 64 column tiles do not fit in GPU memory, or if a GPU
/// fails. If a GPU has too little shared memory, returns `false` and computes nothing. Another kernel must
/// then compute the samples.
pub(in crate::sums) fn forward(
    sums: &FourierSums<f32>,
    gpus: &Gpus,
    images: &[f32],
    data: &mut [f32],
) -> Result<bool> {
    if gpus.iter().any(|gpu| (gpu.shared_bytes() as usize) < SHARED_BYTES) {
        return Ok(false);
    }
    let job = Forward { sums, images, size: Size::new(sums)? };
    streaming::run(&job, gpus, |chunks| streaming::rows(data, 2 * sums.samples().len(), 2, chunks))?;
    Ok(true)
}

#[derive(Debug, Clone, Copy)]
struct Size {
    voxels: [usize; 3],
    /// Number of fragments (groups of 16 terms) in the sum over x.
    fragments: usize,
    /// Number of column tiles of one slice, and number of column tiles of all slices.
    column_tiles: usize,
    tiles: usize,
}

/// Size of the two tables that are in GPU memory at a time: a number of samples, and a number of column
/// tiles.
#[derive(Debug, Clone, Copy)]
struct Tile {
    /// Number of samples in the table of samples. It is a multiple of [`SAMPLES`].
    samples: usize,
    /// Number of column tiles in the table of columns. It is a multiple of [`SEGMENT`].
    tiles: usize,
}

impl Size {
    fn new(sums: &FourierSums<f32>) -> Result<Self> {
        let voxels = sums.shape().lengths();
        let [nx, ny, nz] = voxels;
        let column_tiles = ny.div_ceil(COLUMNS);
        // The size of the problem is limited, because kernels use 32-bit numbers.
        if [nx, ny, column_tiles * nz, sums.samples().len()]
            .into_iter()
            .any(|count| count > i32::MAX as usize / 2)
        {
            let problem =
                "exact Fourier sums there have fewer than 2³⁰ samples, columns, and voxels along an axis";
            return Err(Error::device_too_small("‘device’", problem, "use ‘device’ cpu"));
        }
        let fragments = Mirrored { voxels: nx }.cosines().div_ceil(PAIRS) * 2 * PAIRS / DEPTH;
        Ok(Self { voxels, fragments, column_tiles, tiles: column_tiles * nz })
    }
}

/// GPU memory for the forward sums of a range of samples.
struct Scratch {
    tile: Tile,
    /// Number of samples whose sums are in GPU memory.
    count: usize,
    along: [Buffer<u32>; 3],
    rows: Buffer<[u32; 4]>,
    columns: Buffer<[u32; 4]>,
    image: Buffer<[f32; 2]>,
    /// The sums of all volumes. They stay in GPU memory between launches.
    sums: Buffer<[f32; 2]>,
}

/// Computes the samples of all volumes.
struct Forward<'a> {
    sums: &'a FourierSums<f32>,
    images: &'a [f32],
    size: Size,
}

impl Forward<'_> {
    fn buffers(&self, gpu: &Gpu, samples: usize, tile: Tile) -> CudaResult<Scratch> {
        let Size { voxels, fragments, .. } = self.size;
        let volumes = self.images.len() / self.sums.columns();
        Ok(Scratch {
            tile,
            count: 0,
            along: [gpu.alloc(samples)?, gpu.alloc(samples)?, gpu.alloc(samples)?],
            rows: gpu.alloc(tile.samples / SAMPLES * fragments * FRAGMENT_BYTES / 16)?,
            columns: gpu.alloc(tile.tiles * fragments * FRAGMENT_BYTES / 16)?,
            image: gpu.alloc(voxels.iter().product())?,
            sums: gpu.alloc(volumes * samples)?,
        })
    }

    /// Allocates GPU memory, with the largest tables of samples and columns that fit.
    fn scratch(&self, gpu: &Gpu, samples: usize, budget: u64) -> Result<Scratch> {
        let all = Tile {
            samples: samples.next_multiple_of(SAMPLES).min(SAMPLES_AT_A_TIME),
            tiles: self.size.tiles.next_multiple_of(SEGMENT),
        };
        let bytes = |tile: &Tile| gpu.bytes_of(|gpu| self.buffers(gpu, samples, *tile));
        let smaller = |tile: &mut Tile| halve(&mut tile.samples, SAMPLES) || halve(&mut tile.tiles, SEGMENT);
        let tile = MemoryPlan::new(NEEDS, 0).first_fit(budget, all, bytes, smaller)?;
        Ok(self.buffers(gpu, samples, tile)?)
    }

    /// Computes the samples of one volume, whose image is in host memory.
    fn volume(&self, stream: &Stream, scratch: &mut Scratch, volume: usize, image: &[f32]) -> Result<()> {
        let Size { voxels: [nx, ny, nz], fragments, column_tiles, tiles } = self.size;
        let Scratch { tile, count: samples, along: [x, y, z], rows, columns, image: there, sums } = scratch;
        let (tile, samples) = (*tile, *samples);
        there.copy_from(stream, bytemuck::cast_slice(image))?;
        let largest = image.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        // The factor 0.5 is needed because the kernel adds the two voxels of a pair. The sum can be twice as
        // large as a voxel.
        let scale = if largest > 0.0 { 0.5 * LARGEST / largest } else { 1.0 };
        let factor = 1.0 / (ROW_SCALE * f64::from(scale) * ((nx * ny * nz) as f64).sqrt());
        for first_tile in (0..tiles).step_by(tile.tiles) {
            let here = tile.tiles.min(tiles - first_tile);
            let plan = |first: usize, count: usize| ForwardPlan {
                nx: narrow::<u32>(nx),
                ny: narrow::<u32>(ny),
                nz: narrow::<u32>(nz),
                samples: narrow::<u32>(samples),
                first: narrow::<u32>(first),
                count: narrow::<u32>(count),
                fragments: narrow::<u32>(fragments),
                column_tiles: narrow::<u32>(column_tiles),
                first_tile: narrow::<u32>(first_tile),
                tiles: narrow::<u32>(here),
                resumes: u32::from(first_tile > 0),
                goes_on: u32::from(first_tile + here < tiles),
            };
            let words = here * fragments * FRAGMENT_BYTES / 16;
            // SAFETY:
            // The table has memory for `tiles` column tiles. The kernel reads nothing beyond the image.
            unsafe {
                let grid = Grid::for_items(words, THREADS);
                kernels::forward_columns(stream, grid, plan(0, 0), scale, &*there, &mut *columns)
            }?;
            for first in (0..samples).step_by(tile.samples) {
                let count = (samples - first).min(tile.samples).next_multiple_of(SAMPLES);
                let blocks = count / SAMPLES;
                let words = blocks * fragments * FRAGMENT_BYTES / 32;
                // SAFETY:
                // There are `blocks` blocks of samples. Samples after the last one are not read, and their
                // sums are not written.
                unsafe {
                    let grid = Grid::for_items(words, THREADS);
                    kernels::forward_rows(stream, grid, plan(first, count), &*x, &mut *rows)?;
                    let grid = Grid::row(narrow::<u32>(blocks), THREADS).shared(narrow::<u32>(SHARED_BYTES));
                    kernels::forward_sums(
                        stream,
                        grid,
                        plan(first, count),
                        &*rows,
                        &*columns,
                        &*x,
                        &*y,
                        &*z,
                        factor as f32,
                        sums.range_mut(volume * samples..(volume + 1) * samples),
                    )
                }?;
            }
        }
        Ok(())
    }
}

impl<'a> Job for Forward<'a> {
    type Tables = ();
    type Scratch = Scratch;
    /// Returns the samples that were computed, volume by volume.
    type Target = Vec<&'a mut [f32]>;
    type Output = ();

    /// The cost includes the table of columns for all slices, because each chunk of samples computes it. A
    /// chunk consists of whole blocks of samples.
    fn work(&self) -> Work {
        Work { needs: NEEDS, items: self.sums.samples().len(), sizes: ChunkSizes::whole(SAMPLES) }
    }

    fn tables(&self, _: &Gpu, _: &Stream) -> CudaResult<()> {
        Ok(())
    }

    /// If the GPU memory is small, both tables are reduced first. Only then is the number of samples in a
    /// chunk reduced.
    fn chunk_bytes(&self, gpu: &Gpu, samples: usize) -> CudaResult<u64> {
        let minimum = Tile { samples: SAMPLES, tiles: SEGMENT };
        gpu.bytes_of(|gpu| self.buffers(gpu, samples, minimum))
    }

    fn upload(
        &self,
        worker: &mut Worker<'_, ()>,
        scratch: Option<Scratch>,
        chunk: Range<usize>,
    ) -> Result<Scratch> {
        let new = || self.scratch(&worker.gpu, worker.maximum, worker.budget);
        let mut scratch = scratch.map_or_else(new, Ok)?;
        scratch.count = chunk.len();
        for (axis, along) in scratch.along.iter_mut().enumerate() {
            let steps = phase_steps(&self.sums.samples()[chunk.clone()], self.sums.shape(), axis);
            along.range_mut(0..steps.len()).copy_from(&worker.stream, &steps)?;
        }
        Ok(scratch)
    }

    fn launch(&self, worker: &mut Worker<'_, ()>, scratch: &mut Scratch) -> Result<()> {
        for (volume, image) in self.images.chunks_exact(self.sums.columns()).enumerate() {
            self.volume(&worker.stream, scratch, volume, image)?;
        }
        Ok(())
    }

    fn download(
        &self,
        worker: &mut Worker<'_, ()>,
        scratch: &mut Scratch,
        data: Vec<&'a mut [f32]>,
    ) -> Result<()> {
        let count = scratch.count;
        for (volume, data) in data.into_iter().enumerate() {
            let there = scratch.sums.range(volume * count..(volume + 1) * count);
            there.copy_to(&worker.stream, bytemuck::cast_slice_mut(data))?;
        }
        Ok(())
    }
}

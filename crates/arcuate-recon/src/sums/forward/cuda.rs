//! The host half: tables, lots and launches.
#![allow(unsafe_code)]

use super::constants;
use super::kernels::{self, ForwardPlan};
use crate::memory::{fitting, halve};
use crate::sums::FourierSums;
use crate::sums::cuda::{LARGEST, ROW_SCALE, phase_steps};
use crate::sums::table::Mirrored;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, Stream, on_each};
use arcuate_core::{Error, Result};
use arcuate_solve::LinearOperator;

/// Threads of a block, samples and columns of its tile, terms of its steps, tiles of a segment.
const THREADS: u32 = constants::THREADS;
const SAMPLES: usize = constants::SAMPLES as usize;
const COLUMNS: usize = constants::COLUMNS as usize;
const PAIRS: usize = constants::PAIRS as usize;
const DEPTH: usize = constants::DEPTH as usize;
const SEGMENT: usize = constants::SEGMENT as usize;
/// Bytes of a fragment of a block's samples, and of a tile's columns.
const FRAGMENT_BYTES: usize = 8192;
/// Three steps of two fragments of both, and of the samples their phases and partial sums.
const SHARED_BYTES: usize = 3 * 2 * 2 * FRAGMENT_BYTES + SAMPLES * 16 + 4 * SAMPLES * 8;
/// Samples whose table is made at a time, at most.
const SAMPLES_AT_A_TIME: usize = 1 << 18;

/// data = F images on GPUs, both on the host, in as many pieces as their memory asks for; neither these nor the number of GPUs, which
/// share the samples, show in the result.
///
/// Fails where the tables of 128 samples and of 64 tiles of columns do not fit, and where a GPU does; for a GPU with too little shared
/// memory with nothing: then it is another kernel's to do.
pub(in crate::sums) fn forward(
    sums: &FourierSums<f32>,
    gpus: &Gpus,
    images: &[f32],
    data: &mut [f32],
) -> Result<bool> {
    if gpus.iter().any(|gpu| (gpu.shared_bytes() as usize) < SHARED_BYTES) {
        return Ok(false);
    }
    let (size, samples) = (Size::new(sums)?, sums.samples().len());
    // Whole blocks.
    let share = samples.div_ceil(gpus.len()).next_multiple_of(SAMPLES);
    let mut parts: Vec<(&Gpu, usize, Vec<&mut [f32]>)> = gpus
        .iter()
        .take(samples.div_ceil(share))
        .enumerate()
        .map(|(n, gpu)| (gpu, n * share, Vec::new()))
        .collect();
    for data in data.chunks_exact_mut(2 * samples) {
        for (part, data) in parts.iter_mut().zip(data.chunks_mut(2 * share)) {
            part.2.push(data);
        }
    }
    on_each(parts, |_, (gpu, first, data): (&Gpu, usize, Vec<&mut [f32]>)| {
        let count = data.first().map_or(0, |data| data.len() / 2);
        if count == 0 {
            return Ok(());
        }
        let lot = size.lot(gpu, count)?;
        let stream = gpu.stream()?;
        let mut work = ForwardOnGpu::new(gpu, &stream, sums, first..first + count, size, lot)?;
        for (image, data) in images.chunks_exact(sums.columns()).zip(data) {
            work.run(&stream, image)?;
            work.sums.copy_to(&stream, bytemuck::cast_slice_mut(data))?;
        }
        Ok(())
    })?;
    Ok(true)
}

#[derive(Debug, Clone, Copy)]
struct Size {
    voxels: [usize; 3],
    /// Of 16 terms.
    fragments: usize,
    /// Of columns, in a slice and in all.
    column_tiles: usize,
    tiles: usize,
}

/// What of both tables there is at a time.
#[derive(Debug, Clone, Copy)]
struct Lot {
    /// A multiple of [`SAMPLES`].
    samples: usize,
    /// A multiple of [`SEGMENT`].
    tiles: usize,
}

impl Size {
    fn new(sums: &FourierSums<f32>) -> Result<Self> {
        let voxels = sums.shape().lengths();
        let [nx, ny, nz] = voxels;
        let column_tiles = ny.div_ceil(COLUMNS);
        // Kernels count in 32 bits.
        if [nx, ny, column_tiles * nz, sums.samples().len()]
            .into_iter()
            .any(|count| count > i32::MAX as usize / 2)
        {
            let problem =
                "exact Fourier sums there have fewer than 2³⁰ samples, columns, and voxels along an axis";
            return Err(Error::device_too_small("--device", problem, "use --device cpu"));
        }
        let fragments = Mirrored { voxels: nx }.cosines().div_ceil(PAIRS) * 2 * PAIRS / DEPTH;
        Ok(Self { voxels, fragments, column_tiles, tiles: column_tiles * nz })
    }

    fn lot(self, gpu: &Gpu, samples: usize) -> Result<Lot> {
        let all = Lot {
            samples: samples.next_multiple_of(SAMPLES).min(SAMPLES_AT_A_TIME),
            tiles: self.tiles.next_multiple_of(SEGMENT),
        };
        let bytes = |lot: &Lot| gpu.bytes_of(|gpu| ForwardOnGpu::buffers(gpu, samples, self, *lot).map(drop));
        let smaller = |lot: &mut Lot| halve(&mut lot.samples, SAMPLES) || halve(&mut lot.tiles, SEGMENT);
        fitting(gpu, "exact Fourier sums", all, bytes, smaller)
    }
}

/// Memory of a GPU for forward sums of some samples.
struct ForwardOnGpu {
    size: Size,
    lot: Lot,
    samples: usize,
    along: [Buffer<u32>; 3],
    rows: Buffer<[u32; 4]>,
    columns: Buffer<[u32; 4]>,
    image: Buffer<[f32; 2]>,
    sums: Buffer<[f32; 2]>,
}

impl ForwardOnGpu {
    fn buffers(gpu: &Gpu, samples: usize, size: Size, lot: Lot) -> CudaResult<Self> {
        Ok(Self {
            size,
            lot,
            samples,
            along: [gpu.alloc(samples)?, gpu.alloc(samples)?, gpu.alloc(samples)?],
            rows: gpu.alloc(lot.samples / SAMPLES * size.fragments * FRAGMENT_BYTES / 16)?,
            columns: gpu.alloc(lot.tiles * size.fragments * FRAGMENT_BYTES / 16)?,
            image: gpu.alloc(size.voxels.iter().product())?,
            sums: gpu.alloc(samples)?,
        })
    }

    fn new(
        gpu: &Gpu,
        stream: &Stream,
        sums: &FourierSums<f32>,
        samples: std::ops::Range<usize>,
        size: Size,
        lot: Lot,
    ) -> Result<Self> {
        let mut new = Self::buffers(gpu, samples.len(), size, lot)?;
        for (axis, along) in new.along.iter_mut().enumerate() {
            along.copy_from(stream, &phase_steps(&sums.samples()[samples.clone()], sums.shape(), axis))?;
        }
        Ok(new)
    }

    /// The sums of an image of the host.
    fn run(&mut self, stream: &Stream, image: &[f32]) -> Result<()> {
        let Size { voxels: [nx, ny, nz], fragments, column_tiles, tiles } = self.size;
        self.image.copy_from(stream, bytemuck::cast_slice(image))?;
        let largest = image.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        // A pair's sum is up to twice as large.
        let scale = if largest > 0.0 { 0.5 * LARGEST / largest } else { 1.0 };
        let factor = 1.0 / (ROW_SCALE * f64::from(scale) * ((nx * ny * nz) as f64).sqrt());
        for first_tile in (0..tiles).step_by(self.lot.tiles) {
            let here = self.lot.tiles.min(tiles - first_tile);
            let plan = |first: usize, count: usize| ForwardPlan {
                nx: nx as u32,
                ny: ny as u32,
                nz: nz as u32,
                samples: self.samples as u32,
                first: first as u32,
                count: count as u32,
                fragments: fragments as u32,
                column_tiles: column_tiles as u32,
                first_tile: first_tile as u32,
                tiles: here as u32,
                resumes: u32::from(first_tile > 0),
                goes_on: u32::from(first_tile + here < tiles),
            };
            let words = here * fragments * FRAGMENT_BYTES / 16;
            // SAFETY: so many tiles of columns; of the image what lies beyond is not read.
            unsafe {
                let grid = Grid::for_items(words, THREADS);
                kernels::forward_columns(stream, grid, plan(0, 0), scale, &self.image, &mut self.columns)
            }?;
            for first in (0..self.samples).step_by(self.lot.samples) {
                let count = (self.samples - first).min(self.lot.samples).next_multiple_of(SAMPLES);
                let blocks = count / SAMPLES;
                let words = blocks * fragments * FRAGMENT_BYTES / 32;
                let [x, y, z] = &self.along;
                // SAFETY: so many blocks of samples; those behind the last are not read, and get no sum.
                unsafe {
                    let grid = Grid::for_items(words, THREADS);
                    kernels::forward_rows(stream, grid, plan(first, count), x, &mut self.rows)?;
                    let grid = Grid::row(blocks as u32, THREADS).shared(SHARED_BYTES as u32);
                    kernels::forward_sums(
                        stream,
                        grid,
                        plan(first, count),
                        &self.rows,
                        &self.columns,
                        x,
                        y,
                        z,
                        factor as f32,
                        &mut self.sums,
                    )
                }?;
            }
        }
        Ok(())
    }
}

//! The adjoint of sums on a grid, on a GPU.
#![allow(unsafe_code)]

use super::FourierSums;
use super::constants;
use super::kernels::{self, SumsPlan};
use super::table::Mirrored;
use crate::Shape;
use crate::memory::{fitting, halve};
use arcuate_compute::Device;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, Stream, on_each};
use arcuate_core::{Error, Result};
use arcuate_solve::LinearOperator;
use rayon::prelude::*;
use std::ops::Range;

/// Threads of a block, pairs of rows and columns of its tile, samples of a step.
const THREADS: u32 = constants::THREADS;
const PAIRS: usize = constants::PAIRS as usize;
const COLUMNS: usize = constants::COLUMNS as usize;
const DEPTH: usize = constants::DEPTH as usize;
/// Samples that launches are multiples of, so that sums of tensor cores end with them.
const UNIT: usize = 512;
/// Bytes of the rows of a fragment of 16 samples, for a tile of rows; of its factors.
const ROW_BYTES: usize = 8192;
const FACTOR_BYTES: usize = 8192;
const BASE_BYTES: usize = 16;
/// Sums that a block keeps from one launch to the next.
const KEPT: usize = 64 * THREADS as usize;
/// Samples whose rows are made at a time, at most: longer tables would not be faster.
const SAMPLES_AT_A_TIME: usize = 1 << 18;
/// What the largest number of the data becomes before it is split into f16, whose largest is 65,504; products with a factor of
/// modulus 1 are at most √2 as large.
pub(super) const LARGEST: f32 = 16_384.0;
/// What rows are multiplied with.
pub(super) const ROW_SCALE: f64 = 256.0;

/// images = adjoint of data on GPUs, both on the host, in as many pieces as their memory asks for; neither these nor the number
/// of GPUs, which share the slices of all volumes, show in the result.
///
/// Fails where one slice and the rows of 512 samples do not fit, and where a GPU does.
pub(super) fn adjoint(sums: &FourierSums<f32>, gpus: &Gpus, data: &[f32], images: &mut [f32]) -> Result<()> {
    adjoint_by(sums, gpus, None, data, images)
}

/// Samples between barriers, by the shared memory that a GPU has. They do not show in the result either.
pub(super) fn step_of(gpu: &Gpu) -> u32 {
    if gpu.shared_bytes() as usize >= shared_bytes(32) { 32 } else { 16 }
}

/// The same with 32 or 16 samples between barriers where that is said.
pub(super) fn adjoint_by(
    sums: &FourierSums<f32>,
    gpus: &Gpus,
    step: Option<u32>,
    data: &[f32],
    images: &mut [f32],
) -> Result<()> {
    let [nx, ny, nz] = sums.shape().lengths();
    let slices = data.len() / sums.rows() * nz;
    if slices == 0 {
        return Ok(());
    }
    if !counts_fit(sums, slices) {
        let problem =
            "exact Fourier sums there have fewer than 2³⁰ samples, slices, and voxels along an axis";
        return Err(Error::device_too_small("--device", problem, "use --device cpu"));
    }
    let (share, of_slice) = (slices.div_ceil(gpus.len()), 2 * nx * ny);
    let parts: Vec<_> = gpus.iter().zip(images.chunks_mut(share * of_slice)).enumerate().collect();
    on_each(parts, |_, (n, (gpu, images)): (usize, (&Gpu, &mut [f32]))| {
        let lot = Lot::fitting(sums, gpu, images.len() / of_slice)?;
        let stream = gpu.stream()?;
        let mut work = AdjointOnGpu::new(gpu, &stream, sums, lot)?;
        work.step = step.unwrap_or(work.step);
        for (piece, images) in images.chunks_mut(lot.slices * of_slice).enumerate() {
            let first = n * share + piece * lot.slices;
            let here = first..first + images.len() / of_slice;
            let volumes = here.start / nz..here.end.div_ceil(nz);
            let data = &data[volumes.start * sums.rows()..volumes.end * sums.rows()];
            work.data.range_mut(0..data.len() / 2).copy_from(&stream, bytemuck::cast_slice(data))?;
            work.scale(&stream, data)?;
            work.run(&stream, here)?;
            work.images.range(0..images.len() / 2).copy_to(&stream, bytemuck::cast_slice_mut(images))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// The adjoint of one volume's data, left in the stream's GPU: the bits of [`adjoint`]. Nothing where one GPU of several would do it
/// alone, or its memory does not hold the volume at a time.
///
/// Fails where the GPU does.
pub(super) fn adjoint_in(
    sums: &FourierSums<f32>,
    stream: &Stream,
    data: &[f32],
    image: &mut Buffer<f32>,
) -> Result<Option<()>> {
    let slices = sums.shape().lengths()[2];
    let alone = matches!(sums.device(), Device::Cuda(gpus) if gpus.len() == 1);
    if !alone || !counts_fit(sums, slices) {
        return Ok(None);
    }
    let Ok(lot) = Lot::fitting(sums, stream.gpu(), slices) else { return Ok(None) };
    if lot.slices < slices {
        return Ok(None);
    }
    let mut work = AdjointOnGpu::new(stream.gpu(), stream, sums, lot)?;
    work.data.range_mut(0..data.len() / 2).copy_from(stream, bytemuck::cast_slice(data))?;
    work.scale(stream, data)?;
    work.run(stream, 0..slices)?;
    image.view_mut().copy_from_device(stream, work.images.view().cast())?;
    Ok(Some(()))
}

/// Kernels count in 32 bits.
fn counts_fit(sums: &FourierSums<f32>, slices: usize) -> bool {
    let [nx, ny, _] = sums.shape().lengths();
    [nx, ny, slices, sums.samples().len()].into_iter().all(|count| count <= i32::MAX as usize / 2)
}

/// How slices and samples are cut for the memory there is.
#[derive(Debug, Clone, Copy)]
struct Lot {
    /// Slices at a time, of all volumes together.
    slices: usize,
    /// Fragments of 16 samples in a launch, a multiple of what is summed by itself.
    fragments: usize,
    /// Whether there is more than one launch.
    several: bool,
}

impl Lot {
    /// Of so many slices as many as fit at a time: rather fewer samples than fewer slices.
    fn fitting(sums: &FourierSums<f32>, gpu: &Gpu, slices: usize) -> Result<Self> {
        let unit = UNIT / DEPTH;
        let all = sums.samples().len().div_ceil(UNIT) * unit;
        let most = all.min(SAMPLES_AT_A_TIME / DEPTH);
        let lot = Self { slices, fragments: most, several: most < all };
        let bytes = |lot: &Self| gpu.bytes_of(|gpu| AdjointOnGpu::buffers(gpu, sums, *lot).map(drop));
        let smaller = |lot: &mut Self| {
            if halve(&mut lot.fragments, unit) {
                lot.several = lot.fragments < all;
                return true;
            }
            // Fewer slices leave room for more samples.
            let is_more = halve(&mut lot.slices, 1);
            if is_more {
                (lot.fragments, lot.several) = (most, most < all);
            }
            is_more
        };
        fitting(gpu, "exact Fourier sums", lot, bytes, smaller)
    }
}

/// Memory of a GPU for adjoint sums.
struct AdjointOnGpu {
    shape: [usize; 3],
    samples: usize,
    lot: Lot,
    /// Samples between barriers, by the shared memory that there is.
    step: u32,
    along: [Buffer<u32>; 3],
    table: Buffer<[u32; 4]>,
    /// What data of a volume are multiplied with, and its sums.
    scales: Buffer<[f32; 2]>,
    products: Buffer<f32>,
    data: Buffer<[f32; 2]>,
    images: Buffer<[f32; 2]>,
}

impl AdjointOnGpu {
    fn buffers(gpu: &Gpu, sums: &FourierSums<f32>, lot: Lot) -> CudaResult<Self> {
        let (shape, samples) = (sums.shape().lengths(), sums.samples().len());
        let blocks = lot.slices * shape[1].div_ceil(COLUMNS) * row_tiles(shape[0]);
        // They begin and end anywhere in a volume.
        let volumes = (lot.slices + shape[2] - 2) / shape[2] + 1;
        Ok(Self {
            shape,
            samples,
            lot,
            step: step_of(gpu),
            along: [gpu.alloc(samples)?, gpu.alloc(samples)?, gpu.alloc(samples)?],
            table: gpu.alloc(row_tiles(shape[0]) * lot.fragments * ROW_BYTES / 16)?,
            scales: gpu.alloc(volumes)?,
            products: gpu.alloc(if lot.several { blocks * KEPT } else { 0 })?,
            data: gpu.alloc(volumes * samples)?,
            images: gpu.alloc(lot.slices * shape[0] * shape[1])?,
        })
    }

    fn new(gpu: &Gpu, stream: &Stream, sums: &FourierSums<f32>, lot: Lot) -> Result<Self> {
        let mut new = Self::buffers(gpu, sums, lot)?;
        for (axis, along) in new.along.iter_mut().enumerate() {
            along.copy_from(stream, &phase_steps(sums.samples(), sums.shape(), axis))?;
        }
        Ok(new)
    }

    /// Sets the scales of volumes, each by the largest part of its data.
    fn scale(&mut self, stream: &Stream, data: &[f32]) -> CudaResult<()> {
        let voxels = self.shape.iter().product::<usize>() as f64;
        let of_volume = |data: &[f32]| {
            let largest = data.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
            let scale = if largest > 0.0 { LARGEST / largest } else { 1.0 };
            [scale, (1.0 / (ROW_SCALE * f64::from(scale) * voxels.sqrt())) as f32]
        };
        let scales: Vec<[f32; 2]> = data.chunks_exact(2 * self.samples).map(of_volume).collect();
        self.scales.range_mut(0..scales.len()).copy_from(stream, &scales)
    }

    /// Queues the sums of some slices of all volumes; the data and scales of those that they belong to lie in the GPU.
    fn run(&mut self, stream: &Stream, slices: Range<usize>) -> Result<()> {
        let [nx, ny, nz] = self.shape;
        let (row_tiles, column_tiles) = (row_tiles(nx), ny.div_ceil(COLUMNS));
        let blocks = slices.len() * column_tiles * row_tiles;
        let all = self.samples.div_ceil(UNIT) * (UNIT / DEPTH);
        for first in (0..all).step_by(self.lot.fragments) {
            let fragments = self.lot.fragments.min(all - first);
            let plan = SumsPlan {
                nx: nx as u32,
                ny: ny as u32,
                nz: nz as u32,
                samples: self.samples as u32,
                first: (first * DEPTH) as u32,
                fragments: fragments as u32,
                row_tiles: row_tiles as u32,
                column_tiles: column_tiles as u32,
                resumes: u32::from(first > 0),
                goes_on: u32::from(first + fragments < all),
                first_slice: slices.start as u32,
                first_volume: (slices.start / nz) as u32,
            };
            let Self { step, along: [x, y, z], table, scales, products, data, images, .. } = self;
            let words = row_tiles * fragments * ROW_BYTES / 32;
            // SAFETY: the table has room for as many fragments, and `along` a phase for each sample.
            unsafe {
                kernels::fourier_rows(stream, Grid::for_items(words, THREADS), plan, &*x, &mut *table)
            }?;
            let grid = Grid::row(blocks as u32, THREADS).shared(shared_bytes(*step as usize) as u32);
            // SAFETY: data are of the slices' volumes, images of the slices, products of as many blocks where they are kept.
            unsafe {
                kernels::fourier_adjoint(
                    [*step],
                    stream,
                    grid,
                    plan,
                    &*table,
                    &*x,
                    &*y,
                    &*z,
                    &*data,
                    &*scales,
                    &mut *products,
                    &mut *images,
                )
            }?;
        }
        Ok(())
    }
}

fn row_tiles(voxels: usize) -> usize {
    Mirrored { voxels }.cosines().div_ceil(PAIRS)
}

fn shared_bytes(step: usize) -> usize {
    step / DEPTH * (3 * ROW_BYTES + 2 * FACTOR_BYTES) + 3 * step * BASE_BYTES
}

/// The phases of samples from one voxel to the next along an axis; along x to the middle between both.
pub(super) fn phase_steps(samples: &[[f64; 3]], shape: Shape, axis: usize) -> Vec<u32> {
    let voxels = shape.lengths()[axis] as f64;
    let per = if axis == 0 { 2.0 * voxels } else { voxels };
    samples.par_iter().map(|k| phase(k[axis] / per)).collect()
}

/// A phase in turns as a 32-bit fraction of one.
fn phase(turns: f64) -> u32 {
    ((turns - turns.floor()) * 4_294_967_296.0).round() as u64 as u32
}

/// Seconds that adjoints take on data that lie in the GPU, one after the other: for measurements. The last one's result is in
/// `images`.
///
/// Fails where the GPU does, or has too little memory for all slices at a time.
///
/// # Panics
/// Where vectors are of other lengths than the sums'.
pub fn time_adjoint(
    sums: &FourierSums<f32>,
    gpu: &Gpu,
    data: &[f32],
    images: &mut [f32],
    repeats: usize,
) -> Result<Vec<f64>> {
    let stream = gpu.stream()?;
    let slices = data.len() / sums.rows() * sums.shape().lengths()[2];
    let lot = Lot::fitting(sums, gpu, slices)?;
    if lot.slices < slices {
        let problem = "its memory does not hold all slices at a time";
        return Err(Error::device_too_small(format_args!("{gpu}"), problem, "measure on a larger one"));
    }
    let mut work = AdjointOnGpu::new(gpu, &stream, sums, lot)?;
    work.data.range_mut(0..data.len() / 2).copy_from(&stream, bytemuck::cast_slice(data))?;
    work.scale(&stream, data)?;
    let [before, after] = [gpu.timed_event()?, gpu.timed_event()?];
    let mut times = Vec::with_capacity(repeats);
    for _ in 0..repeats {
        stream.record(&before)?;
        work.run(&stream, 0..slices)?;
        stream.record(&after)?;
        stream.synchronize()?;
        times.push(1e-3 * before.milliseconds_until(&after)?);
    }
    work.images.copy_to(&stream, bytemuck::cast_slice_mut(images))?;
    Ok(times)
}

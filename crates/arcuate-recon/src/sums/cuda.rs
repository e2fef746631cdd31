//! Adjoint Fourier sums, from samples to an image on a grid, computed on a GPU.
#![allow(unsafe_code)]

use super::FourierSums;
use super::constants;
use super::kernels::{self, SumsPlan};
use super::table::Mirrored;
use crate::Shape;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, LaunchTimes, Stream};
use arcuate_compute::streaming::{self, ChunkSizes, Job, Work, Worker};
use arcuate_compute::{Device, MemoryPlan, halve};
use arcuate_core::{Error, Result, narrow};
use arcuate_solve::LinearOperator;
use rayon::prelude::*;
use std::ops::Range;

/// Number of threads per block. Size of the tile that a block computes: number of pairs of image rows, and
/// number of columns. Number of samples that are processed in one step.
const THREADS: u32 = constants::THREADS;
const PAIRS: usize = constants::PAIRS as usize;
const COLUMNS: usize = constants::COLUMNS as usize;
const DEPTH: usize = constants::DEPTH as usize;
/// The number of samples of a launch is a multiple of this number. The tensor cores then finish a partial sum
/// at the end of each launch.
const UNIT: usize = 512;
/// Beginning of the error message that states the required GPU memory.
pub(super) const NEEDS: &str = "exact Fourier sums need";
/// Number of bytes that the matrix rows of 16 samples (a fragment) need in a tile, and number of bytes that
/// the factors of these samples need.
const ROW_BYTES: usize = 8192;
const FACTOR_BYTES: usize = 8192;
const BASE_BYTES: usize = 16;
/// Number of sums that a block of threads stores in memory between two launches.
const KEPT: usize = 64 * THREADS as usize;
/// Maximum number of samples for which a table of matrix rows is computed at a time. A larger table would not
/// be faster.
const SAMPLES_AT_A_TIME: usize = 1 << 18;
/// Largest absolute value of the scaled data. The data are then split into f16 numbers, which are at most
/// 65,504. The product of a datum and a factor of modulus 1 is at most √2 times larger than this value.
pub(super) const LARGEST: f32 = 16_384.0;
/// Factor by which the cosines and sines of the matrix rows are multiplied.
pub(super) const ROW_SCALE: f64 = 256.0;

/// Computes the adjoint images of the data on GPUs. Data and images are in host memory. The work is divided
/// into chunks of slices, whose number depends on the GPU memory. The result does not depend on the chunks or
/// on the number of GPUs. The GPUs share the slices of all volumes.
///
/// Returns an error if one slice and the table of 512 samples do not fit in GPU memory, or if a GPU fails.
pub(super) fn adjoint(sums: &FourierSums<f32>, gpus: &Gpus, data: &[f32], images: &mut [f32]) -> Result<()> {
    adjoint_by(sums, gpus, None, data, images)
}

/// Returns the number of samples between two barriers, at which the threads of a block wait for each other.
/// It depends on the shared memory of the GPU, and does not affect the result.
pub(super) fn step_of(gpu: &Gpu) -> u32 {
    if gpu.shared_bytes() as usize >= shared_bytes(32) { 32 } else { 16 }
}

/// Computes adjoint images as [`adjoint`] does. If `step` is given, it is the number of samples between two
/// barriers, 32 or 16.
pub(super) fn adjoint_by(
    sums: &FourierSums<f32>,
    gpus: &Gpus,
    step: Option<u32>,
    data: &[f32],
    images: &mut [f32],
) -> Result<()> {
    let job = Adjoint { step, ..Adjoint::new(sums, data)? };
    streaming::run(&job, gpus, |chunks| streaming::parts(images, job.of_slice(), chunks))?;
    Ok(())
}

/// Computes the adjoint image of one volume's data on the GPU of `stream`, with the same bits as [`adjoint`].
/// Returns `None` if several GPUs should share the work, or if the GPU memory cannot hold the whole volume.
///
/// Returns an error if the GPU fails.
pub(super) fn adjoint_in(
    sums: &FourierSums<f32>,
    stream: &Stream,
    data: &[f32],
    image: &mut Buffer<f32>,
) -> Result<Option<()>> {
    let (gpu, slices) = (stream.gpu(), sums.shape().lengths()[2]);
    let alone = matches!(sums.device(), Device::Cuda(gpus) if gpus.len() == 1);
    let (true, Ok(job)) = (alone, Adjoint::new(sums, data)) else { return Ok(None) };
    let budget = gpu.budget()?.saturating_sub(job.table_bytes(gpu)?);
    let Ok(mut scratch) = job.scratch(gpu, slices, budget) else { return Ok(None) };
    let tables = job.tables(gpu, stream)?;
    job.put(stream, &mut scratch, 0..slices)?;
    job.sum(stream, &tables, &mut scratch)?;
    image.view_mut().copy_from_device(stream, scratch.images.view().cast())?;
    Ok(Some(()))
}

/// Measures the duration of adjoint sums whose data are already in GPU memory. `images` receives the result
/// of the last run.
///
/// Returns an error if the GPU fails or has too little memory for all slices at once.
///
/// # Panics
/// Panics if the length of `data` or `images` does not match the number of samples or voxels.
pub fn time_adjoint(
    sums: &FourierSums<f32>,
    gpu: &Gpu,
    data: &[f32],
    images: &mut [f32],
    repeats: usize,
) -> Result<LaunchTimes> {
    Ok(streaming::time(&Adjoint::new(sums, data)?, gpu, repeats, images)?.0)
}

/// Computes the adjoint images of a range of slices. The slices of all volumes are numbered consecutively.
struct Adjoint<'a> {
    sums: &'a FourierSums<f32>,
    data: &'a [f32],
    slices: usize,
    /// Number of samples between two barriers. If it is `None`, the GPU's default is used.
    step: Option<u32>,
}

/// For each axis, the phase by which the factor of each sample changes from one voxel to the next.
struct Phases([Buffer<u32>; 3]);

impl Phases {
    fn buffers(gpu: &Gpu, samples: usize) -> CudaResult<Self> {
        Ok(Self([gpu.alloc(samples)?, gpu.alloc(samples)?, gpu.alloc(samples)?]))
    }
}

/// GPU memory for the adjoint images of a range of slices.
struct Scratch {
    /// Number of fragments of 16 samples in one launch. It is a multiple of the number of fragments after
    /// which partial sums are added to the total.
    fragments: usize,
    /// The range of slices whose sums are in GPU memory.
    slices: Range<usize>,
    table: Buffer<[u32; 4]>,
    /// Two factors for each volume: the factor that scales its data, and the factor that scales its sums.
    scales: Buffer<[f32; 2]>,
    products: Buffer<f32>,
    data: Buffer<[f32; 2]>,
    images: Buffer<[f32; 2]>,
}

impl<'a> Adjoint<'a> {
    /// Returns an error if the size of the problem does not fit in 32-bit numbers.
    fn new(sums: &'a FourierSums<f32>, data: &'a [f32]) -> Result<Self> {
        let [nx, ny, nz] = sums.shape().lengths();
        let slices = data.len() / sums.rows() * nz;
        if [nx, ny, slices, sums.samples().len()].into_iter().any(|count| count > i32::MAX as usize / 2) {
            let problem =
                "exact Fourier sums there have fewer than 2³⁰ samples, slices, and voxels along an axis";
            return Err(Error::device_too_small("‘device’", problem, "use ‘device’ cpu"));
        }
        Ok(Self { sums, data, slices, step: None })
    }

    /// Returns the number of values in one slice of an image.
    fn of_slice(&self) -> usize {
        let [nx, ny, _] = self.sums.shape().lengths();
        2 * nx * ny
    }

    /// Returns the number of fragments of 16 samples that are needed for all samples.
    fn fragments(&self) -> usize {
        self.sums.samples().len().div_ceil(UNIT) * (UNIT / DEPTH)
    }

    /// Returns the maximum number of fragments of 16 samples in one launch.
    fn most_fragments(&self) -> usize {
        self.fragments().min(SAMPLES_AT_A_TIME / DEPTH)
    }

    fn buffers(&self, gpu: &Gpu, slices: usize, fragments: usize) -> CudaResult<Scratch> {
        let ([nx, ny, nz], samples) = (self.sums.shape().lengths(), self.sums.samples().len());
        let blocks = slices * ny.div_ceil(COLUMNS) * row_tiles(nx);
        // The range of slices may begin and end anywhere in a volume, so that it may touch one more volume.
        let volumes = (slices + nz - 2) / nz + 1;
        Ok(Scratch {
            fragments,
            slices: 0..0,
            table: gpu.alloc(row_tiles(nx) * fragments * ROW_BYTES / 16)?,
            scales: gpu.alloc(volumes)?,
            products: gpu.alloc(if fragments < self.fragments() { blocks * KEPT } else { 0 })?,
            data: gpu.alloc(volumes * samples)?,
            images: gpu.alloc(slices * nx * ny)?,
        })
    }

    /// Allocates GPU memory, with the largest table of matrix rows that fits.
    fn scratch(&self, gpu: &Gpu, slices: usize, budget: u64) -> Result<Scratch> {
        let bytes = |fragments: &usize| gpu.bytes_of(|gpu| self.buffers(gpu, slices, *fragments));
        let (plan, smaller) =
            (MemoryPlan::new(NEEDS, 0), |fragments: &mut usize| halve(fragments, UNIT / DEPTH));
        let fragments = plan.first_fit(budget, self.most_fragments(), bytes, smaller)?;
        Ok(self.buffers(gpu, slices, fragments)?)
    }

    /// Copies the data of the volumes that contain these slices to the GPU. Also copies the factors that
    /// scale the data, which depend on the largest component of the data.
    fn put(&self, stream: &Stream, scratch: &mut Scratch, slices: Range<usize>) -> Result<()> {
        let (nz, rows) = (self.sums.shape().lengths()[2], self.sums.rows());
        let data = &self.data[slices.start / nz * rows..slices.end.div_ceil(nz) * rows];
        scratch.slices = slices;
        scratch.data.range_mut(0..data.len() / 2).copy_from(stream, bytemuck::cast_slice(data))?;
        let voxels = self.sums.shape().voxels() as f64;
        let of_volume = |data: &[f32]| {
            let largest = data.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
            let scale = if largest > 0.0 { LARGEST / largest } else { 1.0 };
            [scale, (1.0 / (ROW_SCALE * f64::from(scale) * voxels.sqrt())) as f32]
        };
        let scales: Vec<[f32; 2]> = data.chunks_exact(rows).map(of_volume).collect();
        Ok(scratch.scales.range_mut(0..scales.len()).copy_from(stream, &scales)?)
    }

    /// Launches the kernels that compute the slices. Their data must already be in GPU memory.
    fn sum(&self, stream: &Stream, Phases([x, y, z]): &Phases, scratch: &mut Scratch) -> Result<()> {
        let ([nx, ny, nz], samples) = (self.sums.shape().lengths(), self.sums.samples().len());
        let Scratch { fragments: at_once, slices, table, scales, products, data, images } = scratch;
        let (row_tiles, column_tiles) = (row_tiles(nx), ny.div_ceil(COLUMNS));
        let blocks = slices.len() * column_tiles * row_tiles;
        let (all, step) = (self.fragments(), self.step.unwrap_or_else(|| step_of(stream.gpu())));
        for first in (0..all).step_by(*at_once) {
            let fragments = (*at_once).min(all - first);
            let plan = SumsPlan {
                nx: narrow::<u32>(nx),
                ny: narrow::<u32>(ny),
                nz: narrow::<u32>(nz),
                samples: narrow::<u32>(samples),
                first: narrow::<u32>(first * DEPTH),
                fragments: narrow::<u32>(fragments),
                row_tiles: narrow::<u32>(row_tiles),
                column_tiles: narrow::<u32>(column_tiles),
                resumes: u32::from(first > 0),
                goes_on: u32::from(first + fragments < all),
                first_slice: narrow::<u32>(slices.start),
                first_volume: narrow::<u32>(slices.start / nz),
            };
            let words = row_tiles * fragments * ROW_BYTES / 32;
            // SAFETY: the table has memory for this number of fragments, and `x` has a phase for each sample.
            unsafe { kernels::fourier_rows(stream, Grid::for_items(words, THREADS), plan, x, &mut *table) }?;
            let grid =
                Grid::row(narrow::<u32>(blocks), THREADS).shared(narrow::<u32>(shared_bytes(step as usize)));
            // SAFETY:
            // The data are those of the volumes that contain the slices, and the images have memory for the
            // slices. If sums are stored between launches, there is memory for the sums of each block.
            unsafe {
                kernels::fourier_adjoint(
                    [step],
                    stream,
                    grid,
                    plan,
                    &*table,
                    x,
                    y,
                    z,
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

impl<'a> Job for Adjoint<'a> {
    type Tables = Phases;
    type Scratch = Scratch;
    /// Returns the adjoint images of the slices.
    type Target = &'a mut [f32];
    type Output = ();

    /// The cost includes the table of matrix rows for all samples, because each chunk of slices computes it.
    fn work(&self) -> Work {
        Work { needs: NEEDS, items: self.slices, sizes: ChunkSizes::whole(1) }
    }

    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Phases> {
        let mut phases = Phases::buffers(gpu, self.sums.samples().len())?;
        for (axis, along) in phases.0.iter_mut().enumerate() {
            along.copy_from(stream, &phase_steps(self.sums.samples(), self.sums.shape(), axis))?;
        }
        Ok(phases)
    }

    fn table_bytes(&self, gpu: &Gpu) -> CudaResult<u64> {
        gpu.bytes_of(|gpu| Phases::buffers(gpu, self.sums.samples().len()))
    }

    /// If the GPU memory is small, the table of matrix rows is shortened first (fewer samples at a time).
    /// Only then is the number of slices reduced.
    fn chunk_bytes(&self, gpu: &Gpu, slices: usize) -> CudaResult<u64> {
        let bytes = |fragments| gpu.bytes_of(|gpu| self.buffers(gpu, slices, fragments));
        Ok(bytes(UNIT / DEPTH)?.min(bytes(self.most_fragments())?))
    }

    fn upload(
        &self,
        worker: &mut Worker<'_, Phases>,
        scratch: Option<Scratch>,
        slices: Range<usize>,
    ) -> Result<Scratch> {
        let new = || self.scratch(&worker.gpu, worker.maximum, worker.budget);
        let mut scratch = scratch.map_or_else(new, Ok)?;
        self.put(&worker.stream, &mut scratch, slices)?;
        Ok(scratch)
    }

    fn launch(&self, worker: &mut Worker<'_, Phases>, scratch: &mut Scratch) -> Result<()> {
        self.sum(&worker.stream, worker.tables, scratch)
    }

    fn download(
        &self,
        worker: &mut Worker<'_, Phases>,
        scratch: &mut Scratch,
        images: &'a mut [f32],
    ) -> Result<()> {
        let there = scratch.images.range(0..images.len() / 2);
        Ok(there.copy_to(&worker.stream, bytemuck::cast_slice_mut(images))?)
    }
}

fn row_tiles(voxels: usize) -> usize {
    Mirrored { voxels }.cosines().div_ceil(PAIRS)
}

fn shared_bytes(step: usize) -> usize {
    step / DEPTH * (3 * ROW_BYTES + 2 * FACTOR_BYTES) + 3 * step * BASE_BYTES
}

/// Returns, for each sample, the phase between a voxel and the next voxel along an axis. Along x, it is the
/// phase for half a voxel.
pub(super) fn phase_steps(samples: &[[f64; 3]], shape: Shape, axis: usize) -> Vec<u32> {
    let voxels = shape.lengths()[axis] as f64;
    let per = if axis == 0 { 2.0 * voxels } else { voxels };
    samples.par_iter().map(|k| phase(k[axis] / per)).collect()
}

/// Returns a phase, given in turns, as a 32-bit fraction of a turn.
fn phase(turns: f64) -> u32 {
    ((turns - turns.floor()) * 4_294_967_296.0).round() as u64 as u32
}

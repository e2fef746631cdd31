//! The adjoint of sums on a grid, on a GPU.
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

/// Threads of a block, pairs of rows and columns of its tile, samples of a step.
const THREADS: u32 = constants::THREADS;
const PAIRS: usize = constants::PAIRS as usize;
const COLUMNS: usize = constants::COLUMNS as usize;
const DEPTH: usize = constants::DEPTH as usize;
/// Samples that launches are multiples of, so that sums of tensor cores end with them.
const UNIT: usize = 512;
/// What needs memory, for the error that says how much.
pub(super) const NEEDS: &str = "exact Fourier sums need";
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

/// images = adjoint of data on GPUs, both on the host, in as many chunks as their memory asks for; neither these nor the number
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
    let job = Adjoint { step, ..Adjoint::new(sums, data)? };
    streaming::run(&job, gpus, |chunks| streaming::parts(images, job.of_slice(), chunks))?;
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

/// Times adjoints of data that lie in the GPU: for measurements. The last one's result is in `images`.
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
) -> Result<LaunchTimes> {
    Ok(streaming::time(&Adjoint::new(sums, data)?, gpu, repeats, images)?.0)
}

/// Slices of all volumes, one after the other.
struct Adjoint<'a> {
    sums: &'a FourierSums<f32>,
    data: &'a [f32],
    slices: usize,
    /// Samples between barriers, where they are not those of the GPU.
    step: Option<u32>,
}

/// The phases of all samples from one voxel to the next, along each axis.
struct Phases([Buffer<u32>; 3]);

impl Phases {
    fn buffers(gpu: &Gpu, samples: usize) -> CudaResult<Self> {
        Ok(Self([gpu.alloc(samples)?, gpu.alloc(samples)?, gpu.alloc(samples)?]))
    }
}

/// Memory of a GPU for the sums of some slices.
struct Scratch {
    /// Fragments of 16 samples in a launch, a multiple of what is summed by itself.
    fragments: usize,
    /// Those that are there.
    slices: Range<usize>,
    table: Buffer<[u32; 4]>,
    /// What data of a volume are multiplied with, and its sums.
    scales: Buffer<[f32; 2]>,
    products: Buffer<f32>,
    data: Buffer<[f32; 2]>,
    images: Buffer<[f32; 2]>,
}

impl<'a> Adjoint<'a> {
    /// Fails where kernels cannot count what there is: in 32 bits.
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

    /// Numbers of a slice.
    fn of_slice(&self) -> usize {
        let [nx, ny, _] = self.sums.shape().lengths();
        2 * nx * ny
    }

    /// Fragments of all samples.
    fn fragments(&self) -> usize {
        self.sums.samples().len().div_ceil(UNIT) * (UNIT / DEPTH)
    }

    /// Those of a launch, at most.
    fn most_fragments(&self) -> usize {
        self.fragments().min(SAMPLES_AT_A_TIME / DEPTH)
    }

    fn buffers(&self, gpu: &Gpu, slices: usize, fragments: usize) -> CudaResult<Scratch> {
        let ([nx, ny, nz], samples) = (self.sums.shape().lengths(), self.sums.samples().len());
        let blocks = slices * ny.div_ceil(COLUMNS) * row_tiles(nx);
        // They begin and end anywhere in a volume.
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

    /// With tables as long as there is memory for.
    fn scratch(&self, gpu: &Gpu, slices: usize, budget: u64) -> Result<Scratch> {
        let bytes = |fragments: &usize| gpu.bytes_of(|gpu| self.buffers(gpu, slices, *fragments));
        let (plan, smaller) =
            (MemoryPlan::new(NEEDS, 0), |fragments: &mut usize| halve(fragments, UNIT / DEPTH));
        let fragments = plan.first_fit(budget, self.most_fragments(), bytes, smaller)?;
        Ok(self.buffers(gpu, slices, fragments)?)
    }

    /// Puts the data of some slices' volumes there, and their scales, each by the largest part of its data.
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

    /// Queues the sums of the slices whose data are there.
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
            // SAFETY: the table has room for as many fragments, and there is a phase for each sample.
            unsafe { kernels::fourier_rows(stream, Grid::for_items(words, THREADS), plan, x, &mut *table) }?;
            let grid =
                Grid::row(narrow::<u32>(blocks), THREADS).shared(narrow::<u32>(shared_bytes(step as usize)));
            // SAFETY: data are of the slices' volumes, images of the slices, products of as many blocks where they are kept.
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
    /// The images of the slices.
    type Target = &'a mut [f32];
    type Output = ();

    /// Each chunk makes the rows of all samples.
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

    /// With short tables of rows, or with one that needs no products: rather fewer samples than fewer slices.
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
        let new = || self.scratch(&worker.gpu, worker.most, worker.budget);
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

//! Tracking of arcs on GPUs. Warps take streamline numbers from a queue.
//!
//! Each warp stores the points of its streamline until the streamline has ended. Accepted streamlines are
//! stored one after the other in the order in which they end. The CPU then sorts them by their numbers.
#![allow(unsafe_code)]

use super::constants;
use super::fields::Arcs;
use super::kernels::{self, Anatomy, Harmonics, RunParameters};
use super::run_parameters::{anatomy, everywhere, harmonics, max_points, of_arcs, run_parameters};
use crate::driver::Batch;
use crate::gpus::{require_processed, share_of};
use crate::samples::followed::KernelOutcome;
use crate::walk::Walk;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, Stream, Transfer, on_each};
use arcuate_core::{Control, Point, Result, narrow};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

const THREADS: u32 = constants::THREADS;
const WARPS: u32 = constants::WARPS;
/// Maximum number of streamlines per launch of the kernel. It is many times the number of streamlines in
/// progress, so that few warps are idle at the end of the launch.
const MOST: u64 = 1 << 18;
/// Number of streamlines in a batch, which one CPU thread assembles.
const BATCH: usize = 1 << 12;

/// GPUs that track streamlines. Each GPU tracks an equal part of the streamlines.
pub(super) struct OnGpus {
    known: SharedParameters,
    machines: Vec<GpuTracker>,
}

/// Parameters that all streamlines of a run share.
#[derive(Clone, Copy)]
struct SharedParameters {
    run_parameters: RunParameters,
    /// Parameters of the tissues, if tracking is anatomically constrained.
    anatomy: Option<Anatomy>,
    harmonics: Harmonics,
}

/// A GPU with all inputs of tracking.
struct GpuTracker {
    gpu: Gpu,
    places: Buffer<u32>,
    rows: Buffer<[f32; 4]>,
    everywhere: Buffer<f32>,
    arcs: Buffer<f32>,
    centres: Buffer<f32>,
    /// Tissue fractions of all voxels. If tracking is not anatomically constrained, the buffer has one unused
    /// number.
    fractions: Buffer<f32>,
    blocks: u32,
    /// Number of streamlines per launch of the kernel.
    maximum: u64,
    scratch: Mutex<Scratch>,
}

/// Memory that a launch of the kernel writes.
struct Scratch {
    stream: Stream,
    transfer: Transfer,
    queue: Buffer<u64>,
    used: Buffer<u64>,
    /// Points of the streamlines in progress.
    rooms: Buffer<f32>,
    came: RunOutcome,
}

/// Results of the streamlines of one kernel launch.
struct RunOutcome {
    records: Buffer<KernelOutcome>,
    firsts: Buffer<u64>,
    points: Buffer<f32>,
}

impl RunOutcome {
    /// Allocates memory for streamlines with at most `points` points each.
    fn new(gpu: &Gpu, streamlines: u64, points: usize) -> CudaResult<Self> {
        let count = streamlines as usize;
        Ok(Self {
            records: gpu.alloc(count)?,
            firsts: gpu.alloc(count)?,
            points: gpu.alloc(3 * points * count)?,
        })
    }
}

impl OnGpus {
    pub(super) fn new(walk: &Walk<'_, Arcs<'_>>, seed: u64, gpus: &Gpus) -> Result<Self> {
        let known = SharedParameters {
            run_parameters: run_parameters(walk, seed),
            anatomy: anatomy(walk),
            harmonics: harmonics(walk.field.of.image),
        };
        let machines = on_each(gpus.iter(), |_, gpu| Ok(GpuTracker::new(gpu, walk, &known)?))?;
        Ok(Self { known, machines })
    }

    /// Returns the names of the GPUs.
    pub(super) fn describe(&self) -> String {
        self.machines.iter().map(|machine| machine.gpu.to_string()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the number of streamlines that all GPUs track at a time.
    pub(super) fn maximum(&self) -> u64 {
        let each = self.machines.iter().map(|machine| machine.maximum).min().unwrap_or(1);
        each * self.machines.len() as u64
    }

    /// Tracks streamlines and returns them in the order of their numbers. `points` is true if their points
    /// are needed. Returns an error if `control` cancels the run.
    pub(super) fn batches(&self, numbers: Range<u64>, points: bool, control: &Control) -> Result<Vec<Batch>> {
        let count = self.machines.len();
        let batches = on_each(self.machines.iter().enumerate(), |_, (n, machine)| {
            machine.batches(&self.known, share_of(&numbers, n, count), points, control)
        })?;
        Ok(batches.into_iter().flatten().collect())
    }
}

impl GpuTracker {
    fn new(gpu: &Gpu, walk: &Walk<'_, Arcs<'_>>, known: &SharedParameters) -> CudaResult<Self> {
        let (arcs, image, run_parameters) = (walk.field, walk.field.of.image, &known.run_parameters);
        let stream = gpu.stream()?;
        let mut transfer = Transfer::new(gpu, usize::MAX)?;
        let places = transfer.upload(&stream, image.places())?;
        let rows = transfer.upload(&stream, bytemuck::cast_slice(image.rows()))?;
        let centres = transfer.upload(&stream, walk.starting_points.centres.as_flattened())?;
        let fractions =
            walk.region_grids.anatomy.as_ref().map_or(&[0.0][..], |anatomy| anatomy.all_fractions());
        let fractions = transfer.upload(&stream, fractions)?;
        let everywhere = transfer.upload(&stream, &everywhere(arcs))?;
        let arcs = transfer.upload(&stream, &of_arcs(arcs))?;
        let (queue, used) = (gpu.alloc(1)?, gpu.alloc(1)?);
        let (name, room) = match known.anatomy {
            None => ("fod_follow_arcs", constants::ROOM),
            Some(_) => ("fod_follow_arcs_in_tissues", constants::ROOM_IN_TISSUES),
        };
        let kernel = kernels::IMAGES.kernel(gpu, name)?;
        let mut blocks = kernel.blocks_per_multiprocessor(THREADS, 0)?.max(1) * gpu.multiprocessors().max(1);
        // The points of streamlines in progress get a quarter of the free GPU memory, and the points of
        // finished streamlines get half.
        let rooms = |gpu: &Gpu, blocks: u32| {
            gpu.alloc::<f32>((blocks * WARPS * room) as usize * run_parameters.points as usize)
        };
        while blocks > 1 && gpu.bytes_of(|gpu| rooms(gpu, blocks))? > gpu.budget()? / 4 {
            blocks = blocks.div_ceil(2);
        }
        let rooms = rooms(gpu, blocks)?;
        let points = max_points(run_parameters);
        let mut maximum = MOST.min(walk.starting_points.count).max(1);
        while maximum > 1 && gpu.bytes_of(|gpu| RunOutcome::new(gpu, maximum, points))? > gpu.budget()? / 2 {
            maximum = maximum.div_ceil(2);
        }
        let came = RunOutcome::new(gpu, maximum, points)?;
        stream.synchronize()?;
        let scratch = Mutex::new(Scratch { stream, transfer, queue, used, rooms, came });
        Ok(Self {
            gpu: gpu.clone(),
            places,
            rows,
            everywhere,
            arcs,
            centres,
            fractions,
            blocks,
            maximum,
            scratch,
        })
    }

    fn batches(
        &self,
        known: &SharedParameters,
        numbers: Range<u64>,
        points: bool,
        control: &Control,
    ) -> Result<Vec<Batch>> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut batches, mut begin) = (Vec::new(), numbers.start);
        while begin < numbers.end {
            control.check()?;
            let end = numbers.end.min(begin.saturating_add(self.maximum));
            batches.extend(self.follow(known, &mut scratch, begin..end, points)?);
            begin = end;
        }
        Ok(batches)
    }

    /// Tracks the streamlines of one launch.
    fn follow(
        &self,
        known: &SharedParameters,
        scratch: &mut Scratch,
        numbers: Range<u64>,
        points: bool,
    ) -> CudaResult<Vec<Batch>> {
        let count = numbers.end - numbers.start;
        let blocks = narrow::<u32>(u64::from(self.blocks).min(count.div_ceil(u64::from(WARPS))));
        let Scratch { stream, transfer, queue, used, rooms, came } = scratch;
        queue.zero(stream)?;
        used.zero(stream)?;
        let SharedParameters { run_parameters, anatomy, harmonics } = *known;
        macro_rules! launch {
            ($kernel:ident) => {
                kernels::$kernel(
                    stream,
                    Grid::row(blocks, THREADS),
                    run_parameters,
                    anatomy.unwrap_or(bytemuck::Zeroable::zeroed()),
                    &self.fractions,
                    harmonics,
                    numbers.start,
                    count,
                    &self.places,
                    &self.rows,
                    &self.everywhere,
                    &self.arcs,
                    &self.centres,
                    &mut *queue,
                    &mut *rooms,
                    &mut came.records,
                    &mut came.firsts,
                    &mut came.points,
                    &mut *used,
                )
            };
        }
        // SAFETY:
        // The kernel checks all indices into the rows of the image and the fractions of the tissues. Each
        // warp can store the points of two halves. The buffers of results can hold `count` streamlines with
        // the maximum number of points of an accepted streamline.
        unsafe {
            if anatomy.is_some() { launch!(fod_follow_arcs_in_tissues) } else { launch!(fod_follow_arcs) }
        }?;
        // Warps take streamline numbers from the queue until no number is left.
        require_processed(&self.gpu, queue.to_vec(stream)?[0], count)?;
        let records = transfer.download(stream, came.records.range(0..count as usize))?;
        if !points {
            let outcomes = records.into_iter().map(KernelOutcome::outcome).collect();
            return Ok(vec![Batch { first: numbers.start, outcomes, ..Batch::default() }]);
        }
        let firsts = transfer.download(stream, came.firsts.range(0..count as usize))?;
        let all = used.to_vec(stream)?[0] as usize;
        let positions = transfer.download(stream, came.points.range(0..3 * all))?;
        let positions: Vec<Point> = bytemuck::allocation::cast_vec(positions);
        Ok(in_order(numbers.start, &records, &firsts, &positions))
    }
}

/// Assembles batches of streamlines with consecutive numbers. `firsts` contains the index of the first point
/// of each accepted streamline.
fn in_order(first: u64, records: &[KernelOutcome], firsts: &[u64], positions: &[Point]) -> Vec<Batch> {
    let batch = |(n, (records, firsts)): (usize, (&[KernelOutcome], &[u64]))| {
        let mut batch = Batch { first: first + (n * BATCH) as u64, offsets: vec![0], ..Batch::default() };
        for (record, &begin) in records.iter().zip(firsts) {
            let outcome = record.outcome();
            if outcome.is_accepted() {
                let begin = begin as usize;
                batch.positions.extend_from_slice(&positions[begin..begin + outcome.joined() as usize]);
                batch.offsets.push(batch.positions.len() as u64);
            }
            batch.outcomes.push(outcome);
        }
        batch
    };
    records.par_chunks(BATCH).zip(firsts.par_chunks(BATCH)).enumerate().map(batch).collect()
}

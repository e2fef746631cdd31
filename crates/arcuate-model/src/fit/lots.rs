//! Fits on GPUs: lots of voxels flow through, two workers for each GPU, so that one copies while the other computes.

use super::alike::sort_alike;
use super::cpu::{self, PIECE};
use super::cuda;
use super::device_memory::{Room, Starts, Tables};
use super::plan::{ModelPlan, Pipeline};
use super::progress::Count;
use super::voxels::{Found, Voxels, joined};
use crate::special::watson::Series;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Stream, Transfer, on_each};
use arcuate_core::{Result, Volume};
use rayon::prelude::*;

/// Voxels of a lot at most, and at least where there are so many: a GPU has room for some 50,000 threads, of which those that
/// found no next voxel wait for the others.
const LOTS: [usize; 2] = [1 << 16, 1 << 18];
/// Voxels that a lot shrinks to before memory counts as too small.
const SMALLEST_LOT: usize = 1 << 8;

/// Every model that was asked for, in all voxels.
pub(super) fn fit<T: Series>(
    pipeline: &Pipeline<T>,
    dwi: &Volume<f32>,
    items: &[usize],
    gpus: &Gpus,
    count: &Count<'_>,
) -> Result<Vec<Voxels<T>>> {
    let kernels: Vec<Option<Vec<u32>>> = pipeline.plans.iter().map(cuda::kernels_of).collect();
    let workers: Vec<&Gpu> = gpus.iter().chain(gpus.iter()).collect();
    let share = items.len().div_ceil(workers.len()).clamp(LOTS[0], LOTS[1]);
    let lot = lot_of(pipeline, &kernels, gpus, share)?;
    let lots: Vec<&[usize]> = items.chunks(lot).collect();
    let of_worker = on_each(workers.iter().enumerate(), |_, (n, gpu)| {
        let mut machine = Machine::new(gpu, pipeline)?;
        let own = lots.iter().skip(n).step_by(workers.len());
        let fit = |items: &&[usize]| {
            let fitted = machine.lot(pipeline, &kernels, dwi, items)?;
            count.add(items.len());
            Ok(fitted)
        };
        own.map(fit).collect::<Result<Vec<_>>>()
    })?;
    // Worker n has lots n, n + workers, …
    let mut of_worker: Vec<_> = of_worker.into_iter().map(Vec::into_iter).collect();
    let each = of_worker.len();
    let pieces = (0..lots.len()).filter_map(|lot| of_worker[lot % each].next()).collect();
    Ok(joined(pieces))
}

/// How many voxels a lot has so that two of them fit in every GPU.
fn lot_of<T: Series>(
    pipeline: &Pipeline<T>,
    kernels: &[Option<Vec<u32>>],
    gpus: &Gpus,
    most: usize,
) -> Result<usize> {
    let mut lot = most;
    for gpu in gpus.iter() {
        let bytes = |lot: usize| {
            gpu.bytes_of(|gpu| {
                let signals = gpu.alloc::<f32>(lot * pipeline.measurements.len())?;
                let largest = pipeline.plans.iter().zip(kernels).filter(|(_, kernels)| kernels.is_some());
                let room = |plan| Ok((Room::new(gpu, plan, lot)?, Starts::all(gpu, plan, lot)?));
                let rooms: CudaResult<Vec<_>> = largest.map(|(plan, _)| room(plan)).collect();
                Ok((signals, rooms?))
            })
        };
        while lot > SMALLEST_LOT && 2 * bytes(lot)? + (1 << 20) > gpu.budget()? {
            lot /= 2;
        }
    }
    Ok(lot)
}

/// A worker: a stream of a GPU, and the plans' tables there.
struct Machine<T: Series> {
    gpu: Gpu,
    stream: Stream,
    transfer: Transfer,
    tables: Vec<Tables<T>>,
}

impl<T: Series> Machine<T> {
    fn new(gpu: &Gpu, pipeline: &Pipeline<T>) -> Result<Self> {
        let stream = gpu.stream()?;
        let transfer = Transfer::new(gpu, usize::MAX)?;
        let tables: CudaResult<Vec<_>> =
            pipeline.plans.iter().map(|plan| Tables::new(gpu, &stream, plan)).collect();
        Ok(Self { gpu: gpu.clone(), stream, transfer, tables: tables? })
    }

    /// Every model that was asked for in the voxels of a lot.
    fn lot(
        &mut self,
        pipeline: &Pipeline<T>,
        kernels: &[Option<Vec<u32>>],
        dwi: &Volume<f32>,
        items: &[usize],
    ) -> Result<Vec<Voxels<T>>> {
        let used = &pipeline.measurements;
        let there =
            self.transfer.upload_with(&self.stream, items.len() * used.len(), used.len(), |start, out| {
                pipeline.copy_signals(dwi, &items[start / used.len()..], out);
            })?;
        let mut done: Vec<Voxels<T>> = Vec::new();
        for (n, plan) in pipeline.plans.iter().enumerate() {
            let voxels = match &kernels[n] {
                Some(kernels) => self.fit(n, plan, kernels, &there, &done, items)?,
                None => here(plan, pipeline, dwi, &done, items),
            };
            done.push(voxels);
        }
        Ok(pipeline.asked_of(done))
    }

    /// One model in the voxels of a lot.
    fn fit(
        &mut self,
        n: usize,
        plan: &ModelPlan<T>,
        kernels: &[u32],
        signals: &Buffer<f32>,
        done: &[Voxels<T>],
        items: &[usize],
    ) -> Result<Voxels<T>> {
        let count = items.len();
        let mut room = Room::new(&self.gpu, plan, count)?;
        cuda::begin(&self.stream, &self.tables[n], &plan.begin, signals, &mut room)?;
        let maps = plan.maps_of(items);
        if !maps.is_empty() {
            room.maps = self.transfer.upload(&self.stream, &maps)?;
        }
        if !plan.given.is_empty() || !plan.sources.is_empty() {
            let mut voxels = self.found(plan, &room, maps.clone())?;
            cpu::give(plan, &mut voxels, done, items);
            room.numbers = self.transfer.upload(&self.stream, voxels.all_numbers())?;
        }
        // All of it lives until what was found is here.
        let mut starts = Starts::all(&self.gpu, plan, count)?;
        self.stages([n, 0], plan, kernels, signals, &mut room, &mut starts)?;
        let mut voxels = self.found(plan, &room, maps)?;
        sort_alike(plan, &mut voxels);
        Ok(voxels)
    }

    /// Goes through the stages from one on; where a search keeps several starts, through those behind it from each.
    fn stages(
        &self,
        [n, stage]: [usize; 2],
        plan: &ModelPlan<T>,
        kernels: &[u32],
        signals: &Buffer<f32>,
        room: &mut Room<T>,
        starts: &mut [Starts<T>],
    ) -> CudaResult<()> {
        let mut starts = starts.iter_mut();
        for stage in stage..plan.stages.len() {
            let (of_plan, tables) = (&plan.stages[stage], &self.tables[n].stages[stage]);
            let Some(own) = starts.next() else { return Ok(()) };
            let Some(tried) = &of_plan.search else {
                let control = &plan.control;
                cuda::minimise(&self.stream, tables, kernels[stage], control, of_plan, signals, room)?;
                continue;
            };
            cuda::search(&self.stream, tables, kernels[stage], tried, signals, room, own)?;
            let Some(best) = &mut own.best else { continue };
            best.from.view_mut().copy_from_device(&self.stream, room.numbers.view())?;
            best.from_status.view_mut().copy_from_device(&self.stream, room.status.view())?;
            let later = starts.into_slice();
            for start in 0..tried.keep {
                self.stages([n, stage + 1], plan, kernels, signals, room, later)?;
                cuda::next_start(&self.stream, tables, tried, start, &own.kept, best, room)?;
            }
            return Ok(());
        }
        Ok(())
    }

    /// What is in the GPU, brought here.
    fn found(&mut self, plan: &ModelPlan<T>, room: &Room<T>, maps: Vec<T>) -> CudaResult<Voxels<T>> {
        let Self { stream, transfer, .. } = self;
        let found = Found {
            factors: transfer.download(stream, room.factors.view())?,
            numbers: transfer.download(stream, room.numbers.view())?,
            status: transfer.download(stream, room.status.view())?,
            costs: transfer.download(stream, room.costs.view())?,
            usable: transfer.download(stream, room.usable.view())?,
            evaluations: transfer.download(stream, room.evaluations.view())?,
        };
        Ok(Voxels::found(plan.program.free_numbers, maps, found))
    }
}

/// A model that there are no kernels for, in the voxels of a lot.
fn here<T: Series>(
    plan: &ModelPlan<T>,
    pipeline: &Pipeline<T>,
    dwi: &Volume<f32>,
    done: &[Voxels<T>],
    items: &[usize],
) -> Voxels<T> {
    let piece = |(piece, items): (usize, &[usize])| {
        let range = piece * PIECE..piece * PIECE + items.len();
        let done: Vec<Voxels<T>> = done.iter().map(|other| other.part(range.clone())).collect();
        vec![cpu::fit_model(plan, pipeline.signals_of(dwi, items), &done, items)]
    };
    let pieces = items.par_chunks(PIECE).enumerate().map(piece).collect();
    joined(pieces).into_iter().next().unwrap_or_else(|| Voxels::new(0, 0, Vec::new(), Vec::new()))
}

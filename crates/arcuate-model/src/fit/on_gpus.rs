//! Fits on GPUs, in chunks of voxels.

use super::cpu::{self, PIECE};
use super::cuda::{self, FitKernels, PlanKernels, Tables};
use super::interchangeable::sort_interchangeable;
use super::plan::{ModelPlan, Pipeline};
use super::progress::Count;
use super::scratch::{Scratch, Starts};
use super::stage::StagePlan;
use super::voxels::{Found, Voxels, joined};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Stream, WrittenKernel};
use arcuate_compute::streaming::{self, ChunkSizes, Job, Work};
use arcuate_core::{Result, Volume};
use arcuate_numbers::Real;
use rayon::prelude::*;
use std::ops::Range;

/// Maximum number of voxels in a chunk (the voxels that a GPU fits at once). A GPU runs about 50,000 threads
/// at once. At the end of a chunk, threads without a next voxel wait for the others, so that large chunks
/// waste less time.
const CHUNKS: ChunkSizes = ChunkSizes { minimum: 1 << 8, enough: 1 << 16, maximum: 1 << 18 };

type Worker<'a, T> = streaming::Worker<'a, Vec<PlanOnGpu<T>>>;

/// The data and kernels of one model's fit on a GPU.
struct PlanOnGpu<T: Real> {
    tables: Tables<T>,
    /// The GPU kernels of the model's fit. `None` if the CPU must fit the model.
    kernels: Option<FitKernels>,
}

/// Fits every requested model in all voxels. `kernels` contains the kernels of each plan.
pub(super) fn fit<T: Real>(
    pipeline: &Pipeline<T>,
    kernels: &[PlanKernels],
    dwi: &Volume<f32>,
    items: &[usize],
    gpus: &Gpus,
    count: &Count<'_>,
) -> Result<Vec<Voxels<T>>> {
    let fits = Fits { pipeline, kernels, dwi, items, count };
    Ok(joined(streaming::run(&fits, gpus, |chunks| vec![(); chunks.len()])?))
}

struct Fits<'a, T: Real> {
    pipeline: &'a Pipeline<T>,
    /// The GPU kernels of the stages of each model's fit.
    kernels: &'a [PlanKernels],
    dwi: &'a Volume<f32>,
    items: &'a [usize],
    count: &'a Count<'a>,
}

/// The data of a chunk of voxels while its models are fitted.
struct Chunk<'a, T: Real> {
    items: &'a [usize],
    signals: Buffer<f32>,
    /// The fits of the preceding models, which are already complete.
    done: Vec<Voxels<T>>,
}

impl<'a, T: Real> Job for Fits<'a, T> {
    type Tables = Vec<PlanOnGpu<T>>;
    type Scratch = Chunk<'a, T>;
    type Target = ();
    /// The results of every requested model.
    type Output = Vec<Voxels<T>>;

    fn work(&self) -> Work {
        Work { needs: "fits need", items: self.items.len(), sizes: CHUNKS }
    }

    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Vec<PlanOnGpu<T>>> {
        // The kernels of all models are loaded together, because the GPU driver then compiles them in
        // parallel.
        let written: Vec<WrittenKernel> = self.kernels.iter().flatten().flatten().cloned().collect();
        let mut kernels = gpu.all_of_written(&written)?.into_iter();
        let of_plan = |(plan, written): (&ModelPlan<T>, &PlanKernels)| {
            let kernels = written.as_ref().ok().and_then(|_| FitKernels::new(plan, &mut kernels));
            Ok(PlanOnGpu { tables: Tables::new(gpu, stream, plan)?, kernels })
        };
        self.pipeline.plans.iter().zip(self.kernels).map(of_plan).collect()
    }

    /// Returns the GPU memory for the signals and for the model that needs most memory. Models are fitted one
    /// after the other and use the same memory.
    fn chunk_bytes(&self, gpu: &Gpu, items: usize) -> CudaResult<u64> {
        let signals = gpu.bytes_of(|gpu| gpu.alloc::<f32>(items * self.pipeline.measurements.len()))?;
        let with_kernels =
            self.pipeline.plans.iter().zip(self.kernels).filter(|(_, kernels)| kernels.is_ok());
        let of_plan = |(plan, _): (&ModelPlan<T>, _)| {
            gpu.bytes_of(|gpu| {
                let scratch = (Scratch::new(gpu, plan, items)?, Starts::all(gpu, plan, items)?);
                // Maps and starting values are first copied from main memory to separate buffers on the GPU.
                let numbers = plan.program.map_numbers.max(plan.program.free_numbers);
                Ok((scratch, gpu.alloc::<T>(items * numbers)?))
            })
        };
        with_kernels.map(of_plan).try_fold(signals, |maximum, bytes| Ok(maximum.max(signals + bytes?)))
    }

    fn upload(
        &self,
        worker: &mut Worker<'_, T>,
        before: Option<Chunk<'a, T>>,
        voxels: Range<usize>,
    ) -> Result<Chunk<'a, T>> {
        drop(before);
        let (items, measurements) = (&self.items[voxels], self.pipeline.measurements.len());
        let fill = |start: usize, out: &mut [f32]| {
            self.pipeline.copy_signals(self.dwi, &items[start / measurements..], out);
        };
        let values = items.len() * measurements;
        let signals = worker.transfer.upload_with(&worker.stream, values, measurements, fill)?;
        Ok(Chunk { items, signals, done: Vec::new() })
    }

    /// Fits the models one after the other. A model may start from the results of an earlier model, which are
    /// therefore copied to main memory.
    fn launch(&self, worker: &mut Worker<'_, T>, chunk: &mut Chunk<'a, T>) -> Result<()> {
        let Chunk { items, signals, done } = chunk;
        done.clear();
        for (n, plan) in self.pipeline.plans.iter().enumerate() {
            let voxels = match worker.tables[n].kernels.clone() {
                Some(kernels) => Fit { plan, on_gpu: n, kernels }.run(worker, signals, done, items)?,
                None => here(plan, self.pipeline, self.dwi, done, items),
            };
            done.push(voxels);
        }
        Ok(())
    }

    fn download(&self, _: &mut Worker<'_, T>, chunk: &mut Chunk<'a, T>, (): ()) -> Result<Vec<Voxels<T>>> {
        Ok(self.pipeline.requested_fits(std::mem::take(&mut chunk.done)))
    }

    fn done(&self, voxels: usize) -> Result<()> {
        self.count.add(voxels)
    }
}

/// A model that has GPU kernels, while it is fitted on the GPU.
struct Fit<'a, T: Real> {
    plan: &'a ModelPlan<T>,
    /// Index of the model among the models that the GPU fits.
    on_gpu: usize,
    kernels: FitKernels,
}

impl<T: Real> Fit<'_, T> {
    /// Fits the model in the voxels of a chunk, from their signals. `done` contains the fits of the preceding
    /// models.
    fn run(
        &self,
        worker: &mut Worker<'_, T>,
        signals: &Buffer<f32>,
        done: &[Voxels<T>],
        items: &[usize],
    ) -> Result<Voxels<T>> {
        let (plan, count) = (self.plan, items.len());
        let mut scratch = Scratch::new(&worker.gpu, plan, count)?;
        let tables = &worker.tables[self.on_gpu].tables;
        cuda::begin(&worker.stream, tables, &self.kernels.begin, &plan.begin, signals, &mut scratch)?;
        let maps = plan.maps_of(items);
        if !maps.is_empty() {
            scratch.maps = worker.transfer.upload(&worker.stream, &maps)?;
        }
        if !plan.given.is_empty() || !plan.sources.is_empty() {
            let mut voxels = self.found(worker, &scratch, maps.clone())?;
            cpu::give(plan, &mut voxels, done, items);
            scratch.numbers = worker.transfer.upload(&worker.stream, voxels.all_numbers())?;
        }
        // The kernels run asynchronously. Their buffers therefore exist until the results are in main memory.
        let mut starts = Starts::all(&worker.gpu, plan, count)?;
        let tables = &worker.tables[self.on_gpu].tables;
        self.stages(&worker.stream, tables, 0..plan.stages.len(), signals, &mut scratch, &mut starts)?;
        let mut voxels = self.found(worker, &scratch, maps)?;
        sort_interchangeable(plan, &mut voxels);
        Ok(voxels)
    }

    /// Runs the stages of a fit. If a grid search keeps several starts, the following stages run once from
    /// each start, up to a stage with `from_best`. `starts` is the GPU memory for the starts of these stages.
    fn stages(
        &self,
        stream: &Stream,
        tables: &Tables<T>,
        stages: Range<usize>,
        signals: &Buffer<f32>,
        scratch: &mut Scratch<T>,
        starts: &mut [Starts<T>],
    ) -> CudaResult<()> {
        let plan = self.plan;
        let Range { start: mut stage, end } = stages;
        let mut starts = starts;
        while stage < end {
            let (of_plan, of_stage) = (&plan.stages[stage], &tables.stages[stage]);
            let Some((own, later)) = std::mem::take(&mut starts).split_first_mut() else { return Ok(()) };
            starts = later;
            stage += 1;
            let kernels = &self.kernels.stages[stage - 1];
            let Some(tried) = &of_plan.search else {
                cuda::minimise(stream, of_stage, &kernels.stage, (of_plan, &plan.control), signals, scratch)?;
                continue;
            };
            cuda::search(stream, of_stage, &kernels.stage, tried, signals, scratch, own)?;
            let (Some(best), Some(next_start)) = (&mut own.best, &kernels.next_start) else { continue };
            best.from.view_mut().copy_from_device(stream, scratch.numbers.view())?;
            best.from_status.view_mut().copy_from_device(stream, scratch.status.view())?;
            let followed = StagePlan::followed(&plan.stages[stage..end]);
            let (of_followed, later) = std::mem::take(&mut starts).split_at_mut(followed);
            for start in 0..tried.keep {
                self.stages(stream, tables, stage..stage + followed, signals, scratch, of_followed)?;
                cuda::next_start(stream, of_stage, next_start, start, &own.kept, best, scratch)?;
            }
            starts = later;
            stage += followed;
        }
        Ok(())
    }

    /// Copies the results to the host.
    fn found(&self, worker: &mut Worker<'_, T>, scratch: &Scratch<T>, maps: Vec<T>) -> CudaResult<Voxels<T>> {
        let streaming::Worker { stream, transfer, .. } = worker;
        let found = Found {
            factors: transfer.download(stream, scratch.factors.view())?,
            numbers: transfer.download(stream, scratch.numbers.view())?,
            status: transfer.download(stream, scratch.status.view())?,
            costs: transfer.download(stream, scratch.costs.view())?,
            usable: transfer.download(stream, scratch.usable.view())?,
            evaluations: transfer.download(stream, scratch.evaluations.view())?,
        };
        Ok(Voxels::found(self.plan.program.free_numbers, maps, found))
    }
}

/// Fits a model that has no GPU kernels on the CPU, in the voxels of a chunk.
fn here<T: Real>(
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

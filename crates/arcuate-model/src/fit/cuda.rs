//! Fits on GPUs: lots of voxels flow through, two workers for each GPU, so that one copies while the other computes. What is
//! computed is in `begin.cuh` and `minimise.cuh`, a thread for a voxel, with the bits of the processor.
#![allow(unsafe_code)]

use super::begin::{BeginPlan, Beginning};
use super::candidates::Candidates;
use super::cpu::{self, PIECE};
use super::kernels;
use super::models::{DOUBLE, SINGLE};
use super::plan::{ModelPlan, Pipeline};
use super::results::{joined, maps_of, signals_of, sort_alike};
use super::stage::{BoundsMethod, StagePlan};
use super::voxels::{Found, Voxels};
use crate::language::TensorPart;
use crate::special::watson::Series;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, Precision, Stream, Transfer, on_each};
use arcuate_core::{Result, Volume};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// Threads of a block, as in `kernels.cu`.
const THREADS: u32 = 128;
/// Bytes of shared memory that the numbers of a protocol may take, whatever the GPU.
const SHARED: usize = 48 << 10;
/// Voxels of a lot at most, and at least where there are so many: a GPU has room for some 50,000 threads, of which those that
/// found no next voxel wait for the others.
const LOTS: [usize; 2] = [1 << 16, 1 << 18];
/// Voxels that a lot shrinks to before memory counts as too small.
const SMALLEST_LOT: usize = 1 << 8;

/// Where a number starts: as in `begin.cuh`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct BeginNumber<T> {
    value: T,
    low: T,
    high: T,
    what: u32,
    component: u32,
}

/// What a fit has in common: as in `minimise.cuh`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct FitPlan<T> {
    tolerance: T,
    floor: T,
    voxels: u64,
    resting: u64,
    measurements: u32,
    evaluations: u32,
    transforms: u32,
    constraints: u32,
    shared_columns: u32,
    uniforms: u32,
}

// SAFETY: zeros are numbers of all kinds.
unsafe impl<T: Precision> Zeroable for BeginNumber<T> {}
// SAFETY: three numbers of 4 or 8 bytes and two of 4 leave no gap.
unsafe impl<T: Precision> Pod for BeginNumber<T> {}
// SAFETY: zeros are numbers of all kinds.
unsafe impl<T: Precision> Zeroable for FitPlan<T> {}
// SAFETY: two numbers of 4 or 8 bytes, two of 8 and six of 4 leave no gap.
unsafe impl<T: Precision> Pod for FitPlan<T> {}

/// The kernels of a plan's stages; nothing where one of them has none.
pub(super) fn kernels_of<T: Series>(plan: &ModelPlan<T>) -> Option<Vec<u32>> {
    let known = if T::NAME == f32::NAME { SINGLE } else { DOUBLE };
    let kernel = |stage: &StagePlan<T>| {
        let wanted = stage.schedule.fingerprint();
        known.iter().find(|(_, fingerprint)| *fingerprint == wanted).map(|(number, _)| *number)
    };
    plan.stages.iter().map(kernel).collect()
}

/// Every model that was asked for, in all voxels.
pub(super) fn fit<T: Series>(
    pipeline: &Pipeline<T>,
    dwi: &Volume<f32>,
    items: &[usize],
    gpus: &Gpus,
) -> Result<Vec<Voxels<T>>> {
    let kernels: Vec<Option<Vec<u32>>> = pipeline.plans.iter().map(kernels_of).collect();
    let workers: Vec<&Gpu> = gpus.iter().chain(gpus.iter()).collect();
    let share = items.len().div_ceil(workers.len()).clamp(LOTS[0], LOTS[1]);
    let lot = lot_of(pipeline, &kernels, gpus, share)?;
    let lots: Vec<&[usize]> = items.chunks(lot).collect();
    let of_worker = on_each(workers.iter().enumerate(), |_, (n, gpu)| {
        let mut machine = Machine::new(gpu, pipeline)?;
        let own = lots.iter().skip(n).step_by(workers.len());
        own.map(|items| machine.lot(pipeline, &kernels, dwi, items)).collect::<Result<Vec<_>>>()
    })?;
    // Worker n has lots n, n + workers, …
    let mut of_worker: Vec<_> = of_worker.into_iter().map(Vec::into_iter).collect();
    let count = of_worker.len();
    let pieces = (0..lots.len()).filter_map(|lot| of_worker[lot % count].next()).collect();
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

/// Memory for the voxels of a lot.
struct Room<T: Series> {
    factors: Buffer<T>,
    squares: Buffer<T>,
    numbers: Buffer<T>,
    maps: Buffer<T>,
    costs: Buffer<T>,
    usable: Buffer<u32>,
    evaluations: Buffer<u32>,
    status: Buffer<u8>,
    next: Buffer<u32>,
}

impl<T: Series> Room<T> {
    fn new(gpu: &Gpu, plan: &ModelPlan<T>, voxels: usize) -> CudaResult<Self> {
        Ok(Self {
            factors: gpu.alloc(voxels)?,
            squares: gpu.alloc(voxels)?,
            numbers: gpu.alloc(voxels * plan.program.free_numbers)?,
            maps: gpu.alloc(voxels * plan.program.map_numbers.max(1))?,
            costs: gpu.alloc(voxels)?,
            usable: gpu.alloc(voxels)?,
            evaluations: gpu.alloc(voxels)?,
            status: gpu.alloc(voxels)?,
            next: gpu.alloc(1)?,
        })
    }
}

/// What a search kept of each voxel of a lot, and, where this is more than one start, what these led to.
struct Starts<T: Series> {
    kept: Buffer<u32>,
    best: Option<BestStart<T>>,
}

/// Where the starts of a lot begin, and the best of what they led to.
struct BestStart<T: Series> {
    from: Buffer<T>,
    from_status: Buffer<u8>,
    numbers: Buffer<T>,
    status: Buffer<u8>,
    costs: Buffer<T>,
}

impl<T: Series> Starts<T> {
    fn new(gpu: &Gpu, plan: &ModelPlan<T>, stage: usize, voxels: usize) -> CudaResult<Self> {
        let keep = plan.stages[stage].search.as_ref().map_or(0, |tried| tried.keep);
        let numbers = voxels * plan.program.free_numbers;
        let best = || -> CudaResult<BestStart<T>> {
            Ok(BestStart {
                from: gpu.alloc(numbers)?,
                from_status: gpu.alloc(voxels)?,
                numbers: gpu.alloc(numbers)?,
                status: gpu.alloc(voxels)?,
                costs: gpu.alloc(voxels)?,
            })
        };
        let goes_on = keep > 1 && stage + 1 < plan.stages.len();
        Ok(Self { kept: gpu.alloc(voxels * keep)?, best: if goes_on { Some(best()?) } else { None } })
    }

    /// Of all stages of a plan.
    fn all(gpu: &Gpu, plan: &ModelPlan<T>, voxels: usize) -> CudaResult<Vec<Self>> {
        (0..plan.stages.len()).map(|stage| Self::new(gpu, plan, stage, voxels)).collect()
    }
}

/// What of a plan is the same for all voxels, in a GPU.
struct Tables<T: Series> {
    b0: Buffer<u32>,
    places: Buffer<u32>,
    rows: Buffer<T>,
    beginnings: Buffer<BeginNumber<T>>,
    stages: Vec<StageTables<T>>,
}

struct StageTables<T: Series> {
    columns: Buffer<T>,
    uniforms: Buffer<T>,
    bounds: Buffer<T>,
    constraints: Buffer<T>,
    candidates: Buffer<T>,
    groups: Buffer<u32>,
    searched: Buffer<u32>,
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
                let items = &items[start / used.len()..][..out.len() / used.len()];
                for (&item, out) in items.iter().zip(out.chunks_exact_mut(used.len())) {
                    let of_voxel = dwi.voxel(item);
                    if used.len() == of_voxel.len() {
                        out.copy_from_slice(of_voxel);
                    } else {
                        used.iter().zip(out).for_each(|(&m, out)| *out = of_voxel[m]);
                    }
                }
            })?;
        let mut done: Vec<Voxels<T>> = Vec::new();
        for (n, plan) in pipeline.plans.iter().enumerate() {
            let voxels = match &kernels[n] {
                Some(kernels) => self.fit(n, plan, kernels, used.len(), &there, &done, items)?,
                None => here(plan, pipeline, dwi, &done, items),
            };
            done.push(voxels);
        }
        // Those that were asked for, without copies of what nobody else asks for.
        let mut done: Vec<Option<Voxels<T>>> = done.into_iter().map(Some).collect();
        Ok(pipeline.asked.iter().filter_map(|&place| done[place].take()).collect())
    }

    #[expect(clippy::too_many_arguments, reason = "a plan, its kernels and what a lot has")]
    fn fit(
        &mut self,
        n: usize,
        plan: &ModelPlan<T>,
        kernels: &[u32],
        measurements: usize,
        signals: &Buffer<f32>,
        done: &[Voxels<T>],
        items: &[usize],
    ) -> Result<Voxels<T>> {
        let count = items.len();
        let mut room = Room::new(&self.gpu, plan, count)?;
        self.begin(n, &plan.begin, measurements, signals, &mut room)?;
        let maps = maps_of(plan, items);
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

    fn begin(
        &self,
        n: usize,
        begin: &BeginPlan<T>,
        measurements: usize,
        signals: &Buffer<f32>,
        room: &mut Room<T>,
    ) -> CudaResult<()> {
        let tables = &self.tables[n];
        let voxels = room.factors.len();
        let plan = kernels::BeginPlan {
            voxels: voxels as u64,
            measurements: measurements as u32,
            b0_count: begin.b0.len() as u32,
            row_count: begin.rows.len() as u32,
            numbers: begin.beginnings.len() as u32,
            fewest: begin.fewest as u32,
            needs_a_tensor: u32::from(begin.needs_a_tensor()),
        };
        // SAFETY: signals and all of the room are of so many voxels, the tables as long as the plan says.
        unsafe {
            kernels::fit_begin(
                &self.stream,
                Grid::for_items(voxels, THREADS),
                plan,
                signals,
                &tables.b0,
                &tables.places,
                &tables.rows,
                &tables.beginnings,
                &mut room.factors,
                &mut room.squares,
                &mut room.numbers,
                &mut room.usable,
                &mut room.status,
            )
        }
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
        let Some(of_plan) = plan.stages.get(stage) else { return Ok(()) };
        let Some((starts, later)) = starts.split_first_mut() else { return Ok(()) };
        let (here, after) = ([n, stage], [n, stage + 1]);
        let measurements = signals.len() / room.factors.len().max(1);
        let Some(tried) = &of_plan.search else {
            self.minimise(here, kernels[stage], plan, measurements, signals, room)?;
            return self.stages(after, plan, kernels, signals, room, later);
        };
        self.search(here, kernels[stage], tried, measurements, signals, room, starts)?;
        let Some(best) = &mut starts.best else {
            return self.stages(after, plan, kernels, signals, room, later);
        };
        best.from.view_mut().copy_from_device(&self.stream, room.numbers.view())?;
        best.from_status.view_mut().copy_from_device(&self.stream, room.status.view())?;
        for start in 0..tried.keep {
            self.stages(after, plan, kernels, signals, room, later)?;
            self.next_start(here, tried, start, &starts.kept, best, room)?;
        }
        Ok(())
    }

    fn next_start(
        &self,
        [n, stage]: [usize; 2],
        tried: &Candidates<T>,
        start: usize,
        kept: &Buffer<u32>,
        best: &mut BestStart<T>,
        room: &mut Room<T>,
    ) -> CudaResult<()> {
        let tables = &self.tables[n].stages[stage];
        let voxels = room.factors.len();
        let plan = kernels::StartPlan {
            voxels: voxels as u32,
            numbers: (room.numbers.len() / voxels.max(1)) as u32,
            searched: tried.searched.len() as u32,
            keep: tried.keep as u32,
            start: start as u32,
        };
        // SAFETY: all of the room and of the best starts are of so many voxels, the tables as long as the plan says.
        unsafe {
            kernels::fit_next_start(
                &self.stream,
                Grid::for_items(voxels, THREADS),
                plan,
                &tables.candidates,
                &tables.searched,
                kept,
                &best.from,
                &best.from_status,
                &mut best.numbers,
                &mut best.status,
                &mut best.costs,
                &mut room.numbers,
                &mut room.status,
                &mut room.costs,
            )
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a stage, its kernel and what a lot has")]
    fn search(
        &self,
        [n, stage]: [usize; 2],
        kernel: u32,
        tried: &Candidates<T>,
        measurements: usize,
        signals: &Buffer<f32>,
        room: &mut Room<T>,
        starts: &mut Starts<T>,
    ) -> CudaResult<()> {
        let tables = &self.tables[n].stages[stage];
        let voxels = room.factors.len();
        let shared = shared_columns(&tables.columns);
        let plan = kernels::SearchPlan {
            voxels: voxels as u32,
            measurements: measurements as u32,
            candidates: tried.len() as u32,
            searched: tried.searched.len() as u32,
            keep: tried.keep as u32,
            shared_columns: shared,
        };
        // SAFETY: signals and all of the room are of so many voxels, the tables as long as the plan says; the kernel is that
        // of the schedule, by its fingerprint.
        unsafe {
            kernels::fit_search::<T>(
                [kernel],
                &self.stream,
                Grid::for_items(voxels, THREADS).shared(shared * size_of::<T>() as u32),
                plan,
                signals,
                &room.factors,
                &room.maps,
                &tables.columns,
                &tables.uniforms,
                &tables.candidates,
                &tables.groups,
                &tables.searched,
                &mut room.numbers,
                &mut room.status,
                &mut room.costs,
                &mut room.evaluations,
                &mut starts.kept,
            )
        }
    }

    fn minimise(
        &self,
        [n, stage]: [usize; 2],
        kernel: u32,
        of_plan: &ModelPlan<T>,
        measurements: usize,
        signals: &Buffer<f32>,
        room: &mut Room<T>,
    ) -> CudaResult<()> {
        let tables = &self.tables[n].stages[stage];
        let (control, of_stage) = (&of_plan.control, &of_plan.stages[stage]);
        let voxels = room.factors.len();
        let shared = shared_columns(&tables.columns);
        let resting = of_stage.resting.iter().enumerate();
        let plan = FitPlan {
            tolerance: control.tolerance,
            floor: control.floor,
            voxels: voxels as u64,
            resting: resting.fold(0, |bits, (n, rests)| bits | u64::from(*rests) << n),
            measurements: measurements as u32,
            evaluations: control.evaluations,
            transforms: u32::from(control.bounds == BoundsMethod::Transform),
            constraints: of_stage.constraints.len() as u32,
            shared_columns: shared,
            uniforms: tables.uniforms.len() as u32,
        };
        room.next.zero(&self.stream)?;
        let shared_bytes = shared * size_of::<T>() as u32;
        let name = format!("fit_minimise_{}_{kernel}", T::NAME);
        let resident =
            kernels::IMAGES.kernel(&self.gpu, &name)?.blocks_per_multiprocessor(THREADS, shared_bytes)?;
        // As many threads as there is room for: each goes on with the next voxel.
        let most = (resident * self.gpu.multiprocessors()).max(1);
        let blocks = (voxels as u32).div_ceil(THREADS).clamp(1, most);
        // SAFETY: as above; voxels are taken by a counter, each by one thread.
        unsafe {
            kernels::fit_minimise::<T>(
                [kernel],
                &self.stream,
                Grid::row(blocks, THREADS).shared(shared_bytes),
                plan,
                signals,
                &room.factors,
                &room.squares,
                &room.maps,
                &tables.columns,
                &tables.uniforms,
                &tables.bounds,
                &tables.constraints,
                &mut room.numbers,
                &mut room.status,
                &mut room.costs,
                &mut room.evaluations,
                &mut room.next,
            )
        }
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
    let measurements = pipeline.measurements.len();
    let starts: Vec<usize> = (0..items.len()).step_by(PIECE).collect();
    let pieces: Vec<Vec<Voxels<T>>> = starts
        .into_par_iter()
        .map(|start| {
            let range = start..items.len().min(start + PIECE);
            let items = &items[range.clone()];
            let signals = signals_of(dwi, &pipeline.measurements, items);
            let mut voxels =
                Voxels::new(measurements, plan.program.free_numbers, signals, maps_of(plan, items));
            let done: Vec<Voxels<T>> = done.iter().map(|other| other.part(range.clone())).collect();
            cpu::fit(plan, &mut voxels, &done, items);
            sort_alike(plan, &mut voxels);
            voxels.forget_signals();
            vec![voxels]
        })
        .collect();
    joined(pieces).into_iter().next().unwrap_or_else(|| Voxels::new(measurements, 0, Vec::new(), Vec::new()))
}

/// How many numbers of a protocol go to shared memory: all or none.
fn shared_columns<T: Series>(columns: &Buffer<T>) -> u32 {
    if columns.len() * size_of::<T>() <= SHARED { columns.len() as u32 } else { 0 }
}

impl<T: Series> Tables<T> {
    fn new(gpu: &Gpu, stream: &Stream, plan: &ModelPlan<T>) -> CudaResult<Self> {
        let begin = &plan.begin;
        let b0: Vec<u32> = begin.b0.iter().map(|&m| m as u32).collect();
        let places: Vec<u32> = begin.rows.iter().map(|(m, _)| *m as u32).collect();
        let rows: Vec<T> = begin.rows.iter().flat_map(|(_, row)| *row).collect();
        let beginnings: Vec<BeginNumber<T>> = begin
            .beginnings
            .iter()
            .zip(&begin.bounds)
            .map(|(start, bounds)| begin_number(*start, *bounds))
            .collect();
        let stages: CudaResult<Vec<_>> =
            plan.stages.iter().map(|stage| StageTables::new(gpu, stream, stage)).collect();
        Ok(Self {
            b0: gpu.upload(stream, &b0)?,
            places: gpu.upload(stream, &places)?,
            rows: gpu.upload(stream, &rows)?,
            beginnings: gpu.upload(stream, &beginnings)?,
            stages: stages?,
        })
    }
}

impl<T: Series> StageTables<T> {
    fn new(gpu: &Gpu, stream: &Stream, stage: &StagePlan<T>) -> CudaResult<Self> {
        let columns: Vec<T> = stage.schedule.columns.iter().map(|&value| T::of(value)).collect();
        let uniforms: Vec<T> = stage.schedule.uniforms.iter().map(|&(value, _)| T::of(value)).collect();
        let bounds: Vec<T> = stage.bounds.iter().flatten().copied().collect();
        let row = |row: &super::stage::LinearRow<T>| {
            let is_equality = T::of(f64::from(u8::from(row.is_equality)));
            row.weights.iter().copied().chain([row.offset, is_equality]).collect::<Vec<T>>()
        };
        let constraints: Vec<T> = stage.constraints.iter().flat_map(row).collect();
        let search = stage.search.as_ref();
        let searched =
            search.map_or(Vec::new(), |search| search.searched.iter().map(|&n| u32::from(n)).collect());
        Ok(Self {
            columns: gpu.upload(stream, &columns)?,
            uniforms: gpu.upload(stream, &uniforms)?,
            bounds: gpu.upload(stream, &bounds)?,
            constraints: gpu.upload(stream, &constraints)?,
            candidates: gpu.upload(stream, search.map_or(&[], |search| &search.values[..]))?,
            groups: gpu.upload(stream, search.map_or(&[], |search| &search.groups[..]))?,
            searched: gpu.upload(stream, &searched)?,
        })
    }
}

fn begin_number<T: Series>(beginning: Beginning<T>, [low, high]: [T; 2]) -> BeginNumber<T> {
    let zero = T::of(0.0);
    // As in `begin.cuh`.
    let (value, what, component) = match beginning {
        Beginning::Value(value) => (value, 0, 0),
        Beginning::One => (zero, 1, 0),
        Beginning::Given => (zero, 2, 0),
        Beginning::Tensor(part, component) => {
            let what = match part {
                TensorPart::S0 => 3,
                TensorPart::MeanDiffusivity => 4,
                TensorPart::AxialDiffusivity => 5,
                TensorPart::RadialDiffusivity => 6,
                TensorPart::Eigenvector(n) => 7 + n as u32,
                TensorPart::Element(n) => 10 + n as u32,
            };
            (zero, what, u32::from(component))
        }
    };
    BeginNumber { value, low, high, what, component }
}

//! Tables and launches of the kernels of fits, a thread for a voxel. What they compute is in `begin.cuh`, `search.cuh` and
//! `minimise.cuh`, with the bits of the processor; which voxels they are given, in `on_gpus.rs`.
#![allow(unsafe_code)]

use super::begin::{BeginPlan, Beginning};
use super::candidates::Candidates;
use super::constants;
use super::constraints::LinearRow;
use super::kernel_types::{BeginNumber, FitPlan};
use super::kernels;
use super::models::{DOUBLE, SINGLE};
use super::plan::ModelPlan;
use super::scratch::{BestStart, Scratch, Starts};
use super::stage::{BoundsMethod, Control, StagePlan};
use crate::language::TensorPart;
use crate::special::watson::Series;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid, Precision, Stream};

/// Threads of a block.
const THREADS: u32 = constants::THREADS;
/// Bytes of shared memory that the numbers of a protocol may take, whatever the GPU.
const SHARED: usize = 48 << 10;

/// Where a number starts, for kernels.
fn begin_number<T: Series>(beginning: Beginning<T>, [low, high]: [T; 2]) -> BeginNumber<T> {
    let zero = T::of(0.0);
    let (value, what, component) = match beginning {
        Beginning::Value(value) => (value, constants::BEGIN_VALUE, 0),
        Beginning::One => (zero, constants::BEGIN_ONE, 0),
        Beginning::Given => (zero, constants::BEGIN_GIVEN, 0),
        Beginning::Tensor(part, component) => {
            let what = match part {
                TensorPart::S0 => constants::BEGIN_S0,
                TensorPart::MeanDiffusivity => constants::BEGIN_MEAN,
                TensorPart::AxialDiffusivity => constants::BEGIN_AXIAL,
                TensorPart::RadialDiffusivity => constants::BEGIN_RADIAL,
                TensorPart::Eigenvector(n) => constants::BEGIN_VECTOR + n as u32,
                TensorPart::Element(n) => constants::BEGIN_ELEMENT + n as u32,
            };
            (zero, what, u32::from(component))
        }
    };
    BeginNumber { value, low, high, what, component }
}

/// What of a plan is the same for all voxels, in a GPU.
pub(super) struct Tables<T: Series> {
    pub(super) b0: Buffer<u32>,
    pub(super) places: Buffer<u32>,
    pub(super) rows: Buffer<T>,
    pub(super) beginnings: Buffer<BeginNumber<T>>,
    pub(super) stages: Vec<StageTables<T>>,
}

/// What of a stage is the same for all voxels, in a GPU.
pub(super) struct StageTables<T: Series> {
    pub(super) columns: Buffer<T>,
    pub(super) uniforms: Buffer<T>,
    pub(super) bounds: Buffer<T>,
    pub(super) constraints: Buffer<T>,
    pub(super) candidates: Buffer<T>,
    pub(super) groups: Buffer<u32>,
    pub(super) searched: Buffer<u32>,
}

impl<T: Series> Tables<T> {
    pub(super) fn new(gpu: &Gpu, stream: &Stream, plan: &ModelPlan<T>) -> CudaResult<Self> {
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
        let row = |row: &LinearRow<T>| {
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

/// Gets the kernels of a plan's stages ready, side by side where the driver must compile them.
pub(super) fn prepare<T: Series>(gpu: &Gpu, plan: &ModelPlan<T>, kernels: &[u32]) -> CudaResult<()> {
    let name = |(stage, kernel): (&StagePlan<T>, &u32)| {
        let step = if stage.search.is_some() { "search" } else { "minimise" };
        format!("fit_{step}_{}_{kernel}", T::NAME)
    };
    kernels::IMAGES.prepare(gpu, &plan.stages.iter().zip(kernels).map(name).collect::<Vec<_>>())
}

/// The kernels of a plan's stages; nothing where one of them has none.
pub(super) fn kernels_of<T: Series>(plan: &ModelPlan<T>) -> Option<Vec<u32>> {
    let known = if T::NAME == f32::NAME { SINGLE } else { DOUBLE };
    let kernel = |stage: &StagePlan<T>| {
        let wanted = stage.schedule.fingerprint();
        known.iter().find(|(_, fingerprint)| *fingerprint == wanted).map(|(number, _)| *number)
    };
    let is_known = |stage: &StagePlan<T>| if stage.curved.is_some() { None } else { kernel(stage) };
    plan.stages.iter().map(is_known).collect()
}

/// Scales the voxels and puts their numbers where the fit begins.
pub(super) fn begin<T: Series>(
    stream: &Stream,
    tables: &Tables<T>,
    begin: &BeginPlan<T>,
    signals: &Buffer<f32>,
    scratch: &mut Scratch<T>,
) -> CudaResult<()> {
    let voxels = scratch.factors.len();
    let plan = kernels::BeginPlan {
        voxels: voxels as u64,
        measurements: measurements(signals, scratch),
        b0_count: begin.b0.len() as u32,
        row_count: begin.rows.len() as u32,
        numbers: begin.beginnings.len() as u32,
        fewest: begin.fewest as u32,
        needs_a_tensor: u32::from(begin.needs_a_tensor()),
    };
    // SAFETY: signals and all of the scratch are of so many voxels, the tables as long as the plan says.
    unsafe {
        kernels::fit_begin(
            stream,
            Grid::for_items(voxels, THREADS),
            plan,
            signals,
            &tables.b0,
            &tables.places,
            &tables.rows,
            &tables.beginnings,
            &mut scratch.factors,
            &mut scratch.squares,
            &mut scratch.numbers,
            &mut scratch.usable,
            &mut scratch.status,
        )
    }
}

/// Keeps what is best after a start, and puts the voxels where the next one is.
pub(super) fn next_start<T: Series>(
    stream: &Stream,
    tables: &StageTables<T>,
    tried: &Candidates<T>,
    start: usize,
    kept: &Buffer<u32>,
    best: &mut BestStart<T>,
    scratch: &mut Scratch<T>,
) -> CudaResult<()> {
    let voxels = scratch.factors.len();
    let plan = kernels::StartPlan {
        voxels: voxels as u32,
        numbers: (scratch.numbers.len() / voxels.max(1)) as u32,
        searched: tried.searched.len() as u32,
        keep: tried.keep as u32,
        start: start as u32,
    };
    // SAFETY: all of the scratch and of the best starts are of so many voxels, the tables as long as the plan says.
    unsafe {
        kernels::fit_next_start(
            stream,
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
            &mut scratch.numbers,
            &mut scratch.status,
            &mut scratch.costs,
        )
    }
}

/// Puts the voxels at the best of what the stage tries.
pub(super) fn search<T: Series>(
    stream: &Stream,
    tables: &StageTables<T>,
    kernel: u32,
    tried: &Candidates<T>,
    signals: &Buffer<f32>,
    scratch: &mut Scratch<T>,
    starts: &mut Starts<T>,
) -> CudaResult<()> {
    let voxels = scratch.factors.len();
    let shared = shared_columns(&tables.columns);
    let plan = kernels::SearchPlan {
        voxels: voxels as u32,
        measurements: measurements(signals, scratch),
        candidates: tried.len() as u32,
        searched: tried.searched.len() as u32,
        keep: tried.keep as u32,
        shared_columns: shared,
    };
    // SAFETY: signals and all of the scratch are of so many voxels, the tables as long as the plan says; the kernel is that
    // of the schedule, by its fingerprint.
    unsafe {
        kernels::fit_search::<T>(
            [kernel],
            stream,
            Grid::for_items(voxels, THREADS).shared(shared * size_of::<T>() as u32),
            plan,
            signals,
            &scratch.factors,
            &scratch.maps,
            &tables.columns,
            &tables.uniforms,
            &tables.candidates,
            &tables.groups,
            &tables.searched,
            &mut scratch.numbers,
            &mut scratch.status,
            &mut scratch.costs,
            &mut scratch.evaluations,
            &mut starts.kept,
        )
    }
}

/// Levenberg–Marquardt from where the voxels are.
pub(super) fn minimise<T: Series>(
    stream: &Stream,
    tables: &StageTables<T>,
    kernel: u32,
    control: &Control<T>,
    stage: &StagePlan<T>,
    signals: &Buffer<f32>,
    scratch: &mut Scratch<T>,
) -> CudaResult<()> {
    let voxels = scratch.factors.len();
    let shared = shared_columns(&tables.columns);
    let resting = stage.resting.iter().enumerate();
    let plan = FitPlan {
        tolerance: control.tolerance,
        floor: control.floor,
        voxels: voxels as u64,
        resting: resting.fold(0, |bits, (n, rests)| bits | u64::from(*rests) << n),
        measurements: measurements(signals, scratch),
        evaluations: control.evaluations,
        transforms: u32::from(control.bounds == BoundsMethod::Transform),
        constraints: stage.constraints.len() as u32,
        shared_columns: shared,
        uniforms: tables.uniforms.len() as u32,
    };
    scratch.next.zero(stream)?;
    let shared_bytes = shared * size_of::<T>() as u32;
    let name = format!("fit_minimise_{}_{kernel}", T::NAME);
    let resident =
        kernels::IMAGES.kernel(stream.gpu(), &name)?.blocks_per_multiprocessor(THREADS, shared_bytes)?;
    // As many threads as there is room for: each goes on with the next voxel.
    let most = (resident * stream.gpu().multiprocessors()).max(1);
    let blocks = (voxels as u32).div_ceil(THREADS).clamp(1, most);
    // SAFETY: as above; voxels are taken by a counter, each by one thread.
    unsafe {
        kernels::fit_minimise::<T>(
            [kernel],
            stream,
            Grid::row(blocks, THREADS).shared(shared_bytes),
            plan,
            signals,
            &scratch.factors,
            &scratch.squares,
            &scratch.maps,
            &tables.columns,
            &tables.uniforms,
            &tables.bounds,
            &tables.constraints,
            &mut scratch.numbers,
            &mut scratch.status,
            &mut scratch.costs,
            &mut scratch.evaluations,
            &mut scratch.next,
        )
    }
}

/// How many numbers of a protocol go to shared memory: all or none.
fn shared_columns<T: Series>(columns: &Buffer<T>) -> u32 {
    if columns.len() * size_of::<T>() <= SHARED { columns.len() as u32 } else { 0 }
}

/// How many measurements the voxels of a chunk have.
fn measurements<T: Series>(signals: &Buffer<f32>, scratch: &Scratch<T>) -> u32 {
    (signals.len() / scratch.factors.len().max(1)) as u32
}

//! Data and launches of the GPU kernels that fit models. One GPU thread processes one voxel. `written/`
//! generates the kernels of each model. All kernels give the same bits as the CPU. `on_gpus.rs` distributes
//! the voxels over the GPUs.
#![allow(unsafe_code)]

use super::begin::BeginPlan;
use super::candidates::Candidates;
use super::obstacle::Obstacle;
use super::plan::{ModelPlan, Pipeline};
use super::scratch::{BestStart, Scratch, Starts};
use super::stage::{Control, StagePlan};
use super::written::{self, THREADS};
use arcuate_compute::Device;
use arcuate_compute::cuda::{
    Argument, Buffer, CudaResult, Gpu, Grid, Input, Kernel, Output, Stream, WrittenKernel,
};
use arcuate_core::narrow;
use arcuate_numbers::Real;

/// Maximum shared memory that a kernel uses for the numbers of all measurements (b, g and so on), in bytes.
/// Every GPU has at least this much shared memory.
const SHARED: usize = 48 << 10;

/// Data of a model's fit in GPU memory that are the same for all voxels.
pub(super) struct Tables<T: Real> {
    pub(super) b0: Buffer<u32>,
    pub(super) places: Buffer<u32>,
    pub(super) rows: Buffer<T>,
    pub(super) stages: Vec<StageTables<T>>,
}

/// Data of one stage of a fit in GPU memory that are the same for all voxels.
pub(super) struct StageTables<T: Real> {
    pub(super) columns: Buffer<T>,
    /// True if the GPU kernels keep the numbers of the measurements (b, g and so on) in shared memory.
    is_shared: bool,
    pub(super) candidates: Buffer<T>,
    pub(super) groups: Buffer<u32>,
}

impl<T: Real> Tables<T> {
    pub(super) fn new(gpu: &Gpu, stream: &Stream, plan: &ModelPlan<T>) -> CudaResult<Self> {
        let begin = &plan.begin;
        let b0: Vec<u32> = begin.b0.iter().map(|&m| narrow::<u32>(m)).collect();
        let places: Vec<u32> = begin.rows.iter().map(|(m, _)| narrow::<u32>(*m)).collect();
        let rows: Vec<T> = begin.rows.iter().flat_map(|(_, row)| *row).collect();
        let stages: CudaResult<Vec<_>> =
            plan.stages.iter().map(|stage| StageTables::new(gpu, stream, stage)).collect();
        Ok(Self {
            b0: gpu.upload(stream, &b0)?,
            places: gpu.upload(stream, &places)?,
            rows: gpu.upload(stream, &rows)?,
            stages: stages?,
        })
    }
}

impl<T: Real> StageTables<T> {
    fn new(gpu: &Gpu, stream: &Stream, stage: &StagePlan<T>) -> CudaResult<Self> {
        let columns: Vec<T> = stage.schedule.columns.iter().map(|&value| T::of(value)).collect();
        let search = stage.search.as_ref();
        Ok(Self {
            is_shared: columns.len() * size_of::<T>() <= SHARED,
            columns: gpu.upload(stream, &columns)?,
            candidates: gpu.upload(stream, search.map_or(&[], |search| &search.values[..]))?,
            groups: gpu.upload(stream, search.map_or(&[], |search| &search.groups[..]))?,
        })
    }
}

/// The GPU kernels of one model's fit in the order of [`FitKernels::new`], or the reason why the CPU must fit
/// the model.
pub(super) type PlanKernels = std::result::Result<Vec<WrittenKernel>, Obstacle>;

/// Generates the GPU kernels of each model's fit. Returns an empty list if the device is the CPU.
pub(super) fn write_for<T: Real>(device: &Device, pipeline: &Pipeline<T>) -> Vec<PlanKernels> {
    match device {
        Device::Cpu => Vec::new(),
        Device::Cuda(_) => {
            pipeline.plans.iter().map(|plan| write(plan, pipeline.measurements.len())).collect()
        }
    }
}

/// The GPU kernels of one model's fit.
#[derive(Clone)]
pub(super) struct FitKernels {
    pub(super) begin: Kernel,
    pub(super) stages: Vec<StageKernels>,
}

/// The GPU kernels of one stage of a fit.
#[derive(Clone)]
pub(super) struct StageKernels {
    pub(super) stage: Kernel,
    /// The kernel that loads the next start, if the stage is a grid search that keeps several starts.
    pub(super) next_start: Option<Kernel>,
}

impl FitKernels {
    /// Takes the kernels of a fit from a list. The first kernel computes the starting values. The kernels of
    /// each stage follow. Returns `None` if the list ends before.
    pub(super) fn new<T: Real>(
        plan: &ModelPlan<T>,
        kernels: &mut impl Iterator<Item = Kernel>,
    ) -> Option<Self> {
        let begin = kernels.next()?;
        let mut of_stage = |stage: &StagePlan<T>| {
            let own = kernels.next()?;
            let next_start = if keeps_starts(stage).is_some() { Some(kernels.next()?) } else { None };
            Some(StageKernels { stage: own, next_start })
        };
        let stages = plan.stages.iter().map(&mut of_stage).collect::<Option<_>>()?;
        Some(Self { begin, stages })
    }
}

/// Returns the combinations of a grid search that keeps several starts.
fn keeps_starts<T: Real>(stage: &StagePlan<T>) -> Option<&Candidates<T>> {
    stage.search.as_ref().filter(|tried| tried.keep > 1)
}

/// Generates the kernels of a plan in the order of [`FitKernels::new`].
pub(super) fn write<T: Real>(plan: &ModelPlan<T>, measurements: usize) -> PlanKernels {
    let counts = (plan.program.free_numbers, plan.program.map_numbers);
    let mut kernels = vec![written::begin(&plan.begin)];
    for stage in &plan.stages {
        if let Some(what) = unsupported(stage) {
            return Err(Obstacle::Unsupported(what));
        }
        let is_shared = is_shared(stage, measurements);
        let kernel = match &stage.search {
            Some(tried) => written::search(stage, tried, counts, is_shared),
            None => written::minimise(stage, plan.control.bounds, counts, is_shared),
        };
        if let Some(obstacle) = Obstacle::of_length(&kernel) {
            return Err(obstacle);
        }
        kernels.push(kernel);
        kernels.extend(keeps_starts(stage).map(|tried| written::next_start(tried, counts.0)));
    }
    Ok(kernels)
}

/// Returns the name of a feature of this stage of the fit that GPU kernels do not support. Returns `None` if
/// kernels support the stage.
fn unsupported<T: Real>(stage: &StagePlan<T>) -> Option<&'static str> {
    if stage.curved.is_some() {
        Some("nonlinear constraints")
    } else {
        written::unsupported::<T>(&stage.schedule)
    }
}

/// Returns whether the numbers of all measurements (b, g and so on) fit into shared memory. They are stored
/// there completely or not at all.
fn is_shared<T: Real>(stage: &StagePlan<T>, measurements: usize) -> bool {
    measurements * stage.schedule.column_count * size_of::<T>() <= SHARED
}

impl<T: Real> StageTables<T> {
    fn shared_bytes(&self) -> u32 {
        if self.is_shared { narrow::<u32>(self.columns.len() * size_of::<T>()) } else { 0 }
    }
}

/// Scales the signals of the voxels and sets the starting values of their parameters, on the GPU.
pub(super) fn begin<T: Real>(
    stream: &Stream,
    tables: &Tables<T>,
    kernel: &Kernel,
    begin: &BeginPlan<T>,
    signals: &Buffer<f32>,
    scratch: &mut Scratch<T>,
) -> CudaResult<()> {
    let voxels = scratch.factors.len();
    let arguments = [
        Argument::from(narrow::<u32>(voxels)),
        Argument::from(measurements(signals, scratch)),
        Argument::from(narrow::<u32>(begin.b0.len())),
        Argument::from(narrow::<u32>(begin.rows.len())),
        Argument::from(Input::from(signals)),
        Argument::from(Input::from(&tables.b0)),
        Argument::from(Input::from(&tables.places)),
        Argument::from(Input::from(&tables.rows)),
        Argument::from(Output::from(&mut scratch.factors)),
        Argument::from(Output::from(&mut scratch.squares)),
        Argument::from(Output::from(&mut scratch.numbers)),
        Argument::from(Output::from(&mut scratch.usable)),
        Argument::from(Output::from(&mut scratch.status)),
    ];
    // SAFETY: the signals and all scratch buffers have `voxels` entries, the tables have the lengths of the
    // plan, and the arguments are in the kernel's order.
    unsafe { stream.launch(kernel, Grid::for_items(voxels, THREADS), &arguments) }
}

/// Keeps the best result of each voxel among the starts so far, and loads the next start of each voxel.
pub(super) fn next_start<T: Real>(
    stream: &Stream,
    tables: &StageTables<T>,
    kernel: &Kernel,
    start: usize,
    kept: &Buffer<u32>,
    best: &mut BestStart<T>,
    scratch: &mut Scratch<T>,
) -> CudaResult<()> {
    let voxels = scratch.factors.len();
    let arguments = [
        Argument::from(narrow::<u32>(voxels)),
        Argument::from(narrow::<u32>(start)),
        Argument::from(Input::from(&tables.candidates)),
        Argument::from(Input::from(kept)),
        Argument::from(Input::from(&best.from)),
        Argument::from(Input::from(&best.from_status)),
        Argument::from(Output::from(&mut best.numbers)),
        Argument::from(Output::from(&mut best.status)),
        Argument::from(Output::from(&mut best.costs)),
        Argument::from(Output::from(&mut scratch.numbers)),
        Argument::from(Output::from(&mut scratch.status)),
        Argument::from(Output::from(&mut scratch.costs)),
    ];
    // SAFETY: All buffers of scratch and best starts have `voxels` entries. The candidates belong to the stage
    // for which the kernel was generated. The arguments are in the order of the kernel.
    unsafe { stream.launch(kernel, Grid::for_items(voxels, THREADS), &arguments) }
}

/// Sets the parameters of each voxel to the best combination of values in the stage's grid search.
pub(super) fn search<T: Real>(
    stream: &Stream,
    tables: &StageTables<T>,
    kernel: &Kernel,
    tried: &Candidates<T>,
    signals: &Buffer<f32>,
    scratch: &mut Scratch<T>,
    starts: &mut Starts<T>,
) -> CudaResult<()> {
    let voxels = scratch.factors.len();
    let grid = Grid::for_items(voxels, THREADS).shared(tables.shared_bytes());
    let arguments = [
        Argument::from(narrow::<u32>(voxels)),
        Argument::from(measurements(signals, scratch)),
        Argument::from(narrow::<u32>(tried.len())),
        Argument::from(narrow::<u32>(tables.columns.len())),
        Argument::from(Input::from(signals)),
        Argument::from(Input::from(&scratch.factors)),
        Argument::from(Input::from(&scratch.maps)),
        Argument::from(Input::from(&tables.columns)),
        Argument::from(Input::from(&tables.candidates)),
        Argument::from(Input::from(&tables.groups)),
        Argument::from(Output::from(&mut scratch.numbers)),
        Argument::from(Output::from(&mut scratch.status)),
        Argument::from(Output::from(&mut scratch.costs)),
        Argument::from(Output::from(&mut scratch.evaluations)),
        Argument::from(Output::from(&mut starts.kept)),
    ];
    // SAFETY: signals and scratch buffers have `voxels` entries, and the arguments are in the kernel's order.
    // The tables in GPU memory belong to the stage for which the kernel was generated.
    unsafe { stream.launch(kernel, grid, &arguments) }
}

/// Runs the Levenberg–Marquardt fit on the GPU, from the current parameter values of the voxels.
pub(super) fn minimise<T: Real>(
    stream: &Stream,
    tables: &StageTables<T>,
    kernel: &Kernel,
    (stage, control): (&StagePlan<T>, &Control<T>),
    signals: &Buffer<f32>,
    scratch: &mut Scratch<T>,
) -> CudaResult<()> {
    let voxels = scratch.factors.len();
    scratch.next.zero(stream)?;
    let shared_bytes = tables.shared_bytes();
    // The number of GPU threads is the number that the GPU can run at once. Each thread that has finished a
    // voxel continues with the next voxel.
    let resident = kernel.blocks_per_multiprocessor(THREADS, shared_bytes)?;
    let maximum = (resident * stream.gpu().multiprocessors()).max(1);
    let blocks = narrow::<u32>(voxels).div_ceil(THREADS).clamp(1, maximum);
    let arguments = [
        Argument::plain(&control.tolerance),
        Argument::plain(&control.floor),
        Argument::from(narrow::<u32>(voxels)),
        Argument::from(measurements(signals, scratch)),
        Argument::from(stage.evaluations),
        Argument::from(narrow::<u32>(tables.columns.len())),
        Argument::from(Input::from(signals)),
        Argument::from(Input::from(&scratch.factors)),
        Argument::from(Input::from(&scratch.squares)),
        Argument::from(Input::from(&scratch.maps)),
        Argument::from(Input::from(&tables.columns)),
        Argument::from(Output::from(&mut scratch.numbers)),
        Argument::from(Output::from(&mut scratch.status)),
        Argument::from(Output::from(&mut scratch.costs)),
        Argument::from(Output::from(&mut scratch.evaluations)),
        Argument::from(Output::from(&mut scratch.next)),
    ];
    // SAFETY: all scratch buffers have `voxels` entries, and the arguments are in the kernel's order. A
    // counter assigns each voxel to one thread.
    unsafe { stream.launch(kernel, Grid::row(blocks, THREADS).shared(shared_bytes), &arguments) }
}

/// Returns the number of measurements per voxel of a chunk.
fn measurements<T: Real>(signals: &Buffer<f32>, scratch: &Scratch<T>) -> u32 {
    narrow::<u32>(signals.len() / scratch.factors.len().max(1))
}

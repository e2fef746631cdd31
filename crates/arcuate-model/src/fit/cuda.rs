//! Data and launches of the GPU kernels that fit models. One GPU thread processes one voxel. The kernels of
//! `kernels.cu` serve all models, and `written/` generates additional kernels for each model. All kernels
//! give the same bits as the CPU. `on_gpus.rs` distributes the voxels over the GPUs.
#![allow(unsafe_code)]

use super::begin::{BeginPlan, StartValue};
use super::candidates::Candidates;
use super::constants;
use super::kernels::{self, BeginNumber};
use super::obstacle::Obstacle;
use super::plan::{ModelPlan, Pipeline};
use super::scratch::{BestStart, Scratch, Starts};
use super::stage::{Control, StagePlan};
use super::written;
use crate::language::TensorPart;
use crate::special::watson::Series;
use arcuate_compute::Device;
use arcuate_compute::cuda::{
    Argument, Buffer, CudaResult, Gpu, Grid, Input, Kernel, Output, Stream, WrittenKernel,
};
use arcuate_core::narrow;

/// Number of threads per block.
const THREADS: u32 = constants::THREADS;
/// Maximum shared memory that a kernel uses for the numbers of all measurements (b, g and so on), in bytes.
/// Every GPU has at least this much shared memory.
const SHARED: usize = 48 << 10;

/// Converts the source of a starting value to the structure that the GPU kernels read.
fn begin_number<T: Series>(start_value: StartValue<T>, [low, high]: [T; 2]) -> BeginNumber<T> {
    let zero = T::of(0.0);
    let (value, what, component) = match start_value {
        StartValue::Value(value) => (value, constants::BEGIN_VALUE, 0),
        StartValue::One => (zero, constants::BEGIN_ONE, 0),
        StartValue::Given => (zero, constants::BEGIN_GIVEN, 0),
        StartValue::Tensor(part, component) => {
            let what = match part {
                TensorPart::S0 => constants::BEGIN_S0,
                TensorPart::MeanDiffusivity => constants::BEGIN_MEAN,
                TensorPart::AxialDiffusivity => constants::BEGIN_AXIAL,
                TensorPart::RadialDiffusivity => constants::BEGIN_RADIAL,
                TensorPart::Eigenvector(n) => constants::BEGIN_VECTOR + narrow::<u32>(n),
                TensorPart::Element(n) => constants::BEGIN_ELEMENT + narrow::<u32>(n),
            };
            (zero, what, u32::from(component))
        }
    };
    BeginNumber { value, low, high, what, component }
}

/// Data of a model's fit in GPU memory that are the same for all voxels.
pub(super) struct Tables<T: Series> {
    pub(super) b0: Buffer<u32>,
    pub(super) places: Buffer<u32>,
    pub(super) rows: Buffer<T>,
    pub(super) start_values: Buffer<BeginNumber<T>>,
    pub(super) stages: Vec<StageTables<T>>,
}

/// Data of one stage of a fit in GPU memory that are the same for all voxels.
pub(super) struct StageTables<T: Series> {
    pub(super) columns: Buffer<T>,
    /// True if the GPU kernels keep the numbers of the measurements (b, g and so on) in shared memory.
    is_shared: bool,
    pub(super) candidates: Buffer<T>,
    pub(super) groups: Buffer<u32>,
    pub(super) searched: Buffer<u32>,
}

impl<T: Series> Tables<T> {
    pub(super) fn new(gpu: &Gpu, stream: &Stream, plan: &ModelPlan<T>) -> CudaResult<Self> {
        let begin = &plan.begin;
        let b0: Vec<u32> = begin.b0.iter().map(|&m| narrow::<u32>(m)).collect();
        let places: Vec<u32> = begin.rows.iter().map(|(m, _)| narrow::<u32>(*m)).collect();
        let rows: Vec<T> = begin.rows.iter().flat_map(|(_, row)| *row).collect();
        let start_values: Vec<BeginNumber<T>> = begin
            .start_values
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
            start_values: gpu.upload(stream, &start_values)?,
            stages: stages?,
        })
    }
}

impl<T: Series> StageTables<T> {
    fn new(gpu: &Gpu, stream: &Stream, stage: &StagePlan<T>) -> CudaResult<Self> {
        let columns: Vec<T> = stage.schedule.columns.iter().map(|&value| T::of(value)).collect();
        let search = stage.search.as_ref();
        let searched =
            search.map_or(Vec::new(), |search| search.searched.iter().map(|&n| u32::from(n)).collect());
        Ok(Self {
            is_shared: columns.len() * size_of::<T>() <= SHARED,
            columns: gpu.upload(stream, &columns)?,
            candidates: gpu.upload(stream, search.map_or(&[], |search| &search.values[..]))?,
            groups: gpu.upload(stream, search.map_or(&[], |search| &search.groups[..]))?,
            searched: gpu.upload(stream, &searched)?,
        })
    }
}

/// The GPU kernels of the stages of one model's fit, or the reason why the CPU must fit the model.
pub(super) type PlanKernels = std::result::Result<Vec<WrittenKernel>, Obstacle>;

/// Generates the GPU kernels of each model's fit. Returns an empty list if the device is the CPU.
pub(super) fn write_for<T: Series>(device: &Device, pipeline: &Pipeline<T>) -> Vec<PlanKernels> {
    match device {
        Device::Cpu => Vec::new(),
        Device::Cuda(_) => {
            pipeline.plans.iter().map(|plan| write(plan, pipeline.measurements.len())).collect()
        }
    }
}

/// Generates the kernels of a plan's stages.
pub(super) fn write<T: Series>(plan: &ModelPlan<T>, measurements: usize) -> PlanKernels {
    let counts = (plan.program.free_numbers, plan.program.map_numbers);
    let write = |stage: &StagePlan<T>| {
        if let Some(what) = unsupported(stage) {
            return Err(Obstacle::Unsupported(what));
        }
        let is_shared = is_shared(stage, measurements);
        let kernel = match &stage.search {
            Some(tried) => written::search(stage, tried, counts, is_shared),
            None => written::minimise(stage, plan.control.bounds, counts, is_shared),
        };
        Obstacle::of_length(&kernel).map_or(Ok(kernel), Err)
    };
    plan.stages.iter().map(write).collect()
}

/// Returns the name of a feature of this stage of the fit that GPU kernels do not support. Returns `None` if
/// kernels support the stage.
fn unsupported<T: Series>(stage: &StagePlan<T>) -> Option<&'static str> {
    if stage.curved.is_some() {
        Some("nonlinear constraints")
    } else {
        written::unsupported::<T>(&stage.schedule)
    }
}

/// Returns whether the numbers of all measurements (b, g and so on) fit into shared memory. They are stored
/// there completely or not at all.
fn is_shared<T: Series>(stage: &StagePlan<T>, measurements: usize) -> bool {
    measurements * stage.schedule.column_count * size_of::<T>() <= SHARED
}

impl<T: Series> StageTables<T> {
    fn shared_bytes(&self) -> u32 {
        if self.is_shared { narrow::<u32>(self.columns.len() * size_of::<T>()) } else { 0 }
    }
}

/// Scales the signals of the voxels and sets the starting values of their parameters, on the GPU.
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
        b0_count: narrow::<u32>(begin.b0.len()),
        row_count: narrow::<u32>(begin.rows.len()),
        numbers: narrow::<u32>(begin.start_values.len()),
        fewest: narrow::<u32>(begin.fewest),
        needs_a_tensor: u32::from(begin.needs_a_tensor()),
    };
    // SAFETY: the signals and all scratch buffers have `voxels` entries, and the tables have the lengths of the plan.
    unsafe {
        kernels::fit_begin(
            stream,
            Grid::for_items(voxels, THREADS),
            plan,
            signals,
            &tables.b0,
            &tables.places,
            &tables.rows,
            &tables.start_values,
            &mut scratch.factors,
            &mut scratch.squares,
            &mut scratch.numbers,
            &mut scratch.usable,
            &mut scratch.status,
        )
    }
}

/// Keeps the best result of each voxel among the starts so far, and loads the next start of each voxel.
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
        voxels: narrow::<u32>(voxels),
        numbers: narrow::<u32>(scratch.numbers.len() / voxels.max(1)),
        searched: narrow::<u32>(tried.searched.len()),
        keep: narrow::<u32>(tried.keep),
        start: narrow::<u32>(start),
    };
    // SAFETY: all buffers of scratch and best starts have `voxels` entries, and the tables have the lengths of the
    // plan.
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

/// Sets the parameters of each voxel to the best combination of values in the stage's grid search.
pub(super) fn search<T: Series>(
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
pub(super) fn minimise<T: Series>(
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
fn measurements<T: Series>(signals: &Buffer<f32>, scratch: &Scratch<T>) -> u32 {
    narrow::<u32>(signals.len() / scratch.factors.len().max(1))
}

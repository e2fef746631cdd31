//! Data and launches of the GPU kernels that run Markov chains. `written.rs` generates the kernels, which
//! give the same bits as the CPU. `on_gpus.rs` distributes the voxels over the GPUs.
#![allow(unsafe_code)]

use super::formulas::Formulas;
use super::plan::ChainPlan;
use super::shape::{MIN_SHARED_BYTES, Shape};
use super::written::sample;
use crate::fit::obstacle::Obstacle;
use crate::fit::written;
use arcuate_compute::cuda::{
    Argument, Buffer, CudaResult, Gpu, Grid, Input, Kernel, Output, Stream, WrittenKernel,
};
use arcuate_core::narrow;

/// Returns the reason why no GPU can run a model's chains. Returns `None` if GPUs can run them.
pub(super) fn obstacle(plan: &ChainPlan<f32>, map_count: usize) -> Option<Obstacle> {
    let of_length = || Obstacle::of_length(&written(plan, map_count, MIN_SHARED_BYTES).1);
    unsupported(plan).map(Obstacle::Unsupported).or_else(of_length)
}

/// Returns the name of a feature of a model's chains that GPU kernels do not support. Returns `None` if
/// kernels support all features.
fn unsupported(plan: &ChainPlan<f32>) -> Option<&'static str> {
    if let Some(what) = plan.formulas.as_ref().and_then(Formulas::unsupported) {
        return Some(what);
    }
    if Shape::new(plan, MIN_SHARED_BYTES).shared_bytes() > MIN_SHARED_BYTES {
        return Some("moves that change more than shared memory holds");
    }
    plan.moves.every().find_map(|one| written::unsupported::<f32>(&one.schedule))
}

/// Generates the GPU kernel that runs a model's chains. `most_shared` is the maximum shared memory per block
/// of this GPU, in bytes.
pub(super) fn written(plan: &ChainPlan<f32>, map_count: usize, most_shared: u32) -> (Shape, WrittenKernel) {
    let shape = Shape::new(plan, most_shared);
    let kernel = sample(plan, &shape, map_count);
    (shape, kernel)
}

/// The data of a chunk's voxels (the voxels that a GPU processes at once) in GPU memory.
pub(super) struct Scratch {
    pub(super) signals: Buffer<f32>,
    pub(super) items: Buffer<u32>,
    pub(super) factors: Buffer<f32>,
    pub(super) usable: Buffer<u32>,
    pub(super) maps: Buffer<f32>,
    pub(super) numbers: Buffer<f32>,
    pub(super) widths: Buffer<f32>,
    pub(super) accepted: Buffer<u32>,
    pub(super) totals: Buffer<u32>,
    pub(super) samples: Buffer<f32>,
}

impl Scratch {
    /// Allocates GPU memory for `voxels` voxels. Each voxel has `maps` values from maps.
    pub(super) fn new(gpu: &Gpu, plan: &ChainPlan<f32>, voxels: usize, maps: usize) -> CudaResult<Self> {
        let moves = voxels * plan.of.len();
        Ok(Self {
            signals: gpu.alloc(voxels * plan.measurements)?,
            items: gpu.alloc(voxels)?,
            factors: gpu.alloc(voxels)?,
            usable: gpu.alloc(voxels)?,
            maps: gpu.alloc((voxels * maps).max(1))?,
            numbers: gpu.alloc(voxels * plan.state_numbers())?,
            widths: gpu.alloc(moves)?,
            accepted: gpu.alloc(moves)?,
            totals: gpu.alloc(moves)?,
            samples: gpu.alloc(voxels * plan.samples() * plan.sample_numbers())?,
        })
    }
}

/// The data of a model's chains in GPU memory that are the same for all voxels.
pub(super) struct Tables {
    kernel: Kernel,
    shape: Shape,
    columns: Buffer<f32>,
}

impl Tables {
    pub(super) fn new(
        gpu: &Gpu,
        stream: &Stream,
        plan: &ChainPlan<f32>,
        map_count: usize,
    ) -> CudaResult<Self> {
        let (shape, kernel) = written(plan, map_count, gpu.shared_bytes());
        let schedule = &plan.moves.all.schedule;
        let columns: Vec<f32> = schedule.columns.iter().map(|value| *value as f32).collect();
        Ok(Self { kernel: gpu.written(&kernel)?, shape, columns: gpu.upload(stream, &columns)? })
    }
}

/// One launch of the GPU kernel that continues the chains of a model.
#[derive(Clone, Copy)]
pub(super) struct Launch<'a> {
    pub(super) plan: &'a ChainPlan<f32>,
    /// The number of the chain within each voxel, counted from 0.
    pub(super) chain: u32,
    /// Number of sweeps that the chains have already completed in earlier launches.
    pub(super) first_sweep: u32,
}

impl Launch<'_> {
    /// Continues the chains of a chunk's voxels on the GPU. Their state is in GPU memory.
    pub(super) fn run(&self, stream: &Stream, tables: &Tables, scratch: &mut Scratch) -> CudaResult<()> {
        let Self { plan, chain, first_sweep } = *self;
        let Tables { kernel, shape, columns } = tables;
        let voxels = scratch.items.len();
        let grid = Grid::row(narrow::<u32>(voxels).div_ceil(shape.groups()), shape.threads);
        let arguments = [
            Argument::from(plan.random_seed),
            Argument::from(narrow::<u32>(voxels)),
            Argument::from(narrow::<u32>(plan.measurements)),
            Argument::from(chain),
            Argument::from(first_sweep),
            Argument::from(plan.burn_in),
            Argument::from(plan.jumps),
            Argument::from(plan.interval),
            Argument::from(plan.window),
            Argument::from(u32::from(plan.adapts_throughout)),
            Argument::from(Input::from(&scratch.signals)),
            Argument::from(Input::from(&scratch.items)),
            Argument::from(Input::from(&scratch.factors)),
            Argument::from(Input::from(&scratch.usable)),
            Argument::from(Input::from(&scratch.maps)),
            Argument::from(Input::from(columns)),
            Argument::from(Output::from(&mut scratch.numbers)),
            Argument::from(Output::from(&mut scratch.widths)),
            Argument::from(Output::from(&mut scratch.accepted)),
            Argument::from(Output::from(&mut scratch.totals)),
            Argument::from(Output::from(&mut scratch.samples)),
        ];
        // SAFETY: all scratch buffers have `voxels` entries, and the arguments are in the kernel's order.
        // The tables in GPU memory belong to the model for which the kernel was generated.
        unsafe { stream.launch(kernel, grid.shared(shape.shared_bytes()), &arguments) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::FitOptions;
    use crate::fit::sample::{SampleOptions, plans};
    use crate::models::{model, model_names};
    use arcuate_core::{GradientTable, Orientations};

    /// Maximum shared memory per block, in bytes, of the GPUs for which the kernels are compiled (compute
    /// capabilities 7.5, 8.6 and 9.0).
    const ROOMS: [u32; 3] = [64 << 10, 99 << 10, 227 << 10];

    #[test]
    fn blocks_fit_into_the_shared_memory_of_every_supported_gpu() {
        let mut is_ever_less = false;
        for directions in [99, 300] {
            let set = Orientations::half_sphere(directions);
            let table =
                GradientTable::new(&set.directions()[..directions], vec![1000.0; directions], 50.0).unwrap();
            let mut b = table.b_values().to_vec();
            b[..4].fill(0.0);
            let table = GradientTable::new(table.directions(), b, 50.0).unwrap();
            for name in model_names() {
                let options = FitOptions { single_precision: true, ..FitOptions::default() };
                let (_, plan) =
                    plans::<f32>(&model(name).unwrap(), &table, &options, &SampleOptions::default()).unwrap();
                if obstacle(&plan, 0).is_some() {
                    assert!(name.contains("racket") || name.contains("binghams"), "{name}");
                    continue;
                }
                let most_threads = Shape::new(&plan, ROOMS[2]).threads;
                assert!(most_threads >= 96, "{name}: {most_threads}");
                for maximum in ROOMS {
                    let shape = Shape::new(&plan, maximum);
                    assert!(shape.shared_bytes() <= maximum, "{name}: {shape:?} in {maximum}");
                    assert!(shape.threads >= 32 && shape.threads <= most_threads, "{name}: {shape:?}");
                    assert!((shape.lanes * shape.rounds) as usize >= plan.measurements, "{name}: {shape:?}");
                    is_ever_less |= shape.threads < most_threads;
                }
            }
        }
        assert!(is_ever_less, "nothing is tested");
    }
}

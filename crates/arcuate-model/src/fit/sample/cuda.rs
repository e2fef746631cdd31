//! Tables and launches of the kernels of chains. What they compute is in `sample.cuh`, with the bits of the processor; which voxels
//! they are given, in `on_gpus.rs`.
#![allow(unsafe_code)]

use super::chains::CHAINS;
use super::constants;
use super::kernels;
use super::moves::Moved;
use super::plan::{ChainPlan, Likelihood, MovePlan};
use crate::special::watson::Series;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid, Precision, Stream};
use bytemuck::Zeroable;

/// Moves at most.
const MOST_MOVES: usize = constants::MOST_MOVES as usize;
/// Sweeps whose draws are made at once.
const SWEEPS: u32 = constants::SWEEPS;

/// The kernel of a plan: number of the model, lanes of a voxel, measurements of a lane, whether noise is Rician, and threads of a
/// block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernel {
    chain: u32,
    lanes: u32,
    rounds: u32,
    rician: u32,
    threads: u32,
}

/// The kernel of a plan that has the fewest lanes for its measurements; nothing where there is none: for another precision, a
/// model of a user, priors that are formulas, or more measurements.
pub(crate) fn kernel_of<T: Series>(plan: &ChainPlan<T>) -> Option<Kernel> {
    if T::NAME != f32::NAME || plan.formulas.is_some() {
        return None;
    }
    let wanted = plan.whole.fingerprint(&plan.constraints);
    let (chain, _, shapes) = CHAINS.iter().find(|(_, fingerprint, _)| *fingerprint == wanted)?;
    let is_rician = u32::from(plan.likelihood == Likelihood::Rician);
    let fits = |[lanes, rounds, rician, _]: &&[u32; 4]| {
        (lanes * rounds) as usize >= plan.measurements && *rician == is_rician
    };
    shapes.iter().find(fits).map(|&[lanes, rounds, rician, threads]| Kernel {
        chain: *chain,
        lanes,
        rounds,
        rician,
        threads,
    })
}

/// Threads of a block: as many as the kernel is made for, whole warps fewer where a block of this GPU may have less shared memory.
/// No number depends on them.
fn threads_of(plan: &ChainPlan<f32>, kernel: Kernel, most_shared: u32) -> u32 {
    let fits = |threads: &u32| shared_bytes(plan, kernel, *threads) <= most_shared;
    (1..=kernel.threads / 32).rev().map(|warps| 32 * warps).find(fits).unwrap_or(32)
}

/// Shared memory of a block: the table, four bytes for each number, in rows of four; then what the lanes of each voxel share, and
/// what threads have beside registers, in fours.
fn shared_bytes(plan: &ChainPlan<f32>, kernel: Kernel, threads: u32) -> u32 {
    let Kernel { lanes, rounds, .. } = kernel;
    let stride = plan.whole.all.schedule.column_count.div_ceil(4) as u32 * 4;
    let moves = plan.whole.of.len() as u32 + 1;
    let of_voxel = (16 * SWEEPS * moves + 12 * moves).next_multiple_of(16);
    let most_changed = plan.whole.most_changed() as u32;
    let aside = if most_changed > 1 { (most_changed * rounds).div_ceil(4) } else { 0 };
    let beside = 16 * threads * (rounds.div_ceil(4) + aside);
    4 * stride * lanes * rounds + threads / lanes * of_voxel + beside
}

fn samples_noise(plan: &ChainPlan<f32>) -> bool {
    plan.of.last().is_some_and(|one| one.moved == Moved::Noise)
}

/// Moves of a kernel, those that rest among them.
fn all_moves(plan: &ChainPlan<f32>) -> usize {
    plan.whole.of.len() + usize::from(samples_noise(plan))
}

/// What voxels have of each move that there is, for each move of a kernel: nothing of those that rest.
pub(super) fn of_all<V: Copy + Zeroable>(plan: &ChainPlan<f32>, values: &[V]) -> Vec<V> {
    let count = all_moves(plan);
    let mut all = vec![V::zeroed(); values.len() / plan.of.len() * count];
    for (all, values) in all.chunks_exact_mut(count).zip(values.chunks_exact(plan.of.len())) {
        for (place, value) in plan.places.iter().zip(values) {
            all[*place] = *value;
        }
    }
    all
}

/// The other way round.
pub(super) fn of_moved<V: Copy>(plan: &ChainPlan<f32>, all: Vec<V>) -> Vec<V> {
    if plan.of.len() == all_moves(plan) {
        return all;
    }
    let of_voxel = |all: &[V]| plan.places.iter().map(|place| all[*place]).collect::<Vec<V>>();
    all.chunks_exact(all_moves(plan)).flat_map(of_voxel).collect()
}

/// The voxels of a chunk, in a GPU.
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
    /// Of so many voxels, each with so many numbers of maps.
    pub(super) fn new(gpu: &Gpu, plan: &ChainPlan<f32>, voxels: usize, maps: usize) -> CudaResult<Self> {
        let moves = voxels * all_moves(plan);
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

/// What all voxels have in common, in a GPU.
pub(super) struct Tables {
    columns: Buffer<f32>,
    uniforms: Buffer<f32>,
}

impl Tables {
    pub(super) fn new(gpu: &Gpu, stream: &Stream, plan: &ChainPlan<f32>) -> CudaResult<Self> {
        let schedule = &plan.whole.all.schedule;
        let columns: Vec<f32> = schedule.columns.iter().map(|value| *value as f32).collect();
        let uniforms: Vec<f32> = schedule.uniforms.iter().map(|(value, _)| *value as f32).collect();
        Ok(Self { columns: gpu.upload(stream, &columns)?, uniforms: gpu.upload(stream, &uniforms)? })
    }
}

/// Which chains of a plan are to go on, and by which kernel.
#[derive(Clone, Copy)]
pub(super) struct Launch<'a> {
    pub(super) plan: &'a ChainPlan<f32>,
    pub(super) kernel: Kernel,
    /// The number of the chain, of several in each voxel.
    pub(super) chain: u32,
    /// Sweeps that were done before.
    pub(super) first_sweep: u32,
}

impl Launch<'_> {
    /// Lets the chains of the voxels in the GPU go on.
    pub(super) fn run(&self, stream: &Stream, tables: &Tables, scratch: &mut Scratch) -> CudaResult<()> {
        let Self { plan, kernel, first_sweep, .. } = *self;
        let Kernel { chain, lanes, rounds, rician, threads: most_threads } = kernel;
        let voxels = scratch.items.len();
        let bits = |is_one: &dyn Fn(&MovePlan<f32>) -> bool| {
            plan.places.iter().zip(&plan.of).fold(0, |bits, (n, one)| bits | u64::from(is_one(one)) << n)
        };
        let resting = (0..plan.whole.of.len()).filter(|place| !plan.places.contains(place));
        let of_moves = |value: &dyn Fn(&MovePlan<f32>) -> f32| {
            let mut values = [0.0; MOST_MOVES];
            plan.places.iter().zip(&plan.of).for_each(|(place, one)| values[*place] = value(one));
            values
        };
        let sample_plan = kernels::SamplePlan {
            seed: plan.random_seed,
            informed: bits(&|one| !one.prior.is_uniform()),
            of_signal: bits(&|one| one.is_of_signal),
            voxels: voxels as u32,
            measurements: plan.measurements as u32,
            chain: self.chain,
            first_sweep,
            burn_in: plan.burn_in,
            jumps: plan.jumps,
            interval: plan.interval,
            window: plan.window,
            adapts_throughout: u32::from(plan.adapts_throughout),
            likelihood: plan.likelihood as u32,
            samples_noise: u32::from(samples_noise(plan)),
            resting: resting.fold(0, |bits, place| bits | 1 << place),
            low: of_moves(&|one| one.bounds[0]),
            high: of_moves(&|one| one.bounds[1]),
            log: of_moves(&|one| one.prior.log),
            linear: of_moves(&|one| one.prior.linear),
            square: of_moves(&|one| one.prior.square),
            middle: of_moves(&|one| one.prior.middle),
        };
        let threads = threads_of(plan, kernel, stream.gpu().shared_bytes());
        let (groups, shared) = (threads / lanes, shared_bytes(plan, kernel, threads));
        // SAFETY: all of the scratch is of so many voxels, tables as long as the plan says; the kernel is that of the moves, by
        // their fingerprint, and has room for the measurements.
        unsafe {
            kernels::sample(
                [chain, lanes, rounds, rician, most_threads],
                stream,
                Grid::row((voxels as u32).div_ceil(groups), threads).shared(shared),
                sample_plan,
                &scratch.signals,
                &scratch.items,
                &scratch.factors,
                &scratch.usable,
                &scratch.maps,
                &tables.columns,
                &tables.uniforms,
                &mut scratch.numbers,
                &mut scratch.widths,
                &mut scratch.accepted,
                &mut scratch.totals,
                &mut scratch.samples,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::FitOptions;
    use crate::fit::sample::{SampleOptions, plans};
    use crate::models::{model, model_names};
    use arcuate_core::{GradientTable, Orientations};

    /// Of compute capability 7.5, 8.6 and 9.0.
    const ROOMS: [u32; 3] = [64 << 10, 99 << 10, 227 << 10];

    #[test]
    fn blocks_fit_into_the_shared_memory_of_every_gpu_that_is_served() {
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
                let model = model(name).unwrap();
                if model.program(&model.own_roles()).unwrap().has_harmonics() {
                    continue;
                }
                let (_, plan) = plans::<f32>(&model, &table, &options, &SampleOptions::default()).unwrap();
                let kernel = kernel_of(&plan).unwrap();
                for most in ROOMS {
                    let threads = threads_of(&plan, kernel, most);
                    assert!(shared_bytes(&plan, kernel, threads) <= most, "{name}: {threads} in {most}");
                    assert!(threads >= 32 && threads <= kernel.threads, "{name}: {threads}");
                    is_ever_less |= threads < kernel.threads;
                }
                assert_eq!(threads_of(&plan, kernel, ROOMS[2]), kernel.threads, "{name}");
            }
        }
        assert!(is_ever_less, "nothing is tested");
    }
}

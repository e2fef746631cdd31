//! Chains on GPUs: lots of voxels flow through, two workers for each GPU, so that one copies while the other computes. What
//! kernels compute is in `sample.cuh`, with the bits of the processor.
#![allow(unsafe_code)]

use super::chains::CHAINS;
use super::constants;
use super::cpu::Subject;
use super::kernels;
use super::moves::Moved;
use super::plan::{ChainPlan, ChainState, Likelihood};
use crate::special::watson::Series;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, Precision, Stream, Transfer, on_each};
use arcuate_core::Result;
use bytemuck::Zeroable;

/// Moves at most.
const MOST_MOVES: usize = constants::MOST_MOVES as usize;
/// Sweeps whose draws are made at once.
const SWEEPS: u32 = constants::SWEEPS;
/// Voxels of a lot at most, and at least where there are so many: enough for every lane of a GPU several times.
const LOTS: [usize; 2] = [1 << 12, 1 << 14];
/// Voxels that a lot shrinks to before memory counts as too small.
const SMALLEST_LOT: usize = 1 << 7;

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
fn of_all<V: Copy + Zeroable>(plan: &ChainPlan<f32>, values: &[V]) -> Vec<V> {
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
fn of_moved<V: Copy>(plan: &ChainPlan<f32>, all: Vec<V>) -> Vec<V> {
    if plan.of.len() == all_moves(plan) {
        return all;
    }
    let of_voxel = |all: &[V]| plan.places.iter().map(|place| all[*place]).collect::<Vec<V>>();
    all.chunks_exact(all_moves(plan)).flat_map(of_voxel).collect()
}

/// Lets a chain of each voxel go on from a state; answers the samples, voxel after voxel.
pub(crate) fn run(
    subject: Subject<'_, f32>,
    kernel: Kernel,
    chain: u32,
    gpus: &Gpus,
    state: &mut ChainState<f32>,
) -> Result<Vec<f32>> {
    let Subject { plan, items, .. } = subject;
    let workers: Vec<&Gpu> = gpus.iter().chain(gpus.iter()).collect();
    let share = items.len().div_ceil(workers.len()).clamp(LOTS[0], LOTS[1]);
    let lot = lot_of(subject, gpus, share)?;
    let per_voxel = plan.samples() * plan.sample_numbers();
    let mut samples = vec![0.0f32; items.len() * per_voxel];
    let mut of_worker: Vec<Vec<(usize, &mut [f32])>> = workers.iter().map(|_| Vec::new()).collect();
    let count = workers.len();
    for (n, part) in samples.chunks_mut((lot * per_voxel).max(1)).enumerate() {
        of_worker[n % count].push((n * lot, part));
    }
    let before = &*state;
    let pieces = on_each(workers.iter().zip(of_worker), |_, (gpu, parts)| {
        let mut worker = Worker::new(gpu, subject, kernel, chain)?;
        let run = |(first, out): (usize, &mut [f32])| {
            let end = (first + lot).min(items.len());
            let state = worker.lot(first..end, &before.part(plan, first..end), out)?;
            subject.count.add(end - first);
            Ok((first, state))
        };
        parts.into_iter().map(run).collect::<CudaResult<Vec<_>>>().map_err(arcuate_core::Error::from)
    })?;
    let mut pieces: Vec<(usize, ChainState<f32>)> = pieces.into_iter().flatten().collect();
    pieces.sort_by_key(|(first, _)| *first);
    let pieces: Vec<ChainState<f32>> = pieces.into_iter().map(|(_, piece)| piece).collect();
    *state = ChainState::joined(&pieces, plan.burn_in + plan.jumps);
    Ok(samples)
}

/// How many voxels a lot has so that two of them fit in every GPU.
fn lot_of(subject: Subject<'_, f32>, gpus: &Gpus, most: usize) -> Result<usize> {
    let mut lot = most;
    for gpu in gpus.iter() {
        let bytes = |lot: usize| gpu.bytes_of(|gpu| Room::new(gpu, subject, lot));
        while lot > SMALLEST_LOT && 2 * bytes(lot)? + (1 << 20) > gpu.budget()? {
            lot /= 2;
        }
    }
    Ok(lot)
}

/// Memory for the voxels of a lot.
struct Room {
    signals: Buffer<f32>,
    items: Buffer<u32>,
    factors: Buffer<f32>,
    usable: Buffer<u32>,
    maps: Buffer<f32>,
    numbers: Buffer<f32>,
    widths: Buffer<f32>,
    accepted: Buffer<u32>,
    totals: Buffer<u32>,
    samples: Buffer<f32>,
}

impl Room {
    fn new(gpu: &Gpu, subject: Subject<'_, f32>, voxels: usize) -> CudaResult<Self> {
        let Subject { plan, .. } = subject;
        let moves = voxels * all_moves(plan);
        Ok(Self {
            signals: gpu.alloc(voxels * plan.measurements)?,
            items: gpu.alloc(voxels)?,
            factors: gpu.alloc(voxels)?,
            usable: gpu.alloc(voxels)?,
            maps: gpu.alloc((voxels * subject.voxels.map_count()).max(1))?,
            numbers: gpu.alloc(voxels * plan.state_numbers())?,
            widths: gpu.alloc(moves)?,
            accepted: gpu.alloc(moves)?,
            totals: gpu.alloc(moves)?,
            samples: gpu.alloc(voxels * plan.samples() * plan.sample_numbers())?,
        })
    }
}

/// A stream of a GPU, and what all voxels have in common there.
struct Worker<'a> {
    gpu: Gpu,
    stream: Stream,
    transfer: Transfer,
    subject: Subject<'a, f32>,
    kernel: Kernel,
    chain: u32,
    columns: Buffer<f32>,
    uniforms: Buffer<f32>,
}

impl<'a> Worker<'a> {
    fn new(gpu: &Gpu, subject: Subject<'a, f32>, kernel: Kernel, chain: u32) -> Result<Self> {
        let plan = subject.plan;
        let stream = gpu.stream()?;
        let schedule = &plan.whole.all.schedule;
        let columns: Vec<f32> = schedule.columns.iter().map(|value| *value as f32).collect();
        let uniforms: Vec<f32> = schedule.uniforms.iter().map(|(value, _)| *value as f32).collect();
        Ok(Self {
            gpu: gpu.clone(),
            transfer: Transfer::new(gpu, usize::MAX)?,
            subject,
            kernel,
            chain,
            columns: gpu.upload(&stream, &columns)?,
            uniforms: gpu.upload(&stream, &uniforms)?,
            stream,
        })
    }

    /// The chains of some voxels.
    fn lot(
        &mut self,
        voxels: std::ops::Range<usize>,
        state: &ChainState<f32>,
        out: &mut [f32],
    ) -> CudaResult<ChainState<f32>> {
        let Subject { plan, pipeline, dwi, chosen, items, voxels: fitted, .. } = self.subject;
        let (chosen, items) = (&chosen[voxels.clone()], &items[voxels]);
        let used = &pipeline.measurements;
        let Self { stream, transfer, .. } = self;
        let signals = transfer.upload_with(stream, items.len() * used.len(), used.len(), |start, out| {
            pipeline.copy_signals(dwi, &items[start / used.len()..], out);
        })?;
        let numbers_of_items: Vec<u32> = items.iter().map(|&item| item as u32).collect();
        let factors: Vec<f32> = chosen.iter().map(|&voxel| fitted.factor(voxel)).collect();
        let usable: Vec<u32> = chosen.iter().map(|&voxel| fitted.usable(voxel)).collect();
        let maps: Vec<f32> = chosen.iter().flat_map(|&voxel| fitted.maps(voxel).iter().copied()).collect();
        let mut room = Room {
            signals,
            items: transfer.upload(stream, &numbers_of_items)?,
            factors: transfer.upload(stream, &factors)?,
            usable: transfer.upload(stream, &usable)?,
            maps: transfer.upload(stream, if maps.is_empty() { &[0.0] } else { &maps })?,
            numbers: transfer.upload(stream, &state.numbers)?,
            widths: transfer.upload(stream, &of_all(plan, &state.widths))?,
            accepted: transfer.upload(stream, &of_all(plan, &state.accepted))?,
            totals: transfer.upload(stream, &of_all(plan, &state.total))?,
            samples: self.gpu.alloc(out.len())?,
        };
        self.launch(items.len(), state.sweeps, &mut room)?;
        let Self { stream, transfer, .. } = self;
        transfer.download_into(stream, room.samples.view(), out)?;
        Ok(ChainState {
            numbers: transfer.download(stream, room.numbers.view())?,
            widths: of_moved(plan, transfer.download(stream, room.widths.view())?),
            accepted: of_moved(plan, transfer.download(stream, room.accepted.view())?),
            total: of_moved(plan, transfer.download(stream, room.totals.view())?),
            sweeps: plan.burn_in + plan.jumps,
        })
    }

    fn launch(&self, voxels: usize, first_sweep: u32, room: &mut Room) -> CudaResult<()> {
        let plan = self.subject.plan;
        let Kernel { chain, lanes, rounds, rician, threads: most_threads } = self.kernel;
        let bits = |is_one: &dyn Fn(&super::plan::MovePlan<f32>) -> bool| {
            plan.places.iter().zip(&plan.of).fold(0, |bits, (n, one)| bits | u64::from(is_one(one)) << n)
        };
        let resting = (0..plan.whole.of.len()).filter(|place| !plan.places.contains(place));
        let of_moves = |value: &dyn Fn(&super::plan::MovePlan<f32>) -> f32| {
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
        let threads = threads_of(plan, self.kernel, self.gpu.shared_bytes());
        let (groups, shared) = (threads / lanes, shared_bytes(plan, self.kernel, threads));
        // SAFETY: all of the room is of so many voxels, tables as long as the plan says; the kernel is that of the moves, by
        // their fingerprint, and has room for the measurements.
        unsafe {
            kernels::sample(
                [chain, lanes, rounds, rician, most_threads],
                &self.stream,
                Grid::row((voxels as u32).div_ceil(groups), threads).shared(shared),
                sample_plan,
                &room.signals,
                &room.items,
                &room.factors,
                &room.usable,
                &room.maps,
                &self.columns,
                &self.uniforms,
                &mut room.numbers,
                &mut room.widths,
                &mut room.accepted,
                &mut room.totals,
                &mut room.samples,
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
                let (_, plan) =
                    plans::<f32>(&model(name).unwrap(), &table, &options, &SampleOptions::default()).unwrap();
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

//! Chains on GPUs, in chunks of voxels.

use super::cpu::Subject;
use super::cuda::{Launch, Scratch, Tables};
use super::plan::ChainState;
use super::values::{put, width};
use arcuate_compute::cuda::{CudaResult, Gpu, Gpus, Stream};
use arcuate_compute::streaming::{self, ChunkSizes, Job, Work};
use arcuate_core::{Result, narrow};
use std::ops::Range;

/// Maximum number of voxels in a chunk (the voxels that a GPU processes at once). It gives every thread of a
/// GPU the work of several voxels.
const CHUNKS: ChunkSizes = ChunkSizes { minimum: 1 << 7, enough: 1 << 12, maximum: 1 << 14 };

type Worker<'a> = streaming::Worker<'a, Tables>;

/// Continues one chain of each voxel from a state, and updates the state. The samples are written to this
/// chain's positions in `values`, which has the samples of all chains.
pub(super) fn run(
    subject: Subject<'_, f32>,
    chain: u32,
    gpus: &Gpus,
    state: &mut ChainState<f32>,
    values: &mut [f32],
) -> Result<()> {
    let plan = subject.plan;
    let job = ChainOfVoxels { subject, state, launch: Launch { plan, chain, first_sweep: state.sweeps } };
    let of_voxel = subject.chains * width(plan);
    let pieces = streaming::run(&job, gpus, |chunks| streaming::parts(values, of_voxel, chunks))?;
    *state = ChainState::joined(&pieces, plan.burn_in + plan.jumps);
    Ok(())
}

struct ChainOfVoxels<'a> {
    subject: Subject<'a, f32>,
    /// The state of the chains of all voxels, before the run on the GPUs.
    state: &'a ChainState<f32>,
    launch: Launch<'a>,
}

impl<'a> Job for ChainOfVoxels<'a> {
    type Tables = Tables;
    type Scratch = Scratch;
    /// The samples of all chains of all voxels.
    type Target = &'a mut [f32];
    type Output = ChainState<f32>;

    fn work(&self) -> Work {
        Work { needs: "chains need", items: self.subject.items.len(), sizes: CHUNKS }
    }

    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Tables> {
        Tables::new(gpu, stream, self.subject.plan, self.subject.voxels.map_count())
    }

    fn chunk_bytes(&self, gpu: &Gpu, items: usize) -> CudaResult<u64> {
        let Subject { plan, voxels, .. } = self.subject;
        gpu.bytes_of(|gpu| Scratch::new(gpu, plan, items, voxels.map_count()))
    }

    fn upload(
        &self,
        worker: &mut Worker<'_>,
        before: Option<Scratch>,
        voxels: Range<usize>,
    ) -> Result<Scratch> {
        drop(before);
        let Subject { plan, pipeline, dwi, chosen, items, voxels: fitted, .. } = self.subject;
        let state = self.state.part(plan, voxels.clone());
        let (chosen, items) = (&chosen[voxels.clone()], &items[voxels]);
        let used = &pipeline.measurements;
        let streaming::Worker { gpu, stream, transfer, .. } = worker;
        let signals = transfer.upload_with(stream, items.len() * used.len(), used.len(), |start, out| {
            pipeline.copy_signals(dwi, &items[start / used.len()..], out);
        })?;
        let numbers_of_items: Vec<u32> = items.iter().map(|&item| narrow::<u32>(item)).collect();
        let factors: Vec<f32> = chosen.iter().map(|&voxel| fitted.factor(voxel)).collect();
        let usable: Vec<u32> = chosen.iter().map(|&voxel| fitted.usable(voxel)).collect();
        let maps: Vec<f32> = chosen.iter().flat_map(|&voxel| fitted.maps(voxel).iter().copied()).collect();
        Ok(Scratch {
            signals,
            items: transfer.upload(stream, &numbers_of_items)?,
            factors: transfer.upload(stream, &factors)?,
            usable: transfer.upload(stream, &usable)?,
            maps: transfer.upload(stream, if maps.is_empty() { &[0.0] } else { &maps })?,
            numbers: transfer.upload(stream, &state.numbers)?,
            widths: transfer.upload(stream, &state.widths)?,
            accepted: transfer.upload(stream, &state.accepted)?,
            totals: transfer.upload(stream, &state.total)?,
            samples: gpu.alloc(items.len() * width(plan))?,
        })
    }

    fn launch(&self, worker: &mut Worker<'_>, scratch: &mut Scratch) -> Result<()> {
        Ok(self.launch.run(&worker.stream, worker.tables, scratch)?)
    }

    fn download(
        &self,
        worker: &mut Worker<'_>,
        scratch: &mut Scratch,
        values: &'a mut [f32],
    ) -> Result<ChainState<f32>> {
        let (Subject { plan, chains, .. }, chain) = (self.subject, self.launch.chain as usize);
        let streaming::Worker { stream, transfer, .. } = worker;
        if chains == 1 {
            transfer.download_into(stream, scratch.samples.view(), values)?;
        } else {
            let samples = transfer.download(stream, scratch.samples.view())?;
            put(&samples, width(plan), [chain, chains], values);
        }
        Ok(ChainState {
            numbers: transfer.download(stream, scratch.numbers.view())?,
            widths: transfer.download(stream, scratch.widths.view())?,
            accepted: transfer.download(stream, scratch.accepted.view())?,
            total: transfer.download(stream, scratch.totals.view())?,
            sweeps: plan.burn_in + plan.jumps,
        })
    }

    fn done(&self, voxels: usize) -> Result<()> {
        self.subject.count.add(voxels)
    }
}

//! Streamlines on GPUs: a queue of numbers, of which lanes take one after the other.
//!
//! Streamlines are followed without their points first, or counted where they are made. Those whose points are wanted are
//! followed once more and write them where they belong.
#![allow(unsafe_code)]

use super::counts::Counters;
use super::cpu::Batch;
use super::kernels;
use super::orientations::{NOWHERE, OrientationTable};
use super::summary::SampleSummary;
use super::walk::{ENDINGS, Ending, FATES, Fate, Field, LOOP_CHECK, Outcome};
use arcuate_compute::cuda::{
    Buffer, BufferView, CudaResult, Gpu, Gpus, Grid, Input, Pinned, Stream, Transfer, on_each,
};
use arcuate_core::{Point, Result};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Threads of a block, and numbers that a lane keeps of a cell and of how many cells: as in `kernels.cu`.
const THREADS: u32 = 128;
const CELL_NUMBERS: usize = 6;
const CELLS: usize = 128;
/// Counters of a run: as in `kernels.cu`.
const COUNTERS: usize = 4 + FATES + ENDINGS;

/// Streamlines of a launch that counts.
const MOST_COUNTED: u64 = 1 << 28;
/// Points that are in a GPU at a time at most, unless a streamline has more; fewer where memory is short.
const MOST_POINTS: u64 = 1 << 24;

/// A lattice with regions: as in `kernels.cu`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Lattice {
    affine: [f32; 12],
    warp_affine: [f32; 12],
    shape: [i32; 3],
    warp_shape: [i32; 3],
    bits_at: u32,
    warp_at: u32,
    bits_bytes: u32,
    unused: u32,
}

/// What became of a streamline: as in `kernels.cu`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Followed {
    what: u32,
    points: [u32; 2],
    steps: u32,
}

impl Followed {
    fn outcome(self) -> Outcome {
        let ending = |shift: u32| match self.what >> shift & 0xff {
            0 => None,
            number => Some(Ending::ALL[number as usize - 1]),
        };
        Outcome {
            fate: Fate::ALL[(self.what & 0xff) as usize],
            points: self.points,
            endings: [ending(8), ending(16)],
            targets: 0,
            steps: self.steps,
        }
    }
}

/// Orientations where kernels reach them: in the GPU, or in page-locked memory of the host.
enum Sectors {
    There(Buffer<[u32; 4]>),
    Here(Pinned<[u32; 4]>),
}

impl Sectors {
    fn input(&self) -> Input<'_, [u32; 4]> {
        match self {
            Self::There(sectors) => sectors.into(),
            Self::Here(sectors) => sectors.into(),
        }
    }
}

/// The orientations, in a GPU.
pub(super) struct Placed {
    gpu: Gpu,
    sectors: Sectors,
    places: Buffer<u32>,
}

impl Placed {
    /// The orientations in every GPU.
    pub(super) fn on(gpus: &Gpus, table: &OrientationTable) -> Result<Vec<Self>> {
        on_each(gpus.iter(), |_, gpu| Ok(Self::new(gpu, table)?))
    }

    /// Where they take at most three quarters of its memory, else in page-locked memory of the host, from where a streamline
    /// fetches what it reaches.
    fn new(gpu: &Gpu, table: &OrientationTable) -> CudaResult<Self> {
        let stream = gpu.stream()?;
        let mut transfer = Transfer::new(gpu, usize::MAX)?;
        let places = transfer.upload(&stream, table.places())?;
        let halves: &[[u32; 4]] = bytemuck::cast_slice(table.sectors());
        let fits = size_of_val(halves) as u64 <= gpu.budget()? / 4 * 3;
        let sectors = if fits {
            Sectors::There(transfer.upload(&stream, halves)?)
        } else {
            Sectors::Here(gpu.pin(halves)?)
        };
        stream.synchronize()?;
        Ok(Self { gpu: gpu.clone(), sectors, places })
    }
}

/// A GPU with all that streamlines are followed through, and what they are counted in.
struct Machine<'a> {
    placed: &'a Placed,
    centres: Buffer<f32>,
    lattices: Buffer<Lattice>,
    bits: Buffer<u32>,
    warps: Buffer<[f32; 4]>,
    tools: Mutex<Tools>,
}

struct Tools {
    stream: Stream,
    transfer: Transfer,
    blocks: u32,
    lanes: LaneRoom,
    queue: Buffer<u64>,
    counters: Buffer<u64>,
    counts: Buffer<u32>,
    sums: Option<Buffer<u64>>,
    hits: Buffer<u32>,
}

/// GPUs that follow streamlines, each its share.
pub(super) struct OnGpus<'a> {
    field: &'a Field<'a>,
    machines: Vec<Machine<'a>>,
}

impl<'a> OnGpus<'a> {
    /// `counters` say what is counted, if anything is.
    pub(super) fn new(
        field: &'a Field<'a>,
        placed: &'a [Placed],
        counters: Option<&Counters>,
    ) -> Result<Self> {
        let (mut bits, mut warps, mut lattices) = (Vec::new(), Vec::new(), Vec::new());
        for space in &field.spaces.all {
            let mut lattice = Lattice {
                affine: space.affine,
                warp_affine: [0.0; 12],
                shape: space.grid.shape().map(|n| n as i32),
                warp_shape: [0; 3],
                bits_at: bits.len() as u32,
                warp_at: warps.len() as u32,
                bits_bytes: bytes_of(&space.bits),
                unused: 0,
            };
            pack(&space.bits, lattice.bits_bytes, &mut bits);
            if let Some(warp) = &space.warp {
                lattice.warp_affine = warp.affine;
                lattice.warp_shape = warp.shape.map(|n| n as i32);
                warps.par_extend(warp.values.par_chunks_exact(3).map(|u| [u[0], u[1], u[2], 0.0]));
            }
            lattices.push(lattice);
        }
        let machines = on_each(placed, |_, placed| {
            Ok(Machine::new(field, placed, &bits, &warps, &lattices, counters)?)
        })?;
        Ok(Self { field, machines })
    }

    /// The GPUs, in words.
    pub(super) fn describe(&self) -> String {
        let describe = |machine: &Machine<'_>| match &machine.placed.sectors {
            Sectors::There(_) => machine.placed.gpu.to_string(),
            Sectors::Here(_) => format!("{} (orientations in the memory of the host)", machine.placed.gpu),
        };
        self.machines.iter().map(describe).collect::<Vec<_>>().join(", ")
    }

    /// Follows streamlines and counts the accepted ones in the GPUs.
    pub(super) fn count(&self, numbers: Range<u64>) -> Result<SampleSummary> {
        let summaries = self.shares(numbers, |machine, numbers| {
            let mut tools = machine.lock();
            let mut summary = SampleSummary::default();
            let mut begin = numbers.start;
            while begin < numbers.end {
                let end = numbers.end.min(begin + MOST_COUNTED);
                let wanted = Wanted { numbers: begin..end, counts: true, ..Wanted::default() };
                machine.launch(self.field, &mut tools, wanted)?;
                let counted = tools.counters.to_vec(&tools.stream)?;
                summary.merge(&SampleSummary::of_counters(&counted));
                begin = end;
            }
            Ok(summary)
        })?;
        let mut summary = SampleSummary::default();
        for other in &summaries {
            summary.merge(other);
        }
        Ok(summary)
    }

    /// Follows streamlines in their order, with or without their points.
    pub(super) fn batches(&self, numbers: Range<u64>, points: bool) -> Result<Vec<Batch>> {
        let batches = self.shares(numbers, |machine, numbers| {
            let mut tools = machine.lock();
            Ok(machine.batch(self.field, &mut tools, numbers, points)?)
        })?;
        Ok(batches.into_iter().flatten().collect())
    }

    /// Counts streamlines that are known to be accepted.
    pub(super) fn count_these(&self, numbers: &[u64]) -> Result<()> {
        let share = numbers.len().div_ceil(self.machines.len()).max(1);
        on_each(self.machines.iter().zip(numbers.chunks(share)), |_, (machine, numbers)| {
            let mut tools = machine.lock();
            let uploaded = machine.placed.gpu.upload(&tools.stream, numbers)?;
            let wanted = Wanted {
                numbers: 0..numbers.len() as u64,
                these: Some(uploaded.view()),
                counts: true,
                ..Wanted::default()
            };
            machine.launch(self.field, &mut tools, wanted)?;
            tools.stream.synchronize()?;
            Ok(())
        })?;
        Ok(())
    }

    /// Adds what was counted in the GPUs.
    pub(super) fn collect(&self, counters: &Counters) -> Result<()> {
        let parts = on_each(self.machines.iter(), |_, machine| {
            let mut tools = machine.lock();
            let Tools { stream, transfer, counts, sums, hits, .. } = &mut *tools;
            let counts = transfer.download(stream, counts.view())?;
            let sums = sums.as_ref().map(|sums| transfer.download(stream, sums.view())).transpose()?;
            Ok((counts, sums, transfer.download(stream, hits.view())?))
        })?;
        for (counts, sums, hits) in parts {
            counters.merge(&counts, sums.as_deref().unwrap_or(&[]), &hits);
        }
        Ok(())
    }

    fn shares<R: Send>(
        &self,
        numbers: Range<u64>,
        work: impl Fn(&Machine<'a>, Range<u64>) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let share = (numbers.end - numbers.start).div_ceil(self.machines.len() as u64);
        let part = |n: usize| {
            let begin = (numbers.start + n as u64 * share).min(numbers.end);
            begin..numbers.end.min(begin + share)
        };
        on_each(self.machines.iter().enumerate(), |_, (n, machine)| work(machine, part(n)))
    }
}

/// What a launch shall do.
#[derive(Default)]
struct Wanted<'a> {
    numbers: Range<u64>,
    /// Instead of those: as many of this list.
    these: Option<BufferView<'a, u64>>,
    counts: bool,
    records: Option<&'a mut Buffer<Followed>>,
    points: Option<Points<'a>>,
}

/// Where points go: the first of each streamline, and how many of each half.
struct Points<'a> {
    firsts: BufferView<'a, u64>,
    wanted: BufferView<'a, [u32; 2]>,
    positions: &'a mut Buffer<f32>,
}

impl<'a> Machine<'a> {
    fn new(
        field: &Field<'_>,
        placed: &'a Placed,
        bits: &[u32],
        warps: &[[f32; 4]],
        lattices: &[Lattice],
        counters: Option<&Counters>,
    ) -> CudaResult<Self> {
        let gpu = &placed.gpu;
        let stream = gpu.stream()?;
        let mut transfer = Transfer::new(gpu, usize::MAX)?;
        let (voxels, lengths, hits) = counters.map_or((0, false, 0), Counters::sizes);
        let centres: &[f32] = bytemuck::cast_slice(field.centres);
        let centres = transfer.upload(&stream, centres)?;
        let lattices = gpu.upload(&stream, lattices)?;
        let bits = transfer.upload(&stream, bits)?;
        let warps = transfer.upload(&stream, warps)?;
        let counts = gpu.alloc(voxels)?;
        let sums = if lengths { Some(gpu.alloc(voxels)?) } else { None };
        let hits = gpu.alloc(hits)?;

        let kernel = kernels::IMAGES.kernel(gpu, "samples_follow")?;
        let fitting = kernel.blocks_per_multiprocessor(THREADS, 0)?.max(1) * gpu.multiprocessors().max(1);
        let capacity = 2 * field.course.points as usize;
        let looped = field.course.flags & LOOP_CHECK != 0;
        // Half of what is left for lanes, half for points.
        let mut blocks = fitting;
        let room = |gpu: &Gpu, blocks| LaneRoom::new(gpu, blocks, capacity, [voxels > 0, lengths, looped]);
        while blocks > 1 && gpu.bytes_of(|gpu| room(gpu, blocks))? > gpu.budget()? / 2 {
            blocks = blocks.div_ceil(2);
        }
        let lanes = room(gpu, blocks)?;
        stream.synchronize()?;
        let tools = Tools {
            queue: gpu.alloc(1)?,
            counters: gpu.alloc(COUNTERS)?,
            stream,
            transfer,
            blocks,
            lanes,
            counts,
            sums,
            hits,
        };
        Ok(Self { placed, centres, lattices, bits, warps, tools: Mutex::new(tools) })
    }

    fn lock(&self) -> MutexGuard<'_, Tools> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn launch(&self, field: &Field<'_>, tools: &mut Tools, wanted: Wanted<'_>) -> CudaResult<()> {
        let Wanted { numbers, these, counts: counting, records, points } = wanted;
        let count = numbers.end - numbers.start;
        tools.queue.zero(&tools.stream)?;
        tools.counters.zero(&tools.stream)?;
        let blocks = u64::from(tools.blocks).min(count.div_ceil(u64::from(THREADS))) as u32;
        if blocks == 0 {
            return Ok(());
        }
        let Tools { stream, lanes, queue, counters, counts, sums, hits, .. } = tools;
        let LaneRoom { lists, list_steps, cells } = lanes;
        let listing = counting && !counts.is_empty();
        let (firsts, halves, positions) = match points {
            Some(Points { firsts, wanted, positions }) => (Some(firsts), Some(wanted), Some(positions)),
            None => (None, None, None),
        };
        // SAFETY: places lead to sectors of the table and to lattices by the kernel's own checks; lanes have lists for twice
        // the points of a half, voxels have counters, seeds and targets hits; records, firsts and halves are as many as
        // streamlines, points as many as their halves say.
        unsafe {
            kernels::samples_follow(
                stream,
                Grid::row(blocks, THREADS),
                field.course,
                numbers.start,
                count,
                these,
                &self.placed.places,
                self.placed.sectors.input(),
                &self.centres,
                &self.lattices,
                &self.bits,
                &self.warps,
                queue,
                counters,
                counts,
                sums.as_mut(),
                if counting { Some(hits) } else { None },
                if listing { lists.as_mut() } else { None },
                if listing { list_steps.as_mut() } else { None },
                cells.as_mut(),
                records,
                firsts,
                halves,
                positions,
            )
        }
    }

    fn batch(
        &self,
        field: &Field<'_>,
        tools: &mut Tools,
        numbers: Range<u64>,
        points: bool,
    ) -> CudaResult<Vec<Batch>> {
        let count = (numbers.end - numbers.start) as usize;
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut records = self.placed.gpu.alloc::<Followed>(count)?;
        let wanted = Wanted { numbers: numbers.clone(), records: Some(&mut records), ..Wanted::default() };
        self.launch(field, tools, wanted)?;
        let records = tools.transfer.download(&tools.stream, records.view())?;
        let outcomes: Vec<Outcome> = records.into_iter().map(Followed::outcome).collect();
        if !points {
            return Ok(vec![Batch { first: numbers.start, outcomes, ..Batch::default() }]);
        }
        let most = (self.placed.gpu.budget()? / 48).clamp(1, MOST_POINTS);
        let mut batches = Vec::new();
        let mut rest = outcomes.into_iter().zip(numbers).peekable();
        while let Some((_, first)) = rest.peek().copied() {
            let mut batch = Batch { first, offsets: vec![0], ..Batch::default() };
            let (mut these, mut halves, mut all) = (Vec::new(), Vec::new(), 0);
            while let Some((outcome, number)) = rest.peek().copied() {
                if outcome.fate == Fate::Accepted {
                    let [one, other] = outcome.points.map(u64::from);
                    let own = if one > 0 { one + other.saturating_sub(1) } else { other };
                    if all > 0 && all + own > most {
                        break;
                    }
                    these.push(number);
                    halves.push(outcome.points);
                    all += own;
                    batch.offsets.push(all);
                }
                batch.outcomes.push(outcome);
                rest.next();
            }
            batch.positions = self.points(field, tools, &these, &halves, &batch.offsets)?;
            batches.push(batch);
        }
        Ok(batches)
    }

    fn points(
        &self,
        field: &Field<'_>,
        tools: &mut Tools,
        numbers: &[u64],
        halves: &[[u32; 2]],
        offsets: &[u64],
    ) -> CudaResult<Vec<Point>> {
        let Some(&all) = offsets.last().filter(|&&all| all > 0) else { return Ok(Vec::new()) };
        let mut positions = self.placed.gpu.alloc(3 * all as usize)?;
        let these = self.placed.gpu.upload(&tools.stream, numbers)?;
        let firsts = self.placed.gpu.upload(&tools.stream, &offsets[..numbers.len()])?;
        let halves = self.placed.gpu.upload(&tools.stream, halves)?;
        let to = Points { firsts: firsts.view(), wanted: halves.view(), positions: &mut positions };
        let wanted = Wanted {
            numbers: 0..numbers.len() as u64,
            these: Some(these.view()),
            points: Some(to),
            ..Wanted::default()
        };
        self.launch(field, tools, wanted)?;
        let Tools { stream, transfer, .. } = tools;
        Ok(bytemuck::allocation::cast_vec(transfer.download(stream, positions.view())?))
    }
}

/// What each lane has: voxels of its streamline, steps to these, cells of the loop check; as far as they are needed.
struct LaneRoom {
    lists: Option<Buffer<u32>>,
    list_steps: Option<Buffer<u32>>,
    cells: Option<Buffer<f32>>,
}

impl LaneRoom {
    fn new(gpu: &Gpu, blocks: u32, capacity: usize, [lists, steps, looped]: [bool; 3]) -> CudaResult<Self> {
        let lanes = (blocks * THREADS) as usize;
        let list = |wanted: bool| wanted.then(|| gpu.alloc(lanes * capacity)).transpose();
        Ok(Self {
            lists: list(lists)?,
            list_steps: list(steps)?,
            cells: looped.then(|| gpu.alloc(lanes * CELLS * CELL_NUMBERS)).transpose()?,
        })
    }
}

/// Bytes that the bits of a voxel need.
fn bytes_of(bits: &[u32]) -> u32 {
    match bits.par_iter().copied().reduce(|| 0, |a, b| a | b) {
        0 => 0,
        1..0x100 => 1,
        0x100..0x1_0000 => 2,
        _ => 4,
    }
}

/// Adds bits to words, so many bytes a voxel, from a whole word on.
fn pack(bits: &[u32], bytes: u32, words: &mut Vec<u32>) {
    match bytes {
        0 => {}
        1 => words.par_extend(
            bits.par_chunks(4).map(|four| four.iter().rev().fold(0, |word, bits| word << 8 | bits)),
        ),
        2 => words.par_extend(
            bits.par_chunks(2).map(|two| two.iter().rev().fold(0, |word, bits| word << 16 | bits)),
        ),
        _ => words.extend_from_slice(bits),
    }
}

/// A voxel without orientations is the kernel's, too.
const _: () = assert!(NOWHERE == u32::MAX);

//! Streamlines on GPUs: a queue of numbers, of which lanes take one after the other.
//!
//! Streamlines are followed without their points first, or counted where they are made. Those whose points are wanted are
//! followed once more and write them where they belong.
#![allow(unsafe_code)]

use super::constants;
use super::counts::Counters;
use super::field::Followers;
use super::followed::{Followed, summary_of};
use super::kernels::{self, SurfaceCells};
use super::memory::{LaneNeeds, LaneRoom, Lattice, Pool, RegionTables, SurfaceTables, are_wide};
use super::orientations::OrientationTable;
use super::purpose::Purpose;
use crate::driver::Batch;
use crate::summary::{Outcome, TrackSummary};
use arcuate_compute::cuda::{
    Buffer, BufferView, CudaResult, Gpu, Gpus, Grid, Input, Pinned, Stream, Transfer, on_each,
};
use arcuate_compute::{DeviceStreamlineSink, StreamlineBatchOnGpu};
use arcuate_core::{Point, Result};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Threads of a block.
const THREADS: u32 = constants::THREADS;
/// Counters of a run.
const COUNTERS: usize = constants::COUNTERS as usize;

/// Streamlines of a launch that counts.
const MOST_COUNTED: u64 = 1 << 28;
/// Points that are in a GPU at a time at most, unless a streamline has more; fewer where memory is short.
const MOST_POINTS: u64 = 1 << 24;

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
    sets: Buffer<u32>,
    warps: Buffer<[f32; 4]>,
    surfaces: Option<PlacedSurfaces>,
    /// Whether regions are more than a word of bits, for which there are kernels of their own.
    is_wide: bool,
    tools: Mutex<Tools>,
}

/// Surfaces, in a GPU.
struct PlacedSurfaces {
    cells: SurfaceCells,
    first: Buffer<u32>,
    list: Buffer<u32>,
    triangles: Buffer<[u32; 4]>,
    /// Where any region is a volume, and where seeds are known exactly.
    inside: Option<Buffer<u32>>,
    seeds: Option<Buffer<i32>>,
}

impl PlacedSurfaces {
    fn new(stream: &Stream, transfer: &mut Transfer, tables: &SurfaceTables) -> CudaResult<Self> {
        let SurfaceTables { cells, first, list, triangles, inside, seeds } = tables;
        Ok(Self {
            cells: *cells,
            first: transfer.upload(stream, first)?,
            list: transfer.upload(stream, list)?,
            triangles: transfer.upload(stream, triangles)?,
            inside: if inside.is_empty() { None } else { Some(transfer.upload(stream, inside)?) },
            seeds: if seeds.is_empty() { None } else { Some(transfer.upload(stream, seeds)?) },
        })
    }
}

struct Tools {
    stream: Stream,
    transfer: Transfer,
    blocks: u32,
    lanes: LaneRoom,
    pool: Option<Pool>,
    queue: Buffer<u64>,
    counters: Buffer<u64>,
    counts: Buffer<u32>,
    sums: Option<Buffer<u64>>,
    hits: Buffer<u32>,
}

impl Tools {
    fn blocks_for(&self, streamlines: u64) -> u32 {
        u64::from(self.blocks).min(streamlines.div_ceil(u64::from(THREADS))) as u32
    }
}

/// GPUs that follow streamlines, each its share.
pub(super) struct OnGpus<'a> {
    field: &'a Followers<'a>,
    machines: Vec<Machine<'a>>,
}

impl<'a> OnGpus<'a> {
    pub(super) fn new(field: &'a Followers<'a>, placed: &'a [Placed], purpose: &Purpose<'_>) -> Result<Self> {
        let walk = &field.walk;
        let to_field = walk.beginnings.way.as_ref().map(|way| (way, field.course.shape));
        let regions = RegionTables::new(walk.lattices, to_field, walk.exact)?;
        let machines = on_each(placed, |_, placed| Ok(Machine::new(field, placed, &regions, purpose)?))?;
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
    pub(super) fn count(&self, numbers: Range<u64>) -> Result<TrackSummary> {
        let summaries = self.shares(numbers, |machine, numbers| {
            let mut tools = machine.lock();
            let mut summary = TrackSummary::default();
            let mut begin = numbers.start;
            while begin < numbers.end {
                let end = numbers.end.min(begin + MOST_COUNTED);
                let wanted = Wanted { numbers: begin..end, counts: true, ..Wanted::default() };
                machine.launch(self.field, &mut tools, wanted)?;
                let counted = tools.counters.to_vec(&tools.stream)?;
                summary.merge(&summary_of(&counted));
                begin = end;
            }
            Ok(summary)
        })?;
        Ok(all_of(&summaries))
    }

    /// Follows streamlines, counts the accepted ones and gives them to a sink, in the GPUs.
    pub(super) fn give(
        &self,
        numbers: Range<u64>,
        sink: &mut dyn DeviceStreamlineSink,
    ) -> Result<TrackSummary> {
        let sink = Mutex::new(sink);
        let summaries = self.shares(numbers, |machine, mut numbers| {
            let mut tools = machine.lock();
            let mut summary = TrackSummary::default();
            while !numbers.is_empty() {
                let gathered = machine.gather(self.field, &mut tools, numbers.clone())?;
                let Tools { stream, counters, pool, .. } = &*tools;
                summary.merge(&summary_of(&counters.to_vec(stream)?));
                numbers.start += gathered.followed;
                if let Some(pool) = pool
                    && gathered.streamlines > 0
                {
                    let spans = pool.spans.range(0..gathered.streamlines);
                    let positions = pool.points.range(0..3 * gathered.points);
                    let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
                    sink.take_on_gpu(StreamlineBatchOnGpu { stream, spans, positions })?;
                }
            }
            Ok(summary)
        })?;
        Ok(all_of(&summaries))
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

/// All of several parts of a run.
fn all_of(parts: &[TrackSummary]) -> TrackSummary {
    let mut all = TrackSummary::default();
    for part in parts {
        all.merge(part);
    }
    all
}

/// Launches the kernel for regions in one word of bits, or that for more, which take the same; where there are surfaces, those that
/// are also given these.
macro_rules! by_regions {
    ($machine:expr, [$narrow:ident, $wide:ident], [$narrow_on:ident, $wide_on:ident], $($argument:expr),* $(,)?) => {
        match (&$machine.surfaces, $machine.is_wide) {
            (None, false) => kernels::$narrow($($argument),*),
            (None, true) => kernels::$wide($($argument),*),
            (Some(on), false) => kernels::$narrow_on(
                $($argument),*, on.cells, &on.first, &on.list, &on.triangles, on.inside.as_ref(), on.seeds.as_ref(),
            ),
            (Some(on), true) => kernels::$wide_on(
                $($argument),*, on.cells, &on.first, &on.list, &on.triangles, on.inside.as_ref(), on.seeds.as_ref(),
            ),
        }
    };
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

/// What came of a launch that gathers.
struct Gathered {
    /// How many numbers were followed, from the first on.
    followed: u64,
    streamlines: usize,
    points: usize,
}

/// Where points go: the first of each streamline, and how many of each half.
struct Points<'a> {
    firsts: BufferView<'a, u64>,
    wanted: BufferView<'a, [u32; 2]>,
    positions: &'a mut Buffer<f32>,
}

impl<'a> Machine<'a> {
    fn new(
        field: &Followers<'_>,
        placed: &'a Placed,
        regions: &RegionTables,
        purpose: &Purpose<'_>,
    ) -> CudaResult<Self> {
        let &Purpose { counters, gathers, in_flight } = purpose;
        let gpu = &placed.gpu;
        let stream = gpu.stream()?;
        let mut transfer = Transfer::new(gpu, usize::MAX)?;
        let (voxels, lengths, hits) = counters.map_or((0, false, 0), Counters::sizes);
        let centres: &[f32] = bytemuck::cast_slice(&field.walk.beginnings.centres);
        let centres = transfer.upload(&stream, centres)?;
        let lattices = gpu.upload(&stream, &regions.lattices)?;
        let bits = transfer.upload(&stream, &regions.bits)?;
        let sets = transfer.upload(&stream, &regions.sets)?;
        let warps = transfer.upload(&stream, &regions.warps)?;
        let surfaces = match &regions.surfaces {
            Some(tables) => Some(PlacedSurfaces::new(&stream, &mut transfer, tables)?),
            None => None,
        };
        let counts = gpu.alloc(voxels)?;
        let sums = if lengths { Some(gpu.alloc(voxels)?) } else { None };
        let hits = gpu.alloc(hits)?;

        let is_wide = are_wide(field.walk.lattices);
        let name = match (gathers, is_wide, surfaces.is_some()) {
            (false, false, false) => "samples_follow_narrow",
            (false, false, true) => "samples_follow_narrow_surfaces",
            (false, true, false) => "samples_follow_wide",
            (false, true, true) => "samples_follow_wide_surfaces",
            (true, false, false) => "samples_gather_narrow",
            (true, false, true) => "samples_gather_narrow_surfaces",
            (true, true, false) => "samples_gather_wide",
            (true, true, true) => "samples_gather_wide_surfaces",
        };
        let kernel = kernels::IMAGES.kernel(gpu, name)?;
        let fitting = kernel.blocks_per_multiprocessor(THREADS, 0)?.max(1) * gpu.multiprocessors().max(1);
        let capacity = 2 * field.course.points as usize;
        let needs = LaneNeeds {
            lists: voxels > 0,
            list_steps: lengths,
            cells: field.course.flags & constants::LOOP_CHECK != 0,
            words: is_wide.then_some(field.course.words),
        };
        // Half of what is left for lanes, half for points.
        let mut blocks = in_flight.map_or(fitting, |lanes| lanes.div_ceil(THREADS).clamp(1, fitting));
        let room = |gpu: &Gpu, blocks: u32| {
            let lanes = (blocks * THREADS) as usize;
            let pool = gathers.then(|| Pool::new(gpu, lanes, capacity)).transpose()?;
            Ok((LaneRoom::new(gpu, lanes, capacity, needs)?, pool))
        };
        while blocks > 1 && gpu.bytes_of(|gpu| room(gpu, blocks))? > gpu.budget()? / 2 {
            blocks = blocks.div_ceil(2);
        }
        let (lanes, pool) = room(gpu, blocks)?;
        stream.synchronize()?;
        let tools = Tools {
            queue: gpu.alloc(1)?,
            counters: gpu.alloc(COUNTERS)?,
            stream,
            transfer,
            blocks,
            lanes,
            pool,
            counts,
            sums,
            hits,
        };
        Ok(Self { placed, centres, lattices, bits, sets, warps, surfaces, is_wide, tools: Mutex::new(tools) })
    }

    fn lock(&self) -> MutexGuard<'_, Tools> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn launch(&self, field: &Followers<'_>, tools: &mut Tools, wanted: Wanted<'_>) -> CudaResult<()> {
        let Wanted { numbers, these, counts: counting, records, points } = wanted;
        let count = numbers.end - numbers.start;
        tools.queue.zero(&tools.stream)?;
        tools.counters.zero(&tools.stream)?;
        let blocks = tools.blocks_for(count);
        if blocks == 0 {
            return Ok(());
        }
        let Tools { stream, lanes, queue, counters, counts, sums, hits, .. } = tools;
        let LaneRoom { lists, list_steps, cells, passages } = lanes;
        let listing = counting && !counts.is_empty();
        let (firsts, halves, positions) = match points {
            Some(Points { firsts, wanted, positions }) => (Some(firsts), Some(wanted), Some(positions)),
            None => (None, None, None),
        };
        // SAFETY: places lead to sectors of the table, to lattices and to cells by the kernel's own checks; cells have lists of
        // triangles that there are, and seeds their places; lanes have lists for twice the points of a half and sets for all
        // words of regions, voxels have counters, seeds and targets hits; records, firsts and halves are as many as streamlines,
        // points as many as their halves say.
        unsafe {
            by_regions!(
                self,
                [samples_follow_narrow, samples_follow_wide],
                [samples_follow_narrow_surfaces, samples_follow_wide_surfaces],
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
                &self.sets,
                &self.warps,
                queue,
                counters,
                counts,
                sums.as_mut(),
                if counting { Some(hits) } else { None },
                if listing { lists.as_mut() } else { None },
                if listing { list_steps.as_mut() } else { None },
                cells.as_mut(),
                passages.as_mut(),
                records,
                firsts,
                halves,
                positions,
            )
        }
    }

    fn gather(&self, field: &Followers<'_>, tools: &mut Tools, numbers: Range<u64>) -> CudaResult<Gathered> {
        let count = numbers.end - numbers.start;
        let blocks = tools.blocks_for(count);
        let Tools { stream, lanes, pool, queue, counters, counts, sums, hits, .. } = tools;
        let Some(pool) = pool.as_mut().filter(|_| blocks > 0) else {
            return Ok(Gathered { followed: count, streamlines: 0, points: 0 });
        };
        queue.zero(stream)?;
        counters.zero(stream)?;
        pool.used.zero(stream)?;
        let LaneRoom { lists, list_steps, cells, passages } = lanes;
        // SAFETY: as in `launch`; every lane has room for two halves, and where a streamline begins, the pool has room for
        // all that are under way.
        unsafe {
            by_regions!(
                self,
                [samples_gather_narrow, samples_gather_wide],
                [samples_gather_narrow_surfaces, samples_gather_wide_surfaces],
                stream,
                Grid::row(blocks, THREADS),
                field.course,
                numbers.start,
                count,
                &self.placed.places,
                self.placed.sectors.input(),
                &self.centres,
                &self.lattices,
                &self.bits,
                &self.sets,
                &self.warps,
                &mut *queue,
                counters,
                counts,
                sums.as_mut(),
                hits,
                lists.as_mut(),
                list_steps.as_mut(),
                cells.as_mut(),
                passages.as_mut(),
                &mut pool.rooms,
                &mut pool.points,
                &mut pool.spans,
                &mut pool.used,
                pool.most[0],
                pool.most[1],
            )
        }?;
        let used = pool.used.to_vec(stream)?;
        // Lanes that found no other have taken numbers beyond the last.
        let followed = queue.to_vec(stream)?[0].min(count);
        Ok(Gathered { followed, points: used[0] as usize, streamlines: used[1] as usize })
    }

    fn batch(
        &self,
        field: &Followers<'_>,
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
                if outcome.is_accepted() {
                    let own = u64::from(outcome.joined());
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
        field: &Followers<'_>,
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

//! Tracking of samples on GPUs. Lanes take streamline numbers from a queue.
//!
//! Streamlines are first tracked without storing their points; they can be counted during this. If points are
//! requested, the accepted streamlines are tracked once more, and write their points to their final place.
#![allow(unsafe_code)]

use super::constants;
use super::counts::{Counted, Counters};
use super::field::Followers;
use super::followed::{KernelOutcome, summary_of};
use super::kernels;
use super::memory::{LaneBuffers, LaneNeeds, RegionTables, are_wide};
use super::orientations::OrientationTable;
use super::purpose::{OnAccept, RequestedOutputs};
use super::scratch::{LanesSize, MIN_LANES, Needs, Scratch};
use crate::driver::Batch;
use crate::gpus::{require_processed, share_of};
use crate::summary::{Outcome, TrackSummary};
use arcuate_compute::cuda::{
    Buffer, BufferView, CudaResult, Gpu, Gpus, Grid, Input, Pinned, Plain, Transfer, on_each,
};
use arcuate_compute::{DeviceStreamlineSink, StreamlineBatchOnGpu};
use arcuate_core::{Control, Error, Point, Result};
use rayon::prelude::*;
use std::ops::{AddAssign, Range};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of streamlines of a kernel launch that counts streamlines.
const MAX_COUNTED_STREAMLINES: u64 = 1 << 28;
/// Maximum number of streamline points in GPU memory at a time. A single streamline may have more points. The
/// number is smaller if memory is short.
const MAX_POINTS: u64 = 1 << 24;

/// Orientations in GPU memory, or in page-locked host memory that kernels can read.
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

/// Orientations in the memory of a GPU, and scratch memory that earlier calls left for reuse.
pub(super) struct Placed {
    gpu: Gpu,
    sectors: Sectors,
    places: Buffer<u32>,
    left: Mutex<Vec<Scratch>>,
}

impl Placed {
    /// Uploads the orientations to each GPU.
    pub(super) fn on(gpus: &Gpus, table: &OrientationTable) -> Result<Vec<Self>> {
        on_each(gpus.iter(), |_, gpu| Ok(Self::new(gpu, table)?))
    }

    /// Uploads the orientations to GPU memory if they take at most three quarters of it. If they take more,
    /// they stay in page-locked host memory, and kernels read what they need from there.
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
        Ok(Self { gpu: gpu.clone(), sectors, places, left: Mutex::default() })
    }

    fn left(&self) -> MutexGuard<'_, Vec<Scratch>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A GPU with the input data and the counters of tracking.
struct GpuTracker<'a> {
    placed: &'a Placed,
    /// True if a set of regions needs more than one 32-bit word. Separate kernels handle this case.
    is_wide: bool,
    /// True if streamlines are counted in matrix rows during tracking. A streamline that meets more matrix
    /// elements than a lane can store is gathered in memory instead, and counted later.
    counts_rows: bool,
    blocks: Blocks,
    scratch: Mutex<Scratch>,
}

/// Distribution of the lanes (threads, each of which tracks a streamline) over the blocks of a launch.
struct Blocks {
    multiprocessors: u32,
    /// Maximum number of threads of a block.
    threads: u32,
    /// Shared memory per warp, in bytes.
    of_warp: u32,
}

impl Blocks {
    /// Chooses the number of threads of a block. Kernels with surfaces use the largest blocks that shared
    /// memory allows.
    fn on(gpu: &Gpu, surfaces: bool, counts_rows: bool, warps: bool) -> Self {
        let own = match (surfaces, counts_rows) {
            (false, false) => constants::BYTES_OF_WARP,
            (false, true) => constants::BYTES_OF_COUNTING_WARP,
            (true, false) => constants::BYTES_OF_WARP_AT_SURFACES,
            (true, true) => constants::BYTES_OF_COUNTING_WARP_AT_SURFACES,
        };
        let of_warp = own + if warps { constants::BYTES_OF_CORNERS } else { 0 };
        let fitting = (gpu.shared_bytes().saturating_sub(constants::BYTES_OF_BLOCK) / of_warp) * 32;
        let maximum = if surfaces { constants::THREADS_AT_SURFACES } else { constants::THREADS };
        let threads = fitting.min(maximum) / MIN_LANES * MIN_LANES;
        Self { multiprocessors: gpu.multiprocessors().max(1), threads: threads.max(MIN_LANES), of_warp }
    }

    /// Returns the number of bytes of shared memory that a block with this number of threads needs.
    fn shared(&self, threads: u32) -> u32 {
        constants::BYTES_OF_BLOCK + threads / 32 * self.of_warp
    }

    /// Returns a launch grid with at most `lanes` threads, but at least one block. If there are few threads,
    /// they are spread over all multiprocessors.
    fn grid(&self, lanes: u32) -> Grid {
        let each = lanes.div_ceil(self.multiprocessors).next_multiple_of(MIN_LANES);
        let threads = each.min(self.threads);
        Grid::row((lanes.next_multiple_of(MIN_LANES) / threads).max(1), threads).shared(self.shared(threads))
    }
}

/// GPUs that track streamlines. Each GPU tracks an equal part of the streamlines.
pub(super) struct OnGpus<'a> {
    field: &'a Followers<'a>,
    machines: Vec<GpuTracker<'a>>,
    control: &'a Control,
}

impl<'a> OnGpus<'a> {
    pub(super) fn new(
        field: &'a Followers<'a>,
        placed: &'a [Placed],
        purpose: &RequestedOutputs<'_>,
        control: &'a Control,
    ) -> Result<Self> {
        let walk = &field.walk;
        let to_field = walk
            .starting_points
            .voxel_mapping
            .as_ref()
            .map(|voxel_mapping| (voxel_mapping, field.run_parameters.shape));
        let regions = RegionTables::new(walk.region_grids, to_field, walk.exact)?;
        let machines = on_each(placed, |_, placed| Ok(GpuTracker::new(field, placed, &regions, purpose)?))?;
        Ok(Self { field, machines, control })
    }

    /// Returns the number of GPUs.
    pub(super) fn len(&self) -> usize {
        self.machines.len()
    }

    /// Prepares a sink on each GPU, which receives the streamlines. Returns the maximum number of streamlines
    /// that all GPUs may track between two reports to the sink.
    pub(super) fn begin(&self, sink: &mut dyn DeviceStreamlineSink) -> Result<Option<u64>> {
        let mut maximum: Option<u64> = None;
        for machine in &self.machines {
            let of_gpu = sink.begin_on(&machine.placed.gpu)?;
            maximum = [maximum, of_gpu].into_iter().flatten().min();
        }
        Ok(maximum.map(|maximum| maximum.saturating_mul(self.machines.len() as u64)))
    }

    /// Keeps the scratch memory for reuse by the next call.
    pub(super) fn leave(self) {
        for GpuTracker { placed, scratch, .. } in self.machines {
            placed.left().push(scratch.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Returns the names of the GPUs.
    pub(super) fn describe(&self) -> String {
        let describe = |machine: &GpuTracker<'_>| match &machine.placed.sectors {
            Sectors::There(_) => machine.placed.gpu.to_string(),
            Sectors::Here(_) => format!("{} (orientations in the memory of the host)", machine.placed.gpu),
        };
        self.machines.iter().map(describe).collect::<Vec<_>>().join(", ")
    }

    /// Tracks streamlines and counts the accepted ones on the GPUs.
    pub(super) fn count(&self, numbers: Range<u64>) -> Result<TrackSummary> {
        let summaries = self.shares(numbers, |machine, numbers| {
            let mut scratch = machine.lock();
            let mut summary = TrackSummary::default();
            let mut begin = numbers.start;
            while begin < numbers.end {
                self.control.check()?;
                let end = numbers.end.min(begin + MAX_COUNTED_STREAMLINES);
                let request = LaunchRequest { numbers: begin..end, counts: true, ..LaunchRequest::default() };
                machine.launch(self.field, &mut scratch, request)?;
                let counted = scratch.counters.to_vec(&scratch.stream)?;
                summary.merge(&summary_of(&counted));
                begin = end;
            }
            Ok(summary)
        })?;
        Ok(all_of(&summaries))
    }

    /// Tracks streamlines, counts the accepted ones and gives them to a sink, all on the GPUs.
    pub(super) fn give(
        &self,
        numbers: Range<u64>,
        sink: &mut dyn DeviceStreamlineSink,
    ) -> Result<TrackSummary> {
        let sink = Mutex::new(sink);
        let summaries = self.shares(numbers, |machine, numbers| {
            let mut scratch = machine.lock();
            let mut summary = TrackSummary::default();
            let mut begin = numbers.start;
            while machine.counts_rows && begin < numbers.end {
                self.control.check()?;
                let these =
                    begin..numbers.end.min(begin.saturating_add(scratch.lanes.buffers.most_counted()));
                begin = these.end;
                let counted = machine.count_rows(self.field, &mut scratch, these.clone(), &sink)?;
                let Some(left) = counted else {
                    summary.merge(&self.give_all(
                        machine,
                        &mut scratch,
                        GatheredStreamlines::Numbers(these),
                        &sink,
                    )?);
                    continue;
                };
                let of_rows = summary_of(&scratch.counters.to_vec(&scratch.stream)?);
                lock(&sink).counted_in_rows(of_rows.streamlines);
                summary.merge(&of_rows);
                if left > 0 {
                    let these = GatheredStreamlines::Left { at: 0..left, of: these };
                    summary.merge(&self.give_all(machine, &mut scratch, these, &sink)?);
                }
            }
            if begin < numbers.end {
                let rest = GatheredStreamlines::Numbers(begin..numbers.end);
                summary.merge(&self.give_all(machine, &mut scratch, rest, &sink)?);
            }
            Ok(summary)
        })?;
        Ok(all_of(&summaries))
    }

    /// Tracks streamlines on one GPU and gives the accepted ones to the sink.
    fn give_all(
        &self,
        machine: &GpuTracker<'_>,
        scratch: &mut Scratch,
        mut those: GatheredStreamlines,
        sink: &Mutex<&mut dyn DeviceStreamlineSink>,
    ) -> Result<TrackSummary> {
        let mut summary = TrackSummary::default();
        while !those.is_empty() {
            self.control.check()?;
            let gathered = machine.gather(self.field, scratch, &those)?;
            let Scratch { stream, counters, lanes, .. } = &*scratch;
            summary.merge(&summary_of(&counters.to_vec(stream)?));
            let numbers = those.take(gathered.followed);
            if let Some(pool) = &lanes.pool
                && gathered.streamlines > 0
            {
                let spans = pool.spans.range(0..gathered.streamlines);
                let positions = pool.points.range(0..3 * gathered.points);
                lock(sink).take_on_gpu(StreamlineBatchOnGpu { stream, spans, numbers, positions })?;
            }
        }
        Ok(summary)
    }

    /// Tracks streamlines and returns them in the order of their numbers. `points` is true if their points
    /// are needed.
    pub(super) fn batches(&self, numbers: Range<u64>, points: bool) -> Result<Vec<Batch>> {
        let batches = self.shares(numbers, |machine, numbers| {
            let mut scratch = machine.lock();
            Ok(machine.batch(self.field, &mut scratch, numbers, points)?)
        })?;
        Ok(batches.into_iter().flatten().collect())
    }

    /// Counts the voxel visits of streamlines that are known to be accepted.
    pub(super) fn count_these(&self, numbers: &[u64]) -> Result<()> {
        let share = numbers.len().div_ceil(self.machines.len()).max(1);
        on_each(self.machines.iter().zip(numbers.chunks(share)), |_, (machine, numbers)| {
            let mut scratch = machine.lock();
            let uploaded = machine.placed.gpu.upload(&scratch.stream, numbers)?;
            let request = LaunchRequest {
                numbers: 0..numbers.len() as u64,
                these: Some(uploaded.view()),
                counts: true,
                ..LaunchRequest::default()
            };
            machine.launch(self.field, &mut scratch, request)?;
            scratch.stream.synchronize()?;
            Ok(())
        })?;
        Ok(())
    }

    /// Downloads the visit counts of all GPUs and sums them.
    pub(super) fn collect(&self) -> Result<Option<Counted>> {
        let mut all: Option<Counted> = None;
        for machine in &self.machines {
            let mut scratch = machine.lock();
            let Scratch { stream, transfer, counts, sums, hits, .. } = &mut *scratch;
            if let Some(all) = &mut all {
                transfer.download_with(stream, counts.view(), |start, more| {
                    add(&mut all.counts[start..], more);
                })?;
                if let (Some(all), Some(sums)) = (&mut all.steps, sums) {
                    transfer
                        .download_with(stream, sums.view(), |start, more| add(&mut all[start..], more))?;
                }
                transfer
                    .download_with(stream, hits.view(), |start, more| add(&mut all.hits[start..], more))?;
            } else {
                let counts = transfer.download(stream, counts.view())?;
                let steps = sums.as_ref().map(|sums| transfer.download(stream, sums.view())).transpose()?;
                all = Some(Counted { counts, steps, hits: transfer.download(stream, hits.view())? });
            }
        }
        Ok(all)
    }

    fn shares<R: Send>(
        &self,
        numbers: Range<u64>,
        work: impl Fn(&GpuTracker<'a>, Range<u64>) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let part = |n: usize| share_of(&numbers, n, self.machines.len());
        on_each(self.machines.iter().enumerate(), |_, (n, machine)| work(machine, part(n)))
    }
}

fn lock<'a, 'b, T: ?Sized>(sink: &'a Mutex<&'b mut T>) -> MutexGuard<'a, &'b mut T> {
    sink.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the sum of several summaries.
fn all_of(parts: &[TrackSummary]) -> TrackSummary {
    let mut all = TrackSummary::default();
    for part in parts {
        all.merge(part);
    }
    all
}

/// Adds the values of `more` to the first values of `sums`.
fn add<T: Plain + AddAssign>(sums: &mut [T], more: &[T]) {
    let part =
        |(sums, more): (&mut [T], &[T])| sums.iter_mut().zip(more).for_each(|(sum, &more)| *sum += more);
    sums[..more.len()].par_chunks_mut(ADDED).zip(more.par_chunks(ADDED)).for_each(part);
}

/// Number of values that a thread adds at a time.
const ADDED: usize = 1 << 14;

/// Launches one of four kernels with the same arguments. The choice depends on two conditions: whether a set
/// of regions needs more than one word, and whether there are surfaces. Kernels with surfaces get the surface
/// tables as additional arguments.
macro_rules! by_regions {
    ($surfaces:expr, $is_wide:expr, [$narrow:ident, $wide:ident], [$narrow_on:ident, $wide_on:ident], $($argument:expr),* $(,)?) => {
        match (&$surfaces, $is_wide) {
            (None, false) => kernels::$narrow($($argument),*),
            (None, true) => kernels::$wide($($argument),*),
            (Some(on), false) => kernels::$narrow_on(
                $($argument),*, on.cells, &on.first, &on.list, &on.triangles, on.inside(), on.seeds(),
            ),
            (Some(on), true) => kernels::$wide_on(
                $($argument),*, on.cells, &on.first, &on.list, &on.triangles, on.inside(), on.seeds(),
            ),
        }
    };
}

/// Tasks of a kernel launch.
#[derive(Default)]
struct LaunchRequest<'a> {
    numbers: Range<u64>,
    /// List of streamline numbers to track instead of the range `numbers`; both have the same length.
    these: Option<BufferView<'a, u64>>,
    counts: bool,
    records: Option<&'a mut Buffer<KernelOutcome>>,
    points: Option<Points<'a>>,
}

/// Streamlines whose points are gathered in a pool in GPU memory.
enum GatheredStreamlines {
    /// Streamlines with these numbers.
    Numbers(Range<u64>),
    /// Streamlines at the positions `at` in the list of streamlines that met more matrix elements than a lane
    /// can store. Their numbers are within `of`.
    Left { at: Range<u64>, of: Range<u64> },
}

impl GatheredStreamlines {
    fn count(&self) -> u64 {
        match self {
            Self::Numbers(part) | Self::Left { at: part, .. } => part.end - part.start,
        }
    }

    fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Removes the first `followed` streamlines. Returns a range that contains their numbers.
    fn take(&mut self, followed: u64) -> Range<u64> {
        match self {
            Self::Numbers(numbers) => {
                let begin = numbers.start;
                numbers.start += followed;
                begin..numbers.start
            }
            Self::Left { at, of } => {
                at.start += followed;
                of.clone()
            }
        }
    }
}

/// Result of a launch that gathers streamlines.
struct Gathered {
    /// Number of streamlines that were tracked. They are the first ones of the requested streamlines.
    followed: u64,
    streamlines: usize,
    points: usize,
}

/// The destination of points: the index of each streamline's first point, the number of points of each half,
/// and the buffer.
struct Points<'a> {
    firsts: BufferView<'a, u64>,
    request: BufferView<'a, [u32; 2]>,
    positions: &'a mut Buffer<f32>,
}

impl<'a> GpuTracker<'a> {
    fn new(
        field: &Followers<'_>,
        placed: &'a Placed,
        regions: &RegionTables,
        purpose: &RequestedOutputs<'_>,
    ) -> CudaResult<Self> {
        let &RequestedOutputs { counters, on_accept, in_flight, .. } = purpose;
        let gpu = &placed.gpu;
        let counted = counters.map_or((0, false, 0), Counters::sizes);
        let is_wide = are_wide(field.walk.region_grids);
        let met = match on_accept {
            OnAccept::Rows(needs) => Some(needs),
            OnAccept::Nothing | OnAccept::Streamlines => None,
        };
        let surfaces = regions.surfaces.is_some() || met.is_some_and(|met| met.triangles);
        let what = match on_accept {
            OnAccept::Nothing => "follow",
            OnAccept::Streamlines => "gather",
            OnAccept::Rows(_) => "count",
        };
        let width = if is_wide { "wide" } else { "narrow" };
        let name = format!("samples_{what}_{width}{}", if surfaces { "_surfaces" } else { "" });
        let blocks = Blocks::on(gpu, surfaces, met.is_some(), !regions.warps.is_empty());
        let kernel = kernels::IMAGES.kernel(gpu, &name)?;
        let on_one = kernel.blocks_per_multiprocessor(blocks.threads, blocks.shared(blocks.threads))?;
        let fitting = on_one.max(1) * blocks.multiprocessors * blocks.threads;
        let needs = LaneNeeds {
            lists: counted.0 > 0,
            list_steps: counted.1,
            cells: field.run_parameters.flags & constants::LOOP_CHECK != 0,
            words: is_wide.then_some(field.run_parameters.words),
            met,
        };
        let gathers = on_accept == OnAccept::Streamlines;
        let count = in_flight.map_or(fitting, |lanes| lanes.clamp(1, fitting).next_multiple_of(MIN_LANES));
        let lanes = LanesSize { count, capacity: 2 * field.run_parameters.points as usize, needs, gathers };
        let centres = bytemuck::cast_slice(&field.walk.starting_points.centres);
        let left = placed.left().pop();
        let scratch = Scratch::of(gpu, left, &Needs { centres, regions, counted, lanes })?;
        Ok(Self { placed, is_wide, counts_rows: met.is_some(), blocks, scratch: Mutex::new(scratch) })
    }

    fn lock(&self) -> MutexGuard<'_, Scratch> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn launch(
        &self,
        field: &Followers<'_>,
        scratch: &mut Scratch,
        request: LaunchRequest<'_>,
    ) -> CudaResult<()> {
        let LaunchRequest { numbers, these, counts: counting, records, points } = request;
        let count = numbers.end - numbers.start;
        scratch.queue.zero(&scratch.stream)?;
        scratch.counters.zero(&scratch.stream)?;
        let under_way = scratch.lanes_for(count);
        if under_way == 0 {
            return Ok(());
        }
        let Scratch { stream, centres, region_grids, bits, sets, warps, surfaces, .. } = scratch;
        let Scratch { lanes, queue, counters, counts, sums, hits, .. } = scratch;
        let LaneBuffers { lists, list_steps, cells, passages, .. } = &mut lanes.buffers;
        let listing = counting && !counts.is_empty();
        let (firsts, halves, positions) = match points {
            Some(Points { firsts, request, positions }) => (Some(firsts), Some(request), Some(positions)),
            None => (None, None, None),
        };
        // SAFETY:
        // The kernel checks all indices into the orientation sectors, region grids and cells of displacement
        // fields. Cells of surfaces list only existing triangles, and seeds have their positions. Each lane
        // has a list for twice the points of a half, and a set with a bit for each region. There is a counter
        // for each voxel, and a number of streamlines for each pair of seed and target. `records`, `firsts`
        // and `halves` have one entry per streamline. `positions` has as many points as the halves state.
        unsafe {
            by_regions!(
                surfaces,
                self.is_wide,
                [samples_follow_narrow, samples_follow_wide],
                [samples_follow_narrow_surfaces, samples_follow_wide_surfaces],
                stream,
                self.blocks.grid(under_way),
                field.run_parameters,
                numbers.start,
                count,
                these,
                &self.placed.places,
                self.placed.sectors.input(),
                &*centres,
                &*region_grids,
                &*bits,
                &*sets,
                &warps.values,
                &mut *queue,
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
        }?;
        // Lanes take streamline numbers from the queue until no number is left.
        require_processed(&self.placed.gpu, queue.to_vec(stream)?[0], count)
    }

    /// Tracks streamlines and counts the accepted ones in matrix rows. Returns the number of streamlines that
    /// met more matrix elements than a lane can store. Returns `None` if the sink has no matrix rows.
    fn count_rows(
        &self,
        field: &Followers<'_>,
        scratch: &mut Scratch,
        numbers: Range<u64>,
        sink: &Mutex<&mut dyn DeviceStreamlineSink>,
    ) -> Result<Option<u64>> {
        let count = numbers.end - numbers.start;
        let under_way = scratch.lanes_for(count);
        let Scratch { stream, centres, region_grids, bits, sets, warps, surfaces, .. } = scratch;
        let Scratch { lanes, queue, counters, counts, sums, hits, .. } = scratch;
        let LaneBuffers { lists, list_steps, cells, passages, met } = &mut lanes.buffers;
        counters.zero(stream)?;
        let Some(met) = met.as_mut().filter(|_| under_way > 0) else { return Ok(Some(0)) };
        queue.zero(stream)?;
        met.left_count.zero(stream)?;
        let most_left = met.left.len() as u64;
        let mut taker = lock(sink);
        let Some(rows) = taker.rows_on(stream, numbers.clone())? else { return Ok(None) };
        // SAFETY:
        // The conditions are those in `launch`, and the following. Matrix elements are columns of the rows,
        // voxels refer to existing elements and lists, and cells refer to existing triangles. Each lane can
        // store `met.each` elements, and the list of streamlines that are not counted has `most_left`
        // entries.
        unsafe {
            by_regions!(
                surfaces,
                self.is_wide,
                [samples_count_narrow, samples_count_wide],
                [samples_count_narrow_surfaces, samples_count_wide_surfaces],
                stream,
                self.blocks.grid(under_way),
                field.run_parameters,
                numbers.start,
                count,
                &self.placed.places,
                self.placed.sectors.input(),
                &*centres,
                &*region_grids,
                &*bits,
                &*sets,
                &warps.values,
                &mut *queue,
                counters,
                counts,
                sums.as_mut(),
                hits,
                lists.as_mut(),
                list_steps.as_mut(),
                cells.as_mut(),
                passages.as_mut(),
                bytemuck::cast(rows.meeting),
                rows.lattices,
                rows.voxels,
                rows.lists,
                rows.listed,
                rows.warps,
                bytemuck::cast(rows.cells),
                rows.first,
                rows.list,
                rows.triangles,
                rows.rows_of_seeds,
                rows.counts,
                rows.steps,
                &mut met.elements,
                met.ranks.as_mut(),
                met.each,
                &mut met.left,
                &mut met.left_count,
                most_left,
            )
        }?;
        drop(taker);
        // This runs while the GPU is working.
        while lock(sink).meanwhile() {}
        require_processed(&self.placed.gpu, queue.to_vec(stream)?[0], count)?;
        let left = met.left_count.to_vec(stream)?[0];
        if left > most_left {
            let problem = format!(
                "{left} streamlines each pass more than {} voxels and vertices of the matrix",
                met.each
            );
            return Err(Error::device_too_small(
                "tracking",
                problem,
                "use a matrix with fewer voxels and vertices",
            ));
        }
        met.note(left, count);
        Ok(Some(left))
    }

    fn gather(
        &self,
        field: &Followers<'_>,
        scratch: &mut Scratch,
        those: &GatheredStreamlines,
    ) -> CudaResult<Gathered> {
        let count = those.count();
        let under_way = scratch.lanes_for(count);
        if under_way == 0 {
            return Ok(Gathered { followed: count, streamlines: 0, points: 0 });
        }
        let Scratch { stream, centres, region_grids, bits, sets, warps, surfaces, .. } = scratch;
        let Scratch { lanes, queue, counters, counts, sums, hits, .. } = scratch;
        let (buffers, pool) = lanes.with_pool(&self.placed.gpu, 2 * field.run_parameters.points as usize)?;
        let under_way = under_way.min(pool.lanes);
        let LaneBuffers { lists, list_steps, cells, passages, met } = buffers;
        let (begin, these) = match (those, met) {
            (GatheredStreamlines::Numbers(numbers), _) => (numbers.start, None),
            (GatheredStreamlines::Left { at, .. }, Some(met)) => {
                (0, Some(met.left.range(at.start as usize..at.end as usize)))
            }
            // If no matrix row was counted, there is no list of streamlines that remain to be counted.
            (GatheredStreamlines::Left { .. }, None) => {
                return Ok(Gathered { followed: count, streamlines: 0, points: 0 });
            }
        };
        queue.zero(stream)?;
        counters.zero(stream)?;
        pool.used.zero(stream)?;
        // SAFETY:
        // The conditions are those in `launch`, and the following. Each lane can store the points of two
        // halves of a streamline. When a streamline starts, the pool can hold all streamlines in progress.
        unsafe {
            by_regions!(
                surfaces,
                self.is_wide,
                [samples_gather_narrow, samples_gather_wide],
                [samples_gather_narrow_surfaces, samples_gather_wide_surfaces],
                stream,
                self.blocks.grid(under_way),
                field.run_parameters,
                begin,
                count,
                these,
                &self.placed.places,
                self.placed.sectors.input(),
                &*centres,
                &*region_grids,
                &*bits,
                &*sets,
                &warps.values,
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
                pool.maximum[0],
                pool.maximum[1],
            )
        }?;
        let used = pool.used.to_vec(stream)?;
        // Each lane that found the queue empty has increased the queue's number beyond the last streamline.
        let followed = queue.to_vec(stream)?[0].min(count);
        require_processed(&self.placed.gpu, followed, 1)?;
        Ok(Gathered { followed, points: used[0] as usize, streamlines: used[1] as usize })
    }

    fn batch(
        &self,
        field: &Followers<'_>,
        scratch: &mut Scratch,
        numbers: Range<u64>,
        points: bool,
    ) -> CudaResult<Vec<Batch>> {
        let count = (numbers.end - numbers.start) as usize;
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut records = self.placed.gpu.alloc::<KernelOutcome>(count)?;
        let request = LaunchRequest {
            numbers: numbers.clone(),
            records: Some(&mut records),
            ..LaunchRequest::default()
        };
        self.launch(field, scratch, request)?;
        let records = scratch.transfer.download(&scratch.stream, records.view())?;
        let outcomes: Vec<Outcome> = records.into_iter().map(KernelOutcome::outcome).collect();
        if !points {
            return Ok(vec![Batch { first: numbers.start, outcomes, ..Batch::default() }]);
        }
        let maximum = (self.placed.gpu.budget()? / 48).clamp(1, MAX_POINTS);
        let mut batches = Vec::new();
        let mut rest = outcomes.into_iter().zip(numbers).peekable();
        while let Some((_, first)) = rest.peek().copied() {
            let mut batch = Batch { first, offsets: vec![0], ..Batch::default() };
            let (mut these, mut halves, mut all) = (Vec::new(), Vec::new(), 0);
            while let Some((outcome, number)) = rest.peek().copied() {
                if outcome.is_accepted() {
                    let own = u64::from(outcome.joined());
                    if all > 0 && all + own > maximum {
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
            batch.positions = self.points(field, scratch, &these, &halves, &batch.offsets)?;
            batches.push(batch);
        }
        Ok(batches)
    }

    fn points(
        &self,
        field: &Followers<'_>,
        scratch: &mut Scratch,
        numbers: &[u64],
        halves: &[[u32; 2]],
        offsets: &[u64],
    ) -> CudaResult<Vec<Point>> {
        let Some(&all) = offsets.last().filter(|&&all| all > 0) else { return Ok(Vec::new()) };
        let mut positions = self.placed.gpu.alloc(3 * all as usize)?;
        let these = self.placed.gpu.upload(&scratch.stream, numbers)?;
        let firsts = self.placed.gpu.upload(&scratch.stream, &offsets[..numbers.len()])?;
        let halves = self.placed.gpu.upload(&scratch.stream, halves)?;
        let to = Points { firsts: firsts.view(), request: halves.view(), positions: &mut positions };
        let request = LaunchRequest {
            numbers: 0..numbers.len() as u64,
            these: Some(these.view()),
            points: Some(to),
            ..LaunchRequest::default()
        };
        self.launch(field, scratch, request)?;
        let Scratch { stream, transfer, .. } = scratch;
        Ok(bytemuck::allocation::cast_vec(transfer.download(stream, positions.view())?))
    }
}

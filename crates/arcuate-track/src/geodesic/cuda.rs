//! Follows geodesic rays on GPUs. Rays are started, sorted by position, followed for some steps, and sorted
//! again, until all rays have stopped.
//!
//! Rays are first followed without storing their points, which gives the number of points of each ray. The
//! wanted rays are then followed again, and write their points directly to their final place in memory. Thus
//! points need not be moved, and only points of wanted rays leave the GPU.
#![allow(unsafe_code)]

use super::constants;
use super::field::{Frame, OnGpu, Plan, PreparationTimes, Rows};
use super::kernels::{self, Begin, Course, State};
use super::options::{Field, GeodesicIntegrator, Settings};
use super::outcome::{Hit, Outcome, measures_of, points_of, steps_of};
use super::packet::{Goals, SHORTEST};
use super::rays::{Batch, FollowRays, RayTimes, RayTiming};
use super::starts::Start;
use arcuate_compute::cuda::{Buffer, BufferView, Clock, CudaResult, Gpu, Grid, Stream, Transfer, on_each};
use arcuate_compute::sort::Pairs;
use arcuate_core::{Error, Result, narrow};
use arcuate_numbers::Real;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of threads in a block, and number of warps (groups of 32 threads) in a block.
pub(super) const THREADS: u32 = constants::THREADS;
const WARPS: u32 = constants::WARPS;
/// Number of threads in a block of the kernel that computes the keys for sorting rays.
const KEY_THREADS: u32 = 256;

/// Number of steps of a ray between two sorts by position.
pub(super) const STEPS: u32 = 256;
/// If at most this number of rays is left, the rays are followed to their end without sorting. Sorting would
/// take longer than it saves.
const FEW: usize = 1 << 15;
/// Maximum number of rays on a GPU at a time.
const MAX_RAYS: usize = 1 << 20;
/// Maximum number of points on a GPU at a time. A single streamline may have more points. The number is
/// smaller if memory is short.
const MAX_POINTS: u64 = 1 << 23;

/// Flag in the offset of a ray's points: the points are written in reverse order.
const BACKWARDS: u64 = constants::BACKWARDS;

/// Converts the start of a ray to the structure that the GPU kernels read.
fn begin_of<T: Real>(start: &Start, shape: [usize; 3]) -> Begin<T> {
    let mut numbers = [T::of(0.0); 10];
    for axis in 0..3 {
        let whole = start.at[axis].floor();
        numbers[axis] = T::of(whole);
        numbers[3 + axis] = T::of(start.at[axis] - whole);
        numbers[6 + axis] = T::of(start.velocity[axis]);
    }
    let voxel = start.voxel(shape).map_or(constants::NOWHERE, |voxel| voxel as u64);
    Begin { voxel, steps: u64::from(start.steps), numbers }
}

/// A GPU with the metric field, and the resources of two workers. While one worker computes, the other
/// copies.
#[derive(Debug)]
pub(super) struct Machine<T: Real> {
    field: OnGpu<T>,
    tools: [Mutex<Tools<T>>; 2],
}

impl<T: Real> Machine<T> {
    pub(super) fn new(field: OnGpu<T>) -> CudaResult<Self> {
        let tools = || -> CudaResult<_> {
            let gpu = &field.gpu;
            let transfer = Transfer::new(gpu, usize::MAX)?;
            Ok(Mutex::new(Tools { stream: gpu.stream()?, transfer, buffers: None }))
        };
        let tools = [tools()?, tools()?];
        Ok(Self { field, tools })
    }

    /// Returns the time for the computation of the metric field; `None` if the GPU did not compute it.
    pub(super) fn times(&self) -> Option<PreparationTimes> {
        self.field.times
    }
}

/// Data on a GPU that all rays of a run share.
struct Place<'a, T: Real> {
    field: &'a OnGpu<T>,
    marks: Option<Buffer<u16>>,
    distances: Option<Buffer<f32>>,
}

#[derive(Debug)]
struct Tools<T: Real> {
    stream: Stream,
    transfer: Transfer,
    buffers: Option<RayBuffers<T>>,
}

/// GPU buffers for a number of rays.
#[derive(Debug)]
struct RayBuffers<T: Real> {
    begins: Buffer<Begin<T>>,
    states: Buffer<State<T>>,
    outcomes: Buffer<Outcome>,
    pairs: Pairs<u32>,
    order: Buffer<u32>,
    going: Buffer<u32>,
    hit_count: Buffer<u32>,
}

impl<T: Real> RayBuffers<T> {
    fn new(gpu: &Gpu, rays: usize) -> CudaResult<Self> {
        Ok(Self {
            begins: gpu.alloc(rays)?,
            states: gpu.alloc(rays)?,
            outcomes: gpu.alloc(rays)?,
            pairs: Pairs::new(gpu, rays)?,
            order: gpu.alloc(rays)?,
            going: gpu.alloc(1)?,
            hit_count: gpu.alloc(1)?,
        })
    }

    fn bytes(gpu: &Gpu, rays: usize) -> CudaResult<u64> {
        gpu.bytes_of(|gpu| Self::new(gpu, rays))
    }
}

/// GPUs that follow rays.
pub(super) struct OnGpus<'a, T: Real> {
    frame: &'a Frame,
    course: Course<T>,
    numbers: [u32; 2],
    /// Number of threads in a block, and number of steps of a ray between two sorts.
    threads: u32,
    steps: u32,
    nodes: usize,
    has_targets: bool,
    end_at_targets: bool,
    machines: &'a [Machine<T>],
    places: Vec<Place<'a, T>>,
}

impl<'a, T: Real> OnGpus<'a, T> {
    pub(super) fn new(
        machines: &'a [Machine<T>],
        plan: &'a Plan,
        settings: &Settings,
        goals: &Goals,
        connectivity: bool,
    ) -> Result<Self> {
        let frame = &plan.frame;
        let places = on_each(machines, |_, machine| {
            let mut tools = lock(&machine.tools[0]);
            let Tools { stream, transfer, .. } = &mut *tools;
            let marks = goals.marks.as_ref().map(|marks| transfer.upload(stream, marks)).transpose()?;
            let distances = goals.distances.as_ref().map(|all| transfer.upload(stream, all)).transpose()?;
            stream.synchronize()?;
            Ok(Place { field: &machine.field, marks, distances })
        })?;
        let flat = |m: [[f64; 3]; 3]| {
            let mut numbers = [T::of(0.0); 9];
            for n in 0..9 {
                numbers[n] = T::of(m[n / 3][n % 3]);
            }
            numbers
        };
        let (integrator, tolerance) = match settings.integrator {
            GeodesicIntegrator::Euler => (0, 1.0),
            GeodesicIntegrator::Heun => (1, 1.0),
            GeodesicIntegrator::RungeKutta4 => (2, 1.0),
            GeodesicIntegrator::Adaptive { tolerance } => (3, tolerance),
        };
        let field = match plan.field() {
            Field::Spline => 0,
            Field::Trilinear => 1,
            Field::Thesis => 2,
        };
        let course = Course {
            to_mm: flat(frame.to_mm),
            to_voxels: flat(frame.to_voxels),
            euclidean: frame.euclidean().map(T::of),
            origin: frame.origin.map(T::of),
            step: T::of(settings.step),
            shortest: T::of(settings.step * SHORTEST),
            min_cosine: T::of(settings.min_cosine),
            tolerance: T::of(1.0 / tolerance),
            scale: T::of(plan.scale),
            shape: frame.shape.map(narrow::<i32>),
            connectivity: u32::from(connectivity),
            ends_at_target: u32::from(goals.ends_at_target),
            end_loops: u32::from(settings.end_loops),
            max_length: settings.max_length,
        };
        Ok(Self {
            frame,
            course,
            numbers: [field, integrator],
            threads: THREADS,
            steps: STEPS,
            nodes: frame.nodes(),
            has_targets: goals.has_targets,
            end_at_targets: goals.ends_at_target,
            machines,
            places,
        })
    }
}

impl<T: Real> OnGpus<'_, T> {
    /// Follows rays several times, with an equal number of rays on each GPU. All points are written to GPU
    /// memory. Returns the time of each repetition.
    pub(super) fn time(&mut self, starts: &[Start], how: &RayTiming) -> Result<RayTimes> {
        self.threads = how.block_threads.clamp(32, THREADS) / 32 * 32;
        self.steps = how.steps_between_sorts.max(1);
        let repeats = how.repeats;
        let share = starts.len().div_ceil(self.machines.len()).max(1);
        let times = on_each(starts.chunks(share).enumerate(), |_, (n, starts)| {
            let mut tools = lock(&self.machines[n].tools[0]);
            Task { rays: &*self, place: &self.places[n] }.time(&mut tools, starts, repeats)
        })?;
        let slowest = |n: usize| times.iter().map(|times| times.seconds[n]).fold(0.0, f64::max);
        let seconds = (0..repeats).map(slowest).collect();
        Ok(RayTimes { seconds, steps: times.iter().map(|times| times.steps).sum() })
    }
}

impl<T: Real> FollowRays for OnGpus<'_, T> {
    fn follow(&self, starts: &[Start], sides: usize, points: bool) -> Result<Vec<Batch>> {
        let workers = self.machines.len() * 2;
        // Streamlines are not split between workers.
        let share = starts.len().div_ceil(workers).next_multiple_of(2 * WARPS as usize * 32);
        let batches = on_each(starts.chunks(share.max(1)).enumerate(), |_, (n, starts)| {
            let mut tools = lock(&self.machines[n / 2].tools[n % 2]);
            Task { rays: self, place: &self.places[n / 2] }.follow(&mut tools, starts, sides, points)
        })?;
        Ok(batches.into_iter().flatten().collect())
    }

    fn max_rays(&self) -> u64 {
        MAX_RAYS as u64
    }
}

/// Describes the GPUs.
pub(super) fn describe<T: Real>(machines: &[Machine<T>]) -> String {
    let describe = |machine: &Machine<T>| match &machine.field {
        OnGpu { gpu, rows: Rows::There(_), .. } => gpu.to_string(),
        OnGpu { gpu, rows: Rows::Here(_), .. } => format!("{gpu} (the field in the memory of the host)"),
    };
    machines.iter().map(describe).collect::<Vec<_>>().join(", ")
}

/// GPU buffers for the points of rays.
struct Points<'a> {
    firsts: BufferView<'a, u64>,
    positions: &'a mut Buffer<f32>,
    connectivity: Option<&'a mut Buffer<f32>>,
}

fn lock<T: Real>(tools: &Mutex<Tools<T>>) -> MutexGuard<'_, Tools<T>> {
    tools.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Task<'a, T: Real> {
    rays: &'a OnGpus<'a, T>,
    place: &'a Place<'a, T>,
}

impl<T: Real> Task<'_, T> {
    fn follow(
        &self,
        tools: &mut Tools<T>,
        starts: &[Start],
        sides: usize,
        points: bool,
    ) -> Result<Vec<Batch>> {
        let chunk = self.reserve_buffers(tools, starts.len())?;
        let mut batches = Vec::new();
        for starts in starts.chunks(chunk) {
            let begins: Vec<Begin<T>> =
                starts.iter().map(|start| begin_of(start, self.rays.frame.shape)).collect();
            let (outcomes, hits) = self.survey(tools, &begins)?;
            if points {
                self.points(tools, &begins, &outcomes, sides, &mut batches)?;
            } else {
                batches.push(Batch { outcomes, hits, ..Batch::default() });
            }
        }
        Ok(batches)
    }

    fn time(&self, tools: &mut Tools<T>, starts: &[Start], repeats: usize) -> Result<RayTimes> {
        if self.reserve_buffers(tools, starts.len())? < starts.len() {
            let problem = format!("{} rays are more than the GPU can process at a time", starts.len());
            return Err(Error::usage(
                "‘rays’",
                problem,
                format!("give at most {MAX_RAYS}, or free GPU memory"),
            ));
        }
        let begins: Vec<Begin<T>> =
            starts.iter().map(|start| begin_of(start, self.rays.frame.shape)).collect();
        let mut firsts = Vec::with_capacity(starts.len());
        let mut all = 0;
        for start in starts {
            firsts.push(all);
            all += u64::from(start.steps) + 1;
        }
        let mut points = self.place.field.gpu.alloc(3 * all as usize)?;
        let required = self.rays.course.connectivity != 0;
        let mut connectivity = required.then(|| self.place.field.gpu.alloc(all as usize)).transpose()?;
        let firsts = tools.transfer.upload(&tools.stream, &firsts)?;
        let mut nothing = self.place.field.gpu.alloc::<Hit>(0)?;
        let mut times = RayTimes { seconds: Vec::new(), steps: 0 };
        for _ in 0..repeats {
            self.begin(tools, &begins)?;
            let to =
                Points { firsts: firsts.view(), positions: &mut points, connectivity: connectivity.as_mut() };
            let clock = Clock::start(&tools.stream)?;
            self.go(tools, 0..starts.len(), &mut nothing, Some(to))?;
            times.seconds.push(clock.stop(&tools.stream)?);
            let Tools { stream, transfer, buffers: Some(buffers) } = &mut *tools else { break };
            times.steps = steps_of(&transfer.download(stream, buffers.outcomes.range(0..starts.len()))?);
        }
        Ok(times)
    }

    /// Allocates GPU buffers for rays. Returns the number of rays that the buffers can hold.
    fn reserve_buffers(&self, tools: &mut Tools<T>, rays: usize) -> CudaResult<usize> {
        let gpu = &self.place.field.gpu;
        let had = tools.buffers.as_ref().map_or(0, |buffers| buffers.order.len());
        let required = rays.min(MAX_RAYS);
        if had >= required {
            return Ok(had);
        }
        tools.buffers = None;
        // Half of the GPU memory is for the other worker. Half of the remaining memory is for the points of
        // rays and for hits (entries of rays into targets).
        let mut chunk = required;
        while chunk > 1024 && RayBuffers::<T>::bytes(gpu, chunk)? > gpu.budget()? / 4 {
            chunk = (chunk / 2).next_multiple_of(256);
        }
        tools.buffers = Some(RayBuffers::new(gpu, chunk)?);
        Ok(chunk)
    }

    /// Follows rays without storing their points.
    fn survey(&self, tools: &mut Tools<T>, begins: &[Begin<T>]) -> Result<(Vec<Outcome>, Vec<Hit>)> {
        // A hit is the entry of a ray into a target. If rays stop in the target, each ray has at most one
        // hit. If not, a ray can have several hits, so the buffer of hits may be too small. The rays are then
        // followed again with a larger buffer.
        let mut hits_room = if !self.rays.has_targets {
            0
        } else if self.rays.end_at_targets {
            begins.len()
        } else {
            2 * begins.len()
        };
        loop {
            let mut hits = self.place.field.gpu.alloc::<Hit>(hits_room)?;
            self.begin(tools, begins)?;
            self.go(tools, 0..begins.len(), &mut hits, None)?;
            let Tools { stream, transfer, buffers: Some(buffers) } = &mut *tools else {
                return Ok(Default::default());
            };
            let found = buffers.hit_count.to_vec(stream)?[0] as usize;
            if found > hits_room {
                hits_room = found;
                continue;
            }
            let outcomes = transfer.download(stream, buffers.outcomes.range(0..begins.len()))?;
            return Ok((outcomes, transfer.download(stream, hits.range(0..found))?));
        }
    }

    /// Follows rays again and stores their points. `outcomes` contains the number of points of each ray.
    fn points(
        &self,
        tools: &mut Tools<T>,
        begins: &[Begin<T>],
        outcomes: &[Outcome],
        sides: usize,
        batches: &mut Vec<Batch>,
    ) -> Result<()> {
        let lengths: Vec<u64> = outcomes.chunks(sides).map(points_of).collect();
        // The points use a quarter of the free GPU memory, at 16 bytes per point. The other worker uses
        // another quarter.
        let maximum = (self.place.field.gpu.budget()? / 64).clamp(1, MAX_POINTS);
        let mut next_streamline = 0;
        while next_streamline < lengths.len() {
            let (mut end, mut total) = (next_streamline, 0);
            while end < lengths.len() && (end == next_streamline || total + lengths[end] <= maximum) {
                total += lengths[end];
                end += 1;
            }
            let rays = next_streamline * sides..end * sides;
            let mut batch =
                Batch { offsets: vec![0], outcomes: outcomes[rays.clone()].to_vec(), ..Batch::default() };
            let mut firsts = vec![constants::NOWHERE; rays.len()];
            let mut at = 0;
            for (streamline, rays) in outcomes[rays.clone()].chunks(sides).enumerate() {
                let length = lengths[next_streamline + streamline];
                if length == 0 {
                    continue;
                }
                let before = rays.get(1).map_or(0, |ray| u64::from(ray.points) - 1);
                firsts[streamline * sides] = at + before;
                if sides == 2 {
                    firsts[streamline * sides + 1] = (at + before) | BACKWARDS;
                }
                at += length;
                batch.offsets.push(at);
                batch.measures.push(measures_of(rays));
            }
            if at > 0 {
                let mut points = self.place.field.gpu.alloc(3 * at as usize)?;
                let mut connectivity = self.place.field.gpu.alloc(at as usize)?;
                // The kernels count rays from the first ray that is started here.
                self.begin(tools, &begins[rays.clone()])?;
                let firsts = tools.transfer.upload(&tools.stream, &firsts)?;
                let mut nothing = self.place.field.gpu.alloc::<Hit>(0)?;
                let to = Points {
                    firsts: firsts.view(),
                    positions: &mut points,
                    connectivity: Some(&mut connectivity),
                };
                self.go(tools, 0..rays.len(), &mut nothing, Some(to))?;
                let Tools { stream, transfer, .. } = &mut *tools;
                batch.positions = bytemuck::allocation::cast_vec(transfer.download(stream, points.view())?);
                batch.connectivity = transfer.download(stream, connectivity.view())?;
            }
            batches.push(batch);
            next_streamline = end;
        }
        Ok(())
    }

    fn begin(&self, tools: &mut Tools<T>, begins: &[Begin<T>]) -> Result<()> {
        let Tools { stream, buffers: Some(buffers), .. } = tools else { return Ok(()) };
        buffers.begins.range_mut(0..begins.len()).copy_from(stream, begins)?;
        buffers.hit_count.zero(stream)?;
        let grid = Grid::for_items(begins.len(), KEY_THREADS);
        let count = narrow::<u32>(begins.len());
        let marks = self.place.marks.as_ref();
        // SAFETY:
        // The buffers have at least `count` elements. The voxels are inside the image, and `marks` has an
        // element for each voxel of the image.
        unsafe {
            kernels::geodesic_begin::<T>(
                stream,
                grid,
                self.rays.course,
                count,
                &buffers.begins,
                marks,
                &mut buffers.states,
                &mut buffers.outcomes,
            )
        }?;
        Ok(())
    }

    /// Follows the started rays to their end.
    fn go(
        &self,
        tools: &mut Tools<T>,
        rays: Range<usize>,
        hits: &mut Buffer<Hit>,
        mut to: Option<Points<'_>>,
    ) -> Result<()> {
        let Tools { stream, buffers: Some(buffers), .. } = tools else { return Ok(()) };
        let bits = u64::BITS - (self.rays.nodes as u64).leading_zeros() + 1;
        let mut count = rays.len();
        let mut ordered = false;
        while count > 0 {
            let RayBuffers { states, outcomes, pairs, order, going, hit_count, .. } = &mut *buffers;
            going.zero(stream)?;
            let (keys, values) = pairs.both_mut();
            let before = ordered.then(|| order.range(0..count));
            let grid = Grid::for_items(count, KEY_THREADS);
            // SAFETY:
            // `order` contains numbers of rays, and all other buffers have an element for each of these rays.
            unsafe {
                kernels::geodesic_keys::<T>(
                    stream,
                    grid,
                    self.rays.course,
                    narrow::<u32>(count),
                    before,
                    &*states,
                    &*outcomes,
                    keys,
                    values,
                    &mut *going,
                )
            }?;
            let few = count <= FEW;
            if !few {
                // Only the first `count` elements are sorted. The other elements are left over from an
                // earlier sort.
                pairs.sort_first(stream, count, 0..bits)?;
            }
            order.range_mut(0..count).copy_from_device(stream, pairs.values().range(0..count))?;
            let still = going.to_vec(stream)?[0] as usize;
            if still == 0 {
                return Ok(());
            }
            // If rays are not sorted, rays that have stopped remain between the active rays.
            let taken = if few { count } else { still };
            let lanes = lanes(taken, self.place.field.gpu.multiprocessors());
            let threads = self.rays.threads;
            let blocks = taken.div_ceil((lanes * threads / 32) as usize);
            let (firsts, points, connectivity) = match &mut to {
                Some(Points { firsts, positions, connectivity }) => (
                    Some(*firsts),
                    Some(positions.view_mut()),
                    connectivity.as_mut().map(|all| all.view_mut()),
                ),
                None => (None, None, None),
            };
            // SAFETY:
            // The kernel checks that positions are in the image, for which there are nodes, marks and
            // distances. The buffers of points have the sizes that the outcomes of the rays specify. The same
            // rays give the same outcomes again.
            unsafe {
                kernels::geodesic_rays::<T>(
                    self.rays.numbers,
                    stream,
                    Grid::row(narrow::<u32>(blocks), threads),
                    self.rays.course,
                    narrow::<u32>(taken),
                    lanes,
                    if few { u32::MAX } else { self.rays.steps },
                    narrow::<u32>(hits.len()),
                    &*order,
                    self.place.field.rows.input(),
                    self.place.field.plain.as_ref().map(Rows::input),
                    self.place.marks.as_ref(),
                    self.place.distances.as_ref(),
                    states,
                    outcomes,
                    &mut *hits,
                    hit_count,
                    firsts,
                    points,
                    connectivity,
                )
            }?;
            if few {
                // All rays have stopped, because the kernel had no limit on the number of steps.
                stream.synchronize()?;
                return Ok(());
            }
            count = still;
            ordered = true;
        }
        Ok(())
    }
}

/// Returns the number of rays that a warp (32 threads) follows. If there are few rays, this number is below
/// 32, so that the rays of a warp wait less for each other.
fn lanes(rays: usize, multiprocessors: u32) -> u32 {
    let warps = 4 * multiprocessors.max(1) as usize;
    let each = rays.div_ceil(warps).next_power_of_two();
    narrow::<u32>(each.clamp(4, 32))
}

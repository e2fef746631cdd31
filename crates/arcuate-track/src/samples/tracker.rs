//! Tracks streamlines through sampled orientations on the CPU or on GPUs.

use super::constants;
use super::counts::VisitMap;
use super::counts::{Counted, Counters};
use super::cuda::Placed;
use super::engine::Engine;
use super::field::{Followers, SampledField};
use super::kernels::RunParameters;
use super::memory::words_of;
use super::options::{SampleIntegrator, SampleOptions};
use super::orientations::OrientationTable;
use super::purpose::{OnAccept, RequestedOutputs};
use crate::constraints::{Constraints, RegionGrids, WaypointCondition};
use crate::driver::Run;
use crate::gpus::fall_back_to_cpu;
use crate::options::warn_of_lengths;
use crate::outputs::{SampleOutputs, SampleTracks, Tracker, streamlines_of};
use crate::seeds::{SeedPlan, Seeds};
use crate::space::{DisplacementCache, flat};
use crate::summary::TrackSummary;
use crate::walk::{StartingPoints, Walk};
use arcuate_compute::Device;
use arcuate_core::{Control, Result, low_half, narrow};
use std::ops::Range;

/// Tracks streamlines through sampled orientations on a device. It can do several runs, one after the other
/// or at the same time.
///
/// The tracker keeps memory that its runs share: working memory and counters on GPUs, and the displacement
/// fields of recent runs. A run that resembles an earlier one therefore starts sooner.
pub struct SampleTracker<'a> {
    table: &'a OrientationTable,
    /// Orientations on the GPUs; `None` if the CPU tracks.
    placed: Option<Vec<Placed>>,
    ways: DisplacementCache,
    in_flight: Option<u32>,
}

impl<'a> SampleTracker<'a> {
    /// Uploads the orientations to the device. If a GPU cannot hold them, the CPU tracks the streamlines.
    pub fn new(table: &'a OrientationTable, device: &Device) -> Result<Self> {
        let placed = match device {
            Device::Cuda(gpus) => match Placed::on(gpus, table) {
                Err(error) => {
                    fall_back_to_cpu(error, &Control::default())?;
                    None
                }
                placed => Some(placed?),
            },
            Device::Cpu => None,
        };
        Ok(Self { table, placed, ways: DisplacementCache::default(), in_flight: None })
    }

    /// Limits the number of streamlines in progress on each GPU. The limit is rounded up to whole groups of
    /// 128 streamlines. A lower limit reduces memory and speed. `None` allows the maximum for the
    /// multiprocessors and the memory of the GPU.
    pub fn limit_in_flight(&mut self, streamlines: Option<u32>) {
        self.in_flight = streamlines;
    }

    /// Returns the number of streamlines of a run from these seeds. Streamlines are numbered from 0.
    ///
    /// Returns an error if the seeds are invalid.
    pub fn count(&self, seeds: &Seeds) -> Result<u64> {
        Ok(SeedPlan::new(seeds, self.table.grid())?.count())
    }

    /// Tracks streamlines through the orientations, in both directions from each seed.
    ///
    /// At each point, one of the eight surrounding voxels is drawn (with the weights of trilinear
    /// interpolation), and one of its samples. The streamline follows the fibre of this sample that is
    /// closest to its direction. [`SampleOptions`] and [`Constraints`] define when streamlines stop and which
    /// are rejected. The rules are applied in the same order as in FSL probtrackx2. Streamlines go to the
    /// sink in RAS mm, from the far end of the first half to the far end of the second half. A half that is
    /// rejected is removed.
    ///
    /// The result depends only on the orientations, the seeds, the regions and the options. It is
    /// bit-identical for any number of threads and on any device. `control` receives the progress. If
    /// [`SampleOptions::select`] is set, the progress is the number of accepted streamlines. If not, it is
    /// the number of tracked streamlines. After cancellation, the sinks get no more streamlines.
    ///
    /// # Errors
    /// Returns an error if options are invalid, if a region is empty, or if no streamline can meet the
    /// constraints. Also returns an error if no seed has orientations, if a sink fails, or if `control`
    /// cancels the run.
    pub fn track(
        &self,
        seeds: &Seeds,
        constraints: &Constraints,
        options: &SampleOptions,
        outputs: SampleOutputs<'_>,
        control: &Control,
    ) -> Result<SampleTracks> {
        options.check_on(self.table.grid(), self.table.fibres())?;
        let SampleOptions { step_mm, min_length_mm, max_length_mm, .. } = *options;
        warn_of_lengths(Some(step_mm), min_length_mm, max_length_mm, self.table.grid(), control);
        self.ways.begin();
        let plan = StartingPoints::new(seeds, self.table.grid(), &self.ways)?;
        let SampleOutputs { map, lengths, sink, device_sink, part } = outputs;
        let attempts = streamlines_of(part, plan.count, options.select)?;
        let map_lattice = map.as_ref().map(|(grid, mapping)| (grid, mapping.as_ref()));
        let region_grids =
            RegionGrids::new(self.table.grid(), options.step_mm, constraints, map_lattice, &self.ways)?;
        let field = SampledField::new(self.table, options);
        let walk = Walk::new(&field, &plan, &region_grids, &options.walk())?;
        walk.check_seeds()?;
        walk.check_regions(constraints)?;
        let run_parameters = run_parameters(&walk, options, constraints);
        let followers = Followers { walk, run_parameters };
        let voxels = map.as_ref().map_or(0, |(grid, _)| grid.len());
        let target_seeds = if region_grids.targets.is_empty() { 0 } else { plan.centres.len() };
        let counters = Counters::new(voxels, lengths, target_seeds, &region_grids.targets)?;
        let counting = voxels > 0 || !region_grids.targets.is_empty();
        if counting {
            Counters::check(options.select.unwrap_or(plan.count))?;
        }
        let on_accept = match device_sink.as_ref().filter(|_| sink.is_none() && options.select.is_none()) {
            None => OnAccept::Nothing,
            Some(sink) => sink.element_needs().map_or(OnAccept::Streamlines, OnAccept::Rows),
        };
        let (counted, in_flight) = (counting.then_some(&counters), self.in_flight);
        let purpose = RequestedOutputs { counters: counted, on_accept, in_flight, first: attempts.start };
        let engine = Engine::new(&followers, self.placed.as_deref(), &purpose, control)?;
        let (all, select) = (plan.count, options.select);
        let advice = "more seeds or fewer conditions";
        let run = Run {
            attempts: attempts.clone(),
            all,
            attempts_per_seed: 1,
            select,
            control,
            advice,
            hits: None,
        };
        let mut summary = match (sink, device_sink, select) {
            (None, None, None) => count(&engine, attempts, all, control)?,
            (None, Some(mut sink), None) => match engine.give(attempts, all, sink)? {
                Some(summary) => summary,
                // If no GPU can gather streamlines, they are delivered in order and in host memory.
                None => run.in_order(&engine, Some(&mut sink))?,
            },
            (None, Some(mut sink), _) => run.in_order(&engine, Some(&mut sink))?,
            (Some(sink), Some(other), _) => run.in_order(&engine, Some(&mut (sink, other)))?,
            (sink, None, _) => run.in_order(&engine, sink)?,
        };
        let device_name = engine.device_name.clone();
        let Counted { counts, steps, hits } = engine.finish()?.unwrap_or_else(|| counters.counted());
        let targets = region_grids.targets.len();
        let of_target = |n: usize| hits.iter().skip(n).step_by(targets);
        summary.targets = (0..targets).map(|n| of_target(n).map(|&count| u64::from(count)).sum()).collect();
        Ok(SampleTracks {
            summary,
            map: map.map(|(grid, _)| VisitMap::new(&grid, counts, steps, options.step_mm)),
            target_hits: (0..targets).map(|n| of_target(n).copied().collect()).collect(),
            device_name,
            rays: None,
        })
    }
}

/// A tracker of orientation samples together with the options of its runs.
pub struct SampleRuns<'a> {
    tracker: SampleTracker<'a>,
    options: &'a SampleOptions,
}

impl<'a> SampleRuns<'a> {
    /// Uploads the orientations to the device, as [`SampleTracker::new`] does.
    pub fn new(table: &'a OrientationTable, options: &'a SampleOptions, device: &Device) -> Result<Self> {
        Ok(Self { tracker: SampleTracker::new(table, device)?, options })
    }
}

impl Tracker for SampleRuns<'_> {
    fn count(&self, seeds: &Seeds) -> Result<u64> {
        self.tracker.count(seeds)
    }

    fn track(
        &self,
        seeds: &Seeds,
        constraints: &Constraints,
        outputs: SampleOutputs<'_>,
        control: &Control,
    ) -> Result<SampleTracks> {
        self.tracker.track(seeds, constraints, self.options, outputs, control)
    }
}

/// Tracks one run, as [`SampleTracker::track`] does.
pub fn track_samples(
    table: &OrientationTable,
    seeds: &Seeds,
    constraints: &Constraints,
    options: &SampleOptions,
    outputs: SampleOutputs<'_>,
    device: &Device,
    control: &Control,
) -> Result<SampleTracks> {
    SampleTracker::new(table, device)?.track(seeds, constraints, options, outputs, control)
}

/// Tracks all streamlines in any order and counts them.
fn count(engine: &Engine<'_>, attempts: Range<u64>, all: u64, control: &Control) -> Result<TrackSummary> {
    let (mut summary, mut begin) = (TrackSummary::default(), attempts.start);
    while begin < attempts.end {
        let end = attempts.end.min(begin.saturating_add(engine.chunk));
        summary.merge(&engine.count(begin..end)?);
        begin = end;
        control.progress(begin, all)?;
    }
    Ok(summary)
}

/// Returns the parameters of a run in the layout that GPU kernels read.
fn run_parameters(
    walk: &Walk<'_, SampledField<'_>>,
    options: &SampleOptions,
    constraints: &Constraints,
) -> RunParameters {
    let (field, plan, limits, region_grids) =
        (walk.field, walk.starting_points, &walk.limits, walk.region_grids);
    let grid = field.table.grid();
    let mut flags = 0;
    let mut set = |flag, is_set: bool| flags |= if is_set { flag } else { 0 };
    set(constants::FRACTION_STOPS, options.fraction_stops);
    set(constants::LOOP_CHECK, options.loop_check);
    set(constants::NEAREST, options.nearest);
    set(constants::MODIFIED_EULER, options.integrator == SampleIntegrator::ModifiedEuler);
    set(constants::ANY_WAYPOINT, constraints.condition == WaypointCondition::Any);
    set(constants::IN_ORDER, constraints.in_order);
    set(constants::ONE_WAY, constraints.one_way);
    set(constants::JUDGED_AS_A_WHOLE, region_grids.scope.whole());
    set(constants::SPARES_FIRST_STEP, options.spares_first_step);
    set(constants::HAS_WAYPOINTS, region_grids.scope.has_waypoints);
    set(constants::STOPS_AT_MOST, limits.stops_at_most);
    let words = words_of(region_grids);
    let bits = |kind: &[u64]| kind.first().map_or(0, |&bits| low_half(bits));
    let kinds = &region_grids.kinds;
    RunParameters {
        seed: options.seed,
        step: walk.step,
        spread: plan.spread,
        to_mm: flat(grid.affine()),
        min_cosine: options.min_cosine as f32,
        min_fraction: field.min_fraction,
        shape: grid.shape().map(narrow::<i32>),
        samples: narrow::<u32>(field.table.samples()),
        fibres: narrow::<u32>(field.table.fibres()),
        centres: narrow::<u32>(plan.centres.len()),
        each: plan.each,
        jitter: plan.jitter,
        initial: field.initial,
        initial_fibre: field.initial_fibre,
        flags,
        points: limits.points,
        half_steps: limits.half_steps,
        least_steps: limits.steps[0],
        max_steps: limits.steps[1],
        avoid: bits(&kinds.avoid),
        stop: bits(&kinds.stop),
        exit: bits(&kinds.exit),
        ways: bits(&kinds.ways),
        targets: bits(&kinds.targets),
        spaces: narrow::<u32>(region_grids.all.len()),
        map: region_grids.map.map_or(NO_LATTICE, narrow::<u32>),
        // The transform from the space of the seeds is stored after all region grids.
        seed_space: plan.voxel_mapping.as_ref().map_or(NO_LATTICE, |_| narrow::<u32>(region_grids.all.len())),
        words,
    }
}

/// Marks that there is no grid.
const NO_LATTICE: u32 = u32::MAX;

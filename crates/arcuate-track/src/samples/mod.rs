//! Probabilistic streamlines: each samples an orientation at every step, from posteriors, peaks or refitted tensors.
//!
//! A streamline is made of its number alone: where it begins, which samples and fibres it takes. So the result depends on
//! neither threads nor chunks nor devices, and a streamline that is to be kept can be followed once more instead of being
//! stored.

mod constants;
pub(crate) mod counts;
mod cuda;
mod engine;
mod field;
pub(crate) mod followed;
mod kernels;
mod lattice;
mod memory;
mod options;
mod orientations;
mod purpose;
mod saved;
mod scratch;
pub(crate) mod shared;

pub use counts::VisitMap;
pub use options::{InitialFibre, SampleIntegrator, SampleOptions};
pub use orientations::{Fibre, OrientationSource, OrientationTable};

use crate::constraints::{Constraints, Lattices, WaypointCondition};
use crate::driver::Run;
use crate::gpus::retreat;
use crate::options::warn_of_lengths;
use crate::outputs::{SampleOutputs, SampleTracks, Tracker, streamlines_of};
use crate::seeds::{SeedPlan, Seeds};
use crate::space::{Ways, flat};
use crate::summary::TrackSummary;
use crate::walk::{Beginnings, Walk};
use arcuate_compute::element_rows::{ElementLattice, ElementTriangle as Triangle};
use arcuate_compute::surface_cells::ListedTriangle;
use arcuate_compute::{Device, StreamlineSpan};
use arcuate_core::{Control, Result, low_half, narrow};
use counts::{Counted, Counters};
use cuda::Placed;
use engine::Engine;
use field::{Followers, SampledField};
use followed::Followed;
use kernels::Course;
use lattice::Lattice;
use memory::words_of;
use purpose::{Giving, Purpose};
use std::ops::Range;

/// Orientations on a device, ready for one run after another, or several at the same time.
///
/// What runs have in common stays until the tracker is dropped: in GPUs, room for the streamlines that are under way and what they are
/// counted in, and everywhere the displacements by which regions, seeds and maps of the last runs are reached. So a run that
/// is like one before begins sooner.
pub struct SampleTracker<'a> {
    table: &'a OrientationTable,
    /// Nothing where the processor follows.
    placed: Option<Vec<Placed>>,
    ways: Ways,
    in_flight: Option<u32>,
}

impl<'a> SampleTracker<'a> {
    /// Brings the orientations to the device; where a GPU cannot take them, the processor follows.
    pub fn new(table: &'a OrientationTable, device: &Device) -> Result<Self> {
        let placed = match device {
            Device::Cuda(gpus) => match Placed::on(gpus, table) {
                Err(error) => {
                    retreat(error, &Control::default())?;
                    None
                }
                placed => Some(placed?),
            },
            Device::Cpu => None,
        };
        Ok(Self { table, placed, ways: Ways::default(), in_flight: None })
    }

    /// Limits how many streamlines each GPU follows at a time, to the next multiple of 128: memory that grows with them is
    /// then less, and so is speed. `None`: as many as the GPU's multiprocessors hold, as far as memory goes.
    pub fn limit_in_flight(&mut self, streamlines: Option<u32>) {
        self.in_flight = streamlines;
    }

    /// How many streamlines a run from these seeds follows: their numbers are those below.
    ///
    /// Fails on seeds that cannot be.
    pub fn count(&self, seeds: &Seeds) -> Result<u64> {
        Ok(SeedPlan::new(seeds, self.table.grid())?.count())
    }

    /// Follows streamlines through the orientations, each in both directions from its seed.
    ///
    /// At each point a streamline draws one of the eight voxels around (by how near they are), one of its samples, and takes the
    /// fibre nearest to its direction. What ends and what rejects it is said in [`SampleOptions`] and [`Constraints`]; the order in
    /// which rules are applied is that of probtrackx2. Streamlines go to the sink in RAS mm, from the far end of the first half
    /// to the far end of the second; a half that is rejected is left out.
    ///
    /// The result depends on the orientations, the seeds, the regions and the options alone, bit for bit: not on the number of
    /// threads, nor on the device. `control` is told how much is done and of how much: accepted streamlines with
    /// [`SampleOptions::select`], followed ones without. Once it is cancelled the sinks get nothing more.
    ///
    /// Fails on options that make no sense, on empty regions, on conditions that nothing can meet, on seeds none of which has
    /// orientations, where the sink does, and where `control` ends it.
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
        let plan = Beginnings::new(seeds, self.table.grid(), &self.ways)?;
        let SampleOutputs { map, lengths, sink, device_sink, part } = outputs;
        let tries = streamlines_of(part, plan.count, options.select)?;
        let map_lattice = map.as_ref().map(|(grid, mapping)| (grid, mapping.as_ref()));
        let lattices =
            Lattices::new(self.table.grid(), options.step_mm, constraints, map_lattice, &self.ways)?;
        let field = SampledField::new(self.table, options);
        let walk = Walk::new(&field, &plan, &lattices, &options.walk())?;
        walk.check_seeds()?;
        walk.check_regions(constraints)?;
        let course = course(&walk, options, constraints);
        let followers = Followers { walk, course };
        let voxels = map.as_ref().map_or(0, |(grid, _)| grid.len());
        let target_seeds = if lattices.targets.is_empty() { 0 } else { plan.centres.len() };
        let counters = Counters::new(voxels, lengths, target_seeds, &lattices.targets)?;
        let counting = voxels > 0 || !lattices.targets.is_empty();
        if counting {
            Counters::check(options.select.unwrap_or(plan.count))?;
        }
        let giving = match device_sink.as_ref().filter(|_| sink.is_none() && options.select.is_none()) {
            None => Giving::Nothing,
            Some(sink) => sink.element_needs().map_or(Giving::Streamlines, Giving::Rows),
        };
        let (counted, in_flight) = (counting.then_some(&counters), self.in_flight);
        let purpose = Purpose { counters: counted, giving, in_flight, first: tries.start };
        let engine = Engine::new(&followers, self.placed.as_deref(), &purpose, control)?;
        let (all, select) = (plan.count, options.select);
        let advice = "more seeds or fewer conditions";
        let run = Run { tries: tries.clone(), all, of_each_seed: 1, select, control, advice, hits: None };
        let mut summary = match (sink, device_sink, select) {
            (None, None, None) => count(&engine, tries, all, control)?,
            (None, Some(mut sink), None) => match engine.give(tries, all, sink)? {
                Some(summary) => summary,
                // Where no GPU can, in their order on the host.
                None => run.in_order(&engine, Some(&mut sink))?,
            },
            (None, Some(mut sink), _) => run.in_order(&engine, Some(&mut sink))?,
            (Some(sink), Some(other), _) => run.in_order(&engine, Some(&mut (sink, other)))?,
            (sink, None, _) => run.in_order(&engine, sink)?,
        };
        let followed_by = engine.followed_by.clone();
        let Counted { counts, steps, hits } = engine.finish()?.unwrap_or_else(|| counters.counted());
        let targets = lattices.targets.len();
        let of_target = |n: usize| hits.iter().skip(n).step_by(targets);
        summary.targets = (0..targets).map(|n| of_target(n).map(|&count| u64::from(count)).sum()).collect();
        Ok(SampleTracks {
            summary,
            map: map.map(|(grid, _)| VisitMap::new(&grid, counts, steps, options.step_mm)),
            target_hits: (0..targets).map(|n| of_target(n).copied().collect()).collect(),
            followed_by,
        })
    }
}

/// A tracker of samples with the options of its runs.
pub struct SampleRuns<'a> {
    tracker: SampleTracker<'a>,
    options: &'a SampleOptions,
}

impl<'a> SampleRuns<'a> {
    /// Brings the orientations to the device, as [`SampleTracker::new`] does.
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

/// [`SampleTracker::track`] for one run.
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

/// Follows all streamlines, in any order.
fn count(engine: &Engine<'_>, tries: Range<u64>, all: u64, control: &Control) -> Result<TrackSummary> {
    let (mut summary, mut begin) = (TrackSummary::default(), tries.start);
    while begin < tries.end {
        let end = tries.end.min(begin.saturating_add(engine.chunk));
        summary.merge(&engine.count(begin..end)?);
        begin = end;
        control.progress(begin, all)?;
    }
    Ok(summary)
}

/// What kernels know of a run.
fn course(walk: &Walk<'_, SampledField<'_>>, options: &SampleOptions, constraints: &Constraints) -> Course {
    let (field, plan, limits, lattices) = (walk.field, walk.beginnings, &walk.limits, walk.lattices);
    let grid = field.table.grid();
    let mut flags = 0;
    let mut set = |flag, wanted: bool| flags |= if wanted { flag } else { 0 };
    set(constants::FRACTION_STOPS, options.fraction_stops);
    set(constants::LOOP_CHECK, options.loop_check);
    set(constants::NEAREST, options.nearest);
    set(constants::MODIFIED_EULER, options.integrator == SampleIntegrator::ModifiedEuler);
    set(constants::ANY_WAYPOINT, constraints.condition == WaypointCondition::Any);
    set(constants::IN_ORDER, constraints.in_order);
    set(constants::ONE_WAY, constraints.one_way);
    set(constants::JUDGED_AS_A_WHOLE, lattices.scope.whole());
    set(constants::SPARES_FIRST_STEP, options.spares_first_step);
    set(constants::HAS_WAYPOINTS, lattices.scope.has_waypoints);
    set(constants::STOPS_AT_MOST, limits.stops_at_most);
    let words = words_of(lattices);
    let bits = |kind: &[u64]| kind.first().map_or(0, |&bits| low_half(bits));
    let kinds = &lattices.kinds;
    Course {
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
        most_steps: limits.steps[1],
        avoid: bits(&kinds.avoid),
        stop: bits(&kinds.stop),
        exit: bits(&kinds.exit),
        ways: bits(&kinds.ways),
        targets: bits(&kinds.targets),
        spaces: narrow::<u32>(lattices.all.len()),
        map: lattices.map.map_or(NO_LATTICE, narrow::<u32>),
        // After all others.
        seed_space: plan.way.as_ref().map_or(NO_LATTICE, |_| narrow::<u32>(lattices.all.len())),
        words,
    }
}

/// No lattice.
const NO_LATTICE: u32 = u32::MAX;

//! Probabilistic streamlines: each samples an orientation at every step, from posteriors, peaks or refitted tensors.
//!
//! A streamline is made of its number alone: where it begins, which samples and fibres it takes. So the result depends on
//! neither threads nor lots nor devices, and a streamline that is to be kept can be followed once more instead of being
//! stored.

mod constants;
mod counts;
mod cpu;
mod cuda;
mod engine;
mod followed;
mod kernels;
mod memory;
mod options;
mod orientations;
mod purpose;
mod reach;
mod regions;
mod seeds;
mod summary;
mod walk;

pub use counts::VisitMap;
pub use options::{InitialFibre, SampleIntegrator, SampleOptions};
pub use orientations::{Fibre, OrientationSource, OrientationTable};
pub use regions::{Mapping, Region, Regions, WaypointCondition};
pub use seeds::{Jitter, SampleSeeds};
pub use summary::SampleSummary;

use crate::options::warn_of_long_step;
use arcuate_compute::{Device, DeviceStreamlineSink, StreamlineSpan};
use arcuate_core::{Affine, Grid, Result, StreamlineBatch, StreamlineSink};
use counts::Counters;
use cpu::Batch;
use cuda::Placed;
use engine::{Engine, retreat};
use followed::Followed;
use memory::Lattice;
use purpose::Purpose;
use regions::{Spaces, flat};
use seeds::SeedPlan;
use std::sync::Arc;
use walk::{Course, Fate, Field};

/// What a run shall give beside its summary.
#[derive(Default)]
pub struct SampleOutputs<'a> {
    /// Where visits are counted: a lattice, and how points of the orientations' space get there.
    pub map: Option<(Grid, Option<Arc<Mapping>>)>,
    /// Whether lengths of ways are summed, too.
    pub lengths: bool,
    /// Takes the accepted streamlines, in the order of their numbers.
    pub sink: Option<&'a mut dyn StreamlineSink>,
    /// Takes them in any order, and where GPUs follow them, there; with [`sink`](Self::sink) or
    /// [`select`](SampleOptions::select) in their order and on the host, too.
    pub device_sink: Option<&'a mut dyn DeviceStreamlineSink>,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleTracks {
    /// What became of the streamlines.
    pub summary: SampleSummary,
    /// Where they passed, if that was asked for.
    pub map: Option<VisitMap>,
    /// Of each target: how many accepted streamlines of each seed pass it. Seeds are those of [`SampleSeeds`], in order.
    pub target_hits: Vec<Vec<u32>>,
    /// What followed them, in words.
    pub followed_by: String,
}

/// Orientations on a device, ready for one run after another.
pub struct SampleTracker<'a> {
    table: &'a OrientationTable,
    /// Nothing where the processor follows.
    placed: Option<Vec<Placed>>,
    in_flight: Option<u32>,
}

impl<'a> SampleTracker<'a> {
    /// Brings the orientations to the device; where a GPU cannot take them, the processor follows.
    pub fn new(table: &'a OrientationTable, device: &Device) -> Result<Self> {
        let placed = match device {
            Device::Cuda(gpus) => match Placed::on(gpus, table) {
                Err(error) => {
                    retreat(error)?;
                    None
                }
                placed => Some(placed?),
            },
            Device::Cpu => None,
        };
        Ok(Self { table, placed, in_flight: None })
    }

    /// Limits how many streamlines each GPU follows at a time, to the next multiple of 128: memory that grows with them is
    /// then less, and so is speed. `None`: as many as the GPU's multiprocessors hold, as far as memory goes.
    pub fn limit_in_flight(&mut self, streamlines: Option<u32>) {
        self.in_flight = streamlines;
    }

    /// Follows streamlines through the orientations, each in both directions from its seed.
    ///
    /// At each point a streamline draws one of the eight voxels around (by how near they are), one of its samples, and takes the
    /// fibre nearest to its direction. What ends and what rejects it is said in [`SampleOptions`] and [`Regions`]; the order in
    /// which rules are applied is that of probtrackx2. Streamlines go to the sink in RAS mm, from the far end of the first half
    /// to the far end of the second; a half that is rejected is left out.
    ///
    /// The result depends on the orientations, the seeds, the regions and the options alone, bit for bit: not on the number of
    /// threads, nor on the device. `progress` is told how much is done and of how much: accepted streamlines with
    /// [`SampleOptions::select`], followed ones without.
    ///
    /// Fails on options that make no sense, on empty regions, on conditions that nothing can meet, on seeds none of which has
    /// orientations, and where the sink does.
    pub fn track(
        &self,
        seeds: &SampleSeeds,
        regions: &Regions,
        options: &SampleOptions,
        outputs: SampleOutputs<'_>,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<SampleTracks> {
        options.check_on(self.table.grid(), self.table.fibres())?;
        warn_of_long_step(options.step_mm, self.table.grid());
        let plan = SeedPlan::new(seeds, self.table.grid())?;
        let SampleOutputs { map, lengths, sink, device_sink } = outputs;
        let spaces = Spaces::new(
            self.table.grid(),
            regions,
            map.as_ref().map(|(grid, mapping)| (grid, mapping.as_ref())),
        )?;
        let course = course(self.table, &plan, regions, &spaces, options)?;
        let seed_space = plan.space.as_ref();
        let field = Field { course, table: self.table, centres: &plan.centres, seed_space, spaces: &spaces };
        field.check_seeds()?;
        field.check_regions(regions)?;
        let voxels = map.as_ref().map_or(0, |(grid, _)| grid.len());
        let target_seeds = if spaces.targets.is_empty() { 0 } else { plan.centres.len() };
        let counters = Counters::new(voxels, lengths, target_seeds, &spaces.targets)?;
        let counting = voxels > 0 || !spaces.targets.is_empty();
        if counting {
            Counters::check(options.select.unwrap_or(plan.count))?;
        }
        let gathers = device_sink.is_some() && sink.is_none() && options.select.is_none();
        let purpose = Purpose { counters: counting.then_some(&counters), gathers, in_flight: self.in_flight };
        let engine = Engine::new(&field, self.placed.as_deref(), &purpose)?;
        let run = Run { engine: &engine, seeds: plan.count, progress };
        let summary = match (sink, device_sink, options.select) {
            (None, None, None) => run.count()?,
            (None, Some(sink), None) => run.give(sink)?,
            (None, Some(mut sink), wanted) => run.in_order(Some(&mut sink), wanted)?,
            (Some(sink), Some(other), wanted) => run.in_order(Some(&mut (sink, other)), wanted)?,
            (sink, None, wanted) => run.in_order(sink, wanted)?,
        };
        engine.finish()?;
        let targets = spaces.targets.len();
        let hits = counters.hits();
        Ok(SampleTracks {
            summary,
            map: map.map(|(grid, _)| counters.map(&grid, options.step_mm)),
            target_hits: (0..targets)
                .map(|n| hits.iter().skip(n).step_by(targets).copied().collect())
                .collect(),
            followed_by: engine.followed_by.clone(),
        })
    }
}

/// [`SampleTracker::track`] for one run.
pub fn track_samples(
    table: &OrientationTable,
    seeds: &SampleSeeds,
    regions: &Regions,
    options: &SampleOptions,
    outputs: SampleOutputs<'_>,
    device: &Device,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<SampleTracks> {
    SampleTracker::new(table, device)?.track(seeds, regions, options, outputs, progress)
}

struct Run<'a> {
    engine: &'a Engine<'a>,
    seeds: u64,
    progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl Run<'_> {
    /// Follows all streamlines, in any order.
    fn count(&self) -> Result<SampleSummary> {
        let mut summary = SampleSummary::default();
        while summary.seeds < self.seeds {
            let end = self.seeds.min(summary.seeds + self.engine.lot);
            summary.merge(&self.engine.count(summary.seeds..end)?);
            (self.progress)(summary.seeds, self.seeds);
        }
        Ok(summary)
    }

    /// Gives all accepted streamlines to a sink, in GPUs or, where none can, in their order on the host.
    fn give(&self, mut sink: &mut dyn DeviceStreamlineSink) -> Result<SampleSummary> {
        match self.engine.give(self.seeds, sink, self.progress)? {
            Some(summary) => Ok(summary),
            None => self.in_order(Some(&mut sink), None),
        }
    }

    /// Follows streamlines in the order of their numbers, until so many are accepted.
    fn in_order(
        &self,
        mut sink: Option<&mut dyn StreamlineSink>,
        wanted: Option<u64>,
    ) -> Result<SampleSummary> {
        let mut summary = SampleSummary::default();
        let with_points = sink.is_some();
        let largest = self.engine.most_in_order();
        let mut next = 0;
        let mut take = |summary: &SampleSummary, under_way: u64| {
            let size = lot_size(summary, wanted, under_way, largest).min(self.seeds - next);
            next += size;
            next - size..next
        };
        let mut ready = self.engine.batches(take(&summary, 0), with_points)?;
        while !ready.is_empty() {
            let under_way = ready.iter().map(|batch| batch.outcomes.len() as u64).sum();
            let range = take(&summary, under_way);
            let (mut following, mut done) = (Ok(Vec::new()), Ok(false));
            // The next lot is followed while this one is handed over.
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| following = self.engine.batches(range, with_points));
                done = self.hand_over(&ready, &mut sink, wanted, &mut summary);
            });
            if done? {
                break;
            }
            ready = following?;
        }
        if let Some(wanted) = wanted.filter(|&wanted| summary.streamlines < wanted) {
            tracing::warn!(
                "all {} seeds gave {} of {wanted} streamlines; more seeds or fewer conditions would give more",
                summary.seeds,
                summary.streamlines
            );
        }
        Ok(summary)
    }

    /// Whether the wanted number is reached: what comes later does not count.
    fn hand_over(
        &self,
        batches: &[Batch],
        sink: &mut Option<&mut dyn StreamlineSink>,
        wanted: Option<u64>,
        summary: &mut SampleSummary,
    ) -> Result<bool> {
        for batch in batches {
            let before = *summary;
            let mut accepted = Vec::new();
            for (number, outcome) in (batch.first..).zip(&batch.outcomes) {
                summary.add(outcome);
                if outcome.fate == Fate::Accepted {
                    accepted.push(number);
                }
                if Some(summary.streamlines) == wanted {
                    break;
                }
            }
            let count = (summary.streamlines - before.streamlines) as usize;
            if let Some(sink) = sink
                && count > 0
            {
                let offsets = &batch.offsets[..=count];
                let positions = &batch.positions[..batch.offsets[count] as usize];
                sink.take(StreamlineBatch::new(offsets, positions))?;
            }
            self.engine.count_these(&accepted, summary.seeds)?;
            let (done, of) =
                wanted.map_or((summary.seeds, self.seeds), |wanted| (summary.streamlines, wanted));
            (self.progress)(done, of);
            if Some(summary.streamlines) == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// How many streamlines to follow next: as many as are still missing at the rate seen so far, and a few more. The cut into
/// lots changes what is thrown away, never the streamlines.
fn lot_size(summary: &SampleSummary, wanted: Option<u64>, under_way: u64, largest: u64) -> u64 {
    let Some(wanted) = wanted else { return largest };
    let rate = (summary.streamlines as f64 + 1.0) / (summary.seeds as f64 + 1.0);
    let missing = (wanted - summary.streamlines) as f64 - under_way as f64 * rate;
    largest.min((1.05 * missing.max(0.0) / rate) as u64 + cpu::CHUNK)
}

fn course(
    table: &OrientationTable,
    plan: &SeedPlan,
    regions: &Regions,
    spaces: &Spaces,
    options: &SampleOptions,
) -> Result<Course> {
    let limits = options.limits(table.fibres())?;
    let grid = table.grid();
    let mut flags = 0;
    let mut set = |flag, wanted: bool| flags |= if wanted { flag } else { 0 };
    set(walk::FRACTION_STOPS, options.fraction_stops);
    set(walk::LOOP_CHECK, options.loop_check);
    set(walk::NEAREST, options.nearest);
    set(walk::MODIFIED_EULER, options.integrator == SampleIntegrator::ModifiedEuler);
    set(walk::ANY_WAYPOINT, regions.condition == WaypointCondition::Any);
    set(walk::IN_ORDER, regions.in_order);
    set(walk::ONE_WAY, regions.one_way);
    let (initial, initial_fibre) = match options.initial {
        InitialFibre::Number(number) => (walk::INITIAL_NUMBER, number as u32),
        InitialFibre::Random => (walk::INITIAL_RANDOM, 0),
        InitialFibre::InProportion => (walk::INITIAL_IN_PROPORTION, 0),
        InitialFibre::RandomOfAll => (walk::INITIAL_OF_ALL, 0),
    };
    Ok(Course {
        seed: options.seed,
        step: step_of(grid.inverse(), options.step_mm),
        spread: plan.spread,
        to_mm: flat(grid.affine()),
        min_cosine: options.min_cosine as f32,
        min_fraction: options.min_fraction as f32,
        shape: grid.shape().map(|n| n as i32),
        samples: table.samples() as u32,
        fibres: table.fibres() as u32,
        centres: plan.centres.len() as u32,
        each: plan.each,
        jitter: plan.jitter,
        initial,
        initial_fibre,
        flags,
        points: limits.points,
        half_steps: limits.half_steps,
        least_steps: limits.steps[0],
        most_steps: limits.steps[1],
        avoid: spaces.bits.avoid,
        stop: spaces.bits.stop,
        exit: spaces.bits.exit,
        ways: spaces.bits.ways,
        targets: spaces.bits.targets,
        spaces: spaces.all.len() as u32,
        map: spaces.map.map_or(walk::NO_SPACE, |map| map as u32),
        // After all others.
        seed_space: plan.space.as_ref().map_or(walk::NO_SPACE, |_| spaces.all.len() as u32),
        unused: 0,
    })
}

/// Unit vectors in scanner axes to steps in voxels.
fn step_of(inverse: &Affine, step_mm: f64) -> [f32; 9] {
    let rows = inverse.rows();
    std::array::from_fn(|n| (rows[n / 3][n % 3] * step_mm) as f32)
}

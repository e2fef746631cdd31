//! Geodesic tractography: rays through the field of diffusion tensors that are shortest paths where diffusion makes ways
//! short (O'Donnell et al. 2002, doi:10.1007/3-540-45786-0_57; Lenglet et al. 2009, doi:10.1137/070710986).
//!
//! With the metric G = D⁻¹ a path x(τ) of least ∫ √(ẋᵀ G ẋ) dτ obeys ẍᵞ + Γᵞ_αβ ẋᵅ ẋᵝ = 0. Rays are followed from seeds in
//! many directions; those that reach a target are ranked by their connectivity, Euclidean length over geodesic length
//! (Astola et al. 2007, doi:10.1007/978-3-540-73273-0_53).

mod connect;
mod constants;
mod constrained;
mod cuda;
mod field;
mod kernel_types;
mod kernels;
mod marks;
mod metric;
mod nearest;
mod options;
mod outcome;
mod packet;
mod prepared;
mod rays;
mod run;
mod starts;
mod steps;
mod tracks;
mod ways;

pub use connect::{Connections, Selection, TargetSummary};
#[doc(hidden)]
pub use field::PreparationTimes;
pub use field::{Repairs, SharpenedSide, Sharpening};
pub use marks::Targets;
pub use options::{DEFAULT_TOLERANCE, Directions, Field, GeodesicIntegrator, GeodesicOptions, Metric};
pub use outcome::Drift;
pub use rays::{CONNECTIVITY, DRIFT, LENGTH, RayTimes, RayTiming};

use crate::constraints::{Lattices, Reach, in_mm};
use crate::driver::Run;
use crate::options::warn_of_lengths;
use crate::seeds::{SeedPlan, Seeds};
use crate::summary::TrackSummary;
use arcuate_compute::Device;
use arcuate_compute::numbers::Real;
use arcuate_core::{
    Control, Error, Result, StreamlineBatch, StreamlineLengths, StreamlineSink, Tractogram, Volume, narrow,
};
use connect::{Candidate, Ranking};
use cuda::OnGpus;
use field::Repair;
use kernel_types::{Begin, Course, State};
use marks::marks;
use options::Settings;
use outcome::{DriftOfAll, Hit, Outcome, line_of};
use packet::Goals;
use prepared::Prepared;
use rays::{FollowRays, RayData};
use run::{Processor, Rays, WithFallback};
use starts::{Start, Starts};
use std::sync::{Mutex, PoisonError};

/// A field of metrics made of diffusion tensors, and how to follow rays through it.
///
/// The result depends on the tensors, the seeds and the options alone, bit for bit: not on threads, chunks or devices.
#[derive(Debug)]
pub struct Geodesics<'a> {
    tensor: &'a Volume<f32>,
    options: &'a GeodesicOptions,
    settings: Settings,
    repairs: Repairs,
    field: Precise<'a>,
}

/// The field in the precision of the rays.
#[derive(Debug)]
enum Precise<'a> {
    Single(Prepared<'a, f32>),
    Double(Prepared<'a, f64>),
}

impl<'a> Geodesics<'a> {
    /// Prepares the field: repairs tensors, sharpens and inverts them, and makes what lies between voxels.
    ///
    /// `tensor` has six channels, D11 D22 D33 D12 D13 D23 in scanner axes, in any unit. Its affine may be oblique, flipped
    /// and anisotropic. GPUs of `device` make the field and follow the rays; where they fail, the processor does.
    ///
    /// Fails on another number of channels, on options that make no sense, and where no voxel has diffusion.
    pub fn new(tensor: &'a Volume<f32>, options: &'a GeodesicOptions, device: &Device) -> Result<Self> {
        let settings = options.settings(tensor.grid())?;
        let (field, repairs) = if options.double {
            let (field, repairs) = Prepared::new(tensor, options, device)?;
            (Precise::Double(field), repairs)
        } else {
            let (field, repairs) = Prepared::new(tensor, options, device)?;
            (Precise::Single(field), repairs)
        };
        Ok(Self { tensor, options, settings, repairs, field })
    }

    /// What had to be repaired.
    pub fn repairs(&self) -> &Repairs {
        &self.repairs
    }

    /// What follows the rays, in words.
    pub fn followed_by(&self) -> String {
        match &self.field {
            Precise::Single(field) => field.followed_by(),
            Precise::Double(field) => field.followed_by(),
        }
    }

    /// Follows every ray and hands them over in batches, in the order of seeds and directions, with their seeds; both ways of a
    /// direction are one streamline through it. Each point has its [`CONNECTIVITY`], each streamline that, its [`LENGTH`] and
    /// its [`DRIFT`]. `control` is told how many rays are done, and of how many.
    ///
    /// Fails on seeds that make no sense, where none lies inside, where the sink does, and where `control` ends it.
    pub fn all(
        &self,
        seeds: &Seeds,
        sink: &mut dyn StreamlineSink,
        control: &Control,
    ) -> Result<(TrackSummary, Drift)> {
        warn_of_lengths(None, 0.0, self.options.max_length_mm, self.tensor.grid(), control);
        let starts = self.starts(seeds)?;
        let lattices = self.lattices()?;
        let goals = Goals { marks: marks(self.tensor, self.options, None), ..Goals::default() };
        let directions = self.options.directions.count() as u64;
        let mut found = (TrackSummary::default(), Drift::default());
        self.with_follower(&goals, &mut |follower| {
            let rays = self.rays(&starts, follower, lattices.as_ref(), false);
            let tries = starts.seeds() * directions;
            // Every ray is handed over, so that no other number would give more.
            let run = Run {
                tries: 0..tries,
                all: tries,
                of_each_seed: directions,
                select: None,
                control,
                advice: "",
                hits: None,
            };
            let summary = run.in_order(&rays, Some(sink))?;
            require_rays(&summary)?;
            let drift = rays.drift.lock().unwrap_or_else(PoisonError::into_inner).finish();
            found = (TrackSummary { seeds: starts.seeds(), ..summary }, drift);
            Ok(())
        })?;
        Ok(found)
    }

    fn rays<'s>(
        &'s self,
        starts: &'s Starts<'s>,
        follower: &'s dyn FollowRays,
        lattices: Option<&'s Lattices>,
        alone: bool,
    ) -> Rays<'s> {
        Rays { starts, follower, settings: &self.settings, lattices, alone, drift: Mutex::default() }
    }

    /// The regions as points in RAS mm see them, where there are any; fails where rays cannot pass those that they must.
    fn lattices(&self) -> Result<Option<Lattices>> {
        let constraints = &self.options.constraints;
        if constraints.is_empty() {
            return Ok(None);
        }
        if constraints.anatomy.is_some() {
            let problem = "shortest paths heed no tissues";
            return Err(Error::usage("‘anatomy’", problem, "leave it out, or follow something else"));
        }
        if let Some(target) = constraints.targets.first() {
            let problem = "targets of rays are those that they are to connect";
            return Err(Error::invalid(&target.name, problem, "give it to connect, or as a waypoint"));
        }
        let lattices = in_mm(constraints)?;
        let mask = self.options.mask.as_ref();
        let (grid, step) = (self.tensor.grid(), self.settings.step);
        Reach::in_mm(grid, step, &|voxel| mask.is_none_or(|mask| mask.contains(voxel)), |reach| {
            reach.check(constraints, &lattices)
        })?;
        Ok(Some(lattices))
    }

    /// Follows every ray, finds those that reach targets, and keeps the best, each up to its target.
    ///
    /// A ray ends in the target where there is but one; with several it goes on, and may reach others. A seed within a
    /// target does not reach it by being there. [`GeodesicOptions::constraints`] are met by each ray for itself, as far as it
    /// goes.
    ///
    /// Fails where targets lie on another grid than the tensors, and as [`all`](Self::all).
    pub fn connect(
        &self,
        seeds: &Seeds,
        targets: &Targets,
        selection: &Selection,
        control: &Control,
    ) -> Result<Connections> {
        self.tensor.grid().require_match(targets.grid(), "‘target’", "the tensor image")?;
        warn_of_lengths(None, 0.0, self.options.max_length_mm, self.tensor.grid(), control);
        let starts = self.starts(seeds)?;
        let lattices = self.lattices()?;
        let marks = marks(self.tensor, self.options, Some(targets));
        let ends_at_target = targets.names().len() == 1;
        let mut goals = Goals { marks, has_targets: true, ends_at_target, distances: None };
        let (mut summary, mut drift) = (TrackSummary::default(), DriftOfAll::default());
        let mut ranking = Ranking::new(targets, *selection);
        self.with_follower(&goals, &mut |follower| {
            self.rays(&starts, follower, lattices.as_ref(), true).in_blocks(control, |first, batches| {
                let mut first = first;
                for batch in batches {
                    for ways in batch.outcomes.chunks(starts.ways()) {
                        summary.add(&line_of(ways));
                        for outcome in ways {
                            drift.add(outcome);
                        }
                    }
                    ranking.take(first, batch);
                    first += batch.outcomes.len() as u64;
                }
                control.progress(first, starts.count())
            })
        })?;
        require_rays(&summary)?;
        let mut found = ranking.finish();
        let mut groups = Vec::new();
        for (number, (target, candidates)) in found.iter_mut().enumerate() {
            let mut name = target.name.clone();
            if target.reached == 0 {
                let inside = |voxel| targets.of_voxel(voxel) == Some(number);
                let sizes = self.tensor.grid().voxel_sizes();
                let shape = self.tensor.grid().shape();
                goals.distances = Some(nearest::distances(inside, shape, sizes));
                if let Some((distance, nearest)) =
                    self.nearest(&starts, &goals, lattices.as_ref(), control)?
                {
                    target.nearest_mm = Some(distance);
                    candidates.push(nearest);
                    name.push_str(" (nearest approach)");
                }
            }
            target.kept = if target.reached == 0 { 0 } else { candidates.len() as u64 };
            groups.push((name, candidates.len()));
        }
        let chosen: Vec<Candidate> =
            found.iter().flat_map(|(_, candidates)| candidates.iter().copied()).collect();
        let (tractogram, lengths) = self.tractogram(&starts, &chosen, &groups, control)?;
        summary.seeds = starts.seeds();
        summary.streamlines = tractogram.len() as u64;
        summary.points = tractogram.positions().len() as u64;
        summary.lengths = StreamlineLengths::default();
        for length in lengths {
            summary.lengths.push(length);
        }
        Ok(Connections {
            tractogram,
            summary,
            drift: drift.finish(),
            targets: found.into_iter().map(|(target, _)| target).collect(),
        })
    }

    /// The ray that comes nearest to what `goals.distances` is of, and how near.
    fn nearest(
        &self,
        starts: &Starts,
        goals: &Goals,
        lattices: Option<&Lattices>,
        control: &Control,
    ) -> Result<Option<(f64, Candidate)>> {
        let mut best: Option<(f32, Candidate)> = None;
        self.with_follower(goals, &mut |follower| {
            self.rays(starts, follower, lattices, true).in_blocks(control, |first, batches| {
                let outcomes = batches.iter().flat_map(|batch| &batch.outcomes);
                for (ray, outcome) in (first..).zip(outcomes) {
                    // A streamline has two points.
                    if outcome.nearest_point > 0 && best.is_none_or(|(least, _)| outcome.nearest < least) {
                        let there = outcome.connectivity_there;
                        best = Some((outcome.nearest, Candidate::nearest(ray, outcome.nearest_point, there)));
                    }
                }
                Ok(())
            })
        })?;
        Ok(best.map(|(distance, candidate)| (f64::from(distance), candidate)))
    }

    /// The streamlines of rays that are followed once more, as far as they are wanted, in groups of so many.
    fn tractogram(
        &self,
        starts: &Starts,
        chosen: &[Candidate],
        groups: &[(String, usize)],
        control: &Control,
    ) -> Result<(Tractogram, Vec<f32>)> {
        let again: Vec<Start> =
            chosen.iter().map(|chosen| Start { steps: chosen.point, ..starts.start(chosen.ray) }).collect();
        let goals = Goals { marks: marks(self.tensor, self.options, None), ..Goals::default() };
        let mut tractogram = Tractogram::new();
        let (mut at_points, mut measures) = (Vec::new(), Vec::new());
        self.with_follower(&goals, &mut |follower| {
            for part in again.chunks(1 << 16) {
                control.check()?;
                for batch in follower.follow(part, 1, true)? {
                    let lines = StreamlineBatch::new(&batch.offsets, &batch.positions);
                    lines.iter().for_each(|streamline| tractogram.push(streamline));
                    at_points.extend_from_slice(&batch.connectivity);
                    measures.extend_from_slice(&batch.measures);
                }
            }
            Ok(())
        })?;
        let data = RayData::new(at_points, &measures)?;
        (tractogram.per_point, tractogram.per_streamline) = (data.per_point, data.per_streamline);
        let mut begin = 0;
        for (name, count) in groups {
            if *count > 0 {
                tractogram
                    .groups
                    .members
                    .insert(name.clone(), (begin..begin + narrow::<u32>(*count)).collect());
            }
            begin += narrow::<u32>(*count);
        }
        Ok((tractogram, measures.iter().map(|measures| measures.length_mm).collect()))
    }

    /// For benchmarks: follows rays that leave these points in RAS mm in these directions, so many times over, and writes every
    /// point to the memory of the device.
    #[doc(hidden)]
    pub fn time(&self, rays: &[([f64; 3], [f64; 3])], how: &RayTiming) -> Result<RayTimes> {
        match &self.field {
            Precise::Single(field) => self.time_precise(field, rays, how),
            Precise::Double(field) => self.time_precise(field, rays, how),
        }
    }

    fn time_precise<T: Real>(
        &self,
        field: &Prepared<T>,
        rays: &[([f64; 3], [f64; 3])],
        how: &RayTiming,
    ) -> Result<RayTimes> {
        let inverse = self.tensor.grid().inverse();
        let steps = self.settings.max_steps;
        let start = |&(at, direction)| Start {
            at: inverse.apply(at),
            velocity: inverse.apply_vector(direction),
            steps,
        };
        let starts: Vec<Start> = rays.iter().map(start).collect();
        let goals = Goals { marks: marks(self.tensor, self.options, None), ..Goals::default() };
        let (settings, goals, connectivity) = (&self.settings, &goals, how.connectivity);
        if field.machines().is_empty() {
            return Processor { field, settings, goals, connectivity }.time(&starts, how.repeats);
        }
        OnGpus::new(field.machines(), &field.plan, settings, goals, connectivity)?.time(&starts, how)
    }

    /// For benchmarks: how long the field took to make, where a GPU did it.
    #[doc(hidden)]
    pub fn preparation(&self) -> Option<PreparationTimes> {
        match &self.field {
            Precise::Single(field) => field.times(),
            Precise::Double(field) => field.times(),
        }
    }

    fn repair(&self) -> &Repair {
        match &self.field {
            Precise::Single(field) => &field.plan.repair,
            Precise::Double(field) => &field.plan.repair,
        }
    }

    fn starts<'s>(&'s self, seeds: &'s Seeds) -> Result<Starts<'s>> {
        let plan = SeedPlan::new(seeds, self.tensor.grid())?;
        let rays = self.options.rays_per_seed() as u64;
        if plan.count().checked_mul(rays).is_none_or(|rays| rays > MOST_RAYS) {
            let problem = format!("{} seeds with {rays} rays each have no end", plan.count());
            return Err(Error::usage("‘directions’", problem, "give fewer seeds or directions"));
        }
        Ok(Starts::new(self.tensor, self.repair(), plan, self.options, self.settings.max_steps))
    }

    fn with_follower(
        &self,
        goals: &Goals,
        work: &mut dyn FnMut(&dyn FollowRays) -> Result<()>,
    ) -> Result<()> {
        match &self.field {
            Precise::Single(field) => self.with_precise(field, goals, work),
            Precise::Double(field) => self.with_precise(field, goals, work),
        }
    }

    fn with_precise<T: Real>(
        &self,
        field: &Prepared<T>,
        goals: &Goals,
        work: &mut dyn FnMut(&dyn FollowRays) -> Result<()>,
    ) -> Result<()> {
        let settings = &self.settings;
        let processor = Processor { field, settings, goals, connectivity: true };
        if !field.machines().is_empty() {
            match OnGpus::new(field.machines(), &field.plan, settings, goals, true) {
                Ok(gpus) => return work(&WithFallback { gpus, processor }),
                Err(error) => field.fall_back(error)?,
            }
        }
        work(&processor)
    }
}

/// Rays beyond which somebody has mistyped: days on any machine.
const MOST_RAYS: u64 = 1 << 40;

/// Fails where no ray began.
fn require_rays(summary: &TrackSummary) -> Result<()> {
    if summary.seeds == summary.rejected.seed_outside {
        let problem = "no seed lies in the image, in the mask and in sufficient anisotropy";
        return Err(Error::invalid("seed mask", problem, "check seeds, ‘mask’ and ‘fa_cutoff’"));
    }
    Ok(())
}

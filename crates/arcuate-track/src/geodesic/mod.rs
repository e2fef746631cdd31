//! Geodesic tractography: follows rays in a field of diffusion tensors. A ray is a shortest path in a metric in which
//! fast diffusion makes distances short (O'Donnell et al. 2002, doi:10.1007/3-540-45786-0_57; Lenglet et al. 2009,
//! doi:10.1137/070710986).
//!
//! In the metric G = D⁻¹, a path x(τ) that minimises ∫ √(ẋᵀ G ẋ) dτ satisfies ẍᵞ + Γᵞ_αβ ẋᵅ ẋᵝ = 0. Rays start from
//! seeds in many directions. Rays that reach a target are ranked by their connectivity, which is the Euclidean length
//! divided by the geodesic length (Astola et al. 2007, doi:10.1007/978-3-540-73273-0_53).

mod connect;
mod constants;
mod constrained;
mod cuda;
mod field;
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
mod step_checks;
mod steps;
mod tracker;
mod tracks;

pub use connect::Connections;
#[doc(hidden)]
pub use field::PreparationTimes;
pub use field::{Repairs, SharpenedSide, Sharpening};
pub use marks::Targets;
pub use options::{DEFAULT_TOLERANCE, Directions, Field, GeodesicIntegrator, GeodesicOptions, Metric};
pub use rays::{RayTimes, RayTiming};
pub use tracker::GeodesicTracker;

use crate::constraints::{Constraints, ReachableSpace, RegionGrids, in_mm};
use crate::energy_drift::EnergyDrift;
use crate::options::warn_of_lengths;
use crate::outputs::{SampleOutputs, SampleTracks};
use crate::ray_figures::Selection;
use crate::seeds::{SeedPlan, Seeds};
use crate::summary::TrackSummary;
use arcuate_compute::Device;
use arcuate_core::{
    Control, Error, Result, StreamlineBatch, StreamlineLengths, StreamlineSink, Tractogram, Volume, narrow,
};
use arcuate_numbers::Real;
use connect::{Candidate, Ranking};
use cuda::OnGpus;
use field::Repair;
use marks::marks;
use options::Settings;
use outcome::{Hit, Outcome, line_of};
use packet::Goals;
use prepared::Prepared;
use rays::{FollowRays, RayData};
use run::{Processor, Rays, WithFallback};
use starts::{Start, Starts};
use std::sync::Mutex;

/// A field of metrics that is computed from diffusion tensors, for tracking geodesic rays.
///
/// The rays depend only on the tensors, the seeds and the options. They are bit-identical for any number of
/// threads, block size and device.
#[derive(Debug)]
pub struct Geodesics<'a> {
    tensor: &'a Volume<f32>,
    options: &'a GeodesicOptions,
    settings: Settings,
    repairs: Repairs,
    field: Precise<'a>,
}

/// The metric field in the precision of the rays, single or double.
#[derive(Debug)]
enum Precise<'a> {
    Single(Prepared<'a, f32>),
    Double(Prepared<'a, f64>),
}

impl<'a> Geodesics<'a> {
    /// Prepares the metric field: repairs, sharpens and inverts the tensors, and computes the coefficients
    /// for interpolation.
    ///
    /// `tensor` is an image with six channels, D11 D22 D33 D12 D13 D23 in scanner axes, in any unit. Its
    /// affine may be oblique, flipped and anisotropic. The GPUs of `device` compute the field and follow the
    /// rays. If they fail, the CPU takes over.
    ///
    /// Returns an error if the number of channels is not six, if an option is invalid, or if no voxel has a mean
    /// diffusivity above 0.
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

    /// Returns the numbers of tensors that were repaired to define a metric.
    pub fn repairs(&self) -> &Repairs {
        &self.repairs
    }

    /// Describes the devices that follow the rays.
    pub fn device_name(&self) -> String {
        match &self.field {
            Precise::Single(field) => field.device_name(),
            Precise::Double(field) => field.device_name(),
        }
    }

    /// Follows every geodesic ray and passes the streamlines to `sink` in batches, in the order of seeds and
    /// directions. The two rays that start in opposite directions form one streamline through the seed. Each
    /// point has its [`CONNECTIVITY`](crate::CONNECTIVITY). Each streamline has its connectivity, its
    /// [`LENGTH`](crate::LENGTH) and its [`DRIFT`](crate::DRIFT).
    /// `control` receives the number of finished rays and their total number.
    ///
    /// Returns an error if the seeds are invalid, if no seed is inside, if the sink fails, or if `control` cancels the
    /// computation.
    pub fn all(
        &self,
        seeds: &Seeds,
        sink: &mut dyn StreamlineSink,
        control: &Control,
    ) -> Result<(TrackSummary, EnergyDrift)> {
        let outputs = SampleOutputs { sink: Some(sink), ..SampleOutputs::default() };
        let tracks = self.follow_all(seeds, &self.options.constraints, outputs, control)?;
        let SampleTracks { mut summary, rays, .. } = tracks;
        summary.require_rays()?;
        summary.seeds /= self.options.directions.count() as u64;
        Ok((summary, rays.unwrap_or_default().drift))
    }

    /// Warns if the limits of the streamline length are implausible.
    fn warn_of_lengths(&self, control: &Control) {
        let GeodesicOptions { min_length_mm, max_length_mm, .. } = *self.options;
        warn_of_lengths(None, min_length_mm.unwrap_or(0.0), max_length_mm, self.tensor.grid(), control);
    }

    /// Returns the voxel properties that rays check along their way: mask, anisotropy and targets.
    fn goals(&self, targets: Option<&Targets>) -> Goals {
        let ends_at_target = targets.is_some_and(|targets| targets.names().len() == 1);
        let marks = marks(self.tensor, self.options, targets);
        Goals { marks, has_targets: targets.is_some(), ends_at_target, distances: None }
    }

    fn rays<'s>(
        &'s self,
        starts: &'s Starts<'s>,
        follower: &'s dyn FollowRays,
        regions: Option<&'s RegionGrids>,
        alone: bool,
    ) -> Rays<'s> {
        let settings = &self.settings;
        let lengths = (!alone).then_some(settings.lengths);
        Rays { starts, follower, settings, regions, lengths, alone, drift: Mutex::default() }
    }

    /// Prepares the regions for points in RAS mm. Returns `None` if there are no regions, and an error if
    /// rays cannot reach a waypoint.
    fn region_grids(&self, constraints: &Constraints) -> Result<Option<RegionGrids>> {
        if constraints.is_empty() {
            return Ok(None);
        }
        if constraints.anatomy.is_some() {
            let problem = "shortest paths do not use tissues";
            return Err(Error::usage(
                "‘anatomy’",
                problem,
                "leave out this option, or use another kind of tracking than geodesic tracking",
            ));
        }
        let regions = in_mm(constraints)?;
        let mask = self.options.mask.as_ref();
        let (grid, step) = (self.tensor.grid(), self.settings.step);
        ReachableSpace::in_mm(grid, step, &|voxel| mask.is_none_or(|mask| mask.contains(voxel)), |reach| {
            reach.check(constraints, &regions)
        })?;
        Ok(Some(regions))
    }

    /// Follows every geodesic ray, finds the rays that reach targets, and keeps the strongest of these, each
    /// up to its target.
    ///
    /// If there is one target, a ray stops in it. If there are several targets, a ray continues and may reach
    /// further ones. A seed inside a target does not count as reaching this target.
    /// [`GeodesicOptions::constraints`] are applied to each ray separately, over its whole length.
    ///
    /// Returns an error if targets and tensors are on different grids, and the errors of [`all`](Self::all).
    pub fn connect(
        &self,
        seeds: &Seeds,
        targets: &Targets,
        selection: &Selection,
        control: &Control,
    ) -> Result<Connections> {
        let mut found = self.connect_among(seeds, &self.options.constraints, targets, selection, control)?;
        found.summary.seeds /= self.options.directions.count() as u64;
        Ok(found)
    }

    fn connect_among(
        &self,
        seeds: &Seeds,
        constraints: &Constraints,
        targets: &Targets,
        selection: &Selection,
        control: &Control,
    ) -> Result<Connections> {
        self.tensor.grid().require_match(targets.grid(), "‘target’", "the tensor image")?;
        if let Some(target) = constraints.targets.first() {
            let problem = "targets of rays are those that they connect";
            return Err(Error::invalid(
                &target.name,
                problem,
                "give the region as a target or as a waypoint, not as both",
            ));
        }
        self.warn_of_lengths(control);
        let starts = self.starts(seeds)?;
        let regions = self.region_grids(constraints)?;
        let mut goals = self.goals(Some(targets));
        let (mut summary, mut drift) = (TrackSummary::default(), EnergyDrift::default());
        let mut ranking = Ranking::new(targets, *selection, self.settings.lengths);
        self.with_follower(&goals, |follower| {
            self.rays(&starts, follower, regions.as_ref(), true).in_blocks(control, |first, batches| {
                let mut first = first;
                for batch in batches {
                    for sides in batch.outcomes.chunks(starts.sides()) {
                        summary.add(&line_of(sides));
                        for outcome in sides {
                            outcome.add_to(&mut drift);
                        }
                    }
                    ranking.take(first, batch);
                    first += batch.outcomes.len() as u64;
                }
                control.progress(first, starts.count())
            })
        })?;
        summary.require_rays()?;
        let mut found = ranking.finish();
        let mut groups = Vec::new();
        for (number, (target, candidates)) in found.iter_mut().enumerate() {
            let mut name = target.name.clone();
            if target.reached == 0 {
                let inside = |voxel| targets.of_voxel(voxel) == Some(number);
                let sizes = self.tensor.grid().voxel_sizes();
                let shape = self.tensor.grid().shape();
                goals.distances = Some(nearest::distances(inside, shape, sizes));
                if let Some((distance, nearest)) = self.nearest(&starts, &goals, regions.as_ref(), control)? {
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
        summary.streamlines = tractogram.len() as u64;
        summary.points = tractogram.positions().len() as u64;
        summary.lengths = StreamlineLengths::default();
        for length in lengths {
            summary.lengths.push(length);
        }
        Ok(Connections {
            tractogram,
            summary,
            drift,
            targets: found.into_iter().map(|(target, _)| target).collect(),
        })
    }

    /// Returns the ray that comes nearest to a target (smallest value of `goals.distances`), and this
    /// distance in mm.
    fn nearest(
        &self,
        starts: &Starts,
        goals: &Goals,
        regions: Option<&RegionGrids>,
        control: &Control,
    ) -> Result<Option<(f64, Candidate)>> {
        let mut best: Option<(f32, Candidate)> = None;
        self.with_follower(goals, |follower| {
            self.rays(starts, follower, regions, true).in_blocks(control, |first, batches| {
                let outcomes = batches.iter().flat_map(|batch| &batch.outcomes);
                for (ray, outcome) in (first..).zip(outcomes) {
                    // A streamline has at least two points.
                    if outcome.nearest_point > 0 && best.is_none_or(|(minimum, _)| outcome.nearest < minimum)
                    {
                        let there = outcome.connectivity_there;
                        best = Some((outcome.nearest, Candidate::nearest(ray, outcome.nearest_point, there)));
                    }
                }
                Ok(())
            })
        })?;
        Ok(best.map(|(distance, candidate)| (f64::from(distance), candidate)))
    }

    /// Follows the chosen rays again up to their target points and returns the streamlines. `groups` has the
    /// name of each group and its number of streamlines.
    fn tractogram(
        &self,
        starts: &Starts,
        chosen: &[Candidate],
        groups: &[(String, usize)],
        control: &Control,
    ) -> Result<(Tractogram, Vec<f32>)> {
        let again: Vec<Start> =
            chosen.iter().map(|chosen| Start { steps: chosen.point, ..starts.start(chosen.ray) }).collect();
        let goals = self.goals(None);
        let mut tractogram = Tractogram::new();
        let (mut at_points, mut measures) = (Vec::new(), Vec::new());
        self.with_follower(&goals, |follower| {
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

    /// Measures the speed of tracking, for benchmarks. Follows rays several times, from the given points (RAS
    /// mm) in the given directions, and writes every point to the memory of the device.
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
        let goals = self.goals(None);
        let (settings, goals, connectivity) = (&self.settings, &goals, how.connectivity);
        if field.machines().is_empty() {
            return Processor { field, settings, goals, connectivity }.time(&starts, how.repeats);
        }
        OnGpus::new(field.machines(), &field.plan, settings, goals, connectivity)?.time(&starts, how)
    }

    /// Returns the time for the computation of the metric field, for benchmarks; `None` if no GPU computed
    /// it.
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
        if plan.count().checked_mul(rays).is_none_or(|rays| rays > MAX_RAYS) {
            let problem = format!("{} seeds with {rays} rays each are too many", plan.count());
            return Err(Error::usage("‘directions’", problem, "give fewer seeds or directions"));
        }
        Ok(Starts::new(self.tensor, self.repair(), plan, self.options, self.settings.max_steps))
    }

    fn with_follower<R>(&self, goals: &Goals, work: impl FnOnce(&dyn FollowRays) -> Result<R>) -> Result<R> {
        match &self.field {
            Precise::Single(field) => self.with_precise(field, goals, work),
            Precise::Double(field) => self.with_precise(field, goals, work),
        }
    }

    fn with_precise<T: Real, R>(
        &self,
        field: &Prepared<T>,
        goals: &Goals,
        work: impl FnOnce(&dyn FollowRays) -> Result<R>,
    ) -> Result<R> {
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

/// Maximum number of geodesic rays in a run. A larger number is probably a typing error, because tracking
/// would take days on any machine.
const MAX_RAYS: u64 = 1 << 40;

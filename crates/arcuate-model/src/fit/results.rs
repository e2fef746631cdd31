//! Results of fits, as maps.

use super::active_constraints::{AtConstraint, Inequalities};
use super::cpu::PIECE;
use super::obstacle::Obstacle;
use super::plan::ModelPlan;
use super::status::Status;
use super::unknowns::Unknown;
use super::voxels::Voxels;
use crate::language::{Form, Input, OtherNames, Output, OutputProgram, Parameter, Role, Unit};
use arcuate_core::{Error, Result, Volume, VoxelCounts, narrow};
use arcuate_numbers::Real;
use rayon::prelude::*;
use std::ops::Range;

/// The fit of a model in every voxel of a mask. All images are 0 outside the mask and in voxels without a
/// fit.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelFit {
    /// The model's name.
    pub model: String,
    /// Maps of the fitted parameters in the model's order, followed by the maps that the model derives from
    /// its parameters. Fixed parameters have no map.
    pub maps: Vec<FitMap>,
    /// Maps of the parameters' standard errors, computed from the Cramér–Rao bound. They have the unit of the
    /// parameter. For orientations, they are angles in radians. The largest possible value is the range
    /// between the bounds of the parameter, or a right angle for an orientation. This value means that the
    /// data do not determine the parameter. The value is 0 in voxels without a fit, and for a parameter that
    /// is fixed or at a bound. The list is empty unless standard errors were requested.
    pub standard_errors: Vec<FitMap>,
    /// Root mean square of the difference between measured and predicted signals over the usable
    /// measurements, in the unit of the signal. If the series has averages over directions, each square is
    /// weighted by the number of averaged measurements. The result is then the noise of one acquired
    /// measurement.
    pub residual: Volume<f32>,
    /// The result status of each voxel, as the number of a [`Status`].
    pub status: Volume<f32>,
    /// Number of finite measurements in each voxel.
    pub usable: Volume<f32>,
    /// Number of voxels with each status.
    pub counts: Vec<(Status, usize)>,
    /// Number of voxels without a fit, and number of measurements that were not used.
    pub voxel_counts: VoxelCounts,
    /// For each fitted parameter, the number of voxels in which the fit ended at a bound of the parameter.
    pub at_bounds: Vec<AtBounds>,
    /// For each inequality constraint of the model, the number of voxels in which both sides are equal.
    /// Constraints without such a voxel are omitted.
    pub at_constraints: Vec<AtConstraint>,
    /// Number of evaluations of the model's signal during the fit, summed over all voxels.
    pub evaluations: u64,
    /// Number of unknowns of the model in each voxel.
    pub unknowns: usize,
    /// The reason why the CPU fitted the model although the user chose a GPU. `None` if the chosen device
    /// fitted the model.
    pub obstacle: Option<Obstacle>,
}

/// Number of voxels in which the fit of a parameter ended at one of the parameter's bounds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AtBounds {
    /// The name of the parameter.
    pub parameter: String,
    /// The lower and the upper bound of the parameter, in its unit.
    pub bounds: [f64; 2],
    /// Number of voxels at the lower bound, and number of voxels at the upper bound.
    pub voxels: [usize; 2],
}

impl AtBounds {
    /// Iterates over both bounds of the parameter: the name of the bound, its value, and the number of voxels
    /// at this bound.
    pub fn ends(&self) -> impl Iterator<Item = (&'static str, f64, usize)> {
        let Self { bounds: [low, high], voxels: [at_low, at_high], .. } = *self;
        [("lower", low, at_low), ("upper", high, at_high)].into_iter()
    }
}

/// A map of a fitted parameter or of a derived quantity.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FitMap {
    /// The name of the parameter or derived quantity in the model.
    pub name: String,
    /// The description of the parameter or quantity.
    pub about: String,
    /// The unit of the values.
    pub unit: String,
    /// The range of values that the map can have, if both ends are known.
    pub bounds: Option<[f64; 2]>,
    /// The names of this map in other programs.
    pub other_names: OtherNames,
    /// The values of the map: an image with one channel, or with three channels for an orientation in scanner
    /// axes.
    pub volume: Volume<f32>,
}

impl<T: Real> ModelPlan<T> {
    /// Returns, for each fitted value, the power of the signal in its unit.
    pub(super) fn number_powers(&self) -> Vec<f64> {
        let mut powers = Vec::new();
        for (n, parameter) in self.model.parameters().iter().enumerate() {
            if self.roles[n] == Role::Free {
                powers.extend(vec![parameter.unit().dimension().signal_power(); parameter.numbers()]);
            }
        }
        powers
    }

    /// Returns the result status of a voxel after a fit. A converged voxel has another status if a parameter
    /// is at a bound, or if an inequality constraint holds with equality (`at_constraint`).
    fn status(&self, voxels: &Voxels<T>, voxel: usize, at_constraint: bool) -> Status {
        let ends_with_search = self.stages.last().is_some_and(|stage| stage.search.is_some());
        let status = match voxels.status(voxel) {
            // A grid search has no iterations. If the search evaluated all combinations of values, the voxel
            // counts as converged.
            Status::Limit if ends_with_search => Status::Converged,
            status => status,
        };
        let numbers = voxels.numbers(voxel);
        let at_bound = |(n, unknown): (usize, &Unknown)| match unknown {
            Unknown::Number(place) => {
                let [low, high] = self.begin.bounds[usize::from(*place)];
                let number = numbers[usize::from(*place)];
                !self.resting[n] && (number <= low || number >= high)
            }
            Unknown::Turn { .. } => false,
        };
        let is_at_end = at_constraint || self.unknowns.iter().enumerate().any(at_bound);
        if status == Status::Converged && is_at_end { Status::AtBound } else { status }
    }
}

/// Returns whether a voxel with this status has fitted parameter values.
fn is_of_fit(status: Status) -> bool {
    matches!(status, Status::Converged | Status::AtBound | Status::Limit)
}

impl<T: Real> ModelPlan<T> {
    /// Returns, for each parameter, the number of fitted voxels at its lower and at its upper bound.
    /// Parameters that are never at a bound are omitted.
    fn at_bounds(&self, voxels: &Voxels<T>, status: &[Status]) -> Vec<AtBounds> {
        let of_parameter = |(parameter, (role, first)): (&Parameter, &(Role, usize))| {
            let Form::Number { bounds, .. } = parameter.form() else { return None };
            let is_own = |unknown: &Unknown| *unknown == Unknown::Number(narrow::<u16>(*first));
            let found = self.unknowns.iter().zip(&self.resting).any(|(of, rests)| is_own(of) && !rests);
            if *role != Role::Free || !found {
                return None;
            }
            let [low, high] = self.begin.bounds[*first];
            let mut at = [0, 0];
            for voxel in (0..voxels.len()).filter(|&voxel| is_of_fit(status[voxel])) {
                let number = voxels.numbers(voxel)[*first];
                at[0] += usize::from(number <= low);
                at[1] += usize::from(number >= high);
            }
            let parameter = parameter.name().to_owned();
            (at != [0, 0]).then_some(AtBounds { parameter, bounds: [bounds.low, bounds.high], voxels: at })
        };
        self.model.parameters().iter().zip(&self.program.places).filter_map(of_parameter).collect()
    }
}

/// The results of all voxels, from which maps are created.
struct Outcomes<'a, T: Real> {
    plan: &'a ModelPlan<T>,
    dwi: &'a Volume<f32>,
    items: &'a [usize],
    voxels: &'a Voxels<T>,
    status: Vec<Status>,
    powers: Vec<f64>,
}

impl<T: Real> Outcomes<'_, T> {
    /// Returns a fitted parameter value of a voxel in base units. Values with the unit of the signal have the
    /// unit of the data.
    fn number(&self, voxel: usize, n: usize) -> f64 {
        let number = self.voxels.numbers(voxel)[n].double();
        match self.powers[n] {
            0.0 => number,
            1.0 => number / self.voxels.factor(voxel).double(),
            power => number / self.voxels.factor(voxel).double().powf(power),
        }
    }

    /// Returns the sum of squared residuals of a voxel, in the squared unit of the data.
    fn sum_of_squares(&self, voxel: usize) -> f64 {
        let cost = self.voxels.cost(voxel).double() / self.voxels.factor(voxel).double().powi(2);
        cost * self.plan.noise_factor.powi(2)
    }

    /// Creates an image from `value(voxel, channel)` for every fitted voxel. Values that are not finite
    /// become 0.
    fn volume(&self, channels: usize, value: &(dyn Fn(usize, usize) -> f64 + Sync)) -> Volume<f32> {
        let mut volume = Volume::filled(*self.dwi.grid(), channels, 0.0f32);
        // The fitted voxels are in ascending order. Different threads therefore write to separate parts of
        // the image.
        let (mut rest, mut before) = (volume.values_mut(), 0);
        let mut parts = Vec::new();
        for (piece, items) in self.items.chunks(PIECE).enumerate() {
            let end = items.last().map_or(before, |last| last + 1);
            let (part, behind) = rest.split_at_mut(channels * (end - before));
            parts.push((piece * PIECE, before, items, part));
            (rest, before) = (behind, end);
        }
        parts.into_par_iter().for_each(|(first, before, items, part)| {
            for (n, &item) in items.iter().enumerate() {
                if !self.status[first + n].is_fitted() {
                    continue;
                }
                let out = &mut part[channels * (item - before)..][..channels];
                for (channel, out) in out.iter_mut().enumerate() {
                    let value = value(first + n, channel) as f32;
                    *out = if value.is_finite() { value } else { 0.0 };
                }
            }
        });
        volume
    }
}

impl<T: Real> Outcomes<'_, T> {
    /// Returns the maps of the model: those of the parameters that are not fixed, followed by the maps of
    /// derived quantities.
    fn maps(&self) -> Result<Vec<FitMap>> {
        let plan = self.plan;
        let made = Made::new(self)?;
        let of_parameter = |n: &usize| {
            let parameter = &plan.model.parameters()[*n];
            let (first, factor) = (plan.program.places[*n].1, parameter.unit().factor());
            let value = |voxel, channel| self.number(voxel, first + channel) / factor;
            let says = [parameter.name(), parameter.about()];
            let (unit, names, channels) = (parameter.unit(), parameter.other_names(), parameter.numbers());
            let bounds = match parameter.form() {
                Form::Number { bounds, .. } if bounds.size().is_finite() => Some([bounds.low, bounds.high]),
                _ => None,
            };
            FitMap { bounds, ..self.map(says, unit, names, channels, &value) }
        };
        let of_output = |(output, place): (&Output, &Range<usize>)| {
            let value = |voxel, channel| made.row(voxel)[place.start + channel];
            let says = [output.name(), output.about()];
            self.map(says, output.unit(), output.other_names(), place.len(), &value)
        };
        let free: Vec<usize> = (0..plan.roles.len()).filter(|&n| plan.roles[n] == Role::Free).collect();
        let outputs = plan.model.outputs().par_iter().zip(&made.places);
        Ok(free.par_iter().map(of_parameter).chain(outputs.map(of_output)).collect())
    }

    /// Creates a map from `value(voxel, channel)`, without bounds.
    fn map(
        &self,
        [name, about]: [&str; 2],
        unit: &Unit,
        other_names: &OtherNames,
        channels: usize,
        value: &(dyn Fn(usize, usize) -> f64 + Sync),
    ) -> FitMap {
        FitMap {
            name: name.to_owned(),
            about: about.to_owned(),
            unit: unit.to_string(),
            bounds: None,
            other_names: other_names.clone(),
            volume: self.volume(channels, value),
        }
    }
}

/// The derived values of a model.
struct Made {
    /// The values of all derived quantities of the model, voxel by voxel.
    values: Vec<f64>,
    width: usize,
    /// The index range of each derived quantity among the derived values of a voxel.
    places: Vec<Range<usize>>,
}

impl Made {
    fn new<T: Real>(outcomes: &Outcomes<'_, T>) -> Result<Self> {
        let Outcomes { plan, voxels, .. } = outcomes;
        let OutputProgram { program, values: ids } = plan.model.output_program(&plan.roles)?;
        let mut places = Vec::with_capacity(ids.len());
        let mut width = 0;
        for of_output in &ids {
            places.push(width..width + of_output.len());
            width += of_output.len();
        }
        let mut values = vec![0.0; width * voxels.len()];
        if width > 0 {
            values.par_chunks_exact_mut(width).enumerate().for_each_init(Vec::new, |all, (voxel, row)| {
                program.evaluate_in(all, |input| match input {
                    Input::Parameter(n) => outcomes.number(voxel, usize::from(n)),
                    Input::Setting(n) => plan.settings[usize::from(n)],
                    Input::Map(n) => voxels.maps(voxel)[usize::from(n)].double(),
                    _ => f64::NAN,
                });
                for (out, id) in row.iter_mut().zip(ids.iter().flatten()) {
                    *out = all[id.index()];
                }
            });
        }
        Ok(Self { values, width, places })
    }

    fn row(&self, voxel: usize) -> &[f64] {
        &self.values[voxel * self.width..][..self.width]
    }
}

impl ModelFit {
    /// Converts the results of all voxels to images, without standard errors. `measurements` is the number of
    /// measurements per voxel.
    pub(super) fn new<T: Real>(
        plan: &ModelPlan<T>,
        dwi: &Volume<f32>,
        items: &[usize],
        voxels: &Voxels<T>,
        measurements: usize,
    ) -> Result<Self> {
        let inequalities = Inequalities::new(plan)?;
        let equal = inequalities.at_equality(plan, voxels);
        let status_of = |voxel: usize| plan.status(voxels, voxel, inequalities.any_at(&equal, voxel));
        let status: Vec<Status> = (0..voxels.len()).into_par_iter().map(status_of).collect();
        let mut counts: Vec<(Status, usize)> =
            Status::ALL.into_iter().map(|(status, _)| (status, 0)).collect();
        for status in &status {
            counts[*status as usize].1 += 1;
        }
        counts.retain(|(_, count)| *count > 0);
        if !status.iter().any(|status| status.is_fitted()) {
            let why = counts.iter().max_by_key(|(_, count)| *count).map_or("", |(status, _)| status.says());
            let problem = format!("{} failed in all voxels ({why})", plan.model.name());
            let advice = "check the series, its mask and its gradient table";
            return Err(Error::invalid("diffusion series", problem, advice));
        }
        let at_bounds = plan.at_bounds(voxels, &status);
        let at_constraints = inequalities.counts(&equal, |voxel| is_of_fit(status[voxel]));
        let outcomes = Outcomes { plan, dwi, items, voxels, status, powers: plan.number_powers() };
        let mut status = Volume::filled(*dwi.grid(), 1, 0.0f32);
        for (&item, of_voxel) in items.iter().zip(&outcomes.status) {
            status.values_mut()[item] = f32::from(*of_voxel as u8);
        }
        let residual =
            |voxel: usize, _| (outcomes.sum_of_squares(voxel) / f64::from(voxels.usable(voxel))).sqrt();
        Ok(Self {
            model: plan.model.name().to_owned(),
            maps: outcomes.maps()?,
            standard_errors: Vec::new(),
            residual: outcomes.volume(1, &residual),
            status,
            usable: outcomes.volume(1, &|voxel, _| f64::from(voxels.usable(voxel))),
            counts,
            voxel_counts: voxels.counts(measurements),
            at_bounds,
            at_constraints,
            evaluations: (0..voxels.len()).map(|voxel| u64::from(voxels.evaluations(voxel))).sum(),
            unknowns: plan.resting.iter().filter(|rests| !**rests).count(),
            obstacle: None,
        })
    }
}

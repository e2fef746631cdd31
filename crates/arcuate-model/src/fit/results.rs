//! What fits come to, as maps.

use super::cpu::{self, PIECE};
use super::cuda;
use super::plan::{FitOptions, ModelPlan, Pipeline};
use super::schedule::Unknown;
use super::stage::Status;
use super::uncertainty::{self, Identifiability};
use super::voxels::Voxels;
use super::wishes;
use crate::language::{Form, Input, Model, OtherNames, Output, OutputProgram, Parameter, Role};
use crate::special::watson::Series;
use crate::tensor::check_series;
use arcuate_compute::{Device, with_fallback};
use arcuate_core::{Error, GradientTable, Mask, Result, Volume};
use rayon::prelude::*;

/// A model fitted in every voxel of a mask. All volumes are 0 outside and where nothing could be fitted.
#[derive(Debug, Clone)]
pub struct ModelFit {
    /// The model's name.
    pub model: String,
    /// Parameters in the model's order, those that were fixed left out, then what it makes of them.
    pub maps: Vec<FitMap>,
    /// Standard errors of parameters by the Cramér–Rao bound, in their units; of orientations the angle in radians. At most the
    /// range of the bounds, or a right angle: there the parameter is not determined. 0 where there is none: a parameter at a
    /// bound or taken as known, and a voxel that was not fitted. Empty unless asked for.
    pub standard_errors: Vec<FitMap>,
    /// Root mean square of measured − predicted signal over the usable measurements, in the unit of the signal.
    pub residual: Volume<f32>,
    /// [`Status`] as a number.
    pub status: Volume<f32>,
    /// Measurements of each voxel that are numbers.
    pub usable: Volume<f32>,
    /// How many voxels ended how.
    pub counts: Vec<(Status, usize)>,
    /// Evaluations of the signal in all voxels.
    pub evaluations: u64,
    /// How many unknowns a voxel has.
    pub unknowns: usize,
    /// Whether there are kernels for it, so that a GPU fits it.
    pub has_kernels: bool,
}

/// A map of a fit.
#[derive(Debug, Clone)]
pub struct FitMap {
    /// What the model calls it.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Its unit.
    pub unit: String,
    /// Between which values it lies, if both are known.
    pub bounds: Option<[f64; 2]>,
    /// What other programs call it.
    pub other_names: OtherNames,
    /// One channel, or three for orientations, in scanner axes.
    pub volume: Volume<f32>,
}

/// Information criteria: what a fit's misfit and its number of unknowns come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// Akaike's, n ln(RSS / n) + 2 k (Akaike 1974, doi:10.1109/TAC.1974.1100705).
    Aic,
    /// The same, corrected for few measurements: + 2 k (k + 1) / (n − k − 1) (Hurvich and Tsai 1989, doi:10.1093/biomet/76.2.297).
    Aicc,
    /// The Bayesian one, n ln(RSS / n) + k ln n (Schwarz 1978, doi:10.1214/aos/1176344136).
    Bic,
}

impl Criterion {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Aic, Self::Aicc, Self::Bic];

    /// Its value for a sum of squares over `n` measurements with `k` unknowns.
    pub fn value(self, sum_of_squares: f64, n: f64, k: f64) -> f64 {
        let misfit = n * (sum_of_squares.max(f64::MIN_POSITIVE) / n).ln();
        misfit
            + match self {
                Self::Aic => 2.0 * k,
                Self::Aicc if n > k + 1.0 => 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0),
                Self::Aicc => f64::INFINITY,
                Self::Bic => k * n.ln(),
            }
    }
}

/// Fits models in every voxel of `mask`, and the models that they start from.
///
/// `dwi` has one channel per row of `gradients`. A measurement that is not finite is left out of its voxel's fit; zero and
/// negative ones count as they are. Voxels that cannot be fitted hold zeros, and their [`Status`] says why.
///
/// The same bits come out at any number of threads, on the processor and on any number of GPUs. Models that there are no
/// kernels for (those of users, and built-in ones that are asked to be otherwise) are fitted on the processor.
///
/// # Errors
/// Where series, gradients, mask, maps and models do not belong together, and where not one voxel can be fitted.
pub fn fit_models(
    models: &[Model],
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    device: &Device,
    options: &FitOptions,
) -> Result<Vec<ModelFit>> {
    check_series(dwi, gradients)?;
    dwi.grid().require_match(mask.grid(), "mask", "the diffusion series")?;
    if mask.count() == 0 {
        return Err(Error::invalid("mask", "no voxel is inside", "give a mask that covers the brain"));
    }
    if options.single_precision {
        fit::<f32>(models, dwi, gradients, mask, device, options)
    } else {
        fit::<f64>(models, dwi, gradients, mask, device, options)
    }
}

fn fit<T: Series>(
    models: &[Model],
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    device: &Device,
    options: &FitOptions,
) -> Result<Vec<ModelFit>> {
    let pipeline = Pipeline::<T>::new(models, gradients, options)?;
    let items = mask.indices();
    wishes::check_images(&pipeline, options, &items)?;
    let done = with_fallback("model fit", device, |device| match device {
        Device::Cpu => Ok(on_the_processor(&pipeline, dwi, &items)),
        Device::Cuda(gpus) => cuda::fit(&pipeline, dwi, &items, gpus),
    })?;
    let mut fits = Vec::new();
    for (voxels, &place) in done.into_iter().zip(&pipeline.asked) {
        let plan = &pipeline.plans[place];
        let mut fit = volumes(plan, dwi, &items, &voxels)?;
        if options.standard_errors {
            fit.standard_errors = standard_errors(plan, &pipeline.measurements, dwi, &items, &voxels);
        }
        fits.push(fit);
    }
    Ok(fits)
}

/// Fails where [`fit_models`] would refuse models, gradients or wishes, so that this is known before other work.
pub fn check_models(models: &[Model], gradients: &GradientTable, options: &FitOptions) -> Result<()> {
    Pipeline::<f64>::new(models, gradients, options).map(|_| ())
}

/// How well the measurements determine each number that models fit, model by model: what a fit at a signal-to-noise ratio of
/// 30 could say of it at best.
pub fn identifiability(
    models: &[Model],
    gradients: &GradientTable,
    options: &FitOptions,
) -> Result<Vec<Vec<Identifiability>>> {
    let pipeline = Pipeline::<f64>::new(models, gradients, options)?;
    let plans = pipeline.asked.iter().map(|&place| &pipeline.plans[place]);
    Ok(plans.map(|plan| uncertainty::identifiability(plan, &plan.derivatives)).collect())
}

/// Standard errors of what was fitted, as maps.
fn standard_errors<T: Series>(
    plan: &ModelPlan<T>,
    measurements: &[usize],
    dwi: &Volume<f32>,
    items: &[usize],
    voxels: &Voxels<T>,
) -> Vec<FitMap> {
    let width = plan.unknowns.len();
    let errors: Vec<Vec<f64>> = items
        .par_chunks(PIECE)
        .enumerate()
        .map(|(piece, items)| {
            let signals = signals_of(dwi, measurements, items);
            uncertainty::standard_errors(plan, &plan.derivatives, voxels, piece * PIECE, &signals)
        })
        .collect();
    let errors = errors.concat();
    let mut maps = Vec::new();
    for (n, parameter) in plan.model.parameters().iter().enumerate() {
        let (role, first) = plan.program.places[n];
        let places: Vec<usize> =
            (0..width).filter(|&i| usize::from(plan.unknowns[i].place()) == first).collect();
        if role != Role::Free || places.is_empty() {
            continue;
        }
        let power = parameter.unit().dimension().signal_power();
        let factor = parameter.unit().factor();
        let most = most_error(parameter);
        let mut volume = Volume::filled(*dwi.grid(), 1, 0.0f32);
        for (voxel, &item) in items.iter().enumerate() {
            // Of an orientation the angle by which both turns together miss it.
            let square: f64 = places.iter().map(|&i| errors[voxel * width + i].powi(2)).sum();
            let scale = factor * voxels.factor(voxel).double().powf(power);
            let error = (square.sqrt() / scale).min(most);
            volume.values_mut()[item] = if error.is_finite() { error as f32 } else { 0.0 };
        }
        maps.push(FitMap {
            name: parameter.name().to_owned(),
            about: format!("standard error: {}", parameter.about()),
            unit: if parameter.numbers() == 3 { "rad".into() } else { parameter.unit().to_string() },
            bounds: None,
            other_names: OtherNames::default(),
            volume,
        });
    }
    maps
}

/// The largest standard error of a parameter that says anything: with more it is not determined at all. Of an orientation,
/// whose sign means nothing, a right angle; of a number the range of its bounds.
fn most_error(parameter: &Parameter) -> f64 {
    match parameter.form() {
        Form::Orientation { .. } => std::f64::consts::FRAC_PI_2,
        Form::Number { bounds, .. } => bounds.high - bounds.low,
    }
}

/// The signals that are fitted, voxel after voxel.
pub(super) fn signals_of(dwi: &Volume<f32>, measurements: &[usize], items: &[usize]) -> Vec<f32> {
    let mut signals = Vec::with_capacity(items.len() * measurements.len());
    let all = measurements.len() == dwi.channels();
    for &item in items {
        let of_voxel = dwi.voxel(item);
        if all {
            signals.extend_from_slice(of_voxel);
        } else {
            signals.extend(measurements.iter().map(|&m| of_voxel[m]));
        }
    }
    signals
}

/// The maps that a plan asks for, voxel after voxel.
pub(super) fn maps_of<T: Series>(plan: &ModelPlan<T>, items: &[usize]) -> Vec<T> {
    let of_item = |&item: &usize| {
        plan.maps.iter().map(move |(map, factor)| T::of(f64::from(map.voxel(item)[0]) * factor))
    };
    items.iter().flat_map(of_item).collect()
}

/// Every model that was asked for, in all voxels.
fn on_the_processor<T: Series>(pipeline: &Pipeline<T>, dwi: &Volume<f32>, items: &[usize]) -> Vec<Voxels<T>> {
    let pieces: Vec<Vec<Voxels<T>>> =
        items.par_chunks(PIECE).map(|items| piece(pipeline, dwi, items)).collect();
    joined(pieces)
}

/// Pieces of the same models, one after the other.
pub(super) fn joined<T: Series>(pieces: Vec<Vec<Voxels<T>>>) -> Vec<Voxels<T>> {
    let mut pieces = pieces.into_iter();
    let mut all = pieces.next().unwrap_or_default();
    for piece in pieces {
        all.iter_mut().zip(piece).for_each(|(all, piece)| all.append(piece));
    }
    all
}

/// Every model that was asked for in some voxels.
fn piece<T: Series>(pipeline: &Pipeline<T>, dwi: &Volume<f32>, items: &[usize]) -> Vec<Voxels<T>> {
    let signals = signals_of(dwi, &pipeline.measurements, items);
    let mut done: Vec<Voxels<T>> = Vec::new();
    for plan in &pipeline.plans {
        let numbers = plan.program.free_numbers;
        let mut voxels =
            Voxels::new(pipeline.measurements.len(), numbers, signals.clone(), maps_of(plan, items));
        cpu::fit(plan, &mut voxels, &done, items);
        sort_alike(plan, &mut voxels);
        voxels.forget_signals();
        done.push(voxels);
    }
    let mut done: Vec<Option<Voxels<T>>> = done.into_iter().map(Some).collect();
    pipeline.asked.iter().filter_map(|&place| done[place].take()).collect()
}

/// Sorts what is alike by its first number, the largest first.
pub(super) fn sort_alike<T: Series>(plan: &ModelPlan<T>, voxels: &mut Voxels<T>) {
    // What is taken as known has its place, and so has what belongs to it.
    let is_found = |&n: &usize| {
        let (role, first) = plan.program.places[n];
        let found = plan.unknowns.iter().zip(&plan.resting);
        role == Role::Free && found.into_iter().any(|(of, rests)| usize::from(of.place()) == first && !rests)
    };
    let groups: Vec<Vec<std::ops::Range<usize>>> = plan
        .model
        .alike()
        .iter()
        .filter(|group| group.iter().all(is_found))
        .map(|group| {
            let range = |&n: &usize| {
                let (_, first) = plan.program.places[n];
                first..first + plan.model.parameters()[n].numbers()
            };
            group.iter().map(range).collect()
        })
        .collect();
    if groups.len() < 2 {
        return;
    }
    for voxel in 0..voxels.len() {
        let numbers = voxels.numbers(voxel).to_vec();
        let mut order: Vec<usize> = (0..groups.len()).collect();
        let first = |group: usize| numbers[groups[group][0].start].double();
        order.sort_by(|&a, &b| first(b).total_cmp(&first(a)));
        for (to, from) in order.into_iter().enumerate() {
            for (to, from) in groups[to].iter().zip(&groups[from]) {
                voxels.numbers_mut(voxel)[to.clone()].copy_from_slice(&numbers[from.clone()]);
            }
        }
    }
}

impl<T: Series> ModelPlan<T> {
    /// The power of the signal in the unit of each free number.
    fn number_powers(&self) -> Vec<f64> {
        let mut powers = Vec::new();
        for (n, parameter) in self.model.parameters().iter().enumerate() {
            if self.roles[n] == Role::Free {
                powers.extend(vec![parameter.unit().dimension().signal_power(); parameter.numbers()]);
            }
        }
        powers
    }

    /// How a voxel ended: whether it is at a bound, too.
    fn status(&self, voxels: &Voxels<T>, voxel: usize) -> Status {
        let ends_with_search = self.stages.last().is_some_and(|stage| stage.search.is_some());
        let status = match voxels.status(voxel) {
            // A search that has tried everything is at its end.
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
        if status == Status::Converged && self.unknowns.iter().enumerate().any(at_bound) {
            return Status::AtBound;
        }
        status
    }
}

/// What is known of all voxels, ready for maps.
struct Outcomes<'a, T: Series> {
    plan: &'a ModelPlan<T>,
    dwi: &'a Volume<f32>,
    items: &'a [usize],
    voxels: &'a Voxels<T>,
    status: Vec<Status>,
    powers: Vec<f64>,
}

impl<T: Series> Outcomes<'_, T> {
    /// A number of a voxel in base units, a signal in its own.
    fn number(&self, voxel: usize, n: usize) -> f64 {
        let number = self.voxels.numbers(voxel)[n].double();
        match self.powers[n] {
            0.0 => number,
            1.0 => number / self.voxels.factor(voxel).double(),
            power => number / self.voxels.factor(voxel).double().powf(power),
        }
    }

    /// The sum of squared differences in units of the signal.
    fn sum_of_squares(&self, voxel: usize) -> f64 {
        self.voxels.cost(voxel).double() / self.voxels.factor(voxel).double().powi(2)
    }

    /// A volume of what `value` says of each voxel that was fitted and channel; what is no number is 0.
    fn volume(&self, channels: usize, value: &(dyn Fn(usize, usize) -> f64 + Sync)) -> Volume<f32> {
        let mut volume = Volume::filled(*self.dwi.grid(), channels, 0.0f32);
        // Voxels come in their order, so that pieces of them lie in parts of the volume.
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

/// The outcomes of all voxels as volumes.
fn volumes<T: Series>(
    plan: &ModelPlan<T>,
    dwi: &Volume<f32>,
    items: &[usize],
    voxels: &Voxels<T>,
) -> Result<ModelFit> {
    let status: Vec<Status> =
        (0..voxels.len()).into_par_iter().map(|voxel| plan.status(voxels, voxel)).collect();
    let mut counts: Vec<(Status, usize)> = Status::ALL.into_iter().map(|(status, _)| (status, 0)).collect();
    for status in &status {
        counts[*status as usize].1 += 1;
    }
    counts.retain(|(_, count)| *count > 0);
    if !status.iter().any(|status| status.is_fitted()) {
        let why = counts.iter().max_by_key(|(_, count)| *count).map_or("", |(status, _)| status.says());
        let problem = format!("{} could be fitted in not one voxel ({why})", plan.model.name());
        let advice = "check the series, its mask and its gradient table";
        return Err(Error::invalid("diffusion series", problem, advice));
    }
    let outcomes = Outcomes { plan, dwi, items, voxels, status, powers: plan.number_powers() };
    let free: Vec<usize> = (0..plan.roles.len()).filter(|&n| plan.roles[n] == Role::Free).collect();
    let map = |&n: &usize| {
        let parameter = &plan.model.parameters()[n];
        let (first, factor) = (plan.program.places[n].1, parameter.unit().factor());
        let bounds = match parameter.form() {
            Form::Number { bounds, .. } if bounds.size().is_finite() => Some([bounds.low, bounds.high]),
            _ => None,
        };
        FitMap {
            name: parameter.name().to_owned(),
            about: parameter.about().to_owned(),
            unit: parameter.unit().to_string(),
            bounds,
            other_names: parameter.other_names().clone(),
            volume: outcomes.volume(parameter.numbers(), &|voxel, channel| {
                outcomes.number(voxel, first + channel) / factor
            }),
        }
    };
    let (of_parameters, made) =
        rayon::join(|| free.par_iter().map(map).collect::<Vec<FitMap>>(), || made_maps(&outcomes));
    let mut maps = of_parameters;
    maps.extend(made?);
    let mut status = Volume::filled(*dwi.grid(), 1, 0.0f32);
    for (&item, of_voxel) in items.iter().zip(&outcomes.status) {
        status.values_mut()[item] = f32::from(*of_voxel as u8);
    }
    let residual =
        |voxel: usize, _| (outcomes.sum_of_squares(voxel) / f64::from(voxels.usable(voxel))).sqrt();
    Ok(ModelFit {
        model: plan.model.name().to_owned(),
        maps,
        standard_errors: Vec::new(),
        residual: outcomes.volume(1, &residual),
        status,
        usable: outcomes.volume(1, &|voxel, _| f64::from(voxels.usable(voxel))),
        counts,
        evaluations: (0..voxels.len()).map(|voxel| u64::from(voxels.evaluations(voxel))).sum(),
        unknowns: plan.resting.iter().filter(|rests| !**rests).count(),
        has_kernels: cuda::kernels_of(plan).is_some(),
    })
}

/// The maps that the model makes of what was fitted.
fn made_maps<T: Series>(outcomes: &Outcomes<'_, T>) -> Result<Vec<FitMap>> {
    let Outcomes { plan, voxels, .. } = outcomes;
    let OutputProgram { program, values } = plan.model.output_program(&plan.roles)?;
    let width: usize = values.iter().map(Vec::len).sum();
    let mut rows = vec![0.0; width * voxels.len()];
    if width > 0 {
        rows.par_chunks_exact_mut(width).enumerate().for_each_init(Vec::new, |all, (voxel, row)| {
            program.evaluate_in(all, |input| match input {
                Input::Parameter(n) => outcomes.number(voxel, usize::from(n)),
                Input::Setting(n) => plan.settings[usize::from(n)],
                Input::Map(n) => voxels.maps(voxel)[usize::from(n)].double(),
                _ => f64::NAN,
            });
            for (out, id) in row.iter_mut().zip(values.iter().flatten()) {
                *out = all[id.index()];
            }
        });
    }
    let first = |n: usize| values[..n].iter().map(Vec::len).sum::<usize>();
    let map = |(n, output): (usize, &Output)| {
        let first = first(n);
        FitMap {
            name: output.name().to_owned(),
            about: output.about().to_owned(),
            unit: output.unit().to_string(),
            bounds: None,
            other_names: output.other_names().clone(),
            volume: outcomes.volume(values[n].len(), &|voxel, channel| rows[voxel * width + first + channel]),
        }
    };
    Ok(plan.model.outputs().par_iter().enumerate().map(map).collect())
}

impl ModelFit {
    /// An information criterion of the fit in every voxel that was fitted: less is better. 0 elsewhere.
    pub fn criterion(&self, criterion: Criterion) -> Volume<f32> {
        let mut volume = Volume::filled(*self.status.grid(), 1, 0.0f32);
        volume.values_mut().par_iter_mut().enumerate().for_each(|(voxel, out)| {
            *out = self.criterion_at(voxel, criterion).unwrap_or(0.0) as f32;
        });
        volume
    }

    fn criterion_at(&self, voxel: usize, criterion: Criterion) -> Option<f64> {
        let at = |volume: &Volume<f32>| f64::from(volume.voxel(voxel)[0]);
        let n = at(&self.usable);
        let is_fitted = Status::of(self.status.voxel(voxel)[0] as u8).is_fitted();
        is_fitted.then(|| criterion.value(n * at(&self.residual).powi(2), n, self.unknowns as f64))
    }
}

/// Which of several fits is best in every voxel by a criterion: 1 for the first, 0 where none was fitted.
pub fn best_models(fits: &[ModelFit], criterion: Criterion) -> Option<Volume<f32>> {
    let mut winners = Volume::filled(*fits.first()?.status.grid(), 1, 0.0f32);
    winners.values_mut().par_iter_mut().enumerate().for_each(|(voxel, winner)| {
        let best = fits
            .iter()
            .enumerate()
            .filter_map(|(n, fit)| fit.criterion_at(voxel, criterion).map(|value| (n, value)))
            .min_by(|(_, a), (_, b)| a.total_cmp(b));
        *winner = best.map_or(0.0, |(n, _)| (n + 1) as f32);
    });
    Some(winners)
}

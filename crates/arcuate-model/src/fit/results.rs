//! What fits come to, as maps.

use super::cpu::{self, PIECE};
use super::plan::{FitOptions, ModelPlan, Pipeline};
use super::schedule::Unknown;
use super::stage::Status;
use super::voxels::Voxels;
use crate::language::{Form, Input, Model, OtherNames, OutputProgram, Role};
use crate::special::watson::Series;
use crate::tensor::check_series;
use arcuate_compute::Device;
use arcuate_core::{Error, GradientTable, Mask, Result, Volume};
use rayon::prelude::*;

/// A model fitted in every voxel of a mask. All volumes are 0 outside and where nothing could be fitted.
#[derive(Debug, Clone)]
pub struct ModelFit {
    /// The model's name.
    pub model: String,
    /// Parameters in the model's order, those that were fixed left out, then what it makes of them.
    pub maps: Vec<FitMap>,
    /// Standard errors of parameters by the Cramér–Rao bound, in their units; of orientations the angle in radians. Empty
    /// unless asked for.
    pub standard_errors: Vec<FitMap>,
    /// Root mean square of measured − predicted signal over the usable measurements, in the unit of the signal.
    pub residual: Volume<f32>,
    /// [`Status`] as a number.
    pub status: Volume<f32>,
    /// The information criteria of the fit, in the order of [`Criterion::ALL`]: less is better.
    pub criteria: [Volume<f32>; 3],
    /// How many voxels ended how.
    pub counts: Vec<(Status, usize)>,
    /// Evaluations of the signal in all voxels.
    pub evaluations: u64,
    /// How many unknowns a voxel has.
    pub unknowns: usize,
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
/// The same bits come out at any number of threads.
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

/// What is known of a voxel when all is done.
#[derive(Debug, Clone)]
struct Outcome {
    /// Numbers in base units, signals in their own.
    numbers: Vec<f64>,
    errors: Vec<f64>,
    maps: Vec<f64>,
    status: Status,
    sum_of_squares: f64,
    usable: usize,
    evaluations: u32,
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
    device.computes_on_the_cpu("model fit");
    let items = mask.indices();
    let pieces: Vec<Vec<Vec<Outcome>>> =
        items.par_chunks(PIECE).map(|items| piece(&pipeline, dwi, items)).collect();
    let mut fits = Vec::new();
    for (n, &place) in pipeline.asked.iter().enumerate() {
        let outcomes: Vec<&Outcome> = pieces.iter().flat_map(|piece| &piece[n]).collect();
        fits.push(volumes(&pipeline.plans[place], dwi, &items, &outcomes)?);
    }
    Ok(fits)
}

/// All models in some voxels: for each that was asked for the outcomes.
fn piece<T: Series>(pipeline: &Pipeline<T>, dwi: &Volume<f32>, items: &[usize]) -> Vec<Vec<Outcome>> {
    let measurements = &pipeline.measurements;
    let mut signals = Vec::with_capacity(items.len() * measurements.len());
    for &item in items {
        let all = dwi.voxel(item);
        signals.extend(measurements.iter().map(|&m| all[m]));
    }
    let mut done: Vec<Voxels<T>> = Vec::new();
    for plan in &pipeline.plans {
        let maps = items.iter().flat_map(|&item| {
            plan.maps.iter().map(move |(map, factor)| T::of(f64::from(map.voxel(item)[0]) * factor))
        });
        let numbers = plan.program.free_numbers;
        let mut voxels = Voxels::new(measurements.len(), numbers, signals.clone(), maps.collect());
        cpu::fit(plan, &mut voxels, &done, items);
        sort_alike(plan, &mut voxels);
        done.push(voxels);
    }
    pipeline.asked.iter().map(|&place| outcomes(&pipeline.plans[place], &done[place])).collect()
}

/// Sorts what is alike by its first number, the largest first.
fn sort_alike<T: Series>(plan: &ModelPlan<T>, voxels: &mut Voxels<T>) {
    let groups: Vec<Vec<std::ops::Range<usize>>> = plan
        .model
        .alike()
        .iter()
        .map(|group| {
            let range = |&n: &usize| {
                let (_, first) = plan.program.places[n];
                first..first + plan.model.parameters()[n].numbers()
            };
            group.iter().map(range).collect()
        })
        .collect();
    let is_free = plan.model.alike().iter().flatten().all(|&n| {
        plan.roles[n] == Role::Free && !plan.sources.iter().any(|(first, ..)| *first == plan.program.places[n].1)
    });
    if groups.len() < 2 || !is_free {
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

fn outcomes<T: Series>(plan: &ModelPlan<T>, voxels: &Voxels<T>) -> Vec<Outcome> {
    let powers: Vec<f64> = plan.number_powers();
    (0..voxels.len())
        .map(|voxel| {
            let factor = voxels.factor(voxel).double();
            let numbers = voxels.numbers(voxel);
            let mut status = voxels.status(voxel);
            let at_bound = |(n, unknown): (usize, &Unknown)| match unknown {
                Unknown::Number(place) => {
                    let [low, high] = plan.begin.bounds[usize::from(*place)];
                    let number = numbers[usize::from(*place)];
                    !plan.resting[n] && (number <= low || number >= high)
                }
                Unknown::Turn { .. } => false,
            };
            if status == Status::Converged && plan.unknowns.iter().enumerate().any(at_bound) {
                status = Status::AtBound;
            }
            let scaled = |(number, power): (&T, &f64)| number.double() / factor.powf(*power);
            Outcome {
                numbers: numbers.iter().zip(&powers).map(scaled).collect(),
                errors: Vec::new(),
                maps: voxels.maps(voxel).iter().map(|value| value.double()).collect(),
                status,
                sum_of_squares: voxels.cost(voxel).double() / (factor * factor),
                usable: voxels.measured(voxel).iter().filter(|signal| signal.is_finite()).count(),
                evaluations: voxels.evaluations(voxel),
            }
        })
        .collect()
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
}

/// The outcomes of all voxels as volumes.
fn volumes<T: Series>(
    plan: &ModelPlan<T>,
    dwi: &Volume<f32>,
    items: &[usize],
    outcomes: &[&Outcome],
) -> Result<ModelFit> {
    let grid = *dwi.grid();
    let mut counts: Vec<(Status, usize)> =
        Status::ALL.into_iter().map(|(status, _)| (status, 0)).collect();
    for outcome in outcomes {
        counts[outcome.status as usize].1 += 1;
    }
    counts.retain(|(_, count)| *count > 0);
    if !outcomes.iter().any(|outcome| outcome.status.is_fitted()) {
        let why = counts.iter().max_by_key(|(_, count)| *count).map_or("", |(status, _)| status.says());
        let problem = format!("{} could be fitted in not one voxel ({why})", plan.model.name());
        return Err(Error::invalid("diffusion series", problem, "check the series, its mask and its gradient table"));
    }
    let fill = |channels: usize, value: &dyn Fn(&Outcome, usize) -> f64| {
        let mut volume = Volume::filled(grid, channels, 0.0f32);
        for (&item, outcome) in items.iter().zip(outcomes).filter(|(_, outcome)| outcome.status.is_fitted()) {
            for channel in 0..channels {
                volume.voxel_mut(item)[channel] = value(outcome, channel) as f32;
            }
        }
        volume
    };
    let mut maps = Vec::new();
    for (n, parameter) in plan.model.parameters().iter().enumerate() {
        let (role, first) = plan.program.places[n];
        if role != Role::Free {
            continue;
        }
        let factor = parameter.unit().factor();
        let bounds = match parameter.form() {
            Form::Number { bounds, .. } if bounds.size().is_finite() => Some([bounds.low, bounds.high]),
            _ => None,
        };
        maps.push(FitMap {
            name: parameter.name().to_owned(),
            about: parameter.about().to_owned(),
            unit: parameter.unit().to_string(),
            bounds,
            other_names: parameter.other_names().clone(),
            volume: fill(parameter.numbers(), &|outcome, channel| outcome.numbers[first + channel] / factor),
        });
    }
    maps.extend(made_maps(plan, dwi, items, outcomes)?);
    let unknowns = plan.resting.iter().filter(|rests| !**rests).count();
    let criterion = |criterion: Criterion| {
        fill(1, &|outcome, _| criterion.value(outcome.sum_of_squares, outcome.usable as f64, unknowns as f64))
    };
    let mut status = Volume::filled(grid, 1, 0.0f32);
    for (&item, outcome) in items.iter().zip(outcomes) {
        status.voxel_mut(item)[0] = f32::from(outcome.status as u8);
    }
    Ok(ModelFit {
        model: plan.model.name().to_owned(),
        maps,
        standard_errors: Vec::new(),
        residual: fill(1, &|outcome, _| (outcome.sum_of_squares / outcome.usable as f64).sqrt()),
        status,
        criteria: Criterion::ALL.map(criterion),
        counts,
        evaluations: outcomes.iter().map(|outcome| u64::from(outcome.evaluations)).sum(),
        unknowns,
    })
}

/// The maps that the model makes of what was fitted.
fn made_maps<T: Series>(
    plan: &ModelPlan<T>,
    dwi: &Volume<f32>,
    items: &[usize],
    outcomes: &[&Outcome],
) -> Result<Vec<FitMap>> {
    let OutputProgram { program, values } = plan.model.output_program(&plan.roles)?;
    let rows: Vec<Vec<f64>> = outcomes
        .par_iter()
        .map(|outcome| {
            let all = program.evaluate(|input| match input {
                Input::Parameter(n) => outcome.numbers[usize::from(n)],
                Input::Setting(n) => plan.settings[usize::from(n)],
                Input::Map(n) => outcome.maps[usize::from(n)],
                _ => f64::NAN,
            });
            values.iter().flatten().map(|id| all[id.index()]).collect()
        })
        .collect();
    let mut first = 0;
    let mut maps = Vec::new();
    for (output, ids) in plan.model.outputs().iter().zip(&values) {
        let mut volume = Volume::filled(*dwi.grid(), ids.len(), 0.0f32);
        for ((&item, outcome), row) in items.iter().zip(outcomes).zip(&rows) {
            if outcome.status.is_fitted() {
                for channel in 0..ids.len() {
                    let value = row[first + channel] as f32;
                    // What the formula has no value for is 0, as where nothing was fitted.
                    volume.voxel_mut(item)[channel] = if value.is_finite() { value } else { 0.0 };
                }
            }
        }
        first += ids.len();
        maps.push(FitMap {
            name: output.name().to_owned(),
            about: output.about().to_owned(),
            unit: output.unit().to_string(),
            bounds: None,
            other_names: output.other_names().clone(),
            volume,
        });
    }
    Ok(maps)
}

/// Which of several fits is best in every voxel by a criterion: 1 for the first, 0 where none was fitted.
pub fn best_models(fits: &[ModelFit], criterion: Criterion) -> Option<Volume<f32>> {
    let first = fits.first()?;
    let place = Criterion::ALL.iter().position(|known| *known == criterion)?;
    let mut winners = Volume::filled(*first.status.grid(), 1, 0.0f32);
    for voxel in 0..winners.grid().len() {
        let is_fitted = |fit: &ModelFit| Status::of(fit.status.voxel(voxel)[0] as u8).is_fitted();
        let value = |fit: &ModelFit| fit.criteria[place].voxel(voxel)[0];
        let best = fits
            .iter()
            .enumerate()
            .filter(|(_, fit)| is_fitted(fit))
            .min_by(|(_, a), (_, b)| value(a).total_cmp(&value(b)));
        if let Some((n, _)) = best {
            winners.voxel_mut(voxel)[0] = (n + 1) as f32;
        }
    }
    Some(winners)
}

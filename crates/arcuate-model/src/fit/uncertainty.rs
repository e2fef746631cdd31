//! Uncertainty of fitted parameters: the Cramér–Rao bound for Gaussian noise (Rao 1945; for diffusion models
//! Alexander 2008, doi:10.1002/mrm.21646). The bound is computed on the CPU in double precision, whatever the
//! precision of the fit.

use super::interpreter::{Interpreter, Row, WIDTH};
use super::linear::{Factors, triangle};
use super::normal_equations::add_products;
use super::plan::ModelPlan;
use super::schedule::Schedule;
use super::unknowns::Unknown;
use super::voxels::Voxels;
use crate::language::{DEVIATIONS, Form, Model, Role, Start, TensorPart};
use arcuate_core::narrow;
use arcuate_numbers::{Lanes, Operations, Real};

/// Smallest pivot when the normal matrix is factorised. The pivot of an unknown is the fraction that the
/// other unknowns do not explain. Below this limit, the measurements do not determine the unknown.
const SINGULAR: f64 = 1e-12;

/// Computes the variances of the unknowns for sixteen sets of parameter values, in units of the noise
/// variance. The variances are the diagonal elements of the inverse normal matrices.
pub(crate) struct Information<'a> {
    schedule: &'a Schedule,
    unknowns: &'a [Unknown],
    measurements: usize,
}

impl<'a> Information<'a> {
    pub(crate) fn new(schedule: &'a Schedule, unknowns: &'a [Unknown], measurements: usize) -> Self {
        Self { schedule, unknowns, measurements }
    }

    /// Returns the variance of each unknown. The variance is infinite if the measurements do not determine
    /// the unknown, and 0 if the unknown is `left_out`. Only measurements whose `usable` is above 0 are used.
    pub(crate) fn variances(
        &self,
        numbers: &[Row<f64>],
        maps: &[Row<f64>],
        usable: &[Row<f64>],
        left_out: &[Row<f64>],
    ) -> Vec<Row<f64>> {
        with_simd!(self.variances_of_lanes(numbers, maps, usable, left_out))
    }

    #[inline(always)]
    fn variances_of_lanes(
        &self,
        numbers: &[Row<f64>],
        maps: &[Row<f64>],
        usable: &[Row<f64>],
        left_out: &[Row<f64>],
    ) -> Vec<Row<f64>> {
        let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
        let unknowns = self.unknowns.len();
        let mut interpreter = Interpreter::<f64>::new(self.schedule, self.measurements);
        interpreter.set_inputs(self.unknowns, numbers, maps, &[]);
        let mut normal = vec![zero; triangle(unknowns, 0)];
        interpreter.blocks(&[], |of, block| {
            for i in 0..unknowns {
                for j in 0..=i {
                    let [one, other] = [i, j].map(|i| of.result(1 + i, &block));
                    add_products::<false, _>(&mut normal[triangle(i, j)], one, other, &usable[block.clone()]);
                }
            }
        });
        let mut scales = vec![zero; unknowns];
        for i in 0..unknowns {
            let diagonal = normal[triangle(i, i)];
            let scale = diagonal.if_above(zero, one / diagonal.if_above(zero, diagonal, one).root(), zero);
            scales[i] = left_out[i].if_above(zero, zero, scale);
        }
        for i in 0..unknowns {
            for j in 0..i {
                normal[triangle(i, j)] = normal[triangle(i, j)] * scales[i] * scales[j];
            }
            normal[triangle(i, i)] = one;
        }
        let mut factors = Factors::new(unknowns, Lanes::all(0.0));
        factors.factorise(&mut normal, Lanes::all(SINGULAR));
        let endless = Lanes::all(f64::INFINITY);
        (0..unknowns)
            .map(|i| {
                let mut column = vec![zero; unknowns];
                column[i] = one;
                factors.solve(&mut column);
                let variance = column[i] * scales[i] * scales[i];
                // If the other unknowns explain an unknown up to rounding errors, the measurements do not
                // determine it.
                let is_known = Lanes::all(1e9).if_above(column[i], variance, endless);
                let is_known = scales[i].if_above(zero, is_known, endless);
                left_out[i].if_above(zero, zero, is_known)
            })
            .collect()
    }
}

/// Returns the standard errors of the unknowns in fitted voxels, voxel by voxel, in base units with the
/// scaled signal. The standard error is 0 for an unknown at a bound and for a voxel without a fit. It is
/// infinite if the measurements do not determine the unknown.
pub(crate) fn standard_errors<T: Real>(
    plan: &ModelPlan<T>,
    schedule: &Schedule,
    voxels: &Voxels<T>,
    first: usize,
    signals: &[f32],
) -> Vec<f64> {
    let unknowns = &plan.unknowns;
    let measurements = schedule.columns.len() / schedule.column_count.max(1);
    let information = Information::new(schedule, unknowns, measurements);
    let count = signals.len() / measurements.max(1);
    let mut errors = vec![0.0; count * unknowns.len()];
    let zero: Row<f64> = Lanes::all(0.0);
    for start in (0..count).step_by(WIDTH) {
        let lanes = WIDTH.min(count - start);
        let mut numbers = vec![zero; plan.program.free_numbers];
        let mut maps = vec![zero; plan.program.map_numbers];
        let mut usable = vec![zero; measurements];
        let mut left_out = vec![zero; unknowns.len()];
        for lane in 0..lanes {
            let voxel = first + start + lane;
            let of_voxel = voxels.numbers(voxel);
            numbers.iter_mut().zip(of_voxel).for_each(|(row, number)| row.0[lane] = number.double());
            maps.iter_mut().zip(voxels.maps(voxel)).for_each(|(row, number)| row.0[lane] = number.double());
            let of_signals = &signals[(start + lane) * measurements..][..measurements];
            for (row, signal) in usable.iter_mut().zip(of_signals) {
                row.0[lane] = f64::from(u8::from(signal.is_finite()));
            }
            for (i, unknown) in unknowns.iter().enumerate() {
                let at_bound = match unknown {
                    Unknown::Number(n) => {
                        let [low, high] = plan.begin.bounds[usize::from(*n)];
                        of_voxel[usize::from(*n)] <= low || of_voxel[usize::from(*n)] >= high
                    }
                    Unknown::Turn { .. } => false,
                };
                left_out[i].0[lane] = f64::from(u8::from(plan.resting[i] || at_bound));
            }
        }
        let variances = information.variances(&numbers, &maps, &usable, &left_out);
        for lane in 0..lanes {
            let voxel = first + start + lane;
            if !voxels.status(voxel).is_fitted() {
                continue;
            }
            let fitted = (0..unknowns.len()).filter(|&i| left_out[i].0[lane] == 0.0).count();
            let freedom = f64::from(voxels.usable(voxel)) - fitted as f64;
            let noise = voxels.cost(voxel).double() / freedom.max(1.0);
            for (i, variance) in variances.iter().enumerate() {
                let variance = variance.0[lane];
                // If the measurements do not determine an unknown, its standard error is infinite even
                // without noise.
                let error = if variance.is_finite() { (variance * noise).sqrt() } else { f64::INFINITY };
                errors[(start + lane) * unknowns.len() + i] = error;
            }
        }
    }
    errors
}

/// How well the measurements of a protocol (gradient table) determine a parameter of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Identifiability {
    /// The name of the parameter.
    pub parameter: String,
    /// Median standard error of the parameter at a signal-to-noise ratio of 30. The median is over typical
    /// sets of parameter values from the model's search grids. The error is a fraction of the range between
    /// the parameter's bounds, or of its value if there are no bounds.
    pub error: f64,
}

/// The signal-to-noise ratio that [`Identifiability`] assumes.
const SNR: f64 = 30.0;
/// Maximum number of sets of parameter values for which standard errors are computed.
const SETS: usize = 64;

/// Returns, for each fitted parameter, how well the measurements determine it.
pub(crate) fn identifiability<T: Real>(plan: &ModelPlan<T>, schedule: &Schedule) -> Vec<Identifiability> {
    let measurements = schedule.columns.len() / schedule.column_count.max(1);
    let information = Information::new(schedule, &plan.unknowns, measurements);
    let sets = typical_sets(&plan.model, &plan.roles);
    let zero: Row<f64> = Lanes::all(0.0);
    let mut maps = vec![Lanes::all(1.0); plan.program.map_numbers];
    if plan.program.deviates {
        let own = maps.len() - DEVIATIONS;
        maps[own..].fill(Lanes::all(0.0));
    }
    let usable = vec![Lanes::all(1.0); measurements];
    let resting =
        plan.resting.iter().map(|rests| Lanes::all(f64::from(u8::from(*rests)))).collect::<Vec<_>>();
    let mut errors: Vec<Vec<f64>> = vec![Vec::new(); plan.unknowns.len()];
    for sets in sets.chunks(WIDTH) {
        let mut numbers = vec![zero; plan.program.free_numbers];
        for lane in 0..WIDTH {
            let set = &sets[lane.min(sets.len() - 1)];
            numbers.iter_mut().zip(set).for_each(|(row, number)| row.0[lane] = *number);
        }
        let variances = information.variances(&numbers, &maps, &usable, &resting);
        for (errors, variance) in errors.iter_mut().zip(variances) {
            errors.extend(
                variance.0[..sets.len()].iter().map(|variance| variance.sqrt() / (SNR * plan.noise_factor)),
            );
        }
    }
    let mut found = Vec::new();
    for (n, parameter) in plan.model.parameters().iter().enumerate() {
        let (role, first) = plan.program.places[n];
        let Form::Number { bounds, .. } = parameter.form() else { continue };
        let is_it = |unknown: &Unknown| *unknown == Unknown::Number(narrow::<u16>(first));
        let Some(place) = plan.unknowns.iter().position(is_it).filter(|&place| !plan.resting[place]) else {
            continue;
        };
        if role != Role::Free {
            continue;
        }
        let range = (bounds.high - bounds.low) * parameter.unit().factor();
        let mut relative: Vec<f64> = errors[place]
            .iter()
            .zip(&sets)
            .map(|(error, set)| error / if range.is_finite() { range } else { set[first].abs() })
            .collect();
        let error = arcuate_core::statistics::median(&mut relative).unwrap_or(f64::NAN);
        found.push(Identifiability { parameter: parameter.name().to_owned(), error });
    }
    found
}

/// Returns typical sets of parameter values in base units, with a signal of 1 at b = 0. The sets combine
/// values of the search grids with orientations that are far apart.
fn typical_sets(model: &Model, roles: &[Role]) -> Vec<Vec<f64>> {
    const AXES: [[f64; 3]; 3] = [[0.36, 0.48, 0.8], [-0.8, 0.6, 0.0], [-0.48, -0.64, 0.6]];
    let mut sets: Vec<Vec<f64>> = vec![Vec::new()];
    let mut orientations = 0;
    for (parameter, role) in model.parameters().iter().zip(roles) {
        if *role != Role::Free {
            continue;
        }
        let factor = parameter.unit().factor();
        let choices: Vec<Vec<f64>> = match parameter.form() {
            Form::Orientation { .. } => {
                orientations += 1;
                vec![AXES[(orientations - 1) % 3].to_vec()]
            }
            Form::Number { grid, .. } if !grid.is_empty() => {
                grid.iter().map(|value| vec![value * factor]).collect()
            }
            Form::Number { bounds, .. } => {
                // A parameter that starts from the data is about 1 in base units, except for the off-diagonal
                // elements of the tensor, which are about 0.
                let usual = match parameter.start() {
                    Start::Tensor(TensorPart::Element(3..)) => 0.0,
                    _ => 1.0,
                };
                let value = parameter.start_number().map_or(usual, |value| value * factor);
                vec![vec![value.clamp(bounds.low * factor, bounds.high * factor)]]
            }
        };
        sets = sets
            .iter()
            .flat_map(|set| choices.iter().map(move |choice| [&set[..], choice].concat()))
            .collect();
        // If there are more sets of parameter values than the maximum, sets at equal distances in the list
        // are selected.
        if sets.len() > SETS {
            let step = sets.len() as f64 / SETS as f64;
            sets = (0..SETS).map(|n| sets[(n as f64 * step) as usize].clone()).collect();
        }
    }
    sets
}

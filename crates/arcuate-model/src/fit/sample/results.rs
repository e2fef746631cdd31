//! Results of Markov chains: samples of the parameters, their means and spreads, and convergence diagnostics.

use super::convergence::{Convergence, Diagnostics, Workspace};
use super::cpu::Subject;
use super::moments::{dyadic, moments, principal_axis};
use super::plan::{ChainPlan, ChainState};
use super::populations::Populations;
use super::resume::{self, Orders};
use crate::fit::cpu::PIECE;
use crate::fit::evaluation::{Evaluation, set_lane};
use crate::fit::interpreter::WIDTH;
use crate::fit::normal_equations::Sums;
use crate::fit::obstacle::Obstacle;
use crate::fit::plan::{ModelPlan, Pipeline};
use crate::fit::results::ModelFit;
use crate::fit::status::Status;
use crate::fit::voxels::Voxels;
use crate::language::Role;
use arcuate_core::statistics::quantile_of_sorted;
use arcuate_core::{Grid, Result, Volume, narrow};
use arcuate_numbers::{Lanes, Real};
use rayon::prelude::*;
use std::ops::Range;

/// Samples of the posterior distribution of a model's parameters in every voxel.
#[derive(Debug, Clone)]
pub struct ModelSamples {
    /// A fit whose parameter values are the means of the samples. For orientations, the mean is the principal
    /// axis. The residual is computed at these means, and the status states whether a voxel has samples.
    pub fit: ModelFit,
    /// The sampled parameters in the model's order. If the noise σ was sampled, it is the last one.
    pub parameters: Vec<SampledParameter>,
    /// Number of chains per voxel.
    pub chains: usize,
    /// Number of samples per chain.
    pub samples: usize,
    /// Duration of the initial fit and duration of the chains, in seconds.
    pub seconds: [f64; 2],
    /// The reason why the CPU ran the chains although the user chose a GPU. `None` if the chosen device ran
    /// them.
    pub obstacle: Option<Obstacle>,
    /// Map of the acceptance rate of proposals after the burn-in, with one channel per parameter.
    pub acceptance: Volume<f32>,
    /// Final state of the chains, if requested. A later run can continue the chains from this state.
    pub state: Option<Volume<f64>>,
    /// Indices of the voxels with samples, in the order of the image.
    pub voxels: Vec<usize>,
    /// Number of parameter values in each sample.
    pub(super) numbers: usize,
    /// Interchangeable fibre populations. For each population: the index ranges of its parameter values in a
    /// sample, with the signal fraction first.
    groups: Vec<Vec<Range<usize>>>,
    /// All samples in the units of the parameters. Samples are ordered by voxel, then chain, then the number
    /// of the sample.
    pub(super) values: Vec<f32>,
    /// The factor that scaled the signals, for each voxel with samples.
    pub(super) factors: Vec<f64>,
    grid: Grid,
}

/// The results of completed chains.
pub(super) struct Ended<T> {
    /// All samples, ordered by voxel, then chain, then the number of the sample.
    pub(super) samples: Vec<f32>,
    /// The final state of each chain.
    pub(super) states: Vec<ChainState<T>>,
    /// The order of fibre populations in each chain, if the chains continue the chains of an earlier run.
    pub(super) start_orders: Option<Orders>,
    pub(super) keeps_state: bool,
    /// Duration of the initial fit and duration of the chains, in seconds.
    pub(super) seconds: [f64; 2],
    pub(super) obstacle: Option<Obstacle>,
}

/// A sampled parameter.
#[derive(Debug, Clone)]
pub struct SampledParameter {
    /// The parameter's name in the model. The standard deviation of the noise has the name `sigma`.
    pub name: String,
    /// The description of the parameter.
    pub about: String,
    /// The unit of the parameter.
    pub unit: String,
    /// Index of the parameter's first value among the values of a sample.
    pub(super) first: usize,
    /// Number of values that the parameter has in a sample. It is 1 for a scalar, and 3 for an orientation,
    /// which is a unit vector in scanner axes.
    pub numbers: usize,
}

impl SampledParameter {
    /// Returns the values of this parameter from one sample of a voxel ([`ModelSamples::of_voxel`]).
    pub fn of<'a>(&self, row: &'a [f32]) -> &'a [f32] {
        &row[self.first..self.first + self.numbers]
    }
}

impl ModelSamples {
    /// Computes the results of completed chains.
    pub(super) fn new<T: Real>(subject: Subject<'_, T>, items: &[usize], ended: Ended<T>) -> Result<Self> {
        let Subject { plan: chain_plan, pipeline, dwi, chosen, .. } = subject;
        let Ended { samples: mut values, states, start_orders, keeps_state, seconds, obstacle } = ended;
        let plan = &pipeline.plans[pipeline.requested[0]];
        let grid = *dwi.grid();
        let (numbers, samples) = (chain_plan.sample_numbers(), chain_plan.samples());
        let all = states.len() * samples;
        let scales = Scales::new(plan, chain_plan);
        let groups = chain_plan.groups.clone();
        let populations = Populations { groups: &groups, numbers };
        let of_voxel = |(voxel, of_voxel): (usize, &mut [f32])| {
            scales.apply(subject.voxels.factor(chosen[voxel]).double(), of_voxel);
            if groups.len() < 2 {
                return vec![(0..groups.len()).collect(); states.len()];
            }
            let own = voxel * groups.len()..(voxel + 1) * groups.len();
            let orders = match &start_orders {
                Some(orders) => orders.iter().map(|order| order[own.clone()].to_vec()).collect(),
                None => populations.orders(of_voxel, samples, chain_plan.order),
            };
            populations.arrange(of_voxel, samples, orders.iter().map(Vec::as_slice));
            orders
        };
        let of_voxels = values.par_chunks_mut((all * numbers).max(1)).enumerate();
        let orders: Vec<Vec<Vec<usize>>> = of_voxels.map(of_voxel).collect();
        let parameters = parameters(plan, chain_plan);
        let mut voxels = subject.voxels.clone();
        let is_moved = |voxel: usize| {
            let moves = chain_plan.of.len();
            let own = voxel * moves..(voxel + 1) * moves;
            states.iter().any(|state| state.total[own.clone()].iter().any(|count| *count > 0))
        };
        let mean_of = |(voxel, place): (usize, &usize)| {
            let own = &values[voxel * all * numbers..][..all * numbers];
            let mut mean = voxels.numbers(*place).to_vec();
            for parameter in &parameters {
                if parameter.first >= chain_plan.numbers {
                    continue;
                }
                let of_parameter = if parameter.numbers == 3 {
                    principal_axis(&dyadic(own, parameter.first, numbers)).0.to_vec()
                } else {
                    vec![moments(own.iter().skip(parameter.first).step_by(numbers)).0]
                };
                for (n, value) in of_parameter.into_iter().enumerate() {
                    let place_of = parameter.first + n;
                    mean[place_of] = T::of(value / scales.of(place_of, voxels.factor(*place).double()));
                }
            }
            mean
        };
        let means: Vec<Vec<T>> = chosen.par_iter().enumerate().map(mean_of).collect();
        for (voxel, (&place, mean)) in chosen.iter().zip(means).enumerate() {
            voxels.numbers_mut(place).copy_from_slice(&mean);
            voxels.set_status(place, if is_moved(voxel) { Status::Sampled } else { Status::Stuck });
        }
        sums_of_squares(chain_plan, pipeline, dwi, items, &mut voxels);
        let mut acceptance = Volume::filled(grid, parameters.len(), 0.0f32);
        let proposals = (narrow::<u32>(states.len()) * chain_plan.jumps.max(1)) as f32;
        for (voxel, &place) in chosen.iter().enumerate() {
            let moves = chain_plan.of.len();
            for which in 0..moves {
                let accepted: u32 = states.iter().map(|state| state.total[voxel * moves + which]).sum();
                acceptance.values_mut()[items[place] * moves + which] = accepted as f32 / proposals;
            }
        }
        Ok(Self {
            fit: ModelFit::new(plan, dwi, items, &voxels, pipeline.measurements.len())?,
            parameters,
            chains: states.len(),
            samples,
            seconds,
            obstacle,
            acceptance,
            state: keeps_state.then(|| resume::image(chain_plan, &states, &orders, subject.items, &grid)),
            voxels: subject.items.to_vec(),
            numbers,
            groups,
            values,
            factors: chosen.iter().map(|&place| voxels.factor(place).double()).collect(),
            grid,
        })
    }

    /// Returns an image with all samples of a parameter, chain by chain. Each sample has one channel, or
    /// three channels for an orientation. Voxels without samples are 0.
    pub fn samples_of(&self, parameter: &SampledParameter) -> Volume<f32> {
        let all = self.chains * self.samples;
        let width = parameter.numbers;
        self.volume(all * width, |of_voxel, out| {
            for (sample, out) in of_voxel.chunks_exact(self.numbers).zip(out.chunks_exact_mut(width)) {
                out.copy_from_slice(&sample[parameter.first..parameter.first + width]);
            }
        })
    }

    /// Returns the number of channels of [`samples_of`](Self::samples_of).
    pub fn channels_of(&self, parameter: &SampledParameter) -> usize {
        self.chains * self.samples * parameter.numbers
    }

    /// Writes one channel of the image that [`samples_of`](Self::samples_of) returns to `out`, for the voxels
    /// of the image from index `first` on. A program can thus write a file without holding the whole image in
    /// memory.
    ///
    /// # Panics
    /// Panics if the image has no channel with this index.
    pub fn samples_in(&self, parameter: &SampledParameter, channel: usize, first: usize, out: &mut [f32]) {
        assert!(
            channel < self.channels_of(parameter),
            "channel {channel} of {}",
            self.channels_of(parameter)
        );
        let place =
            channel / parameter.numbers * self.numbers + parameter.first + channel % parameter.numbers;
        let width = self.chains * self.samples * self.numbers;
        out.fill(0.0);
        let begin = self.voxels.partition_point(|&voxel| voxel < first);
        for (n, &voxel) in self.voxels.iter().enumerate().skip(begin) {
            let Some(out) = out.get_mut(voxel - first) else { break };
            *out = self.values[n * width + place];
        }
    }

    /// Returns the indices of the voxels with samples, and `count` new values per voxel. `make` computes
    /// these values from the samples of the voxel. If there are not more new values than samples, the new
    /// values reuse the memory of the samples.
    pub fn into_numbers(
        self,
        count: usize,
        make: impl Fn(&[&[f32]], &mut [f32]) + Sync,
    ) -> (Vec<usize>, Vec<f32>) {
        let (numbers, own) = (self.numbers.max(1), self.chains * self.samples * self.numbers);
        let numbers_of = |(of_voxel, out): (&[f32], &mut [f32])| {
            let rows: Vec<&[f32]> = of_voxel.chunks_exact(numbers).collect();
            make(&rows, out);
        };
        (self.voxels, replaced(self.values, [own, count], numbers_of))
    }

    /// Returns a map of the spread of a parameter. For a scalar, this is the standard deviation. For an
    /// orientation n, it is the dispersion: 1 − the largest eigenvalue of the mean of n nᵀ. The dispersion is
    /// 0 if all samples are equal, and ⅔ for a uniform distribution.
    pub fn spread_of(&self, parameter: &SampledParameter) -> Volume<f32> {
        self.volume(1, |of_voxel, out| {
            out[0] = if parameter.numbers == 3 {
                (1.0 - principal_axis(&dyadic(of_voxel, parameter.first, self.numbers)).1) as f32
            } else {
                moments(of_voxel.iter().skip(parameter.first).step_by(self.numbers)).1.sqrt() as f32
            };
        })
    }

    /// Returns a map of quantiles of a scalar parameter, with one channel for each probability in `parts` (0
    /// to 1). Voxels without samples are 0.
    pub fn quantiles_of(&self, parameter: &SampledParameter, parts: &[f64]) -> Volume<f32> {
        self.volume(parts.len(), |of_voxel, out| {
            let own = of_voxel.iter().skip(parameter.first).step_by(self.numbers);
            let mut values: Vec<f64> = own.map(|value| f64::from(*value)).collect();
            values.sort_by(f64::total_cmp);
            for (out, part) in out.iter_mut().zip(parts) {
                *out = quantile_of_sorted(&values, *part).unwrap_or(0.0) as f32;
            }
        })
    }

    /// Returns a map of the mean of a scalar parameter, or of the principal axis of an orientation.
    pub fn mean_of(&self, parameter: &SampledParameter) -> Volume<f32> {
        self.volume(parameter.numbers, |of_voxel, out| {
            if parameter.numbers == 3 {
                let axis = principal_axis(&dyadic(of_voxel, parameter.first, self.numbers)).0;
                out.iter_mut().zip(axis).for_each(|(out, value)| *out = value as f32);
            } else {
                out[0] = moments(of_voxel.iter().skip(parameter.first).step_by(self.numbers)).0 as f32;
            }
        })
    }

    /// Returns a map of convergence diagnostics for a parameter, with three channels. The channels are the
    /// effective number of samples in the bulk of the distribution, the effective number in its tails, and
    /// R̂. The channels are 0 if no proposal was accepted, or if half a chain has fewer than four samples.
    ///
    /// Before chains are compared, interchangeable fibre populations are sorted by signal fraction within
    /// each sample. Chains with exchanged populations then do not differ. For an orientation n, the result is
    /// the worst value of the six elements of n nᵀ. These elements are multiplied by the signal fraction if
    /// there is one. The reason is that an axis has no sign, and has no meaning without a signal.
    pub fn convergence_of(&self, parameter: &SampledParameter) -> Volume<f32> {
        let diagnostics = Diagnostics::new(self.chains, self.samples);
        self.volume(3, |of_voxel, out| {
            if let Some(found) = self.convergence_in(of_voxel, parameter, diagnostics.as_ref()) {
                out.copy_from_slice(&[found.bulk, found.tail, found.hat].map(|value| value as f32));
            }
        })
    }

    /// Computes the convergence diagnostics of a parameter from the samples of one voxel.
    pub(super) fn convergence_in(
        &self,
        of_voxel: &[f32],
        parameter: &SampledParameter,
        diagnostics: Option<&Diagnostics>,
    ) -> Option<Convergence> {
        let diagnostics = diagnostics?;
        let mut workspace = Workspace::default();
        let found = self.compared(of_voxel, parameter);
        found.iter().filter_map(|values| diagnostics.of(values, &mut workspace)).reduce(Convergence::worse)
    }

    /// Returns the scalar quantities by which chains are compared for a parameter. A scalar parameter is its
    /// own quantity, and an orientation n has the six elements of n nᵀ.
    fn compared(&self, of_voxel: &[f32], parameter: &SampledParameter) -> Vec<Vec<f64>> {
        let place = |group: &Vec<Range<usize>>| group.iter().position(|own| own.start == parameter.first);
        let of_group =
            self.groups.iter().enumerate().find_map(|(rank, group)| place(group).map(|n| (rank, n)));
        let mut values = vec![Vec::new(); if parameter.numbers == 3 { 6 } else { 1 }];
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        for row in of_voxel.chunks_exact(self.numbers) {
            let (first, part) = match of_group {
                Some((rank, n)) => {
                    let part = |group: usize| row[self.groups[group][0].start];
                    order.sort_by(|&a, &b| part(b).total_cmp(&part(a)));
                    let group = order[rank];
                    (self.groups[group][n].start, f64::from(part(group)))
                }
                None => (parameter.first, 1.0),
            };
            if parameter.numbers == 3 {
                let [x, y, z] = [0, 1, 2].map(|n| f64::from(row[first + n]));
                let elements = [x * x, y * y, z * z, x * y, x * z, y * z];
                values.iter_mut().zip(elements).for_each(|(values, element)| values.push(part * element));
            } else {
                values[0].push(f64::from(row[first]));
            }
        }
        values
    }

    /// Returns the samples of a voxel, one list of parameter values per sample. `voxel` is the index of the
    /// voxel in the image.
    pub fn of_voxel(&self, voxel: usize) -> Option<impl Iterator<Item = &[f32]>> {
        let place = self.voxels.binary_search(&voxel).ok()?;
        let width = self.chains * self.samples * self.numbers;
        Some(self.values[place * width..][..width].chunks_exact(self.numbers))
    }

    fn volume(&self, channels: usize, value: impl Fn(&[f32], &mut [f32]) + Sync) -> Volume<f32> {
        let mut volume = Volume::filled(self.grid, channels, 0.0f32);
        let width = self.chains * self.samples * self.numbers;
        let (mut rest, mut before) = (volume.values_mut(), 0);
        let mut parts = Vec::new();
        for (piece, voxels) in self.voxels.chunks(PIECE).enumerate() {
            let end = voxels.last().map_or(before, |last| last + 1);
            let (part, behind) = rest.split_at_mut(channels * (end - before));
            parts.push((piece * PIECE, before, voxels, part));
            (rest, before) = (behind, end);
        }
        parts.into_par_iter().for_each(|(first, before, voxels, part)| {
            for (n, &voxel) in voxels.iter().enumerate() {
                let of_voxel = &self.values[(first + n) * width..][..width];
                value(of_voxel, &mut part[channels * (voxel - before)..][..channels]);
            }
        });
        volume
    }
}

/// Replaces the `before` values of each voxel by `behind` new values. If `behind` is not above `before`, the
/// new values reuse the memory of the old values.
fn replaced(
    mut values: Vec<f32>,
    [before, behind]: [usize; 2],
    make: impl Fn((&[f32], &mut [f32])) + Sync,
) -> Vec<f32> {
    let items = values.len() / before.max(1);
    if behind > before || behind == 0 {
        let mut made = vec![0.0; items * behind];
        made.par_chunks_mut(behind.max(1))
            .zip(values.par_chunks(before.max(1)))
            .for_each(|(out, own)| make((own, out)));
        return made;
    }
    let mut made = vec![0.0; REPLACED.min(items) * behind];
    for start in (0..items).step_by(REPLACED) {
        let end = items.min(start + REPLACED);
        let made = &mut made[..(end - start) * behind];
        let own = values[start * before..end * before].par_chunks(before);
        made.par_chunks_mut(behind).zip(own).for_each(|(out, own)| make((own, out)));
        // All old values at these positions have already been read, so that they can be overwritten.
        values[start * behind..end * behind].copy_from_slice(made);
    }
    values.truncate(items * behind);
    values.shrink_to_fit();
    values
}

/// Number of voxels whose values are replaced at once.
const REPLACED: usize = 1 << 12;

/// Factors that convert samples from base units and the scaled signal to the units of the parameters. Each
/// value of a sample has two numbers: the inverse of its unit's factor, and the power of the signal in its
/// unit.
struct Scales(Vec<(f64, f64)>);

impl Scales {
    fn new<T: Real>(plan: &ModelPlan<T>, chains: &ChainPlan<T>) -> Self {
        let mut scales = Vec::new();
        for (n, parameter) in plan.model.parameters().iter().enumerate() {
            if plan.roles[n] == Role::Free {
                let unit = parameter.unit();
                scales.extend(vec![
                    (1.0 / unit.factor(), unit.dimension().signal_power());
                    parameter.numbers()
                ]);
            }
        }
        if chains.sample_numbers() > scales.len() {
            scales.push((plan.noise_factor, 1.0));
        }
        Self(scales)
    }

    fn of(&self, number: usize, factor: f64) -> f64 {
        let (unit, power) = self.0[number];
        if power == 0.0 { unit } else { unit / factor.powf(power) }
    }

    /// Applies the conversion factors to samples.
    fn apply(&self, factor: f64, values: &mut [f32]) {
        let scales: Vec<f32> = (0..self.0.len()).map(|n| self.of(n, factor) as f32).collect();
        for sample in values.chunks_exact_mut(scales.len()) {
            for (value, scale) in sample.iter_mut().zip(&scales) {
                *value *= scale;
            }
        }
    }
}

/// Returns the sampled parameters in the order in which a sweep of a chain moves them.
fn parameters<T: Real>(plan: &ModelPlan<T>, chains: &ChainPlan<T>) -> Vec<SampledParameter> {
    let mut parameters = Vec::new();
    for one in &chains.moves.of {
        let first = one.moved.places().start;
        let found = plan
            .model
            .parameters()
            .iter()
            .zip(&plan.program.places)
            .find(|(_, (role, place))| *role == Role::Free && *place == first);
        let Some((parameter, _)) = found else { continue };
        parameters.push(SampledParameter {
            name: parameter.name().to_owned(),
            about: parameter.about().to_owned(),
            unit: parameter.unit().to_string(),
            first,
            numbers: parameter.numbers(),
        });
    }
    if chains.sample_numbers() > chains.numbers {
        parameters.push(SampledParameter {
            name: "sigma".into(),
            about: "standard deviation of the noise".into(),
            unit: "signal".into(),
            first: chains.numbers,
            numbers: 1,
        });
    }
    parameters
}

/// Computes the sum of squared residuals of each voxel, for the voxel's parameter values.
fn sums_of_squares<T: Real>(
    plan: &ChainPlan<T>,
    pipeline: &Pipeline<T>,
    dwi: &Volume<f32>,
    items: &[usize],
    voxels: &mut Voxels<T>,
) {
    let of_piece = |(piece, items): (usize, &[usize])| {
        let signals = pipeline.signals_of(dwi, items);
        with_simd!(squares(plan, voxels, piece * PIECE, &signals))
    };
    let costs: Vec<Vec<T>> = items.par_chunks(PIECE).enumerate().map(of_piece).collect();
    for (voxel, cost) in costs.into_iter().flatten().enumerate() {
        voxels.end(voxel, voxels.status(voxel), cost, 0);
    }
}

/// Returns the sums of squared residuals of voxels. `first` is the first voxel, and `signals` has the signals of
/// all voxels.
#[inline(always)]
fn squares<T: Real>(plan: &ChainPlan<T>, voxels: &Voxels<T>, first: usize, signals: &[f32]) -> Vec<T> {
    let measurements = plan.measurements;
    let count = signals.len() / measurements;
    let counts = [measurements, voxels.map_count()];
    let mut evaluation = Evaluation::new(&plan.moves.all.schedule, &[], counts);
    let mut numbers = vec![Lanes::all(0.0); voxels.number_count()];
    let (mut sums, mut costs) = (Sums::new(0, || Lanes::all(0.0)), vec![T::of(0.0); count]);
    for (start, costs) in costs.chunks_mut(WIDTH).enumerate() {
        for lane in 0..costs.len() {
            let (n, voxel) = (start * WIDTH + lane, first + start * WIDTH + lane);
            let factor = voxels.factor(voxel);
            let signals = signals[n * measurements..][..measurements].iter();
            let scaled = signals.map(|&signal| T::of(f64::from(signal)) * factor);
            evaluation.load(lane, scaled, voxels.maps(voxel));
            set_lane(&mut numbers, lane, voxels.numbers(voxel));
        }
        evaluation.sum(&numbers, &mut sums);
        costs.copy_from_slice(&sums.cost.0[..costs.len()]);
    }
    costs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_replaced_in_place() {
        let sums = |own: &[f32], out: &mut [f32]| {
            let sum: f32 = own.iter().sum();
            out.iter_mut().enumerate().for_each(|(n, out)| *out = sum + n as f32);
        };
        for items in [0, 1, REPLACED, 2 * REPLACED + 7] {
            for behind in [1, 3, 5] {
                let values: Vec<f32> = (0..3 * items).map(|n| (n % 1000) as f32).collect();
                let mut expected = vec![0.0; items * behind];
                expected.chunks_mut(behind).zip(values.chunks(3)).for_each(|(out, own)| sums(own, out));
                let found = replaced(values, [3, behind], |(own, out)| sums(own, out));
                assert!(found == expected, "{items} items, {behind} for 3");
            }
        }
    }
}

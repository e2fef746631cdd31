//! Information criteria that are computed from samples of the posterior. They measure the predictive accuracy
//! of a model, corrected for the effective number of parameters.
//!
//! p(s | θ, σ) is the density of the measured signals s, given the parameters θ and the noise σ. It has the
//! unit of the signal and includes all constants, so that models and noise distributions can be compared. D =
//! −2 ln p(s | θ, σ) is the deviance, and bars denote means over the posterior:
//!
//! - The deviance information criterion DIC = 2 D̄ − D(θ̄, σ̄) (Spiegelhalter et al. 2002,
//!   doi:10.1111/1467-9868.00353, eq. 36). The effective number of parameters is D̄ − D(θ̄, σ̄). The mean of
//!   an orientation is its principal axis.
//! - WAIC = −2 (Σ ln p̄(s_m) − Σ var ln p(s_m)) over the measurements m (Watanabe 2010; Gelman, Hwang and
//!   Vehtari 2014, doi:10.1007/s11222-013-9416-2, eq. 5, 12 and 13). The sum of variances is the effective
//!   number of parameters.
//!
//! - The Bayesian criterion at the best sample: n ln(RSS / n) + k ln n with the smallest sum of squares RSS
//!   of any sample (Schwarz 1978, doi:10.1214/aos/1176344136). In contrast, [`ModelFit::criterion`] computes
//!   the Bayesian criterion at the mean of the samples. If a posterior has two modes, this mean may be in
//!   neither mode. Both versions of the criterion assume normal noise, as fits do.
//!
//! If the noise σ was integrated out with the prior 1/σ, σ is still a parameter of the posterior, and its
//! distribution given the parameters θ is known. With the sum r of squared residuals of n measurements, 1/σ²
//! has a gamma distribution with shape n/2 and rate r/2. Each mean and each variance over σ is therefore a
//! formula:
//!
//! - D̄ is n times the mean of ln r, plus a constant.
//! - p̄(s_m) is the mean of Student's distribution with n degrees of freedom around the model's signal, with
//!   squared scale r/n.
//! - Each variance has a part between samples of θ and a part within a sample of θ.
//!
//! The criteria thus have the values that they would have if the chain sampled σ with the prior 1/σ, but
//! without the sampling error of σ.

use super::density::ln_scaled_bessel;
use super::moments::{dyadic, principal_axis};
use super::options::{Deviation, Noise};
use super::results::ModelSamples;
use super::step::MIN_RESIDUAL;
use crate::fit::cpu::PIECE;
use crate::fit::criteria::Criterion;
use crate::fit::dispersion_series::SeriesLength;
use crate::fit::evaluation::set_lane;
use crate::fit::interpreter::{Interpreter, Row, WIDTH};
use crate::fit::options::FitOptions;
use crate::fit::plan::Pipeline;
use crate::fit::schedule::Schedule;
use crate::fit::status::Status;
use crate::language::{Model, Role};
use arcuate_core::{Error, GradientTable, Result, Volume, saturating};
use arcuate_numbers::{Lanes, Operations};
use rayon::prelude::*;
use std::f64::consts::PI;

/// Information criteria in every voxel, computed from samples of the posterior. A lower value is better. The
/// value is NaN in voxels whose chains never accepted a move.
#[derive(Debug, Clone)]
pub struct SampleInformation {
    /// The deviance information criterion.
    pub dic: Volume<f32>,
    /// The effective number of parameters of the deviance information criterion (DIC).
    pub dic_parameters: Volume<f32>,
    /// Watanabe's criterion (the widely applicable information criterion).
    pub waic: Volume<f32>,
    /// The effective number of parameters of the widely applicable information criterion (WAIC).
    pub waic_parameters: Volume<f32>,
    /// The Bayesian information criterion at the sample with the smallest sum of squared residuals.
    pub bic_maximum: Volume<f32>,
}

impl ModelSamples {
    /// Computes information criteria of the samples.
    ///
    /// Model, series, gradient table, options and noise must be the arguments of the earlier call of
    /// [`sample_model`](super::sample_model).
    ///
    /// # Errors
    /// Returns the errors of [`check_sampling`](super::check_sampling). Also returns an error if the samples
    /// are those of another model or another noise distribution.
    pub fn information(
        &self,
        model: &Model,
        dwi: &Volume<f32>,
        gradients: &GradientTable,
        options: &FitOptions,
        noise: &Noise,
    ) -> Result<SampleInformation> {
        let pipeline = Pipeline::<f64>::new(std::slice::from_ref(model), gradients, options)?;
        let plan = &pipeline.plans[pipeline.requested[0]];
        let protocol = &pipeline.protocols[pipeline.requested[0]];
        let (density, known_sigma) = match noise {
            Noise::Gaussian(Deviation::Integrated) => (Density::Integrated, None),
            Noise::Gaussian(Deviation::Known(sigma)) => (Density::Gaussian, Some(*sigma)),
            Noise::Gaussian(Deviation::Sampled(_)) => (Density::Gaussian, None),
            Noise::Rician(Deviation::Known(sigma)) => (Density::Rician, Some(*sigma)),
            Noise::Rician(_) => (Density::Rician, None),
        };
        let sampled_sigma = density != Density::Integrated && known_sigma.is_none();
        let has_sigma = self.parameters.iter().any(|parameter| parameter.first == plan.program.free_numbers);
        if self.numbers != plan.program.free_numbers + usize::from(sampled_sigma)
            || has_sigma != sampled_sigma
            || self.fit.model != model.name()
        {
            let problem =
                format!("the samples are not samples of the model {} with this noise model", model.name());
            return Err(Error::invalid(
                "samples",
                problem,
                "give the model and the noise model that were used for sampling",
            ));
        }
        let mut units = Vec::with_capacity(self.numbers);
        for (parameter, (role, _)) in model.parameters().iter().zip(&plan.program.places) {
            if *role == Role::Free {
                units.extend(vec![parameter.unit().factor(); parameter.numbers()]);
            }
        }
        let schedule = Schedule::new(&plan.program, protocol, &plan.settings, &[], SeriesLength::Double)?;
        let of = InformationInput {
            samples: self,
            schedule: &schedule,
            units,
            density,
            known_sigma,
            noise_factor: plan.noise_factor,
            unknowns: self.fit.unknowns as f64,
            half_integers: HalfIntegers::new(protocol.len()),
            measurements: protocol.len(),
        };
        let found: Vec<Vec<[f64; CRITERIA]>> = self
            .voxels
            .par_chunks(PIECE)
            .enumerate()
            .map(|(piece, items)| {
                let (signals, maps) = (pipeline.signals_of(dwi, items), plan.maps_of(items));
                with_simd!(criteria_of(&of, piece * PIECE, &signals, &maps))
            })
            .collect();
        let mut volumes = [0; CRITERIA].map(|_| Volume::filled(*dwi.grid(), 1, f32::NAN));
        for (&voxel, values) in self.voxels.iter().zip(found.iter().flatten()) {
            let status = Status::of(saturating::<u8>(self.fit.status.voxel(voxel)[0]));
            if status == Status::Sampled && values.iter().all(|value| value.is_finite()) {
                for (volume, value) in volumes.iter_mut().zip(values) {
                    volume.values_mut()[voxel] = *value as f32;
                }
            }
        }
        let [dic, dic_parameters, waic, waic_parameters, bic_maximum] = volumes;
        Ok(SampleInformation { dic, dic_parameters, waic, waic_parameters, bic_maximum })
    }
}

/// Number of result values per voxel: DIC, its effective number of parameters, WAIC, its effective number of
/// parameters, and the Bayesian criterion.
const CRITERIA: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Density {
    Integrated,
    Gaussian,
    Rician,
}

/// The input for computing the information criteria that is the same for all voxels.
struct InformationInput<'a> {
    samples: &'a ModelSamples,
    schedule: &'a Schedule,
    /// Factors that convert the parameter values of a sample to base units. Values with the unit of the
    /// signal keep it, so that densities refer to the measured signal.
    units: Vec<f64>,
    density: Density,
    known_sigma: Option<f64>,
    /// Divisor that converts the noise σ of one acquired measurement to the σ of a fitted signal.
    noise_factor: f64,
    /// Number of fitted unknowns of the model.
    unknowns: f64,
    half_integers: HalfIntegers,
    measurements: usize,
}

impl InformationInput<'_> {
    /// Returns all samples of a voxel. `voxel` is the index among the voxels that have samples.
    fn own(&self, voxel: usize) -> &[f32] {
        let all = self.samples.chains * self.samples.samples * self.samples.numbers;
        &self.samples.values[voxel * all..][..all]
    }

    /// Returns the mean of each parameter over the samples of a voxel. The mean of an orientation is its
    /// principal axis.
    fn mean(&self, own: &[f32]) -> Vec<f64> {
        let numbers = self.samples.numbers;
        let count = (own.len() / numbers) as f64;
        // A parameter that the chains do not move has the same value in every sample.
        let mut mean: Vec<f64> = own[..numbers].iter().map(|value| f64::from(*value)).collect();
        for parameter in &self.samples.parameters {
            let first = parameter.first;
            if parameter.numbers == 3 {
                mean[first..first + 3].copy_from_slice(&principal_axis(&dyadic(own, first, numbers)).0);
            } else {
                let values = own.iter().skip(first).step_by(numbers);
                mean[first] = values.map(|value| f64::from(*value)).sum::<f64>() / count;
            }
        }
        mean
    }
}

/// Returns the criteria of the voxels of a piece of the mask, which begins at the voxel `first`.
#[inline(always)]
fn criteria_of(
    of: &InformationInput<'_>,
    first: usize,
    signals: &[f32],
    maps: &[f64],
) -> Vec<[f64; CRITERIA]> {
    let count = signals.len() / of.measurements;
    let maps_of_voxel = maps.len() / count;
    let mut interpreter = Interpreter::<f64>::new(of.schedule, of.measurements);
    let mut found = Vec::with_capacity(count);
    for at in (0..count).step_by(WIDTH) {
        let end = (at + WIDTH).min(count);
        // SIMD lanes without a voxel of their own repeat the voxel of the first lane.
        let voxel_of = |lane: usize| if at + lane < end { at + lane } else { at };
        let mut measured = Measured::new(of);
        let mut rows = vec![Lanes::all(0.0); maps_of_voxel];
        for lane in 0..WIDTH {
            let voxel = voxel_of(lane);
            let own = &signals[voxel * of.measurements..][..of.measurements];
            measured.set(lane, own, of, of.samples.factors[first + voxel]);
            set_lane(&mut rows, lane, &maps[voxel * maps_of_voxel..][..maps_of_voxel]);
        }
        let criteria = measured.criteria(of, &mut interpreter, &rows, |lane| first + voxel_of(lane));
        for lane in 0..end - at {
            found.push(criteria.map(|row| row.0[lane]));
        }
    }
    found
}

/// The measured signals of several voxels, and the signals that the parameter values of a sample predict.
struct Measured {
    /// Measured signals of the voxels. An unusable signal is replaced by 0 and has the weight 0.
    signals: Vec<Row<f64>>,
    weights: Vec<Row<f64>>,
    /// Logarithms of the measured signals, which Rician noise needs.
    logarithms: Vec<Row<f64>>,
    usable: Row<f64>,
    /// The smallest value that a sum of squared residuals can have.
    least: Row<f64>,
    half_integers: [Row<f64>; 4],
    predicted: Vec<Row<f64>>,
}

/// Statistics of one measurement's probability density p over the samples, updated with each sample.
#[derive(Clone, Copy)]
struct Running {
    /// `largest` and `sum` represent the sum of the densities p over the samples: Σ p = sum · exp(largest).
    /// This form avoids underflow.
    largest: Row<f64>,
    sum: Row<f64>,
    /// Running statistics of ln p, where p is the density of a measured signal. `mean` is the mean of ln p
    /// over the samples. `squares` is the sum of squared deviations from this mean, and `within` the sum of
    /// the variances within each sample.
    mean: Row<f64>,
    squares: Row<f64>,
    within: Row<f64>,
}

/// Smallest argument for which an exponential is computed. The exponentials of smaller arguments are
/// negligible compared with 1.
const MIN_EXPONENT: f64 = -700.0;

impl Running {
    fn new() -> Self {
        let zero = Lanes::all(0.0);
        Self { largest: Lanes::all(f64::NEG_INFINITY), sum: zero, mean: zero, squares: zero, within: zero }
    }

    /// Adds the sample with the number `count` (from 1) to the statistics of a measurement. `predictive` is
    /// ln of the measurement's density, averaged over σ. `logarithm` and `variance` are the mean and the
    /// variance of ln p over σ.
    #[inline(always)]
    fn add(&mut self, count: f64, predictive: Row<f64>, logarithm: Row<f64>, variance: Row<f64>) {
        let least = Lanes::all(MIN_EXPONENT);
        let largest = predictive.larger(self.largest);
        let before = (self.largest - largest).larger(least).exponential();
        let added = (predictive - largest).larger(least).exponential();
        self.sum = self.sum.fma(before, added);
        self.largest = largest;
        // The mean and the sum of squared deviations are updated by Welford's algorithm.
        let difference = logarithm - self.mean;
        self.mean = difference.fma(Lanes::all(1.0 / count), self.mean);
        self.squares = difference.fma(logarithm - self.mean, self.squares);
        self.within = self.within + variance;
    }
}

impl Measured {
    fn new(of: &InformationInput<'_>) -> Self {
        let zero = Lanes::all(0.0);
        let rows = || vec![zero; of.measurements];
        Self {
            signals: rows(),
            weights: rows(),
            logarithms: rows(),
            usable: zero,
            least: zero,
            half_integers: [zero; 4],
            predicted: rows(),
        }
    }

    /// Loads the signals of a voxel. For Rician noise, signals that are not positive are replaced by the
    /// smallest positive signal of the voxel, as in Markov chains.
    fn set(&mut self, lane: usize, signals: &[f32], of: &InformationInput<'_>, factor: f64) {
        let is_usable = |signal: &&f32| signal.is_finite();
        let smallest = signals
            .iter()
            .filter(is_usable)
            .filter(|signal| **signal > 0.0)
            .fold(f32::INFINITY, |a, b| a.min(*b));
        let usable = signals.iter().filter(is_usable).count();
        self.usable.0[lane] = usable as f64;
        self.least.0[lane] = (MIN_RESIDUAL / factor).powi(2) * usable as f64;
        for (row, value) in self.half_integers.iter_mut().zip(of.half_integers.of(usable)) {
            row.0[lane] = value;
        }
        for (m, signal) in signals.iter().enumerate() {
            self.weights[m].0[lane] = f64::from(u8::from(signal.is_finite()));
            let is_modulus = of.density == Density::Rician;
            let signal = match *signal {
                none if !none.is_finite() => 0.0,
                below if is_modulus && below <= 0.0 => f64::from(smallest),
                signal => f64::from(signal),
            };
            self.signals[m].0[lane] = signal;
            self.logarithms[m].0[lane] = if signal > 0.0 { signal.ln() } else { 0.0 };
        }
    }

    /// Returns five values per voxel: DIC and its effective number of parameters, WAIC and its effective
    /// number of parameters, and the Bayesian criterion at the best sample.
    #[inline(always)]
    fn criteria(
        &mut self,
        of: &InformationInput<'_>,
        interpreter: &mut Interpreter<f64>,
        maps: &[Row<f64>],
        voxel_of: impl Fn(usize) -> usize,
    ) -> [Row<f64>; CRITERIA] {
        let count = of.samples.chains * of.samples.samples;
        let numbers = of.samples.numbers;
        let mut rows = vec![Lanes::all(0.0); numbers];
        let mut running = vec![Running::new(); of.measurements];
        let mut sigma_sum = Lanes::all(0.0);
        let mut least_squares = Lanes::all(f64::INFINITY);
        for sample in 0..count {
            for lane in 0..WIDTH {
                let own = &of.own(voxel_of(lane))[sample * numbers..][..numbers];
                for (row, value) in rows.iter_mut().zip(own) {
                    row.0[lane] = f64::from(*value);
                }
            }
            let sigma = self.predict(of, interpreter, maps, &mut rows);
            let squares = self.sum_of_squares();
            least_squares = squares.smaller(least_squares);
            sigma_sum =
                sigma_sum + if of.density == Density::Integrated { self.mean_sigma(squares) } else { sigma };
            for m in 0..of.measurements {
                let (predictive, logarithm, variance) = if of.density == Density::Integrated {
                    self.integrated(m, squares)
                } else {
                    let logarithm = self.logarithm(of.density, m, sigma);
                    (logarithm, logarithm, Lanes::all(0.0))
                };
                running[m].add((sample + 1) as f64, predictive, logarithm, variance);
            }
        }
        for lane in 0..WIDTH {
            for (row, value) in rows.iter_mut().zip(of.mean(of.own(voxel_of(lane)))) {
                row.0[lane] = value;
            }
        }
        let sigma = match of.density {
            Density::Integrated => {
                self.predict(of, interpreter, maps, &mut rows);
                sigma_sum / Lanes::all(count as f64)
            }
            _ => self.predict(of, interpreter, maps, &mut rows),
        };
        let density = if of.density == Density::Rician { Density::Rician } else { Density::Gaussian };
        let zero = Lanes::all(0.0);
        let (mut mean, mut at_mean, mut predicted, mut variance) = (zero, zero, zero, zero);
        let inverse = Lanes::all(1.0 / count as f64);
        let between = Lanes::all(1.0 / (count.max(2) - 1) as f64);
        for (m, running) in running.iter().enumerate() {
            let weight = self.weights[m];
            mean = running.mean.fma(weight, mean);
            at_mean = self.logarithm(density, m, sigma).fma(weight, at_mean);
            predicted = (running.largest + (running.sum * inverse).logarithm()).fma(weight, predicted);
            variance = (running.squares * between + running.within * inverse).fma(weight, variance);
        }
        let minus_two = Lanes::all(-2.0);
        let dic_parameters = minus_two * (mean - at_mean);
        let mut bic = zero;
        for lane in 0..WIDTH {
            let (squares, n) = (least_squares.0[lane], self.usable.0[lane]);
            bic.0[lane] = Criterion::Bic.value(squares, n, of.unknowns);
        }
        [minus_two * mean + dic_parameters, dic_parameters, minus_two * (predicted - variance), variance, bic]
    }

    /// Predicts the signals for the parameter values of a sample, which have the units of the parameters.
    /// Returns the noise σ.
    #[inline(always)]
    fn predict(
        &mut self,
        of: &InformationInput<'_>,
        interpreter: &mut Interpreter<f64>,
        maps: &[Row<f64>],
        numbers: &mut [Row<f64>],
    ) -> Row<f64> {
        for (number, unit) in numbers.iter_mut().zip(&of.units) {
            *number = *number * Lanes::all(*unit);
        }
        interpreter.set_inputs(&[], numbers, maps, &[]);
        interpreter.blocks(&[], |of, block| {
            self.predicted[block.clone()].copy_from_slice(of.result(0, &block));
        });
        let sigma = match of.known_sigma {
            Some(sigma) => Lanes::all(sigma),
            None => numbers.get(of.units.len()).copied().unwrap_or(Lanes::all(0.0)),
        };
        sigma / Lanes::all(of.noise_factor)
    }

    /// Returns the difference between the measured and the predicted signal of a measurement.
    #[inline(always)]
    fn difference(&self, m: usize) -> Row<f64> {
        (-self.predicted[m]).fma(self.weights[m], self.signals[m])
    }

    #[inline(always)]
    fn sum_of_squares(&self) -> Row<f64> {
        let mut sum = Lanes::all(0.0);
        for m in 0..self.signals.len() {
            let difference = self.difference(m);
            sum = difference.fma(difference, sum);
        }
        self.least.if_above(sum, self.least, sum)
    }

    /// Returns the mean of the noise σ, given the sum of squared residuals.
    #[inline(always)]
    fn mean_sigma(&self, squares: Row<f64>) -> Row<f64> {
        (squares * Lanes::all(0.5)).root() * self.half_integers[2]
    }

    /// Returns ln p(s_m | θ, σ), the log density of a measured signal s_m, given the parameters θ and the
    /// noise σ.
    #[inline(always)]
    fn logarithm(&self, density: Density, m: usize, sigma: Row<f64>) -> Row<f64> {
        let difference = self.difference(m) / sigma;
        let exponent = Lanes::all(-0.5) * difference * difference;
        let log_sigma = sigma.logarithm();
        if density == Density::Rician {
            let product = (self.signals[m] / sigma * (self.predicted[m] / sigma)).size();
            let scale = self.logarithms[m] - log_sigma - log_sigma;
            return exponent + scale + ln_scaled_bessel(product);
        }
        exponent - log_sigma - Lanes::all(0.5 * (2.0 * PI).ln())
    }

    /// Integrates over the noise σ, given the sum of squared residuals of all measurements. Returns three
    /// values for one measurement: the logarithm of its mean density, and the mean and the variance of its
    /// log density.
    #[inline(always)]
    fn integrated(&self, m: usize, squares: Row<f64>) -> (Row<f64>, Row<f64>, Row<f64>) {
        let [digamma, trigamma, _, log_ratio] = self.half_integers;
        let (half, one, n) = (Lanes::all(0.5), Lanes::all(1.0), self.usable);
        let difference = self.difference(m);
        let part = difference * difference / squares;
        let scale = half * (squares * Lanes::all(PI)).logarithm();
        let predictive = -log_ratio - scale - half * (n + one) * (one + part).logarithm();
        let logarithm = half * digamma - scale - half * n * part;
        let variance = Lanes::all(0.25) * trigamma + part * (half * n * part - one);
        (predictive, logarithm, variance)
    }
}

/// Functions of n/2 for an integer n: ψ(n/2), ψ′(n/2), Γ((n − 1)/2) / Γ(n/2), and ln (Γ(n/2) / Γ((n + 1)/2)).
struct HalfIntegers(Vec<[f64; 4]>);

impl HalfIntegers {
    /// Computes the functions ψ(n/2), ψ′(n/2), Γ((n − 1)/2) / Γ(n/2) and ln (Γ(n/2) / Γ((n + 1)/2)) for n up
    /// to `largest`. Their recurrences increase the argument n/2 in steps of 1, from ½ and from 1.
    fn new(largest: usize) -> Self {
        const EULER: f64 = 0.577_215_664_901_532_9;
        let root = PI.sqrt();
        // The functions are undefined at 0.
        let mut digamma = vec![f64::NAN, -EULER - 2.0 * 2f64.ln(), -EULER];
        let mut trigamma = vec![f64::NAN, PI * PI / 2.0, PI * PI / 6.0];
        let mut ratio = vec![f64::NAN, f64::INFINITY, root, 2.0 / root];
        for n in 1..=largest {
            let half = 0.5 * n as f64;
            digamma.push(digamma[n] + 1.0 / half);
            trigamma.push(trigamma[n] - 1.0 / (half * half));
        }
        for n in 2..=largest {
            ratio.push(ratio[n] * (n as f64 - 1.0) / n as f64);
        }
        let of = |n: usize| [digamma[n], trigamma[n], ratio[n], ratio[n + 1].ln()];
        Self((0..=largest).map(of).collect())
    }

    fn of(&self, n: usize) -> [f64; 4] {
        self.0[n]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_half_integers_agree_with_tables() {
        let all = HalfIntegers::new(40);
        // The expected values of the digamma function ψ and its derivative are `ψ(5) = 25/12 − γ`, `ψ(5/2) =
        // 8/3 − γ − 2 ln 2`, `ψ′(2) = π²/6 − 1` and `ψ′(3/2) = π²/2 − 4`.
        let euler = 0.577_215_664_901_532_9;
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-13, "{a} {b}");
        near(all.of(10)[0], 25.0 / 12.0 - euler);
        near(all.of(5)[0], 8.0 / 3.0 - euler - 2.0 * 2f64.ln());
        near(all.of(4)[1], PI * PI / 6.0 - 1.0);
        near(all.of(3)[1], PI * PI / 2.0 - 4.0);
        // The expected ratios of gamma functions are Γ(2) / Γ(5/2) = 4 / (3 √π) and Γ(5/2) / Γ(3) = 3 √π / 8.
        near(all.of(5)[2], 4.0 / (3.0 * PI.sqrt()));
        near(all.of(6)[2], 3.0 * PI.sqrt() / 8.0);
        near(all.of(5)[3], (3.0 * PI.sqrt() / 8.0).ln());
        assert!(
            all.of(1)[2].is_infinite() && all.of(0)[0].is_nan() && all.of(40).iter().all(|v| v.is_finite())
        );
        HalfIntegers::new(0);
        HalfIntegers::new(1);
    }
}

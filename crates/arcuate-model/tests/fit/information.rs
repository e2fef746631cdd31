//! Tests information criteria of samples. The expected values are formulas for known posteriors, and sums
//! that follow the definitions directly.

use crate::simulation::{simulate, table};
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, GradientTable, Grid, Mask, Volume};
use arcuate_model::fit::sample::{
    Deviation, ModelSamples, Noise, SampleInformation, SampleOptions, sample_model,
};
use arcuate_model::fit::{FitOptions, Prediction, lowest};
use arcuate_model::language::{Model, Prior};
use arcuate_model::models::model;
use std::f64::consts::PI;

const MEASUREMENTS: usize = 12;
const VOXELS: usize = 32;
const SIGMA: f64 = 40.0;

/// Simulates signals around 1000 in a row of voxels, and a gradient table without weighting.
fn noise() -> (Volume<f32>, GradientTable) {
    let table = GradientTable::new(&[[1.0, 0.0, 0.0]; MEASUREMENTS], vec![0.0; MEASUREMENTS], 50.0).unwrap();
    let mut random = Random::new(8, Purpose::Resampling, 0);
    let grid = Grid::new([VOXELS, 1, 1], Affine::identity()).unwrap();
    let values = (0..VOXELS * MEASUREMENTS).map(|_| (1000.0 + SIGMA * random.normal()) as f32).collect();
    (Volume::new(grid, MEASUREMENTS, values).unwrap(), table)
}

/// Creates a model whose signal is the same for all measurements.
fn constant(prior: &str) -> Model {
    let text = "name = \"constant\"\nsignal = \"s0\"\n[parameters.s0]\nunit = \"signal\"\nbounds = [0, inf]\nstart = \"mean_b0\"\n";
    Model::parse("constant.toml", text).unwrap().with_prior(0, Prior::parse(prior).unwrap()).unwrap()
}

fn log_uniform() -> Deviation {
    Deviation::Sampled(Prior::parse("log_uniform").unwrap())
}

fn sample(
    model: &Model,
    dwi: &Volume<f32>,
    table: &GradientTable,
    sampling: &SampleOptions,
) -> (ModelSamples, SampleInformation) {
    let options = FitOptions { single_precision: true, ..FitOptions::default() };
    let mask = Mask::full(*dwi.grid());
    let samples = sample_model(model, dwi, table, &mask, &Device::Cpu, &options, sampling).unwrap();
    let information = samples.information(model, dwi, table, &options, &sampling.noise).unwrap();
    (samples, information)
}

/// Returns options of long chains with many nearly independent samples.
fn long(noise: Noise) -> SampleOptions {
    SampleOptions { burn_in: 500, jumps: 60_000, interval: 10, noise, ..SampleOptions::default() }
}

fn values(dwi: &Volume<f32>, voxel: usize) -> Vec<f64> {
    dwi.voxel(voxel).iter().map(|signal| f64::from(*signal)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns four criteria of a voxel: DIC and its effective number of parameters, WAIC and its effective
/// number of parameters.
fn of_voxel(found: &SampleInformation, voxel: usize) -> [f64; 4] {
    [&found.dic, &found.dic_parameters, &found.waic, &found.waic_parameters]
        .map(|volume| f64::from(volume.voxel(voxel)[0]))
}

/// Panics if the criteria differ from the expected ones by more than `each` in a voxel, or by more than `all`
/// in the mean over voxels.
fn assert_near(
    found: &SampleInformation,
    expected: impl Fn(usize) -> [f64; 4],
    each: f64,
    all: f64,
    what: &str,
) {
    let mut means = [0.0; 4];
    for voxel in 0..VOXELS {
        let (found, expected) = (of_voxel(found, voxel), expected(voxel));
        for n in 0..4 {
            let off = found[n] - expected[n];
            assert!(off.abs() < each, "{what}, voxel {voxel}: {found:?} for {expected:?}");
            means[n] += off / VOXELS as f64;
        }
    }
    assert!(means.iter().all(|off| off.abs() < all), "{what}: off by {means:?} in the mean");
}

/// Returns ln Γ(n / 2).
fn ln_gamma_half(n: usize) -> f64 {
    let start = if n % 2 == 1 { PI.sqrt().ln() } else { 0.0 };
    (1..n).filter(|k| k % 2 == n % 2).map(|k| (0.5 * k as f64).ln()).sum::<f64>() + start
}

/// Returns the first and the second derivative of ln Γ at n / 2. They are computed by Stirling's series 40
/// steps further, and differences.
fn polygamma_half(n: usize) -> [f64; 2] {
    let x = 0.5 * n as f64;
    let far = x + 40.0;
    let steps = || (0..40).map(|k| x + f64::from(k));
    let first = far.ln() - 0.5 / far - 1.0 / (12.0 * far * far) - steps().map(|x| 1.0 / x).sum::<f64>();
    let second = 1.0 / far
        + 0.5 / (far * far)
        + 1.0 / (6.0 * far.powi(3))
        + steps().map(|x| 1.0 / (x * x)).sum::<f64>();
    [first, second]
}

#[test]
fn normal_posteriors_have_the_analytic_criteria() {
    let (dwi, table) = noise();
    let known = long(Noise::Gaussian(Deviation::Known(SIGMA)));
    let (_, found) = sample(&constant("normal(980, 15)"), &dwi, &table, &known);
    let (n, square) = (MEASUREMENTS as f64, SIGMA * SIGMA);
    let expected = |voxel: usize| {
        let signals = values(&dwi, voxel);
        let variance = 1.0 / (n / square + 1.0 / 225.0);
        let centre = variance * (signals.iter().sum::<f64>() / square + 980.0 / 225.0);
        let squares: Vec<f64> = signals.iter().map(|signal| (signal - centre).powi(2)).collect();
        let effective = n * variance / square;
        let dic = n * (2.0 * PI * square).ln() + squares.iter().sum::<f64>() / square + 2.0 * effective;
        let wide = square + variance;
        let predicted: f64 = squares.iter().map(|d| -0.5 * (2.0 * PI * wide).ln() - 0.5 * d / wide).sum();
        let freedom: f64 =
            squares.iter().map(|d| (d * variance + 0.5 * variance * variance) / (square * square)).sum();
        [dic, effective, -2.0 * (predicted - freedom), freedom]
    };
    // The deviance has a standard deviation of about √2. For the mean of 6,000 nearly independent samples it
    // is 0.02, for DIC twice as much, and for the mean over 32 voxels 0.007. The tolerance is five times this
    // value.
    assert_near(&found, expected, 0.2, 0.035, "normal");
}

#[test]
fn integrated_sigma_counts_as_a_parameter() {
    let (dwi, table) = noise();
    let (_, integrated) = sample(&constant("uniform"), &dwi, &table, &long(Noise::default()));
    let n = MEASUREMENTS as f64;
    // The posterior of 1/σ² is a gamma distribution of this shape. Given σ, the posterior of the mean is
    // normal.
    let shape = 0.5 * (n - 1.0);
    let [digamma, trigamma] = polygamma_half(MEASUREMENTS - 1);
    let expected = |voxel: usize| {
        let signals = values(&dwi, voxel);
        let centre = mean(&signals);
        let differences: Vec<f64> = signals.iter().map(|signal| (signal - centre).powi(2)).collect();
        let squares: f64 = differences.iter().sum();
        let rate = 0.5 * squares;
        let deviance = n * (2.0 * PI).ln() + n * (rate.ln() - digamma) + n;
        let sigma = rate.sqrt() * (ln_gamma_half(MEASUREMENTS - 2) - ln_gamma_half(MEASUREMENTS - 1)).exp();
        let at_mean = n * (2.0 * PI).ln() + 2.0 * n * sigma.ln() + squares / (sigma * sigma);
        let effective = deviance - at_mean;
        // The predictive density is Student's distribution with n − 1 degrees of freedom.
        let wide = squares / (n - 1.0) * (1.0 + 1.0 / n);
        let constant = ln_gamma_half(MEASUREMENTS)
            - ln_gamma_half(MEASUREMENTS - 1)
            - 0.5 * ((n - 1.0) * PI * wide).ln();
        let predicted: f64 =
            differences.iter().map(|d| constant - 0.5 * n * (1.0 + d / wide / (n - 1.0)).ln()).sum();
        let freedom: f64 = differences
            .iter()
            .map(|d| {
                d * shape / rate / n + 0.5 / (n * n) + 0.25 * trigamma + 0.25 * d * d * shape / (rate * rate)
                    - 0.5 * d / rate
            })
            .sum();
        [deviance + effective, effective, -2.0 * (predicted - freedom), freedom]
    };
    assert_near(&integrated, expected, 0.3, 0.05, "σ integrated");
    // If σ is sampled, the criteria must be the same. Two parameters then move, and the samples are less
    // independent.
    let (_, sampled) = sample(&constant("uniform"), &dwi, &table, &long(Noise::Gaussian(log_uniform())));
    assert_near(&sampled, expected, 0.5, 0.06, "σ sampled");
    // If the magnitude is 25 σ, its Rician noise is nearly normal.
    let (_, rician) = sample(&constant("uniform"), &dwi, &table, &long(Noise::Rician(log_uniform())));
    assert_near(&rician, expected, 0.6, 0.1, "Rician");
}

/// Returns ln (e⁻ˣ I₀(x)). I₀ is computed as a mean over half a turn.
fn ln_scaled_bessel(x: f64) -> f64 {
    let count = 400;
    let of = |n: usize| (x * ((PI * (n as f64 + 0.5) / count as f64).cos() - 1.0)).exp();
    ((0..count).map(of).sum::<f64>() / count as f64).ln()
}

/// Computes the criteria from the samples of a voxel, measurement by measurement, by their definitions.
fn written_down(
    samples: &ModelSamples,
    prediction: &Prediction,
    signals: &[f32],
    voxel: usize,
    noise: &Noise,
    numbers: usize,
) -> [f64; 4] {
    let usable: Vec<usize> = (0..signals.len()).filter(|&m| signals[m].is_finite()).collect();
    let n = usable.len();
    let half = 0.5 * n as f64;
    let [digamma, trigamma] = polygamma_half(n);
    let smallest = signals.iter().copied().filter(|signal| *signal > 0.0).fold(f32::INFINITY, f32::min);
    let logarithm = |signal: f64, predicted: f64, sigma: f64| match noise {
        Noise::Gaussian(_) => {
            -0.5 * (2.0 * PI * sigma * sigma).ln() - 0.5 * ((signal - predicted) / sigma).powi(2)
        }
        Noise::Rician(_) => {
            let square = sigma * sigma;
            let x = signal * predicted / square;
            (signal / square).ln() - (signal - predicted).powi(2) / (2.0 * square) + ln_scaled_bessel(x)
        }
    };
    let of_modulus = |m: usize| match noise {
        Noise::Rician(_) if signals[m] <= 0.0 => f64::from(smallest),
        _ => f64::from(signals[m]),
    };
    let sigma_of = |row: &[f64]| match noise {
        Noise::Gaussian(Deviation::Known(sigma)) | Noise::Rician(Deviation::Known(sigma)) => *sigma,
        _ => row.get(numbers).copied().unwrap_or(f64::NAN),
    };
    let is_integrated = matches!(noise, Noise::Gaussian(Deviation::Integrated));
    let rows: Vec<Vec<f64>> =
        samples.of_voxel(voxel).unwrap().map(|row| row.iter().map(|v| f64::from(*v)).collect()).collect();
    let count = rows.len() as f64;
    // The density p of each measurement, and the mean and the variance of ln p in each sample.
    let mut seen = vec![Vec::new(); n];
    let mut sigmas = Vec::new();
    for row in &rows {
        let predicted = prediction.signals(&row[..numbers]);
        let squares: f64 = usable.iter().map(|&m| (f64::from(signals[m]) - predicted[m]).powi(2)).sum();
        let rate = 0.5 * squares;
        if is_integrated {
            sigmas.push(rate.sqrt() * (ln_gamma_half(n - 1) - ln_gamma_half(n)).exp());
        } else {
            sigmas.push(sigma_of(row));
        }
        for (seen, &m) in seen.iter_mut().zip(&usable) {
            seen.push(if is_integrated {
                let d = (f64::from(signals[m]) - predicted[m]).powi(2);
                let scale = squares / n as f64;
                let student = ln_gamma_half(n + 1)
                    - ln_gamma_half(n)
                    - 0.5 * (n as f64 * PI * scale).ln()
                    - (half + 0.5) * (1.0 + d / scale / n as f64).ln();
                let middle = -0.5 * (2.0 * PI).ln() + 0.5 * (digamma - rate.ln()) - 0.5 * d * half / rate;
                let within = 0.25 * trigamma + 0.25 * d * d * half / (rate * rate) - 0.5 * d / rate;
                [student.exp(), middle, within]
            } else {
                let logarithm = logarithm(of_modulus(m), predicted[m], sigma_of(row));
                [logarithm.exp(), logarithm, 0.0]
            });
        }
    }
    let column = |seen: &[[f64; 3]], n: usize| seen.iter().map(|of| of[n]).sum::<f64>() / count;
    let deviance = -2.0 * seen.iter().map(|seen| column(seen, 1)).sum::<f64>();
    let predicted: f64 = seen.iter().map(|seen| column(seen, 0).ln()).sum();
    let freedom: f64 = seen
        .iter()
        .map(|seen| {
            let middle = column(seen, 1);
            let between = seen.iter().map(|of| (of[1] - middle).powi(2)).sum::<f64>() / (count - 1.0);
            between + column(seen, 2)
        })
        .sum();
    // The means of the parameters are those that the library computes.
    let mut centre: Vec<f64> = Vec::new();
    for parameter in samples.parameters.iter().filter(|parameter| parameter.name != "sigma") {
        centre.extend(samples.mean_of(parameter).voxel(voxel).iter().map(|v| f64::from(*v)));
    }
    let signals_there = prediction.signals(&centre);
    let sigma = mean(&sigmas);
    let at_mean =
        -2.0 * usable.iter().map(|&m| logarithm(of_modulus(m), signals_there[m], sigma)).sum::<f64>();
    let effective = deviance - at_mean;
    [deviance + effective, effective, -2.0 * (predicted - freedom), freedom]
}

#[test]
fn criteria_agree_with_their_definitions() {
    let table = table(&[1000.0, 2000.0], 15);
    let model = model("ball-1-stick").unwrap();
    let mut simulated = simulate(&model, &table, 40, 20.0, 3);
    simulated.dwi.voxel_mut(4).fill(0.0);
    simulated.dwi.voxel_mut(9)[3] = f32::NAN;
    simulated.dwi.voxel_mut(9)[20] = -3.0;
    // The signals are scaled to be very small. Criteria must refer to the signal as it is, not to the scaled
    // signal.
    simulated.dwi.values_mut().iter_mut().for_each(|signal| *signal *= 1e-3);
    let prediction = Prediction::new(&model, &table, &[]).unwrap();
    let sigma = 0.05 * f64::from(simulated.dwi.voxel(0)[0]);
    let kinds = [
        Noise::default(),
        Noise::Gaussian(Deviation::Known(sigma)),
        Noise::Gaussian(log_uniform()),
        Noise::Rician(Deviation::Known(sigma)),
        Noise::Rician(log_uniform()),
    ];
    for noise in kinds {
        let sampling =
            SampleOptions { jumps: 600, interval: 20, chains: 2, noise, ..SampleOptions::default() };
        let (samples, found) = sample(&model, &simulated.dwi, &table, &sampling);
        assert!(of_voxel(&found, 4).iter().all(|value| value.is_nan()), "nothing of what was not sampled");
        for voxel in [0, 9, 17, 39] {
            let signals = simulated.dwi.voxel(voxel);
            let expected = written_down(&samples, &prediction, signals, voxel, &sampling.noise, 6);
            let found = of_voxel(&found, voxel);
            for n in 0..4 {
                // The results and the means in this test have single precision. The tolerance can still be
                // small, because the deviance is flat near the means.
                let off = (found[n] - expected[n]).abs();
                assert!(
                    off < 2e-4 + 1e-6 * expected[n].abs(),
                    "{:?}, voxel {voxel}: {found:?} for {expected:?}",
                    sampling.noise
                );
            }
            assert!((1.0..20.0).contains(&found[1]) && (1.0..20.0).contains(&found[3]), "{found:?}");
        }
    }
}

#[test]
fn criteria_refer_to_the_unscaled_signal() {
    let table = table(&[1000.0, 2000.0], 15);
    let model = model("ball-1-stick").unwrap();
    let simulated = simulate(&model, &table, 20, 30.0, 3);
    // The factor is a power of two, so that the chains are bit-identical.
    let larger = simulated.dwi.map(|signal| 4096.0 * signal);
    let measurements = simulated.dwi.channels() as f64;
    for noise in [Noise::default(), Noise::Gaussian(log_uniform()), Noise::Rician(log_uniform())] {
        let sampling = SampleOptions { noise, ..SampleOptions::default() };
        let (_, small) = sample(&model, &simulated.dwi, &table, &sampling);
        let (_, large) = sample(&model, &larger, &table, &sampling);
        for voxel in 0..20 {
            let (small, large) = (of_voxel(&small, voxel), of_voxel(&large, voxel));
            let jacobian = 2.0 * measurements * 4096f64.ln();
            let expected = [small[0] + jacobian, small[1], small[2] + jacobian, small[3]];
            assert!((0..4).all(|n| (large[n] - expected[n]).abs() < 1e-3), "{large:?} for {expected:?}");
        }
    }
}

#[test]
fn criteria_do_not_depend_on_other_models_and_select_the_true_one() {
    let table = table(&[1000.0, 2000.0], 30);
    let truth = model("ball-2-sticks").unwrap();
    let simulated = simulate(&truth, &table, 70, 60.0, 3);
    let options = FitOptions { single_precision: true, ..FitOptions::default() };
    let sampling = SampleOptions { jumps: 5000, interval: 20, ..SampleOptions::default() };
    let of = |model: &Model, mask: &Mask| {
        let samples =
            sample_model(model, &simulated.dwi, &table, mask, &Device::Cpu, &options, &sampling).unwrap();
        samples.information(model, &simulated.dwi, &table, &options, &sampling.noise).unwrap()
    };
    let all = of(&truth, &simulated.mask);
    let some: Vec<bool> = (0..70).map(|voxel| voxel % 3 == 1).collect();
    let few = of(&truth, &Mask::new(*simulated.mask.grid(), some.clone()).unwrap());
    for voxel in 0..70 {
        let few = of_voxel(&few, voxel);
        assert!(if some[voxel] { few == of_voxel(&all, voxel) } else { few.iter().all(|v| v.is_nan()) });
    }
    let one = of(&model("ball-1-stick").unwrap(), &simulated.mask);
    // In these voxels, both populations have a large fraction and different orientations, so that one
    // population cannot explain them.
    let is_apart = |voxel: &usize| {
        let truth = &simulated.truth[*voxel];
        let cosine: f64 = (0..3).map(|n| truth[3 + n] * truth[7 + n]).sum();
        cosine.abs() < 0.7 && truth[2].min(truth[6]) > 0.2
    };
    let apart: Vec<usize> = (0..70).filter(is_apart).collect();
    assert!(apart.len() > 10, "{}", apart.len());
    for images in [[one.dic.clone(), all.dic.clone()], [one.waic.clone(), all.waic.clone()]] {
        let best = lowest(&images).unwrap();
        let right = apart.iter().filter(|&&voxel| best.voxel(voxel)[0] == 2.0).count();
        assert!(right as f64 > 0.9 * apart.len() as f64, "{right} of {}", apart.len());
    }
    let none = Volume::filled(*one.dic.grid(), 1, f32::NAN);
    assert!(lowest(&[none.clone(), none]).unwrap().values().iter().all(|winner| *winner == 0.0));
    // Samples of another model, or with other noise, must be rejected.
    let samples =
        sample_model(&truth, &simulated.dwi, &table, &simulated.mask, &Device::Cpu, &options, &sampling)
            .unwrap();
    let other = model("ball-3-sticks").unwrap();
    assert!(samples.information(&other, &simulated.dwi, &table, &options, &sampling.noise).is_err());
    let sampled = Noise::Rician(log_uniform());
    assert!(samples.information(&truth, &simulated.dwi, &table, &options, &sampled).is_err());
}

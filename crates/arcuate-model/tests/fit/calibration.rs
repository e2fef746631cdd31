//! Calibration by simulation (Talts et al. 2018, arXiv:1804.06788; Modrák et al. 2023,
//! doi:10.1214/23-BA1404). The true parameters are drawn from the prior, and signals are simulated from them.
//! Then all ranks of the true value among posterior samples are equally likely. All priors here are proper.
//! The priors of relevance, and of a σ that is integrated out, are not.

use crate::simulation::{orientation, table};
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, GradientTable, Grid, Mask, Volume};
use arcuate_model::fit::sample::{Deviation, Noise, SampleOptions, sample_model};
use arcuate_model::fit::{FitOptions, Prediction};
use arcuate_model::language::{Model, Prior};
use arcuate_model::models::model;

const VOXELS: usize = 320;
const SAMPLES: usize = 63;
/// Number of histogram bins for the ranks 0 to 63.
const BINS: usize = 16;
/// Limit that a χ² with 15 degrees of freedom exceeds once in 10,000 times. The tests compute 27 such values.
const LIMIT: f64 = 44.3;

/// The noise standard deviation σ in units of the signal, which is about 1000 without weighting.
#[derive(Clone, Copy)]
enum Sigma {
    Known(f64),
    /// σ is sampled, with a gamma prior of this shape and scale.
    Sampled(u32, f64),
}

struct Setting {
    model: &'static str,
    sticks: usize,
    sigma: Sigma,
    is_rician: bool,
    /// Number of sweeps between samples. It is so large that the samples are nearly independent.
    interval: u32,
}

/// Returns a built-in model with proper priors.
fn with_priors(name: &str) -> Model {
    let mut all = model(name).unwrap();
    for n in 0..all.parameters().len() {
        let prior = match all.parameters()[n].name() {
            "s0" => "normal(1000, 150)",
            "d" => "gamma(20, 6e-5)",
            _ => "uniform",
        };
        all = all.with_prior(n, Prior::parse(prior).unwrap()).unwrap();
    }
    all
}

/// Draws parameter values of the model from the priors.
fn truth(sticks: usize, random: &mut Random) -> Vec<f64> {
    let s0 = 1000.0 + 150.0 * random.normal();
    // A gamma variable with shape 20 is the sum of 20 exponential variables.
    let d = gamma(20, 6e-5, random);
    let mut numbers = vec![s0, d];
    let parts = loop {
        let parts: Vec<f64> = (0..sticks).map(|_| random.uniform()).collect();
        if parts.iter().sum::<f64>() <= 1.0 {
            break parts;
        }
    };
    for part in parts {
        numbers.push(part);
        numbers.extend(orientation(random));
    }
    numbers
}

fn gamma(shape: u32, scale: f64, random: &mut Random) -> f64 {
    -scale * (0..shape).map(|_| (1.0 - random.uniform()).ln()).sum::<f64>()
}

/// Returns quantities that do not depend on the order of the populations.
fn quantities(numbers: &[f64], sticks: usize) -> Vec<f64> {
    let part = |stick: usize| numbers[2 + 4 * stick];
    let largest = (0..sticks).fold(0, |best, stick| if part(stick) > part(best) { stick } else { best });
    let axis = &numbers[3 + 4 * largest..][..3];
    vec![
        numbers[0],
        numbers[1],
        (0..sticks).map(part).sum(),
        (0..sticks).map(part).map(|part| part * part).sum(),
        axis[2].abs(),
    ]
}

fn simulate(setting: &Setting, table: &GradientTable) -> (Volume<f32>, Vec<(Vec<f64>, f64)>) {
    let mut random = Random::new(77, Purpose::Resampling, setting.interval.into());
    let prediction = Prediction::new(&model(setting.model).unwrap(), table, &[]).unwrap();
    let (mut values, mut truths) = (Vec::new(), Vec::new());
    for _ in 0..VOXELS {
        let numbers = truth(setting.sticks, &mut random);
        let sigma = match setting.sigma {
            Sigma::Known(sigma) => sigma,
            Sigma::Sampled(shape, scale) => gamma(shape, scale, &mut random),
        };
        values.extend(prediction.signals(&numbers).into_iter().map(|signal| {
            let [real, imaginary] = [signal, 0.0].map(|part| part + sigma * random.normal());
            (if setting.is_rician { real.hypot(imaginary) } else { real }) as f32
        }));
        truths.push((numbers, sigma));
    }
    let grid = Grid::new([VOXELS, 1, 1], Affine::identity()).unwrap();
    (Volume::new(grid, table.len(), values).unwrap(), truths)
}

fn calibrate(setting: &Setting) {
    let table = table(&[1000.0, 2500.0], 20);
    let (dwi, truths) = simulate(setting, &table);
    let deviation = match setting.sigma {
        Sigma::Known(sigma) => Deviation::Known(sigma),
        Sigma::Sampled(shape, scale) => Deviation::Sampled(Prior::Gamma { shape: f64::from(shape), scale }),
    };
    let sampling = SampleOptions {
        burn_in: 1500,
        jumps: setting.interval * SAMPLES as u32,
        interval: setting.interval,
        noise: if setting.is_rician { Noise::Rician(deviation) } else { Noise::Gaussian(deviation) },
        ..SampleOptions::default()
    };
    let options = FitOptions { single_precision: true, ..FitOptions::default() };
    let of = with_priors(setting.model);
    let mask = Mask::full(*dwi.grid());
    let found = sample_model(&of, &dwi, &table, &mask, &Device::Cpu, &options, &sampling).unwrap();
    let names = ["s0", "d", "sum of parts", "sum of their squares", "height of the largest", "sigma"];
    let samples_sigma = matches!(setting.sigma, Sigma::Sampled(..));
    let count = 5 + usize::from(samples_sigma);
    let mut bins = vec![[0u32; BINS]; count];
    for (voxel, (numbers, sigma)) in truths.iter().enumerate() {
        let mut wanted = quantities(numbers, setting.sticks);
        wanted.push(*sigma);
        let mut ranks = vec![0; count];
        for row in found.of_voxel(voxel).unwrap() {
            let row: Vec<f64> = row.iter().map(|value| f64::from(*value)).collect();
            let mut sampled = quantities(&row, setting.sticks);
            sampled.extend(row.last());
            for (rank, (sampled, wanted)) in ranks.iter_mut().zip(sampled.iter().zip(&wanted)) {
                *rank += usize::from(sampled < wanted);
            }
        }
        for (bins, rank) in bins.iter_mut().zip(ranks) {
            bins[rank * BINS / (SAMPLES + 1)] += 1;
        }
    }
    let expected = VOXELS as f64 / BINS as f64;
    let squares = |bins: &[u32; BINS]| -> f64 {
        bins.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum()
    };
    for (name, bins) in names.iter().zip(&bins) {
        println!("{}: {name}: {:.1} {bins:?}", setting.model, squares(bins));
    }
    for (name, bins) in names.iter().zip(&bins) {
        assert!(squares(bins) < LIMIT, "{}: ranks of {name} are not uniform: {bins:?}", setting.model);
    }
}

const ONE: Setting =
    Setting { model: "ball-1-stick", sticks: 1, sigma: Sigma::Known(50.0), is_rician: false, interval: 50 };
const TWO: Setting =
    Setting { model: "ball-2-sticks", sticks: 2, sigma: Sigma::Known(50.0), is_rician: false, interval: 150 };

#[test]
fn one_stick_is_calibrated_with_known_sigma() {
    calibrate(&ONE);
}

#[test]
fn one_stick_is_calibrated_with_sampled_sigma() {
    calibrate(&Setting { sigma: Sigma::Sampled(25, 2.0), ..ONE });
}

#[test]
fn one_stick_is_calibrated_with_rician_noise() {
    // At the largest b-value, the signal is about as large as the noise.
    calibrate(&Setting { sigma: Sigma::Sampled(25, 4.0), is_rician: true, ..ONE });
}

#[test]
fn two_sticks_are_calibrated_with_known_sigma() {
    calibrate(&TWO);
}

#[test]
fn two_sticks_are_calibrated_with_sampled_sigma() {
    calibrate(&Setting { sigma: Sigma::Sampled(25, 2.0), ..TWO });
}
